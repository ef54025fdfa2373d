// The best rates that this machine's GPU reaches, kept in solutions/roofs.toml: rates of the ladders are shares of
// them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grader/workplace/workplace.h"
#include "harness/lab/roofs.h"

namespace lanewise {

/// The rates in the output of lanewise-roofs ("copy 4213.4 GB/s", one line per roof); all four must be there.
Expected<MeasuredRoofs> parse_roofs(const std::string& text);

/// Measures this GPU's roofs, which takes some seconds, and writes them into `file`. `date` is "2026-11-22".
std::optional<Failure> keep_roofs(const Workplace& workplace, const std::string& date,
                                  const std::filesystem::path& file);

}  // namespace lanewise
