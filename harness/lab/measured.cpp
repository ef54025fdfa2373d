// Reads and writes measured.toml, and formats its numbers.
#include "harness/lab/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "harness/lab/number_text.h"
#include "harness/lab/toml_list.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMeasuredHead =
    "# Made by `lanewise bench --backend gpu`; the times in README.md come from here. Milliseconds are the median of a "
    "whole\n"
    "# call, timed by two CUDA events, with the outputs poisoned and the L2 cache flushed before each sample; low and "
    "high "
    "are\n"
    "# the median's 95 % interval. Bytes and flops are those of the lab's work model; written are the bytes of its "
    "outputs.\n";

// Floating-point operations per byte above which arithmetic is the limit: 67 TFLOP/s over 4.3 TB/s on an H200.
constexpr double kFlopsPerByteOfBalance = 16;

MeasuredTime read_time(const TomlTable& table) {
  table.allow_only({"step", "case", "milliseconds", "samples", "bytes", "flops", "right", "source", "low", "high",
                    "discarded", "size", "written"});
  MeasuredTime time;
  time.step = table.text("step");
  time.case_name = table.text("case");
  time.milliseconds = table.number("milliseconds");
  if (!(time.milliseconds > 0)) table.fail("milliseconds", "the key 'milliseconds' must be greater than 0");
  time.samples = static_cast<int>(table.number("samples"));
  time.bytes = table.number("bytes");
  time.flops = table.number("flops");
  time.written = table.number("written");
  const auto right = table.raw()["right"].value_exact<bool>();
  if (!right) table.fail("right", "the key 'right' must be true or false");
  time.right = *right;
  time.source = table.text("source");
  time.low = table.number_or("low", 0);
  time.high = table.number_or("high", 0);
  if (time.low > time.milliseconds || (time.high > 0 && time.high < time.milliseconds))
    table.fail("milliseconds", "the key 'milliseconds' must lie between 'low' and 'high'");
  time.discarded = static_cast<int>(table.number_or("discarded", 0));
  time.size = table.number_or("size", 0);
  return time;
}

MeasuredTask read_measured_task(const TomlTable& table) {
  table.allow_only(
      {"name", "gpu", "driver", "cuda", "sm_clock", "date", "time", "group", "cccl", "lowest_clock", "throttling"});
  MeasuredTask task;
  task.name = table.text("name");
  task.gpu = table.text("gpu");
  task.driver = table.text("driver");
  task.cuda = table.text("cuda");
  task.sm_clock = static_cast<int>(table.number("sm_clock"));
  task.date = table.text("date");
  task.group = table.text_or("group", kRaceTimes);
  if (task.group != kRaceTimes && task.group != kCheckTimes && task.group != kScalingTimes)
    table.fail("group", fmt::format("the group '{}' is unknown; it is race, check or scaling", task.group));
  task.cccl = table.text_or("cccl", "");
  task.lowest_clock = static_cast<int>(table.number_or("lowest_clock", 0));
  task.throttling = table.text_or("throttling", "");
  for (const TomlTable& time : table.tables("time")) task.times.push_back(read_time(time));
  return task;
}

// Three significant digits below a thousand, commas above.
std::string three_digits(double value) {
  if (value >= 999.5) return with_commas(static_cast<std::int64_t>(std::llround(value)));
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

// Three significant digits, as far as microseconds and tenths of them go.
int decimals_of(double milliseconds) {
  return milliseconds < 0.09995  ? 4
         : milliseconds < 0.9995 ? 3
         : milliseconds < 9.995  ? 2
         : milliseconds < 99.95  ? 1
                                 : 0;
}

// A line of code up to its comment, if it has one.
std::string without_comment(const std::string& line) {
  bool is_quoted = false;
  std::size_t end = 0;
  for (; end < line.size(); ++end) {
    if (line[end] == '\\' && is_quoted)
      ++end;
    else if (line[end] == '"')
      is_quoted = !is_quoted;
    else if (!is_quoted && line.compare(end, 2, "//") == 0)
      break;
  }
  const std::size_t last = line.find_last_not_of(" \t\r", end == 0 ? std::string::npos : end - 1);
  return end == 0 || last == std::string::npos ? "" : line.substr(0, last + 1);
}

}  // namespace

Expected<std::vector<MeasuredTask>> read_measured(const fs::path& file) {
  return read_toml_list(file, "task", read_measured_task);
}

const MeasuredTask* find_measured(const std::vector<MeasuredTask>& tasks, const std::string& name,
                                  const std::string& group) {
  for (const MeasuredTask& task : tasks)
    if (task.name == name && task.group == group) return &task;
  return nullptr;
}

const MeasuredTime* find_time(const MeasuredTask& task, const std::string& step, const std::string& case_name) {
  for (const MeasuredTime& time : task.times)
    if (time.step == step && time.case_name == case_name) return &time;
  return nullptr;
}

std::vector<MeasuredTask> with_task(std::vector<MeasuredTask> tasks, const MeasuredTask& task) {
  const auto is_same = [&task](const MeasuredTask& each) { return each.name == task.name && each.group == task.group; };
  return with_entry(std::move(tasks), task, is_same);
}

// Unknown values get no line.
std::string measured_text(const std::vector<MeasuredTask>& tasks) {
  std::string text = kMeasuredHead;
  for (const MeasuredTask& task : tasks) {
    text += fmt::format("\n[[task]]\nname = {}\n", toml_quoted(task.name));
    if (task.group != kRaceTimes) text += fmt::format("group = {}\n", toml_quoted(task.group));
    text += fmt::format("gpu = {}\ndriver = {}\ncuda = {}\n", toml_quoted(task.gpu), toml_quoted(task.driver),
                        toml_quoted(task.cuda));
    if (!task.cccl.empty()) text += fmt::format("cccl = {}\n", toml_quoted(task.cccl));
    text += fmt::format("sm_clock = {}\n", task.sm_clock);
    if (task.lowest_clock > 0) text += fmt::format("lowest_clock = {}\n", task.lowest_clock);
    if (!task.throttling.empty()) text += fmt::format("throttling = {}\n", toml_quoted(task.throttling));
    text += fmt::format("date = {}\n", toml_quoted(task.date));
    for (const MeasuredTime& time : task.times) {
      text +=
          fmt::format("\n[[task.time]]\nstep = {}\ncase = {}\n", toml_quoted(time.step), toml_quoted(time.case_name));
      if (time.size > 0) text += fmt::format("size = {:.0f}\n", time.size);
      text += fmt::format("milliseconds = {:.5g}\n", time.milliseconds);
      // Rounded like the median, which might otherwise lie outside.
      if (time.high > 0) text += fmt::format("low = {:.5g}\nhigh = {:.5g}\n", time.low, time.high);
      text += fmt::format("samples = {}\n", time.samples);
      if (time.discarded > 0) text += fmt::format("discarded = {}\n", time.discarded);
      text += fmt::format("bytes = {:.0f}\nwritten = {:.0f}\nflops = {:.0f}\nright = {}\nsource = {}\n", time.bytes,
                          time.written, time.flops, time.right, toml_quoted(time.source));
    }
  }
  return text;
}

bool is_arithmetic(double bytes, double flops) { return flops > bytes * kFlopsPerByteOfBalance; }

double rate_of(double milliseconds, double bytes, double flops) {
  if (!(milliseconds > 0)) return 0;
  return (is_arithmetic(bytes, flops) ? flops : bytes) / milliseconds * 1e3;
}

std::string rate_text(double milliseconds, double bytes, double flops) {
  const double rate = rate_of(milliseconds, bytes, flops);
  if (!(rate > 0)) return "";
  return is_arithmetic(bytes, flops) ? three_digits(rate / 1e12) + " TFLOP/s" : three_digits(rate / 1e9) + " GB/s";
}

std::vector<std::string> code_lines(const std::string& source) {
  std::vector<std::string> code;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    line = without_comment(line);
    if (!line.empty()) code.push_back(std::move(line));
  }
  return code;
}

std::string code_hash(const std::string& source) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const std::string& code : code_lines(source))
    for (const char c : code + "\n") {
      hash ^= static_cast<unsigned char>(c);
      hash *= 0x100000001b3;
    }
  return fmt::format("{:016x}", hash);
}

std::string milliseconds_text(double milliseconds) {
  return fmt::format("{:.{}f} ms", milliseconds, decimals_of(milliseconds));
}

std::string interval_text(const MeasuredTime& time) {
  if (!(time.high > 0)) return milliseconds_text(time.milliseconds);
  const double half = std::max(time.high - time.milliseconds, time.milliseconds - time.low);
  // Enough digits to keep the interval above zero.
  int decimals = decimals_of(time.milliseconds);
  while (decimals < 5 && half > 0 && half * std::pow(10, decimals) < 0.95) ++decimals;
  return fmt::format("{:.{}f} ± {:.{}f} ms", time.milliseconds, decimals, half, decimals);
}

}  // namespace lanewise
