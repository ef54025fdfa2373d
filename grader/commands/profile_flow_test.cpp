// `lanewise profile` as a user meets it: the virtual GPU, measured, has the numbers of the profile that it was given.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/runner/process.h"
#include "harness/vgpu/cost/profile.h"

namespace lanewise::profile_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kGenerous(900);  // ten seconds of processor time, on a machine that others use, too

class ProfileFlow : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  Finished run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "profile");
    return run_lanewise(std::move(arguments));
  }
  Finished run_lanewise(std::vector<std::string> arguments, const std::vector<std::string>& environment = {}) const {
    arguments.insert(arguments.begin(), LANEWISE_EXECUTABLE);
    ProcessOptions options;
    options.command = std::move(arguments);
    options.environment = {std::string("PATH=") + std::getenv("PATH"), "LANG=C.UTF-8"};
    options.environment.insert(options.environment.end(), environment.begin(), environment.end());
    options.folder = folder_;
    auto finished = run_to_end(options, kGenerous, 1 << 20);
    EXPECT_TRUE(finished) << finished.sentence();
    return *finished;
  }
  static int exit_code(const Finished& finished) {
    return WIFEXITED(finished.status) ? WEXITSTATUS(finished.status) : -1;
  }
  static bool says(const Finished& finished, const std::string& text) {
    return finished.output.find(text) != std::string::npos;
  }

  fs::path folder_ = fs::temp_directory_path() / ("lanewise_profile_flow_test_" + std::to_string(getpid()));
};

class EachProfile : public ProfileFlow, public testing::WithParamInterface<const char*> {};

// Two percent, and where a kernel's own work is part of what is measured, 32 clocks: its begin and end take about
// thirty. A cache is found to a 32nd of its size. What is taken over comes from the A100, or from the T4 if that is the
// A100 itself.
TEST_P(EachProfile, IsWhatTheVirtualGpuGivesBack) {
  const std::string name = GetParam();
  const std::string other = name == "a100" ? "t4" : "a100";
  std::ofstream(folder_ / "known.toml") << run({"--show", name}).output;
  const Finished finished =
      run({"--measure", "--backend", "vgpu", "--profile", "known.toml", "--like", other, "--out", "measured.toml"});
  ASSERT_EQ(exit_code(finished), 0) << finished.output;
  EXPECT_TRUE(says(finished, "rates.launch_nanoseconds")) << "beside what is known: " << finished.output;
  const auto measured = vgpu::load_profile(folder_ / "measured.toml");
  ASSERT_TRUE(std::holds_alternative<vgpu::DeviceProfile>(measured)) << std::get<std::string>(measured);
  const auto& device = std::get<vgpu::DeviceProfile>(measured);
  const auto known = std::get<vgpu::DeviceProfile>(vgpu::load_profile(name));
  const auto expect_near = [&](double number, double expected, const char* what) {
    EXPECT_NEAR(number / expected, 1, 0.02) << what << " of " << name;
  };
  const auto expect_within_clocks = [&](double nanoseconds, double expected, const char* what) {
    EXPECT_NEAR(nanoseconds, expected, 32 / known.gigahertz()) << what << " of " << name;
  };
  expect_near(device.latency.shared, known.latency.shared, "latency.shared");
  expect_near(device.latency.l1, known.latency.l1, "latency.l1");
  expect_near(device.latency.l2, known.latency.l2, "latency.l2");
  expect_near(device.latency.dram, known.latency.dram, "latency.dram");
  expect_near(device.latency.block, known.latency.block, "latency.block");
  const double l2_bytes = static_cast<double>(known.attributes.at("L2CacheSize"));
  EXPECT_NEAR(static_cast<double>(device.l2_held_bytes), static_cast<double>(known.l2_held_bytes), l2_bytes / 32);
  const auto &rates = device.rates, &rates_known = known.rates;
  expect_near(rates.dram_percent, rates_known.dram_percent, "dram_percent");
  expect_near(rates.l2_bytes_per_clock, rates_known.l2_bytes_per_clock, "l2_bytes_per_clock");
  EXPECT_NEAR(rates.atomic_turns_per_clock, rates_known.atomic_turns_per_clock, 1);
  expect_near(rates.atomic_line_picoseconds, rates_known.atomic_line_picoseconds, "atomic_line_picoseconds");
  EXPECT_EQ(rates.match_clocks, rates_known.match_clocks);
  expect_within_clocks(rates.launch_nanoseconds, rates_known.launch_nanoseconds, "launch_nanoseconds");
  expect_near(rates.launch_host_nanoseconds, rates_known.launch_host_nanoseconds, "launch_host_nanoseconds");
  expect_within_clocks(rates.reach_nanoseconds, rates_known.reach_nanoseconds, "reach_nanoseconds");
  expect_within_clocks(rates.graph_launch_nanoseconds, rates_known.graph_launch_nanoseconds,
                       "graph_launch_nanoseconds");
  expect_near(rates.graph_node_host_nanoseconds, rates_known.graph_node_host_nanoseconds, "graph_node_host");
  expect_near(rates.malloc_host_nanoseconds, rates_known.malloc_host_nanoseconds, "malloc_host_nanoseconds");
  expect_near(rates.free_host_nanoseconds, rates_known.free_host_nanoseconds, "free_host_nanoseconds");
  expect_near(rates.allocate_host_nanoseconds, rates_known.allocate_host_nanoseconds, "allocate_host_nanoseconds");
  expect_near(rates.map_host_nanoseconds, rates_known.map_host_nanoseconds, "map_host_nanoseconds");
  expect_within_clocks(rates.copy_nanoseconds, rates_known.copy_nanoseconds, "copy_nanoseconds");
  expect_near(rates.host_megabytes_per_second, rates_known.host_megabytes_per_second, "host_megabytes_per_second");
  expect_near(rates.pageable_megabytes_per_second, rates_known.pageable_megabytes_per_second, "pageable");
  expect_near(rates.pin_megabytes_per_second, rates_known.pin_megabytes_per_second, "pin_megabytes_per_second");
  expect_near(rates.peer_megabytes_per_second, rates_known.peer_megabytes_per_second, "peer_megabytes_per_second");
  EXPECT_EQ(device.fp32_fmas, known.fp32_fmas);
  EXPECT_EQ(device.fp64_fmas, known.fp64_fmas);
  EXPECT_EQ(device.int32_lanes, known.int32_lanes);
  EXPECT_EQ(device.special_lanes, known.special_lanes);
  EXPECT_EQ(device.name, known.name);
  EXPECT_EQ(device.memory, known.memory);
  EXPECT_EQ(device.pitch_alignment, known.pitch_alignment);
  EXPECT_EQ(device.limits, known.limits);
  EXPECT_EQ(device.sm_count, known.sm_count);
  const auto taken_over = std::get<vgpu::DeviceProfile>(vgpu::load_profile(other));
  EXPECT_EQ(rates.issue_percent, taken_over.rates.issue_percent);
  EXPECT_EQ(device.tensor_fmas, taken_over.tensor_fmas);
}

INSTANTIATE_TEST_SUITE_P(OfTheTree, EachProfile, testing::Values("t4", "a100", "rtx4090", "h200"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_F(ProfileFlow, IsOneThatProgramsRunWith) {
  std::string mine = run({"--show", "t4"}).output;
  const std::string name = "Tesla T4";
  mine.replace(mine.find('"' + name + '"') + 1, name.size(), "My own");
  std::ofstream(folder_ / "mine.toml") << mine;
  std::ofstream(folder_ / "name.cu") << "#include <cuda_runtime.h>\n#include <cstdio>\nint main() { cudaDeviceProp "
                                        "device; cudaGetDeviceProperties(&device, 0); puts(device.name); }\n";
  ASSERT_EQ(exit_code(run_lanewise({"nvcc", "-o", "name", "name.cu"})), 0);
  const Finished finished = run_lanewise({"run", "--profile", "mine.toml", "--", "./name"});
  EXPECT_EQ(exit_code(finished), 0);
  EXPECT_TRUE(says(finished, "My own")) << finished.output;
}

TEST_F(ProfileFlow, ReplacesAFileOnlyIfTold) {
  std::ofstream(folder_ / "mine.toml") << "mine";
  const Finished finished = run({"--measure", "--backend", "vgpu", "--out", "mine.toml"});
  EXPECT_EQ(exit_code(finished), 2);
  EXPECT_TRUE(says(finished, "mine.toml exists; --force replaces it")) << finished.output;
  std::string text;
  std::getline(std::ifstream(folder_ / "mine.toml"), text);
  EXPECT_EQ(text, "mine");
}

TEST_F(ProfileFlow, ListsAndShowsWhatThereIs) {
  const Finished all = run({"--list"});
  EXPECT_EQ(exit_code(all), 0);
  EXPECT_EQ(run({}).output, all.output);
  for (const std::string& name : vgpu::built_in_profiles()) {
    EXPECT_TRUE(says(all, name + " ")) << all.output;
    const Finished one = run({"--show", name});
    EXPECT_EQ(exit_code(one), 0);
    EXPECT_TRUE(std::holds_alternative<vgpu::DeviceProfile>(vgpu::parse_profile(one.output))) << name;
  }
}

TEST_F(ProfileFlow, ALabMayHaveOneOfItsOwn) {
  const fs::path labs = folder_ / "labs", lab = labs / "vecadd";
  fs::create_directories(labs);
  fs::copy(fs::path(LANEWISE_LABS_FOLDER) / "vecadd", lab, fs::copy_options::recursive);
  fs::copy(fs::path(LANEWISE_LABS_FOLDER) / "cuda_host.cuh", labs);
  std::stringstream text;
  text << std::ifstream(lab / "lab.toml").rdbuf();
  std::string toml = text.str();
  const std::string named = "profile = \"h200\"";
  toml.replace(toml.find(named), named.size(), "profile = \"ours.toml\"");
  std::ofstream(lab / "lab.toml") << toml;
  const fs::path submission = fs::path(LANEWISE_SOLUTIONS_FOLDER) / "vecadd/vec_add_device/2_float4.cu";
  const auto check = [&] {
    return run_lanewise({"check", "vec_add_device", "--backend", "vgpu", "--submission", submission.string()},
                        {"LANEWISE_LABS=" + labs.string(), "LANEWISE_CACHE=" + (folder_ / "cache").string()});
  };
  const Finished missing = check();
  EXPECT_EQ(exit_code(missing), 3);
  EXPECT_TRUE(says(missing, "the file 'ours.toml' is not in ")) << missing.output;

  std::string profile = std::get<vgpu::ProfileText>(vgpu::profile_text("t4")).toml;
  profile.replace(profile.find("Tesla T4"), 8, "Our Card");
  std::ofstream(lab / "ours.toml") << profile;
  const Finished checked = check();
  EXPECT_EQ(exit_code(checked), 0) << checked.output;
  EXPECT_TRUE(says(checked, "virtual GPU (Our Card profile)")) << checked.output;
  EXPECT_TRUE(says(checked, "modelled ") && says(checked, " on Our Card")) << checked.output;
}

TEST_F(ProfileFlow, SaysWhatItDoesNotKnow) {
  const Finished unknown = run({"--show", "b200"});
  EXPECT_EQ(exit_code(unknown), 2);
  EXPECT_TRUE(says(unknown, "there is no device profile 'b200': give one of ")) << unknown.output;
  EXPECT_EQ(exit_code(run({"--out", "a.toml"})), 2) << "nothing is measured";
  for (const char* const option : {"--profile", "--like"}) {
    const Finished named = run({"--measure", "--backend", "vgpu", option, "b200", "--out", "a.toml"});
    EXPECT_EQ(exit_code(named), 2) << option;
    EXPECT_TRUE(says(named, "there is no device profile 'b200'")) << named.output;
    EXPECT_FALSE(says(named, "compiling")) << "before anything is measured: " << named.output;
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace lanewise::profile_flow_test
