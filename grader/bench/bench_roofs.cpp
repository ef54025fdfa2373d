// The program that measures is compiled from harness/measure/roofs.cu.
#include "grader/bench/bench_roofs.h"

#include <fmt/format.h>

#include <sstream>

#include "grader/bench/gpu_times.h"
#include "harness/measure/clock_log.h"
#include "harness/runner/process.h"
#include "harness/runner/session/backend.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "lanewise-roofs";
constexpr std::chrono::minutes kLongest{1};
constexpr std::size_t kMostOutput = 16 << 10;

}  // namespace

Expected<MeasuredRoofs> parse_roofs(const std::string& text) {
  MeasuredRoofs roofs;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::string unit;
    double value = 0;
    if (!(words >> name >> value >> unit)) continue;
    if (unit == "GB/s") value *= 1e9;
    if (unit == "TFLOP/s") value *= 1e12;
    if (name == "read") roofs.read = value;
    if (name == "copy") roofs.copy = value;
    if (name == "triad") roofs.triad = value;
    if (name == "ffma") roofs.ffma = value;
  }
  for (const double rate : {roofs.read, roofs.copy, roofs.triad, roofs.ffma})
    if (!(rate > 0)) return Failure{fmt::format("{} did not report all roofs: {}", kProgram, text)};
  return roofs;
}

std::optional<Failure> keep_roofs(const Workplace& workplace, const std::string& date, const fs::path& file) {
  const auto known = read_roofs(file);
  if (!known) return known.failure();
  ProcessOptions options;
  options.command = {(workplace.installation.programs / "libexec" / kProgram).string()};
  options.environment = gpu_environment();
  const auto finished = run_to_end(options, kLongest, kMostOutput);
  if (!finished) return finished.failure();
  if (!finished->succeeded()) return Failure{fmt::format("{} failed: {}", kProgram, finished->output)};
  auto roofs = parse_roofs(finished->output);
  if (!roofs) return roofs.failure();
  roofs->gpu = workplace.backend.device;
  roofs->cuda = workplace.builder.toolchain().version();
  roofs->date = date;
  const std::string driver = measure::ClockLog("").facts().driver_version;
  roofs->driver = driver.empty() ? "unknown" : driver;
  return write_report(file, roofs_text(with_roofs(*known, *roofs)));
}

}  // namespace lanewise
