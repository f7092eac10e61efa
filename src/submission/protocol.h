// The two ends of a submission's process: what they say to each other, the memory they share, and
// what main() does in the child.
#pragma once

#include <cstddef>
#include <string>

/// The first argument of the child: main() gives its arguments to serveSubmission() before it does
/// anything else.
inline constexpr char kServeArgument[] = "--serve-submission";

/// The child: loads a library and solves what it is asked to until its socket ends. argv: program,
/// kServeArgument, library, "gpu" or "cpu", the numbers of the socket and of the shared memory.
int serveSubmission(int argc, char** argv);

/// What the parent asks for: the graph in the shared memory, solved in its place.
struct Request {
  int n, threads;
};

/// What the child says, in this order; the last but one bounds the time that the solver took. After
/// a failure it says nothing more.
struct Reply {
  enum Step { kLoaded, kCalling, kReturned, kDone, kRefused, kCudaError, kNoMemory, kThrew };
  Step step;
  double milliseconds;  ///< of the call, with kDone
  long long kept;       ///< with kDone: bytes of the device's memory held after it and not before
  char text[500];       ///< with a failure
};

/// Words before and after the matrix, which no solver has a reason to write. Few enough for a plain
/// copy, enough for what overshoots a matrix by a tile's width.
inline constexpr std::size_t kGuard = std::size_t{1} << 15;

/// Memory that parent and child see: guard, (n, n) words, guard. Its file is made by the parent.
class SharedMatrix {
 public:
  SharedMatrix();  ///< makes the file; throws Error(kMemory)
  explicit SharedMatrix(int descriptor) : descriptor_(descriptor) {}
  ~SharedMatrix();
  SharedMatrix(const SharedMatrix&) = delete;
  SharedMatrix& operator=(const SharedMatrix&) = delete;

  /// Gives the file at least the size that n takes: it never shrinks. Throws Error(kMemory).
  void resize(int n);
  /// Shows the file of a matrix of size n at words(). Throws Error(kMemory).
  void map(int n);

  int descriptor() const { return descriptor_; }
  int* words() const { return words_; }            ///< the first of size()
  int* matrix() const { return words_ + kGuard; }  ///< (n, n)
  std::size_t size() const { return size_; }       ///< both guards and the matrix
  std::size_t cells() const { return size_ - 2 * kGuard; }

 private:
  void unmap();

  int descriptor_;
  int* words_ = nullptr;
  std::size_t size_ = 0;
};
