// The vocabulary of counters: one entry per name, in families by kind of access.
#include "harness/lab/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/lab/nearest_name.h"
#include "harness/lab/number_text.h"
#include "harness/lab/time_text.h"

namespace lanewise {
namespace {

using Names = std::vector<std::string>;

/// A kind of access: the end of a counter's name, and the report's counters behind it.
struct Access {
  std::string name;
  std::string words;
  Names prefixes;
};

Names with_suffix(const Names& prefixes, const std::string& suffix) {
  Names names;
  names.reserve(prefixes.size());
  for (const std::string& prefix : prefixes) names.push_back(prefix + suffix);
  return names;
}

void add(std::vector<Counter>& all, const std::string& name, const std::string& heading, CounterUnit unit, Names parts,
         Names per = {}) {
  all.push_back({name, heading, unit, std::move(parts), std::move(per)});
}

void add_sectors(std::vector<Counter>& all, const Access& access) {
  const Names requests = with_suffix(access.prefixes, "_requests");
  const Names sectors = with_suffix(access.prefixes, "_sectors");
  add(all, "requests." + access.name, "requests, " + access.words, CounterUnit::kCount, requests);
  add(all, "sectors." + access.name, "sectors, " + access.words, CounterUnit::kCount, sectors);
  add(all, "sectors_per_request." + access.name, "sectors per request, " + access.words, CounterUnit::kRatio, sectors,
      requests);
}

void add_sector_use(std::vector<Counter>& all, const Access& access) {
  add(all, "sector_use." + access.name, "use of sectors, " + access.words, CounterUnit::kPercent,
      with_suffix(access.prefixes, "_ideal_sectors"), with_suffix(access.prefixes, "_sectors"));
}

void add_banks(std::vector<Counter>& all, const Access& access) {
  const Names requests = with_suffix(access.prefixes, "_requests");
  const Names wavefronts = with_suffix(access.prefixes, "_wavefronts");
  add(all, "requests." + access.name, "requests, " + access.words, CounterUnit::kCount, requests);
  add(all, "wavefronts." + access.name, "wavefronts, " + access.words, CounterUnit::kCount, wavefronts);
  add(all, "wavefronts_per_request." + access.name, "wavefronts per request, " + access.words, CounterUnit::kRatio,
      wavefronts, requests);
  add(all, "bank_conflicts." + access.name, "bank conflicts, " + access.words, CounterUnit::kCount,
      with_suffix(access.prefixes, "_conflicts"));
}

// An atomic request takes as many turns as there are lanes on its busiest address.
void add_atomics(std::vector<Counter>& all, const Access& access) {
  const Names requests = with_suffix(access.prefixes, "_requests");
  const Names turns = with_suffix(access.prefixes, "_depth");
  add(all, "atomics." + access.name, "requests, " + access.words, CounterUnit::kCount, requests);
  add(all, "atomic_turns." + access.name, "turns, " + access.words, CounterUnit::kCount, turns);
  add(all, "atomic_turns_per_request." + access.name, "turns per request, " + access.words, CounterUnit::kRatio, turns,
      requests);
}

std::vector<Counter> make_counters() {
  std::vector<Counter> all;
  add(all, "instructions", "warp instructions", CounterUnit::kCount, {"executions"});
  add(all, "thread_instructions", "thread instructions", CounterUnit::kCount, {"thread_executions"});
  add(all, "active_lanes", "active lanes", CounterUnit::kRatio, {"thread_executions"}, {"executions"});
  add(all, "branches", "conditional branches", CounterUnit::kCount, {"branches"});
  add(all, "divergent_branches", "divergent branches", CounterUnit::kCount, {"divergent_branches"});
  add(all, "divergence", "branches that diverge", CounterUnit::kPercent, {"divergent_branches"}, {"branches"});
  add(all, "barriers", "barriers (warps)", CounterUnit::kCount, {"barriers"});
  add(all, "barrier_wait", "steps waited at barriers", CounterUnit::kCount, {"barrier_wait"});

  const Access global_load{"global_load", "global loads", {"global_load"}};
  const Access global_store{"global_store", "global stores", {"global_store"}};
  const Access global{"global", "global memory", {"global_load", "global_store"}};
  const Access local_load{"local_load", "local loads", {"local_load"}};
  const Access local_store{"local_store", "local stores", {"local_store"}};
  const Access local{"local", "local memory", {"local_load", "local_store"}};
  for (const Access& access : {global_load, global_store, global}) {
    add_sectors(all, access);
    add_sector_use(all, access);
  }
  for (const Access& access : {local_load, local_store, local}) add_sectors(all, access);
  // What goals bound: a read is a read, and a write a write, whatever instruction it is made by. Only where another
  // goal bounds atomics may one leave them out.
  add_sectors(all, {"global_read", "global reads", {"global_load", "other_load", "global_atomic"}});
  add_sectors(all, {"global_fetch", "global loads of any kind", {"global_load", "other_load"}});
  add_sectors(all, {"global_write", "global writes", {"global_store", "other_store", "global_atomic"}});
  add_sectors(all, {"global_move",
                    "global loads, stores, atomics and copies of any kind",
                    {"global_load", "other_load", "global_store", "other_store", "global_atomic", "copied"}});
  add_banks(all, {"shared_load", "shared loads", {"shared_load"}});
  add_banks(all, {"shared_store", "shared stores", {"shared_store"}});
  add_banks(all, {"shared", "shared memory", {"shared_load", "shared_store"}});
  add_atomics(all, {"global", "global atomics", {"global_atomic"}});
  add_atomics(all, {"shared", "shared atomics", {"shared_atomic"}});
  add(all, "bank_conflicts.shared_atomic", "bank conflicts, shared atomics", CounterUnit::kCount,
      {"shared_atomic_conflicts"});
  add(all, "most_atomic_turns.global", "most turns of one request, global atomics", CounterUnit::kCount,
      {"global_atomic_max_depth"});
  add(all, "most_atomic_turns.shared", "most turns of one request, shared atomics", CounterUnit::kCount,
      {"shared_atomic_max_depth"});

  add(all, "dram_bytes", "device memory", CounterUnit::kBytes, {"dram_read_bytes", "dram_write_bytes"});
  add(all, "dram_bytes.read", "device memory, read", CounterUnit::kBytes, {"dram_read_bytes"});
  add(all, "dram_bytes.written", "device memory, written", CounterUnit::kBytes, {"dram_write_bytes"});
  add(all, "l2_sectors", "sectors, L2 cache", CounterUnit::kCount, {"l2_read_sectors", "l2_write_sectors"});
  add(all, "l2_hits", "hits, L2 cache", CounterUnit::kPercent, {"l2_hits"}, {"l2_read_sectors", "l2_write_sectors"});
  add(all, "flops", "floating-point operations", CounterUnit::kCount, {"fp16", "fp32", "fp64"});
  add(all, "flops.fp32", "fp32 operations", CounterUnit::kCount, {"fp32"});
  add(all, "flops_per_instruction", "flops per warp instruction", CounterUnit::kRatio, {"fp16", "fp32", "fp64"},
      {"executions"});
  add(all, "modelled_ns", "modelled ns", CounterUnit::kCount, {"modelled_nanoseconds"});
  add(all, "kernels", "kernels launched", CounterUnit::kCount, {"launches"});
  add(all, "host_requests", "requests by the host", CounterUnit::kCount, {"host_requests"});
  add(all, "host_waits", "waits of the host", CounterUnit::kCount, {"host_waits"});
  add(all, "device_time", "device time", CounterUnit::kNanoseconds, {"device_span"});
  add(all, "occupancy", "occupancy", CounterUnit::kPercent, {"warps_per_sm"}, {"max_warps_per_sm"});
  add(all, "registers", "registers per thread", CounterUnit::kCount, {"registers"});
  add(all, "shared_bytes", "shared memory per block", CounterUnit::kBytes, {"shared_bytes"});
  return all;
}

// Three digits and a unit; a whole number below a thousand.
std::string with_unit(double value, double step, const std::vector<const char*>& units) {
  std::size_t unit = 0;
  while (value >= step && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f}{}", value, units[0]);
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", value, decimals, units[unit]);
}

std::string count_text(double value) {
  constexpr double kLargestInFull = 999'999;
  if (value <= kLargestInFull) return with_commas(static_cast<std::uint64_t>(value));
  return with_unit(value, 1000, {"", " k", " M", " G", " T"});
}

std::string two_decimals(double value) {
  constexpr double kLargestWithDecimals = 1000;
  return value < kLargestWithDecimals ? fmt::format("{:.2f}", value) : count_text(std::round(value));
}

}  // namespace

std::uint64_t sum_of(const std::vector<std::string>& names, const CounterSums& sums) {
  std::uint64_t total = 0;
  for (const std::string& name : names)
    if (const auto found = sums.find(name); found != sums.end()) total += found->second;
  return total;
}

const std::vector<Counter>& known_counters() {
  static const std::vector<Counter> kCounters = make_counters();
  return kCounters;
}

const Counter* find_counter(const std::string& name) {
  for (const Counter& counter : known_counters())
    if (counter.name == name) return &counter;
  return nullptr;
}

std::string unknown_counter(const std::string& name) {
  std::vector<std::string> known;
  for (const Counter& counter : known_counters()) known.push_back(counter.name);
  return unknown_name("counter", name, known, "'lanewise bench --list-counters' lists them");
}

std::optional<double> value_of(const Counter& counter, const CounterSums& sums) {
  const auto value = static_cast<double>(sum_of(counter.parts, sums));
  if (counter.per.empty()) return value;
  const std::uint64_t divisor = sum_of(counter.per, sums);
  if (divisor == 0) return std::nullopt;
  return value / static_cast<double>(divisor);
}

std::string counter_text(const Counter& counter, std::optional<double> value) {
  if (!value) return "–";
  switch (counter.unit) {
    case CounterUnit::kCount:
      return count_text(*value);
    case CounterUnit::kRatio:
      return two_decimals(*value);
    case CounterUnit::kBytes:
      return with_unit(*value, 1000, {" B", " kB", " MB", " GB", " TB"});
    case CounterUnit::kPercent:
      return fmt::format("{:.0f} %", *value * 100);
    case CounterUnit::kNanoseconds:
      return time_text(*value * 1e-6);
  }
  return "–";
}

}  // namespace lanewise
