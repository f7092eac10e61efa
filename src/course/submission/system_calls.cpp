#include "submission/system_calls.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <vector>

#include "base/error.h"

using namespace engine;

namespace {

// The rule of the tables: a call is forbidden if it can reach a file, a process, a user or a
// setting outside the submission's own process, and Landlock does not stop it on every kernel. The
// other calls are allowed, because a library may need them. Calls that are newer than the tables do
// not exist for a submission.

/// Whom a row binds.
enum Binds { kAll, kWorkers, kHostOnly };

/// What a submission tries by a call, if the parent hears of it; see listenToCalls().
constexpr char kWritesFiles[] = "to write a file", kConnects[] = "to open a socket",
               kStarts[] = "to start a process";

struct Forbidden {
  const char* reason;
  Binds binds;
  std::initializer_list<const char*> calls;
  const char* tries = nullptr;  // nullptr: nobody hears of it
};

const Forbidden kForbidden[] = {
    {"open connections; CUDA and the worker use descriptors that are open already",
     kAll,
     {"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4"},
     kConnects},
    {"send descriptors", kWorkers, {"sendmsg", "sendmmsg"}},
    {"signal other processes",
     kAll,
     {"tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "pidfd_send_signal"}},
    {"read or change other processes",
     kAll,
     {"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease",
      "pidfd_getfd", "kcmp", "migrate_pages"}},
    {"start processes", kWorkers, {"fork", "vfork", "execve", "execveat"}, kStarts},
    {"leave the process group, in which the parent kills it", kAll, {"setpgid", "setsid"}},
    {"change the priority of other processes", kAll, {"ioprio_set"}},
    {"use memory and messages that outlive the process",
     kAll,
     {"shmget", "shmat", "shmctl", "shmdt", "msgget", "msgsnd", "msgrcv", "msgctl", "semget",
      "semop", "semtimedop", "semctl", "mq_open", "mq_unlink", "mq_timedsend", "mq_notify",
      "mq_getsetattr", "mq_timedreceive"}},
    {"use keys of the user", kAll, {"add_key", "request_key", "keyctl"}},
    {"take memory that the parent does not count", kHostOnly, {"memfd_create", "memfd_secret"}},
    // A process may have millions of rules and filters. The kernel gives their memory to nobody, so
    // if it runs out of memory, it kills somebody else.
    {"take the kernel's memory by more rules",
     kWorkers,
     {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp"}},
    // Landlock leaves these to the file's permissions, on some kernels or on all.
    {"change files that cannot be opened",
     kWorkers,
     {"truncate",    "creat",        "chmod",        "fchmod",        "fchmodat",     "fchmodat2",
      "chown",       "fchown",       "lchown",       "fchownat",      "utime",        "utimes",
      "futimesat",   "utimensat",    "setxattr",     "lsetxattr",     "fsetxattr",    "setxattrat",
      "removexattr", "lremovexattr", "fremovexattr", "removexattrat", "file_setattr", "mkdir",
      "mkdirat",     "mknod",        "mknodat",      "rmdir",         "unlink",       "unlinkat",
      "rename",      "renameat",     "renameat2",    "link",          "linkat",       "symlink",
      "symlinkat"},
     kWritesFiles},
    {"watch files, or find them without their names",
     kAll,
     {"inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_init", "fanotify_mark",
      "name_to_handle_at", "open_by_handle_at"}},
    {"change what is mounted, or enter another namespace, where a process has more rights",
     kAll,
     {"mount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick",
      "move_mount", "open_tree", "open_tree_attr", "mount_setattr", "setns", "unshare"}},
    {"run code in the kernel, or large parts of it that had many errors",
     kAll,
     {"bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter",
      "io_uring_register", "init_module", "finit_module", "delete_module", "kexec_load",
      "kexec_file_load", "modify_ldt", "uselib", "vmsplice", "lsm_set_self_attr"}},
    {"change the machine",
     kAll,
     {"swapon", "swapoff", "reboot", "sethostname", "setdomainname", "settimeofday",
      "clock_settime", "adjtimex", "clock_adjtime", "syslog", "acct", "quotactl", "quotactl_fd",
      "iopl", "ioperm", "vhangup", "sync", "syncfs"}},
};

/// The last call of Linux 6.18, file_setattr. x86-64 and arm64 have the same numbers from 424 on.
constexpr int kNewest = 469, kNewestPossible = 600;

/// A call that is forbidden with some arguments only.
struct ForbiddenWith {
  const char* reason;
  Binds binds;
  const char* call;
  std::vector<scmp_arg_cmp> arguments;
  int error = EPERM;
  const char* tries = nullptr;  // as in Forbidden
};

scmp_arg_cmp is(unsigned argument, std::uint64_t mask, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}
/// The kernel reads an int; a submission may set the bits above it.
scmp_arg_cmp isInt(unsigned argument, unsigned value) {
  return is(argument, 0xffffffff, value);
}
scmp_arg_cmp isNot(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_NE, value, 0};
}

std::vector<ForbiddenWith> forbiddenWith() {
  const auto self = static_cast<std::uint64_t>(getpid());
  constexpr unsigned kFioSetOwn = 0x8901, kSiocSetOwn = 0x8902, kTiocSti = 0x5412;
  constexpr unsigned kCoreScheduling = 62, kSetPtracer = 0x59616d61;
  std::vector<ForbiddenWith> rows = {
      {"a process, not a thread", kWorkers, "clone", {is(0, CLONE_THREAD, 0)}, EPERM, kStarts},
      {"takes the kernel's memory by a table of descriptors for each thread",
       kWorkers,
       "clone",
       {is(0, CLONE_THREAD | CLONE_FILES, CLONE_THREAD)}},
      {"takes the kernel's memory by more filters", kWorkers, "prctl", {isInt(0, PR_SET_SECCOMP)}},
      // Its flags lie in memory, where no filter sees them. The C library then calls clone.
      {"a process, or a thread", kWorkers, "clone3", {}, ENOSYS},
      {"its flags lie in memory; C libraries then call openat", kAll, "openat2", {}, ENOSYS},
      {"signals another process", kWorkers, "kill", {isNot(0, self)}},
      {"signals another process", kWorkers, "tgkill", {isNot(0, self)}},
      // OpenMP's and C++'s threads need no more than this.
      {"binds another process", kWorkers, "sched_setaffinity", {isNot(0, 0)}},
      {"schedules another process", kAll, "sched_setscheduler", {isNot(0, 0)}},
      {"schedules another process", kAll, "sched_setparam", {isNot(0, 0)}},
      {"schedules another process", kAll, "sched_setattr", {isNot(0, 0)}},
      {"slows another process", kAll, "setpriority", {isNot(0, PRIO_PROCESS)}},
      {"slows another process", kAll, "setpriority", {isNot(1, 0)}},
      {"limits another process", kWorkers, "prlimit64", {isNot(0, 0)}},
      {"moves another process's memory", kAll, "move_pages", {isNot(0, 0)}},
      {"outlives its parent", kWorkers, "prctl", {isInt(0, PR_SET_PDEATHSIG)}},
      {"hides its memory from the parent", kWorkers, "prctl", {isInt(0, PR_SET_DUMPABLE)}},
      // Its pages may be unmapped and stay. CUDA makes such memory; the worker maps a file.
      {"takes memory that the parent does not count",
       kHostOnly,
       "mmap",
       {is(3, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS)}},
      {"lets others trace it", kAll, "prctl", {isInt(0, kSetPtracer)}},
      {"keeps others from its core", kAll, "prctl", {isInt(0, kCoreScheduling)}},
      {"types on a terminal", kAll, "ioctl", {isInt(1, kTiocSti)}},
      // The kernel signals the owner of a descriptor, who may be anyone.
      {"signals another process", kAll, "ioctl", {isInt(1, kFioSetOwn)}},
      {"signals another process", kAll, "ioctl", {isInt(1, kSiocSetOwn)}},
  };
  for (const unsigned command : {F_SETOWN, 15 /* F_SETOWN_EX */, F_SETSIG, F_SETLEASE, F_NOTIFY})
    rows.push_back({"signals another process, or holds it up", kAll, "fcntl", {isInt(1, command)}});
  rows.push_back({"keeps the parent from enlarging their shared memory",
                  kHostOnly,
                  "fcntl",
                  {isInt(1, F_ADD_SEALS)}});
  // Before ABI 3, Landlock lets who may read a file truncate it. Who may write it may truncate it
  // anyway, and CUDA does so to name its threads. Access mode 3 neither reads nor writes.
  for (const unsigned mode : {O_RDONLY, O_ACCMODE}) {
    const unsigned bits = O_TRUNC | O_ACCMODE, flags = O_TRUNC | mode;
    rows.push_back({"changes a file", kWorkers, "open", {is(1, bits, flags)}});
    rows.push_back({"changes a file", kWorkers, "openat", {is(2, bits, flags)}});
  }
  return rows;
}

bool applies(Binds binds, Confined who) {
  return binds == kAll || (binds == kWorkers && who != Confined::kCompiler) ||
         (binds == kHostOnly && who == Confined::kHostWorker);
}

void require(int result, const char* what) {
  if (result < 0)
    throw Error(ErrorCode::kUsage,
                fmt::format("cannot filter system calls: {}: {}", what, std::strerror(-result)));
}

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

/// A name that this library or architecture does not know is no error: its number is above
/// kNewest, or there is no such call.
void addRule(void* filter, const char* name, const std::vector<scmp_arg_cmp>& arguments,
             std::uint32_t action) {
  const int call = seccomp_syscall_resolve_name(name);
  if (call < 0) return;
  require(seccomp_rule_add_array(filter, action, call, static_cast<unsigned>(arguments.size()),
                                 arguments.data()),
          name);
}

std::uint32_t fails(int error) {
  return SCMP_ACT_ERRNO(static_cast<unsigned>(error));
}

/// A filter without rules, for all threads.
Filter newFilter() {
  Filter filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
  if (filter == nullptr) throw Error(ErrorCode::kUsage, "cannot filter system calls: no memory");
  require(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1), "all threads");
  // A call by another architecture's numbers ends the process. Otherwise it would end the thread,
  // and the others would go on.
  require(seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS),
          "other calls");
  // Otherwise older kernels slow down every memory access of a process with a filter.
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_SSB, 1);
  return filter;
}

/// Calls that make a file if there is none, and open it for writing. Landlock denies most of them.
const struct {
  const char* call;
  unsigned path, flags;  // which arguments have these
} kOpening[] = {{"open", 0, 1}, {"openat", 1, 2}};

}  // namespace

bool filtersSystemCalls() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

void forbidSystemCalls(Confined who, bool heard) {
  const Filter owner = newFilter();
  void* filter = owner.get();
  seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree: a call costs few comparisons
  const auto binds = [&](const auto& row) {
    return applies(row.binds, who) && !(heard && row.tries != nullptr);
  };
  for (const Forbidden& row : kForbidden)
    for (const char* call : row.calls)
      if (binds(row)) addRule(filter, call, {}, fails(EPERM));
  for (const ForbiddenWith& row : forbiddenWith())
    if (binds(row)) addRule(filter, row.call, row.arguments, fails(row.error));
  for (int call = kNewest + 1; call <= kNewestPossible; ++call)
    require(seccomp_rule_add(filter, fails(ENOSYS), call, 0), "new calls");
  require(seccomp_load(filter), "loading");
}

int listenToCalls(Confined who) {
  Filter owner = newFilter();
  void* filter = owner.get();
  const auto heard = [&](const auto& row) {
    return applies(row.binds, who) && row.tries != nullptr;
  };
  for (const Forbidden& row : kForbidden)
    for (const char* call : row.calls)
      if (heard(row)) addRule(filter, call, {}, SCMP_ACT_NOTIFY);
  for (const ForbiddenWith& row : forbiddenWith())
    if (heard(row)) addRule(filter, row.call, row.arguments, SCMP_ACT_NOTIFY);
  for (const auto& row : kOpening)
    for (const unsigned mode : {O_WRONLY, O_RDWR})
      addRule(filter, row.call, {is(row.flags, O_CREAT | O_ACCMODE, O_CREAT | mode)},
              SCMP_ACT_NOTIFY);
  if (seccomp_load(filter) != 0) return -1;  // nothing has changed: all calls will be forbidden
  const int listener = seccomp_notify_fd(filter);
  // Some versions of the library would close the listener with the filter, others leave it open.
  // The caller closes it.
  (void)owner.release();
  return listener;
}

Tried triedBy(const seccomp_data& call) {
  static const std::map<int, Tried> all = [] {
    std::map<int, Tried> found;
    const auto put = [&](const char* name, const Tried& tried) {
      if (const int number = seccomp_syscall_resolve_name(name); number >= 0) found[number] = tried;
    };
    for (const Forbidden& row : kForbidden)
      for (const char* name : row.calls)
        if (row.tries != nullptr) put(name, {row.tries, false, 0});
    for (const ForbiddenWith& row : forbiddenWith())
      if (row.tries != nullptr) put(row.call, {row.tries, false, 0});
    for (const auto& row : kOpening) put(row.call, {kWritesFiles, true, row.path});
    return found;
  }();
  const auto known = all.find(call.nr);
  return known == all.end() ? Tried{"", false, 0} : known->second;
}
