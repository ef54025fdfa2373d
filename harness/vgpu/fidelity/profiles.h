// What Nsight Compute measured, a row a kernel, as it is kept in the tree: so the virtual GPU can be held against the
// hardware where there is none.
#pragma once

#include <string>
#include <vector>

#include "harness/vgpu/fidelity/ncu_csv.h"

namespace vgpu::fidelity {

/// One profile a kernel of a program, in the order of their first ones. Metrics add up; those that describe a launch
/// ("launch__...") are of the last one.
std::vector<Profile> sums_of(const std::vector<Profile>& profiles);

/// Notes the blocks a multiprocessor that a program printed on the GPU, in lines "KERNEL: ..., N blocks a
/// multiprocessor", as the metric kPrintedOccupancy of its profiles.
void add_printed_occupancy(const std::string& printed, std::vector<Profile>& profiles);

/// A table that read_ncu_csv reads, with the metrics that a comparison looks at.
std::string profiles_csv(const std::vector<Profile>& profiles);

}  // namespace vgpu::fidelity
