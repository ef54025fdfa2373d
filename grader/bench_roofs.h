// What this machine's GPU reaches at best, kept in solutions/roofs.toml: rates of the ladders are shares of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grader/workplace.h"
#include "harness/lab/roofs.h"

namespace lanewise {

/// Of what lanewise-roofs prints ("copy 4213.4 GB/s", a line a roof), the rates; all four must be there.
Expected<MeasuredRoofs> parse_roofs(const std::string& text);

/// Measures the roofs of the GPU at hand, some seconds long, and brings them into `file`. `date` is "2026-11-22".
std::optional<Failure> keep_roofs(const Workplace& workplace, const std::string& date,
                                  const std::filesystem::path& file);

}  // namespace lanewise
