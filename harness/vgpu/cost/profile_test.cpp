// Device profiles: the built-in ones are whole; of others it is said what is wrong with them and where.
#include "harness/vgpu/cost/profile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace vgpu {
namespace {

/// The text of the built-in profile, from the file it was built from.
std::string h200_text() {
  std::ifstream file(VGPU_PROFILES "/h200.toml");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = h200_text();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Profile, BuiltInOnesAreWhole) {
  const std::vector<std::string> names = built_in_profiles();
  EXPECT_FALSE(names.empty());
  for (const std::string& name : names) {
    const auto loaded = load_profile(name);
    ASSERT_TRUE(std::holds_alternative<DeviceProfile>(loaded)) << std::get<std::string>(loaded);
    const auto& profile = std::get<DeviceProfile>(loaded);
    EXPECT_EQ(profile.attributes.at("WarpSize"), 32) << name;
    EXPECT_GT(profile.memory, 0u) << name;
    EXPECT_EQ(profile.sm_registers % profile.sub_partitions, 0u) << name;
  }
}

TEST(Profile, OfAnH200IsAnH200s) {
  const auto profile = std::get<DeviceProfile>(parse_profile(h200_text()));
  EXPECT_EQ(profile.name, "NVIDIA H200");
  EXPECT_EQ(profile.sm_count, 132u);
  EXPECT_EQ(profile.block_max_extent, (std::array<std::uint32_t, 3>{1024, 1024, 64}));
  EXPECT_EQ(profile.grid_max_extent, (std::array<std::uint32_t, 3>{2147483647, 65535, 65535}));
  EXPECT_EQ(profile.limits[0], 1024u);
  EXPECT_EQ(profile.limits[7], 232448u);
  EXPECT_EQ(profile.attributes.at("NumaId"), -1) << "attributes may be negative";
}

TEST(Profile, MistakesAreNamedWithTheirPlace) {
  const struct {
    std::string toml;
    const char* words;
  } rows[] = {
      {"", "no string 'name'"},
      {"name = 5", "no string 'name'"},
      {changed("memory_bytes = 150109880320", "memory_bytes = \"much\""), "no number 'memory_bytes'"},
      {changed("register_unit = 256", ""), "no number 'allocation.register_unit'"},
      {changed("MaxThreadsPerBlock = 1024", "MaxThreadsPerBlock = -1024"),
       "'attributes.MaxThreadsPerBlock' is -1024; it must be from 1"},
      {changed("MultiProcessorCount = 132", "MultiProcessorCount = 132.5"),
       "no number 'attributes.MultiProcessorCount'"},
      {changed("sub_partitions = 4 ", "sub_partitions = 0 "), "'allocation.sub_partitions' is 0; it must be from 1"},
      {changed("MaxGridDimX = 2147483647", "MaxGridDimX = 99999999999"),
       "'attributes.MaxGridDimX' is 99999999999; it must be from 0 to 4294967295"},
      {changed("[limits]", "[limit]"), "no number 'limits.stack_bytes'"},
      {changed("[attributes]", "attributes = 3\n[others]"), "'attributes."},
      {"name = \"x\"\nmemory_bytes = = 3\n", "line 2"},
      {"\n\nname = \"x", "line 3"},
      {"[a]\n[a]\n", "line 2"},
  };
  for (const auto& row : rows) {
    const auto parsed = parse_profile(row.toml);
    ASSERT_TRUE(std::holds_alternative<std::string>(parsed)) << row.words;
    EXPECT_NE(std::get<std::string>(parsed).find(row.words), std::string::npos)
        << row.words << " is not in: " << std::get<std::string>(parsed);
  }
}

TEST(Profile, MayComeFromAFile) {
  const std::string path = ::testing::TempDir() + "profile_test_" + std::to_string(getpid()) + ".toml";
  std::ofstream(path) << changed("name = \"NVIDIA H200\"", "name = \"Half an H200\"");
  const auto loaded = load_profile(path);
  std::remove(path.c_str());
  ASSERT_TRUE(std::holds_alternative<DeviceProfile>(loaded)) << std::get<std::string>(loaded);
  EXPECT_EQ(std::get<DeviceProfile>(loaded).name, "Half an H200");
}

TEST(Profile, ThatDoesNotExistIsRefusedWithThoseThatDo) {
  const auto loaded = load_profile("h2000");
  ASSERT_TRUE(std::holds_alternative<std::string>(loaded));
  EXPECT_NE(std::get<std::string>(loaded).find("'h2000'"), std::string::npos);
  EXPECT_NE(std::get<std::string>(loaded).find("h200,"), std::string::npos) << std::get<std::string>(loaded);
  EXPECT_TRUE(std::holds_alternative<std::string>(load_profile("/"))) << "a folder";
}

}  // namespace
}  // namespace vgpu
