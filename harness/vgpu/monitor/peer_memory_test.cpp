// Memory of another device: when kernels may use it, and what memcheck says when they may not.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "harness/vgpu/monitor/testing/watched_device.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr U64 kPeerBase = 0x300000000000;

/// A device and another one, of which it knows.
struct TwoDevices {
  explicit TwoDevices(bool access) {
    std::string problem;
    peer = AddressSpace::reserve(kPeerBase, U64{64} << 20, problem);
    if (peer == nullptr) throw std::runtime_error(problem);
    device.memory->set_peer(*peer, access);
  }

  U64 peer_array(MemoryKind kind) const {
    const U64 address = peer->allocate(400, kind);
    peer->name(address, "theirs", 4);
    return address;
  }
  U32 at(U64 address) const {
    U32 value;
    std::memcpy(&value, peer->host(address), sizeof value);
    return value;
  }

  WatchedDevice device;
  std::unique_ptr<AddressSpace> peer;
};

// Thread t reads mine[t], adds it to theirs[t], and counts itself in theirs[99].
const char* const kUse = R"(
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd0, %rd2;
  add.u64 %rd4, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  ld.global.u32 %r3, [%rd4];
  add.u32 %r3, %r3, %r2;
  st.global.u32 [%rd4], %r3;
  red.global.add.u32 [%rd1+396], 1;)";

TEST(PeerMemory, IsUsedLikeOnesOwnOnceThereIsAccess) {
  TwoDevices two(true);
  const U64 mine = two.device.array("mine", 100, 4), theirs = two.peer_array(MemoryKind::kDevice);
  for (U32 t = 0; t < 100; ++t) {
    std::memcpy(two.device.memory->host(mine + 4 * t), &t, 4);
    std::memset(two.peer->host(theirs + 4 * t), 0, 4);
  }
  EXPECT_EQ(two.device.launch(kUse, {mine, theirs}, 64).kind, FaultKind::kNone);
  for (U32 t = 0; t < 64; ++t) EXPECT_EQ(two.at(theirs + 4 * t), t);
  EXPECT_EQ(two.at(theirs + 396), 64u);
  EXPECT_TRUE(two.device.findings.empty());
}

TEST(PeerMemory, WithoutAccessIsAnIllegalAddressThatMemcheckExplains) {
  TwoDevices two(false);
  const U64 theirs = two.peer_array(MemoryKind::kDevice);
  const Fault fault = two.device.launch("st.global.u32 [%rd0+8], 1;", {theirs});
  EXPECT_EQ(fault.kind, FaultKind::kIllegalAddress);
  ASSERT_EQ(two.device.findings.all().size(), 1u);
  const Finding& finding = two.device.findings.all()[0];
  EXPECT_EQ(finding.kind, "no access to another device (write)");
  EXPECT_EQ(finding.array, "theirs");
  EXPECT_EQ(finding.index, 2);
  EXPECT_NE(finding.sentence.find("at theirs[2], which is memory of another device"), std::string::npos)
      << finding.sentence;
  EXPECT_NE(finding.advice.find("cudaDeviceEnablePeerAccess"), std::string::npos);
}

TEST(PeerMemory, ThatTheHostMayTouchNeedsNoAccess) {
  for (const MemoryKind kind : {MemoryKind::kManaged, MemoryKind::kPinned}) {
    TwoDevices two(false);
    const U64 theirs = two.peer_array(kind);
    EXPECT_EQ(two.device.launch("st.global.u32 [%rd0+396], 7;", {theirs}).kind, FaultKind::kNone);
    EXPECT_EQ(two.at(theirs + 396), 7u);
    EXPECT_TRUE(two.device.findings.empty());
  }
}

TEST(PeerMemory, FromAPoolIsOpenedByThePoolAlone) {
  TwoDevices two(true);
  const U64 theirs = two.peer_array(MemoryKind::kDevice);
  EXPECT_TRUE(two.peer->set_pool(theirs, 3));
  EXPECT_EQ(two.device.launch("st.global.u32 [%rd0], 7;", {theirs}).kind, FaultKind::kIllegalAddress);
  ASSERT_EQ(two.device.findings.all().size(), 1u);
  EXPECT_NE(two.device.findings.all()[0].advice.find("cudaMemPoolSetAccess"), std::string::npos);
  two.device.memory->set_pool_access(*two.peer, 3, true);
  two.device.memory->set_peer(*two.peer, false);
  EXPECT_EQ(two.device.launch("st.global.u32 [%rd0], 7;", {theirs}).kind, FaultKind::kNone);
  EXPECT_EQ(two.at(theirs), 7u);
  two.device.launch("st.global.u32 [%rd0+400], 1;", {theirs});
  ASSERT_EQ(two.device.findings.all().size(), 2u);
  EXPECT_EQ(two.device.findings.all()[1].kind, "out-of-bounds write");
  two.device.memory->set_pool_access(*two.peer, 3, false);
  EXPECT_EQ(two.device.launch("st.global.u32 [%rd0], 8;", {theirs}).kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(two.at(theirs), 7u);
}

TEST(PeerMemory, HasBoundsAndEndsLikeOnesOwn) {
  TwoDevices two(true);
  const U64 theirs = two.peer_array(MemoryKind::kDevice);
  two.device.launch("st.global.u32 [%rd0+400], 1;", {theirs});
  ASSERT_EQ(two.device.findings.all().size(), 1u);
  EXPECT_EQ(two.device.findings.all()[0].kind, "out-of-bounds write");
  two.peer->release(theirs);
  two.device.launch("ld.global.u32 %r1, [%rd0];", {theirs});
  ASSERT_EQ(two.device.findings.all().size(), 2u);
  EXPECT_EQ(two.device.findings.all()[1].kind, "use after free (read)");
}

TEST(PeerMemory, ManagedArraysOfAPeerHaveBoundsToo) {
  TwoDevices two(false);
  const U64 theirs = two.peer_array(MemoryKind::kManaged);
  EXPECT_EQ(two.device.launch("st.global.u32 [%rd0+400], 1;", {theirs}).kind, FaultKind::kIllegalAddress);
  ASSERT_EQ(two.device.findings.all().size(), 1u);
  EXPECT_EQ(two.device.findings.all()[0].kind, "out-of-bounds write");
}

TEST(PeerMemory, IsNoMemoryAtAllOnceThePeerIsForgotten) {
  TwoDevices two(true);
  const U64 theirs = two.peer_array(MemoryKind::kDevice);
  EXPECT_TRUE(two.device.memory->has_access_to(*two.peer));
  EXPECT_EQ(&two.device.memory->home_of(theirs), two.peer.get());
  two.device.memory->forget_peer(*two.peer);
  EXPECT_FALSE(two.device.memory->has_access_to(*two.peer));
  EXPECT_EQ(&two.device.memory->home_of(theirs), two.device.memory.get());
  EXPECT_EQ(two.device.launch("ld.global.u32 %r1, [%rd0];", {theirs}).kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(two.device.findings.all()[0].kind, "invalid read");
}

TEST(PeerMemory, ManagedVariablesAreThoseOfTheirFirstDevice) {
  TwoDevices two(false);
  const std::string ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .global .attribute(.managed) .u32 shared_by_all;\n.visible .global .u32 own;\n";
  auto first = LoadedModule::load(ptx, *two.peer);
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<LoadedModule>>(first));
  const LoadedModule& home = *std::get<std::unique_ptr<LoadedModule>>(first);
  auto second = LoadedModule::load(ptx, *two.device.memory, &home);
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<LoadedModule>>(second));
  auto& other = std::get<std::unique_ptr<LoadedModule>>(second);
  EXPECT_EQ(other->variable("shared_by_all")->address, home.variable("shared_by_all")->address);
  EXPECT_NE(other->variable("own")->address, home.variable("own")->address);
  EXPECT_TRUE(two.peer->find(home.variable("shared_by_all")->address)->lent) << "nobody frees a variable";
  other.reset();
  EXPECT_NE(two.peer->find(home.variable("shared_by_all")->address), nullptr) << "the other module did not own it";
}

const char* const kInProgram =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .global .u32 total = 41;\n.visible .global .u64 to = total;\n.visible .global .u32 own = 5;\n";

TEST(PeerMemory, VariablesOfTheProgramBeginWithTheirInitialValueWhereverTheyLie) {
  TwoDevices two(false);
  const U64 begin = 0x555500000000;
  std::vector<std::byte> memory(4096, std::byte{0xFF});
  const auto program = AddressSpace::of_program(begin, memory.size(), memory.data());
  two.device.memory->set_peer(*program, false);
  two.peer->set_peer(*program, false);
  const LoadedModule::VariablePlaces places = {{"total", {begin + 16, 4}}, {"to", {begin + 32, 8}}};
  auto first = LoadedModule::load(kInProgram, *two.device.memory, nullptr, places);
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<LoadedModule>>(first));
  const LoadedModule& module = *std::get<std::unique_ptr<LoadedModule>>(first);
  EXPECT_EQ(module.variable("total")->address, begin + 16);
  U32 total;
  U64 to;
  std::memcpy(&total, memory.data() + 16, sizeof total);
  std::memcpy(&to, memory.data() + 32, sizeof to);
  EXPECT_EQ(total, 41u);
  EXPECT_EQ(to, begin + 16) << "addresses in initial values are the program's, too";
  EXPECT_EQ(memory[20], std::byte{0xFF}) << "what lies beside it is the program's";

  memory[16] = std::byte{7};
  auto second = LoadedModule::load(kInProgram, *two.peer, &module, places);
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<LoadedModule>>(second));
  EXPECT_EQ(memory[16], std::byte{7}) << "another device shares it as it is";
  EXPECT_EQ(std::get<std::unique_ptr<LoadedModule>>(second)->variable("total")->address, begin + 16);
}

TEST(PeerMemory, VariablesOfTheProgramAreAsLongAsInDeviceCode) {
  TwoDevices two(false);
  const U64 begin = 0x555500000000;
  std::vector<std::byte> memory(4096);
  const auto program = AddressSpace::of_program(begin, memory.size(), memory.data());
  two.device.memory->set_peer(*program, false);
  const auto loaded = LoadedModule::load(kInProgram, *two.device.memory, nullptr, {{"to", {begin + 4092, 4}}});
  ASSERT_TRUE(std::holds_alternative<ptx::Diagnostic>(loaded));
  EXPECT_EQ(std::get<ptx::Diagnostic>(loaded).message,
            "the managed variable to has 8 bytes in device code and 4 in host code");
}

}  // namespace
}  // namespace vgpu::test
