// Which warps have changed a word by atomic or volatile accesses, where several have and nothing orders these.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/vgpu/monitor/access_record.h"
#include "harness/vgpu/monitor/small_vector.h"
#include "harness/vgpu/monitor/word_table.h"

namespace vgpu {

/// What lanes of a warp did in one of its epochs.
struct WarpMoment {
  std::uint32_t block;
  std::uint32_t warp;
  Epoch epoch;
  Mask lanes;

  bool is_of_warp(const WarpMoment& other) const { return block == other.block && warp == other.warp; }
  bool is_of_earlier_warp(const WarpMoment& other) const {
    return block != other.block ? block < other.block : warp < other.warp;
  }
  static WarpMoment of(const AccessRecord& record) {
    const Mask lanes = first_lanes(static_cast<std::uint32_t>(record.lane_count()));
    return {record.block(), record.warp(), record.epoch(), lanes << record.first_lane()};
  }
};

/// A folded record names no more than the block or the grid that all writers belong to. That does not tell whether each
/// of them is over: one may have said so and another not. So the latest ones are kept one by one, for as many words as
/// there is room.
class StrongWriters {
 public:
  static constexpr std::size_t kMostWords = 1 << 14;
  /// Of a word; earlier ones are folded into one record.
  static constexpr std::size_t kMostWriters = 32;

  struct OfWord {
    AccessRecord earlier;  ///< may be empty
    SmallVector<WarpMoment, 2> latest;
  };

  void clear() { words_.clear(); }

  /// Null if they are not kept.
  const OfWord* at(std::uint64_t word) const { return words_.find(word); }

  /// One more access, by one lane, to a word whose record was `before`. `time` as for AccessRecord::with().
  void add(std::uint64_t word, const AccessRecord& before, const AccessRecord& access, std::uint32_t time) {
    OfWord* const known = words_.find(word);
    if (known == nullptr && words_.size() >= kMostWords) return;
    OfWord& writers = known != nullptr ? *known : words_[word];
    if (before.by() == AccessRecord::By::kLanes) {
      writers.earlier = {};
      writers.latest.clear();
      writers.latest.push_back(WarpMoment::of(before));
    } else if (known == nullptr) {
      writers.earlier = before;
    }
    add(writers, WarpMoment::of(access), access, time);
  }

  /// The record of the word says all of it again.
  void forget(std::uint64_t word) { words_.erase(word); }

 private:
  /// What a lane does later stands for what it did before.
  static void add(OfWord& writers, const WarpMoment& moment, const AccessRecord& access, std::uint32_t time) {
    auto& latest = writers.latest;
    bool is_in = false;
    for (std::size_t n = 0; n < latest.size();) {
      WarpMoment& known = latest[n];
      if (known.is_of_warp(moment)) {
        known.lanes &= ~moment.lanes;
        if (known.epoch == moment.epoch) {
          known.lanes |= moment.lanes;
          is_in = true;
        }
      }
      if (known.lanes != 0)
        ++n;
      else
        latest.erase(latest.begin() + n);
    }
    if (is_in) return;
    if (latest.size() == kMostWriters) {
      const WarpMoment& first = latest.front();
      const AccessRecord oldest =
          AccessRecord::of(first.block, first.warp, 0, first.epoch, access.site(), true)
              .with_lanes(AccessRecord::set_of_lanes(__builtin_ctz(first.lanes), 31 - __builtin_clz(first.lanes)));
      writers.earlier = writers.earlier.empty() ? oldest : writers.earlier.with(oldest, time);
      latest.erase(latest.begin());
    }
    latest.push_back(moment);
  }

  WordTable<OfWord> words_;
};

}  // namespace vgpu
