// Fourier transforms against sums by definition, taken in long double, and what they must satisfy at any length.
#include "harness/vgpu/libraries/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace vgpu::fft_test {
namespace {

using libraries::Fft;
using Exact = std::complex<long double>;

template <class T>
std::vector<std::complex<T>> numbers(std::size_t count) {
  std::vector<std::complex<T>> values(count);
  unsigned state = 12345;
  const auto next = [&state] {
    state = state * 1664525 + 1013904223;
    return static_cast<T>(state >> 8) / static_cast<T>(1 << 23) - 1;
  };
  for (auto& value : values) value = {next(), next()};
  return values;
}

template <class T>
std::vector<Exact> by_definition(const std::vector<std::complex<T>>& x) {
  const std::size_t n = x.size();
  std::vector<Exact> roots(n), sums(n);
  for (std::size_t k = 0; k < n; ++k)
    roots[k] = std::polar(1.0L, -2 * std::acos(-1.0L) * static_cast<long double>(k) / static_cast<long double>(n));
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) sums[k] += Exact(x[j].real(), x[j].imag()) * roots[j * k % n];
  return sums;
}

template <class T>
std::vector<std::complex<T>> transformed(std::vector<std::complex<T>> x) {
  std::vector<std::complex<T>> scratch;
  Fft<T>(x.size()).transform(x.data(), 1, scratch);
  return x;
}

/// The norm of the difference, relative to that of what is exact, in units of T's rounding.
template <class T>
double error(const std::vector<std::complex<T>>& got, const std::vector<Exact>& exact) {
  long double difference = 0, size = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    difference += std::norm(Exact(got[k].real(), got[k].imag()) - exact[k]);
    size += std::norm(exact[k]);
  }
  return static_cast<double>(std::sqrt(difference / size) / std::numeric_limits<T>::epsilon());
}

/// Grows with the logarithm in a transform that is split; a direct sum of a prime adds its square root, at most.
template <class T>
void expect_exact(std::size_t n, double allowed) {
  const auto x = numbers<T>(n);
  EXPECT_LT(error(transformed(x), by_definition(x)), allowed) << n << (sizeof(T) == 4 ? " floats" : " doubles");
}

TEST(Fft, AllShortLengthsAreTheSumsOfTheDefinition) {
  for (std::size_t n = 1; n <= 64; ++n) {
    expect_exact<float>(n, 1.5);
    expect_exact<double>(n, 1.5);
  }
}

TEST(Fft, LongLengthsAreAsExact) {
  // Powers of 2, 3, 7, and all of these; a product of larger primes; the largest radix; the first prime beyond it,
  // twice that, and larger ones.
  for (const std::size_t n : {1024, 2187, 2401, 2520, 11 * 13 * 17, 127, 131, 262, 1009, 3 * 683}) {
    expect_exact<float>(n, 2.5);
    expect_exact<double>(n, 2.5);
  }
}

TEST(Fft, TwiceIsTheSequenceBackwards) {
  for (const std::size_t n : {1 << 18, 3 * 5 * 7 * 11 * 13 * 16, 65537, 100003}) {
    const auto x = numbers<float>(n);
    const auto twice = transformed(transformed(x));
    std::vector<Exact> wanted(n);
    for (std::size_t j = 0; j < n; ++j)
      wanted[(n - j) % n] = Exact(x[j].real(), x[j].imag()) * static_cast<long double>(n);
    EXPECT_LT(error(twice, wanted), 4) << n;
  }
}

TEST(Fft, TheSumOfSquaresIsKept) {
  const auto squares = [](const auto& values) {
    return std::accumulate(values.begin(), values.end(), 0.0, [](double s, auto v) { return s + std::norm(v); });
  };
  for (const std::size_t n : {1 << 16, 30030, 10007}) {
    const auto x = numbers<double>(n);
    EXPECT_NEAR(squares(transformed(x)) / squares(x) / static_cast<double>(n), 1, 1e-13) << n;
  }
}

TEST(Fft, SequencesSideBySideDoNotTouch) {
  constexpr std::size_t kTogether = 3;
  for (const std::size_t n : {1, 12, 49, 131}) {
    const auto x = numbers<double>(n * kTogether);
    auto together = x;
    std::vector<std::complex<double>> scratch;
    Fft<double>(n).transform(together.data(), kTogether, scratch);
    for (std::size_t s = 0; s < kTogether; ++s) {
      std::vector<std::complex<double>> one(n);
      for (std::size_t j = 0; j < n; ++j) one[j] = x[j * kTogether + s];
      one = transformed(one);
      for (std::size_t k = 0; k < n; ++k) EXPECT_EQ(together[k * kTogether + s], one[k]) << n << ", " << k;
    }
  }
}

TEST(Fft, AConstantIsOneExactNumber) {
  for (const std::size_t n : {8, 12, 60, 1024}) {
    const auto sums = transformed(std::vector<std::complex<float>>(n, 1));
    for (std::size_t k = 0; k < n; ++k)
      EXPECT_NEAR(std::abs(sums[k] - (k == 0 ? static_cast<float>(n) : 0.0F)), 0, 1e-6) << n << ", " << k;
  }
}

}  // namespace
}  // namespace vgpu::fft_test
