// Which warps have changed a word by atomic or volatile accesses, where several have and nothing orders these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/monitor/access_record.h"

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
    std::vector<WarpMoment> latest;
  };

  void clear() { words_.clear(); }

  /// Null if they are not kept.
  const OfWord* at(std::uint64_t word) const {
    if (words_.empty()) return nullptr;
    const auto found = words_.find(word);
    return found != words_.end() ? &found->second : nullptr;
  }

  /// One more access, by one lane, to a word whose record was `before`. `time` as for AccessRecord::with().
  void add(std::uint64_t word, const AccessRecord& before, const AccessRecord& access, std::uint32_t time) {
    const auto known = words_.find(word);
    if (known == words_.end() && words_.size() >= kMostWords) return;
    OfWord& writers = known != words_.end() ? known->second : words_[word];
    if (before.by() == AccessRecord::By::kLanes) {
      writers = {{}, {WarpMoment::of(before)}};
    } else if (known == words_.end()) {
      writers.earlier = before;
    }
    add(writers, WarpMoment::of(access), access, time);
  }

  /// The record of the word says all of it again.
  void forget(std::uint64_t word) {
    if (!words_.empty()) words_.erase(word);
  }

 private:
  /// What a lane does later stands for what it did before.
  static void add(OfWord& writers, const WarpMoment& moment, const AccessRecord& access, std::uint32_t time) {
    std::vector<WarpMoment>& latest = writers.latest;
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
        latest.erase(latest.begin() + static_cast<std::ptrdiff_t>(n));
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

  std::unordered_map<std::uint64_t, OfWord> words_;
};

}  // namespace vgpu
