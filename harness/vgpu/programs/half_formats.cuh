// The 16-bit floating-point formats on the host, where results are computed in a wider type and rounded once, and
// verdicts of one line each: "ok", or the first result that differs.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "check.cuh"

using U16 = std::uint16_t;
using U32 = std::uint32_t;

// --- the formats on the host ---

template <class T>
struct Format;
template <>
struct Format<__half> {
  using Pair = __half2;
  static constexpr const char* kName = "half";
  static constexpr int kMantissa = 10, kLeast = -14;
  static constexpr U16 kInfinity = 0x7C00, kOne = 0x3C00;
};
template <>
struct Format<__nv_bfloat16> {
  using Pair = __nv_bfloat162;
  static constexpr const char* kName = "bfloat16";
  static constexpr int kMantissa = 7, kLeast = -126;
  static constexpr U16 kInfinity = 0x7F80, kOne = 0x3F80;
};
template <class T>
using PairOf = typename Format<T>::Pair;

template <class T>
double value_of(U16 bits) {
  using F = Format<T>;
  const int magnitude = bits & 0x7FFF, exponent = magnitude >> F::kMantissa;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (magnitude > F::kInfinity) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude == F::kInfinity) return sign * std::numeric_limits<double>::infinity();
  const int mantissa = (magnitude & ((1 << F::kMantissa) - 1)) | (exponent != 0 ? 1 << F::kMantissa : 0);
  return sign * std::ldexp(mantissa, std::max(exponent, 1) - 1 + F::kLeast - F::kMantissa);
}

enum Direction { kNearest, kToZero, kDown, kUp };

/// A long double holds every double and every 64-bit integer.
template <class T>
U16 rounded(long double value, Direction direction = kNearest) {
  using F = Format<T>;
  if (value != value) return 0x7FFF;
  const U16 sign = std::signbit(value) ? 0x8000 : 0;
  const long double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | F::kInfinity;
  const bool away = direction == (sign != 0 ? kDown : kUp);
  const int exponent = magnitude == 0 ? F::kLeast : std::max(std::ilogb(magnitude), F::kLeast);
  const long double scaled = std::ldexp(magnitude, F::kMantissa - std::min(exponent, 1000));
  const long double whole = std::floor(scaled), rest = scaled - whole;
  if (whole >= std::ldexp(1.0L, F::kMantissa + 1))
    return sign | (direction == kNearest || away ? F::kInfinity : F::kInfinity - 1);
  U32 code = static_cast<U32>(whole) + (static_cast<U32>(exponent - F::kLeast) << F::kMantissa);
  if (direction == kNearest ? rest > 0.5L || (rest == 0.5L && code % 2 != 0) : away && rest > 0) ++code;
  if (code >= F::kInfinity) code = direction == kNearest || away ? F::kInfinity : F::kInfinity - 1;
  return sign | static_cast<U16>(code);
}

/// a * b + c, of which only the last bit may be wrong, and then says that something was lost.
double fused(double a, double b, double c) {
  const double product = a * b, sum = product + c;  // the product is exact
  const double part = sum - product, error = (product - (sum - part)) + (c - part);
  std::uint64_t bits;
  std::memcpy(&bits, &sum, sizeof bits);
  if (!(error > 0 || error < 0) || bits % 2 != 0) return sum;
  return std::nextafter(sum, error > 0 ? INFINITY : -INFINITY);
}

template <class T>
bool is_nan(U16 bits) {
  return (bits & 0x7FFF) > Format<T>::kInfinity;
}

/// Zeros, subnormals, the ends of the range, numbers around 1, infinities, NaN, and some of all others.
template <class T>
std::vector<U16> elements() {
  using F = Format<T>;
  const int step = 1 << F::kMantissa;
  std::vector<U16> found;
  for (const int at : {0, step, step / 2, int{F::kOne}, F::kOne - step, F::kOne + step, F::kOne + 5 * step / 4,
                       F::kOne + 2 * step, F::kOne + 10 * step, int{F::kInfinity}})
    for (const int off : {-1, 0, 1, 3})
      for (const int sign : {0, 0x8000})
        if (at + off >= 0) found.push_back(static_cast<U16>((at + off) | sign));
  for (U32 i = 1; i < 12; ++i) found.push_back(static_cast<U16>(i * 40503u));
  return found;
}

// --- comparing ---

template <class T>
T* managed(size_t count) {
  T* memory;
  CHECK(cudaMallocManaged(&memory, count * sizeof(T)));
  return memory;
}

/// One line: how many of the results differ from what was expected, and the first that does.
class Verdict {
 public:
  explicit Verdict(std::string name) : name_(std::move(name)) {}
  ~Verdict() {
    if (wrong_ == 0)
      std::printf("%-28s ok\n", name_.c_str());
    else
      std::printf("%-28s %d of %d are wrong, first %s\n", name_.c_str(), wrong_, seen_, first_.c_str());
  }
  void hold(bool right, std::uint64_t input, std::uint64_t got, std::uint64_t expected) {
    ++seen_;
    if (right || wrong_++ != 0) return;
    char text[96];
    std::snprintf(text, sizeof text, "of %llx: %llx, expected %llx", static_cast<unsigned long long>(input),
                  static_cast<unsigned long long>(got), static_cast<unsigned long long>(expected));
    first_ = text;
  }
  void equal(std::uint64_t input, std::uint64_t got, std::uint64_t expected) {
    hold(got == expected, input, got, expected);
  }

 private:
  std::string name_, first_;
  int seen_ = 0, wrong_ = 0;
};

template <class To, class From>
__host__ __device__ To reread(From from) {
  static_assert(sizeof(To) == sizeof(From), "only the type changes");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
