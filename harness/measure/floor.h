// The least time a task can take on a device: what is faster did not do the work.
#pragma once

#include <cstdint>
#include <string>

namespace lanewise::measure {

/// Rates that a device cannot exceed. 0: not known, then nothing follows from it.
struct Peaks {
  double bytes_per_second = 0;  ///< of device memory, reads and writes together
  double flops_per_second = 0;
};

/// What NVML tells of a device, as far as peaks follow from it; 0: not known.
struct MemoryAndCores {
  unsigned memory_clock = 0;  ///< MHz, the largest
  unsigned bus_bits = 0;
  unsigned cores = 0;     ///< FP32 lanes of all multiprocessors
  unsigned sm_clock = 0;  ///< MHz, the largest
};

/// Memory: two transfers a clock on each wire. Arithmetic: a multiply and an add a clock and core, and six times that
/// where tensor cores help, for products of split floats in half precision are as accurate as labs ask (three of them
/// replace one: 989/3 of 67 TFLOP/s on an H200, 312/3 of 19.5 on an A100; both from NVIDIA's data sheets).
/// Where NVML is silent, memory at 1.4 times what a copy reached: copies reach 85 to 93 % of the peak.
Peaks peaks_of(const MemoryAndCores& device, double copied_bytes_per_second);

/// What the work model says of a case.
struct LeastWork {
  double bytes = 0;         ///< through device memory
  double output_bytes = 0;  ///< of these, results: they may still be in the L2 cache when the call is done
  double flops = 0;
};

/// Seconds; 0 if nothing is known.
double floor_of(const LeastWork& work, const Peaks& peaks);

/// Why a time cannot be: "0.011 ms is less than the 0.056 ms in which ..."; empty if it can.
std::string below_floor(double seconds, const LeastWork& work, const Peaks& peaks);

}  // namespace lanewise::measure
