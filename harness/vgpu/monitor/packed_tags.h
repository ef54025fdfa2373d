// The tags of a page that nobody has accessed for a while, in little room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/vgpu/monitor/access_table.h"

namespace vgpu {

/// Neighbouring bytes are mostly accessed by neighbouring lanes, by one instruction or, as the colours of a pixel, by a
/// few in turn: runs in which every tag is that of a few cells before, or its next lane's.
class PackedTags {
 public:
  /// Packs `count` tags, at most 2^16. Needs room for `most` words at most, else it is empty() afterwards.
  void pack(const AccessTag* tags, std::uint32_t count, std::size_t most);
  void unpack(AccessTag* to) const;

  bool empty() const { return words_.empty(); }
  std::size_t bytes() const { return words_.size() * sizeof(std::uint32_t); }

  /// Calls visit(AccessTag&) for tags that all others follow from. Records may be numbered anew; lanes must stay.
  template <class Visit>
  void each(const Visit& visit) {
    for (std::size_t at = 0; at < words_.size();) {
      const std::uint32_t period = Header::of(words_[at]).period;
      for (std::uint32_t n = 1; n <= period; ++n) visit(words_[at + n]);
      at += 1 + period;
    }
  }

 private:
  static constexpr std::uint32_t kMostPeriod = 8;

  /// Of a run: `period` tags follow it. Bit n of `steps`: that of phase n goes on to the next lane from period to period.
  struct Header {
    std::uint32_t length, period, steps;

    std::uint32_t word() const { return (length - 1) | (period - 1) << 16 | steps << 24; }
    static Header of(std::uint32_t word) { return {(word & 0xFFFF) + 1, (word >> 16 & 0xFF) + 1, word >> 24}; }
  };

  static Header longest_run(const AccessTag* tags, std::uint32_t count);
  static Header run_of(const AccessTag* tags, std::uint32_t count, std::uint32_t period);

  std::vector<std::uint32_t> words_;
};

}  // namespace vgpu
