// A program as nvcc of CUDA 12 makes it, linked with libcudart.so.12: what it declares and how structures lie in memory
// is written down here once more, from the documentation of CUDA 12, without a header of any toolkit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Handle = struct Opaque*;
struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};
struct MemLocation {
  int type, id;
};

enum { kSuccess = 0, kInvalidValue = 1, kInvalidDevice = 101, kNotSupported = 801 };
enum {
  kHost = -1,
  kToHost = 2,
  kAttachGlobal = 1,
  kReadMostly = 1,
  kPreferredLocation = 3,
  kAtDevice = 1,
  kAtHost = 2
};

}  // namespace

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, Dim3*, Dim3*, int*);
unsigned __cudaPushCallConfiguration(Dim3, Dim3, size_t, Handle);
int __cudaPopCallConfiguration(Dim3*, Dim3*, size_t*, void*);
int cudaLaunchKernel(const void*, Dim3, Dim3, void**, size_t, Handle);
int cudaMallocManaged(void**, size_t, unsigned);
int cudaFree(void*);
int cudaDeviceSynchronize();
int cudaThreadSynchronize();
int cudaThreadSetLimit(int, size_t);
int cudaThreadGetLimit(size_t*, int);
int cudaRuntimeGetVersion(int*);
int cudaDriverGetVersion(int*);
int cudaDeviceGetAttribute(int*, int, int);
int cudaPointerGetAttributes(void*, const void*);
int cudaCreateTextureObject(unsigned long long*, const void*, const void*, const void*);
int cudaGetTextureObjectResourceDesc(void*, unsigned long long);
int cudaDestroyTextureObject(unsigned long long);
int cudaGetDeviceProperties(void*, int);
int cudaGetDeviceProperties_v2(void*, int);
int cudaMemPrefetchAsync(const void*, size_t, int, Handle);
int cudaMemPrefetchAsync_ptsz(const void*, size_t, int, Handle);
int cudaMemPrefetchAsync_v2(const void*, size_t, MemLocation, unsigned, Handle);
int cudaMemAdvise(const void*, size_t, int, int);
int cudaMemAdvise_v2(const void*, size_t, int, MemLocation);
int cudaMemRangeGetAttribute(void*, size_t, int, const void*, size_t);
int cudaMemRangeGetAttributes(void**, size_t*, int*, size_t, const void*, size_t);
int cudaGraphCreate(Handle*, unsigned);
int cudaGraphDestroy(Handle);
int cudaGraphAddEmptyNode(Handle*, Handle, const Handle*, size_t);
int cudaGraphAddKernelNode(Handle*, Handle, const Handle*, size_t, const void*);
int cudaGraphAddDependencies(Handle, const Handle*, const Handle*, size_t);
int cudaGraphAddDependencies_v2(Handle, const Handle*, const Handle*, const void*, size_t);
int cudaGraphRemoveDependencies(Handle, const Handle*, const Handle*, size_t);
int cudaGraphGetEdges(Handle, Handle*, Handle*, size_t*);
int cudaGraphNodeGetDependencies(Handle, Handle*, size_t*);
int cudaGraphNodeGetDependentNodes(Handle, Handle*, size_t*);
int cudaGraphNodeGetDependentNodes_v2(Handle, Handle*, void*, size_t*);
int cudaGraphKernelNodeSetAttribute(Handle, int, const void*);
int cudaGraphKernelNodeGetAttribute(Handle, int, void*);
int cudaGraphKernelNodeCopyAttributes(Handle, Handle);
int cudaGraphInstantiateWithFlags(Handle*, Handle, unsigned long long);
int cudaGraphLaunch(Handle, Handle);
int cudaGraphExecDestroy(Handle);
int cudaStreamCreate(Handle*);
int cudaStreamDestroy(Handle);
int cudaStreamBeginCapture(Handle, int);
int cudaStreamEndCapture(Handle, Handle*);
int cudaStreamGetCaptureInfo(Handle, int*, unsigned long long*);
int cudaStreamGetCaptureInfo_v2(Handle, int*, unsigned long long*, Handle*, const Handle**, size_t*);
int cudaStreamUpdateCaptureDependencies(Handle, Handle*, size_t, unsigned);
int cudaEventCreate(Handle*);
int cudaEventRecord(Handle, Handle);
int cudaEventDestroy(Handle);
int cudaEventElapsedTime_v2(float*, Handle, Handle);
int cudaLaunchCooperativeKernelMultiDevice(void*, unsigned, unsigned);
}

namespace {

constexpr const char* kPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry tripled(.param .u64 numbers, .param .u32 count) {
  .reg .pred %p; .reg .u32 %i, %n, %v; .reg .u64 %a;
  ld.param.u64 %a, [numbers];
  ld.param.u32 %n, [count];
  mov.u32 %i, %tid.x;
  setp.ge.u32 %p, %i, %n;
  @%p ret;
  mad.wide.u32 %a, %i, 4, %a;
  mul.lo.u32 %v, %i, 3;
  st.global.u32 [%a], %v;
  ret;
}
)";

/// What nvcc puts into a program: the container, and its registration.
class DeviceCode {
 public:
  DeviceCode() : container_(16 + 64 + std::strlen(kPtx) + 1) {
    put<std::uint32_t>(0, 0xBA55ED50);
    put<std::uint16_t>(4, 1);
    put<std::uint16_t>(6, 16);
    put<std::uint64_t>(8, container_.size() - 16);
    put<std::uint16_t>(16, 1);  // PTX
    put<std::uint16_t>(18, 0x101);
    put<std::uint32_t>(20, 64);
    put<std::uint64_t>(24, container_.size() - 80);
    put<std::uint32_t>(44, 80);  // the architecture
    std::memcpy(&container_[80], kPtx, std::strlen(kPtx) + 1);
    wrapper_.data = container_.data();
    handle_ = __cudaRegisterFatBinary(&wrapper_);
    __cudaRegisterFunction(handle_, kernel(), nullptr, "tripled", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(handle_);
  }
  ~DeviceCode() { __cudaUnregisterFatBinary(handle_); }
  DeviceCode(const DeviceCode&) = delete;
  DeviceCode& operator=(const DeviceCode&) = delete;

  static const char* kernel() {
    static const char kStub = 0;
    return &kStub;
  }

 private:
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(&container_[at], &value, sizeof value);
  }

  std::vector<char> container_;
  struct {
    std::uint32_t magic = 0x466243B1, version = 1;
    const void* data = nullptr;
    void* more = nullptr;
  } wrapper_;
  void** handle_;
};

class Cuda12 : public testing::Test {
 protected:
  Cuda12() { EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&numbers_), kBytes, kAttachGlobal), kSuccess); }
  ~Cuda12() override { EXPECT_EQ(cudaFree(numbers_), kSuccess); }

  static constexpr std::size_t kBytes = 4096;
  DeviceCode code_;
  unsigned* numbers_ = nullptr;
};

template <class T>
T at(const std::vector<unsigned char>& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, &bytes[offset], sizeof value);
  return value;
}

int attribute(int number) {
  int value = -1;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, number, 0), kSuccess);
  return value;
}

void expect_filled(const std::vector<unsigned char>& properties, std::size_t bytes) {
  EXPECT_EQ(at<int>(properties, 348), attribute(13)) << "clockRate";
  EXPECT_EQ(at<int>(properties, 360), attribute(75)) << "major";
  EXPECT_EQ(at<int>(properties, 364), attribute(76)) << "minor";
  EXPECT_EQ(at<int>(properties, 388), attribute(16)) << "multiProcessorCount";
  EXPECT_EQ(at<std::size_t>(properties, 696), static_cast<std::size_t>(attribute(97))) << "sharedMemPerBlockOptin";
  EXPECT_EQ(at<std::size_t>(properties, 720), static_cast<std::size_t>(attribute(111))) << "reservedSharedMemPerBlock";
  for (std::size_t i = bytes; i < properties.size(); ++i) EXPECT_EQ(properties[i], 0xEE) << i;
}

TEST_F(Cuda12, DevicePropertiesLieAsCuda12HasThem) {
  std::vector<unsigned char> properties(1032 + 64, 0xEE);
  ASSERT_EQ(cudaGetDeviceProperties_v2(properties.data(), 0), kSuccess);
  expect_filled(properties, 1032);
  EXPECT_EQ(cudaGetDeviceProperties_v2(properties.data(), 99), kInvalidDevice);
  EXPECT_EQ(cudaGetDeviceProperties_v2(nullptr, 0), kInvalidValue);
}

TEST_F(Cuda12, DevicePropertiesFromBeforeCuda12AreNotOverrun) {
  std::vector<unsigned char> properties(1032, 0xEE);
  ASSERT_EQ(cudaGetDeviceProperties(properties.data(), 0), kSuccess);
  expect_filled(properties, 728);
}

TEST_F(Cuda12, AttributesOfPointersEndWhereTheyDid) {
  constexpr int kManaged = 3;
  std::vector<unsigned char> attributes(88, 0xEE);
  ASSERT_EQ(cudaPointerGetAttributes(attributes.data(), numbers_), kSuccess);
  EXPECT_EQ(at<int>(attributes, 0), kManaged);
  EXPECT_EQ(at<void*>(attributes, 8), numbers_);
  for (std::size_t i = 24; i < attributes.size(); ++i) EXPECT_EQ(attributes[i], 0xEE) << i;
  EXPECT_EQ(cudaPointerGetAttributes(nullptr, numbers_), kInvalidValue);
}

TEST_F(Cuda12, ResourcesOfTexturesEndWhereTheyDid) {
  constexpr int kLinear = 2, kUnsigned = 1;
  struct {
    int type = kLinear;
    void* memory = nullptr;
    int bits[4] = {32, 0, 0, 0}, kind = kUnsigned;
    std::size_t bytes = kBytes;
    char rest[16] = {};
    unsigned char behind[80];
  } resource;
  static_assert(offsetof(decltype(resource), behind) == 64, "no more of it is the program's");
  resource.memory = numbers_;
  std::memset(resource.behind, 0xEE, sizeof resource.behind);
  const char description[72] = {};
  unsigned long long texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, description, nullptr), kSuccess);
  std::vector<unsigned char> got(144, 0xEE);
  ASSERT_EQ(cudaGetTextureObjectResourceDesc(got.data(), texture), kSuccess);
  EXPECT_EQ(at<int>(got, 0), kLinear);
  EXPECT_EQ(at<void*>(got, 8), numbers_);
  for (std::size_t i = 64; i < got.size(); ++i) EXPECT_EQ(got[i], 0xEE) << i;
  EXPECT_EQ(cudaCreateTextureObject(&texture, nullptr, description, nullptr), kInvalidValue);
  EXPECT_EQ(cudaDestroyTextureObject(texture), kSuccess);
}

TEST_F(Cuda12, VersionIsThatOfTheRuntime) {
  int runtime = 0, driver = 0;
  ASSERT_EQ(cudaRuntimeGetVersion(&runtime), kSuccess);
  ASSERT_EQ(cudaDriverGetVersion(&driver), kSuccess);
  EXPECT_EQ(runtime / 1000, 12);
  EXPECT_GE(driver, runtime);
}

TEST_F(Cuda12, KernelRunsAsItsStartUpCodeLaunchesIt) {
  ASSERT_EQ(__cudaPushCallConfiguration({}, {32, 1, 1}, 0, nullptr), 0U);
  Dim3 grid, block;
  std::size_t shared = 1;
  Handle stream = nullptr;
  ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), kSuccess);
  unsigned count = 31;
  numbers_[31] = 7;
  void* arguments[] = {&numbers_, &count};
  ASSERT_EQ(cudaLaunchKernel(DeviceCode::kernel(), grid, block, arguments, shared, stream), kSuccess);
  ASSERT_EQ(cudaThreadSynchronize(), kSuccess);
  EXPECT_EQ(numbers_[30], 90U);
  EXPECT_EQ(numbers_[31], 7U);
}

TEST_F(Cuda12, PrefetchAndAdviceTakeTheNumberOfADevice) {
  EXPECT_EQ(cudaMemPrefetchAsync(numbers_, kBytes, 0, nullptr), kSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(numbers_, kBytes, kHost, nullptr), kSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync_ptsz(numbers_, kBytes, kHost, nullptr), kSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(numbers_, kBytes, 99, nullptr), kInvalidDevice);
  EXPECT_EQ(cudaMemPrefetchAsync_v2(numbers_, kBytes, {kAtDevice, 0}, 0, nullptr), kSuccess);
  EXPECT_EQ(cudaMemAdvise(numbers_, kBytes, kReadMostly, 0), kSuccess);
  EXPECT_EQ(cudaMemAdvise(numbers_, kBytes, kPreferredLocation, kHost), kSuccess);
  EXPECT_EQ(cudaMemAdvise(numbers_, kBytes, kPreferredLocation, 99), kInvalidValue);
  EXPECT_EQ(cudaMemAdvise_v2(numbers_, kBytes, kPreferredLocation, {kAtHost, 0}), kSuccess);
}

TEST_F(Cuda12, AdviceAndPrefetchesAreToldOfTheirPages) {
  enum { kAccessedBy = 3, kLastPrefetch = 4, kSetAccessedBy = 5, kPreferredType = 5, kNowhere = -2 };
  constexpr std::size_t kPage = 4096, kAll = 3 * kPage;
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocManaged(&memory, kAll, kAttachGlobal), kSuccess);
  char* const begin = static_cast<char*>(memory);
  const auto told = [&](int attribute, std::size_t bytes) {
    int value = -9;
    EXPECT_EQ(cudaMemRangeGetAttribute(&value, sizeof value, attribute, memory, bytes), kSuccess);
    return value;
  };
  EXPECT_EQ(told(kReadMostly, kAll), 0);
  EXPECT_EQ(told(kLastPrefetch, kAll), kNowhere);
  ASSERT_EQ(cudaMemAdvise(memory, 2 * kPage, kReadMostly, 0), kSuccess);
  EXPECT_EQ(told(kReadMostly, 2 * kPage), 1);
  EXPECT_EQ(told(kReadMostly, kAll), 0);
  ASSERT_EQ(cudaMemPrefetchAsync(memory, kAll, 0, nullptr), kSuccess);
  ASSERT_EQ(cudaMemPrefetchAsync(begin + 2 * kPage, 1, kHost, nullptr), kSuccess);
  EXPECT_EQ(told(kLastPrefetch, 2 * kPage), 0);
  EXPECT_EQ(told(kLastPrefetch, kAll), kNowhere);
  ASSERT_EQ(cudaMemAdvise(memory, kAll, kPreferredLocation, kHost), kSuccess);
  EXPECT_EQ(told(2, kAll), kHost);
  EXPECT_EQ(told(kPreferredType, kAll), kAtHost);
  ASSERT_EQ(cudaMemAdvise(memory, kAll, kSetAccessedBy, 0), kSuccess);
  std::vector<int> devices(100'000);  // many more than there are devices
  int read_mostly = 0;
  void* to[] = {devices.data(), &read_mostly};
  std::size_t bytes[] = {devices.size() * sizeof devices[0], sizeof read_mostly};
  int attributes[] = {kAccessedBy, kReadMostly};
  EXPECT_EQ(cudaMemRangeGetAttributes(to, bytes, attributes, 2, memory, kPage), kSuccess);
  EXPECT_EQ(devices[0], 0);
  EXPECT_EQ(std::count(devices.begin() + 1, devices.end(), int{kNowhere}), 99'999);
  EXPECT_EQ(read_mostly, 1);
  EXPECT_EQ(cudaMemRangeGetAttribute(devices.data(), 3, kReadMostly, memory, kAll), kInvalidValue);
  EXPECT_EQ(cudaMemRangeGetAttribute(devices.data(), 4, kReadMostly, memory, kAll + 1), kInvalidValue);
  EXPECT_EQ(cudaFree(memory), kSuccess);
}

TEST_F(Cuda12, EdgesOfGraphsComeWithAndWithoutData) {
  Handle graph = nullptr, nodes[3] = {};
  ASSERT_EQ(cudaGraphCreate(&graph, 0), kSuccess);
  for (Handle& node : nodes) ASSERT_EQ(cudaGraphAddEmptyNode(&node, graph, nullptr, 0), kSuccess);
  ASSERT_EQ(cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], 1), kSuccess);
  ASSERT_EQ(cudaGraphAddDependencies_v2(graph, &nodes[1], &nodes[2], nullptr, 1), kSuccess);
  Handle from[3] = {}, to[3] = {}, next = nullptr;
  std::size_t edges = 3, one = 1, count = 0;
  ASSERT_EQ(cudaGraphGetEdges(graph, from, to, &edges), kSuccess);
  EXPECT_EQ(edges, 2U);
  EXPECT_EQ(from[0], nodes[0]);
  EXPECT_EQ(to[0], nodes[1]);
  ASSERT_EQ(cudaGraphNodeGetDependencies(nodes[1], &next, &one), kSuccess);
  EXPECT_EQ(next, nodes[0]);
  ASSERT_EQ(cudaGraphNodeGetDependentNodes(nodes[1], &next, &one), kSuccess);
  EXPECT_EQ(next, nodes[2]);
  ASSERT_EQ(cudaGraphRemoveDependencies(graph, &nodes[0], &nodes[1], 1), kSuccess);
  ASSERT_EQ(cudaGraphNodeGetDependentNodes_v2(nodes[0], nullptr, nullptr, &count), kSuccess);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(cudaGraphDestroy(graph), kSuccess);
}

TEST_F(Cuda12, AttributesGoFromTheFirstNodeToTheSecond) {
  constexpr int kPriority = 8;
  unsigned count = 1;
  void* arguments[] = {&numbers_, &count};
  const struct {
    const void* function;
    Dim3 grid, block;
    unsigned shared;
    void **arguments, **extra;
  } parameters = {DeviceCode::kernel(), {}, {}, 0, arguments, nullptr};
  Handle graph = nullptr, first = nullptr, second = nullptr, executable = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), kSuccess);
  ASSERT_EQ(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &parameters), kSuccess);
  ASSERT_EQ(cudaGraphAddKernelNode(&second, graph, &first, 1, &parameters), kSuccess);
  int value[16] = {-1};
  ASSERT_EQ(cudaGraphKernelNodeSetAttribute(first, kPriority, value), kSuccess);
  ASSERT_EQ(cudaGraphKernelNodeCopyAttributes(first, second), kSuccess);
  value[0] = 0;
  ASSERT_EQ(cudaGraphKernelNodeGetAttribute(second, kPriority, value), kSuccess);
  EXPECT_EQ(value[0], -1);
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&executable, graph, 0), kSuccess);
  numbers_[0] = 7;
  ASSERT_EQ(cudaGraphLaunch(executable, nullptr), kSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), kSuccess);
  EXPECT_EQ(numbers_[0], 0U);
  EXPECT_EQ(cudaGraphExecDestroy(executable), kSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), kSuccess);
}

TEST_F(Cuda12, CapturesTellTheirNodesWithoutData) {
  Handle stream = nullptr, graph = nullptr, ended = nullptr, node = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), kSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, 0), kSuccess);
  int status = 0;
  unsigned long long id = 0, same = 0;
  const Handle* after = nullptr;
  std::size_t count = 9;
  ASSERT_EQ(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &after, &count), kSuccess);
  EXPECT_EQ(status, 1);
  EXPECT_EQ(count, 0U);
  ASSERT_EQ(cudaGraphAddEmptyNode(&node, graph, nullptr, 0), kSuccess);
  ASSERT_EQ(cudaStreamUpdateCaptureDependencies(stream, &node, 1, 0), kSuccess);
  ASSERT_EQ(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, nullptr, &after, &count), kSuccess);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(after[0], node);
  ASSERT_EQ(cudaStreamGetCaptureInfo(stream, &status, &same), kSuccess);
  EXPECT_EQ(same, id);
  ASSERT_EQ(cudaStreamEndCapture(stream, &ended), kSuccess);
  EXPECT_EQ(cudaGraphDestroy(ended), kSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), kSuccess);
}

TEST_F(Cuda12, TimeBetweenEventsHasASecondName) {
  Handle begin = nullptr, end = nullptr;
  ASSERT_EQ(cudaEventCreate(&begin), kSuccess);
  ASSERT_EQ(cudaEventCreate(&end), kSuccess);
  ASSERT_EQ(cudaEventRecord(begin, nullptr), kSuccess);
  ASSERT_EQ(cudaEventRecord(end, nullptr), kSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), kSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime_v2(&milliseconds, begin, end), kSuccess);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(cudaEventDestroy(begin), kSuccess);
  EXPECT_EQ(cudaEventDestroy(end), kSuccess);
}

TEST_F(Cuda12, CallsThat13HasNoMoreAreThereOrRefused) {
  constexpr int kStackSize = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(cudaThreadSetLimit(kStackSize, 2048), kSuccess);
  EXPECT_EQ(cudaThreadGetLimit(&bytes, kStackSize), kSuccess);
  EXPECT_EQ(bytes, 2048U);
  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(nullptr, 0, 0), kNotSupported);
}

}  // namespace
