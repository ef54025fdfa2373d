// Reads and writes measured.toml, and puts its numbers into words.
#include "harness/lab/measured.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "harness/lab/number_text.h"
#include "harness/lab/toml_reader.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHead =
    "# Made by `lanewise bench --backend gpu`; the times in README.md come from here. Milliseconds are the median of a "
    "whole\n"
    "# call, between two CUDA events, with the outputs poisoned and the L2 cache flushed before each sample. Bytes and "
    "flops\n"
    "# are those of the lab's work model.\n";

// Floating-point operations a byte beyond which arithmetic is the limit: 67 TFLOP/s over 4.3 TB/s on an H200.
constexpr double kFlopsPerByteOfBalance = 16;

MeasuredTime read_time(const TomlTable& table) {
  table.allow_only({"step", "case", "milliseconds", "samples", "bytes", "flops", "right", "source"});
  MeasuredTime time;
  time.step = table.text("step");
  time.case_name = table.text("case");
  time.milliseconds = table.number("milliseconds");
  if (!(time.milliseconds > 0)) table.fail("milliseconds", "the key 'milliseconds' must be greater than 0");
  time.samples = static_cast<int>(table.number("samples"));
  time.bytes = table.number("bytes");
  time.flops = table.number("flops");
  const auto right = table.raw()["right"].value_exact<bool>();
  if (!right) table.fail("right", "the key 'right' must be true or false");
  time.right = *right;
  time.source = table.text("source");
  return time;
}

MeasuredTask read_task(const TomlTable& table) {
  table.allow_only({"name", "gpu", "driver", "cuda", "sm_clock", "date", "time"});
  MeasuredTask task;
  task.name = table.text("name");
  task.gpu = table.text("gpu");
  task.driver = table.text("driver");
  task.cuda = table.text("cuda");
  task.sm_clock = static_cast<int>(table.number("sm_clock"));
  task.date = table.text("date");
  for (const TomlTable& time : table.tables("time")) task.times.push_back(read_time(time));
  return task;
}

// As a TOML text: names are those of files, cases and devices.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

// Three significant digits below a thousand, commas above.
std::string three_digits(double value) {
  if (value >= 999.5) return with_commas(static_cast<std::int64_t>(std::llround(value)));
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

}  // namespace

Expected<std::vector<MeasuredTask>> read_measured(const fs::path& file) {
  std::vector<MeasuredTask> tasks;
  std::error_code error;
  if (!fs::exists(file, error)) return tasks;
  try {
    const toml::table parsed = parse_toml_file(file);
    const TomlTable root(parsed, file.string());
    root.allow_only({"task"});
    for (const TomlTable& table : root.tables("task")) tasks.push_back(read_task(table));
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
  return tasks;
}

std::string measured_text(const std::vector<MeasuredTask>& tasks) {
  std::string text = kHead;
  for (const MeasuredTask& task : tasks) {
    text += fmt::format("\n[[task]]\nname = {}\ngpu = {}\ndriver = {}\ncuda = {}\nsm_clock = {}\ndate = {}\n",
                        quoted(task.name), quoted(task.gpu), quoted(task.driver), quoted(task.cuda), task.sm_clock,
                        quoted(task.date));
    for (const MeasuredTime& time : task.times)
      text += fmt::format(
          "\n[[task.time]]\nstep = {}\ncase = {}\nmilliseconds = {:.5g}\nsamples = {}\nbytes = {:.0f}\nflops = {:.0f}\n"
          "right = {}\nsource = {}\n",
          quoted(time.step), quoted(time.case_name), time.milliseconds, time.samples, time.bytes, time.flops,
          time.right, quoted(time.source));
  }
  return text;
}

std::string rate_text(double milliseconds, double bytes, double flops) {
  if (!(milliseconds > 0)) return "";
  if (flops > bytes * kFlopsPerByteOfBalance) return three_digits(flops / milliseconds / 1e9) + " TFLOP/s";
  return bytes > 0 ? three_digits(bytes / milliseconds / 1e6) + " GB/s" : "";
}

std::string code_hash(const std::string& source) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line.compare(first, 2, "//") == 0) continue;
    for (const char c : line + "\n") {
      hash ^= static_cast<unsigned char>(c);
      hash *= 0x100000001b3;
    }
  }
  return fmt::format("{:016x}", hash);
}

std::string milliseconds_text(double milliseconds) {
  const int decimals = milliseconds < 0.9995 ? 3 : milliseconds < 9.995 ? 2 : milliseconds < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} ms", milliseconds, decimals);
}

}  // namespace lanewise
