// Modelled time of a whole program: each kernel waits for what it was written to wait for, events and the report tell
// the same time, and other profiles tell another.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace vgpu::modelled_time_test {
namespace {

using Json = nlohmann::json;

struct Outcome {
  std::map<std::string, double> nanoseconds;  ///< by event
  std::map<std::string, Json> kernels;        ///< what is modelled of each
  Json total;
  std::string text;  ///< of the whole report
};

Outcome run(const std::string& settings = {}, const std::string& arguments = {}) {
  const std::string report = testing::TempDir() + "modelled_time.json";
  const std::string command =
      "LD_LIBRARY_PATH=" VGPU_RUNTIME_FOLDER " LANEWISE_VGPU_MONITORS=counters LANEWISE_VGPU_REPORT=" + report + " " +
      settings + " " VGPU_PROGRAMS_BINARY "/modelled_time " + arguments;
  Outcome outcome;
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (pipe != nullptr && std::fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
  EXPECT_EQ(pipe != nullptr ? pclose(pipe) : 1, 0) << output;
  std::istringstream words(output);
  double nanoseconds = 0;
  for (std::string name; words >> name >> nanoseconds;) outcome.nanoseconds[name] = nanoseconds;
  std::stringstream text;
  text << std::ifstream(report).rdbuf();
  outcome.text = text.str();
  std::remove(report.c_str());
  const Json document = Json::parse(outcome.text);
  outcome.total = document["modelled"];
  for (const Json& kernel : document["kernels"]) {
    const std::string name = kernel["name"];
    outcome.kernels[name.substr(0, name.find('('))] = kernel["modelled"];
  }
  return outcome;
}

/// The run that most tests look at, once.
const Outcome& h200() {
  static const Outcome kOutcome = run();
  return kOutcome;
}

TEST(ModelledTime, EachKernelWaitsForWhatItWasWrittenToWaitFor) {
  const std::map<std::string, std::string> expected = {{"nothing", "launches"},
                                                       {"copies", "memory"},
                                                       {"divides", "arithmetic"},
                                                       {"conflicts", "shared memory"},
                                                       {"counts", "atomics in shared memory"},
                                                       {"queues", "atomics"},
                                                       {"chases", "latency"},
                                                       {"scattered", "L2 cache"}};
  for (const auto& [kernel, bound] : expected) EXPECT_EQ(h200().kernels.at(kernel)["bound_by"], bound) << kernel;
  const std::string bound = h200().kernels.at("multiplies")["bound_by"];
  EXPECT_TRUE(bound == "instruction issue" || bound == "arithmetic") << bound;
}

TEST(ModelledTime, CountersThatAreBlamedAreInTheReport) {
  EXPECT_EQ(h200().kernels.at("conflicts")["bound_counter"], "shared_load_wavefronts");
  EXPECT_EQ(h200().kernels.at("queues")["bound_counter"], "global_atomic_sectors");
  EXPECT_EQ(h200().kernels.at("nothing")["bound_counter"], nullptr);
}

TEST(ModelledTime, EventsTellTheModelledTime) {
  for (const auto& [kernel, modelled] : h200().kernels) {
    const double told = modelled["nanoseconds"].get<double>(), between = h200().nanoseconds.at(kernel);
    EXPECT_GE(between, told * 0.999) << kernel << ": events are not closer together than what is between them";
    EXPECT_LE(between, told * 1.001 + 10000) << kernel << ": and further apart by what the host does only";
  }
}

TEST(ModelledTime, KernelsOfAGraphFollowEachOtherFasterOnceItIsInstantiated) {
  const double launches = h200().nanoseconds.at("launches"), graph = h200().nanoseconds.at("launches_of_a_graph");
  EXPECT_LT(graph, launches / 2);
  EXPECT_EQ(h200().nanoseconds.at("instantiation"), 20 * 4500) << "a graph that is launched once does not pay";
}

TEST(ModelledTime, CopiesInBothDirectionsGoOnAtTheSameTime) {
  const double after = h200().nanoseconds.at("one_after_the_other"),
               together = h200().nanoseconds.at("at_the_same_time");
  EXPECT_LT(together, 0.7 * after);
  EXPECT_GT(together, 0.4 * after);
}

TEST(ModelledTime, CopiesWithinTheDeviceMoveWholeSectors) {
  EXPECT_EQ(h200().total["copied_sectors"], 2 * (std::size_t{1} << 26) / 32);
  EXPECT_NEAR(h200().nanoseconds.at("row_by_row") / h200().nanoseconds.at("in_one_piece"), 1, 0.01);
}

TEST(ModelledTime, TheWholeIsNoLongerThanItsParts) {
  std::uint64_t parts = 0;
  for (const auto& [part, nanoseconds] : h200().total.items())
    if (nanoseconds.is_number() && part != "nanoseconds") parts += nanoseconds.get<std::uint64_t>();
  EXPECT_LT(h200().total["nanoseconds"].get<std::uint64_t>(), parts);
  std::uint64_t kernels = 0;
  for (const auto& [kernel, modelled] : h200().kernels) kernels += modelled["nanoseconds"].get<std::uint64_t>();
  EXPECT_NEAR(h200().total["kernels"].get<double>(), static_cast<double>(kernels), 10.0) << "rounded one by one";
}

TEST(ModelledTime, TheDeviceWorksLongerThanItTakes) {
  std::uint64_t work = 0;
  for (const char* part : {"kernels", "fills", "copies_within", "copies_in", "copies_out"})
    work += h200().total[part].get<std::uint64_t>();
  const auto span = h200().total["device_span"].get<std::uint64_t>();
  EXPECT_LT(span, work) << "two copies went on at the same time";
  EXPECT_LE(span, h200().total["nanoseconds"].get<std::uint64_t>());
  EXPECT_GT(h200().total["host_requests"].get<std::uint64_t>(), h200().kernels.size());
  EXPECT_GT(h200().total["host_waits"].get<std::uint64_t>(), 0U);
}

TEST(ModelledTime, WhatTookTimeBeforeTheDeviceWasResetCounts) {
  const Outcome reset = run({}, "reset");
  EXPECT_GE(reset.total["nanoseconds"].get<std::uint64_t>(), h200().total["nanoseconds"].get<std::uint64_t>());
  EXPECT_EQ(reset.total["kernels"], h200().total["kernels"]);
  EXPECT_EQ(reset.total["shares"]["kernels"], h200().total["shares"]["kernels"]);
}

TEST(ModelledTime, SharesAddUpToTheWhole) {
  const Json& total = h200().total;
  std::uint64_t sum = 0;
  for (const auto& [share, nanoseconds] : total["shares"].items()) sum += nanoseconds.get<std::uint64_t>();
  EXPECT_EQ(sum, total["nanoseconds"].get<std::uint64_t>());
  EXPECT_EQ(total["shares"]["kernels"], total["kernels"]) << "kernels come first, and one at a time";
  EXPECT_LT(total["shares"]["copies"].get<std::uint64_t>(), total["copies_in"].get<std::uint64_t>() +
                                                                total["copies_out"].get<std::uint64_t>() +
                                                                total["copies_within"].get<std::uint64_t>())
      << "some went on at the same time";
}

TEST(ModelledTime, TheReportShowsWhichCopiesOfTwoStreamsOverlap) {
  const Json activities = Json::parse(h200().text)["activities"];
  const auto overlaps = [](const Json& in, const Json& out) {
    return in["kind"] == "copy in" && out["kind"] == "copy out" && in["stream"] != out["stream"] &&
           in["begin"] < out["end"] && out["begin"] < in["end"];
  };
  int pairs = 0, overlaps_in_one_stream = 0;
  for (const Json& one : activities)
    for (const Json& other : activities) {
      pairs += overlaps(one, other) ? 1 : 0;
      const bool are_in_order = one["end"] <= other["begin"] || other["end"] <= one["begin"];
      if (&one != &other && one["stream"] == other["stream"] && !are_in_order) ++overlaps_in_one_stream;
    }
  EXPECT_GE(pairs, 1);
  EXPECT_EQ(overlaps_in_one_stream, 0);
}

TEST(ModelledTime, IsTheSameOnWhateverProcessor) {
  const char* const portable = std::getenv("LANEWISE_TEST_PORTABLE_RUNTIME");  // one that has every instruction set
  if (portable == nullptr) GTEST_SKIP() << "ctest -R vgpu_modelled_time builds the runtime that this needs";
  EXPECT_EQ(run("LD_LIBRARY_PATH=" + std::string(portable)).text, run("LANEWISE_VGPU_ISA=").text);
}

TEST(ModelledTime, IsTheSameEveryTime) { EXPECT_EQ(run("taskset -c 0").text, h200().text) << "on one core"; }

TEST(ModelledTime, AProgramForANewerArchitectureIsRefused) {
  const std::string command =
      "LD_LIBRARY_PATH=" VGPU_RUNTIME_FOLDER " LANEWISE_VGPU_PROFILE=a100 " VGPU_PROGRAMS_BINARY "/modelled_time 2>&1";
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (pipe != nullptr && std::fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
  if (pipe != nullptr) pclose(pipe);
  EXPECT_NE(output.find("the program contains no PTX for this device; build it for compute_80 or older"),
            std::string::npos)
      << output;
}

}  // namespace
}  // namespace vgpu::modelled_time_test
