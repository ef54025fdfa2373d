// The measurements of Nsight Compute, one row per kernel, as kept in the tree, so that the virtual GPU can be compared
// with hardware on machines without it.
#pragma once

#include <string>
#include <vector>

#include "harness/vgpu/fidelity/ncu_csv.h"

namespace vgpu::fidelity {

/// One profile per kernel of a program, in the order of their first launches. Metrics add up; those that describe a
/// launch ("launch__...") are of the last one.
std::vector<Profile> sums_of(const std::vector<Profile>& profiles);

/// Notes the blocks a multiprocessor that a program printed on the GPU, in lines "KERNEL: ..., N blocks a
/// multiprocessor", as the metric kPrintedOccupancy of its profiles.
void add_printed_occupancy(const std::string& printed, std::vector<Profile>& profiles);

/// A table that read_ncu_csv reads, with the metrics that a comparison looks at.
std::string profiles_csv(const std::vector<Profile>& profiles);

}  // namespace vgpu::fidelity
