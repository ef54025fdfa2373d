// A program and its devices in two processes: what crosses, what the owner alone may do, and what becomes of a program
// that does not keep to the rules.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "harness/vgpu/link/remote_call.h"
#include "harness/vgpu/link/testing/device_process.h"

namespace vgpu::link_test {
namespace {

using link::Call;
using link::Kind;
using link::Packet;
using link::RemoteCall;
using link::Writer;

/// A size that takes several pieces of staging memory, the last of them short.
constexpr std::size_t kLong = 3 * link::kStagingBytes + 5;

std::vector<unsigned char> numbered(std::size_t bytes) {
  std::vector<unsigned char> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<unsigned char>(i * 7 + i / 255);
  return values;
}

/// Whether host code may read there: asked of the kernel, which answers instead of ending the process.
bool may_read(const void* address) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool readable = write(ends[1], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

class Link : public testing::Test {
 protected:
  Link() : program_(std::exchange(devices_.program, -1)) {}
  ~Link() override {
    munmap(reinterpret_cast<void*>(0x200000000000), std::size_t{1} << 41);
  }  // where devices were seen

  cudaError_t allocate(void** pointer, std::size_t bytes) {
    return RemoteCall<static_cast<cudaError_t (*)(void**, size_t)>(&cudaMalloc)>::make(program_, Call::cudaMalloc,
                                                                                       {pointer, bytes});
  }
  cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return RemoteCall<&cudaMemcpy>::make(program_, Call::cudaMemcpy, {to, from, bytes, kind});
  }
  cudaError_t fill(void* pointer, int value, std::size_t bytes) {
    return RemoteCall<&cudaMemset>::make(program_, Call::cudaMemset, {pointer, value, bytes});
  }
  cudaError_t synchronise() {
    return RemoteCall<&cudaDeviceSynchronize>::make(program_, Call::cudaDeviceSynchronize, {});
  }

  DeviceProcess devices_;
  link::Program program_;
};

TEST_F(Link, CopiesArriveWhateverTheirLength) {
  for (const std::size_t bytes : {std::size_t{1}, link::kStagingBytes, kLong}) {
    const auto sent = numbered(bytes);
    std::vector<unsigned char> received(bytes);
    void* memory = nullptr;
    ASSERT_EQ(allocate(&memory, bytes), cudaSuccess);
    EXPECT_FALSE(may_read(memory)) << "device memory is mapped nowhere else";
    EXPECT_EQ(copy(memory, sent.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(copy(received.data(), memory, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(sent, received);
  }
}

TEST_F(Link, AProgramWithAnOwnerLoadsNoCodeWhileItRuns) {
  cudaLibrary_t library = nullptr;
  const char* const ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry f() { ret; }\n";
  EXPECT_EQ((RemoteCall<&cudaLibraryLoadData>::make(program_, Call::cudaLibraryLoadData,
                                                    {&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0})),
            cudaErrorNotSupported);
  EXPECT_EQ(library, nullptr);
  EXPECT_EQ(synchronise(), cudaSuccess) << "it is told, and served";
}

TEST_F(Link, AProgramWithAnOwnerSharesNothingWithOtherProcesses) {
  void *memory = nullptr, *opened = nullptr;
  ASSERT_EQ(allocate(&memory, 64), cudaSuccess);
  cudaIpcMemHandle_t handle{};
  cudaIpcEventHandle_t event_handle{};
  cudaEvent_t event = nullptr;
  EXPECT_EQ(RemoteCall<&cudaIpcGetMemHandle>::make(program_, Call::cudaIpcGetMemHandle, {&handle, memory}),
            cudaErrorNotSupported);
  EXPECT_EQ(RemoteCall<&cudaIpcOpenMemHandle>::make(program_, Call::cudaIpcOpenMemHandle,
                                                    {&opened, handle, cudaIpcMemLazyEnablePeerAccess}),
            cudaErrorNotSupported);
  EXPECT_EQ(RemoteCall<&cudaIpcCloseMemHandle>::make(program_, Call::cudaIpcCloseMemHandle, {memory}),
            cudaErrorNotSupported);
  EXPECT_EQ(RemoteCall<&cudaIpcGetEventHandle>::make(program_, Call::cudaIpcGetEventHandle, {&event_handle, event}),
            cudaErrorNotSupported);
  EXPECT_EQ(RemoteCall<&cudaIpcOpenEventHandle>::make(program_, Call::cudaIpcOpenEventHandle, {&event, event_handle}),
            cudaErrorNotSupported);
  EXPECT_EQ(opened, nullptr);
  EXPECT_EQ(synchronise(), cudaSuccess) << "it is told, and served";
}

TEST_F(Link, RowsKeepWhatLiesBetweenThem) {
  const auto sent = numbered(3 * 100);
  std::vector<unsigned char> received(3 * 50, 9);
  void* memory = nullptr;
  ASSERT_EQ(allocate(&memory, 3 * 64), cudaSuccess);
  EXPECT_EQ(RemoteCall<&cudaMemcpy2D>::make(program_, Call::cudaMemcpy2D,
                                            {memory, 64, sent.data(), 100, 40, 3, cudaMemcpyHostToDevice}),
            cudaSuccess);
  EXPECT_EQ(RemoteCall<&cudaMemcpy2D>::make(program_, Call::cudaMemcpy2D,
                                            {received.data(), 50, memory, 64, 40, 3, cudaMemcpyDeviceToHost}),
            cudaSuccess);
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t x = 0; x < 50; ++x)
      EXPECT_EQ(received[row * 50 + x], x < 40 ? sent[row * 100 + x] : 9) << row << " " << x;
}

TEST_F(Link, TexturesThatTheVirtualGpuHasNotAreRefused) {
  cudaMipmappedArray_t mipmapped = nullptr;
  cudaArray_t level = nullptr;
  const cudaChannelFormatDesc ints{32, 0, 0, 0, cudaChannelFormatKindSigned};
  ASSERT_EQ(RemoteCall<&cudaMallocMipmappedArray>::make(program_, Call::cudaMallocMipmappedArray,
                                                        {&mipmapped, &ints, {8, 8, 0}, 2, 0}),
            cudaSuccess);
  ASSERT_EQ(
      RemoteCall<&cudaGetMipmappedArrayLevel>::make(program_, Call::cudaGetMipmappedArrayLevel, {&level, mipmapped, 1}),
      cudaSuccess);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmapped;
  cudaTextureDesc description{};
  description.normalizedCoords = 1;
  const auto texture = [&](int cudaTextureDesc::*flag, cudaTextureFilterMode between) {
    cudaTextureObject_t object = 0;
    cudaTextureDesc asked = description;
    if (flag != nullptr) asked.*flag = 1;
    asked.mipmapFilterMode = between;
    return RemoteCall<&cudaCreateTextureObject>::make(program_, Call::cudaCreateTextureObject,
                                                      {&object, &resource, &asked, nullptr});
  };
  EXPECT_EQ(texture(nullptr, cudaFilterModePoint), cudaSuccess);
  EXPECT_EQ(texture(nullptr, cudaFilterModeLinear), cudaErrorInvalidFilterSetting);
  EXPECT_EQ(texture(&cudaTextureDesc::sRGB, cudaFilterModePoint), cudaErrorNotSupported);
  EXPECT_EQ(texture(&cudaTextureDesc::seamlessCubemap, cudaFilterModePoint), cudaErrorInvalidValue);
  EXPECT_EQ(RemoteCall<&cudaFreeArray>::make(program_, Call::cudaFreeArray, {level}), cudaErrorInvalidResourceHandle);
  for (const cudaError_t expected : {cudaSuccess, cudaErrorInvalidResourceHandle})
    EXPECT_EQ(RemoteCall<&cudaFreeMipmappedArray>::make(program_, Call::cudaFreeMipmappedArray, {mipmapped}), expected);
}

TEST_F(Link, ErrorsAreEachThreads) {
  EXPECT_NE(RemoteCall<&cudaSetDevice>::make(program_, Call::cudaSetDevice, {99}), cudaSuccess);
  const auto last = [&] { return RemoteCall<&cudaPeekAtLastError>::make(program_, Call::cudaPeekAtLastError, {}); };
  cudaError_t of_another = cudaErrorUnknown;
  std::thread([&] { of_another = last(); }).join();
  EXPECT_EQ(of_another, cudaSuccess);
  EXPECT_EQ(last(), cudaErrorInvalidDevice);
}

TEST_F(Link, PinnedMemoryIsTheSameForBothUntilItIsFreed) {
  void* pinned = nullptr;
  ASSERT_EQ(RemoteCall<static_cast<cudaError_t (*)(void**, size_t)>(&cudaMallocHost)>::make(
                program_, Call::cudaMallocHost, {&pinned, 5000}),
            cudaSuccess);
  auto* const bytes = static_cast<unsigned char*>(pinned);
  bytes[4999] = 1;
  EXPECT_EQ(fill(pinned, 7, 4999), cudaSuccess);
  EXPECT_EQ(synchronise(), cudaSuccess);
  EXPECT_EQ(bytes[0] + bytes[4998], 14);
  EXPECT_EQ(bytes[4999], 1);
  EXPECT_EQ(RemoteCall<&cudaFreeHost>::make(program_, Call::cudaFreeHost, {pinned}), cudaSuccess);
  EXPECT_FALSE(may_read(pinned));
}

TEST_F(Link, RegisteredMemoryIsTheSameForBothAndKeepsWhatItHolds) {
  std::vector<unsigned char> own(3 * 4096, 1), other(own);
  const auto pin = [&](void* begin, std::size_t bytes) {
    return RemoteCall<&cudaHostRegister>::make(program_, Call::cudaHostRegister, {begin, bytes, 0});
  };
  const auto unregister = [&](void* begin) {
    return RemoteCall<&cudaHostUnregister>::make(program_, Call::cudaHostUnregister, {begin});
  };
  ASSERT_EQ(pin(own.data(), 4096), cudaSuccess);
  ASSERT_EQ(pin(own.data() + 4096, 4096), cudaSuccess) << "on a page that the first one has, too";
  EXPECT_EQ(fill(own.data() + 4000, 7, 96), cudaSuccess);
  EXPECT_EQ(fill(own.data() + 4096, 8, 4096), cudaSuccess);
  EXPECT_EQ(synchronise(), cudaSuccess);
  EXPECT_EQ(unregister(own.data()), cudaSuccess);
  EXPECT_EQ(fill(own.data() + 8000, 9, 10), cudaSuccess) << "the second one still is";
  EXPECT_EQ(synchronise(), cudaSuccess);
  EXPECT_EQ(unregister(own.data() + 4096), cudaSuccess);
  std::fill_n(other.begin() + 4000, 96, 7);
  std::fill_n(other.begin() + 4096, 4096, 8);
  std::fill_n(other.begin() + 8000, 10, 9);
  EXPECT_EQ(own, other);
  EXPECT_NE(fill(own.data(), 1, 1), cudaSuccess);
}

TEST_F(Link, HostFunctionRunsInTheProgramAndIsNotPermittedToCall) {
  struct Seen {
    link::Program* program;
    cudaError_t of_call = cudaSuccess, last = cudaSuccess;
  } seen{&program_};
  const cudaHostFn_t function = [](void* data) {
    auto* const own = static_cast<Seen*>(data);
    own->of_call = RemoteCall<&cudaDeviceReset>::make(*own->program, Call::cudaDeviceReset, {});
    own->last = RemoteCall<&cudaGetLastError>::make(*own->program, Call::cudaGetLastError, {});
  };
  EXPECT_EQ(RemoteCall<&cudaLaunchHostFunc>::make(program_, Call::cudaLaunchHostFunc, {nullptr, function, &seen}),
            cudaSuccess);
  EXPECT_EQ(seen.of_call, cudaErrorNotPermitted);
  EXPECT_EQ(seen.last, cudaErrorNotPermitted);
}

TEST_F(Link, OwnerPlacesWhatTheProgramSees) {
  ASSERT_EQ(synchronise(), cudaSuccess);  // the program makes the device
  const auto sent = numbered(kLong);
  std::vector<unsigned char> received(kLong);
  const std::uint64_t address = devices_.owner->allocate("d_in", {kLong, 1, 1});
  ASSERT_NE(address, 0u);
  ASSERT_TRUE(devices_.owner->write(address, reinterpret_cast<const std::byte*>(sent.data()), kLong));
  EXPECT_EQ(copy(received.data(), reinterpret_cast<void*>(address), kLong, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(sent, received);
  EXPECT_EQ(fill(reinterpret_cast<void*>(address), 3, 1), cudaSuccess);
  ASSERT_TRUE(devices_.owner->read(reinterpret_cast<std::byte*>(received.data()), address, kLong));
  EXPECT_EQ(received[0], 3);
  EXPECT_EQ(received[kLong - 1], sent[kLong - 1]);
  EXPECT_EQ(devices_.owner->describe(address + 12).text, "element 12 of d_in");
  EXPECT_EQ(devices_.owner->describe(address + 12).allocation, "") << "it has a name";
  EXPECT_EQ(RemoteCall<&cudaFree>::make(program_, Call::cudaFree, {reinterpret_cast<void*>(address)}),
            cudaErrorInvalidValue);
  EXPECT_TRUE(devices_.owner->release(address));
  EXPECT_FALSE(devices_.owner->release(address));
  EXPECT_FALSE(devices_.owner->write(address, reinterpret_cast<const std::byte*>(sent.data()), 1));
}

TEST_F(Link, OwnerIsToldWhatLiesAtAnAddress) {
  void* made = nullptr;
  ASSERT_EQ(allocate(&made, 400), cudaSuccess);
  const auto address = reinterpret_cast<std::uint64_t>(made);
  const link::DescribedAddress described = devices_.owner->describe(address + 20);
  EXPECT_EQ(described.text, "byte 20 of a device allocation of 400 bytes");
  EXPECT_EQ(described.allocation, "a device allocation of 400 bytes");
  EXPECT_EQ(described.object, "") << "nobody said what code made the call";
  EXPECT_EQ(RemoteCall<&cudaFree>::make(program_, Call::cudaFree, {made}), cudaSuccess);
  EXPECT_EQ(devices_.owner->describe(address + 20).text, "byte 20 of a device allocation of 400 bytes, already freed");
  EXPECT_EQ(devices_.owner->describe(16).text, "");
}

TEST_F(Link, FindingsReachTheOwnerAlone) {
  EXPECT_NE(RemoteCall<&cudaFree>::make(program_, Call::cudaFree, {reinterpret_cast<void*>(16)}), cudaSuccess);
  void *leaked = nullptr, *managed = nullptr;
  ASSERT_EQ(allocate(&leaked, 100), cudaSuccess);
  ASSERT_EQ((RemoteCall<static_cast<cudaError_t (*)(void**, size_t, unsigned)>(&cudaMallocManaged)>::make(
                program_, Call::cudaMallocManaged, {&managed, 2000, cudaMemAttachGlobal})),
            cudaSuccess);
  std::string text;
  ASSERT_TRUE(devices_.owner->findings(text));
  EXPECT_NE(text.find("invalid free"), std::string::npos) << text;
  for (const char* const bytes :
       {"100 bytes was allocated and never freed", "2,000 bytes was allocated and never freed"})
    EXPECT_NE(text.find(bytes), std::string::npos) << text;
  ASSERT_TRUE(devices_.owner->findings(text));
  EXPECT_EQ(text, "") << "they were handed over";

  EXPECT_EQ(RemoteCall<&vgpuSetMonitors>::make(program_, Call::vgpuSetMonitors, {"none"}), 0) << "no answer is 0";
  EXPECT_EQ(synchronise(), cudaErrorDevicesUnavailable) << "who asks for what is the owner's is not served any more";
  EXPECT_TRUE(devices_.owner->findings(text));
}

TEST_F(Link, NoLibraryComputesForAProgramWithAnOwner) {
  vgpuLibraryWork work{};
  const cudaHostFn_t compute = [](void*) { ADD_FAILURE() << "a submission has kernels of its own"; };
  EXPECT_EQ(
      RemoteCall<&vgpuRunLibrary>::make(program_, Call::vgpuRunLibrary, {&work, nullptr, 0, compute, nullptr, nullptr}),
      cudaErrorDevicesUnavailable);
  EXPECT_EQ(synchronise(), cudaErrorDevicesUnavailable) << "it is not served any more";
}

TEST_F(Link, FrozenProgramWaitsForItsTurn) {
  ASSERT_EQ(synchronise(), cudaSuccess);
  ASSERT_TRUE(devices_.owner->freeze());
  std::atomic<bool> is_served{false};
  std::thread program([&] {
    synchronise();
    is_served = true;
  });
  std::string text;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(devices_.owner->findings(text));
  EXPECT_FALSE(is_served);
  EXPECT_TRUE(devices_.owner->begin({0, 0, 0}));
  program.join();
}

/// A program that speaks for itself.
class Hostile : public testing::Test {
 protected:
  bool send(Kind kind, Call call, const Writer& writer) {
    link::Header header{kind};
    header.call = static_cast<std::uint16_t>(call);
    return link::send_packet(devices_.program, header, writer);
  }
  void hello() {
    Writer writer;
    writer.put(link::kVersion);
    ASSERT_TRUE(send(Kind::kCall, Call::kHello, writer));
    ASSERT_TRUE(link::receive_packet(devices_.program, packet_));
  }
  bool is_served_no_more() { return !link::receive_packet(devices_.program, packet_); }
  bool owner_is_served() {
    std::string text;
    return devices_.owner->findings(text);
  }

  DeviceProcess devices_;
  Packet packet_;
};

TEST_F(Hostile, WhatIsNoCallEndsTheConnection) {
  ASSERT_TRUE(send(Kind::kAnswer, Call::kHello, {}));
  EXPECT_TRUE(is_served_no_more());
  EXPECT_TRUE(owner_is_served());
}

TEST_F(Hostile, CallCutShortIsNotMade) {
  hello();
  ASSERT_TRUE(send(Kind::kCall, Call::cudaMemcpy, {}));
  EXPECT_TRUE(is_served_no_more());
  EXPECT_TRUE(owner_is_served());
}

TEST_F(Hostile, ArrayShorterThanItsCountIsNotRead) {
  hello();
  Writer writer;
  writer.put(std::uint64_t{1});  // where the node goes
  writer.put(cudaGraphNode_t{});
  writer.put(cudaGraph_t{});
  writer.put(std::uint8_t{1});   // an array of
  writer.put(std::uint32_t{1});  // one, it says here
  writer.put(cudaGraphNode_t{});
  writer.put(std::size_t{1} << 40);  // and here something else
  ASSERT_TRUE(send(Kind::kCall, Call::cudaGraphAddEmptyNode, writer));
  EXPECT_TRUE(is_served_no_more());
  EXPECT_TRUE(owner_is_served());
}

TEST_F(Hostile, ProgramThatDoesNotAnswerIsGivenUp) {
  hello();
  Writer writer;
  writer.put(std::uint8_t{1});
  writer.put(static_cast<void*>(nullptr));
  writer.put(std::size_t{100});
  ASSERT_TRUE(send(Kind::kCall, Call::cudaMalloc, writer));
  while (link::receive_packet(devices_.program, packet_) && packet_.header.kind != Kind::kReply) {
    if (packet_.descriptor != -1) close(packet_.descriptor);
    Writer agreed;
    agreed.put(0);
    ASSERT_TRUE(send(Kind::kAnswer, Call::kHello, agreed));
  }
  link::Reader reply = packet_.reader();
  EXPECT_EQ(reply.get<cudaError_t>(), cudaSuccess);
  Writer copy;
  copy.put(reply.get<void*>());
  copy.put(reinterpret_cast<void*>(0x1000));
  copy.put(std::size_t{100});
  copy.put(cudaMemcpyHostToDevice);
  ASSERT_TRUE(send(Kind::kCall, Call::cudaMemcpy, copy));
  ASSERT_TRUE(link::receive_packet(devices_.program, packet_));
  EXPECT_EQ(packet_.header.kind, Kind::kRead);
  close(std::exchange(devices_.program, -1));
  EXPECT_TRUE(owner_is_served());
}

TEST_F(Hostile, ProgramThatKeepsItsAnswerBackIsNotWaitedForWhenTheOwnerSpeaks) {
  hello();
  Writer registering;
  registering.put(std::uint64_t{0x1000});  // where its code would be read from
  registering.put(std::uint32_t{0});       // units that it was linked from
  registering.put(std::uint64_t{0});
  registering.put(std::uint64_t{0});
  registering.put_text("program");
  ASSERT_TRUE(send(Kind::kCall, Call::__cudaRegisterFatBinary, registering));
  ASSERT_TRUE(link::receive_packet(devices_.program, packet_));
  EXPECT_EQ(packet_.header.kind, Kind::kRead);
  EXPECT_TRUE(owner_is_served());
}

TEST_F(Hostile, FloodIsNotWaitedForEver) {
  hello();
  // Calls without end, whose replies nobody takes: until the devices do not take them any more, either.
  link::Header header{Kind::kCall};
  header.call = static_cast<std::uint16_t>(Call::cudaPeekAtLastError);
  while (::send(devices_.program, &header, sizeof header, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof header) {
  }
  EXPECT_TRUE(owner_is_served());
}

}  // namespace
}  // namespace vgpu::link_test
