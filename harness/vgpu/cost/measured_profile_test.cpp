// What a program has measured becomes a profile, with the rest of another one.
#include "harness/vgpu/cost/measured_profile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/vgpu/cost/attribute_names.h"
#include "harness/vgpu/cost/profile.h"

namespace vgpu {
namespace {

/// The lines of a device like a built-in one, with other numbers where `more` says so.
std::string printed_like(const std::string& name, const std::string& more) {
  const auto device = std::get<DeviceProfile>(load_profile(name));
  std::string lines = "name = \"A Device\"  # read\nmemory_bytes = 1024  # read\n";
  for (const auto& [attribute, key] : kAttributeNames)
    if (const auto value = device.attributes.find(key); value != device.attributes.end())
      lines += fmt::format("attribute.{} = {}  # read\n", static_cast<int>(attribute), value->second);
  return lines + more;
}

const MeasuredProfile& made(const std::variant<MeasuredProfile, std::string>& result) {
  if (const auto* const problem = std::get_if<std::string>(&result)) throw std::runtime_error(*problem);
  return std::get<MeasuredProfile>(result);
}

std::string problem_of(const std::string& printed, const std::string& like) {
  const auto result = measured_profile(printed, like);
  const auto* const problem = std::get_if<std::string>(&result);
  return problem != nullptr ? *problem : "";
}

TEST(MeasuredProfile, HasWhatWasPrintedAndTheRestOfTheNearestOne) {
  const MeasuredProfile profile = made(measured_profile(
      printed_like("t4", "lanewise: a line that says nothing\nlatency.l2 = 200  # a chain\nlimit.0 = 77  # read\n"),
      ""));
  const auto device = std::get<DeviceProfile>(parse_profile(profile.toml));
  const auto t4 = std::get<DeviceProfile>(load_profile("t4"));
  EXPECT_EQ(device.name, "A Device");
  EXPECT_EQ(device.memory, 1024U);
  EXPECT_EQ(device.latency.l2, 200U);
  EXPECT_EQ(device.latency.dram, t4.latency.dram);
  EXPECT_EQ(device.limits[0], 77U);
  EXPECT_EQ(device.attributes, t4.attributes);
  ASSERT_EQ(profile.numbers.size(), 1U) << "what was read is not compared";
  EXPECT_EQ(profile.numbers[0].key, "latency.l2");
  EXPECT_EQ(profile.numbers[0].measured, 200);
  EXPECT_EQ(profile.numbers[0].known, static_cast<std::int64_t>(t4.latency.l2));
}

TEST(MeasuredProfile, SaysOfEachNumberWhereItComesFrom) {
  const std::string toml =
      made(measured_profile("# A Device, 2026-12-01\n" + printed_like("t4", "latency.l2 = 200  # a chain\n"), "a100"))
          .toml;
  EXPECT_EQ(toml.find("# A Device, 2026-12-01\n\n"), 0U) << toml;
  EXPECT_NE(toml.find("l2 = 200                               # a chain\n"), std::string::npos) << toml;
  EXPECT_NE(toml.find("dram = 466                             # as a100\n"), std::string::npos) << toml;
  EXPECT_NE(toml.find("memory_bytes = 1024\n"), std::string::npos) << toml;
}

TEST(MeasuredProfile, WantsADeviceAndAProfileThatThereIs) {
  EXPECT_EQ(problem_of("no CUDA-capable device is detected\n", ""),
            "the program that measures did not name the device");
  EXPECT_EQ(problem_of(printed_like("t4", ""), "t5").find("there is no device profile 't5'"), 0U);
  EXPECT_EQ(problem_of(printed_like("t4", "latency.l2 = 0  # a chain\n"), ""),
            "what was measured makes no profile: the profile's number 'latency.l2' is 0; it must be from 1 to "
            "4294967295");
}

}  // namespace
}  // namespace vgpu
