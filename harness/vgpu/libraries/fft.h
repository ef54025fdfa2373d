// The discrete Fourier transform of any length.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace vgpu::libraries {

/// Sums x[j] exp(-2 pi i j k / length) over j, for every k; nothing is scaled. Lengths whose prime factors are at most
/// 127 are split into them (Stockham's order, which needs no reversal of digits); others become a convolution with a
/// power of two (Bluestein). The roots of unity are computed in double whatever T is.
template <class T>
class Fft {
 public:
  explicit Fft(std::size_t length);

  /// In place, for `together` sequences whose elements alternate: data[j * together + s] is number j of sequence s.
  /// `scratch` grows to their size; a Bluestein length does not use it.
  void transform(std::complex<T>* data, std::size_t together, std::vector<std::complex<T>>& scratch) const;

 private:
  /// What a length with a large prime factor needs: in double, since a convolution is less exact than a transform.
  struct Bluestein {
    std::vector<std::complex<double>> chirp, filter;
    std::unique_ptr<Fft<double>> convolved;
  };

  void make_bluestein();
  void transform_by_bluestein(std::complex<T>* data, std::size_t together) const;
  /// One factor: `parts` sub-sequences remain, whose elements are `stride` apart in `to`.
  void split(std::size_t radix, std::size_t parts, std::size_t stride, std::size_t together,
             const std::complex<T>* from, std::complex<T>* to) const;

  std::size_t length_;
  std::vector<std::size_t> radices_;
  std::vector<std::complex<T>> roots_;
  std::unique_ptr<Bluestein> bluestein_;
};

}  // namespace vgpu::libraries
