// Device memory: what is handed out, what lies around it, who may touch it, and what is known of it afterwards.
#include "harness/vgpu/machine/address_space.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "harness/vgpu/machine/address_counts.h"
#include "harness/vgpu/machine/page_size.h"
#include "harness/vgpu/machine/zeros.h"

namespace vgpu {
namespace {

using U64 = std::uint64_t;

constexpr U64 kBase = 0x200000000000;
constexpr U64 kCapacity = U64{64} << 20;
constexpr U64 kReach = U64{1} << 30;

std::unique_ptr<AddressSpace> device() {
  std::string problem;
  std::unique_ptr<AddressSpace> memory = AddressSpace::reserve(kBase, kCapacity, problem);
  EXPECT_NE(memory, nullptr) << problem;
  return memory;
}

U64 address_of(const void* pointer) { return reinterpret_cast<U64>(pointer); }

void pin(AddressSpace& memory, void* begin, U64 bytes, AddressSpace::Reach reach = AddressSpace::Reach::kKernels) {
  memory.pin_host(address_of(begin), bytes, reach, static_cast<std::byte*>(begin));
}

/// Whether the host may read there: asked of the kernel, which answers instead of ending the process.
bool host_may_read(U64 address) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool readable = write(ends[1], reinterpret_cast<const void*>(address), 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

/// KiB of shared memory that this process has in use.
long shared_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (long kib = 0; word == "RssShmem:" && status >> kib) return kib;
  return -1;
}

constexpr U64 kSizes[] = {0, 1, 511, 512, 513, 4095, 4096, 4097, 1 << 20, (3 << 20) + 5};

TEST(AddressSpace, ZerosInMuchMemoryTakeUpNone) {
  const auto memory = device();
  constexpr U64 kBytes = U64{40} << 20;
  const U64 address = memory->allocate(kBytes, MemoryKind::kDevice);
  std::byte* const begin = memory->host(address);
  const long before = shared_kib();
  std::memset(begin, 7, kBytes);
  const long filled = shared_kib();
  EXPECT_GE(filled - before, long{40} << 9) << "at least half of it counts";
  fill_with_zeros(begin + 5, kBytes - 12);  // neither end is that of a page
  if (gives_pages_back()) {
    EXPECT_LE(shared_kib() - before, 1024);
  }
  EXPECT_EQ(begin[4], std::byte{7});
  EXPECT_EQ(begin[kBytes - 7], std::byte{7});
  for (const U64 at : {U64{5}, U64{4096}, kBytes / 2, kBytes - 8}) EXPECT_EQ(begin[at], std::byte{0}) << at;
}

TEST(AddressSpace, AllocationsAreAlignedAndLieApart) {
  const auto memory = device();
  U64 end = kBase;
  for (const U64 size : kSizes) {
    const U64 address = memory->allocate(size, MemoryKind::kDevice);
    EXPECT_EQ(address % AddressSpace::kAlignment, 0u) << size;
    EXPECT_GE(address, end + AddressSpace::kRedZone) << size;
    end = address + size;
    EXPECT_GE(memory->high(), end + AddressSpace::kRedZone) << "stray accesses behind the last one land in memory";
  }
}

TEST(AddressSpace, AddressesAreTheSameInEveryRun) {
  std::vector<U64> first;
  for (int run = 0; run < 2; ++run) {
    const auto memory = device();
    std::vector<U64> addresses;
    for (const U64 size : kSizes) addresses.push_back(memory->allocate(size, MemoryKind::kDevice));
    if (run == 0) first = addresses;
    EXPECT_EQ(addresses, first);
  }
}

TEST(AddressSpace, FindsTheLiveAllocationThatHoldsAnAddress) {
  const auto memory = device();
  const U64 empty = memory->allocate(0, MemoryKind::kDevice);
  const U64 a = memory->allocate(100, MemoryKind::kDevice, "a");
  EXPECT_EQ(memory->find(empty), nullptr);
  EXPECT_EQ(memory->find(a - 1), nullptr);
  ASSERT_NE(memory->find(a), nullptr);
  EXPECT_EQ(memory->find(a)->name, "a");
  EXPECT_EQ(memory->find(a)->serial, 2u);
  EXPECT_EQ(memory->find(a + 99), memory->find(a));
  EXPECT_EQ(memory->find(a + 100), nullptr);
  EXPECT_EQ(memory->find(0), nullptr);
  EXPECT_EQ(memory->find(~U64{0}), nullptr);
  EXPECT_TRUE(memory->release(a));
  EXPECT_EQ(memory->find(a), nullptr);
}

TEST(AddressSpace, GuessesWhichAllocationWasMeant) {
  const auto memory = device();
  const U64 a = memory->allocate(1000, MemoryKind::kDevice, "a");
  const U64 code = memory->allocate(64, MemoryKind::kCode, "code");
  const U64 b = memory->allocate(1000, MemoryKind::kDevice, "b");
  const auto meant = [&](U64 address, U64 reach) {
    const Allocation* const allocation = memory->nearest(address, reach);
    return allocation == nullptr ? std::string() : allocation->name;
  };
  EXPECT_EQ(meant(a + 5, 0), "a");
  EXPECT_EQ(meant(a - 1, kReach), "a");
  EXPECT_EQ(meant(a - 4096, 4096), "a");
  EXPECT_EQ(meant(a - 4097, 4096), "");
  EXPECT_EQ(meant(a + 1000, 1), "a");
  EXPECT_EQ(meant(a + 1000, 0), "");
  EXPECT_EQ(meant(b - 1, kReach), "b");
  EXPECT_EQ(meant(b + 50'000'000, kReach), "b");
  EXPECT_EQ(meant(code - 8, kReach), "a") << "nobody means code";
  EXPECT_EQ(meant(0, kReach), "");
  memory->release(b);
  EXPECT_EQ(meant(b + 5, 0), "b") << "freed memory is remembered";
  EXPECT_TRUE(memory->nearest(b, 0)->freed);
}

TEST(AddressSpace, ReleasesWhatItGaveAndNothingElse) {
  const auto memory = device();
  const U64 a = memory->allocate(1000, MemoryKind::kDevice);
  EXPECT_EQ(memory->used(), 1000u);
  EXPECT_FALSE(memory->release(a + 512));
  EXPECT_FALSE(memory->release(0));
  const U64 before = memory->generation();
  EXPECT_TRUE(memory->release(a));
  EXPECT_GT(memory->generation(), before);
  EXPECT_EQ(memory->used(), 0u);
  EXPECT_FALSE(memory->release(a)) << "twice";
  EXPECT_NE(memory->allocate(1000, MemoryKind::kDevice), a) << "reused at once, a use after free would not be seen";
}

TEST(AddressSpace, IsFullWhenItsCapacityIsUsedUp) {
  const auto memory = device();
  EXPECT_EQ(memory->capacity(), kCapacity);
  EXPECT_EQ(memory->allocate(kCapacity + 1, MemoryKind::kDevice), 0u);
  const U64 all = memory->allocate(kCapacity, MemoryKind::kDevice);
  EXPECT_NE(all, 0u);
  EXPECT_EQ(memory->allocate(1, MemoryKind::kDevice), 0u);
  EXPECT_TRUE(memory->release(all));
  EXPECT_NE(memory->allocate(kCapacity, MemoryKind::kDevice), 0u);
}

TEST(AddressSpace, GoesOnWhenAllAddressesWereUsedOnce) {
  // 100 times 8 MiB are more than there are addresses; four arrays live all the while and keep their contents.
  const auto memory = device();
  constexpr U64 kBytes = U64{8} << 20;
  std::map<U64, unsigned char> live;
  std::set<U64> addresses;
  for (unsigned round = 0; round < 100; ++round) {
    const U64 address = memory->allocate(kBytes, MemoryKind::kDevice);
    ASSERT_NE(address, 0u) << round;
    addresses.insert(address);
    for (const auto& [other, value] : live)
      ASSERT_TRUE(address >= other + kBytes + AddressSpace::kRedZone ||
                  address + kBytes + AddressSpace::kRedZone <= other)
          << "round " << round;
    std::memset(memory->host(address), static_cast<int>(round), kBytes);
    if (round % 7 == 0 && live.size() < 4)
      live[address] = static_cast<unsigned char>(round);
    else
      ASSERT_TRUE(memory->release(address));
  }
  EXPECT_LT(addresses.size(), 100u) << "the test did not get to what it is about";
  for (const auto& [address, value] : live)
    for (U64 n = 0; n < kBytes; n += 4095)
      ASSERT_EQ(std::to_integer<unsigned char>(memory->host(address)[n]), value) << n;
}

TEST(AddressSpace, FreshMemoryAndWhatLiesAroundItAreNoUseAsData) {
  const auto memory = device();
  const U64 a = memory->allocate(1000, MemoryKind::kDevice);
  const std::byte junk = memory->host(a)[0];
  EXPECT_NE(junk, std::byte{0});
  for (U64 n = 0; n < 1000; ++n) ASSERT_EQ(memory->host(a)[n], junk) << n;
  for (U64 n = 1; n <= AddressSpace::kRedZone; ++n) {
    ASSERT_NE(memory->host(a - n)[0], std::byte{0}) << n;
    ASSERT_EQ(memory->host(a + 999 + n)[0], memory->host(a + 1000)[0]) << "a range of stray offsets is empty: " << n;
  }
  EXPECT_NE(memory->host(a + 1000)[0], std::byte{0});
}

// A kernel that copies too many elements must be seen to have done so.
TEST(AddressSpace, WhatLiesBehindOneAllocationIsNotWhatLiesBehindAnother) {
  const auto memory = device();
  const U64 from = memory->allocate(1000, MemoryKind::kDevice);
  memory->allocate(2 << 20, MemoryKind::kDevice);  // on a device as small as this one neighbours lie close together
  const U64 to = memory->allocate(1000, MemoryKind::kDevice);
  EXPECT_NE(memory->host(from + 1000)[0], memory->host(to + 1000)[0]);
  EXPECT_NE(memory->host(from - 1)[0], memory->host(to - 1)[0]);
}

TEST(AddressSpace, TheHostMayTouchOnlyWhatIsMeantForIt) {
  const auto memory = device();
  for (const U64 bytes : {U64{1}, U64{4096}, U64{10'000}}) {
    const U64 array = memory->allocate(bytes, MemoryKind::kDevice);
    EXPECT_FALSE(host_may_read(array)) << bytes;
    for (const MemoryKind kind : {MemoryKind::kManaged, MemoryKind::kPinned}) {
      const U64 both = memory->allocate(bytes, kind);
      ASSERT_TRUE(host_may_read(both)) << bytes;
      EXPECT_TRUE(host_may_read(both + bytes - 1)) << bytes;
      auto* const as_host_sees_it = reinterpret_cast<std::byte*>(both);
      as_host_sees_it[0] = std::byte{42};
      EXPECT_EQ(memory->host(both)[0], std::byte{42}) << "one memory at two addresses";
      EXPECT_TRUE(memory->release(both));
      EXPECT_FALSE(host_may_read(both)) << bytes << " bytes, after they were freed";
    }
  }
}

TEST(AddressSpace, KnowsWhatNamesItWasTold) {
  const auto memory = device();
  const U64 a = memory->allocate(100, MemoryKind::kDevice);
  EXPECT_TRUE(memory->name(a, "weights", 4));
  EXPECT_EQ(memory->find(a)->name, "weights");
  EXPECT_EQ(memory->find(a)->element_bytes, 4u);
  EXPECT_FALSE(memory->name(a + 4, "other", 4));
}

TEST(AddressSpace, PinnedHostMemoryIsKnownToItsLastByte) {
  constexpr auto kKernels = AddressSpace::Reach::kKernels;
  const auto memory = device();
  std::vector<char> range(1000);
  const U64 begin = address_of(range.data());
  EXPECT_FALSE(memory->is_pinned_host(begin, 1, kKernels));
  pin(*memory, range.data(), 1000);
  EXPECT_TRUE(memory->is_pinned_host(begin, 1000, kKernels));
  EXPECT_TRUE(memory->is_pinned_host(begin + 999, 1, kKernels));
  EXPECT_EQ(memory->pinned_host(begin + 999, 1), reinterpret_cast<std::byte*>(range.data()) + 999);
  EXPECT_EQ(memory->pinned_host(begin + 999, 2), nullptr);
  EXPECT_FALSE(memory->is_pinned_host(begin + 999, 2, kKernels));
  EXPECT_FALSE(memory->is_pinned_host(begin - 1, 1, kKernels));
  EXPECT_TRUE(memory->unpin_host(address_of(range.data())));
  EXPECT_FALSE(memory->unpin_host(address_of(range.data())));
  EXPECT_FALSE(memory->is_pinned_host(begin, 1, kKernels));
}

TEST(AddressSpace, HostMemoryPinnedForCopiesIsNotForKernels) {
  const auto memory = device();
  std::vector<char> range(1000);
  const U64 begin = address_of(range.data());
  pin(*memory, range.data(), 1000, AddressSpace::Reach::kCopies);
  EXPECT_TRUE(memory->is_pinned_host(begin, 1000, AddressSpace::Reach::kCopies));
  EXPECT_FALSE(memory->is_pinned_host(begin, 1000, AddressSpace::Reach::kKernels));
}

TEST(AddressSpace, SharesWithTheHostWhatBothCanReach) {
  const std::unique_ptr<AddressSpace> memory = device();
  memory->allocate(1000, MemoryKind::kDevice);
  memory->allocate(1000, MemoryKind::kVariable, "of_the_device");
  EXPECT_EQ(memory->bytes_shared_with_host(), 0u);
  memory->allocate(1, MemoryKind::kManaged, "variable");
  const U64 pinned = memory->allocate(20, MemoryKind::kPinned);
  char for_kernels[300], for_copies[4000];
  pin(*memory, for_kernels, sizeof for_kernels);
  pin(*memory, for_copies, sizeof for_copies, AddressSpace::Reach::kCopies);
  EXPECT_EQ(memory->bytes_shared_with_host(), 321u);
  memory->release(pinned);
  memory->unpin_host(address_of(for_kernels));
  EXPECT_EQ(memory->bytes_shared_with_host(), 1u);
}

TEST(AddressSpace, WhatWasReleasedComesBackAtItsAddressAsAnotherAllocation) {
  const std::unique_ptr<AddressSpace> memory = device();
  const U64 address = memory->allocate(1000, MemoryKind::kDevice);
  const std::uint32_t serial = memory->find(address)->serial;
  std::memset(memory->host(address), 0, 1000);
  EXPECT_TRUE(memory->release(address));
  memory->adopt(address, 1000, MemoryKind::kDevice, {}, 0);
  ASSERT_NE(memory->find(address + 999), nullptr);
  EXPECT_NE(memory->find(address)->serial, serial);
  EXPECT_NE(*memory->host(address), std::byte{0}) << "what it held is gone";
  EXPECT_EQ(memory->used(), 1000u);
  EXPECT_TRUE(memory->release(address));
  EXPECT_EQ(memory->used(), 0u);
  EXPECT_EQ(memory->find(address), nullptr);
}

TEST(AddressSpace, TwoDevicesShareWhatOneHasMovedToAFile) {
  const std::unique_ptr<AddressSpace> memory = device();
  std::string problem;
  const auto other = AddressSpace::reserve(kBase + (U64{1} << 40), U64{64} << 20, problem);
  ASSERT_NE(other, nullptr) << problem;
  for (const U64 bytes : {U64{1}, U64{4096}, U64{3} << 20}) {
    memory->allocate(600, MemoryKind::kDevice);  // what follows need not begin a page
    const U64 address = memory->allocate(bytes, MemoryKind::kDevice);
    memory->host(address)[0] = std::byte{1};
    memory->host(address)[bytes - 1] = std::byte{2};
    const U64 pages = AddressSpace::bytes_of_pages(address, bytes);
    const int file = memfd_create("test", MFD_CLOEXEC);
    ASSERT_EQ(ftruncate(file, static_cast<off_t>(pages)), 0);
    ASSERT_TRUE(memory->move_to_file(address, file));
    EXPECT_EQ(memory->host(address)[bytes - 1], std::byte{2}) << "it holds what it held";
    const U64 there = other->map_file(file, address % page_bytes(), bytes);
    close(file);
    ASSERT_NE(there, 0u);
    EXPECT_EQ(other->find(there + bytes - 1)->address, there);
    EXPECT_EQ(other->host(there)[bytes - 1], std::byte{2});
    other->host(there)[0] = std::byte{3};
    EXPECT_EQ(memory->host(address)[0], std::byte{3});
    EXPECT_TRUE(memory->release(address));
    EXPECT_EQ(other->host(there)[0], std::byte{3}) << "as long as the other has it";
    EXPECT_EQ(other->used(), bytes);
    EXPECT_TRUE(other->release(there));
    EXPECT_EQ(other->used(), 0u);
    EXPECT_EQ(other->find(there), nullptr);
  }
}

TEST(AddressSpace, OnlyDeviceMemoryIsMovedToAFile) {
  const std::unique_ptr<AddressSpace> memory = device();
  const int file = memfd_create("test", MFD_CLOEXEC);
  EXPECT_FALSE(memory->move_to_file(memory->allocate(100, MemoryKind::kPinned), file));
  const U64 freed = memory->allocate(100, MemoryKind::kDevice);
  memory->release(freed);
  EXPECT_FALSE(memory->move_to_file(freed, file));
  EXPECT_EQ(memory->map_file(file, 0, memory->capacity() + 1), 0u) << "more than there is";
  close(file);
}

TEST(AddressSpace, OfTheProgramHoldsWhatItIsToldOf) {
  const std::unique_ptr<AddressSpace> memory = device();
  std::vector<std::byte> page(4096);
  const U64 begin = 0x555500000000;
  const auto program = AddressSpace::of_program(begin, page.size(), page.data());
  memory->set_peer(*program, false);
  EXPECT_EQ(program->find(begin + 64), nullptr);
  program->adopt(begin + 64, 8, MemoryKind::kManaged, "total", 4);
  EXPECT_EQ(&memory->home_of(begin + 64), program.get());
  EXPECT_EQ(program->host(begin + 64), page.data() + 64);
  EXPECT_TRUE(memory->reaches(*program, begin + 64, 8));
  EXPECT_FALSE(memory->reaches(*program, begin + 68, 8)) << "runs past the end of the variable";
  EXPECT_TRUE(program->find(begin + 64)->lent) << "nobody frees a variable";
  EXPECT_EQ(program->bytes_shared_with_host(), 8u);
  EXPECT_EQ(memory->bytes_shared_with_host(), 0u) << "all devices share the same bytes";
  ASSERT_EQ(memory->shared_with_host().size(), 1u);
  EXPECT_EQ(memory->shared_with_host()[0].begin, begin + 64);
  EXPECT_TRUE(program->in_reservation(begin + page.size())) << "an index just past the end is still told apart";
}

TEST(AddressSpace, SaysWhyThereIsNone) {
  const auto first = device();
  std::string problem;
  EXPECT_EQ(AddressSpace::reserve(kBase, kCapacity, problem), nullptr) << "two devices at one address";
  EXPECT_NE(problem.find("could be reserved"), std::string::npos) << problem;
}

TEST(AddressCounts, CountAsAMultisetDoes) {
  AddressCounts counts;
  std::multiset<std::uint64_t> all;
  std::mt19937_64 random(1);
  for (int n = 0; n < 100000; ++n) {
    const std::uint64_t address = ~std::uint64_t{0} - random() % 3000 * (n / 20000 + 1);
    if (random() % 5 < (n / 10000 % 2 == 0 ? 1u : 4u)) {
      counts.remove(address);
      if (const auto found = all.find(address); found != all.end()) all.erase(found);
    } else {
      counts.add(address);
      all.insert(address);
    }
    const std::uint64_t other = ~std::uint64_t{0} - random() % 3000;
    ASSERT_EQ(counts.has(other), all.count(other) != 0) << n;
    ASSERT_EQ(counts.empty(), all.empty()) << n;
  }
}

}  // namespace
}  // namespace vgpu
