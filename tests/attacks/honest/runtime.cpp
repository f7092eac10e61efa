// Right, and uses much of what C and C++ offer: static objects, exceptions, locale, time, random numbers, a regular
// expression, a temporary file that it does without if there is none, large stacks, alarms, signals of its own.
#include <algorithm>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

static const std::map<std::string, int> kNames = {{"one", 1}, {"two", 2}};
static std::unique_ptr<std::vector<int>> buffer = std::make_unique<std::vector<int>>(1 << 20);
static thread_local int calls = 0;

static int deep(int depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : deep(depth - 1) + frame[0] - static_cast<char>(depth) + 1;
}

static void tryMuch() {
  std::setlocale(LC_ALL, "");
  const std::time_t now = std::time(nullptr);
  std::ostringstream text;
  text << std::localtime(&now)->tm_year + 1900 << " " << std::random_device{}() % 10;
  if (!std::regex_match(text.str(), std::regex("[0-9]+ [0-9]"))) throw std::logic_error(text.str());
  try {
    kNames.at("three");
  } catch (const std::out_of_range& error) {
    std::cerr << error.what() << " " << ++calls << std::endl;
  }
  if (std::FILE* const file = std::tmpfile()) std::fclose(file);
  std::iota(buffer->begin(), buffer->end(), 0);
  if (deep(2000) != 2000) std::abort();
  std::signal(SIGUSR1, [](int) {});
  std::raise(SIGUSR1);
  std::thread([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }).join();
  if (std::getenv("PATH") == nullptr || sysconf(_SC_NPROCESSORS_ONLN) < 1) std::abort();
}

void apsp(int n, int* graph) {
  tryMuch();
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        graph[i * n + j] = std::min(graph[i * n + j], graph[i * n + k] + graph[k * n + j]);
}
