// Shapes of accesses to shared memory, each a kernel: what wavefronts and bank conflicts they take is held against
// Nsight Compute (scripts/counters_fidelity.sh). Every warp has a part of the array to itself.
#include "counter_patterns.cuh"

namespace {

constexpr int kWarps = kThreads / 32;
constexpr int kWords = 33 * 32;  // of a warp

__device__ int warp() { return static_cast<int>(threadIdx.x / 32); }

// The warp's words are its own: what it wrote is there once all its lanes have written.
__device__ void fill(const int* in, int* words) {
#pragma unroll 1
  for (int k = lane(); k < kWords; k += 32) words[k] = in[k + blockIdx.x];
  __syncwarp();
}

#define WORDS                                        \
  __shared__ __align__(16) int all[kWarps * kWords]; \
  int* const words = all + warp() * kWords;          \
  fill(in, words)

// --- loads of 4 bytes a lane ---

template <int kStride>
__global__ void shared_load_stride(const int* in, int* out) {
  WORDS;
  out[here()] = words[lane() * kStride];
}

__global__ void shared_load_one_word(const int* in, int* out) {
  WORDS;
  out[here()] = words[in[0] & 63];
}

__global__ void shared_load_two_words(const int* in, int* out) {
  WORDS;
  out[here()] = words[lane() < 16 ? 5 : 200];
}

__global__ void shared_load_two_words_of_a_bank(const int* in, int* out) {
  WORDS;
  out[here()] = words[lane() % 2 * 32 + 7];
}

__global__ void shared_load_pairs(const int* in, int* out) {
  WORDS;
  out[here()] = words[lane() / 2];
}

__global__ void shared_load_backwards(const int* in, int* out) {
  WORDS;
  out[here()] = words[40 - lane()];
}

__global__ void shared_load_permuted(const int* in, int* out) {
  WORDS;
  out[here()] = words[(lane() * 5 + 3) & 31];
}

__global__ void shared_load_gather(const int* in, int* out) {
  WORDS;
  out[here()] = words[(static_cast<unsigned>(here()) * 2654435761u) >> 22];
}

__global__ void shared_load_first_lanes(const int* in, int* out) {
  WORDS;
  if (lane() < 8) out[here()] = words[lane() * 32];
}

__global__ void shared_load_even_lanes(const int* in, int* out) {
  WORDS;
  if (lane() % 2 == 0) out[here()] = words[lane() * 2];
}

// --- columns of a 32 x 32 tile ---

__global__ void shared_column(const int* in, int* out) {
  WORDS;
  int sum = 0;
#pragma unroll 1
  for (int col = 0; col < 32; ++col) sum = 3 * sum + words[lane() * 32 + col];
  out[here()] = sum;
}

__global__ void shared_column_padded(const int* in, int* out) {
  WORDS;
  int sum = 0;
#pragma unroll 1
  for (int col = 0; col < 32; ++col) sum = 3 * sum + words[lane() * 33 + col];
  out[here()] = sum;
}

__global__ void shared_column_swizzled(const int* in, int* out) {
  WORDS;
  int sum = 0;
#pragma unroll 1
  for (int col = 0; col < 32; ++col) sum = 3 * sum + words[lane() * 32 + (col ^ lane())];
  out[here()] = sum;
}

// --- loads of 8 and 16 bytes a lane ---

template <int kStride>
__global__ void shared_load_int2(const int* in, int* out) {
  WORDS;
  const int2 v = reinterpret_cast<const int2*>(words)[lane() * kStride];
  out[here()] = v.x + 3 * v.y;
}

template <int kStride>
__global__ void shared_load_int4(const int* in, int* out) {
  WORDS;
  const int4 v = reinterpret_cast<const int4*>(words)[lane() * kStride];
  out[here()] = v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

__global__ void shared_load_one_int2(const int* in, int* out) {
  WORDS;
  const int2 v = reinterpret_cast<const int2*>(words)[in[0] & 63];
  out[here()] = v.x + 3 * v.y;
}

__global__ void shared_load_one_int4(const int* in, int* out) {
  WORDS;
  const int4 v = reinterpret_cast<const int4*>(words)[in[0] & 63];
  out[here()] = v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

__global__ void shared_load_int4_pairs(const int* in, int* out) {
  WORDS;
  const int4 v = reinterpret_cast<const int4*>(words)[lane() / 2];
  out[here()] = v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

__global__ void shared_load_int4_permuted(const int* in, int* out) {
  WORDS;
  const int4 v = reinterpret_cast<const int4*>(words)[(lane() * 9 + 5) & 31];
  out[here()] = v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

__global__ void shared_load_int2_gather(const int* in, int* out) {
  WORDS;
  const int2 v = reinterpret_cast<const int2*>(words)[(static_cast<unsigned>(here()) * 2654435761u) >> 23];
  out[here()] = v.x + 3 * v.y;
}

__global__ void shared_load_int4_gather(const int* in, int* out) {
  WORDS;
  const int4 v = reinterpret_cast<const int4*>(words)[(static_cast<unsigned>(here()) * 2654435761u) >> 24];
  out[here()] = v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

__global__ void shared_load_int4_first_lanes(const int* in, int* out) {
  WORDS;
  if (lane() >= 10) return;
  const int4 v = reinterpret_cast<const int4*>(words)[lane()];
  out[here()] = v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

// --- 1 and 2 bytes a lane ---

template <int kStride>
__global__ void shared_load_bytes(const int* in, int* out) {
  WORDS;
  out[here()] = reinterpret_cast<const unsigned char*>(words)[lane() * kStride];
}

template <int kStride>
__global__ void shared_load_shorts(const int* in, int* out) {
  WORDS;
  out[here()] = reinterpret_cast<const short*>(words)[lane() * kStride];
}

// --- stores ---

#define OWN_WORDS                                    \
  __shared__ __align__(16) int all[kWarps * kWords]; \
  int* const words = all + warp() * kWords;          \
  const int value = in[here()]

template <int kStride>
__global__ void shared_store_stride(const int* in, int* out) {
  OWN_WORDS;
  words[lane() * kStride] = value;
  __syncwarp();
  out[here()] = words[(lane() ^ 1) * kStride];
}

template <int kStride>
__global__ void shared_store_int2(const int* in, int* out) {
  OWN_WORDS;
  reinterpret_cast<int2*>(words)[lane() * kStride] = make_int2(value, value + 1);
  __syncwarp();
  out[here()] = words[(lane() ^ 1) * 2 * kStride + 1];
}

template <int kStride>
__global__ void shared_store_int4(const int* in, int* out) {
  OWN_WORDS;
  reinterpret_cast<int4*>(words)[lane() * kStride] = make_int4(value, value + 1, value + 2, value + 3);
  __syncwarp();
  out[here()] = words[(lane() ^ 1) * 4 * kStride + 1];
}

template <int kStride>
__global__ void shared_store_bytes(const int* in, int* out) {
  OWN_WORDS;
  reinterpret_cast<unsigned char*>(words)[lane() * kStride] = static_cast<unsigned char>(value);
  __syncwarp();
  out[here()] = reinterpret_cast<unsigned char*>(words)[(lane() ^ 1) * kStride];
}

template <int kStride>
__global__ void shared_store_double(const int* in, int* out) {
  OWN_WORDS;
  reinterpret_cast<double*>(words)[lane() * kStride] = value;
  __syncwarp();
  out[here()] = static_cast<int>(reinterpret_cast<double*>(words)[(lane() ^ 1) * kStride]);
}

__global__ void shared_store_first_lanes(const int* in, int* out) {
  OWN_WORDS;
  if (lane() < 5) words[lane() * 32] = value;
  __syncwarp();
  if (lane() == 0) out[here()] = words[4 * 32];
}

// --- four loads in the source, one in the PTX ---

__global__ void shared_four_neighbours(const int* in, int* out) {
  WORDS;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) sum = 3 * sum + words[lane() * 4 + k];
  out[here()] = sum;
}

const Pattern kPatterns[] = {
    PATTERN(shared_load_stride<1>),   PATTERN(shared_load_stride<2>),   PATTERN(shared_load_stride<3>),
    PATTERN(shared_load_stride<4>),   PATTERN(shared_load_stride<5>),   PATTERN(shared_load_stride<6>),
    PATTERN(shared_load_stride<7>),   PATTERN(shared_load_stride<8>),   PATTERN(shared_load_stride<12>),
    PATTERN(shared_load_stride<16>),  PATTERN(shared_load_stride<17>),  PATTERN(shared_load_stride<24>),
    PATTERN(shared_load_stride<31>),  PATTERN(shared_load_stride<32>),  PATTERN(shared_load_stride<33>),
    PATTERN(shared_load_one_word),    PATTERN(shared_load_two_words),   PATTERN(shared_load_two_words_of_a_bank),
    PATTERN(shared_load_pairs),       PATTERN(shared_load_backwards),   PATTERN(shared_load_permuted),
    PATTERN(shared_load_gather),      PATTERN(shared_load_first_lanes), PATTERN(shared_load_even_lanes),
    PATTERN(shared_column),           PATTERN(shared_column_padded),    PATTERN(shared_column_swizzled),
    PATTERN(shared_load_int2<1>),     PATTERN(shared_load_int2<2>),     PATTERN(shared_load_int2<3>),
    PATTERN(shared_load_int2<16>),    PATTERN(shared_load_int4<1>),     PATTERN(shared_load_int4<2>),
    PATTERN(shared_load_int4<3>),     PATTERN(shared_load_int4<8>),     PATTERN(shared_load_one_int2),
    PATTERN(shared_load_one_int4),    PATTERN(shared_load_int4_pairs),  PATTERN(shared_load_int4_permuted),
    PATTERN(shared_load_int2_gather), PATTERN(shared_load_int4_gather), PATTERN(shared_load_int4_first_lanes),
    PATTERN(shared_load_bytes<1>),    PATTERN(shared_load_bytes<4>),    PATTERN(shared_load_bytes<128>),
    PATTERN(shared_load_shorts<1>),   PATTERN(shared_load_shorts<2>),   PATTERN(shared_load_shorts<64>),
    PATTERN(shared_store_stride<1>),  PATTERN(shared_store_stride<2>),  PATTERN(shared_store_stride<3>),
    PATTERN(shared_store_stride<8>),  PATTERN(shared_store_stride<32>), PATTERN(shared_store_stride<33>),
    PATTERN(shared_store_int2<1>),    PATTERN(shared_store_int2<2>),    PATTERN(shared_store_int2<16>),
    PATTERN(shared_store_int4<1>),    PATTERN(shared_store_int4<2>),    PATTERN(shared_store_int4<8>),
    PATTERN(shared_store_bytes<1>),   PATTERN(shared_store_bytes<4>),   PATTERN(shared_store_bytes<128>),
    PATTERN(shared_store_double<1>),  PATTERN(shared_store_double<16>), PATTERN(shared_store_first_lanes),
    PATTERN(shared_four_neighbours),
};

}  // namespace

int main(int argc, char** argv) { return run_patterns(kPatterns, argc, argv); }
