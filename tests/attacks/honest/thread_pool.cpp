// Right: threads that live as long as the library share the rows of each step.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

class Pool {
 public:
  Pool() {
    for (int i = 0; i < kThreads; ++i) std::thread([this, i] { work(i); }).detach();
  }

  void step(int n, int k, int* graph) {
    std::unique_lock<std::mutex> lock(mutex_);
    n_ = n, k_ = k, graph_ = graph;
    left_ = kThreads;
    ++round_;
    start_.notify_all();
    end_.wait(lock, [this] { return left_ == 0; });
  }

 private:
  static constexpr int kThreads = 3;

  void work(int number) {
    for (long round = 0;; ++round) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        start_.wait(lock, [&] { return round_ > round; });
      }
      const int first = n_ * number / kThreads, last = n_ * (number + 1) / kThreads;
      for (int i = first; i < last; ++i)
        for (int j = 0; j < n_; ++j)
          graph_[i * n_ + j] = std::min(graph_[i * n_ + j], graph_[i * n_ + k_] + graph_[k_ * n_ + j]);
      const std::lock_guard<std::mutex> lock(mutex_);
      if (--left_ == 0) end_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable start_, end_;
  long round_ = 0;
  int n_ = 0, k_ = 0, left_ = 0;
  int* graph_ = nullptr;
};

void apsp(int n, int* graph) {
  static Pool pool;
  for (int k = 0; k < n; ++k) pool.step(n, k, graph);
}
