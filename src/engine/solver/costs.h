// What the methods cost on this machine's CPU.
#pragma once

namespace engine {

/// Factors of the times that are expected of each method, by which the method is chosen. 1: as on
/// the CPU on which the constants of the estimates were measured. real: of the dense method with
/// real weights, beside `dense`; levels: of what breadth-first searches look at.
struct Costs {
  double dense = 1, real = 1, sparse = 1, relaxing = 1, search = 1, levels = 1;
};

/// Those of this process: at first, those of a CPU with the same vectors. They may be set before
/// anything is planned, and not later.
Costs& cpuCosts();

/// The expected speed of some threads together; that of one thread is 1. The speed of more than two
/// is less than their number.
double speedOf(int threads);
/// The speed of all threads.
double speedOfAll();

}  // namespace engine
