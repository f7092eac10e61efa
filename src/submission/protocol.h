// The messages between the benchmark and a submission's worker, and the memory that both see. The
// benchmark is the parent: it starts the worker, a process that runs the submission (worker.h).
#pragma once

#include <cstddef>

/// What the parent asks for: solve the graph in the shared memory and leave the distances there.
struct Request {
  int n, threads;
};

/// What the worker answers. It sends kLoaded once. For every request it sends kCalling, kReturned
/// and kDone: the call of the submission lies between the first two. The other steps are failures,
/// after which the worker sends nothing more.
struct Reply {
  enum Step { kLoaded, kCalling, kReturned, kDone, kRefused, kCudaError, kNoMemory, kThrew };
  Step step;
  double milliseconds;  ///< of the call; with kDone only
  long long kept;       ///< device memory in use after the call less before it, bytes; with kDone
  char text[500];       ///< with a failure its reason, with kDone a warning or ""
};

/// Elements before and after the matrix, which no solver has a reason to write. They are few enough
/// to be copied with every matrix, and enough to catch a solver that writes a tile too far.
inline constexpr std::size_t kGuard = std::size_t{1} << 15;

/// Memory that parent and worker share: guard, (n, n) elements, guard. The parent makes its file.
class SharedMatrix {
 public:
  SharedMatrix();  ///< makes the file; throws Error(kMemory)
  /// Takes over the file that the parent made.
  explicit SharedMatrix(int descriptor) : descriptor_(descriptor) {}
  ~SharedMatrix();
  SharedMatrix(const SharedMatrix&) = delete;
  SharedMatrix& operator=(const SharedMatrix&) = delete;

  /// Maps a matrix of size n, and makes the file larger if it has to be: the file never shrinks.
  /// Throws Error(kMemory).
  void resize(int n);
  /// Maps a matrix of size n; the file must be large enough. Throws Error(kMemory).
  void map(int n);

  int descriptor() const { return descriptor_; }
  int* elements() const { return elements_; }  ///< size() of them: guard, matrix, guard
  std::size_t size() const { return size_; }
  int* matrix() const { return elements_ + kGuard; }  ///< (n, n)
  std::size_t matrixSize() const { return size_ - 2 * kGuard; }

 private:
  void unmap();

  int descriptor_;
  int* elements_ = nullptr;
  std::size_t size_ = 0;
};
