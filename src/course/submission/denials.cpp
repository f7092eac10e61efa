#include "submission/denials.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "submission/system_calls.h"

namespace {

/// The beginning of a text of that process: enough to know which folder a path begins with. "" if
/// it cannot be read.
std::string beginningOf(std::uint32_t process, std::uint64_t address) {
  char text[16] = "";
  const Descriptor memory(open(fmt::format("/proc/{}/mem", process).c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got =
      memory.number < 0 ? 0 : pread(memory.number, text, sizeof text, static_cast<off_t>(address));
  return {text, strnlen(text, got > 0 ? static_cast<std::size_t>(got) : 0)};
}

bool beginsWith(const std::string& text, std::string_view beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

/// Whether Landlock may let a worker write that file: devices, and the names of its threads.
/// Another path is denied, and so is shared memory.
bool isLikeADevice(const std::string& path) {
  return path.empty() || beginsWith(path, "/proc/") ||
         (beginsWith(path, "/dev/") && !beginsWith(path, "/dev/shm/"));
}

}  // namespace

Denials::Denials(int listener)
    : listener_(listener), ending_(listener < 0 ? -1 : eventfd(0, EFD_CLOEXEC)) {
  if (listener < 0) return;
  if (ending_.number < 0) throw Error(ErrorCode::kMemory, "too many open files");
  thread_ = std::thread([this] { answer(); });
}

Denials::~Denials() {
  if (!thread_.joinable()) return;
  eventfd_write(ending_.number, 1);
  thread_.join();
}

std::string Denials::take() {
  std::string text;
  for (std::atomic<const char*>& each : tried_)
    if (const char* what = each.exchange(nullptr); what != nullptr)
      text += (text.empty() ? "" : " and ") + std::string(what);
  return text;
}

/// take() may run meanwhile.
void Denials::note(const char* what) {
  for (std::atomic<const char*>& each : tried_) {
    const char* known = nullptr;
    if (each.compare_exchange_strong(known, what) || known == what) return;
  }
}

void Denials::answer() {
  pollfd waits[] = {{listener_.number, POLLIN, 0}, {ending_.number, POLLIN, 0}};
  while (true) {
    if (poll(waits, 2, -1) < 0) continue;  // a signal
    if (waits[1].revents != 0 || (waits[0].revents & POLLIN) == 0) return;
    seccomp_notif heard{};
    if (ioctl(listener_.number, SECCOMP_IOCTL_NOTIF_RECV, &heard) != 0) continue;  // it has ended
    const Tried tried = triedBy(heard.data);
    seccomp_notif_resp answer{};
    answer.id = heard.id;
    if (tried.mayBeAllowed)
      answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;  // to Landlock
    else
      answer.error = -EPERM;
    if (!tried.mayBeAllowed || !isLikeADevice(beginningOf(heard.pid, heard.data.args[tried.path])))
      note(tried.what);
    ioctl(listener_.number, SECCOMP_IOCTL_NOTIF_SEND, &answer);  // fails if it has ended
  }
}
