// Includes itself twice, and each of these does so, too: there is no end to what the compiler reads.
#if __INCLUDE_LEVEL__ < 100
#include "never_ends.cu"
#include "never_ends.cu"
#endif
void apsp(int, int*);
