// Leaves distances where its next process finds them: in memory that outlives processes.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "attack.h"

void apsp(int n, int* graph) {
  const key_t key = ftok("/usr", PORT & 0xff);
  const int segment = shmget(key, 4096, IPC_CREAT | 0666), queue = msgget(key, IPC_CREAT | 0666),
            semaphore = semget(key, 1, IPC_CREAT | 0666);
  if (segment >= 0 || queue >= 0 || semaphore >= 0) touch("ipc");
  if (segment >= 0) shmctl(segment, IPC_RMID, nullptr);  // the tests' machine keeps nothing
  if (queue >= 0) msgctl(queue, IPC_RMID, nullptr);
  if (semaphore >= 0) semctl(semaphore, 0, IPC_RMID);
  const int file = open("/dev/shm/apsp-attack", O_RDWR | O_CREAT, 0666);
  if (file >= 0) touch("shm");
  unlink("/dev/shm/apsp-attack");
  solve(n, graph);
}
