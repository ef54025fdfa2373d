// roofs.toml beside the solutions: what a GPU reaches at best, as `lanewise bench` measured it there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// Bytes (and operations) a second of one device; 0: not measured.
struct MeasuredRoofs {
  std::string gpu;     ///< "NVIDIA H200"
  std::string driver;  ///< "580.95.05"
  std::string cuda;    ///< "13.0"
  std::string date;    ///< "2026-11-22"
  double read = 0;     ///< bytes read
  double copy = 0;     ///< bytes read and written
  double triad = 0;    ///< a[i] = b[i] + s c[i]: bytes read and written
  double ffma = 0;     ///< operations in float, two a fused multiply-add
};

/// None if there is no such file.
Expected<std::vector<MeasuredRoofs>> read_roofs(const std::filesystem::path& file);

/// What read_roofs reads.
std::string roofs_text(const std::vector<MeasuredRoofs>& roofs);

/// What memory reaches for work of which this share of the bytes, of 0 to 1, is written: between reading alone, the
/// triad (a third) and the copy (half), by the time per byte; beyond half as for the copy. 0: not known.
double bandwidth(const MeasuredRoofs& roofs, double written_share);

/// Those of the device of that name, or null.
const MeasuredRoofs* find_roofs(const std::vector<MeasuredRoofs>& roofs, const std::string& gpu);

/// `roofs` with those of the same device replaced, or with one device more.
std::vector<MeasuredRoofs> with_roofs(std::vector<MeasuredRoofs> roofs, const MeasuredRoofs& one);

}  // namespace lanewise
