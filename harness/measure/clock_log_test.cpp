// What a made-up management library tells comes out in words; without one nothing is said.
#include "harness/measure/clock_log.h"

#include <gtest/gtest.h>

namespace lanewise::measure {
namespace {

TEST(ClockLog, KnowsNothingWithoutTheLibrary) {
  ClockLog log("", "/nonexistent/libnvidia-ml.so.1");
  EXPECT_FALSE(log.is_known());
  EXPECT_EQ(log.read().sm_clock, 0U);
  EXPECT_EQ(log.summary(), "");
  EXPECT_EQ(log.facts().driver_version, "");
}

TEST(ClockLog, KnowsNothingOfADeviceThatIsNotThere) {
  EXPECT_FALSE(ClockLog("00000000:FF:00.0", FAKE_NVML).is_known());
}

TEST(ClockLog, TheOnlyDeviceNeedsNoName) { EXPECT_TRUE(ClockLog("", FAKE_NVML).is_known()); }

TEST(ClockLog, BoardWithoutADefaultHasNone) {
  const ClockLog log("00000000:1C:00.0", FAKE_NVML);
  EXPECT_EQ(log.facts().default_clock, 0U);
  EXPECT_EQ(log.facts().highest_clock, 1980U);
}

TEST(ClockLog, RemembersRangesAndReasons) {
  ClockLog log("00000000:1B:00.0", FAKE_NVML);
  ASSERT_TRUE(log.is_known());
  EXPECT_EQ(log.facts().driver_version, "580.1.2");
  EXPECT_EQ(log.facts().default_clock, 1980U);
  EXPECT_EQ(log.facts().device.bus_bits, 6144U);
  EXPECT_EQ(log.facts().device.cores, 16896U);
  EXPECT_EQ(log.facts().device.memory_clock, 3201U);
  EXPECT_EQ(log.summary(), "");  // nobody looked yet

  EXPECT_EQ(log.read().sm_clock, 2000U);
  EXPECT_EQ(log.summary(), "2,000 MHz, 41 °C, no throttling");  // an idle device is not throttled
  log.read();
  EXPECT_EQ(log.read().throttling, 0x24U);
  EXPECT_EQ(log.summary(), "1,800–2,000 MHz, 41–43 °C, throttled: power limit, heat");
}

}  // namespace
}  // namespace lanewise::measure
