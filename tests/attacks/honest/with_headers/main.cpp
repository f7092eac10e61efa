// Belongs to the author's own program; nobody compiles it here.
#include "no_such_header.h"
