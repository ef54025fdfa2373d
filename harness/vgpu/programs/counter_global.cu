// Shapes of accesses to global and local memory, each a kernel: what requests and sectors they take is held against
// Nsight Compute (scripts/counters_fidelity.sh).
#include "counter_patterns.cuh"

namespace {

// --- 4 bytes a lane ---

template <int kStride>
__global__ void load_stride(const int* in, int* out) {
  out[here()] = in[here() * kStride];
}

template <int kStride>
__global__ void store_stride(const int* in, int* out) {
  out[here() * kStride] = in[here()];
}

template <int kOffset>
__global__ void load_offset(const int* in, int* out) {
  out[here()] = in[here() + kOffset];
}

template <int kOffset>
__global__ void store_offset(const int* in, int* out) {
  out[here() + kOffset] = in[here()];
}

__global__ void load_backwards(const int* in, int* out) { out[here()] = in[kElements - 1 - here()]; }

__global__ void store_backwards(const int* in, int* out) { out[kElements - 1 - here()] = in[here()]; }

__global__ void load_permuted_in_the_warp(const int* in, int* out) {
  out[here()] = in[(here() & ~31) | ((5 * here() + 3) & 31)];
}

__global__ void load_swapped_pairs(const int* in, int* out) { out[here()] = in[here() ^ 1]; }

__global__ void load_gather(const int* in, int* out) {
  out[here()] = in[(static_cast<unsigned>(here()) * 2654435761u) >> 16];
}

__global__ void store_scatter(const int* in, int* out) {
  out[(static_cast<unsigned>(here()) * 40503u) & (kElements - 1)] = in[here()];  // odd: no two threads meet
}

__global__ void load_column(const int* in, int* out) { out[here()] = in[here() % 32 * 256 + here() / 32]; }

__global__ void store_column(const int* in, int* out) { out[here() % 32 * 256 + here() / 32] = in[here()]; }

__global__ void load_two_rows(const int* in, int* out) { out[here()] = in[here() + (lane() < 16 ? 0 : 20000)]; }

// --- several lanes, one address ---

__global__ void load_one_word(const int* in, int* out) { out[here()] = in[4321]; }

template <int kLanes>
__global__ void load_one_word_for_lanes(const int* in, int* out) {
  out[here()] = in[here() / kLanes];
}

__global__ void load_window(const int* in, int* out) { out[here()] = in[here()] + in[here() + 1] + in[here() + 2]; }

// --- part of the lanes ---

template <int kLanes>
__global__ void load_first_lanes(const int* in, int* out) {
  if (lane() < kLanes) out[here()] = in[here()];
}

__global__ void load_even_lanes(const int* in, int* out) {
  if (lane() % 2 == 0) out[here()] = in[here()];
}

__global__ void store_one_lane(const int* in, int* out) {
  const int value = in[here()];
  if (lane() == 7) out[here()] = value;
}

// --- 8 and 16 bytes a lane ---

template <int kStride>
__global__ void load_int2(const int* in, int* out) {
  const int2 v = reinterpret_cast<const int2*>(in)[here() * kStride];
  out[here()] = v.x + 3 * v.y;
}

template <int kStride>
__global__ void load_int4(const int* in, int* out) {
  const int4 v = reinterpret_cast<const int4*>(in)[here() * kStride];
  out[here()] = v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

__global__ void load_float4_offset(const int* in, int* out) {
  const float4 v = reinterpret_cast<const float4*>(in)[here() + 1];
  out[here()] = __float_as_int(v.x) + 3 * __float_as_int(v.y) + 5 * __float_as_int(v.z) + 7 * __float_as_int(v.w);
}

__global__ void load_int4_backwards(const int* in, int* out) {
  const int4 v = reinterpret_cast<const int4*>(in)[kElements / 4 - 1 - here()];
  out[here()] = v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

__global__ void load_int4_first_lanes(const int* in, int* out) {
  if (lane() >= 10) return;
  const int4 v = reinterpret_cast<const int4*>(in)[here()];
  out[here()] = v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

__global__ void load_one_int4(const int* in, int* out) {
  const int4 v = reinterpret_cast<const int4*>(in)[here() / 32];
  out[here()] = v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}

__global__ void load_double(const int* in, int* out) {
  out[here()] = static_cast<int>(__double_as_longlong(reinterpret_cast<const double*>(in)[here()]) >> 20);
}

__global__ void store_double(const int* in, int* out) { reinterpret_cast<double*>(out)[here()] = in[here()]; }

template <int kStride>
__global__ void store_int2(const int* in, int* out) {
  const int value = in[here()];
  reinterpret_cast<int2*>(out)[here() * kStride] = make_int2(value, value + 1);
}

template <int kStride>
__global__ void store_int4(const int* in, int* out) {
  const int value = in[here()];
  reinterpret_cast<int4*>(out)[here() * kStride] = make_int4(value, value + 1, value + 2, value + 3);
}

__global__ void copy_float4(const int* in, int* out) {
  reinterpret_cast<float4*>(out)[here()] = reinterpret_cast<const float4*>(in)[here()];
}

// --- 1 and 2 bytes a lane ---

template <int kStride>
__global__ void load_bytes(const int* in, int* out) {
  out[here()] = reinterpret_cast<const unsigned char*>(in)[here() * kStride];
}

__global__ void load_bytes_offset(const int* in, int* out) {
  out[here()] = reinterpret_cast<const unsigned char*>(in)[here() + 13];
}

template <int kStride>
__global__ void store_bytes(const int* in, int* out) {
  reinterpret_cast<unsigned char*>(out)[here() * kStride] = static_cast<unsigned char>(in[here()]);
}

__global__ void load_pixels(const int* in, int* out) {  // three bytes each: red, green, blue
  const unsigned char* const pixel = reinterpret_cast<const unsigned char*>(in) + 3 * here();
  out[here()] = pixel[0] + 3 * pixel[1] + 5 * pixel[2];
}

__global__ void copy_shorts(const int* in, int* out) {
  reinterpret_cast<short*>(out)[here()] = reinterpret_cast<const short*>(in)[here()];
}

__global__ void copy_char4(const int* in, int* out) {
  reinterpret_cast<char4*>(out)[here()] = reinterpret_cast<const char4*>(in)[here()];
}

// --- structures ---

__global__ void load_structures_of_three(const int* in, int* out) {
  struct Point {
    int x, y, z;
  };
  const Point p = reinterpret_cast<const Point*>(in)[here()];
  out[here()] = p.x + 3 * p.y + 5 * p.z;
}

__global__ void load_structures_of_four(const int* in, int* out) {  // not declared to be aligned: four loads
  struct Quad {
    int x, y, z, w;
  };
  const Quad q = reinterpret_cast<const Quad*>(in)[here()];
  out[here()] = q.x + 3 * q.y + 5 * q.z + 7 * q.w;
}

// --- hints, and ways around the L1 cache ---

__global__ void load_read_only(const int* in, int* out) { out[here()] = __ldg(&in[here() * 3]); }

__global__ void load_and_store_streaming(const int* in, int* out) { __stcs(&out[here()], __ldcs(&in[here()])); }

__global__ void load_volatile(const int* in, int* out) {
  out[here()] = *const_cast<const volatile int*>(&in[here() * 2]);
}

__global__ void load_again_and_again(const int* in, int* out) {
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 10; ++k) sum += in[here() + k * 128];
  out[here()] = sum;
}

// --- local memory ---

__global__ void local_array(const int* in, int* out) {
  int values[16];
#pragma unroll 1
  for (int k = 0; k < 16; ++k) values[(k * 3 + 1) & 15] = in[here() + k];
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 16; ++k) sum = 3 * sum + values[k];
  out[here()] = sum;
}

__global__ void local_array_by_lane(const int* in, int* out) {  // each lane its own index
  int values[32];
#pragma unroll 1
  for (int k = 0; k < 32; ++k) values[k] = in[k];
  out[here()] = values[(here() * 5) & 31];
}

const Pattern kPatterns[] = {
    PATTERN(load_stride<1>),
    PATTERN(load_stride<2>),
    PATTERN(load_stride<3>),
    PATTERN(load_stride<4>),
    PATTERN(load_stride<5>),
    PATTERN(load_stride<6>),
    PATTERN(load_stride<7>),
    PATTERN(load_stride<8>),
    PATTERN(load_stride<9>),
    PATTERN(load_stride<10>),
    PATTERN(load_stride<11>),
    PATTERN(load_stride<12>),
    PATTERN(load_stride<13>),
    PATTERN(load_stride<14>),
    PATTERN(load_stride<15>),
    PATTERN(load_stride<16>),
    PATTERN(load_stride<17>),
    PATTERN(load_stride<18>),
    PATTERN(load_stride<19>),
    PATTERN(load_stride<20>),
    PATTERN(load_stride<21>),
    PATTERN(load_stride<22>),
    PATTERN(load_stride<23>),
    PATTERN(load_stride<24>),
    PATTERN(load_stride<25>),
    PATTERN(load_stride<26>),
    PATTERN(load_stride<27>),
    PATTERN(load_stride<28>),
    PATTERN(load_stride<29>),
    PATTERN(load_stride<30>),
    PATTERN(load_stride<31>),
    PATTERN(load_stride<32>),
    PATTERN(load_stride<33>),
    PATTERN(store_stride<2>),
    PATTERN(store_stride<3>),
    PATTERN(store_stride<8>),
    PATTERN(store_stride<32>),
    PATTERN(store_stride<33>),
    PATTERN(load_offset<1>),
    PATTERN(load_offset<7>),
    PATTERN(load_offset<8>),
    PATTERN(load_offset<31>),
    PATTERN(store_offset<1>),
    PATTERN(store_offset<9>),
    PATTERN(load_backwards),
    PATTERN(store_backwards),
    PATTERN(load_permuted_in_the_warp),
    PATTERN(load_swapped_pairs),
    PATTERN(load_gather),
    PATTERN(store_scatter),
    PATTERN(load_column),
    PATTERN(store_column),
    PATTERN(load_two_rows),
    PATTERN(load_one_word),
    PATTERN(load_one_word_for_lanes<2>),
    PATTERN(load_one_word_for_lanes<8>),
    PATTERN(load_one_word_for_lanes<32>),
    PATTERN(load_window),
    PATTERN(load_first_lanes<1>),
    PATTERN(load_first_lanes<8>),
    PATTERN(load_first_lanes<16>),
    PATTERN(load_first_lanes<31>),
    PATTERN(load_even_lanes),
    PATTERN(store_one_lane),
    PATTERN(load_int2<1>),
    PATTERN(load_int2<2>),
    PATTERN(load_int2<16>),
    PATTERN(load_int4<1>),
    PATTERN(load_int4<2>),
    PATTERN(load_int4<8>),
    PATTERN(load_float4_offset),
    PATTERN(load_int4_backwards),
    PATTERN(load_int4_first_lanes),
    PATTERN(load_one_int4),
    PATTERN(load_double),
    PATTERN(store_double),
    PATTERN(store_int2<1>),
    PATTERN(store_int2<2>),
    PATTERN(store_int4<1>),
    PATTERN(store_int4<2>),
    PATTERN(copy_float4),
    PATTERN(load_bytes<1>),
    PATTERN(load_bytes<4>),
    PATTERN(load_bytes<33>),
    PATTERN(load_bytes_offset),
    PATTERN(store_bytes<1>),
    PATTERN(store_bytes<4>),
    PATTERN(store_bytes<33>),
    PATTERN(load_pixels),
    PATTERN(copy_shorts),
    PATTERN(copy_char4),
    PATTERN(load_structures_of_three),
    PATTERN(load_structures_of_four),
    PATTERN(load_read_only),
    PATTERN(load_and_store_streaming),
    PATTERN(load_volatile),
    PATTERN(load_again_and_again),
    PATTERN(local_array),
    PATTERN(local_array_by_lane),
};

}  // namespace

int main(int argc, char** argv) { return run_patterns(kPatterns, argc, argv); }
