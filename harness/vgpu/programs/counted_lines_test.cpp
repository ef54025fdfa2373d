// What counters report of a whole program, compiled by nvcc and run as anybody would: the document is whole, says of
// each line what its source says, and is the same every time.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

namespace vgpu::counted_lines_test {
namespace {

using Json = nlohmann::json;

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Outcome {
  std::string output, report;
};

Outcome run(const std::string& settings) {
  const std::string report = testing::TempDir() + "counted_lines.json";
  std::remove(report.c_str());
  const std::string command = "LD_LIBRARY_PATH=" VGPU_RUNTIME_FOLDER " LANEWISE_VGPU_REPORT=" + report + " " +
                              settings + " " VGPU_PROGRAMS_BINARY "/counted_lines 2>&1";
  Outcome done;
  FILE* const pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (pipe != nullptr && std::fgets(buffer, sizeof buffer, pipe) != nullptr) done.output += buffer;
  if (pipe != nullptr) pclose(pipe);
  done.report = contents_of(report);
  std::remove(report.c_str());
  return done;
}

/// The run that most tests look at, once.
const Json& document() {
  static const Json kDocument = Json::parse(run("").report);
  return kDocument;
}

const Json& kernel(const std::string& name) {
  for (const Json& kernel : document()["kernels"])
    if (kernel["name"].get<std::string>().rfind(name, 0) == 0) return kernel;
  throw std::runtime_error("there is no kernel " + name);
}

std::uint64_t counter(const Json& counts, const std::string& name) {
  return counts.contains(name) ? counts[name].get<std::uint64_t>() : 0;
}

/// By line of the source.
std::map<int, std::map<std::string, std::uint64_t>> expected_counts() {
  std::map<int, std::map<std::string, std::uint64_t>> all;
  std::ifstream source(VGPU_PROGRAMS_SOURCE "/counted_lines.cu");
  const std::string mark = "// counts: ";
  int number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    const std::size_t at = line.find(mark);
    if (at == std::string::npos || line.find_first_not_of(' ') != at) continue;
    std::istringstream words(line.substr(at + mark.size()));
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      all[number + 1][word.substr(0, equals)] = std::stoull(word.substr(equals + 1));
    }
  }
  return all;
}

TEST(CountedLines, CostWhatTheirSourceSays) {
  const auto expected = expected_counts();
  EXPECT_GE(expected.size(), 14u);
  std::map<int, Json> lines;
  for (const Json& kernel : document()["kernels"])
    for (const Json& line : kernel["lines"]) {
      EXPECT_EQ(line["file"], VGPU_PROGRAMS_SOURCE "/counted_lines.cu");
      lines[line["line"].get<int>()] = line;
    }
  for (const auto& [number, counts] : expected)
    for (const auto& [name, value] : counts)
      EXPECT_EQ(counter(lines[number], name), value) << name << " of line " << number << ": " << lines[number];
}

TEST(CountedLines, AddUpToTheirKernelsTotals) {
  for (const Json& kernel : document()["kernels"]) {
    std::map<std::string, std::uint64_t> sums;
    for (const Json& line : kernel["lines"])
      for (const auto& [name, value] : line.items())
        if (name != "file" && name != "line" && name.find("max") == std::string::npos)
          sums[name] += value.get<std::uint64_t>();
    for (const auto& [name, sum] : sums)
      EXPECT_EQ(counter(kernel["totals"], name), sum) << kernel["name"] << " " << name;
  }
}

TEST(Report, SaysWhatItIsAndOfWhichDevice) {
  EXPECT_EQ(document()["schema"], "lanewise-vgpu-report");
  EXPECT_EQ(document()["version"], 2);
  EXPECT_EQ(document()["findings"], Json::array());
  const Json& device = document()["device"];
  EXPECT_EQ(device["name"], "NVIDIA H200");
  EXPECT_EQ(device["sm_count"], 132);
  EXPECT_EQ(device["compute_capability"], "9.0");
  EXPECT_EQ(device["l2_bytes"], 62914560);
  EXPECT_EQ(device["dram_bytes_per_second"], 4814304000000) << "3,201 MHz, twice a clock, 6,016 bits";
  EXPECT_EQ(device["fp32_flops_per_second"], 66908160000000) << "132 x 128 multiply-adds at 1,980 MHz";
  EXPECT_LT(device["reached_dram_bytes_per_second"], device["dram_bytes_per_second"]);
  EXPECT_GT(device["l2_bytes_per_second"], device["dram_bytes_per_second"]);
}

TEST(Report, KernelsAreInTheOrderOfTheirFirstLaunches) {
  std::string names;
  for (const Json& kernel : document()["kernels"]) {
    const auto name = kernel["name"].get<std::string>();
    names += name.substr(0, name.find('(')) + " ";
  }
  EXPECT_EQ(names, "transpose_rows copy_vectors tiles uneven_loops contention ");
  EXPECT_EQ(kernel("tiles")["launches"], 1);
  EXPECT_EQ(kernel("contention")["launches"], 2);
  EXPECT_EQ(kernel("tiles")["grid"], (Json{2, 1, 1}));
  EXPECT_EQ(kernel("tiles")["block"], (Json{128, 1, 1}));
  EXPECT_EQ(kernel("tiles")["static_shared_bytes"], 4 * 32 * (32 + 33));
}

TEST(Report, OccupancyHasItsLimiter) {
  // 8,320 bytes and 1,024 for the system: 9,344 of 233,472 are 24 blocks; by threads it would be 16.
  const Json& occupancy = kernel("tiles")["occupancy"];
  EXPECT_EQ(occupancy["blocks_per_sm"], 16);
  EXPECT_EQ(occupancy["warps_per_sm"], 64);
  EXPECT_EQ(occupancy["max_warps_per_sm"], 64);
  EXPECT_EQ(occupancy["limiter"], "warps");
  EXPECT_GT(kernel("tiles")["registers"], 0);
}

TEST(Report, APatternHasTheAddressesOfEachLane) {
  const Json* found = nullptr;
  for (const Json& pattern : kernel("transpose_rows")["patterns"])
    if (pattern["kind"] == "store") found = &pattern;
  ASSERT_NE(found, nullptr);
  const Json& pattern = *found;
  EXPECT_EQ(pattern["space"], "global");
  EXPECT_EQ(pattern["bytes"], 4);
  EXPECT_EQ(pattern["sectors"], 32);
  EXPECT_EQ(pattern["ideal_sectors"], 4);
  ASSERT_EQ(pattern["addresses"].size(), 32u);
  EXPECT_EQ(pattern["addresses"][1].get<std::uint64_t>() - pattern["addresses"][0].get<std::uint64_t>(), 128u);
}

TEST(Report, LanesThatTakeNoPartHaveNoAddress) {
  for (const Json& pattern : kernel("contention")["patterns"]) {
    if (pattern["space"] != "shared" || pattern["kind"] != "store") continue;
    EXPECT_TRUE(pattern["addresses"][3].is_number());
    EXPECT_TRUE(pattern["addresses"][4].is_null());
    EXPECT_EQ(pattern["array"], "own");
    return;
  }
  FAIL() << "no store to shared memory";
}

TEST(Report, SpansOfATimelineFollowEachOther) {
  for (const Json& kernel : document()["kernels"]) {
    ASSERT_EQ(kernel["timeline"]["warps"].size(), 4u);
    for (const Json& warp : kernel["timeline"]["warps"]) {
      std::uint64_t end = 0;
      for (const Json& span : warp["spans"]) {
        EXPECT_EQ(span[0], end);
        EXPECT_GT(span[1], span[0]);
        end = span[1].get<std::uint64_t>();
      }
    }
  }
}

TEST(Report, IsTheSameEveryTime) {
  const Outcome first = run("LANEWISE_VGPU_SEED=3"), second = run("LANEWISE_VGPU_SEED=3");
  EXPECT_EQ(first.report, second.report);
  EXPECT_EQ(first.output, second.output);
}

TEST(Report, CountersAreTheSameWithAndWithoutCheckers) {
  EXPECT_EQ(Json::parse(run("LANEWISE_VGPU_MONITORS=counters").report), document());
}

TEST(Report, HasNoKernelsWhereNothingWasCounted) {
  const Json report = Json::parse(run("LANEWISE_VGPU_MONITORS=memcheck").report);
  EXPECT_FALSE(report.contains("kernels"));
  EXPECT_TRUE(report.contains("findings"));
}

TEST(Report, TheTimelinesBlockCanBeChosen) {
  const Json report = Json::parse(run("LANEWISE_VGPU_TIMELINE_BLOCK=1").report);
  EXPECT_EQ(report["kernels"][0]["timeline"]["block"], (Json{1, 0, 0}));
  EXPECT_EQ(report["kernels"][4]["timeline"], nullptr) << "a grid of one block";
  const Outcome wrong = run("LANEWISE_VGPU_TIMELINE_BLOCK=x");
  EXPECT_NE(wrong.output.find("LANEWISE_VGPU_TIMELINE_BLOCK=x"), std::string::npos) << wrong.output;
}

}  // namespace
}  // namespace vgpu::counted_lines_test
