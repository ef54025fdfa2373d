#include "harness/vgpu/libraries/fft.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "harness/vgpu/libraries/dense_algebra.h"

namespace vgpu::libraries {
namespace {

constexpr std::size_t kLargestRadix = 127;

/// exp(-2 pi i k / n) for k < n, from an angle of at most an eighth of a turn: exact on the axes.
std::complex<double> root_of_unity(std::uint64_t k, std::uint64_t n) {
  constexpr double kPi = 3.14159265358979323846;
  std::uint64_t eighths = 8 * k;  // of a turn, times n
  const bool is_below = eighths > 4 * n;
  if (is_below) eighths = 8 * n - eighths;
  const bool is_left = eighths > 2 * n;
  if (is_left) eighths = 4 * n - eighths;
  const bool is_steep = eighths > n;
  if (is_steep) eighths = 2 * n - eighths;
  const double angle = kPi / 4 * static_cast<double>(eighths) / static_cast<double>(n);
  double x = std::cos(angle), y = std::sin(angle);
  if (is_steep) std::swap(x, y);
  return {is_left ? -x : x, is_below ? y : -y};
}

/// The prime factors of n, but pairs of 2 as 4; nothing if one is too large.
std::vector<std::size_t> radices_of(std::size_t n) {
  std::vector<std::size_t> radices;
  for (; n % 4 == 0; n /= 4) radices.push_back(4);
  for (std::size_t prime = 2; prime <= kLargestRadix && n > 1; ++prime)
    for (; n % prime == 0; n /= prime) radices.push_back(prime);
  if (n > 1) radices.clear();
  return radices;
}

/// -i z
template <class T>
std::complex<T> turned(const std::complex<T>& z) {
  return {z.imag(), -z.real()};
}

/// Transforms of 2, of 4 and of an odd number of elements `from_stride` apart; number k is multiplied by twiddles[k].
template <class T>
struct Butterfly {
  using C = std::complex<T>;
  std::size_t from_stride, to_stride;
  const C* twiddles;

  void two(const C* from, C* to) const {
    const C a = from[0], b = from[from_stride];
    to[0] = a + b;
    to[to_stride] = product(a - b, twiddles[1]);
  }
  void four(const C* from, C* to) const {
    const C even = from[0] + from[2 * from_stride], even_difference = from[0] - from[2 * from_stride];
    const C odd = from[from_stride] + from[3 * from_stride];
    const C odd_difference = turned(from[from_stride] - from[3 * from_stride]);
    to[0] = even + odd;
    to[to_stride] = product(even_difference + odd_difference, twiddles[1]);
    to[2 * to_stride] = product(even - odd, twiddles[2]);
    to[3 * to_stride] = product(even_difference - odd_difference, twiddles[3]);
  }
  /// Elements j and radix - j meet factors that are conjugates: their sum takes the real part, their difference the
  /// imaginary one. `roots` are those of this radix.
  void odd(std::size_t radix, const C* roots, const C* from, C* to) const {
    const std::size_t half = radix / 2;
    std::array<C, kLargestRadix / 2 + 1> sums, differences;
    C all = from[0];
    for (std::size_t j = 1; j <= half; ++j) {
      const C a = from[j * from_stride], b = from[(radix - j) * from_stride];
      sums[j] = a + b;
      differences[j] = a - b;
      all += sums[j];
    }
    to[0] = all;
    for (std::size_t k = 1; k <= half; ++k) {
      C real = from[0], imaginary = 0;
      std::size_t at = 0;
      for (std::size_t j = 1; j <= half; ++j) {
        at += k;
        if (at >= radix) at -= radix;
        real += sums[j] * roots[at].real();
        imaginary += differences[j] * -roots[at].imag();
      }
      imaginary = turned(imaginary);
      to[k * to_stride] = product(real + imaginary, twiddles[k]);
      to[(radix - k) * to_stride] = product(real - imaginary, twiddles[radix - k]);
    }
  }
};

}  // namespace

template <class T>
Fft<T>::Fft(std::size_t length) : length_(length), radices_(radices_of(length)) {
  if (length > 1 && radices_.empty()) {
    make_bluestein();
    return;
  }
  roots_.reserve(length);
  for (std::size_t k = 0; k < length; ++k) roots_.emplace_back(root_of_unity(k, length));
}

template <class T>
void Fft<T>::split(std::size_t radix, std::size_t parts, std::size_t stride, std::size_t together,
                   const std::complex<T>* from, std::complex<T>* to) const {
  // Element q + stride (p + parts j) of `from` is number p + parts j of sub-sequence q.
  std::array<std::complex<T>, kLargestRadix> roots, twiddles;
  for (std::size_t k = 0; k < radix; ++k) roots[k] = roots_[k * (length_ / radix)];
  const Butterfly<T> butterfly{stride * parts, stride, twiddles.data()};
  const std::size_t step = stride / together;
  for (std::size_t p = 0; p < parts; ++p) {
    for (std::size_t k = 0; k < radix; ++k) twiddles[k] = roots_[step * p * k];
    const std::complex<T>* const first = from + stride * p;
    std::complex<T>* const result = to + stride * radix * p;
    if (radix == 2)
      for (std::size_t q = 0; q < stride; ++q) butterfly.two(first + q, result + q);
    else if (radix == 4)
      for (std::size_t q = 0; q < stride; ++q) butterfly.four(first + q, result + q);
    else
      for (std::size_t q = 0; q < stride; ++q) butterfly.odd(radix, roots.data(), first + q, result + q);
  }
}

template <class T>
void Fft<T>::transform(std::complex<T>* data, std::size_t together, std::vector<std::complex<T>>& scratch) const {
  if (bluestein_ != nullptr) return transform_by_bluestein(data, together);
  if (length_ == 1) return;
  if (scratch.size() < length_ * together) scratch.resize(length_ * together);
  std::complex<T>*from = data, *to = scratch.data();
  std::size_t parts = length_, stride = together;
  for (const std::size_t radix : radices_) {
    parts /= radix;
    split(radix, parts, stride, together, from, to);
    stride *= radix;
    std::swap(from, to);
  }
  if (from != data) std::copy(from, from + length_ * together, data);
}

template <class T>
void Fft<T>::make_bluestein() {
  bluestein_ = std::make_unique<Bluestein>();
  std::size_t convolved = 1;
  while (convolved < 2 * length_ - 1) convolved *= 2;
  bluestein_->convolved = std::make_unique<Fft<double>>(convolved);
  // j k = (j j + k k - (k - j)(k - j)) / 2. Squares are taken modulo 2 length, which they exceed.
  std::vector<std::complex<double>>&chirp = bluestein_->chirp, &filter = bluestein_->filter;
  chirp.resize(length_);
  filter.resize(convolved);
  std::uint64_t square = 0;
  for (std::size_t k = 0; k < length_; ++k) {
    chirp[k] = root_of_unity(square, 2 * length_);
    square = (square + 2 * k + 1) % (2 * length_);
    const std::complex<double> scaled = std::conj(chirp[k]) / static_cast<double>(convolved);
    filter[k] = scaled;
    if (k != 0) filter[convolved - k] = scaled;
  }
  std::vector<std::complex<double>> scratch;
  bluestein_->convolved->transform(filter.data(), 1, scratch);
}

template <class T>
void Fft<T>::transform_by_bluestein(std::complex<T>* data, std::size_t together) const {
  const std::vector<std::complex<double>>&chirp = bluestein_->chirp, &filter = bluestein_->filter;
  std::vector<std::complex<double>> sequence(filter.size()), scratch;
  for (std::size_t s = 0; s < together; ++s) {
    for (std::size_t j = 0; j < length_; ++j)
      sequence[j] = product(std::complex<double>(data[j * together + s]), chirp[j]);
    std::fill(sequence.begin() + static_cast<std::ptrdiff_t>(length_), sequence.end(), 0.0);
    bluestein_->convolved->transform(sequence.data(), 1, scratch);
    // The inverse transform is that of the conjugate, conjugated.
    for (std::size_t k = 0; k < sequence.size(); ++k) sequence[k] = std::conj(product(sequence[k], filter[k]));
    bluestein_->convolved->transform(sequence.data(), 1, scratch);
    for (std::size_t k = 0; k < length_; ++k)
      data[k * together + s] = std::complex<T>(product(std::conj(sequence[k]), chirp[k]));
  }
}

template class Fft<float>;
template class Fft<double>;

}  // namespace vgpu::libraries
