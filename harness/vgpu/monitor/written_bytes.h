// One bit a byte of memory: whether anybody has written it.
#pragma once

#include <cstdint>
#include <utility>

namespace vgpu {

/// Of a range of bytes, counted from 0; none is written at first. Costs memory only where it is touched.
class WrittenBytes {
 public:
  /// Throws std::bad_alloc.
  explicit WrittenBytes(std::uint64_t bytes);
  ~WrittenBytes();
  WrittenBytes(const WrittenBytes&) = delete;
  WrittenBytes& operator=(const WrittenBytes&) = delete;

  /// Whether [begin, end), which is not empty, is written as a whole.
  bool all(std::uint64_t begin, std::uint64_t end) const {
    if (complete_) return true;
    const std::uint64_t last = (end - 1) / 64;
    std::uint64_t wanted = ~std::uint64_t{0} << begin % 64;
    for (std::uint64_t word = begin / 64; word != last; ++word, wanted = ~std::uint64_t{0})
      if ((~words_[word] & wanted) != 0) return false;
    return (~words_[last] & wanted & ~std::uint64_t{0} >> (63 - (end - 1) % 64)) == 0;
  }

  /// Bit n: byte `begin + n` is not written, for n < count, which is a power of two up to 32 that `begin` is a multiple
  /// of.
  std::uint32_t missing(std::uint64_t begin, std::uint32_t count) const {
    if (complete_) return 0;
    const std::uint64_t ones = (std::uint64_t{1} << count) - 1;
    return static_cast<std::uint32_t>(~words_[begin / 64] >> begin % 64 & ones);
  }

  /// [from, to): written bytes around [begin, end), which are; all there are within [low, high), but for those beyond
  /// the next kilobytes.
  std::pair<std::uint64_t, std::uint64_t> around(std::uint64_t begin, std::uint64_t end, std::uint64_t low,
                                                 std::uint64_t high) const;

  /// The first byte in [begin, end) that is not written; `end` if all are.
  std::uint64_t next_missing(std::uint64_t begin, std::uint64_t end) const {
    return complete_ ? end : next_bit(begin, end, ~std::uint64_t{0});
  }
  /// The first byte in [begin, end) that is written; `end` if none is.
  std::uint64_t next_written(std::uint64_t begin, std::uint64_t end) const {
    return complete_ ? begin : next_bit(begin, end, 0);
  }

  void set(std::uint64_t begin, std::uint64_t end);
  void clear(std::uint64_t begin, std::uint64_t end);
  /// [begin, end) becomes as written as as many bytes of `from` are, from `from_begin` on.
  void copy(std::uint64_t begin, std::uint64_t end, const WrittenBytes& from, std::uint64_t from_begin);

 private:
  /// The first bit in [begin, end) that is set once `flip` has been applied; `end` if there is none.
  std::uint64_t next_bit(std::uint64_t begin, std::uint64_t end, std::uint64_t flip) const;

  std::uint64_t bytes_;
  std::uint64_t* words_;
  bool complete_ = false;  ///< every byte is written: the words do not count
};

}  // namespace vgpu
