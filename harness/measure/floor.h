// The least time that a task can take on a device: anything faster did not do the work.
#pragma once

#include <cstdint>
#include <string>

namespace lanewise::measure {

/// Rates that a device cannot exceed. 0: not known, and not used.
struct Peaks {
  double bytes_per_second = 0;  ///< of device memory, reads and writes together
  double flops_per_second = 0;
};

/// What NVML reports about a device that determines its peaks; 0: not known.
struct MemoryAndCores {
  unsigned memory_clock = 0;  ///< MHz, the largest
  unsigned bus_bits = 0;
  unsigned cores = 0;     ///< FP32 lanes of all multiprocessors
  unsigned sm_clock = 0;  ///< MHz, the largest
};

/// Memory: two transfers per clock on each wire. Arithmetic: a multiply and an add per clock and core, times six for
/// tensor cores, because products of split floats in half precision are as accurate as labs require (three of them
/// replace one: 989/3 of 67 TFLOP/s on an H200, 312/3 of 19.5 on an A100; both from NVIDIA's data sheets). If NVML
/// reports nothing, memory at 1.4 times the rate of a copy: copies reach 85 to 93 % of the peak.
Peaks peaks_of(const MemoryAndCores& device, double copied_bytes_per_second);

/// What the work model says about a case.
struct LeastWork {
  double bytes = 0;         ///< through device memory
  double output_bytes = 0;  ///< results, part of `bytes`: they may still be in the L2 cache when the call ends
  double flops = 0;
};

/// Seconds; 0 if nothing is known.
double floor_of(const LeastWork& work, const Peaks& peaks);

/// Why a time is impossible: "0.011 ms is less than the 0.056 ms that ..."; empty if it is not.
std::string below_floor(double seconds, const LeastWork& work, const Peaks& peaks);

}  // namespace lanewise::measure
