// Processes that are threads of this one, for tests: their messages go through memory.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "ranks/threads_of_processes.h"

using namespace engine;

/// The messages of all processes, none of which is removed.
struct Letters {
  /// From one process to another with one tag.
  struct Way {
    std::vector<std::vector<char>> sent;
    std::size_t asked = 0;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::tuple<int, int, int>, Way> ways;
};

class ProcessInMemory : public Processes {
 public:
  ProcessInMemory(std::shared_ptr<Letters> letters, int process, std::vector<int> hosts)
      : letters_(std::move(letters)), process_(process), hosts_(std::move(hosts)) {}

  int process() const override { return process_; }
  const std::vector<int>& hosts() const override { return hosts_; }
  int tags() const override { return 32767; }  // MPI promises no more

  std::unique_ptr<Transfer> startSend(const void* data, std::size_t bytes, int to,
                                      int tag) override {
    const char* const begin = static_cast<const char*>(data);
    EXPECT_NE(process_, to);
    EXPECT_LT(tag, tags());
    const std::lock_guard<std::mutex> lock(letters_->mutex);
    letters_->ways[{process_, to, tag}].sent.emplace_back(begin, begin + bytes);
    letters_->changed.notify_all();
    return std::make_unique<Sent>();
  }

  std::unique_ptr<Transfer> startReceive(void* data, std::size_t bytes, int from,
                                         int tag) override {
    const std::lock_guard<std::mutex> lock(letters_->mutex);
    Letters::Way& way = letters_->ways[{from, process_, tag}];
    return std::make_unique<Received>(*letters_, way, way.asked++, data, bytes);
  }

  [[noreturn]] void abandon(int rank, const std::string& why, ErrorCode) override {
    throw std::runtime_error("rank " + std::to_string(rank) + ": " + why);
  }

 private:
  struct Sent : Transfer {
    void wait() override {}
  };
  class Received : public Transfer {
   public:
    Received(Letters& letters, Letters::Way& way, std::size_t number, void* data, std::size_t bytes)
        : letters_(letters), way_(way), number_(number), data_(data), bytes_(bytes) {}
    void wait() override {
      std::unique_lock<std::mutex> lock(letters_.mutex);
      if (!letters_.changed.wait_for(lock, std::chrono::seconds(20),
                                     [&] { return way_.sent.size() > number_; }))
        throw std::runtime_error("a message did not come");  // which ends the test's process
      const std::vector<char>& letter = way_.sent[number_];
      EXPECT_EQ(bytes_, letter.size());
      if (letter.size() == bytes_ && bytes_ > 0) std::memcpy(data_, letter.data(), bytes_);
    }

   private:
    Letters& letters_;
    Letters::Way& way_;
    std::size_t number_;
    void* data_;
    std::size_t bytes_;
  };

  const std::shared_ptr<Letters> letters_;
  const int process_;
  const std::vector<int> hosts_;
};

/// Calls body() on `threads` threads of each of so many processes. Two of them share a machine.
inline void runOnProcesses(int processes, int threads, const std::function<void(Ranks&)>& body) {
  const auto letters = std::make_shared<Letters>();
  std::vector<int> hosts;
  for (int process = 0; process < processes; ++process) hosts.push_back(process / 2);
  std::vector<std::thread> running;
  for (int process = 0; process < processes; ++process)
    running.emplace_back([&, process] {
      ProcessInMemory one(letters, process, hosts);
      runOnThreadsOf(one, threads, body);
    });
  for (std::thread& thread : running) thread.join();
}
