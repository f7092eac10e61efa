// The same with a file of the system.
#include "/etc/passwd"
void apsp(int, int*) {}
