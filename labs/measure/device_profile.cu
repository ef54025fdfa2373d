// The numbers of a device that the virtual GPU's time model needs. `lanewise profile --measure` runs this program and
// builds a profile from what it prints: on each line a key, a number and how it was found.
//
//   nvcc -std=c++17 -arch=sm_90 -lineinfo -cudart shared -o device_profile labs/measure/device_profile.cu
//   ./device_profile 64                                    on a GPU: work that takes long enough to be timed
//   lanewise run --monitor counters -- ./device_profile    on the virtual GPU: the numbers of its own profile
//
// Most numbers are differences: the same work twice as long, or twice as large, takes so much longer. What both have in
// common, launches and events for example, cancels. The host's times are measured by events, too: between two events in
// an idle stream lies what the host has done meanwhile.
#include <cmath>
#include <cstdint>
#include <ctime>

#include "measure.cuh"
#include "throughput.cuh"

namespace {

constexpr int kThreads = 256;
constexpr std::size_t kMebi = std::size_t{1} << 20;

// --- kernels ---------------------------------------------------------------------------------------------------------

struct Line {
  Line* next;
  char rest[128 - sizeof(Line*)];
};

// One thread follows a chain: each load waits for the one before. Goes on from where the last call ended.
__global__ void chase(Line** place, unsigned steps) {
  Line* line = *place;
#pragma unroll 8
  for (unsigned step = 0; step < steps; ++step) line = line->next;
  *place = line;
}

// Steps are a multiple of eight.
__global__ void chase_shared(unsigned steps, unsigned* end) {
  __shared__ unsigned next[32];
  auto place = static_cast<unsigned>(__cvta_generic_to_shared(&next[threadIdx.x]));
  next[threadIdx.x] = place;  // a word that holds its own address
  __syncwarp();
  for (unsigned step = 0; step < steps; step += 8) {  // clang unrolls only an inner loop with asm
#pragma unroll
    for (int i = 0; i < 8; ++i) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(place));
  }
  end[threadIdx.x] = place;
}

__global__ void copy(const float4* from, float4* to) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  __stcg(&to[i], __ldcg(&from[i]));  // clang would assign a vector in two pieces
}

// Reads so many times, four vectors at once, what does not fit into the first-level cache, which .cg passes by.
__global__ void read_again(const float4* from, unsigned vectors, int times, float* results) {
  const unsigned threads = gridDim.x * kThreads, me = blockIdx.x * kThreads + threadIdx.x;
  float sum = 0;
  for (int time = 0; time < times; ++time) {
    float4 read[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) read[i] = __ldcg(&from[(me + (4u * time + i) * threads) % vectors]);
#pragma unroll
    for (int i = 0; i < 4; ++i) sum += read[i].x + read[i].y + read[i].z + read[i].w;
  }
  results[me] = sum;
}

// Adds to `different` words, a power of two, all over the array; what is added differs, or additions could be counted.
__global__ void add(unsigned* words, unsigned different, unsigned times) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  for (unsigned time = 0; time < times; ++time) atomicAdd(&words[(i + time * 7919) * 2654435761u % different], time);
}

// So many of a warp's values differ, and each time they are others.
__global__ void match(unsigned different, unsigned times, unsigned* sums) {
  unsigned value = threadIdx.x % different, sum = 0;
  for (unsigned time = 0; time < times; ++time) {
    sum = sum * 3 + __match_any_sync(0xFFFFFFFFu, value);
    value += 32;
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void nothing() {}

// --- measuring -------------------------------------------------------------------------------------------------------

// Noise can make a difference negative. Such a number is left out, so the profile takes over another device's.
void tell(const char* key, double value, const char* how) {
  if (std::round(value) >= 1)
    std::printf("%s = %.0f  # %s\n", key, std::round(value), how);
  else
    std::printf("# %s: %.3g was measured, which cannot be right, so it is left out.\n", key, value);
  std::fflush(stdout);
}

struct Device {
  double gigahertz = attribute(cudaDevAttrClockRate) * 1e-6;
  int multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  std::size_t l2_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize));
  int blocks() const { return 8 * multiprocessors; }  // of kThreads: as many as are resident at a time, or more
};

// A cycle through all lines of an array, in an order that no prefetcher guesses.
class Cycle {
 public:
  explicit Cycle(std::size_t bytes) : lines_(bytes / sizeof(Line)), place_(1) {
    std::vector<std::size_t> order(lines_.count());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::uint64_t state = 1;
    for (std::size_t i = order.size() - 1; i > 0; --i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      std::swap(order[i], order[(state >> 33) % (i + 1)]);
    }
    std::vector<Line> lines(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) lines[order[i]].next = lines_.get() + order[(i + 1) % order.size()];
    CHECK(cudaMemcpy(lines_.get(), lines.data(), lines_.bytes(), cudaMemcpyHostToDevice));
    Line* const first = lines_.get();
    CHECK(cudaMemcpy(place_.get(), &first, sizeof first, cudaMemcpyHostToDevice));
  }
  // Walks through all of it, so that what fits is in the caches; then: clocks of a step.
  double clocks(const Device& device, unsigned steps) {
    chase<<<1, 1>>>(place_.get(), static_cast<unsigned>(lines_.count()));
    const auto walk = [&](int times) { chase<<<1, 1>>>(place_.get(), static_cast<unsigned>(times) * steps); };
    return nanoseconds_each(walk, 1, 2) / steps * device.gigahertz;
  }

 private:
  DeviceArray<Line> lines_;
  DeviceArray<Line*> place_;
};

struct Waits {
  double l2 = 0, dram = 0;  // clocks
  double block = 0;         // nanoseconds from the end of a block to the begin of the next one in its place
};

Waits latencies(const Device& device, int scale) {
  Waits waits;
  const DeviceArray<unsigned> end(32);
  const int loads = 2048 * scale;
  const auto in_shared = [&](int times) { chase_shared<<<1, 32>>>(static_cast<unsigned>(times * loads), end.get()); };
  tell("latency.shared", nanoseconds_each(in_shared, 1, 2) / loads * device.gigahertz, "a chain of loads");
  const unsigned steps = 4096;
  tell("latency.l1", Cycle(16 * 1024).clocks(device, steps * static_cast<unsigned>(scale)),
       "a chain of loads in 16 KiB");
  waits.l2 = Cycle(kMebi).clocks(device, steps * static_cast<unsigned>(scale));
  tell("latency.l2", waits.l2, "a chain of loads in 1 MiB");
  waits.dram = Cycle(4 * device.l2_bytes).clocks(device, steps);
  tell("latency.dram", waits.dram, "a chain of loads in four times the L2 cache");

  // With a block on each multiprocessor at a time, blocks that do nothing are as long as the way to the next.
  const int shared = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const auto waves = [&](int count) {
    nothing<<<count * device.multiprocessors, 32, static_cast<std::size_t>(shared)>>>();
  };
  waits.block = nanoseconds_each(waves, 10, 60);
  tell("latency.block", waits.block * device.gigahertz, "blocks that do nothing, one at a time");
  return waits;
}

// The largest part of the L2 cache through which a chain goes without waiting for DRAM, to a sixteenth of its size.
void cache(const Device& device, const Waits& waits) {
  const std::size_t step = device.l2_bytes / 32 / sizeof(Line) * sizeof(Line);
  std::size_t fits = 1, too_large = 33;
  while (too_large - fits > 1) {
    const std::size_t middle = (fits + too_large) / 2;
    (Cycle(middle * step).clocks(device, 4096) < (waits.l2 + waits.dram) / 2 ? fits : too_large) = middle;
  }
  tell("caches.l2_held_bytes", static_cast<double>(fits * step), "the longest chain that does not wait for DRAM");
}

// Units are as wide as a power of two. How near a kernel comes depends on the clock of the moment, among others.
void throughputs(const Device& device, int scale) {
  const auto tell_width = [](const char* key, double rate) {
    char how[64];
    std::snprintf(how, sizeof how, "a power of two: chains in registers reach %.1f", rate);
    tell(key, std::exp2(std::round(std::log2(rate))), how);
  };
  const auto multiprocessors = static_cast<unsigned>(device.multiprocessors), times = static_cast<unsigned>(scale);
  tell_width("throughput.fp32_fmas", results_per_clock<Fp32Fma>(multiprocessors, device.gigahertz, times));
  tell_width("throughput.fp64_fmas", results_per_clock<Fp64Fma>(multiprocessors, device.gigahertz, times));
  tell_width("throughput.int32", results_per_clock<Int32XorAndAdd>(multiprocessors, device.gigahertz, times));
  tell_width("throughput.special", results_per_clock<ReciprocalRoot>(multiprocessors, device.gigahertz, times));
}

void rates(const Device& device, int scale) {
  const DeviceArray<float> results(static_cast<std::size_t>(device.blocks()) * kThreads);
  {
    // Arrays that the L2 cache cannot hold, or a copy would find there what the last one left.
    const std::size_t bytes = std::max(static_cast<std::size_t>(std::max(scale, 4)) * 8 * kMebi, device.l2_bytes);
    const DeviceArray<float4> from(3 * bytes / sizeof(float4)), to(3 * bytes / sizeof(float4));
    const auto work = [&](int n) {
      copy<<<static_cast<unsigned>(static_cast<std::size_t>(n) * bytes / sizeof(float4) / kThreads), kThreads>>>(
          from.get(), to.get());
    };
    const double rate = 2 * static_cast<double>(bytes) / nanoseconds_each(work, 1, 3);
    // Both edges of the memory's clock carry data.
    const double most = 2e-6 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
    tell("rates.dram_percent", 100 * rate / most, "a copy by vectors, read and written");
  }
  {
    const DeviceArray<float4> from(std::min(4 * kMebi, device.l2_bytes / 2) / sizeof(float4));
    const auto work = [&](int n) {
      read_again<<<device.blocks(), kThreads>>>(from.get(), static_cast<unsigned>(from.count()), n * 2 * scale,
                                                results.get());
    };
    const double bytes = 2.0 * scale * 4 * sizeof(float4) * device.blocks() * kThreads;
    tell("rates.l2_bytes_per_clock", bytes / nanoseconds_each(work, 1, 3) / device.gigahertz,
         "at most 4 MiB, read again and again");
  }
  {
    unsigned different = 1 << 20;  // a power of two, in a quarter of the L2 cache at most
    while (different * sizeof(unsigned) > device.l2_bytes / 4) different /= 2;
    const DeviceArray<unsigned> words(different);
    const double additions = static_cast<double>(device.multiprocessors) * kThreads * 8 * scale;
    const auto all_over = [&](int n) {
      add<<<device.multiprocessors, kThreads>>>(words.get(), different, static_cast<unsigned>(n * 8 * scale));
    };
    tell("rates.atomic_turns_per_clock", additions / nanoseconds_each(all_over, 1, 3) / device.gigahertz,
         "additions to different words, up to a million");
    const auto in_one = [&](int n) { add<<<8, kThreads>>>(words.get(), 1, static_cast<unsigned>(8 * n * scale)); };
    tell("rates.atomic_line_picoseconds", 1000 * nanoseconds_each(in_one, 1, 3) / (8 * kThreads * 8.0 * scale),
         "additions to one word");
  }
  {
    const DeviceArray<unsigned> sums(static_cast<std::size_t>(device.blocks()) * kThreads);
    const double rows = 16.0 * scale * 8 * kThreads / 32;  // of a multiprocessor
    const auto clocks_of = [&](unsigned different) {
      const auto work = [&](int n) {
        match<<<device.blocks(), kThreads>>>(different, static_cast<unsigned>(16 * n * scale), sums.get());
      };
      return nanoseconds_each(work, 1, 2) * device.gigahertz / rows;
    };
    tell("rates.match_clocks", (clocks_of(32) - clocks_of(16)) / 16, "16 more different values in each warp");
  }
}

/// `block`: what a block that does nothing takes, in nanoseconds.
void launches(double block) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  constexpr int kLaunches = 20;
  const auto graph_of = [&](const std::function<void()>& work) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int launch = 0; launch < kLaunches; ++launch) work();
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return executable;
  };
  // Kernels long enough for the host to be ahead, twice as long the second time: what does not grow with them.
  const DeviceArray<unsigned> end(32);
  const auto long_kernel = [&](int n) {
    chase_shared<<<1, 32, 0, stream>>>(static_cast<unsigned>(1024 * n), end.get());
  };
  const auto many = [&](int n) {
    for (int launch = 0; launch < kLaunches; ++launch) long_kernel(n);
  };
  const auto without_first = [&](int n) {
    return nanoseconds([&] { many(n), many(n); }, stream) - nanoseconds([&] { many(n); }, stream);
  };
  const double launch = (2 * without_first(1) - without_first(2)) / kLaunches - block;
  tell("rates.launch_nanoseconds", launch, "kernels that the host is ahead of, of two lengths");
  cudaGraphExec_t executable = nullptr;
  const auto launch_graph = [&] { CHECK(cudaGraphLaunch(executable, stream)); };
  const auto launch_graphs = [&](int n) {
    for (int i = 0; i < n; ++i) launch_graph();
  };
  double in_graph[2];
  for (const int n : {1, 2}) {
    executable = graph_of([&] { long_kernel(n); });
    in_graph[n - 1] = nanoseconds_each(launch_graphs, 1, 2, stream);
    CHECK(cudaGraphExecDestroy(executable));
  }
  const double graph_launch = (2 * in_graph[0] - in_graph[1]) / kLaunches - block;
  tell("rates.graph_launch_nanoseconds", graph_launch, "kernels of a graph, of two lengths");

  const auto empty = [&](int n) {
    for (int i = 0; i < n; ++i) nothing<<<1, 32, 0, stream>>>();
  };
  const double host = nanoseconds_each(empty, 50, 150, stream);
  tell("rates.launch_host_nanoseconds", host, "empty kernels in a stream, which wait for the host");
  const auto wait_for_each = [&](int n) {
    for (int i = 0; i < n; ++i) {
      empty(1);
      CHECK(cudaStreamSynchronize(stream));
    }
  };
  tell("rates.reach_nanoseconds", nanoseconds_each(wait_for_each, 20, 60, stream) - host - launch - block,
       "a wait for each empty kernel, with what the host takes to notice its end");
  const auto make_graph_and_launch = [&] {
    executable = graph_of([&] { empty(1); });
    launch_graph();
  };
  const double first = nanoseconds(make_graph_and_launch, stream, [&] { CHECK(cudaGraphExecDestroy(executable)); });
  make_graph_and_launch();
  tell("rates.graph_node_host_nanoseconds", (first - nanoseconds(launch_graph, stream)) / kLaunches,
       "a graph of 20 kernels: captured, instantiated, launched for the first time");
  CHECK(cudaGraphExecDestroy(executable));

  // Copies that wait for a kernel, as the kernel does for a copy: in a graph, where nothing waits for the host.
  constexpr std::size_t kCopied = 64 * 1024;
  char* pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, kCopied));
  const DeviceArray<char> target(kCopied);
  executable = graph_of([&] {
    CHECK(cudaMemcpyAsync(target.get(), pinned, kCopied, cudaMemcpyHostToDevice, stream));
    empty(1);
  });
  const double copy = nanoseconds_each(launch_graphs, 1, 2, stream) / kLaunches - graph_launch - block;
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaFreeHost(pinned));

  // Large ones: bytes by nanoseconds.
  constexpr std::size_t kLarge = 32 * kMebi;
  const DeviceArray<char> large(2 * kLarge);
  std::vector<char> pageable(2 * kLarge, 1);
  const auto rate_of = [&](char* host) {
    const auto copy_all = [&](int n) {
      CHECK(cudaMemcpy(large.get(), host, static_cast<std::size_t>(n) * kLarge, cudaMemcpyHostToDevice));
    };
    return static_cast<double>(kLarge) / nanoseconds_each(copy_all, 1, 2);
  };
  char* large_pinned = nullptr;
  CHECK(cudaMallocHost(&large_pinned, 2 * kLarge));
  const double rate = rate_of(large_pinned);
  CHECK(cudaFreeHost(large_pinned));
  tell("rates.copy_nanoseconds", copy - static_cast<double>(kCopied) / rate,
       "copies of 64 KiB and kernels in turn, in a graph");
  tell("rates.host_megabytes_per_second", 1000 * rate, "copies of 32 and 64 MiB from pinned memory");
  tell("rates.pageable_megabytes_per_second", 1000 * rate_of(pageable.data()),
       "copies of 32 and 64 MiB from pageable memory");
  const auto pin = [&](int n) {
    CHECK(cudaHostRegister(pageable.data(), static_cast<std::size_t>(n) * kLarge, cudaHostRegisterDefault));
    CHECK(cudaHostUnregister(pageable.data()));
  };
  tell("rates.pin_megabytes_per_second", 1000 * static_cast<double>(kLarge) / nanoseconds_each(pin, 1, 2),
       "cudaHostRegister and cudaHostUnregister of 32 and 64 MiB");
  CHECK(cudaStreamDestroy(stream));
}

void allocations() {
  constexpr int kPieces = 4;
  void* memory[kPieces] = {};
  const auto allocate = [&] {
    for (void*& piece : memory) CHECK(cudaMalloc(&piece, 16 * kMebi));
  };
  const auto release = [&] {
    for (void* const piece : memory) CHECK(cudaFree(piece));
  };
  const double both = nanoseconds([&] { allocate(), release(); });
  const double allocating = nanoseconds(allocate, nullptr, release);
  const double nothing_at_all = nanoseconds([] {});
  tell("rates.malloc_host_nanoseconds", (allocating - nothing_at_all) / kPieces, "cudaMalloc of 16 MiB");
  tell("rates.free_host_nanoseconds", (both - allocating) / kPieces, "cudaFree of 16 MiB");

  // From a pool that has given its memory back at the last wait, and from one that keeps it.
  const auto from_pool = [&] {
    void* piece = nullptr;
    CHECK(cudaMallocAsync(&piece, 32 * kMebi, nullptr));
    CHECK(cudaFreeAsync(piece, nullptr));
  };
  const double mapped = nanoseconds(from_pool);
  cudaMemPool_t pool = nullptr;
  std::uint64_t all = ~std::uint64_t{0};
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  const double kept = nanoseconds(from_pool);
  tell("rates.allocate_host_nanoseconds", kept - nothing_at_all, "cudaMallocAsync and cudaFreeAsync of 32 MiB");
  tell("rates.map_host_nanoseconds", mapped - kept, "cudaMallocAsync of 32 MiB that the pool has to map first");
}

// To a second device, if there is one: directly, if it is within reach.
void peer() {
  int devices = 0, reaches = 0;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) return;
  CHECK(cudaDeviceCanAccessPeer(&reaches, 0, 1));
  if (reaches != 0) CHECK(cudaDeviceEnablePeerAccess(1, 0));
  constexpr std::size_t kCopied = 32 * kMebi;
  const DeviceArray<char> here(2 * kCopied);
  CHECK(cudaSetDevice(1));
  const DeviceArray<char> there(2 * kCopied);
  CHECK(cudaSetDevice(0));
  const auto copy_all = [&](int n) {
    CHECK(cudaMemcpyPeerAsync(there.get(), 1, here.get(), 0, static_cast<std::size_t>(n) * kCopied));
  };
  tell("rates.peer_megabytes_per_second", 1000 * static_cast<double>(kCopied) / nanoseconds_each(copy_all, 1, 2),
       "copies of 32 and 64 MiB to a second device");
}

void properties() {
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  int driver = 0, runtime = 0;  // 13000: 13.0
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  char day[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(day, sizeof day, "%Y-%m-%d", std::localtime(&now));
  std::printf("# %s, CUDA %d.%d, a driver for CUDA %d.%d, %s\n", device.name, runtime / 1000, runtime % 1000 / 10,
              driver / 1000, driver % 1000 / 10, day);
  std::printf("name = \"%s\"  # read\n", device.name);
  std::printf("memory_bytes = %zu  # read\n", device.totalGlobalMem);
  void* rows = nullptr;
  std::size_t pitch = 0;
  CHECK(cudaMallocPitch(&rows, &pitch, 100, 2));
  CHECK(cudaFree(rows));
  std::printf("pitch_alignment = %zu  # cudaMallocPitch of 100 bytes\n", pitch);
  for (int which = 0; which < 8; ++which) {
    std::size_t limit = 0;
    if (cudaDeviceGetLimit(&limit, static_cast<cudaLimit>(which)) != cudaSuccess) cudaGetLastError();
    std::printf("limit.%d = %zu  # read\n", which, limit);
  }
  for (int which = 1; which < cudaDevAttrMax; ++which) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(which), 0) == cudaSuccess)
      std::printf("attribute.%d = %d  # read\n", which, value);
    else
      cudaGetLastError();
  }
}

}  // namespace

int main(int argument_count, char** argument_list) {
  const Arguments arguments =
      arguments_of(argument_count, argument_list, "how much longer than on the virtual GPU", 1, 1024);
  const auto scale = static_cast<int>(arguments.size);
  properties();
  const Device device;
  const Waits waits = latencies(device, scale);
  cache(device, waits);
  throughputs(device, scale);
  rates(device, scale);
  launches(waits.block);
  allocations();
  peer();
}
