// A word that the host reaches, too, counts once a launch; all other memory does not count.
#include "harness/vgpu/monitor/host_words.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/vgpu/machine/address_space.h"

namespace vgpu {
namespace {

class HostWordsTest : public testing::Test {
 protected:
  HostWordsTest() {
    std::string error;
    memory_ = AddressSpace::reserve(0x200000000000, std::uint64_t{64} << 20, error);
    device_ = memory_->allocate(4096, MemoryKind::kDevice);
    pinned_ = memory_->allocate(100, MemoryKind::kPinned);
    words_.launch_begins(*memory_);
  }

  /// Lane n accesses `bytes` bytes at `begin` + n * `apart`.
  void access(std::uint64_t begin, std::uint32_t bytes, std::uint32_t apart, Mask lanes = kAllLanes) {
    std::uint64_t addresses[kLanes];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) addresses[lane] = begin + std::uint64_t{lane} * apart;
    MemoryAccess access{};
    access.space = ptx::Space::kGlobal;
    access.bytes = bytes;
    access.lanes = lanes;
    access.wide = addresses;
    access.lowest = begin;
    access.highest = addresses[kLanes - 1];
    words_.access(access);
  }

  std::unique_ptr<AddressSpace> memory_;
  std::uint64_t device_ = 0, pinned_ = 0;
  HostWords words_;
};

TEST_F(HostWordsTest, DeviceMemoryDoesNotCount) {
  access(device_, 4, 4);
  EXPECT_EQ(words_.bytes(), 0u);
}

TEST_F(HostWordsTest, AWordCountsOnceHoweverOftenItIsAccessed) {
  for (int i = 0; i < 3; ++i) access(pinned_, 4, 0);
  EXPECT_EQ(words_.bytes(), 4u);
  access(pinned_, 1, 1);  // 32 bytes are 8 words, one of which has counted
  EXPECT_EQ(words_.bytes(), 32u);
}

TEST_F(HostWordsTest, OnlyActiveLanesAndOnlyWhatLiesInTheRangeCount) {
  access(pinned_, 8, 8, 0x1);
  EXPECT_EQ(words_.bytes(), 8u);
  access(pinned_, 8, 8);  // 256 bytes, of which the range has 100
  EXPECT_EQ(words_.bytes(), 100u);
}

TEST_F(HostWordsTest, TheNextLaunchCountsAnew) {
  access(pinned_, 4, 4);
  words_.launch_begins(*memory_);
  EXPECT_EQ(words_.bytes(), 0u);
  access(pinned_, 4, 0);
  EXPECT_EQ(words_.bytes(), 4u);
}

TEST_F(HostWordsTest, MemoryOfTheHostsOwnCountsIfKernelsReachIt) {
  std::byte own[64];
  const auto begin = reinterpret_cast<std::uint64_t>(own);
  memory_->pin_host(begin, sizeof own, AddressSpace::Reach::kCopies, own);
  words_.launch_begins(*memory_);
  access(begin, 4, 0);
  EXPECT_EQ(words_.bytes(), 0u);
  memory_->pin_host(begin, sizeof own, AddressSpace::Reach::kKernels, own);
  words_.launch_begins(*memory_);
  access(begin, 4, 0);
  EXPECT_EQ(words_.bytes(), 4u);
}

}  // namespace
}  // namespace vgpu
