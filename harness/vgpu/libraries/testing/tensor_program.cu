// Tensor maps, and boxes of tensors between global and shared memory (TMA): what arrives where, what is filled in, what
// is written, and what is refused. `tensor_program N` does one thing that stops the kernel instead.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda/barrier>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../../programs/check.cuh"

namespace {

namespace cde = cuda::device::experimental;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kTile = 8192;
constexpr int kBytesOfType[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
constexpr auto kZeros = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, kNans = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;

decltype(&cuTensorMapEncodeTiled) encode_tiled;
decltype(&cuTensorMapReplaceAddress) replace_address;

/// What cuTensorMapEncodeTiled is told, of a tensor of 100 x 20 halfwords in rows of 256 bytes if nothing else is said.
struct Description {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  std::vector<cuuint64_t> lengths{100, 20}, strides{256};
  std::vector<cuuint32_t> box{16, 4}, steps{1, 1};
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapFloatOOBfill fill = kZeros;
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
};

CUresult encode(CUtensorMap& map, void* tensor, const Description& d) {
  return encode_tiled(&map, d.type, static_cast<cuuint32_t>(d.lengths.size()), tensor, d.lengths.data(),
                      d.strides.data(), d.box.data(), d.steps.data(), d.interleave, d.swizzle,
                      CU_TENSOR_MAP_L2_PROMOTION_L2_128B, d.fill);
}

struct Coordinates {
  int at[5];
};

__device__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

template <int Rank>
__device__ void load_box(void* to, const CUtensorMap* map, const Coordinates& c, BlockBarrier& barrier) {
  if constexpr (Rank == 1) cde::cp_async_bulk_tensor_1d_global_to_shared(to, map, c.at[0], barrier);
  if constexpr (Rank == 2) cde::cp_async_bulk_tensor_2d_global_to_shared(to, map, c.at[0], c.at[1], barrier);
  if constexpr (Rank == 3) cde::cp_async_bulk_tensor_3d_global_to_shared(to, map, c.at[0], c.at[1], c.at[2], barrier);
  if constexpr (Rank == 4)
    cde::cp_async_bulk_tensor_4d_global_to_shared(to, map, c.at[0], c.at[1], c.at[2], c.at[3], barrier);
  if constexpr (Rank == 5)
    cde::cp_async_bulk_tensor_5d_global_to_shared(to, map, c.at[0], c.at[1], c.at[2], c.at[3], c.at[4], barrier);
}

#pragma nv_diag_suppress static_var_with_dynamic_init  // init() is called
/// Lets one box arrive in a tile of 0xEE, and writes the tile out.
template <int Rank>
__device__ void load_and_show(const CUtensorMap* map, Coordinates c, int offset, int bytes, unsigned char* out) {
  __shared__ alignas(1024) unsigned char tile[kTile];
  __shared__ BlockBarrier barrier;
  for (int i = threadIdx.x; i < kTile; i += blockDim.x) tile[i] = 0xEE;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  BlockBarrier::arrival_token token;
  if (threadIdx.x == 0) {
    load_box<Rank>(tile + offset, map, c, barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, bytes);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < kTile; i += blockDim.x) out[i] = tile[i];
}

template <int Rank>
__global__ void show(const __grid_constant__ CUtensorMap map, Coordinates c, int offset, int bytes,
                     unsigned char* out) {
  load_and_show<Rank>(&map, c, offset, bytes, out);
}

__constant__ CUtensorMap constant_map;
__device__ CUtensorMap global_map;
__device__ alignas(64) char global_bytes[2 * sizeof(CUtensorMap)];

__global__ void show_by(bool is_constant, Coordinates c, int bytes, unsigned char* out) {
  load_and_show<2>(is_constant ? &constant_map : &global_map, c, 0, bytes, out);
}

__global__ void show_at(int begin, Coordinates c, unsigned char* out) {
  load_and_show<2>(reinterpret_cast<const CUtensorMap*>(global_bytes + begin), c, 0, 128, out);
}

/// Holds a map that nothing aligns.
struct PlainBytes {
  char at[2 * sizeof(CUtensorMap)];
};

__global__ void show_plain(const __grid_constant__ PlainBytes bytes, int begin, Coordinates c, unsigned char* out) {
  load_and_show<2>(reinterpret_cast<const CUtensorMap*>(bytes.at + begin), c, 0, 128, out);
}

/// Stores a tile of 1, 2, 3, ... as one box.
__global__ void store(const __grid_constant__ CUtensorMap map, int x, int y, int offset) {
  __shared__ alignas(1024) unsigned char tile[kTile];
  for (int i = threadIdx.x; i < kTile; i += blockDim.x) tile[i] = static_cast<unsigned char>(i + 1);
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x != 0) return;
  cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, tile + offset);
  cde::cp_async_bulk_commit_group();
  cde::cp_async_bulk_wait_group_read<0>();
}

/// Block 0 of a cluster of 4 sends a box to all but block 2.
__global__ void __cluster_dims__(4) send(const __grid_constant__ CUtensorMap map, unsigned char* out) {
  __shared__ alignas(1024) unsigned char tile[256];
  __shared__ std::uint64_t barrier;
  const std::uint32_t at = shared_address(&barrier);
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  for (int i = threadIdx.x; i < 256; i += blockDim.x) tile[i] = 0xEE;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(at) : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  if (threadIdx.x == 0 && rank == 0)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {16, 3}], [%2], %3;" ::"r"(shared_address(tile)),
        "l"(&map), "r"(at), "h"(std::uint16_t{11})
        : "memory");
  if (rank != 2) {
    std::uint32_t done = 0;
    while (done == 0)
      asm volatile("{.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;}"
                   : "=r"(done)
                   : "r"(at)
                   : "memory");
  }
  for (int i = threadIdx.x; i < 256; i += blockDim.x) out[rank * 256 + i] = tile[i];
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

constexpr std::size_t kTensorBytes = 1 << 20;
unsigned char *tensor, *d_tile;
std::vector<unsigned char> initial(kTensorBytes), tile(kTile);

template <int Rank>
void load(const char* name, const Description& d, Coordinates c, int offset = 0) {
  alignas(64) CUtensorMap map;
  const CUresult error = encode(map, tensor, d);
  if (error != CUDA_SUCCESS) return void(std::printf("%s: error %d\n", name, error));
  int bytes = kBytesOfType[d.type];
  for (std::size_t n = 0; n < d.box.size(); ++n)
    bytes *= static_cast<int>(n == 0 ? d.box[n] : (d.box[n] + d.steps[n] - 1) / d.steps[n]);
  show<Rank><<<1, 64>>>(map, c, offset, bytes, d_tile);
  CHECK(cudaMemcpy(tile.data(), d_tile, kTile, cudaMemcpyDeviceToHost));
  std::printf("%s: %016llx\n", name, digest(tile.data(), kTile));
}

void print_words(int count) {
  for (int i = 0; i < count; ++i) {
    std::uint32_t word;
    std::memcpy(&word, &tile[i * 4], 4);
    std::printf("%s%08x", i == 0 ? "  " : " ", word);
  }
  std::printf("\n");
}

void show_loads() {
  Description d;
  load<2>("plain", d, {{8, 2}});
  load<2>("before the tensor", d, {{-8, -2}});
  load<2>("behind a row's end", d, {{88, 17}});
  load<2>("nothing of it", d, {{-800, 1000}});
  const CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                         CU_TENSOR_MAP_SWIZZLE_128B};
  for (const CUtensorMapSwizzle swizzle : swizzles)
    for (const cuuint32_t chunks : {1, 2, 3, 4, 8})
      for (const int offset : {0, 128, 640}) {
        if (chunks * 16 > 16u << swizzle) continue;
        char name[64];
        std::snprintf(name, sizeof name, "rows of %u swizzled in %u at %d", chunks * 16, 16u << swizzle, offset);
        d = {};
        d.swizzle = swizzle;
        d.box = {chunks * 8, 11};
        load<2>(name, d, {{16, 1}}, offset);
      }
  d = {};
  d.box = {32, 6};
  d.steps = {2, 3};
  load<2>("every third row", d, {{8, 2}});
  d.steps = {1, 4};
  load<2>("every fourth of six rows", d, {{8, 2}});

  load<1>("1-D", {CU_TENSOR_MAP_DATA_TYPE_UINT8, {1000}, {16}, {256}, {1}}, {{896}});
  load<3>("3-D", {CU_TENSOR_MAP_DATA_TYPE_INT32, {30, 7, 5}, {128, 1024}, {8, 3, 4}, {1, 1, 1}}, {{24, 5, -1}});
  load<4>("4-D", {CU_TENSOR_MAP_DATA_TYPE_UINT64, {9, 4, 3, 3}, {80, 400, 1600}, {4, 2, 3, 2}, {1, 1, 2, 1}},
          {{6, 3, 0, 2}});
  load<5>("5-D",
          {CU_TENSOR_MAP_DATA_TYPE_INT64, {6, 3, 3, 3, 3}, {48, 144, 432, 1296}, {2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}},
          {{4, 1, -1, 2, 0}});
}

void show_numbers() {
  const std::pair<const char*, CUtensorMapDataType> types[] = {
      {"float16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16}, {"bfloat16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
      {"float32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32}, {"float32 ftz", CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ},
      {"tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32},   {"tf32 ftz", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ},
      {"float64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64},
  };
  const std::uint32_t words[] = {0x3F801000, 0x3F803000, 0x3F801001, 0x3F800FFF, 0xBF801000, 0xBF803000,
                                 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7F800001, 0xFFC00001,
                                 0x00001000, 0x80001001, 0x007FFFFF, 0x80000000, 0x00000FFF, 0x00003000};
  CHECK(cudaMemcpy(tensor, words, sizeof words, cudaMemcpyHostToDevice));
  for (const auto& [name, type] : types) {
    const cuuint32_t unit = kBytesOfType[type];
    load<1>(name, {type, {sizeof words / unit}, {16}, {80 / unit}, {1}, CU_TENSOR_MAP_SWIZZLE_NONE, kNans}, {{0}});
    print_words(20);
  }
  CHECK(cudaMemcpy(tensor, initial.data(), kTensorBytes, cudaMemcpyHostToDevice));
}

void show_stores() {
  const std::pair<CUtensorMapSwizzle, int> stores[] = {
      {CU_TENSOR_MAP_SWIZZLE_NONE, 0}, {CU_TENSOR_MAP_SWIZZLE_NONE, 96}, {CU_TENSOR_MAP_SWIZZLE_128B, 96}};
  for (const auto& [swizzle, x] : stores) {
    alignas(64) CUtensorMap map;
    Description d;
    d.swizzle = swizzle;
    d.box = {48, 6};
    encode(map, tensor, d);
    store<<<1, 64>>>(map, x, 16, 128);
    std::vector<unsigned char> after(kTensorBytes);
    CHECK(cudaMemcpy(after.data(), tensor, kTensorBytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(tensor, initial.data(), kTensorBytes, cudaMemcpyHostToDevice));
    int changed = 0;
    for (std::size_t i = 0; i < kTensorBytes; ++i) changed += after[i] != initial[i] ? 1 : 0;
    std::printf("a store at %d: %016llx, %d bytes changed\n", x, digest(after.data(), kTensorBytes), changed);
  }
}

PlainBytes plain_bytes(const CUtensorMap& map, int begin) {
  PlainBytes bytes;
  std::memcpy(bytes.at + begin, &map, sizeof map);
  return bytes;
}

void show_where_maps_lie() {
  alignas(64) CUtensorMap map;
  encode(map, tensor, {});
  CHECK(cudaMemcpyToSymbol(constant_map, &map, sizeof map));
  CHECK(cudaMemcpyToSymbol(global_map, &map, sizeof map));
  for (const bool is_constant : {true, false}) {
    show_by<<<1, 64>>>(is_constant, {{8, 2}}, 128, d_tile);
    CHECK(cudaMemcpy(tile.data(), d_tile, kTile, cudaMemcpyDeviceToHost));
    std::printf("a map in %s memory: %016llx\n", is_constant ? "constant" : "global", digest(tile.data(), kTile));
  }
  // Parameters that need no alignment begin at 16 bytes behind a multiple of 64.
  show_plain<<<1, 64>>>(plain_bytes(map, 48), 48, {{8, 2}}, d_tile);
  CHECK(cudaMemcpy(tile.data(), d_tile, kTile, cudaMemcpyDeviceToHost));
  std::printf("a map among plain bytes: %016llx\n", digest(tile.data(), kTile));
  replace_address(&map, tensor + 4096);
  show<2><<<1, 64>>>(map, {{8, 2}}, 0, 128, d_tile);
  CHECK(cudaMemcpy(tile.data(), d_tile, kTile, cudaMemcpyDeviceToHost));
  std::printf("another address: %016llx\n", digest(tile.data(), kTile));
  encode(map, tensor, {});
  send<<<4, 32>>>(map, d_tile);
  CHECK(cudaMemcpy(tile.data(), d_tile, kTile, cudaMemcpyDeviceToHost));
  std::printf("to a cluster: %016llx\n", digest(tile.data(), 1024));
}

void show_refusals() {
  alignas(64) CUtensorMap map;
  const auto refused = [&](const char* name, auto change, std::size_t shift = 0) {
    Description d;
    change(d);
    std::printf("%s: %d\n", name, encode(map, tensor + shift, d));
  };
  refused("nothing wrong", [](Description&) {});
  refused("no dimensions", [](Description& d) { d.lengths = {}; });
  refused("a length of 0", [](Description& d) { d.lengths[1] = 0; });
  refused("a length beyond 2^32", [](Description& d) { d.lengths[1] = (1ull << 32) + 1; });
  refused("a stride of 250", [](Description& d) { d.strides[0] = 250; });
  refused("a stride of 2^40", [](Description& d) { d.strides[0] = 1ull << 40; });
  refused("rows that overlap", [](Description& d) { d.strides[0] = 16; });
  refused("a box of 12 bytes", [](Description& d) { d.box[0] = 6; });
  refused("a box of 264 elements", [](Description& d) { d.box[0] = 264; });
  refused("a box of no rows", [](Description& d) { d.box[1] = 0; });
  refused("a step of 0", [](Description& d) { d.steps[1] = 0; });
  refused("a step of 9", [](Description& d) { d.steps[1] = 9; });
  refused("wider than the swizzle", [](Description& d) { d.swizzle = CU_TENSOR_MAP_SWIZZLE_32B, d.box[0] = 32; });
  refused("another swizzle", [](Description& d) { d.swizzle = static_cast<CUtensorMapSwizzle>(4); });
  refused("another type", [](Description& d) { d.type = static_cast<CUtensorMapDataType>(13); });
  refused("no type", [](Description& d) { d.type = static_cast<CUtensorMapDataType>(99); });
  refused("integers that are NaN", [](Description& d) { d.fill = kNans; });
  refused(
      "at an odd address", [](Description&) {}, 8);
  alignas(64) char bytes[2 * sizeof map];
  std::printf("a map that is not aligned: %d\n", encode(*reinterpret_cast<CUtensorMap*>(bytes + 16), tensor, {}));
}

/// Each ends the context.
int misuse(int number) {
  alignas(64) CUtensorMap map;
  encode(map, tensor, {});
  Coordinates c{{8, 2}};
  if (number == 0) show<1><<<1, 64>>>(map, c, 0, 128, d_tile);
  if (number == 1) show<3><<<1, 64>>>(map, c, 0, 128, d_tile);
  if (number == 2) show<2><<<1, 64>>>(map, c, 16, 128, d_tile);
  if (number == 3) show<2><<<1, 64>>>(map, {{3, 2}}, 0, 128, d_tile);
  if (number == 4) std::memset(&map, 0x5A, sizeof map), show<2><<<1, 64>>>(map, c, 0, 128, d_tile);
  if (number == 5) store<<<1, 64>>>(map, 8, 2, 16);
  if (number == 6) store<<<1, 64>>>(map, 4, 2, 0);
  if (number == 7) store<<<1, 64>>>(map, -16, 2, 0);
  if (number == 8) {
    CHECK(cudaMemcpyToSymbol(global_bytes, &map, sizeof map, 32));
    show_at<<<1, 64>>>(32, c, d_tile);
  }
  if (number == 9) show_plain<<<1, 64>>>(plain_bytes(map, 0), 0, c, d_tile);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

template <class Function>
void find(const char* name, Function& function) {
  cudaDriverEntryPointQueryResult found;
  void* address = nullptr;
  CHECK(cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found));
  function = reinterpret_cast<Function>(address);
}

}  // namespace

int main(int argc, char** argv) {
  find("cuTensorMapEncodeTiled", encode_tiled);
  find("cuTensorMapReplaceAddress", replace_address);
  for (std::size_t i = 0; i < kTensorBytes; ++i) initial[i] = static_cast<unsigned char>(i % 2 == 0 ? i / 2 : i / 512);
  CHECK(cudaMalloc(&tensor, kTensorBytes));
  CHECK(cudaMalloc(&d_tile, kTile));
  CHECK(cudaMemcpy(tensor, initial.data(), kTensorBytes, cudaMemcpyHostToDevice));
  if (argc > 1) return misuse(std::atoi(argv[1]));
  show_loads();
  show_numbers();
  show_stores();
  show_where_maps_lie();
  show_refusals();
  CHECK(cudaFree(tensor));
  CHECK(cudaFree(d_tile));
}
