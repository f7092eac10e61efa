// The system calls that a submission may not make.
#pragma once

/// Who is confined.
enum class Confined {
  kHostWorker,  ///< a submission in host memory
  kGpuWorker,   ///< a submission on a GPU: CUDA needs some calls more
  kCompiler,    ///< may start processes and write files: only the rest of the table binds it
};

/// Whether this kernel can filter system calls (seccomp).
bool filtersSystemCalls();

/// Forbids all threads of this process, and all that they start, the calls in the table of
/// system_calls.cpp: these return EPERM. Cannot be undone. Throws Error(kUsage) if the kernel
/// refuses.
void forbidSystemCalls(Confined who);
