// Ranks: processes, or threads of one or several processes, that solve one problem together. Each
// has a number, and all call the same functions in the same order. What a function does among all
// ranks at once is called collective: every rank must call it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/error.h"

namespace engine {

/// A broadcast that has begun. Wait for it before the data is read or changed.
class Transfer {
 public:
  virtual ~Transfer() = default;
  virtual void wait() = 0;
};

class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;  ///< the number of this one, from 0 on
  virtual int size() const = 0;  ///< how many there are
  /// How many of them share this machine's memory.
  virtual int onThisHost() const = 0;
  virtual int rankOnHost() const = 0;     ///< the number of this one among them
  virtual int inThisProcess() const = 0;  ///< how many of them are threads of this process

  /// Collective: copies the bytes of the rank `root` to all others.
  void broadcast(void* data, std::size_t bytes, int root) {
    startBroadcast(data, bytes, root)->wait();
  }
  /// The same, but it need not be complete until wait(). All ranks start and wait for their
  /// broadcasts in the same order.
  virtual std::unique_ptr<Transfer> startBroadcast(void* data, std::size_t bytes, int root) = 0;

  /// Sends bytes from one rank to another, which must receive as many.
  virtual void send(const void* data, std::size_t bytes, int to) = 0;
  virtual void receive(void* data, std::size_t bytes, int from) = 0;

  /// Collective: returns when all ranks have called it.
  virtual void barrier() = 0;

  /// Collective: the ranks that give the same colour, in the order that they have here.
  virtual std::unique_ptr<Ranks> split(int colour) = 0;

  /// Ends all ranks after an error from which they cannot recover together. Under MPI, the job's
  /// status is the number of `code`. This function does not return.
  [[noreturn]] virtual void abandon(const std::string& why, ErrorCode code) = 0;
};

/// Collective: "" if `text` is "" on every rank. Else that of the first rank that has any, whose
/// number is put into `owner`. The same on all ranks.
std::string firstText(Ranks& ranks, const std::string& text, int* owner = nullptr);
/// Collective: "" if `trouble` is "" on every rank. Else that of the first rank that has any, with
/// the rank's number before it. The same on all ranks.
std::string firstTrouble(Ranks& ranks, const std::string& trouble);

}  // namespace engine
