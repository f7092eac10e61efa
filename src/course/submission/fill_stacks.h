// Memory of the stack that nobody has written yet: an array that a submission does not set holds
// what lies there.
#pragma once

/// Fills the free part of the stack with a byte: of this thread, and of the threads that OpenMP
/// starts for it. The function that is called next finds the byte in its arrays. Threads that it
/// starts in another way have stacks of their own.
void fillStacks(unsigned char byte);
