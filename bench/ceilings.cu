// The peaks of a GPU: relaxations per second on registers alone, for each sequence of instructions
// that a tile update may use (a recipe), and the bandwidth of its memory. A solver's percentage of
// the peak compares with these. The benchmark names are read from the JSON file, so they stay.
//
//   make bench && build/cuda/bench/ceilings --benchmark_out=results/DEVICE/ceilings.json
//
// A relaxation is one addition and one minimum. Each thread has 8 × 8 accumulators of 32 bits, or 4
// × 4 of 64 bits. They do not depend on each other. Each accumulator depends on its own last value,
// and the operands come from memory and the results go there. Therefore the compiler can neither
// leave out a step nor move it out of the loop. GPUs before sm_90 have no DPX instructions, and the
// intrinsics are several instructions each.
#include <cuda_runtime.h>

#include <vector>

#include "bench/main.h"
#include "device/cuda.h"
#include "device/device.h"
#include "measure/peak.h"
#include "solver/outcome.h"

namespace {

constexpr int kThreads = 256, kBlocksPerSm = 2;
constexpr int kRounds = 1 << 16;  // steps of each accumulator
/// A thread has kSide × kSide accumulators. All of them must fit in its registers.
template <class Word>
constexpr int kSide = sizeof(Word) == 8 ? 4 : 8;
/// Operands of a block.
template <class Word>
constexpr int kValues = (kSide<Word> + 2) * kSide<Word> + kThreads;
static_assert(kThreads % 32 == 0 && kBlocksPerSm * kThreads <= 1024, "threads of sm_75");

// ---- recipes --------------------------------------------------------------------------------
// A step takes an accumulator c of 32 or 64 bits, of any type, and two operands. `one` is 1, which
// the compiler cannot know. The step returns the new c after `relaxations` relaxations, which take
// `instructions` instructions on sm_90.

/// a + b on the multiply-add pipe. The pipe that takes minima is then free for these.
__device__ unsigned multiplyAdd(unsigned a, unsigned one, unsigned b) {
  unsigned sum;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(one), "r"(b));
  return sum;
}

struct Int32 {
  static constexpr int relaxations = 1, instructions = 1;
  static __device__ unsigned step(unsigned c, unsigned a, unsigned b, unsigned) {
    return __viaddmin_s32(c, a, b);
  }
};

struct Int32Mixed {
  static constexpr int relaxations = 3, instructions = 4;
  static __device__ unsigned step(unsigned c, unsigned a, unsigned b, unsigned one) {
    c = __viaddmin_s32(c, a, b);
    return __vimin3_s32(c, multiplyAdd(c, one, a), multiplyAdd(c, one, b));
  }
};

struct Uint16 {
  static constexpr int relaxations = 2, instructions = 1;
  static __device__ unsigned step(unsigned c, unsigned a, unsigned b, unsigned) {
    return __viaddmin_u16x2(c, a, b);
  }
};

struct Uint16Mixed {
  static constexpr int relaxations = 6, instructions = 4;
  static __device__ unsigned step(unsigned c, unsigned a, unsigned b, unsigned one) {
    c = __viaddmin_u16x2(c, a, b);
    return __vimin3_u16x2(c, multiplyAdd(c, one, a), multiplyAdd(c, one, b));
  }
};

struct Float32 {
  static constexpr int relaxations = 1, instructions = 2;
  static __device__ unsigned step(unsigned c, unsigned a, unsigned b, unsigned) {
    return __float_as_uint(fminf(__uint_as_float(c) + __uint_as_float(a), __uint_as_float(b)));
  }
};

/// Non-negative floats have the same order as their bits.
struct Float32Bits {
  static constexpr int relaxations = 2, instructions = 3;
  static __device__ unsigned step(unsigned c, unsigned a, unsigned b, unsigned) {
    const float from = __uint_as_float(c);
    return __vimin3_s32(c, __float_as_int(from + __uint_as_float(a)),
                        __float_as_int(from + __uint_as_float(b)));
  }
};

using Word64 = unsigned long long;

struct Float64 {
  static constexpr int relaxations = 1, instructions = 4;
  static __device__ Word64 step(Word64 c, Word64 a, Word64 b, unsigned) {
    const double sum = real(c) + real(a);
    return __double_as_longlong(sum < real(b) ? sum : real(b));
  }
  static __device__ double real(Word64 bits) { return __longlong_as_double(bits); }
};

/// Non-negative numbers have the same order as their bits. Two instructions compare 64 bits.
struct Float64Bits {
  static constexpr int relaxations = 1, instructions = 5;
  static __device__ Word64 step(Word64 c, Word64 a, Word64 b, unsigned) {
    const Word64 sum = __double_as_longlong(Float64::real(c) + Float64::real(a));
    return sum < b ? sum : b;
  }
};

struct Int64 {
  static constexpr int relaxations = 1, instructions = 6;
  static __device__ Word64 step(Word64 c, Word64 a, Word64 b, unsigned) {
    const Word64 sum = c + a;
    return sum < b ? sum : b;
  }
};

/// Compares the bits of int64 as doubles, which takes one instruction instead of two. Non-negative
/// doubles have the order of their bits. A sum of two infinities, 2⁶² − 1 each, has the bits of NaN.
/// Then the comparison is false, which is right, because such a sum is above b.
struct Int64Reals {
  static constexpr int relaxations = 1, instructions = 5;
  static __device__ Word64 step(Word64 c, Word64 a, Word64 b, unsigned) {
    const Word64 sum = c + a;
    return Float64::real(sum) < Float64::real(b) ? sum : b;
  }
};

/// The accumulators of a recipe.
template <class Recipe>
using WordOf = decltype(Recipe::step(0, 0, 0, 0));

/// values: (kValues); results: one per thread; cycles: those of the slowest block, because the
/// blocks of a multiprocessor do not share it evenly.
template <class Recipe, class Word = WordOf<Recipe>>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    relaxRegisters(unsigned one, const Word* values, Word* results, unsigned long long* cycles) {
  constexpr int side = kSide<Word>, unroll = 64 / (side * side) * (8 / Recipe::instructions);
  Word a[side], b[side], c[side][side];
  values += threadIdx.x;  // equal values in all threads may go to the uniform datapath
  for (int i = 0; i < side; ++i) {
    a[i] = values[i];
    b[i] = values[side + i];
    for (int j = 0; j < side; ++j) c[i][j] = values[2 * side + i * side + j];
  }
  const long long begin = clock64();
#pragma unroll unroll  // 300 to 500 instructions, so that the two of the loop do not count
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) c[i][j] = Recipe::step(c[i][j], a[i], b[j], one);
    }
  }
  if (threadIdx.x == 0) atomicMax(cycles, static_cast<unsigned long long>(clock64() - begin));
  Word all = 0;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) all ^= c[i][j];
  }
  results[blockIdx.x * kThreads + threadIdx.x] = all;
}

// ---- benchmarks -----------------------------------------------------------------------------

const Device& gpu() {
  std::string why;
  const Device* found = findGpu(why);
  if (found == nullptr) throw Error(ErrorCode::kGpu, "no GPU: " + why);
  return *found;
}

/// Device memory for `count` values. The destructor frees it.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) { CHECK_CUDA(cudaMalloc(&data_, count * sizeof(T))); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

template <class Recipe>
void measureRecipe(benchmark::State& state) {
  guarded(state, [&] {
    using Word = WordOf<Recipe>;
    constexpr int side = kSide<Word>, count = kValues<Word>;
    const int blocks = gpu().info().units * kBlocksPerSm;  // all of them run at a time
    const double relaxations =
        1.0 * blocks * kThreads * side * side * kRounds * Recipe::relaxations;
    std::vector<Word> operands;  // small as a whole number, as a pair of halves and as a float
    for (unsigned i = 0; i < count; ++i) {
      const Word low = 0x10001 * (0x1000 + 13 * i);
      operands.push_back(low << 8 * (sizeof low - sizeof i) | low);
    }
    DeviceArray<Word> values(count), results(static_cast<std::size_t>(blocks) * kThreads);
    DeviceArray<unsigned long long> cycles(1);
    CHECK_CUDA(cudaMemset(cycles.data(), 0, sizeof(unsigned long long)));
    CHECK_CUDA(
        cudaMemcpy(values.data(), operands.data(), sizeof(Word) * count, cudaMemcpyHostToDevice));
    double seconds = 0;
    for (auto _ : state) {
      seconds = 1e-3 * gpu().time([&] {
        relaxRegisters<Recipe>
            <<<blocks, kThreads>>>(1, values.data(), results.data(), cycles.data());
      });
      state.SetIterationTime(seconds);
    }
    unsigned long long took = 0;
    CHECK_CUDA(cudaMemcpy(&took, cycles.data(), sizeof took, cudaMemcpyDeviceToHost));
    state.counters["relax_per_s"] =
        benchmark::Counter(relaxations, benchmark::Counter::kIsIterationInvariantRate);
    state.counters["relax_per_clk_per_sm"] =
        relaxations / gpu().info().units / static_cast<double>(took);
    state.counters["MHz"] = static_cast<double>(took) / seconds * 1e-6;
  });
}

/// Copies within device memory. Each byte counts twice: it is read and written.
void measureCopy(benchmark::State& state) {
  guarded(state, [&] {
    const std::size_t bytes = std::size_t{1} << 30;  // more than any cache holds
    DeviceArray<char> from(bytes), to(bytes);
    for (auto _ : state) {
      state.SetIterationTime(1e-3 * gpu().time([&] { gpu().copy(to.data(), from.data(), bytes); }));
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * 2 * bytes));
  });
}

struct Row {
  std::string name;
  void (*measure)(benchmark::State&);
};

/// ./apsp gives its speed as a percentage of those that are the peak of a tier.
const Row kRows[] = {
    {peakBenchmark(Tier::kInt32), measureRecipe<Int32>},
    {"int32/mixed", measureRecipe<Int32Mixed>},
    {peakBenchmark(Tier::kUint16), measureRecipe<Uint16>},
    {"uint16/mixed", measureRecipe<Uint16Mixed>},
    {"float32/fadd_fmnmx", measureRecipe<Float32>},
    {peakBenchmark(Tier::kFloat32), measureRecipe<Float32Bits>},
    {peakBenchmark(Tier::kFloat64), measureRecipe<Float64>},
    {"float64/dadd_isetp", measureRecipe<Float64Bits>},
    {"int64/iadd_isetp", measureRecipe<Int64>},
    {peakBenchmark(Tier::kInt64), measureRecipe<Int64Reals>},
    {"copy", measureCopy},
};

void registerAll() {
  benchmark::AddCustomContext("device_name", gpu().info().name);
  for (const Row& row : kRows) {
    benchmark::RegisterBenchmark(row.name.c_str(), row.measure)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return runBenchmarks(argc, argv, registerAll);
}
