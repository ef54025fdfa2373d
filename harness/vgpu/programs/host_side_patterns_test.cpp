// What host code does with device memory: host_side_patterns says which of its functions are to be reported, and how.
// Wherever the devices are, and in whatever order blocks and warps run.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace vgpu::host_side_patterns_test {
namespace {

struct Pattern {
  std::string name;
  std::string reported;  // "note KIND" or "finding KIND"; empty if nothing
};

std::ostream& operator<<(std::ostream& to, const Pattern& pattern) { return to << pattern.name; }

constexpr const char* kDevicesWithin = "LD_LIBRARY_PATH=" VGPU_RUNTIME_FOLDER;
constexpr const char* kDevicesApart = "LANEWISE_VGPU_DEVICE_PROGRAM=" VGPU_DEVICES " LD_PRELOAD=" VGPU_PROGRAM_RUNTIME;

std::string output_of(const std::string& settings, const std::string& arguments) {
  std::string output;
  FILE* const pipe = popen((settings + " " VGPU_PROGRAMS_BINARY "/host_side_patterns " + arguments).c_str(), "r");
  char buffer[4096];
  while (pipe != nullptr && std::fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
  if (pipe != nullptr) pclose(pipe);
  return output;
}

nlohmann::json report_of(const std::string& name, const std::string& settings) {
  const std::string path = ::testing::TempDir() + "host_side_" + name + "_" + std::to_string(getpid()) + ".json";
  std::remove(path.c_str());
  output_of("LANEWISE_VGPU_REPORT=" + path + " " + settings, name);
  if (const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC); file != -1) {  // devices hold a lock until they end
    flock(file, LOCK_EX);
    close(file);
  }
  std::ifstream file(path);
  nlohmann::json document = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  std::remove(path.c_str());
  return document;
}

std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  std::istringstream list(output_of(kDevicesWithin, ""));
  for (std::string line; std::getline(list, line);) {
    const std::size_t space = std::min(line.find(' '), line.size());
    all.push_back({line.substr(0, space), space < line.size() ? line.substr(space + 1) : ""});
  }
  return all;
}

std::set<std::string> reported_in(const nlohmann::json& document) {
  std::set<std::string> kinds;
  for (const char* const list : {"finding", "note"})
    for (const auto& each : document.value(std::string(list) + "s", nlohmann::json::array()))
      if (each["tool"] != "runtime") kinds.insert(std::string(list) + " " + each["kind"].get<std::string>());
  kinds.erase("finding invalid write");  // of the kernel that is to break its device
  return kinds;
}

class HostSidePattern : public ::testing::TestWithParam<Pattern> {};

TEST_P(HostSidePattern, IsReportedAsItShouldBe) {
  const std::set<std::string> expected =
      GetParam().reported.empty() ? std::set<std::string>() : std::set<std::string>{GetParam().reported};
  const std::string within = kDevicesWithin, apart = kDevicesApart;
  for (const std::string& settings :
       {within, within + " LANEWISE_VGPU_SEED=1", apart, apart + " LANEWISE_VGPU_SEED=77"}) {
    const nlohmann::json document = report_of(GetParam().name, settings);
    ASSERT_TRUE(document.is_object()) << settings;
    EXPECT_EQ(reported_in(document), expected) << document["findings"] << document.value("notes", nlohmann::json());
  }
}

INSTANTIATE_TEST_SUITE_P(All, HostSidePattern, ::testing::ValuesIn(patterns()),
                         [](const auto& info) { return info.param.name; });

std::string only_note(const std::string& name, const char* key = "sentence") {
  const nlohmann::json document = report_of(name, kDevicesApart);
  if (document.value("notes", nlohmann::json::array()).size() != 1) return document.dump();
  return document["notes"][0][key].get<std::string>();
}

TEST(HostSidePatterns, WhatOneCallLeaksIsOneNote) {
  EXPECT_EQ(only_note("not_freed"), "allocation#1, 1,024 bytes of device memory, was never freed");
  EXPECT_EQ(only_note("mipmapped_array_not_freed"), "allocation#1, 2,560 bytes of CUDA array memory, was never freed");
  EXPECT_EQ(only_note("not_freed_in_a_loop"),
            "10 allocations like allocation#1, together 10,240 bytes of device memory, were never freed");
  EXPECT_EQ(only_note("handles_not_destroyed"), "1 stream and 1 event were never destroyed");
}

TEST(HostSidePatterns, ALongListIsCutShort) {
  const nlohmann::json notes = report_of("many_sizes_not_freed", kDevicesWithin)["notes"];
  ASSERT_EQ(notes.size(), 9U) << notes;
  EXPECT_EQ(notes[0]["sentence"], "allocation#30, 3,000 bytes of device memory, was never freed");
  EXPECT_EQ(notes[8]["sentence"], "22 more allocations, together 25,300 bytes, were never freed");
}

TEST(HostSidePatterns, ACopyIsCountedInElementsOfWhatWasStored) {
  EXPECT_EQ(only_note("last_element_left_out"),
            "256 elements of allocation#1 are copied to the host, and 1 of them was never written: allocation#1[255]");
  EXPECT_EQ(only_note("rows_with_their_padding"),
            "512 elements of allocation#1 are copied to the host, and 352 of them were never written; the first is "
            "allocation#1[40]");
  const nlohmann::json forgotten = report_of("kernel_forgotten", kDevicesWithin)["findings"];
  ASSERT_EQ(forgotten.size(), 1U);
  EXPECT_EQ(forgotten[0]["sentence"],
            "1,024 bytes of allocation#1 are copied to the host, and none of them was ever written: no kernel that "
            "was passed the array has run, and no copy or memset has filled it");
}

TEST(HostSidePatterns, ARefusedCopyOfAVariableSaysWhichCallIsMeant) {
  const auto advice = [](const std::string& name, const char* devices) {
    const nlohmann::json findings = report_of(name, devices)["findings"];
    return findings.size() == 1 ? findings[0]["advice"].get<std::string>() : findings.dump();
  };
  for (const char* const devices : {kDevicesWithin, kDevicesApart}) {
    EXPECT_NE(advice("variable_by_its_name", devices).find("not its address on the device"), std::string::npos);
    EXPECT_NE(advice("variable_from_the_device_without_a_direction", devices).find("pass cudaMemcpyDeviceToDevice"),
              std::string::npos);
  }
}

TEST(HostSidePatterns, WithoutMemcheckAndInitcheckNothingIsSaid) {
  for (const char* const name : {"not_freed", "kernel_forgotten", "room_of_a_list"}) {
    const nlohmann::json document =
        report_of(name, std::string(kDevicesWithin) + " LANEWISE_VGPU_MONITORS=racecheck,synccheck");
    EXPECT_EQ(reported_in(document), std::set<std::string>()) << document;
  }
}

}  // namespace
}  // namespace vgpu::host_side_patterns_test
