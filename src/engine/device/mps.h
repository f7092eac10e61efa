// The CUDA Multi-Process Service (MPS). Processes that use it compute on a GPU at the same time,
// and the driver shows one process in their place: others cannot be told from this program.
#pragma once

#include <string>

namespace engine {

/// The folder in which its daemon listens: $CUDA_MPS_PIPE_DIRECTORY, or /tmp/nvidia-mps.
std::string mpsFolder();

/// Whether a daemon listens in this folder: its `control` is a socket or a pipe, and a process has
/// the other end. A file that a killed daemon left behind does not count. Nothing is sent.
bool mpsListens(const std::string& folder);

}  // namespace engine
