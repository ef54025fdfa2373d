// Conversions into and out of 16-bit floats, their atomics, shuffles and cached accesses, and integers in parts of a
// register (__vadd4 and its kin). Arithmetic on 16-bit floats is in half.cu.
#include "half_formats.cuh"

// --- conversions: from[i] is converted in every way, to row after row ---

/// Doubles around every kind of tie and end of range, and integers likewise.
std::vector<double> numbers() {
  std::vector<double> found;
  for (const double value :
       std::vector<double>{0.0,          0x1p-149, 0x1p-134,      0x1.8p-134, 0x1p-126,   0x1p-25,
                           0x1.8p-25,    0x1p-24,  0x1.ffep-15,   0x1.ffp-15, 0x1p-14,    0.1,
                           0.5,          1.0,      0x1.001p0,     0x1.002p0,  0x1.003p0,  0x1.006p0,
                           0x1.01p0,     0x1.03p0, 0x1.0030001p0, 1.5,        2.5,        100.7,
                           2049.0,       2051.0,   65504.0,       65519.0,    65520.0,    1e5,
                           2147483648.0, 1e10,     9.3e18,        1.9e19,     0x1.fep127, 0x1.fefffep127,
                           0x1.ffp127,   1e39,     INFINITY,      NAN})
    for (const double sign : {1.0, -1.0}) found.push_back(sign * value);
  return found;
}
std::vector<long long> integers() {
  std::vector<long long> found;
  for (int shift = 0; shift < 64; ++shift)
    for (const long long high : {1ll, 0x101ll, 0x103ll, 0x801ll, 0x803ll})
      for (const long long off : {-1ll, 0ll, 1ll})
        found.push_back(static_cast<long long>((static_cast<unsigned long long>(high) << shift) +
                                               static_cast<unsigned long long>(off)));
  return found;
}

/// Out of range clamps; NaN gives 0, or the top bit alone in 64 bits.
template <class I>
I integer_from(double value, Direction direction) {
  if (std::isnan(value)) return sizeof(I) == 8 ? static_cast<I>(1ull << 63) : I{0};
  const double whole = direction == kNearest  ? std::nearbyint(value)
                       : direction == kToZero ? std::trunc(value)
                       : direction == kDown   ? std::floor(value)
                                              : std::ceil(value);
  if (whole <= static_cast<double>(std::numeric_limits<I>::min())) return std::numeric_limits<I>::min();
  if (whole >= std::ldexp(1.0, std::numeric_limits<I>::digits)) return std::numeric_limits<I>::max();
  return static_cast<I>(whole);
}

constexpr Direction kDirections[] = {kNearest, kToZero, kDown, kUp};

// The names are those of one format with half or bfloat16 in the middle.
#define FOUR_WAYS(to, name, from)                                                                                   \
  to[0] = reread<U16>(name##_rn(from)), to[1] = reread<U16>(name##_rz(from)), to[2] = reread<U16>(name##_rd(from)), \
  to[3] = reread<U16>(name##_ru(from))
#define INTEGER_WAYS(to, name, from) \
  to[0] = name##_rn(from), to[1] = name##_rz(from), to[2] = name##_rd(from), to[3] = name##_ru(from)

#define CONVERSIONS(format, T, Pair)                                                         \
  __global__ void format##_from_numbers(const double* from, U16(*to)[8], int count) {        \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                     \
    if (i >= count) return;                                                                  \
    const float single = static_cast<float>(from[i]);                                        \
    FOUR_WAYS(to[i], __float2##format, single);                                              \
    to[i][4] = reread<U16>(__double2##format(from[i]));                                      \
    to[i][5] = reread<U16>(T(single));                                                       \
    const U32 pair = reread<U32>(__floats2##format##2_rn(single, -single));                  \
    to[i][6] = static_cast<U16>(pair), to[i][7] = static_cast<U16>(pair >> 16);              \
  }                                                                                          \
  __global__ void format##_from_integers(const long long* from, U16(*to)[6][4], int count) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                     \
    if (i >= count) return;                                                                  \
    FOUR_WAYS(to[i][0], __short2##format, static_cast<short>(from[i]));                      \
    FOUR_WAYS(to[i][1], __ushort2##format, static_cast<unsigned short>(from[i]));            \
    FOUR_WAYS(to[i][2], __int2##format, static_cast<int>(from[i]));                          \
    FOUR_WAYS(to[i][3], __uint2##format, static_cast<unsigned>(from[i]));                    \
    FOUR_WAYS(to[i][4], __ll2##format, from[i]);                                             \
    FOUR_WAYS(to[i][5], __ull2##format, static_cast<unsigned long long>(from[i]));           \
  }                                                                                          \
  __global__ void format##_to_integers(const U16* from, long long(*to)[6][4], int count) {   \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                     \
    if (i >= count) return;                                                                  \
    const T x = reread<T>(from[i]);                                                          \
    INTEGER_WAYS(to[i][0], __##format##2short, x);                                           \
    INTEGER_WAYS(to[i][1], __##format##2ushort, x);                                          \
    INTEGER_WAYS(to[i][2], __##format##2int, x);                                             \
    INTEGER_WAYS(to[i][3], __##format##2uint, x);                                            \
    INTEGER_WAYS(to[i][4], __##format##2ll, x);                                              \
    INTEGER_WAYS(to[i][5], (long long)__##format##2ull, x);                                  \
  }                                                                                          \
  __global__ void format##_to_others(const U16* from, float* floats, signed char* bytes,     \
                                     unsigned char* unsigned_bytes, int count) {             \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                     \
    if (i >= count) return;                                                                  \
    const T x = reread<T>(from[i]);                                                          \
    const float2 both = __##format##22float2(Pair(x, x));                                    \
    floats[i] = both.x == both.y ? __##format##2float(x) : both.x;                           \
    bytes[i] = __##format##2char_rz(x);                                                      \
    unsigned_bytes[i] = __##format##2uchar_rz(x);                                            \
  }
CONVERSIONS(half, __half, __half2)
CONVERSIONS(bfloat16, __nv_bfloat16, __nv_bfloat162)

template <class I, class T>
void hold_integers(Verdict& verdict, U16 from, const long long (&to)[4]) {
  for (const Direction direction : kDirections)
    verdict.equal(from, static_cast<std::uint64_t>(to[direction]),
                  static_cast<std::uint64_t>(static_cast<long long>(integer_from<I>(value_of<T>(from), direction))));
}

template <class T, class FromNumbers, class FromIntegers, class ToIntegers, class ToOthers>
void conversions(FromNumbers from_numbers, FromIntegers from_integers, ToIntegers to_integers, ToOthers to_others) {
  const std::string format = Format<T>::kName;
  const auto blocks = [](size_t count) { return static_cast<unsigned>((count + 63) / 64); };
  {
    const std::vector<double> list = numbers();
    double* const from = managed<double>(list.size());
    std::copy(list.begin(), list.end(), from);
    auto* const to = reinterpret_cast<U16(*)[8]>(managed<U16>(8 * list.size()));
    from_numbers<<<blocks(list.size()), 64>>>(from, to, static_cast<int>(list.size()));
    CHECK(cudaDeviceSynchronize());
    Verdict verdict(format + " from floats");
    for (size_t i = 0; i < list.size(); ++i) {
      const double single = static_cast<float>(from[i]);
      for (const Direction direction : kDirections) verdict.equal(i, to[i][direction], rounded<T>(single, direction));
      const U16 quiet = Format<T>::kInfinity | Format<T>::kInfinity >> 1 & ~Format<T>::kInfinity;
      verdict.equal(i, to[i][4],
                    std::isnan(from[i]) ? (std::signbit(from[i]) ? 0x8000 : 0) | quiet : rounded<T>(from[i]));
      verdict.equal(i, to[i][5], rounded<T>(single));
      verdict.equal(i, to[i][6], rounded<T>(single));
      verdict.equal(i, to[i][7], rounded<T>(-single));
    }
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
  }
  {
    const std::vector<long long> list = integers();
    long long* const from = managed<long long>(list.size());
    std::copy(list.begin(), list.end(), from);
    auto* const to = reinterpret_cast<U16(*)[6][4]>(managed<U16>(24 * list.size()));
    from_integers<<<blocks(list.size()), 64>>>(from, to, static_cast<int>(list.size()));
    CHECK(cudaDeviceSynchronize());
    Verdict verdict(format + " from integers");
    for (size_t i = 0; i < list.size(); ++i)
      for (const Direction direction : kDirections) {
        const long double values[] = {static_cast<long double>(static_cast<short>(from[i])),
                                      static_cast<long double>(static_cast<unsigned short>(from[i])),
                                      static_cast<long double>(static_cast<int>(from[i])),
                                      static_cast<long double>(static_cast<unsigned>(from[i])),
                                      static_cast<long double>(from[i]),
                                      static_cast<long double>(static_cast<unsigned long long>(from[i]))};
        for (int type = 0; type < 6; ++type)
          verdict.equal(static_cast<std::uint64_t>(from[i]), to[i][type][direction],
                        rounded<T>(values[type], direction));
      }
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
  }
  std::vector<U16> list = elements<T>();
  for (U32 bits = 0; bits < 0x10000; bits += 61) list.push_back(static_cast<U16>(bits));
  U16* const from = managed<U16>(list.size());
  std::copy(list.begin(), list.end(), from);
  auto* const to = reinterpret_cast<long long(*)[6][4]>(managed<long long>(24 * list.size()));
  to_integers<<<blocks(list.size()), 64>>>(from, to, static_cast<int>(list.size()));
  CHECK(cudaDeviceSynchronize());
  {
    Verdict verdict(format + " to integers");
    for (size_t i = 0; i < list.size(); ++i) {
      hold_integers<short, T>(verdict, from[i], to[i][0]);
      hold_integers<unsigned short, T>(verdict, from[i], to[i][1]);
      hold_integers<int, T>(verdict, from[i], to[i][2]);
      hold_integers<unsigned, T>(verdict, from[i], to[i][3]);
      hold_integers<long long, T>(verdict, from[i], to[i][4]);
      hold_integers<unsigned long long, T>(verdict, from[i], to[i][5]);
    }
  }
  float* const floats = managed<float>(list.size());
  signed char* const bytes = managed<signed char>(list.size());
  unsigned char* const unsigned_bytes = managed<unsigned char>(list.size());
  to_others<<<blocks(list.size()), 64>>>(from, floats, bytes, unsigned_bytes, static_cast<int>(list.size()));
  CHECK(cudaDeviceSynchronize());
  {
    Verdict verdict(format + " to floats and bytes");
    for (size_t i = 0; i < list.size(); ++i) {
      const double value = value_of<T>(from[i]);
      const auto expected = static_cast<float>(value);
      verdict.hold(std::isnan(value) ? std::isnan(floats[i]) : reread<U32>(floats[i]) == reread<U32>(expected), from[i],
                   reread<U32>(floats[i]), reread<U32>(expected));
      verdict.equal(from[i], static_cast<U32>(bytes[i]), static_cast<U32>(integer_from<signed char>(value, kToZero)));
      verdict.equal(from[i], unsigned_bytes[i], integer_from<unsigned char>(value, kToZero));
    }
  }
  for (void* memory : {static_cast<void*>(from), static_cast<void*>(to), static_cast<void*>(floats),
                       static_cast<void*>(bytes), static_cast<void*>(unsigned_bytes)})
    CHECK(cudaFree(memory));
}

// --- memory: sums small enough to be exact in any order ---

struct Sums {
  __half half;
  __nv_bfloat16 bfloat;
  __half2 halves;
  __nv_bfloat162 bfloats;
  float2 two;
  float4 four;
};

__global__ void add_up(Sums* sums, const __half2* list, __half2* copies) {
  __shared__ __half here;
  __shared__ __half2 both;
  if (threadIdx.x == 0) here = __half(0.0f), both = __half2(0.0f, 0.0f);
  __syncthreads();
  atomicAdd(&here, __half(1.0f));
  atomicAdd(&both, __half2(1.0f, -2.0f));
  atomicAdd(&sums->bfloat, __nv_bfloat16(0.5f));
  atomicAdd(&sums->bfloats, __nv_bfloat162(0.25f, -0.5f));
#if __CUDA_ARCH__ >= 900
  atomicAdd(&sums->two, make_float2(1.0f, 2.0f));
  atomicAdd(&sums->four, make_float4(1.0f, 2.0f, 3.0f, 4.0f));
#endif
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&sums->half, here), atomicAdd(&sums->halves, both);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2 near = __shfl_xor_sync(0xFFFFFFFFu, __ldg(list + i), 1);
  __stcg(copies + i, __lowhigh2highlow(__halves2half2(__high2half(near), __low2half(__ldcg(list + i)))));
}

void memory() {
  constexpr int kCount = 192;
  Sums* const sums = managed<Sums>(1);
  *sums = Sums{__half(0.0f), __nv_bfloat16(0.0f), __half2(0.0f, 0.0f), __nv_bfloat162(0.0f, 0.0f), {}, {}};
  U32* const list = managed<U32>(2 * kCount);
  for (U32 i = 0; i < kCount; ++i) list[i] = i * 2654435761u;
  add_up<<<3, 64>>>(sums, reinterpret_cast<__half2*>(list), reinterpret_cast<__half2*>(list + kCount));
  CHECK(cudaDeviceSynchronize());
  {
    Verdict verdict("atomic sums");
    const auto pair = [](U16 low, U16 high) { return U32{low} | U32{high} << 16; };
    verdict.equal(0, reread<U16>(sums->half), rounded<__half>(192));
    verdict.equal(1, reread<U32>(sums->halves), pair(rounded<__half>(192), rounded<__half>(-384)));
    verdict.equal(2, reread<U16>(sums->bfloat), rounded<__nv_bfloat16>(96));
    verdict.equal(3, reread<U32>(sums->bfloats), pair(rounded<__nv_bfloat16>(48), rounded<__nv_bfloat16>(-96)));
    verdict.hold(sums->two.x == 192 && sums->two.y == 384, 4, 0, 0);
    verdict.hold(sums->four.x == 192 && sums->four.y == 384 && sums->four.z == 576 && sums->four.w == 768, 5, 0, 0);
  }
  {
    Verdict verdict("moved pairs");
    for (int i = 0; i < kCount; ++i)
      verdict.equal(i, list[kCount + i], (list[i ^ 1] & 0xFFFF0000) | (list[i] & 0xFFFF));
  }
  CHECK(cudaFree(sums));
  CHECK(cudaFree(list));
}

// --- parts of a register ---

#define EVERY_PART_FUNCTION(f)                                                                                        \
  f(__vadd2) f(__vadd4) f(__vaddss2) f(__vaddus4) f(__vsub2) f(__vsub4) f(__vsubss4) f(__vsubus2) f(__vabsdiffs2)     \
      f(__vabsdiffs4) f(__vabsdiffu2) f(__vabsdiffu4) f(__vavgs2) f(__vavgu4) f(__vhaddu2) f(__vcmpeq4) f(__vcmpges2) \
          f(__vcmpgtu4) f(__vcmpltu2) f(__vcmpne4) f(__vmaxs2) f(__vmaxu4) f(__vmins4) f(__vminu2) f(__vsads2)        \
              f(__vsads4) f(__vsadu2) f(__vsadu4) f(__vseteq2) f(__vsetles4) f(__vimax_s16x2_relu)                    \
                  f(__vimin_s16x2_relu)

__global__ void parts(const U32* words, U32* to, int count) {
  const U32 a = words[blockIdx.x], b = words[threadIdx.x];
  to += (blockIdx.x * count + threadIdx.x) * 32;
#define APPLY(f) *to++ = f(a, b);
  EVERY_PART_FUNCTION(APPLY)
}

/// f(a, b) on parts of `bits` bits, side by side.
template <class F>
U32 by_parts(U32 a, U32 b, int bits, bool is_signed, F f) {
  U32 word = 0;
  for (int at = 0; at < 32; at += bits) {
    const auto part = [&](U32 from) {
      const int value = static_cast<int>(from >> at & ((1u << bits) - 1));
      return is_signed && value >> (bits - 1) != 0 ? value - (1 << bits) : value;
    };
    word |= (static_cast<U32>(f(part(a), part(b))) & ((1u << bits) - 1)) << at;
  }
  return word;
}

U32 sum_of_parts(U32 word, int bits) {
  U32 sum = 0;
  for (int at = 0; at < 32; at += bits) sum += word >> at & ((1u << bits) - 1);
  return sum;
}

/// In the order of EVERY_PART_FUNCTION.
std::vector<U32> expected_parts(U32 a, U32 b) {
  const auto add = [](int x, int y) { return x + y; };
  const auto subtract = [](int x, int y) { return x - y; };
  const auto distance = [](int x, int y) { return std::abs(x - y); };
  const auto least = [](int x, int y) { return std::min(x, y); };
  const auto most = [](int x, int y) { return std::max(x, y); };
  const auto up = [](int x, int y) { return (x + y + 1) >> 1; };  // of unsigned parts
  const auto all = [](auto holds) { return [=](int x, int y) { return holds(x, y) ? -1 : 0; }; };
  const auto clamp = [](auto f, int low, int high) {
    return [=](int x, int y) { return std::clamp(f(x, y), low, high); };
  };
  // Signed averages are rounded away from zero where they lie half way.
  const auto average = [](int x, int y) { return (x + y + (x + y >= 0 ? 1 : 0)) >> 1; };
  return {by_parts(a, b, 16, false, add),
          by_parts(a, b, 8, false, add),
          by_parts(a, b, 16, true, clamp(add, -32768, 32767)),
          by_parts(a, b, 8, false, clamp(add, 0, 255)),
          by_parts(a, b, 16, false, subtract),
          by_parts(a, b, 8, false, subtract),
          by_parts(a, b, 8, true, clamp(subtract, -128, 127)),
          by_parts(a, b, 16, false, clamp(subtract, 0, 65535)),
          by_parts(a, b, 16, true, distance),
          by_parts(a, b, 8, true, distance),
          by_parts(a, b, 16, false, distance),
          by_parts(a, b, 8, false, distance),
          by_parts(a, b, 16, true, average),
          by_parts(a, b, 8, false, up),
          by_parts(a, b, 16, false, [](int x, int y) { return (x + y) >> 1; }),
          by_parts(a, b, 8, false, all([](int x, int y) { return x == y; })),
          by_parts(a, b, 16, true, all([](int x, int y) { return x >= y; })),
          by_parts(a, b, 8, false, all([](int x, int y) { return x > y; })),
          by_parts(a, b, 16, false, all([](int x, int y) { return x < y; })),
          by_parts(a, b, 8, false, all([](int x, int y) { return x != y; })),
          by_parts(a, b, 16, true, most),
          by_parts(a, b, 8, false, most),
          by_parts(a, b, 8, true, least),
          by_parts(a, b, 16, false, least),
          sum_of_parts(by_parts(a, b, 16, true, distance), 16),
          sum_of_parts(by_parts(a, b, 8, true, distance), 8),
          sum_of_parts(by_parts(a, b, 16, false, distance), 16),
          sum_of_parts(by_parts(a, b, 8, false, distance), 8),
          by_parts(a, b, 16, false, [](int x, int y) { return x == y ? 1 : 0; }),
          by_parts(a, b, 8, true, [](int x, int y) { return x <= y ? 1 : 0; }),
          by_parts(a, b, 16, true, clamp(most, 0, 32767)),
          by_parts(a, b, 16, true, clamp(least, 0, 32767))};
}

void parts_of_registers() {
  const std::vector<U32> list{0,          1,          0xFFFFFFFF, 0x80007FFF, 0x7FFF8000, 0x80808080,
                              0x7F7F7F7F, 0x00FF7F80, 0x81017E02, 0xFFFE0001, 0x12345678, 0x9ABCDEF0,
                              0x5A5AA5A5, 0x0001FFFF, 0x80018001, 0xDEADBEEF};
  const int count = static_cast<int>(list.size());
  U32* const words = managed<U32>(list.size());
  std::copy(list.begin(), list.end(), words);
  U32* const to = managed<U32>(list.size() * list.size() * 32);
  parts<<<count, count>>>(words, to, count);
  CHECK(cudaDeviceSynchronize());
#define NAME(f) #f,
  const char* const names[] = {EVERY_PART_FUNCTION(NAME)};
  for (int function = 0; function < 32; ++function) {
    Verdict verdict(names[function]);
    for (int i = 0; i < count * count; ++i) {
      const U32 a = list[i / count], b = list[i % count];
      verdict.equal(std::uint64_t{a} << 32 | b, to[i * 32 + function], expected_parts(a, b)[function]);
    }
  }
  CHECK(cudaFree(words));
  CHECK(cudaFree(to));
}

int main() {
  conversions<__half>(half_from_numbers, half_from_integers, half_to_integers, half_to_others);
  conversions<__nv_bfloat16>(bfloat16_from_numbers, bfloat16_from_integers, bfloat16_to_integers, bfloat16_to_others);
  memory();
  parts_of_registers();
  return 0;
}
