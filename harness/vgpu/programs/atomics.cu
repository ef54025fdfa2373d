// libcu++: atomics of every scope and order, and what is built of them: semaphores, latches, barriers.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

#include <algorithm>
#include <cstring>
#include <new>

#include "library_check.cuh"

// Barriers in shared memory are begun by init() or placement new, not by their constructors.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace {

constexpr int kThreads = 64;
constexpr int kBlocks = 6;
constexpr int kCount = kThreads * kBlocks;

// --- operations ---

struct Totals {
  std::uint32_t bins[8], smallest, largest, any, common, parity, exchanges;
  std::uint64_t wide_sum, wide_largest;
  std::int32_t signed_smallest;
  float float_sum;
  double double_sum;
};

/// Every thread takes part in every operation; scopes and orders take turns.
__global__ void operations(Totals* totals) {
  using namespace cuda::std;
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x, word = (i + 1) * 2654435761u;
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> bin(totals->bins[word % 8]);
  bin.fetch_add(1, memory_order_relaxed);
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system> smallest(totals->smallest);
  smallest.fetch_min(word, memory_order_relaxed);
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> largest(totals->largest);
  largest.fetch_max(word, memory_order_acq_rel);
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> any(totals->any), common(totals->common),
      parity(totals->parity);
  any.fetch_or(word & 0x55550000u, memory_order_release);
  common.fetch_and(word | 0xFFFF0000u, memory_order_acquire);
  parity.fetch_xor(word, memory_order_seq_cst);
  const cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device> wide_sum(totals->wide_sum),
      wide_largest(totals->wide_largest);
  wide_sum.fetch_add(std::uint64_t{word} << 20);
  wide_sum.fetch_sub(1);
  wide_largest.fetch_max(std::uint64_t{word} * word);
  const cuda::atomic_ref<std::int32_t, cuda::thread_scope_device> signed_smallest(totals->signed_smallest);
  signed_smallest.fetch_min(static_cast<std::int32_t>(word));
  const cuda::atomic_ref<float, cuda::thread_scope_device> float_sum(totals->float_sum);
  float_sum.fetch_add(static_cast<float>(word % 100), memory_order_relaxed);
  const cuda::atomic_ref<double, cuda::thread_scope_device> double_sum(totals->double_sum);
  double_sum.fetch_add(word % 1000 * 0.5);
  const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> exchanges(totals->exchanges);
  std::uint32_t seen = exchanges.load(memory_order_relaxed);
  while (!exchanges.compare_exchange_weak(seen, seen * 5 + 1, memory_order_acq_rel, memory_order_relaxed)) {
  }
}

/// Bytes and half-words next to each other, whose atomics are made of wider ones.
__global__ void narrow(std::uint8_t* bytes, std::uint16_t* halves, unsigned long long* flags) {
  __shared__ cuda::atomic<std::uint8_t, cuda::thread_scope_block> local;
  if (threadIdx.x == 0) local.store(250, cuda::std::memory_order_relaxed);
  __syncthreads();
  local.fetch_add(1);
  cuda::atomic_ref<std::uint8_t, cuda::thread_scope_device>(bytes[threadIdx.x % 4]).fetch_add(3);
  cuda::atomic_ref<std::uint16_t, cuda::thread_scope_device>(halves[threadIdx.x % 2])
      .fetch_max(static_cast<std::uint16_t>(blockIdx.x * 1000 + threadIdx.x));
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*flags).fetch_or(1ull << threadIdx.x % 64);
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0) bytes[4] = local.load();
}

void check_operations() {
  Totals expected{};
  expected.smallest = 0xFFFFFFFFu;
  expected.common = 0xFFFFFFFFu;
  const DeviceArray<Totals> totals(std::vector<Totals>{expected});
  operations<<<kBlocks, kThreads>>>(totals.data());
  CHECK(cudaGetLastError());
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::uint32_t word = (i + 1) * 2654435761u;
    ++expected.bins[word % 8];
    expected.smallest = std::min(expected.smallest, word);
    expected.largest = std::max(expected.largest, word);
    expected.any |= word & 0x55550000u;
    expected.common &= word | 0xFFFF0000u;
    expected.parity ^= word;
    expected.wide_sum += (std::uint64_t{word} << 20) - 1;
    expected.wide_largest = std::max(expected.wide_largest, std::uint64_t{word} * word);
    expected.signed_smallest = std::min(expected.signed_smallest, static_cast<std::int32_t>(word));
    expected.float_sum += static_cast<float>(word % 100);
    expected.double_sum += word % 1000 * 0.5;
    expected.exchanges = expected.exchanges * 5 + 1;
  }
  const Totals got = totals.value();
  const auto bytes_of = [](const Totals& all) {
    std::vector<std::uint8_t> bytes(sizeof all);
    std::memcpy(bytes.data(), &all, sizeof all);
    return bytes;
  };
  verdict("operations", kCount, bytes_of(got), bytes_of(expected));

  const DeviceArray<std::uint8_t> bytes(std::vector<std::uint8_t>(8, 200));
  const DeviceArray<std::uint16_t> halves(std::vector<std::uint16_t>(2, 0));
  const DeviceArray<unsigned long long> flags(std::vector<unsigned long long>{0});
  narrow<<<kBlocks, kThreads>>>(bytes.data(), halves.data(), flags.data());
  CHECK(cudaGetLastError());
  const auto byte = static_cast<std::uint8_t>(200 + 3 * kCount / 4);
  verdict("bytes", kCount, bytes.values(),
          {byte, byte, byte, byte, static_cast<std::uint8_t>(250 + kThreads), 200, 200, 200});
  verdict("half-words", kCount, halves.values(), {5062, 5063});
  verdict("flags", kCount, flags.value(), ~0ull);
}

// --- messages ---

/// Block after block adds to a message and hands it on, by release and acquire.
__global__ void hand_on(std::uint32_t* message, int* turn) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> whose(*turn);
  if (threadIdx.x == 0)
    while (whose.load(cuda::std::memory_order_acquire) != static_cast<int>(blockIdx.x)) {
    }
  __syncthreads();
  message[threadIdx.x] = message[threadIdx.x] * 3 + blockIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) whose.store(static_cast<int>(blockIdx.x) + 1, cuda::std::memory_order_release);
}

/// The same with fences and relaxed accesses, and waiting as the library does it.
__global__ void hand_on_by_fences(std::uint32_t* message, int* turn) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> whose(*turn);
  if (threadIdx.x == 0) {
    for (int now = 0; (now = whose.load(cuda::std::memory_order_relaxed)) != static_cast<int>(blockIdx.x);)
      whose.wait(now, cuda::std::memory_order_relaxed);
    cuda::atomic_thread_fence(cuda::std::memory_order_acquire, cuda::thread_scope_device);
  }
  __syncthreads();
  message[threadIdx.x] = message[threadIdx.x] * 3 + blockIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_thread_fence(cuda::std::memory_order_release, cuda::thread_scope_device);
    whose.fetch_add(1, cuda::std::memory_order_relaxed);
    whose.notify_all();
  }
}

void check_messages() {
  const auto check = [](const char* what, void (*kernel)(std::uint32_t*, int*)) {
    std::vector<std::uint32_t> expected(kThreads, 1);
    const DeviceArray<std::uint32_t> message(expected);
    const DeviceArray<int> turn(std::vector<int>{0});
    kernel<<<kBlocks, kThreads>>>(message.data(), turn.data());
    CHECK(cudaGetLastError());
    for (std::uint32_t& word : expected)
      for (std::uint32_t block = 0; block < kBlocks; ++block) word = word * 3 + block;
    verdict(what, kBlocks, message.values(), expected);
  };
  check("release and acquire", &hand_on);
  check("fences", &hand_on_by_fences);
}

// --- semaphores, latches, barriers ---

using Semaphore = cuda::counting_semaphore<cuda::thread_scope_device, 3>;
using Mutex = cuda::binary_semaphore<cuda::thread_scope_device>;

struct Shop {
  alignas(Semaphore) char places[sizeof(Semaphore)];
  alignas(Mutex) char till[sizeof(Mutex)];
  int inside, most, takings;
};

__global__ void open_shop(Shop* shop) {
  new (shop->places) Semaphore(3);
  new (shop->till) Mutex(1);
}

/// Never more than three at a time, and one at the till.
__global__ void visit_shop(Shop* shop) {
  auto& places = *reinterpret_cast<Semaphore*>(shop->places);
  auto& till = *reinterpret_cast<Mutex*>(shop->till);
  places.acquire();
  const cuda::atomic_ref<int, cuda::thread_scope_device> inside(shop->inside), most(shop->most);
  most.fetch_max(inside.fetch_add(1) + 1);
  till.acquire();
  shop->takings += static_cast<int>(threadIdx.x) + 1;
  till.release();
  inside.fetch_sub(1);
  places.release();
}

__global__ void latches(const int* in, int* out) {
  using Latch = cuda::latch<cuda::thread_scope_block>;
  __shared__ alignas(Latch) char storage[2][sizeof(Latch)];
  __shared__ int values[kThreads];
  Latch &half_written = *reinterpret_cast<Latch*>(storage[0]), &written = *reinterpret_cast<Latch*>(storage[1]);
  if (threadIdx.x == 0) {
    new (&half_written) Latch(kThreads / 2);
    new (&written) Latch(kThreads);
  }
  __syncthreads();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  if (t < kThreads / 2) {
    values[t] = in[i];
    half_written.count_down();
  } else {
    half_written.wait();
    values[t] = in[i] - values[t - kThreads / 2];
  }
  written.arrive_and_wait();
  out[i] = values[kThreads - 1 - t];
}

struct CountPhases {
  int* phases;
  __device__ void operator()() const { ++*phases; }
};

/// A barrier in two halves, with work in between, and one that counts its phases.
__global__ void barriers_of_block(const int* in, int* out, int* phases) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  using Counting = cuda::barrier<cuda::thread_scope_block, CountPhases>;
  __shared__ Barrier barrier;
  __shared__ alignas(Counting) char storage[sizeof(Counting)];
  __shared__ int values[kThreads];
  auto* const counting = reinterpret_cast<Counting*>(storage);
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  if (t == 0) {
    init(&barrier, kThreads);
    new (counting) Counting(kThreads, CountPhases{phases + blockIdx.x});
  }
  __syncthreads();
  int value = in[i];
  for (int d = 1; d < kThreads; d *= 2) {
    values[t] = value;
    auto token = barrier.arrive();
    const int own = value * 2;
    barrier.wait(std::move(token));
    value = own + values[(t + d) % kThreads];
    counting->arrive_and_wait();
  }
  out[i] = value;
}

using GridBarrier = cuda::barrier<cuda::thread_scope_device>;

__global__ void make_barrier(GridBarrier* barrier, int threads) { init(barrier, threads); }

/// All blocks wait for each other. The others of a block hand their part to its first thread.
__global__ void barrier_of_grid(GridBarrier* barrier, std::uint32_t* values) {
  for (int round = 0; round < 3; ++round) {
    const std::uint32_t other = values[(blockIdx.x + 1) % gridDim.x * kThreads + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) barrier->arrive_and_wait();
    __syncthreads();
    values[blockIdx.x * kThreads + threadIdx.x] += other;
    __syncthreads();
    if (threadIdx.x == 0) barrier->arrive_and_wait();
    __syncthreads();
  }
}

void check_waiting() {
  const DeviceArray<Shop> shop(std::vector<Shop>{Shop{}});
  open_shop<<<1, 1>>>(shop.data());
  visit_shop<<<kBlocks, kThreads>>>(shop.data());
  CHECK(cudaGetLastError());
  const Shop after = shop.value();
  verdict("semaphores", kCount,
          std::vector<int>{after.inside, after.takings, after.most >= 1 && after.most <= 3 ? 1 : 0},
          {0, kBlocks * kThreads * (kThreads + 1) / 2, 1});

  const auto values = numbers(kCount, [](std::uint64_t i) { return static_cast<int>(scrambled(i) % 1000); });
  const DeviceArray<int> in(values), out(kCount), phases(std::vector<int>(kBlocks, 0));
  latches<<<kBlocks, kThreads>>>(in.data(), out.data());
  CHECK(cudaGetLastError());
  std::vector<int> expected(kCount);
  for (int i = 0; i < kCount; ++i) {
    const int from = i / kThreads * kThreads + kThreads - 1 - i % kThreads;
    expected[i] = values[from] - (from % kThreads < kThreads / 2 ? 0 : values[from - kThreads / 2]);
  }
  verdict("latches", kCount, out.values(), expected);

  barriers_of_block<<<kBlocks, kThreads>>>(in.data(), out.data(), phases.data());
  CHECK(cudaGetLastError());
  int rounds = 0;
  expected = values;
  for (int d = 1; d < kThreads; d *= 2, ++rounds) {
    const std::vector<int> before(expected);
    for (int i = 0; i < kCount; ++i)
      expected[i] = 2 * before[i] + before[i / kThreads * kThreads + (i % kThreads + d) % kThreads];
  }
  verdict("barriers of a block", kCount, out.values(), expected);
  verdict("phases", kCount, phases.values(), std::vector<int>(kBlocks, rounds));

  auto words = numbers(kCount, [](std::uint64_t i) { return static_cast<std::uint32_t>(scrambled(i)); });
  const DeviceArray<std::uint32_t> d_words(words);
  const DeviceArray<char> barrier(sizeof(GridBarrier));
  auto* const d_barrier = reinterpret_cast<GridBarrier*>(barrier.data());
  make_barrier<<<1, 1>>>(d_barrier, kBlocks);
  auto* data = d_words.data();
  void* arguments[] = {const_cast<GridBarrier**>(&d_barrier), &data};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(&barrier_of_grid), kBlocks, kThreads, arguments));
  for (int round = 0; round < 3; ++round) {
    const auto before = words;
    for (int i = 0; i < kCount; ++i) words[i] += before[(i + kThreads) % kCount];
  }
  verdict("barrier of the grid", kCount, d_words.values(), words);
}

}  // namespace

int main() {
  check_operations();
  check_messages();
  check_waiting();
  return 0;
}
