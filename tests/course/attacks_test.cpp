// Hand-ins as nvcc and its sandbox see them: attacks on the compiler come to nothing, and honest
// hand-ins of all kinds compile. It needs nvcc, but no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <thread>

#include "files.h"
#include "grade/hand_ins.h"
#include "sample.h"
#include "submission/compile.h"
#include "submission/sandbox.h"
#include "system/process.h"

namespace fs = std::filesystem;

namespace {

const fs::path kAttacks = "tests/attacks/compiler", kHonest = "tests/attacks/honest";
const std::vector<std::string> kOptions = {"-arch=sm_90"};
const char kSecret[] = "apsp_canary_7d0e5c";

class Compiler : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system(
            "PATH=$CUDA_HOME/bin:$PATH:/usr/local/cuda/bin nvcc --version > /dev/null 2>&1"))
      GTEST_SKIP() << "needs nvcc";
    setenv("XDG_CACHE_HOME", dir_.path.c_str(), 1);
    fs::create_directory(dir_ / "rival");
    fs::create_directory(dir_ / "attack");
    writeBytes(dir_ / "rival/apsp.cu", "void apsp(int, int*) {}\n");
    writeBytes(dir_ / "rival/secret.txt", std::string(kSecret) + "\n");
  }

  void TearDown() override { unsetenv("XDG_CACHE_HOME"); }

  /// The path of an attack, beside the folder of a rival.
  std::string attack(const std::string& name) {
    const fs::path copy = dir_ / ("attack/" + name + ".cu");
    fs::copy_file(kAttacks / (name + ".cu"), copy, fs::copy_options::overwrite_existing);
    return copy.string();
  }

  /// The error of compiling a source, with everything that the compiler printed; "" if there is
  /// none.
  static std::string errorOf(const std::string& path, bool sandboxed = true, double seconds = 100) {
    try {
      build(path, kOptions, seconds, sandboxed);
      return "";
    } catch (const BuildError& error) {
      return std::string(error.what()) + "\n" + error.log;
    } catch (const Error& error) {
      return error.what();
    }
  }

  TempDir dir_;
};

TEST_F(Compiler, ReadsNoFileOfOthers) {
  for (const std::string name :
       {"includes_rival", "includes_by_macro", "embeds_secret", "shows_secret", "shows_system"}) {
    const std::string path = attack(name), error = errorOf(path);
    EXPECT_NE("", error) << name;
    EXPECT_EQ(std::string::npos, error.find(kSecret)) << error;
    EXPECT_EQ(std::string::npos, error.find("root:")) << error;
  }
}

TEST_F(Compiler, ReadsThemWithoutASandbox) {
  for (const std::string name : {"includes_rival", "includes_by_macro", "embeds_secret"}) {
    EXPECT_EQ("", errorOf(attack(name), false)) << name;
    EXPECT_NE("", errorOf(attack(name))) << name << " from the cache";
  }
  for (const auto& [name, words] : {std::pair("shows_secret", kSecret), {"shows_system", "root"}}) {
    const std::string error = errorOf(attack(name), false);
    EXPECT_NE(std::string::npos, error.find(words)) << error;
  }
}

/// The private copy of a file, made as a grader makes it.
std::shared_ptr<const fs::path> copied(const fs::path& path, const PrivateFolder& to) {
  HandIn handIn;
  handIn.name = path.filename();
  handIn.path = path;
  handIn.folder = handIn.name == "apsp.cu";
  return copyOf(handIn, readHandIn(handIn), to.path());
}

TEST_F(Compiler, FollowsNoLinks) {
  const PrivateFolder folder;
  fs::create_symlink(dir_ / "rival/apsp.cu", dir_ / "attack/link.cu");
  expectError(ErrorCode::kInput, "link.cu", "symbolic link",
              [&] { copied(dir_ / "attack/link.cu", folder); });
  fs::create_symlink(dir_ / "rival/secret.txt", dir_ / "attack/linked.h");
  writeBytes(dir_ / "attack/a.cu", "#include \"linked.h\"\nvoid apsp(int, int*) {}\n");
  expectError(ErrorCode::kInput, "linked.h", "symbolic link",
              [&] { copied(dir_ / "attack/a.cu", folder); });
  EXPECT_EQ(std::string::npos, errorOf(dir_ / "attack/a.cu").find(kSecret));
}

/// The compiler lists the files that it reads. nvcc writes a tab in a name as it is, and what
/// stands behind it looks like another file of the list: the rival's, which the assembler then
/// reads.
TEST_F(Compiler, ReadsNoFileThatANameNames) {
  const std::string rival = dir_ / "rival/apsp.cu", path = dir_ / "attack/apsp.cu";
  writeBytes(dir_ / "attack/x", "\n");
  for (const char blank : {'\t', '\v', '\f'}) {
    const std::string name = std::string("x") + blank + rival,
                      include = "#include \"" + name + "\"\n";
    fs::create_directories(fs::path(dir_ / ("attack/" + name)).parent_path());
    writeBytes(dir_ / ("attack/" + name), "\n");
    const std::string embed = "asm(\".incbin \\\"" + rival + "\\\"\");\nvoid apsp(int, int*) {}\n";
    // Only a list that is made for another GPU has it.
    writeBytes(path, "#if __CUDA_ARCH_LIST__ != 900\n" + include + "#endif\n" + embed);
    EXPECT_NE("", errorOf(path));
    writeBytes(path, include + embed);
    const std::string error = errorOf(path);
    EXPECT_NE(std::string::npos, error.find("control character")) << error;
    EXPECT_EQ(std::string::npos, error.substr(0, error.find('\n')).find(rival)) << error;
  }
  const std::string named = dir_ / "attack/a\tb.cu";
  writeBytes(named, "void apsp(int, int*) {}\n");
  EXPECT_NE(std::string::npos, errorOf(named).find("rename it")) << errorOf(named);
}

/// The assembler notes for debuggers in which folder it runs. There others' files can be guessed.
TEST_F(Compiler, DoesNotLearnWhereTheFilesLie) {
  const std::string path = dir_ / "attack/apsp.cu";
  writeBytes(
      path, "asm(\".text\\n.file 1 \\\"line.c\\\"\\n.loc 1 1\\nnop\");\nvoid apsp(int, int*) {}\n");
  const std::string library = readBytes(build(path, kOptions, 100).path);
  EXPECT_NE(std::string::npos, library.find("line.c"));
  EXPECT_EQ(std::string::npos, library.find(dir_ / "attack"));
  if (!defences().bubblewrap) return;  // Landlock shows paths as they are, here those of the cache
  EXPECT_EQ(std::string::npos, library.find(dir_.path));
}

/// A student may put a link in place of a header when the compiler has listed it.
TEST_F(Compiler, ReadsWhatWasHashed) {
  const std::string path = dir_ / "attack/apsp.cu", header = dir_ / "attack/x.h";
  writeBytes(path, "#include \"x.h\"\nvoid apsp(int, int*) {}\n");
  writeBytes(header, "\n");
  const std::string rivals = std::string("#pragma message \"") + kSecret + "\"\nint mine;\n";
  writeBytes(dir_ / "rival/x.h", rivals);
  fs::create_symlink(dir_ / "rival/x.h", dir_ / "attack/link");
  std::atomic<bool> compiled{false};
  auto swaps = std::async(std::launch::async, [&] {
    while (!compiled) {
      std::error_code missing;
      for (const auto& folder : fs::directory_iterator(dir_ / "apsp", missing))
        if (fs::exists(folder.path() / "files", missing))
          return fs::rename(dir_ / "attack/link", header);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const std::string error = errorOf(path);
  compiled = true;
  swaps.get();
  ASSERT_TRUE(fs::is_symlink(header));
  EXPECT_EQ(std::string::npos, error.find(kSecret)) << error;
  if (error.empty()) {
    for (const auto& file : fs::directory_iterator(dir_ / "apsp"))
      EXPECT_EQ(std::string::npos, readBytes(file.path()).find("mine")) << file.path();
  }
}

TEST_F(Compiler, EndsInTime) {
  EXPECT_NE(std::string::npos, errorOf(attack("never_ends"), true, 3).find("took more than 3 s"));
  EXPECT_EQ(0, Process::running());
}

TEST_F(Compiler, WritesNoLargeFile) {
  std::atomic<bool> ended{false};
  auto largest = std::async(std::launch::async, [&] {
    std::uintmax_t bytes = 0;
    std::error_code vanished;
    while (!ended) {
      for (const auto& file : fs::recursive_directory_iterator(dir_.path, vanished))
        if (const auto size = file.file_size(vanished); !vanished) bytes = std::max(bytes, size);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return bytes;
  });
  constexpr double kSeconds = 20;
  EXPECT_NE("", errorOf(attack("fills_disk"), true, kSeconds));
  ended = true;
  constexpr std::uintmax_t kMost = std::uintmax_t{1} << 30;
  EXPECT_LE(largest.get(), kMost);
}

TEST_F(Compiler, TakesNamesThatAShellWouldMistake) {
  const PrivateFolder folder;
  for (const char* name : {"hand in (1).cu", "-c.cu", "Ren\u00e9e's.cu"}) {
    const fs::path source = dir_ / ("attack/" + std::string(name));
    fs::copy_file(kHonest / "crlf.cu", source);
    EXPECT_EQ("", errorOf(copied(source, folder)->string())) << name;
  }
}

/// Each as a grader does it: copied first. All cores compile. The usual cache keeps them for the
/// next time.
TEST_F(Compiler, TakesHonestHandInsOfAllKinds) {
  unsetenv("XDG_CACHE_HOME");
  const PrivateFolder folder;
  std::vector<fs::path> sources;
  for (const auto& file : fs::recursive_directory_iterator(kHonest))
    if (file.path().extension() == ".cu") sources.push_back(file.path());
  EXPECT_GE(sources.size(), 24u);
  std::sort(sources.begin(), sources.end());
  int turn = 0;
  sources.erase(std::remove_if(sources.begin(), sources.end(),
                               [&](const fs::path&) { return !takes(++turn, 3); }),
                sources.end());
  std::atomic<std::size_t> next{0};
  std::vector<std::string> errors(sources.size());
  const auto compile = [&] {
    for (std::size_t at; (at = next++) < sources.size();) {
      errors[at] = errorOf(copied(sources[at], folder)->string());
    }
  };
  std::vector<std::future<void>> all;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    all.push_back(std::async(std::launch::async, compile));
  for (std::future<void>& each : all) each.get();
  for (std::size_t at = 0; at < sources.size(); ++at) EXPECT_EQ("", errors[at]) << sources[at];
}

}  // namespace
