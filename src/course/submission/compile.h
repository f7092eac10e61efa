// The files of submissions: their languages, a hash of their content, and the shared library that a
// compiler builds from source.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

using namespace engine;

/// A language of submissions.
struct Language {
  const char* extension;  ///< of its sources
  const char* name;
  const char* compiler;
  const char* flags;  ///< of the compiler, before the options of build()
  bool gpu;           ///< apsp() takes device memory, otherwise host memory
};

/// All languages, CUDA first.
const std::vector<Language>& languages();
/// The language of a file by its extension; nullptr if it is no source.
const Language* languageOf(const std::string& path);

/// The options for C++ and C that build() takes by default.
inline constexpr char kCxxFlags[] = "-O3 -march=native -fopenmp";

/// Source does not compile; what() has the compiler's first error.
struct BuildError : Error {
  std::string log;  ///< everything that the compiler printed
  BuildError(const std::string& message, std::string output)
      : Error(ErrorCode::kInput, message), log(std::move(output)) {}
};

/// SHA-256 (64 hexadecimal digits) of a library; or of a source and all files that its compiler
/// reads, but for the toolchain's and those that we supply. The compiler names them. Without a
/// compiler, or if it cannot read them all, they are the files that are included with quotes,
/// directly or through others. options: as for build(); the hash tells those of C++ and C from
/// kCxxFlags. Throws Error(kInput) if the file cannot be read.
std::string contentHash(const std::string& path, const std::vector<std::string>& options = {},
                        bool sandboxed = true);

/// Whether the compiler has a header of that name. nvcc takes one from the folder of the source
/// instead, also for its own use.
bool isCompilersHeader(const std::string& name);

/// The command that makes a library, .so, beside a source: by nvcc, gcc, or g++ for anything else.
/// It finds apsp.h if that lies beside this program.
std::string buildCommand(const std::string& path);

/// A shared library. If it lies in a temporary folder, `folder` deletes that with its last copy.
struct Library {
  std::string path;
  std::string content;  ///< contentHash() of what it was built from, or of itself
  std::shared_ptr<void> folder = nullptr;
};

/// Compiles a source, or finds the library of an earlier call. options: of the compiler; for CUDA
/// the GPU ("-arch=sm_90"), for C++ and C what kCxxFlags has by default. Libraries are kept in
/// $XDG_CACHE_HOME/apsp or ~/.cache/apsp. A library's name is the SHA-256 of everything that the
/// compiler read, its version, the flags, what -march=native means on this machine, and the files
/// that we supply. Its own SHA-256 lies beside it and is compared before it is used. If that folder
/// cannot be used, the library lies in a temporary folder.
///
/// The source may include files from its own folder and the folders below it. It may include apsp.h
/// and cuda_utils.h, which we supply unless they lie beside it. If `sandboxed`, the compiler can
/// read nothing else (sandbox.h). If a library of CUDA `fills`, it has a function
/// apspFillMemory(int byte): memory that cudaMalloc() and the like return afterwards holds the byte.
/// No time of such a library counts.
///
/// Throws BuildError, also after `seconds`; Error(kGpu) if there is no nvcc; Error(kUsage) if there
/// is no sandbox, or no g++ or gcc; Error(kOutput) if no folder can be made; and the errors of
/// contentHash(). path: of a source.
Library build(const std::string& path, const std::vector<std::string>& options, double seconds,
              bool sandboxed = true, bool fills = false);

/// Whether there is a compiler for this source.
bool canBuild(const std::string& path);

/// A library that an earlier build() kept, if it is still there and nobody changed it. library: as
/// build() returned it.
std::optional<Library> keptLibrary(const Library& library);
