// Submissions that make mistakes: each is reported by what it did, and a new worker takes the next
// call. Most are libraries for host memory. Compiling CUDA source is tested, too: it needs nvcc but
// no GPU.
#include "submission/submission.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <thread>

#include "base/clock.h"
#include "devices.h"
#include "files.h"
#include "measure/timing.h"
#include "submission/calibration.h"
#include "submission/channel.h"
#include "submission/compile.h"
#include "submission/protocol.h"
#include "system/process.h"

namespace {

namespace fs = std::filesystem;
using Kind = SolveFault::Kind;

/// The C++ compiler that $CXX names, otherwise g++.
std::string compiler() {
  const char* named = std::getenv("CXX");
  return named == nullptr ? "g++" : named;
}

/// A submission on the CPU. Nothing measures the cost of a call: that takes a worker, too.
Solver load(const std::string& path, SubmissionLimits limits = {}) {
  limits.subtractsCost = false;
  return loadSubmission(path, cpuDevice, limits);
}

/// With this, a library can answer in our worker's place.
const std::string kProtocol = "#include <sys/socket.h>\n#include \"" +
                              fs::absolute("src/course/submission/protocol.h").string() + "\"" + R"(
  static int theirEnd() {
    int end = 3, type = 0;
    socklen_t size = sizeof type;
    while (getsockopt(end, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) ++end;
    return end;
  }
  static void reply(Reply::Step step, long long kept = 0) {
    const Reply message = {step, 0, kept, ""};
    send(theirEnd(), &message, sizeof message, MSG_NOSIGNAL);
  }
  static Request receive() {
    Request request;
    if (recv(theirEnd(), &request, sizeof request, 0) != sizeof request) _exit(0);
    return request;
  })";

/// Code of a library that runs this while it is loaded, and goes no further.
std::string inConstructor(const std::string& body) {
  return kProtocol + "\n__attribute__((constructor)) static void first() {\n" + body +
         "\nfor (;;) pause();\n}\n";
}

/// Submissions of one test, compiled in a temporary folder.
class Submissions : public testing::Test {
 protected:
  /// Compiles a library for host memory: `before`, and an apsp() with this body. Returns its path.
  std::string library(const std::string& name, const std::string& body,
                      const std::string& before = "") {
    writeBytes(dir_ / (name + ".cpp"),
               "#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n#include <stdexcept>\n"
               "#include <unistd.h>\n" +
                   before + "\nvoid apsp(int n, int* graph) {\n(void)n, (void)graph;\n" + body +
                   "\n}\n");
    return compiled(dir_ / (name + ".cpp"), name);
  }

  /// The library of an attack of tests/attacks.
  std::string attack(const std::string& name) {
    return compiled(fs::absolute("tests/attacks/" + name + ".cpp"), name);
  }

  std::string compiled(const std::string& source, const std::string& name) {
    const std::string path = dir_ / (name + ".so");
    const std::string command =
        compiler() +
        " -std=c++17 -O1 -w -fopenmp -I. -Isrc/engine -Isrc/harness -Isrc/course '-DFOLDER=\"/\"'"
        " -shared -fPIC '" +
        source + "' -o '" + path + "'";
    EXPECT_EQ(0, std::system(command.c_str())) << command;
    return path;
  }

  /// Solves a ring of n vertices with weights 1; `graph` gets the result.
  static Call solve(const Solver& kernel, int n, std::vector<int>& graph) {
    const auto size = static_cast<std::size_t>(n);
    graph.assign(size * size, kInf);
    for (std::size_t i = 0; i < size; ++i) graph[i * size + (i + 1) % size] = 1;
    for (std::size_t i = 0; i < size; ++i) graph[i * size + i] = 0;
    std::string why;
    const Device& device = *findDevice(kernel.device, why);
    const DeviceMatrix matrix(device, n);
    upload(device, matrix.data(), graph);
    Call call = callOn(device, kernel, n, matrix.data());
    download(device, graph.data(), matrix.data(), graph.size());
    return call;
  }
  static Call solve(const Solver& kernel, int n) {
    std::vector<int> graph;
    return solve(kernel, n, graph);
  }

  /// Expects that a call throws this fault, and that its message has the file and these words.
  static void expectFault(const Solver& kernel, Kind kind, const std::string& words, int n = 5) {
    try {
      solve(kernel, n);
      ADD_FAILURE() << "no fault";
    } catch (const SolveFault& fault) {
      EXPECT_EQ(nameOf(kind), std::string(nameOf(fault.kind))) << fault.what();
      expectError(ErrorCode::kMismatch, kernel.name, words, [&] { throw fault; });
    }
    EXPECT_EQ(0, Process::running());
  }

  /// Expects that of a few calls one fails because this program has waited long enough.
  static void expectWaits(const Solver& one, const Solver& other) {
    std::string said;
    for (int call = 0; call < 10 && said.find("waiting") == std::string::npos; ++call) {
      try {
        solve(call % 2 == 0 ? one : other, 5);
      } catch (const SolveFault& fault) {
        said = fault.what();
      }
    }
    EXPECT_NE(std::string::npos, said.find("kept this program waiting for 2 s")) << said;
  }

  TempDir dir_;
};

const char kSolver[] = R"(
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (graph[i * n + k] + graph[k * n + j] < graph[i * n + j])
          graph[i * n + j] = graph[i * n + k] + graph[k * n + j];)";

TEST_F(Submissions, AreSolversLikeOthers) {
  const Solver kernel = load(library("right", kSolver));
  for (const int n : {7, 300, 1, 64}) {
    std::vector<int> graph;
    const Call call = solve(kernel, n, graph);
    EXPECT_GE(call.milliseconds, 0);
    EXPECT_EQ("", submitted(call).printed);
    EXPECT_EQ(Tier::kInt32, call.outcome.tier);
    for (int at = 0; at < n * n; ++at)
      ASSERT_EQ((at % n - at / n + n) % n, graph[static_cast<std::size_t>(at)]) << n;
  }
  EXPECT_EQ(0, callOn(cpuDevice, kernel, 0, Elements()).milliseconds);
  EXPECT_EQ(1, Process::running());
}

TEST_F(Submissions, ExportTheFunctionEitherWay) {
  const std::string path = library("c", "", R"(extern "C" void apsp(int n, int* graph);)");
  solve(load(path), 3);
}

const char kRingDistances[] = R"(
  for (int at = 0; at < n * n; ++at) graph[at] = (at % n - at / n + n) % n;)";

TEST_F(Submissions, MayLeaveALaunchErrorBehind) {
  const std::string path = library("empty_grid", std::string(kRingDistances) + "left = n <= 32;",
                                   R"(static bool left = false;
        extern "C" const char* apspLaunchError(const char** name) {
          *name = "cudaErrorInvalidValue";
          if (!left) return nullptr;
          left = false;
          return "invalid\nargument";
        })");
  const Solver kernel = load(path);
  for (const int n : {32, 33, 5}) {
    std::vector<int> graph;
    const Call call = solve(kernel, n, graph);
    EXPECT_EQ(
        n <= 32 ? "leaves a launch error behind: invalid?argument (cudaErrorInvalidValue)" : "",
        submitted(call).warning);
    EXPECT_EQ(n - 1, graph[static_cast<std::size_t>(n) - 1]);
  }
}

TEST_F(Submissions, MayNotLeaveAStickyErrorBehind) {
  const Solver kernel = load(library("sticky", kRingDistances, R"(
        extern "C" const char* apspLaunchError(const char**) { return "invalid address"; })"));
  expectFault(kernel, Kind::kCudaError, "call 1 CUDA error: invalid address (unknown)");
}

TEST_F(Submissions, HaveLargeAndSmallGuardsInTurns) {
  const Solver kernel =
      load(library("peeks", "graph[0] = graph[-1]; if (n > 1) graph[1] = graph[n * n];"));
  for (int call = 0; call < 4; ++call) {
    std::vector<int> graph;
    solve(kernel, 2, graph);
    for (const int guard : {graph[0], graph[1]}) EXPECT_EQ(call % 2 != 0, guard < 16) << guard;
  }
}

/// What memory holds that nobody has set. The array is large, and its beginning is the farthest
/// from the frame of the caller.
const char kUnset[] = R"(#include <omp.h>
  static int onTheStack() {
    volatile int array[1 << 18];
    return array[77];
  }
  static int onTheHeap() {
    volatile int* const array = static_cast<int*>(malloc(1 << 16));
    const int found = array[77];
    free((void*)array);
    return found;
  })";

TEST_F(Submissions, FindFilledWhatTheyHaveNotSet) {
  const std::string path = library("unset", R"(
      graph[0] = onTheStack();
      graph[1] = onTheHeap();
#pragma omp parallel num_threads(2)
      if (omp_get_thread_num() == 1) graph[2] = onTheStack();)",
                                   kUnset);
  SubmissionLimits limits;
  limits.threadsOnOneCore = 2;
  for (const auto& [byte, expected] : {std::pair(0x00, 0), std::pair(0x3f, 0x3f3f3f3f)}) {
    limits.fill = static_cast<unsigned char>(byte);
    const Solver kernel = load(path, limits);
    for (int call = 0; call < 2; ++call) {
      std::vector<int> graph;
      solve(kernel, 2, graph);
      for (std::size_t at = 0; at < 3; ++at) EXPECT_EQ(expected, graph[at]) << at;
    }
  }
}

TEST_F(Submissions, SolveNoFloats) {
  const Solver kernel = load(library("right", kSolver));
  EXPECT_THROW(requireDtype(kernel, Dtype::kFloat32), Error);
}

TEST_F(Submissions, AreReportedAsWhatTheyDid) {
  const struct {
    const char *name, *body;
    Kind kind;
    const char* words;
  } rows[] = {
      {"crash", "*(volatile int*)8 = 1;", Kind::kCrash, "SIGSEGV"},
      {"abort", "abort();", Kind::kCrash, "SIGABRT"},
      {"divide", "raise(SIGFPE);", Kind::kCrash, "SIGFPE"},
      {"killed", "kill(getpid(), SIGKILL);", Kind::kCrash, "SIGKILL"},
      {"throw", "throw std::runtime_error(\"of its own\");", Kind::kCrash, "exception: of its own"},
      {"memory", "throw std::bad_alloc();", Kind::kNoMemory, "host memory"},
      {"exit0", "exit(0);", Kind::kExit, "exit code 0"},
      {"exit3", "puts(\"cannot go on\"); exit(3);", Kind::kExit, "code 3 printed: cannot go on"},
      {"_exit", "_exit(0);", Kind::kExit, "exit code 0"},
      {"before", "graph[-1] = graph[-3] = 0;", Kind::kOutOfBounds, "2 before 3 away"},
      {"after", "graph[n * n + 8] = 5;", Kind::kOutOfBounds, "1 after 9 away"},
      {"relax", "if (7 < graph[n * n]) graph[n * n] = 7;", Kind::kOutOfBounds, "1 after"},
      {"close", "for (int f = 0; f < 99; ++f) close(f);", Kind::kExit, "exit code 0"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Solver kernel = load(library(row.name, row.body));
    expectFault(kernel, row.kind, "call 1 n = 5 " + std::string(row.words));
    expectFault(kernel, row.kind, "call 2 n = 6 " + std::string(row.words), 6);
  }
}

TEST_F(Submissions, HaveLimitedTime) {
  for (const char* body : {"for (;;) pause();", "volatile int x = 0; for (;;) ++x;",
                           "if (fork() == 0) for (;;) pause(); for (;;) pause();"})
    expectFault(load(library("hang", body), {60, 0.2}), Kind::kHang, "0.2 s");
}

TEST_F(Submissions, GetANewWorkerAfterAFault) {
  const Solver kernel =
      load(library("odd", "static int calls = 0; if (n == 5 || ++calls > 1) abort();"));
  solve(kernel, 4);
  expectFault(kernel, Kind::kCrash, "call 2");
  solve(kernel, 4);  // the new worker does not have the old one's state
  expectFault(kernel, Kind::kCrash, "call 4", 4);
}

TEST_F(Submissions, LearnFromTheirProcessNoFolder) {
  const Solver kernel = load(library("asks", R"(
    char exe[5000] = "", folder[5000] = "";
    if (open("/proc/self/exe", O_RDWR) >= 0) puts("may write");
    if (readlink("/proc/self/exe", exe, sizeof exe - 1) < 0 || getcwd(folder, sizeof folder) == nullptr) abort();
    printf("%s %s\n", exe, folder);)",
                                     "#include <fcntl.h>\n"));
  if (submitted(kernel).sandbox != "landlock")
    GTEST_SKIP() << "bubblewrap runs a program by its path";
  EXPECT_EQ("/memfd:worker (deleted) /\n", submitted(solve(kernel, 4)).printed);
}

TEST_F(Submissions, CannotPrintToOurOutput) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const Solver kernel =
      load(library("forger", R"(puts("passed"); if (n > 4) fputs("0 failed\n", stderr);)"));
  EXPECT_EQ("passed\n", submitted(solve(kernel, 4)).printed);
  EXPECT_EQ("0 failed\npassed\n", submitted(solve(kernel, 5)).printed);
  EXPECT_EQ("", testing::internal::GetCapturedStdout());
  EXPECT_EQ("", testing::internal::GetCapturedStderr());
}

TEST_F(Submissions, CannotSendRepliesOfAnyLength) {
  const std::string protocol =
      std::filesystem::current_path().string() + "/src/course/submission/protocol.h";
  const Solver kernel =
      load(library("sender", R"(
        Reply reply;
        memset(&reply, 'x', sizeof reply);
        reply.step = Reply::kThrew;
        for (int f = 3; f < 99; ++f) send(f, &reply, sizeof reply, 0);
        pause();)",
                   "#include <sys/socket.h>\n#include <cstring>\n#include \"" + protocol + "\"\n"));
  try {
    solve(kernel, 5);
    ADD_FAILURE() << "no fault";
  } catch (const SolveFault& fault) {
    const std::string message = fault.what();
    EXPECT_EQ(std::string(sizeof Reply{}.text, 'x'), message.substr(message.find("): ") + 3));
  }
}

TEST_F(Submissions, AreQuotedInUtf8) {
  const Solver kernel =
      load(library("says", "for (int i = 0; i < 100; ++i) printf(\"\\u20ac\"); exit(3);"));
  std::string last;
  for (int i = 0; i < 160 / 3; ++i) last += "\u20ac";
  try {
    solve(kernel, 5);
    ADD_FAILURE() << "no fault";
  } catch (const SolveFault& fault) {
    const std::string said = fault.what();
    EXPECT_EQ("printed: " + last, said.substr(said.find("printed: ")));
  }
}

TEST_F(Submissions, MayPrintMoreThanAPipeHolds) {
  const Solver kernel =
      load(library("loud", R"(for (int i = 0; i < 100000; ++i) puts("a line"); puts("last");)"));
  const std::string printed = submitted(solve(kernel, 4)).printed;
  EXPECT_LE(printed.size(), std::size_t{64} << 10);
  EXPECT_EQ("last\n", printed.substr(printed.size() - 5));
}

TEST_F(Submissions, InheritNoOpenFiles) {
  FILE* open = std::fopen((dir_ / "secret").c_str(), "w");
  struct stat status {};
  ASSERT_EQ(0, fstat(fileno(open), &status));
  const Solver kernel = load(library("nosy",
                                     "for (int f = 0; f < 1000; ++f) { struct stat status; "
                                     "if (fstat(f, &status) == 0 && status.st_ino == " +
                                         std::to_string(status.st_ino) + "u) abort(); }",
                                     "#include <sys/stat.h>"));
  solve(kernel, 2);
  std::fclose(open);
}

TEST_F(Submissions, CannotTruncateTheSharedMatrix) {
  const Solver kernel =
      load(library("cuts", "for (int f = 3; f < 99; ++f) if (ftruncate(f, 0) == 0) abort();"));
  for (const int n : {300, 2, 200, 400}) solve(kernel, n);
}

// What runs when the worker flushes its output is no part of the call by the worker's clock.
const char kSolvesWhenFlushed[] = R"(
  static int size, *matrix;
  static ssize_t later(void*, const char*, size_t length) {
    usleep(30000);
    for (int at = 0; at < size * size; ++at)
      matrix[at] = (at % size - at / size + size) % size;
    return length;
  })";

TEST_F(Submissions, AreTimedByTheParentsClock) {
  const Solver kernel = load(library("late", R"(
      size = n, matrix = graph;
      cookie_io_functions_t io = {nullptr, later, nullptr, nullptr};
      static FILE* const file = fopencookie(nullptr, "w", io);
      fputs("x", file);)",
                                     kSolvesWhenFlushed));
  for (int call = 0; call < 3; ++call) {
    std::vector<int> graph;
    const Call done = solve(kernel, 9, graph);
    EXPECT_EQ(8, graph[8]);
    EXPECT_LT(submitted(done).times.own, 20);
    EXPECT_GE(done.milliseconds, 30);
  }
}

TEST_F(Submissions, AreTimedWithoutTheCostOfTheExchange) {
  const Solver sleeps = loadSubmission(library("sleeps", "usleep(20000);"), cpuDevice);
  const Solver nothing = loadSubmission(library("nothing", ""), cpuDevice);
  const Solver inside = inWorker(findSolver("ref", DeviceKind::kCpu), cpuDevice);
  EXPECT_EQ("ref", inside.name);
  std::vector<double> slept, none;
  for (int call = 0; call < 9; ++call) {
    slept.push_back(solve(sleeps, 500).milliseconds);
    none.push_back(solve(nothing, 500).milliseconds);
    std::vector<int> graph;
    EXPECT_LT(0, submitted(solve(inside, 500, graph)).times.cost);
    EXPECT_EQ(499, graph[499]);
  }
  EXPECT_LE(19.5, summarise(slept).minimum);  // the cost is an estimate, and others may compute
  EXPECT_GT(10, summarise(none).q1);
}

TEST_F(Submissions, KeepTheirWorkerAtASizeThatIsNotTimed) {
  const auto calibration = calibrationOf(cpuDevice);
  calibration->leaveOut(70);
  const Solver counts =
      loadSubmission(library("counts", "static int calls; graph[0] = ++calls;"), cpuDevice);
  std::vector<int> graph;
  EXPECT_LT(0, submitted(solve(counts, 60, graph)).times.cost);
  EXPECT_EQ(0, submitted(solve(counts, 70, graph)).times.cost);
  EXPECT_EQ(2, graph[0]) << "measuring the cost would have ended the worker";
  EXPECT_FALSE(calibration->knows(70));
  calibration->leaveOut(60);
  EXPECT_LT(0, submitted(solve(counts, 60, graph)).times.cost) << "it is known";
}

TEST(Costs, AreMeasuredForAWhileAndOnceMoreBeforeATimeIsRefused) {
  constexpr double kWhile = 30;  // milliseconds
  const auto calibration = calibrationOf(cpuDevice);
  EXPECT_LE(kWhile, millisecondsOf([&] { calibration->measure(20); }));
  const double cost = calibration->cost(20, 1e9);
  EXPECT_LT(0, cost);
  double later = cost;
  EXPECT_LE(kWhile, millisecondsOf([&] { later = calibration->cost(20, 0); }))
      << "a call that took no time";
  EXPECT_GE(cost, later);
  EXPECT_GE(later, calibration->cost(20, 1e9)) << "what is known is not forgotten";
}

TEST_F(Submissions, AreWaitedForIfSigchldIsIgnored) {
  const std::string path = library("exit3", "exit(3);");
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  expectFault(load(path), Kind::kExit, "code 3");
  std::signal(SIGCHLD, before);
}

TEST_F(Submissions, AreKilledWithTheirParent) {
  const std::string path = library("pid", "graph[0] = getpid();");
  int ends[2];
  ASSERT_EQ(0, pipe(ends));
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // we may wait for the worker after its parent has died
  const pid_t parent = fork();
  if (parent == 0) {
    std::vector<int> graph;
    const Solver kernel = load(path);
    solve(kernel, 1, graph);
    if (write(ends[1], graph.data(), sizeof(int)) < 0) _exit(1);
    raise(SIGKILL);
  }
  int worker = 0;
  ASSERT_EQ(ssize_t{sizeof worker}, read(ends[0], &worker, sizeof worker));
  EXPECT_EQ(parent, waitpid(parent, nullptr, 0));
  pid_t ended = 0;
  while (ended == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ended = waitpid(worker, nullptr, WNOHANG);
  }
  EXPECT_EQ(worker, ended);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(Submissions, HaveLimitedMemory) {
  const std::string hog =
      "for (int i = 0; i < 48; ++i) memset(malloc(64 << 20), 1, 64 << 20); for (;;) pause();";
  expectFault(load(library("hog", hog, "#include <cstring>")), Kind::kNoMemory,
              "used more than of host memory");
  const std::string threads =
      "for (int i = 0; i < 1500; ++i) std::thread(pause).detach(); for (;;) pause();";
  expectFault(load(library("threads", threads, "#include <thread>")), Kind::kNoMemory,
              "started more than threads");
}

TEST_F(Submissions, MayUseThreads) {
  const std::string body = R"(
      graph[0] = 0;
#pragma omp parallel num_threads(4)
#pragma omp atomic
      ++graph[0];
      std::thread([&] { graph[1] = 7; }).join();)";
  for (const char* binds : {"", "close"}) {
    setenv("OMP_PROC_BIND", binds, 1);
    std::vector<int> graph;
    solve(load(library("threads", body, "#include <thread>")), 2, graph);
    EXPECT_EQ(4, graph[0]);
    EXPECT_EQ(7, graph[1]);
  }
  unsetenv("OMP_PROC_BIND");
}

TEST_F(Submissions, DoNotRunBetweenTheirCalls) {
  const Solver kernel = load(attack("restless"));
  for (int call = 0; call < 3; ++call) {
    const double before = Process::cpuSecondsOfRunning();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_LT(0, before);
    EXPECT_EQ(before, Process::cpuSecondsOfRunning()) << "before call " << call;
    std::vector<int> graph;
    solve(kernel, 5, graph);
    EXPECT_EQ(4, graph[4]);
  }
}

TEST_F(Submissions, MayNotWakeThemselves) {
  for (const std::string name : {"wakes_itself", "continues"}) {
    const Solver kernel = load(attack(name));
    bool ran = name == "wakes_itself";  // a thread that was stopped cannot continue its process
    try {
      solve(kernel, 5);
      constexpr double kSeconds = 0.05;  // then it is killed
      const double end = Process::cpuSecondsOfRunning() + kSeconds;
      for (int look = 0; look < 500 && Process::cpuSecondsOfRunning() < end; ++look)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      ran |= Process::cpuSecondsOfRunning() >= end;
      solve(kernel, 5);
      EXPECT_FALSE(ran) << name;
    } catch (const SolveFault& fault) {
      const std::string said = fault.what();
      EXPECT_EQ(Kind::kHang, fault.kind) << said;
      EXPECT_TRUE(said.find("could not be stopped within 10 s after its call") != said.npos ||
                  said.find("call 2 (n = 5): ran between its calls, for ") != said.npos)
          << said;
    }
  }
}

TEST_F(Submissions, CannotTakeTheKernelsMemory) {
  solve(load(attack("kernel_memory")), 5);
}

/// Whether a thread keeps its process from being stopped is chance. More calls start more threads.
TEST_F(Submissions, AreCountedUntilTheyAreStopped) {
  const Solver kernel = load(attack("takes_unstopped"));
  std::string said;
  for (int call = 0; call < 40 && said.empty(); ++call) try {
      solve(kernel, 5);
    } catch (const SolveFault& fault) {
      said = fault.what();
    }
  EXPECT_TRUE(said.find("of host memory") != said.npos || said.find("ran between") != said.npos)
      << said;
}

TEST_F(Submissions, MayNotBeHuge) {
  const std::string path = library("huge", "");
  std::filesystem::resize_file(path,
                               (std::uintmax_t{1} << 30) + 1);  // it takes no room on the disk
  expectError(ErrorCode::kInput, path, "cannot be read: it has a submission at most",
              [&] { load(path); });
}

TEST_F(Submissions, AreKilledAsSoonAsTheyWakeThemselves) {
  const Solver kernel = load(attack("wakes_itself"));  // half a second after its first call
  solve(kernel, 5);
  const double before = Process::cpuSecondsOfRunning();
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_GT(before + 0.5, Process::cpuSecondsOfRunning());
  expectFault(kernel, Kind::kHang, "ran between its calls, for");
}

TEST_F(Submissions, AreEndedBeforeOthersAreTimed) {
  const Solver one = load(library("one", ""));
  const Solver& ref = findSolver("ref", DeviceKind::kCpu);
  restOthers({ref, one}, one);
  EXPECT_EQ(1, Process::running());
  restOthers({ref, one}, ref);
  EXPECT_EQ(0, Process::running());
  solve(one, 5);
  EXPECT_EQ(1, Process::running());
}

TEST_F(Submissions, CannotHideMemory) {
  for (const char* name : {"leaderless", "page_tables"})
    expectFault(load(attack(name)), Kind::kNoMemory, "used more than of host memory");
  solve(load(attack("hides_memory")), 5);
}

TEST_F(Submissions, CannotSlowOurSession) {
  const std::string path = attack("slows_session");
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    solve(load(path), 1);
    std::string group;
    std::ifstream file("/proc/self/autogroup");
    std::getline(file, group);
    _exit(group.empty() || group.find(" nice 0") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(child, waitpid(child, &status, 0));
  EXPECT_EQ(0, status);
}

/// What a submission says of the reach that it has: a 1 for each thing that it can do.
const char kReach[] = R"(
  const pid_t parent = getppid();
  char memory[40];
  snprintf(memory, sizeof memory, "/proc/%d/mem", parent);
  graph[0] = open("/etc/passwd", O_RDONLY) >= 0;
  graph[1] = open(memory, O_RDWR) >= 0;
  graph[2] = socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
  graph[3] = getenv("APSP_SECRET") != nullptr;
  const pid_t child = fork();
  if (child == 0) for (;;) pause();
  graph[4] = child > 0;
  graph[5] = kill(parent, 0) == 0;
  graph[6] = open("/tmp/apsp-test-made", O_CREAT | O_WRONLY, 0600) >= 0;)";
const char kReachIncludes[] =
    "#include <fcntl.h>\n#include <sys/socket.h>\n#include <sys/types.h>\n";

TEST_F(Submissions, ReachNothingElse) {
  setenv("APSP_SECRET", "seed", 1);
  const Solver kernel = load(library("reach", kReach, kReachIncludes));
  EXPECT_NE(kUnsandboxed, submitted(kernel).sandbox);
  std::vector<int> graph;
  solve(kernel, 3, graph);
  if (submitted(kernel).sandbox == "bubblewrap")
    graph[1] = 0;  // its parent is a process of bubblewrap
  EXPECT_EQ(std::vector<int>(7, 0), std::vector<int>(graph.begin(), graph.begin() + 7));
  EXPECT_EQ(0, prctl(PR_GET_DUMPABLE));
  unsetenv("APSP_SECRET");
}

TEST_F(Submissions, ReachTheUsersFilesIfUnsandboxed) {
  setenv("APSP_SECRET", "seed", 1);
  SubmissionLimits limits;
  limits.sandboxed = false;
  const Solver kernel = load(library("reach", kReach, kReachIncludes), limits);
  EXPECT_EQ(kUnsandboxed, submitted(kernel).sandbox);
  std::vector<int> graph;
  solve(kernel, 3, graph);
  for (const int at : {0, 2, 3, 4, 5, 6}) EXPECT_EQ(1, graph[static_cast<std::size_t>(at)]) << at;
  unlink("/tmp/apsp-test-made");
  unsetenv("APSP_SECRET");
}

TEST_F(Submissions, LeaveNoProcessBehind) {
  SubmissionLimits limits;
  limits.sandboxed = false;
  std::vector<int> graph;
  {
    const Solver kernel = load(library("daemon", R"(
        const pid_t child = fork();
        if (child == 0) {
          setsid();
          for (;;) pause();
        }
        graph[0] = child;)"),
                               limits);
    solve(kernel, 1, graph);
    EXPECT_EQ(0, kill(graph[0], 0));
  }
  EXPECT_EQ(-1, kill(graph[0], 0));
}

TEST_F(Submissions, RunOneAtATime) {
  SubmissionLimits limits;
  limits.sandboxed = false;  // numbers of processes differ in bubblewrap
  std::vector<int> first, second;
  const Solver one = load(library("one", "graph[0] = getpid();"), limits);
  solve(one, 1, first);
  EXPECT_EQ(0, kill(first[0], 0));
  const Solver two = load(library("two", "graph[0] = getpid();"), limits);
  EXPECT_EQ(-1, kill(first[0], 0));
  solve(two, 1, second);
  EXPECT_EQ(0, kill(second[0], 0));
  solve(one, 1, first);
  EXPECT_EQ(-1, kill(second[0], 0));
  EXPECT_EQ(0, kill(first[0], 0));
}

TEST_F(Submissions, CannotHideInAnotherGroup) {
  SubmissionLimits limits{60, 0.2};
  limits.sandboxed = false;
  expectFault(load(library("moves", "setpgid(0, getpgid(getppid())); for (;;) pause();"), limits),
              Kind::kHang, "0.2 s");
}

TEST_F(Submissions, ThatCannotBeLoadedAreBadInput) {
  const auto expectUnloadable = [](const std::string& path, const std::string& words) {
    expectError(ErrorCode::kInput, path, words, [&] { load(path); });
    EXPECT_EQ(0, Process::running());
  };
  writeBytes(dir_ / "text.so", "not a library");
  expectUnloadable(dir_ / "text.so", "loaded short");
  expectUnloadable(dir_ / "none.so", "read");
  ASSERT_EQ(0, mkfifo((dir_ / "pipe.so").c_str(), 0600));  // nobody writes to it
  std::filesystem::create_symlink("/dev/zero", dir_ / "zeros.so");
  for (const std::string name : {"pipe.so", "zeros.so"}) {
    expectUnloadable(dir_ / name, "not a regular file");
  }
  expectUnloadable(library("other", "", "#define apsp apps"), "apsp(int n, int*");
  expectUnloadable(library("undefined", "apspRef(n, graph);", "void apspRef(int, int*);"),
                   "apspRef");
}

/// Their code has run. What it says of this machine need not be true.
TEST_F(Submissions, ThatFailWhileTheyAreLoadedAreFaults) {
  const auto expectNotLoaded = [](const std::string& words, const auto& load) {
    try {
      load();
      ADD_FAILURE() << "no fault";
    } catch (const SolveFault& fault) {
      EXPECT_EQ(Kind::kNotLoaded, fault.kind);
      expectError(ErrorCode::kMismatch, "cannot be loaded", words, [&] { throw fault; });
    }
    EXPECT_EQ(0, Process::running());
  };
  expectNotLoaded("code 4",
                  [path = library("early", "", "static int now = (exit(4), 1);")] { load(path); });
  const std::string forged = library("forged", "", inConstructor("reply(Reply::kCudaError);")),
                    full = library("full", "", inConstructor("reply(Reply::kNoMemory);")),
                    aborts = library("aborts", "abort();");
  expectNotLoaded("CUDA error", [&] { load(forged); });
  expectNotLoaded(full, [&] { load(full); });
  const Solver kernel = load(aborts);
  expectFault(kernel, Kind::kCrash, "SIGABRT");
  fs::rename(forged, aborts);  // its second worker says it
  expectNotLoaded("CUDA error", [&] { solve(kernel, 5); });
  std::ofstream(aborts) << "not a library";
  EXPECT_THROW(solve(kernel, 5), SolveFault) << "in a call this does not stop the other solvers";
}

/// A GPU, where there is none.
TEST_F(Submissions, WhoseWorkersCannotStartAreNotToBlame) {
  class NoGpu : public LikeTheCpu {
    DeviceKind kind() const override { return DeviceKind::kGpu; }
  };
  std::string why;
  if (findGpu(why) != nullptr) GTEST_SKIP() << "needs a machine without a GPU";
  SubmissionLimits limits;
  limits.subtractsCost = false;
  const NoGpu device;
  const std::string right = library("right", kSolver);
  expectError(ErrorCode::kGpu, right, "its worker cannot start",
              [&] { loadSubmission(right, device, limits); });
}

// ---- how long they may hold up this program ----------------------------------------------------

TEST(Patience, EndsByTimeInWhichOnlyTheSubmissionComputed) {
  Patience patience{1};
  patience.passed(100, 0, 0);    // this program was stopped, or other processes computed
  patience.passed(100, 100, 9);  // it computed
  patience.passed(0.1, 0.2, 9);  // clocks differ a little
  EXPECT_EQ(0, patience.hindered);
  patience.passed(2, 1.5, 200);  // many threads
  EXPECT_EQ(0.5, patience.hindered);
  patience.passed(2, 0, 0.25);
  EXPECT_EQ(0.75, patience.hindered);
  EXPECT_EQ(1, patience.left()) << "of waiting";
  patience.waited = 3;
  EXPECT_EQ(0, patience.left());
}

/// Each of its workers lets this program wait once and then ends. Two solvers of the file share it,
/// too: a check loads some files again.
TEST_F(Submissions, ShareOurPatienceAmongTheirWorkers) {
  const std::string path = library("ends", "", inConstructor(R"(
    reply(Reply::kLoaded);
    receive();
    reply(Reply::kReady);
    receive();
    reply(Reply::kReturned);
    usleep(500000);
    reply(Reply::kDone);
    receive();
    _exit(0);)"));
  expectWaits(load(path, {60, 0.1}), load(path, {60, 0.1}));
}

/// The first time is free: a library may be large.
TEST_F(Submissions, MayNotBeLoadedSlowlyAgainAndAgain) {
  const std::string path = library("slow", "abort();", "static int now = usleep(700000);");
  const SubmissionLimits limits{60, 0.1};
  const Solver kernel = load(path, limits);
  expectWaits(kernel, kernel);
}

/// A program may write as fast as this one reads.
TEST(Output, IsReadInParts) {
  const TempDir dir;
  Process writes({"/usr/bin/env", "python3", "-c",
                  "import fcntl, sys, time; fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20); "
                  "sys.stdout.write('x' * (1 << 20)); sys.stdout.flush(); "
                  "open(sys.argv[1], 'w').close(); time.sleep(60)",
                  dir / "written"});
  while (!fs::exists(dir / "written")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  for (int part = 0; part < 2; ++part) EXPECT_NE("", writes.takeOutput()) << part;
}

/// How a worker takes part in a call that this process makes, between and after.
class Hindered : public Submissions {
 protected:
  static void exchange(WorkerChannel& channel) {
    int graph[] = {0};
    channel.prepare(1, 1);
    channel.solve(1, graph, 10);
  }

  Patience patience_{100};
};

TEST_F(Hindered, BetweenCallsTooLongIsTooSlow) {
  WorkerChannel channel(cpuDevice, {WorkerTask::kLibrary, library("right", kSolver), true},
                        patience_);
  exchange(channel);
  patience_.hindered = 101;
  try {
    exchange(channel);
    ADD_FAILURE() << "no fault";
  } catch (const WorkerFailure& failure) {
    EXPECT_EQ(Kind::kSlow, failure.kind);
    EXPECT_NE(std::string::npos, failure.text.find("from working for 101 s between its calls"));
  }
}

/// What its threads compute between two calls counts, unless they are stopped there.
TEST_F(Hindered, BetweenCallsItCounts) {
  const std::string path = library("burns", "", R"(
    #include <thread>
    static int now = (std::thread([] { for (;;) continue; }).detach(), 1);)");
  WorkerChannel channel(cpuDevice, {WorkerTask::kLibrary, path, true}, patience_);
  exchange(channel);
  const double before = Process::cpuSecondsOfRunning();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double burnt = Process::cpuSecondsOfRunning() - before;
  exchange(channel);
  EXPECT_LE(burnt - 0.2, patience_.hindered);
}

TEST_F(Submissions, OfOtherKindsAreUsageErrors) {
  for (const char* name : {"x.cu", "./x", "x.py"})
    expectError(ErrorCode::kUsage, name, ".cpp", [&] { load(name); });
  EXPECT_EQ("apsp", chooseSolver("apsp", cpuDevice).name);
  EXPECT_THROW(chooseSolver("nosuch", cpuDevice), Error);
}

// ---- compiling --------------------------------------------------------------------------------

/// The option for a compute capability that old and new compilers know.
const std::vector<std::string> kOptions = {"-arch=sm_80"};

class Building : public Submissions {
 protected:
  void SetUp() override {
    if (std::system(
            "PATH=$CUDA_HOME/bin:$PATH:/usr/local/cuda/bin nvcc --version > /dev/null 2>&1"))
      GTEST_SKIP() << "needs nvcc";
    setenv("XDG_CACHE_HOME", dir_.path.c_str(), 1);
  }
  void TearDown() override { unsetenv("XDG_CACHE_HOME"); }

  std::string source(const std::string& name, const std::string& text) {
    writeBytes(dir_ / name, text);
    return dir_ / name;
  }
};

const char kCudaSolver[] = R"(#include "apsp.h"
#include "cuda_utils.h"
__global__ void relax(int n, int k, int* graph) {
  const int i = blockIdx.x, j = threadIdx.x;
  graph[i * n + j] = min(graph[i * n + j], graph[i * n + k] + graph[k * n + j]);
}
void apsp(int n, int* graph) {
  for (int k = 0; k < n; ++k) relax<<<n, n>>>(n, k, graph);
  CHK_CUDA_ERR(cudaGetLastError());
}
)";

TEST_F(Building, KeepsTheLibrary) {
  const std::string path = source("a b.cu", kCudaSolver);
  const Library first = build(path, kOptions, 120);
  EXPECT_EQ(0u, first.path.find(dir_ / "apsp/")) << first.path;
  EXPECT_EQ(64u, std::filesystem::path(first.path).stem().string().size()) << first.path;
  EXPECT_EQ(nullptr, first.folder);
  const auto written = std::filesystem::last_write_time(first.path);
  const Library second = build(source("copy.cu", kCudaSolver), kOptions, 120);
  EXPECT_EQ(first.path, second.path);
  EXPECT_EQ(written, std::filesystem::last_write_time(first.path));
  // The library, its digest and the lock.
  EXPECT_EQ(3, std::distance(std::filesystem::directory_iterator(dir_ / "apsp"), {}));
  EXPECT_EQ(contentHash(path), first.content);
}

TEST_F(Building, FindsAKeptLibraryAgainUnlessSomebodyChangedIt) {
  const Library built = build(source("x.cu", kCudaSolver), kOptions, 120);
  const auto found = keptLibrary(built);
  ASSERT_TRUE(found);
  EXPECT_EQ(built.path, found->path);
  EXPECT_EQ(built.content, found->content);

  const std::filesystem::path from = built.path, to = dir_ / "elsewhere.so";
  std::filesystem::copy_file(from, to);
  std::filesystem::copy_file(std::filesystem::path(from).replace_extension(".sha256"),
                             std::filesystem::path(to).replace_extension(".sha256"));
  EXPECT_FALSE(keptLibrary({to.string(), built.content})) << "others could have put it there";

  writeBytes(built.path, readBytes(built.path) + "more");
  EXPECT_FALSE(keptLibrary(built));
  std::filesystem::remove(from);
  EXPECT_FALSE(keptLibrary(built));
}

/// A worker may open a library by its name as soon as build() has returned. Therefore no other
/// build of the same source may replace it.
TEST_F(Building, DoesNotReplaceALibraryOfTheSameSource) {
  const std::string paths[] = {source("one.cu", kCudaSolver), source("two.cu", kCudaSolver)};
  ino_t built[2] = {};
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2; ++i) {
    struct stat status {};
    EXPECT_EQ(0, stat(build(paths[i], kOptions, 120).path.c_str(), &status));
    built[i] = status.st_ino;
  }
  EXPECT_EQ(built[0], built[1]);
}

TEST_F(Building, DoesNotUseALibraryThatSomebodyChanged) {
  const std::string path = source("x.cu", kCudaSolver);
  const Library first = build(path, kOptions, 120);
  const std::string bytes = readBytes(first.path);
  writeBytes(first.path, bytes + "more");
  EXPECT_EQ(first.path, build(path, kOptions, 120).path);
  EXPECT_EQ(bytes.size(), readBytes(first.path).size());
}

/// A library that fills memory is another one than the library that is timed.
TEST_F(Building, FillsMemoryOnDemand) {
  const std::string path = source("x.cu", kCudaSolver);
  const Library usual = build(path, kOptions, 120), fills = build(path, kOptions, 120, true, true);
  EXPECT_NE(usual.path, fills.path);
  EXPECT_EQ(usual.content, fills.content);
  const auto has = [](const Library& library, const char* name) {
    return readBytes(library.path).find(name) != std::string::npos;
  };
  for (const char* name : {"apspFillMemory", "__wrap_cudaMalloc"}) {
    EXPECT_TRUE(has(fills, name)) << name;
    EXPECT_FALSE(has(usual, name)) << name;
  }
}

/// What the compiler reads is known even if no search for #include "name" finds it.
TEST_F(Building, KnowsAllFilesThatTheCompilerReads) {
  const std::string path =
      source("a.cu", std::string("#define HEADER \"a b.h\"\n#include HEADER\n") +
                         "#include <dir/c.h>\n" + kCudaSolver);
  std::filesystem::create_directory(dir_ / "dir");
  writeBytes(dir_ / "a b.h", "#include \"dir/c.h\"\n");
  writeBytes(dir_ / "dir/c.h", "#pragma once\nint c;\n");
  expectError(ErrorCode::kInput, path, "dir/c.h", [&] { build(path, kOptions, 120); });
  writeBytes(path, std::string("#define HEADER \"a b.h\"\n#include HEADER\n") + kCudaSolver);
  const Library first = build(path, kOptions, 120);
  writeBytes(dir_ / "dir/c.h", "#pragma once\nint d;\n");
  const Library second = build(path, kOptions, 120);
  EXPECT_NE(first.path, second.path);
  EXPECT_NE(first.content, second.content);
  writeBytes(dir_ / "none.h", "");
  EXPECT_EQ(second.content, contentHash(path));
  writeBytes(dir_ / "apsp.h", "void apsp(int, int*);\n");  // in place of ours
  EXPECT_NE(second.content, contentHash(path));
}

/// The compiler reads other files for another GPU, for the GPU than for the host, and if it
/// optimises.
TEST_F(Building, KnowsFilesThatOnlySomeCompilationsRead) {
  int turn = 0;
  for (const char* condition : {"__CUDA_ARCH_LIST__ == 800", "defined(__CUDA_ARCH__)",
                                "!defined(__CUDA_ARCH__)", "defined(__OPTIMIZE__)"}) {
    if (!takes(++turn, 2)) continue;
    SCOPED_TRACE(condition);
    const std::string path = source(
        "a.cu", std::string("#if ") + condition + "\n#include \"only.h\"\n#endif\n" + kCudaSolver);
    writeBytes(dir_ / "only.h", "#define ONLY 1\n");
    const Library first = build(path, kOptions, 120);
    writeBytes(dir_ / "only.h", "#define ONLY 2\n");
    EXPECT_NE(first.path, build(path, kOptions, 120).path);
  }
}

/// Links within the folder and to the system work, and so do two headers of the same text: their
/// times tell the compiler that they are not one.
TEST_F(Building, TakesAllFilesOfItsFolder) {
  for (const char* folder : {"a", "b", "..c"}) {
    fs::create_directories(dir_ / ("hand-in/" + std::string(folder)));
    writeBytes(dir_ / ("hand-in/" + std::string(folder) + "/all.h"),
               "#pragma once\n#include \"own.h\"\n");
  }
  writeBytes(dir_ / "hand-in/a/own.h", "const int one = 1;\n");
  writeBytes(dir_ / "hand-in/b/own.h", "const int two = one + 1;\n");
  writeBytes(dir_ / "hand-in/..c/own.h", "const int three = one + two;\n");
  const auto now = fs::last_write_time(dir_ / "hand-in/a/all.h");
  fs::last_write_time(dir_ / "hand-in/b/all.h", now - std::chrono::hours(1));
  fs::last_write_time(dir_ / "hand-in/..c/all.h", now - std::chrono::hours(2));
  fs::create_directory_symlink("b", dir_ / "hand-in/link");
  fs::create_symlink("/usr/include/limits.h", dir_ / "hand-in/system.h");
  const std::string path =
      source("hand-in/a.cu", std::string("#include \"a/all.h\"\n#include \"link/all.h\"\n"
                                         "#include \"..c/all.h\"\n#include \"system.h\"\n") +
                                 kCudaSolver + "const int sum = three;\n");
  EXPECT_NO_THROW(build(path, kOptions, 120));
}

TEST_F(Building, ReadsNoOtherFiles) {
  std::filesystem::create_directory(dir_ / "bob");
  std::filesystem::create_directory(dir_ / "alice");
  writeBytes(dir_ / "bob/apsp.cu", kCudaSolver);
  writeBytes(dir_ / "alice/data.txt", "not listed by the compiler");
  std::filesystem::create_symlink(dir_ / "bob/apsp.cu", dir_ / "alice/bobs.h");
  const std::string solver = kCudaSolver;
  for (const std::string& file :
       {std::string("../bob/apsp.cu"), std::string("bobs.h"), dir_ / "bob/apsp.cu"}) {
    SCOPED_TRACE(file);
    expectError(ErrorCode::kInput, "alice/apsp.cu", "compile", [&] {
      build(source("alice/apsp.cu", "#include \"" + file + "\"\n"), kOptions, 120);
    });
  }
  for (const std::string file : {"/etc/passwd", "data.txt"}) {
    SCOPED_TRACE(file);
    expectError(ErrorCode::kInput, "alice/apsp.cu", "compile", [&] {
      build(source("alice/apsp.cu",
                   solver + "void f() { asm volatile(\".section .rodata\\n.incbin \\\"" + file +
                       "\\\"\\n.text\"); }\n"),
            kOptions, 120);
    });
  }
  EXPECT_NO_THROW(
      build(source("alice/apsp.cu", "#include \"../bob/apsp.cu\"\n"), kOptions, 120, false));
}

TEST_F(Building, TakesAllSubmissionsOfTheTests) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/submissions"))
    if (entry.path().extension() == ".cu") paths.push_back(entry.path().string());
  EXPECT_FALSE(paths.empty());
  std::sort(paths.begin(), paths.end());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t at = 0; at < paths.size(); ++at) {
    if (!takes(static_cast<int>(at), 3)) continue;
    EXPECT_NO_THROW(build(paths[at], kOptions, 120)) << paths[at];
  }
}

TEST_F(Building, ShowsTheCompilersFirstError) {
  const std::string path = source("bad.cu", "#include <cstdio>\nvoid apsp(int n) { return 1 }\n");
  expectError(ErrorCode::kInput, path, "compile " + path + "(2): error",
              [&] { build(path, kOptions, 120); });
  try {
    build(path, kOptions, 120);
  } catch (const BuildError& error) {
    EXPECT_NE(std::string::npos, error.log.find("2 errors detected")) << error.log;
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "apsp"));
}

TEST_F(Building, HasLimitedTime) {
  const std::string path = source("slow.cu", R"(
      template <int N, int M> struct Slow { static const int v = Slow<N - 1, 2 * M>::v + Slow<N - 1, 2 * M + 1>::v; };
      template <int M> struct Slow<0, M> { static const int v = M; };
      void apsp(int, int* graph) { graph[0] = Slow<25, 1>::v; })");
  expectError(ErrorCode::kInput, path, "0.5 s", [&] { build(path, kOptions, 0.5); });
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "apsp"));
}

TEST_F(Building, RemovesWhatAKilledCompilationLeft) {
  const std::string path = source("x.cu", kCudaSolver);
  const fs::path cache = dir_ / "apsp";
  const auto entries = [&] {
    std::error_code missing;
    return std::distance(fs::directory_iterator(cache, missing), {});
  };
  const pid_t child = fork();
  if (child == 0) {
    build(path, kOptions, 120);
    _exit(0);
  }
  while (entries() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the compiler runs
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(1, entries());
  build(path, kOptions, 120);
  EXPECT_EQ(3, entries()) << "the library, its digest and the lock";
}

TEST_F(Building, WorksWithoutACache) {
  writeBytes(dir_ / "apsp", "a file where the folder should be");
  Library library = build(source("x.cu", kCudaSolver), kOptions, 120);
  EXPECT_TRUE(std::filesystem::exists(library.path));
  library.folder = nullptr;
  EXPECT_FALSE(std::filesystem::exists(library.path));
}

// ---- source for host memory -------------------------------------------------------------------

class HostSource : public Submissions {
 protected:
  void SetUp() override { setenv("XDG_CACHE_HOME", dir_.path.c_str(), 1); }
  void TearDown() override { unsetenv("XDG_CACHE_HOME"); }

  std::string source(const std::string& name, const std::string& before = "",
                     const std::string& after = "") {
    writeBytes(dir_ / name, before + R"(
        #include "apsp.h"
        void apsp(int n, int* graph) {
          for (int k = 0; k < n; ++k)
            for (int i = 0; i < n; ++i)
              for (int j = 0; j < n; ++j)
                if (graph[i * n + k] + graph[k * n + j] < graph[i * n + j])
                  graph[i * n + j] = graph[i * n + k] + graph[k * n + j];
        })" + after);
    return dir_ / name;
  }
};

TEST_F(HostSource, IsCompiledAndSolves) {
  for (const char* name : {"a b.cpp", "c$d.cc", "e.cxx", "f.c"}) {
    SCOPED_TRACE(name);
    const Solver kernel = load(source(name));
    std::vector<int> graph;
    solve(kernel, 9, graph);
    for (int i = 0; i < 9; ++i)
      for (int j = 0; j < 9; ++j)
        EXPECT_EQ((j - i + 9) % 9, graph[static_cast<std::size_t>(9 * i + j)]);
    EXPECT_EQ(contentHash(dir_ / name), submitted(kernel).version);
  }
}

TEST_F(HostSource, HasOpenMPAndTheProcessorsInstructionsUnlessOtherOptionsAreGiven) {
  const std::string wants = "#ifndef _OPENMP\n#error no OpenMP\n#endif\n";
  const std::string path = source("x.cpp", wants);
  const Library usual = build(path, {}, 120);
  EXPECT_EQ(usual.path, build(path, {"-O3", "-march=native", "-fopenmp"}, 120).path);
  SubmissionLimits limits;
  limits.cxxFlags = " -O1  -g ";
  expectError(ErrorCode::kInput, path, "no OpenMP", [&] { load(path, limits); });
  const std::string plain = source("y.cpp");
  const Library first = build(plain, {}, 120), other = build(plain, {"-O1"}, 120);
  EXPECT_NE(first.path, other.path);
  EXPECT_NE(first.content, other.content) << "times with other options are other times";
  EXPECT_EQ(other.content, contentHash(plain, {"-O1"}));
}

TEST_F(HostSource, ReadsNothingButItsFolder) {
  fs::create_directories(dir_ / "alice/sub");
  fs::create_directory(dir_ / "bob");
  writeBytes(dir_ / "bob/rival.h", "int rival;\n");
  writeBytes(dir_ / "alice/data.txt", "not listed by the compiler");
  writeBytes(dir_ / "alice/sub/own.h", "int own;\n");
  fs::create_symlink(dir_ / "bob/rival.h", dir_ / "alice/linked.h");
  EXPECT_NO_THROW(build(source("alice/apsp.cpp", "#include \"sub/own.h\"\n"), {}, 120));
  const std::string rival = dir_ / "bob/rival.h";
  for (const std::string& file : {std::string("../bob/rival.h"), std::string("linked.h"), rival,
                                  std::string("/etc/passwd"), std::string("/proc/self/environ")}) {
    SCOPED_TRACE(file);
    expectError(ErrorCode::kInput, "alice/apsp.cpp", "compile",
                [&] { build(source("alice/apsp.cpp", "#include \"" + file + "\"\n"), {}, 120); });
    expectError(ErrorCode::kInput, "alice/apsp.cpp", "compile", [&] {
      build(source("alice/apsp.cpp", "#define FILE_ \"" + file + "\"\n#include FILE_\n"), {}, 120);
    });
    // An assembler may read its own few variables.
    for (const char* directive : {".incbin", ".include"})
      if (file.rfind("/proc", 0) != 0)
        expectError(ErrorCode::kInput, "alice/apsp.cpp", "compile", [&] {
          build(source("alice/apsp.cpp", "",
                       std::string("\nasm(\".section .rodata\\n") + directive + " \\\"" + file +
                           "\\\"\\n.text\");\n"),
                {}, 120);
        });
    // To ask whether it is there tells nothing: no, or an error that says the same of all files.
    if (file[0] == '/' && file.rfind("/proc", 0) != 0) {
      try {
        build(source("alice/apsp.cpp",
                     "#if __has_include(\"" + file + "\")\n#error it is there\n#endif\n"),
              {}, 120);
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find("it is there"), std::string::npos);
      }
    }
  }
  expectError(ErrorCode::kInput, "alice/apsp.cpp", "compile", [&] {
    build(source("alice/apsp.cpp", "", "\nasm(\".incbin \\\"data.txt\\\"\");\n"), {}, 120);
  });
}

/// Options that a source could set would load code into the compiler, or write files.
TEST_F(HostSource, CannotChangeTheCompilersOptions) {
  for (const char* pragma : {"#pragma GCC optimize(\"-fplugin=./evil.so\")",
                             "#pragma GCC target(\"-fplugin=./evil.so\")"}) {
    SCOPED_TRACE(pragma);
    writeBytes(dir_ / "evil.so", "no plugin, therefore loading it would be an error");
    try {
      build(source("x.cpp", std::string(pragma) + "\n"), {}, 120);
    } catch (const BuildError& error) {
      EXPECT_EQ(std::string::npos, error.log.find("cannot load plugin")) << error.log;
    }
  }
}

TEST_F(HostSource, HasLimitedTimeAndSize) {
  const std::string slow = source("slow.cpp", R"(
      constexpr long f(long n) { long s = 0; for (long i = 0; i < 200000; ++i) s += i ^ n; return s; }
      template <long N> struct Slow { static constexpr long v = f(N) + Slow<N - 1>::v; };
      template <> struct Slow<0> { static constexpr long v = 0; };
      long slow = Slow<800>::v;)");
  expectError(ErrorCode::kInput, slow, "took more than 1 s", [&] { build(slow, {}, 1); });
  const std::string large = source("large.cpp", "char zeros[1L << 33] = {1};");
  expectError(ErrorCode::kInput, large, "compil", [&] { build(large, {}, 60); });
}

TEST_F(HostSource, ShowsTheCompilersFirstError) {
  const std::string path = source("bad.cpp", "", "\nint f() { return x; }\n");
  expectError(ErrorCode::kInput, path,
              "does not compile: " + path + ":10:18: error: ", [&] { build(path, {}, 120); });
}

// ---- memory of a device that a worker keeps ---------------------------------------------------

/// The body of a worker that answers in our worker's place from its first call on: each call has
/// taken 8 MiB of device memory. A real one sees that, too, if another process took them.
const char kSeesLess[] = R"(
  for (;;) {
    reply(Reply::kReturned, 8 << 20);
    reply(Reply::kDone, 8 << 20);
    while (receive().step == Request::kPrepare) reply(Reply::kReady);
  })";

/// The CPU as if it were a GPU, where a worker and another process take memory while calls run.
class BusyDevice : public LikeTheCpu {
 public:
  long long byWorker = 0, byOther = 0;  ///< bytes that each takes in a call
  mutable long long othersBytes = 0;    ///< that the other process has
  bool otherEnds = false;               ///< it ends when the worker does
  bool otherIsBusy = false;             ///< it takes memory while no worker runs, too
  int otherUsers = 0;                   ///< that the driver tells; 0: it tells nothing

  Clocks clocks() const override {
    Clocks clocks;
    clocks.seesUsers = otherUsers > 0;
    clocks.otherUsers = otherUsers + Process::running();
    return clocks;
  }
  std::size_t heldBytes() const override {
    constexpr long long kContext = 500 << 20;
    const bool runs = Process::running() > 0;
    if (!runs) workers_ = 0;
    if (!runs && otherIsBusy) ++othersBytes;
    return static_cast<std::size_t>(shared_ + (runs ? kContext + workers_ : 0) +
                                    (runs || !otherEnds ? othersBytes : 0));
  }
  std::unique_ptr<SharedWords> share(std::size_t count) const override {
    return std::make_unique<Counted>(cpuDevice.share(count), shared_);
  }

  /// What happens while a call runs.
  void copy(void* to, const void* from, std::size_t bytes) const override {
    cpuDevice.copy(to, from, bytes);
    back_ = !back_;
    if (back_) return;
    workers_ += byWorker;
    othersBytes += byOther;
  }

 private:
  /// Shared memory whose bytes count as long as it lives.
  class Counted : public SharedWords {
   public:
    Counted(std::unique_ptr<SharedWords> words, long long& bytes)
        : words_(std::move(words)), bytes_(bytes) {
      size_ = words_->size();
      data_ = words_->data();
      descriptor_ = words_->descriptor();
      bytes_ += static_cast<long long>(size_ * sizeof(int));
    }
    ~Counted() override { bytes_ -= static_cast<long long>(size_ * sizeof(int)); }

   private:
    std::unique_ptr<SharedWords> words_;
    long long& bytes_;
  };

  mutable long long shared_ = 0, workers_ = 0;
  mutable bool back_ = false;
};

class MemoryOfWorkers : public Submissions {
 protected:
  MemoryOfWorkers() {
    SubmissionLimits limits;
    limits.subtractsCost = false;
    kernel_ = loadSubmission(library("keeps", kSeesLess, kProtocol), device_, limits);
  }

  void callsPass(int calls, int n = 5) {
    for (int call = 0; call < calls; ++call) solve(kernel_, n);
  }

  BusyDevice device_;
  Solver kernel_;
};

TEST_F(MemoryOfWorkers, IsALeakIfItComesBackWithTheirEnd) {
  device_.byWorker = 8 << 20;
  callsPass(3);
  try {
    solve(kernel_, 5);
    ADD_FAILURE() << "no fault";
  } catch (const SolveFault& fault) {
    EXPECT_EQ(kernel_.name + ": call 4 (n = 5): keeps device memory: 25.2 MB in 3 calls",
              std::string(fault.what()));
    EXPECT_EQ(Kind::kLeak, fault.kind);
  }
}

TEST_F(MemoryOfWorkers, IsALeakWhateverTheSharedMatrixTakes) {
  device_.byWorker = 8 << 20;
  for (const int n : {100, 2000, 3000}) callsPass(1, n);
  expectFault(kernel_, Kind::kLeak, "call 4 25.2 MB", 4000);
}

TEST_F(MemoryOfWorkers, IsALeakAlthoughOthersTakeALittle) {
  device_.byWorker = 7 << 20;
  device_.byOther = 1 << 20;
  callsPass(3);
  expectFault(kernel_, Kind::kLeak, "call 4 25.2 MB");
}

TEST_F(MemoryOfWorkers, IsNotWhatOthersTake) {
  device_.byOther = 8 << 20;
  callsPass(4);
  EXPECT_EQ(0, Process::running()) << "the worker ended to show whose memory it is";
  callsPass(3);
  EXPECT_EQ(1, Process::running()) << "the next call has another one";
  callsPass(5);
  std::swap(device_.byOther, device_.byWorker);
  callsPass(3);
  expectFault(kernel_, Kind::kLeak, "call 16 25.2 MB");
}

TEST_F(MemoryOfWorkers, IsNotLookedForWithoutEnd) {
  device_.byOther = 8 << 20;
  for (int worker = 0; worker < 8; ++worker) {
    callsPass(4);
    EXPECT_EQ(0, Process::running()) << worker;
  }
  callsPass(4);
  EXPECT_EQ(1, Process::running()) << "starting workers takes long";
}

TEST_F(MemoryOfWorkers, IsNotWhatOthersGiveBack) {
  device_.byOther = 8 << 20;
  device_.othersBytes = 500 << 20;
  device_.otherEnds = true;
  callsPass(4);
  EXPECT_EQ(0, Process::running());
}

TEST_F(MemoryOfWorkers, IsNoLeakIfOthersTakeMemoryNow) {
  device_.byWorker = 8 << 20;
  device_.otherIsBusy = true;
  callsPass(4);
  EXPECT_EQ(0, Process::running());
  device_.otherIsBusy = false;
  callsPass(3);
  expectFault(kernel_, Kind::kLeak, "call 8 25.2 MB");
}

TEST_F(MemoryOfWorkers, IsNoMatterIfTheDriverNamesOthers) {
  device_.byWorker = 8 << 20;
  device_.otherUsers = 1;
  callsPass(8);
  EXPECT_EQ(1, Process::running()) << "no worker ended for that";
}

// ---- what a submission leaves behind that never ran --------------------------------------------

/// The CPU as a device that throws when it is asked for its memory in use: before a worker is
/// started (0), or after it has loaded its library (1).
class ThrowingDevice : public LikeTheCpu {
 public:
  ThrowingDevice(int after, std::function<void()> fail) : left_(after), fail_(std::move(fail)) {}
  std::size_t heldBytes() const override {
    if (left_-- == 0) fail_();
    return 0;
  }

 private:
  mutable int left_;
  const std::function<void()> fail_;
};

/// Named otherwise than Submissions: `make sanitize` runs these.
class UnloadableSubmissions : public Submissions {
 protected:
  /// Expects that `load` throws, and that other files can be loaded and solve afterwards.
  template <class Load>
  void expectNothingLeft(const std::string& name, const Load& load) {
    SCOPED_TRACE(name);
    EXPECT_ANY_THROW(load());
    EXPECT_EQ(0, Process::running());
    for (const std::string& path : {first_, second_}) {
      std::vector<int> graph;
      solve(::load(path), 5, graph);
      EXPECT_EQ(4, graph[4]);
    }
    EXPECT_EQ(0, Process::running());
  }

  const std::string first_ = library("first", kRingDistances),
                    second_ = library("another", kRingDistances);
};

TEST_F(UnloadableSubmissions, LeaveNothingBehind) {
  writeBytes(dir_ / "text.so", "not a library");
  const struct {
    const char *name, *before;
  } rows[] = {{"exits", "static int now = (exit(4), 1);"},
              {"crashes", "static int now = raise(SIGSEGV);"},
              {"throws", "static int now = (throw std::bad_alloc(), 1);"},
              {"undefined", "void missing(); static int now = (missing(), 1);"}};
  expectNothingLeft("text", [&] { ::load(dir_ / "text.so"); });
  for (const auto& row : rows)
    expectNothingLeft(row.name, [&, path = library(row.name, "", row.before)] { ::load(path); });
}

TEST_F(UnloadableSubmissions, LeaveNothingBehindIfWeFail) {
  SubmissionLimits limits;
  limits.subtractsCost = false;
  for (const int after : {0, 1}) {
    const ThrowingDevice lost(after, [] { throw Error(ErrorCode::kGpu, "the device is lost"); });
    expectNothingLeft("lost", [&] { loadSubmission(first_, lost, limits); });
    const ThrowingDevice full(after, [] { throw std::bad_alloc(); });
    expectNothingLeft("full", [&] { loadSubmission(first_, full, limits); });
  }
}

TEST_F(UnloadableSubmissions, LeaveNothingBehindIfFilesAreShort) {
  SubmissionLimits limits;
  limits.subtractsCost = false;
  const Library found = libraryOf(first_, cpuDevice, limits);
  const auto loadFound = [&] { loadSubmission(first_, found, cpuDevice, limits); };
  loadFound();  // UBSan takes a descriptor when it first sees the class of an object
  EXPECT_THROW(::load(dir_ / "none.so"), Error);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int lowest = dup(STDERR_FILENO);
  close(lowest);
  for (const int files : {1, 3}) {  // none for the socket, none for the worker's output
    const rlimit few = {static_cast<rlim_t>(lowest + files), before.rlim_max};
    expectNothingLeft(std::to_string(files), [&] {
      setrlimit(RLIMIT_NOFILE, &few);
      const auto restore = [&](rlimit*) { setrlimit(RLIMIT_NOFILE, &before); };
      const std::unique_ptr<rlimit, decltype(restore)> later(&before, restore);
      loadFound();
    });
  }
}

TEST_F(UnloadableSubmissions, LeaveNothingBehindInALaterCall) {
  const std::string path = library("aborts", "abort();");
  const Solver kernel = ::load(path);
  expectFault(kernel, Kind::kCrash, "SIGABRT");
  std::filesystem::remove(path);
  expectNothingLeft("removed", [&] { solve(kernel, 5); });
  const SmallDevice small(0);  // has no room for the graph that measures the cost of a call
  expectNothingLeft("unmeasured", [&] { solve(loadSubmission(first_, small), 5); });
}

// ---- on the GPU -------------------------------------------------------------------------------

class GpuSubmissions : public Building {
 protected:
  void SetUp() override {
    std::string why;
    gpu_ = findGpu(why);
    if (gpu_ == nullptr) GTEST_SKIP() << "no GPU: " << why;
    Building::SetUp();
  }

  /// Compiles and loads a submission whose apsp() has this body.
  Solver load(const std::string& name, const std::string& body) { return load(name, body, *gpu_); }
  Solver load(const std::string& name, const std::string& body, const Device& device) {
    const std::string path = source(name + ".cu", R"(#include "cuda_utils.h"
      __global__ void fill(int* element) { *element = threadIdx.x; }
      __global__ void spin(long long cycles) {
        const long long begin = clock64();
        while (clock64() - begin < cycles) continue;
      }
      void apsp(int n, int* graph) {
        )" + body + "\n}\n");
    SubmissionLimits limits{120, 5};
    limits.subtractsCost = false;  // otherwise a worker of ours runs, too
    return loadSubmission(path, device, limits);
  }

  const Device* gpu_ = nullptr;
};

TEST_F(GpuSubmissions, AreSolversLikeOthers) {
  std::string why;
  const Solver kernel = loadSubmission(source("right.cu", kCudaSolver), *findGpu(why));
  for (const int n : {7, 300, 1, 64}) {
    std::vector<int> graph;
    const Call call = solve(kernel, n, graph);
    EXPECT_GT(submitted(call).times.own, 0);
    EXPECT_GT(submitted(call).times.cost, 0);
    EXPECT_GE(call.milliseconds, 0);  // small graphs take less than the cost, which is subtracted
    for (int at = 0; at < n * n; ++at)
      ASSERT_EQ((at % n - at / n + n) % n, graph[static_cast<std::size_t>(at)]) << n;
  }
}

TEST_F(GpuSubmissions, AreReportedAsWhatTheyDid) {
  const struct {
    const char *name, *body;
    Kind kind;
    const char* words;
  } rows[] = {
      {"illegal", "fill<<<1, 1>>>(reinterpret_cast<int*>(8));", Kind::kCudaError,
       "cudaErrorIllegalAddress"},
      {"hang", "spin<<<1, 1>>>(1ll << 60);", Kind::kHang, "5 s"},
      {"before", "fill<<<1, 1>>>(graph - 1);", Kind::kOutOfBounds, "1 before 1 away"},
      {"after", "fill<<<1, 1>>>(graph + n * n + 31);", Kind::kOutOfBounds, "1 after 32 away"},
      {"checked", "CHK_CUDA_ERR(cudaMalloc(&graph, size_t{1} << 60));", Kind::kExit,
       "code 1 cudaErrorMemoryAllocation"},
      {"crash", "*graph = 0;", Kind::kCrash, "SIGSEGV"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Solver kernel = load(row.name, row.body);
    expectFault(kernel, row.kind, "call 1 n = 5 " + std::string(row.words));
    expectFault(kernel, row.kind, "call 2 n = 6 " + std::string(row.words), 6);
  }
}

TEST_F(GpuSubmissions, MayLeaveALaunchErrorBehind) {
  const Solver kernel =
      load("launch", "if (n < 7) fill<<<n < 6 ? 0 : 1, n < 6 ? 1 : 4096>>>(graph);");
  for (const int n : {5, 6, 7, 5}) {
    std::vector<int> graph;
    const std::string warning = submitted(solve(kernel, n, graph)).warning;
    if (n == 7) {
      EXPECT_EQ("", warning);
    } else {
      EXPECT_EQ(0u, warning.find("leaves a launch error behind: invalid ")) << warning;
      EXPECT_NE(std::string::npos, warning.find(" (cudaErrorInvalid")) << warning;
    }
  }
}

TEST_F(GpuSubmissions, FindFilledWhatTheyHaveNotSet) {
  const std::string path = source("unset.cu", R"(#include "cuda_utils.h"
      __global__ void peek(int* graph, const int* memory) {
        *graph = memory[77];
      }
      void apsp(int n, int* graph) {
        int *memory, *managed = nullptr, *ordered, *padded;
        size_t pitch;
        CHK_CUDA_ERR(cudaMalloc(&memory, 4096));
        CHK_CUDA_ERR(cudaMallocAsync(&ordered, 4096, 0));
        CHK_CUDA_ERR(cudaMallocPitch(&padded, &pitch, 100, 10));
        peek<<<1, 1>>>(graph, memory);
        cudaMallocManaged(&managed, 4096);  // not every machine has such memory
        cudaGetLastError();
        int* const others[] = {managed == nullptr ? memory : managed, ordered, padded};
        for (int at = 0; at < 3; ++at)
          CHK_CUDA_ERR(cudaMemcpy(graph + 1 + at, others[at] + 77, sizeof(int), cudaMemcpyDefault));
        for (int* each : {memory, managed, padded}) CHK_CUDA_ERR(cudaFree(each));
        CHK_CUDA_ERR(cudaFreeAsync(ordered, 0));
      })");
  SubmissionLimits limits{120, 5};
  limits.subtractsCost = false;
  for (const auto& [byte, expected] : {std::pair(0x00, 0), std::pair(0x3f, 0x3f3f3f3f)}) {
    limits.fill = static_cast<unsigned char>(byte);
    const Solver kernel = loadSubmission(path, *gpu_, limits);
    for (int call = 0; call < 2; ++call) {
      std::vector<int> graph;
      solve(kernel, 3, graph);
      for (std::size_t at = 0; at < 4; ++at) EXPECT_EQ(expected, graph[at]) << at;
    }
  }
}

TEST_F(GpuSubmissions, MayNotKeepMemory) {
  const Solver kernel = load("leak", "CHK_CUDA_ERR(cudaMalloc(&graph, 8 << 20));");
  for (int call = 1; call <= 3; ++call) solve(kernel, 5);
  expectFault(kernel, Kind::kLeak, "call 4 25.2 MB");
}

/// A GPU whose driver does not say who uses it. This process takes some of its memory while a
/// worker solves, as another one might.
class SharedGpu : public Like {
 public:
  explicit SharedGpu(const Device& gpu) : Like(gpu) {}
  Clocks clocks() const override { return {}; }
  void copy(void* to, const void* from, std::size_t bytes) const override {
    taken_.push_back(std::make_unique<DeviceElements>(*this, Dtype::kInt32, 2 << 20));
    Like::copy(to, from, bytes);
  }

 private:
  mutable std::vector<std::unique_ptr<DeviceElements>> taken_;
};

TEST_F(GpuSubmissions, MayNotKeepMemoryButOthersMay) {
  const SharedGpu gpu(*gpu_);
  const Solver kernel = load("innocent", "fill<<<1, 1>>>(graph);", gpu);
  for (int call = 1; call <= 4; ++call) solve(kernel, 5);
  EXPECT_EQ(0, Process::running()) << "the worker ended to show whose memory it is";
  for (int call = 5; call <= 9; ++call) solve(kernel, 5);
}

TEST_F(GpuSubmissions, MayKeepMemoryInTheDefaultPool) {
  const Solver kernel = load("pool", R"(
        cudaMemPool_t pool;
        CHK_CUDA_ERR(cudaDeviceGetDefaultMemPool(&pool, 0));
        unsigned long long all = ~0ull;
        CHK_CUDA_ERR(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
        CHK_CUDA_ERR(cudaMallocAsync(&graph, size_t(n) << 23, 0));
        CHK_CUDA_ERR(cudaFreeAsync(graph, 0));)");
  for (int n = 1; n <= 8; ++n) solve(kernel, n);
}

TEST_F(GpuSubmissions, AreTimedToTheEndOfAllStreams) {
  const Solver kernel = load("stream", R"(
        static cudaStream_t stream = nullptr;
        if (stream == nullptr)
          CHK_CUDA_ERR(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        spin<<<1, 1, 0, stream>>>(100000000);)");
  solve(kernel, 2);
  EXPECT_GT(solve(kernel, 2).milliseconds, 20);
}

// ---- files ------------------------------------------------------------------------------------

TEST_F(Submissions, HaveAnotherHashIfTheyOrTheirIncludedFilesChange) {
  writeBytes(dir_ / "a.cu", "#include \"b.h\"\n # include \"none.h\"\n#include <c.h>\n");
  writeBytes(dir_ / "b.h", "#include \"a.cu\"\nint b;\n");
  const std::string first = contentHash(dir_ / "a.cu");
  EXPECT_EQ(64u, first.size());
  writeBytes(dir_ / "c.h", "int c;\n");
  EXPECT_EQ(first, contentHash(dir_ / "a.cu"));
  writeBytes(dir_ / "b.h", "#include \"a.cu\"\nint d;\n");
  const std::string second = contentHash(dir_ / "a.cu");
  EXPECT_NE(first, second);
  writeBytes(dir_ / "none.h", "\n");
  EXPECT_NE(second, contentHash(dir_ / "a.cu"));
}

/// The compiler includes at most 200 files within each other. Then it does not list them.
TEST_F(Submissions, HaveAHashHoweverDeepTheyInclude) {
  constexpr int kHeaders = 20000;
  const auto header = [&](int i) { return "part" + std::to_string(i) + ".h"; };
  for (int i = 0; i < kHeaders; ++i)
    writeBytes(dir_ / header(i), "#include \"" + header(i + 1) + "\"\n");
  writeBytes(dir_ / "a.cu", "#include \"part0.h\"\n");
  const std::string before = contentHash(dir_ / "a.cu");
  writeBytes(dir_ / header(kHeaders), "\n");
  EXPECT_NE(before, contentHash(dir_ / "a.cu"));
}

}  // namespace
