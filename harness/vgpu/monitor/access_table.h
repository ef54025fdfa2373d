// Who touched a piece of memory last, in 32 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/vgpu/monitor/access_record.h"

namespace vgpu {

/// The number of an AccessRecord in an AccessTable and, in the lowest bits, its set of lanes: accesses of one warp
/// instruction share their record. Zero is no access. Tags are below 2^31, so that signed comparisons will do.
using AccessTag = std::uint32_t;

/// The accesses of a launch, numbered in the order they were first seen: of two tags, the smaller one is not the later.
class AccessTable {
 public:
  static constexpr int kLanesBits = 6;
  static constexpr AccessTag kLanesMask = (AccessTag{1} << kLanesBits) - 1;
  static constexpr std::uint32_t kMostRecords = 1u << (31 - kLanesBits);

  /// Asks for a collection once it has `roomy` records.
  explicit AccessTable(std::uint32_t roomy = kMostRecords / 4) : roomy_(roomy), full_at_(roomy) {}

  /// A new launch begins: tags handed out before are below first() from now on. False if numbers have run out and begin
  /// anew: then all tags have to be forgotten.
  bool begin_launch() {
    first_ += static_cast<std::uint32_t>(records_.size());
    records_.clear();
    folds_.fill({});
    full_at_ = roomy_;
    if (first_ < kMostRecords / 2) return true;
    first_ = 1;
    return false;
  }

  /// The smallest tag of this launch.
  AccessTag first() const { return first_ << kLanesBits; }
  /// The smallest tag of what is still to come.
  AccessTag next() const { return (first_ + static_cast<std::uint32_t>(records_.size())) << kLanesBits; }

  /// A tag without lanes for `record`.
  AccessTag add(const AccessRecord& record) {
    const AccessTag tag = next();
    records_.push_back(record.without_lanes());
    return tag;
  }

  /// Of earlier launches nothing is known.
  AccessRecord record(AccessTag tag) const {
    if (tag < first()) return {};
    return records_[(tag >> kLanesBits) - first_].with_lanes(tag & kLanesMask);
  }

  /// A tag for what AccessRecord::with() makes of two accesses, and with_readers() of that; one that was handed out
  /// before if it is at least `oldest`.
  AccessTag fold(AccessTag before, AccessTag other, std::uint32_t time, AccessTag oldest, std::uint32_t readers = 0) {
    const AccessRecord folded = record(before).with(record(other), time).with_readers(readers);
    const AccessTag lanes = folded.by() == AccessRecord::By::kLanes ? folded.lanes() : 0;
    const AccessRecord bare = folded.without_lanes();
    Fold& known = folds_[bare.hash() % folds_.size()];
    if (known.tag == 0 || known.tag < oldest || !(known.record == bare)) known = {bare, add(bare)};
    return known.tag | lanes;
  }

  /// Few numbers are left: time to collect().
  bool is_full() const { return records_.size() >= full_at_; }

  /// Forgets records that no tag names any more and numbers the others anew, in the same order. Both arguments call
  /// the function that they are given for each AccessTag& there is: cells for those that name records, floors for
  /// those that only divide earlier tags from later ones. False if even so no number is left.
  template <class EachCell, class EachFloor>
  bool collect(const EachCell& cells, const EachFloor& floors) {
    std::vector<std::uint32_t> numbers(records_.size() + 1);
    cells([&](AccessTag& tag) {
      if (tag >= first()) numbers[(tag >> kLanesBits) - first_] = 1;
    });
    std::uint32_t live = 0;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const bool is_live = numbers[i] != 0;
      numbers[i] = live;
      if (is_live) records_[live++] = records_[i];
    }
    numbers[records_.size()] = live;
    records_.resize(live);
    const auto renumber = [&](AccessTag& tag) {
      if (tag >= first()) tag = (numbers[(tag >> kLanesBits) - first_] + first_) << kLanesBits | (tag & kLanesMask);
    };
    cells(renumber);
    floors(renumber);
    folds_.fill({});
    full_at_ = live + roomy_;
    return first_ + full_at_ <= kMostRecords;
  }

 private:
  struct Fold {
    AccessRecord record;
    AccessTag tag = 0;
  };

  std::uint32_t roomy_, full_at_;
  std::uint32_t first_ = 1;
  std::vector<AccessRecord> records_;
  std::array<Fold, 256> folds_{};  ///< recent ones
};

}  // namespace vgpu
