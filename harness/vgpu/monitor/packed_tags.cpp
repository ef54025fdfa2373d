#include "harness/vgpu/monitor/packed_tags.h"

#include <algorithm>

namespace vgpu {
namespace {

/// The same access by the next lane; no tag is 0 apart from "no access", which has no next one.
bool is_next_lane(AccessTag before, AccessTag tag) {
  return tag == before + 1 && (before & AccessTable::kLanesMask) != AccessTable::kLanesMask && before != 0;
}

}  // namespace

PackedTags::Header PackedTags::run_of(const AccessTag* tags, std::uint32_t count, std::uint32_t period) {
  std::uint32_t steps = 0;
  for (std::uint32_t n = 0; n < period && period + n < count; ++n)
    steps |= std::uint32_t{is_next_lane(tags[n], tags[period + n])} << n;
  std::uint32_t length = std::min(period, count);
  for (std::uint32_t phase = 0; length < count; ++length, phase = phase + 1 == period ? 0 : phase + 1) {
    const AccessTag before = tags[length - period], tag = tags[length];
    if ((steps >> phase & 1) != 0 ? !is_next_lane(before, tag) : tag != before) break;
  }
  return {length, period, steps};
}

/// The one that needs the fewest words a cell.
PackedTags::Header PackedTags::longest_run(const AccessTag* tags, std::uint32_t count) {
  Header best = run_of(tags, count, 1);
  for (const std::uint32_t period : {2u, 3u, 4u, kMostPeriod}) {
    if (period > count) break;
    const Header run = run_of(tags, count, period);
    if (std::uint64_t{run.length} * (1 + best.period) > std::uint64_t{best.length} * (1 + run.period)) best = run;
  }
  return best;
}

void PackedTags::pack(const AccessTag* tags, std::uint32_t count, std::size_t most) {
  words_.clear();
  for (std::uint32_t at = 0; at < count;) {
    const Header run = longest_run(tags + at, count - at);
    if (words_.size() + 1 + run.period > most) {
      words_ = {};
      return;
    }
    words_.push_back(run.word());
    words_.insert(words_.end(), tags + at, tags + at + run.period);
    at += run.length;
  }
  words_.shrink_to_fit();
}

void PackedTags::unpack(AccessTag* to) const {
  for (std::size_t at = 0; at < words_.size();) {
    const Header run = Header::of(words_[at]);
    const AccessTag* const first = &words_[at + 1];
    for (std::uint32_t n = 0, phase = 0, period = 0; n < run.length; ++n) {
      *to++ = first[phase] + ((run.steps >> phase & 1) != 0 ? period : 0);
      if (++phase == run.period) phase = 0, ++period;
    }
    at += 1 + run.period;
  }
}

}  // namespace vgpu
