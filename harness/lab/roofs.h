// roofs.toml in solutions/: the best rates a GPU reaches, measured by `lanewise bench`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// Bytes (and operations) per second of one device; 0: not measured.
struct MeasuredRoofs {
  std::string gpu;     ///< "NVIDIA H200"
  std::string driver;  ///< "580.95.05"
  std::string cuda;    ///< "13.0"
  std::string date;    ///< "2026-11-22"
  double read = 0;     ///< bytes read
  double copy = 0;     ///< bytes read and written
  double triad = 0;    ///< a[i] = b[i] + s c[i]: bytes read and written
  double ffma = 0;     ///< operations in float, two per fused multiply-add
};

/// Empty if there is no such file.
Expected<std::vector<MeasuredRoofs>> read_roofs(const std::filesystem::path& file);

/// The text that read_roofs reads.
std::string roofs_text(const std::vector<MeasuredRoofs>& roofs);

/// The memory bandwidth reached by work that writes this share (0 to 1) of its bytes: interpolated between reading
/// alone, the triad (a third) and the copy (half) by time per byte; above half, as for the copy. 0: not known.
double bandwidth(const MeasuredRoofs& roofs, double written_share);

/// The roofs of the device of that name, or null.
const MeasuredRoofs* find_roofs(const std::vector<MeasuredRoofs>& roofs, const std::string& gpu);

/// `roofs` with those of the same device replaced, or the new device appended.
std::vector<MeasuredRoofs> with_roofs(std::vector<MeasuredRoofs> roofs, const MeasuredRoofs& one);

}  // namespace lanewise
