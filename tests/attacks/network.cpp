// Connects to a server of the test, which could hand out distances or collect graphs.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "attack.h"

void apsp(int n, int* graph) {
  sockaddr_in server{};
  server.sin_family = AF_INET;
  server.sin_port = htons(PORT);
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int tcp = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);
  if (connect(tcp, reinterpret_cast<sockaddr*>(&server), sizeof server) == 0) touch("tcp");
  if (sendto(udp, "x", 1, 0, reinterpret_cast<sockaddr*>(&server), sizeof server) == 1) touch("udp");
  if (bind(udp, reinterpret_cast<sockaddr*>(&server), sizeof server) == 0) touch("bind");
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  snprintf(local.sun_path, sizeof local.sun_path, "%s", FOLDER "/socket");
  const int unixSocket = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(unixSocket, reinterpret_cast<sockaddr*>(&local), sizeof local) == 0) touch("unix");
  solve(n, graph);
}
