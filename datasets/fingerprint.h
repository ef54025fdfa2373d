// One number that represents a generated data set, so that a test can tell whether it has changed.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "datasets/csr.h"

namespace lanewise {

/// FNV-1a over 32-bit words. Source: G. Fowler, L. C. Noll, K.-P. Vo; the offset and prime are the ones of 64 bits.
class Fingerprint {
 public:
  template <class T>
  void add(const std::vector<T>& items) {
    static_assert(sizeof(T) == 4, "words of 32 bits are added");
    for (const T& item : items) {
      std::uint32_t word = 0;
      std::memcpy(&word, &item, sizeof(word));
      value_ = (value_ ^ word) * 0x100000001B3u;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

inline std::uint64_t fingerprint(const Csr& matrix) {
  Fingerprint print;
  print.add(matrix.row_offsets);
  print.add(matrix.columns);
  print.add(matrix.values);
  return print.value();
}

}  // namespace lanewise
