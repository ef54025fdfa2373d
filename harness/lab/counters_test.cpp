// Counters follow from what was counted; names that mean nothing are refused with a way out.
#include "harness/lab/counters.h"

#include <gtest/gtest.h>

#include <set>

namespace lanewise {
namespace {

std::string text_of(const std::string& name, const CounterSums& sums) {
  const Counter* const counter = find_counter(name);
  if (!counter) return "no such counter";
  return counter_text(*counter, value_of(*counter, sums));
}

TEST(Counters, NamesAreUnique) {
  std::set<std::string> names;
  std::set<std::string> headings;
  for (const Counter& counter : known_counters()) {
    EXPECT_TRUE(names.insert(counter.name).second) << counter.name;
    EXPECT_TRUE(headings.insert(counter.heading).second) << counter.heading;
  }
}

TEST(Counters, SumsAndRatios) {
  const CounterSums sums = {{"executions", 1'440'000},     {"thread_executions", 11'520'000},
                            {"global_load_sectors", 480},  {"global_load_requests", 120},
                            {"global_store_sectors", 20},  {"global_store_requests", 5},
                            {"dram_read_bytes", 900},      {"dram_write_bytes", 100},
                            {"global_atomic_sectors", 64}, {"copied_sectors", 1000}};
  EXPECT_EQ(text_of("instructions", sums), "1.44 M");
  EXPECT_EQ(text_of("active_lanes", sums), "8.00");
  EXPECT_EQ(text_of("sectors_per_request.global_load", sums), "4.00");
  EXPECT_EQ(text_of("sectors.global", sums), "500");
  EXPECT_EQ(text_of("sectors.global_fetch", sums), "480") << "other goals bound atomics";
  EXPECT_EQ(text_of("sectors.global_move", sums), "1,564") << "an atomic moves what it touches once";
  EXPECT_EQ(text_of("sectors.global_read", sums), "544");
  EXPECT_EQ(text_of("dram_bytes", sums), "1.00 kB");
  EXPECT_EQ(text_of("dram_bytes.written", sums), "100 B");
}

TEST(Counters, TimesAreShownInAUnitThatFits) {
  EXPECT_EQ(text_of("device_time", {{"device_span", 504'200}}), "0.504 ms");
  EXPECT_EQ(text_of("device_time", {{"device_span", 1'030'000}}), "1.03 ms");
}

TEST(Counters, ShareOfNothingIsNoNumber) {
  EXPECT_EQ(text_of("sectors_per_request.global_load", {}), "–");
  EXPECT_EQ(text_of("occupancy", {}), "–");
  EXPECT_EQ(text_of("bank_conflicts.shared", {}), "0");
}

TEST(Counters, NumbersAreShort) {
  const auto instructions = [](std::uint64_t number) { return text_of("instructions", {{"executions", number}}); };
  EXPECT_EQ(instructions(0), "0");
  EXPECT_EQ(instructions(999'999), "999,999");
  EXPECT_EQ(instructions(1'000'000), "1.00 M");
  EXPECT_EQ(instructions(12'340'000), "12.3 M");
  EXPECT_EQ(instructions(123'400'000'000), "123 G");
  EXPECT_EQ(text_of("occupancy", {{"warps_per_sm", 48}, {"max_warps_per_sm", 64}}), "75 %");
  EXPECT_EQ(text_of("wavefronts_per_request.shared", {{"shared_load_wavefronts", 32}, {"shared_load_requests", 1}}),
            "32.00");
}

TEST(Counters, UnknownNamesGetAWayOut) {
  EXPECT_EQ(unknown_counter("sector_per_request.global_load"),
            "there is no counter 'sector_per_request.global_load'; did you mean 'sectors_per_request.global_load'?");
  EXPECT_EQ(unknown_counter("x"), "there is no counter 'x'; 'lanewise bench --list-counters' lists them");
}

}  // namespace
}  // namespace lanewise
