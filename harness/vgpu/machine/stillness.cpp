#include "harness/vgpu/machine/stillness.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/launch.h"

namespace vgpu {
namespace {

/// Turns that a block is not looked at after one that was not quiet, at most: looking costs as much as a short turn.
constexpr std::uint32_t kLongestRest = 64;

template <class Visit>
void each_lane_of(Mask lanes, const Visit& visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(__builtin_ctz(lanes));
}

void append(std::vector<std::byte>& values, const void* from, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(from);
  values.insert(values.end(), begin, begin + bytes);
}

}  // namespace

void Stillness::begin() {
  forget();
  noted_for_ = still_since_ = 0;
  rests_ = 0;
  rest_ = 1;
}

/// False if some lane is neither in a loop that only reads nor at a place where it waits.
bool Stillness::find_places(Launch& launch, const Block& block, std::vector<Place>& places) const {
  places.assign(block.warps().size() * kLanes, {});
  for (const Warp& warp : block.warps()) {
    if (warp.copies != nullptr && warp.copies->are_under_way()) return false;
    Mask found = warp.exited;
    for (const Group& group : warp.groups) {
      const LoopControl& control = launch.control_of_still_loop(*group.frame->code, *group.pc);
      // Lanes that wait in a loop, for their warp, may have been around it.
      if (group.state != GroupState::kAtBarrier && !control.is_known &&
          (group.state == GroupState::kReady || control.loop != nullptr))
        return false;
      const Place place = group.state != GroupState::kAtBarrier && control.is_known
                              ? Place{control.loop, group.frame, group.frame->number, true}
                              : Place{group.pc, group.frame, group.frame->number, false};
      each_lane_of(group.lanes,
                   [&](int lane) { places[warp.index * kLanes + static_cast<std::size_t>(lane)] = place; });
      found |= group.lanes;
    }
    if (found != warp.lanes) return false;  // the others wait at a rendezvous, from where they may be let go on
  }
  return true;
}

bool Stillness::was_quiet(Launch& launch, const Block& block) {
  if (rests_ > 0) {
    --rests_;
    return false;
  }
  if (!find_places(launch, block, places_now_)) {
    forget();
    rests_ = rest_;
    rest_ = std::min(2 * rest_, kLongestRest);
    return false;
  }
  const bool is_quiet = places_now_ == places_ && block.openings() == openings_;
  std::swap(places_, places_now_);
  openings_ = block.openings();
  if (is_quiet) rest_ = 1;
  return is_quiet;
}

/// What decides how lanes go on that are in a loop, and where in it they are.
void Stillness::take_values(Launch& launch, const Block& block, std::vector<std::byte>& values) {
  values.clear();
  for (const Warp& warp : block.warps()) {
    const Group* of_lane[kLanes] = {};
    for (const Group& group : warp.groups)
      if (group.state != GroupState::kAtBarrier) each_lane_of(group.lanes, [&](int lane) { of_lane[lane] = &group; });
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Group* const group = of_lane[lane];
      if (group == nullptr) continue;
      const LoopControl& control = launch.control_of_still_loop(*group->frame->code, *group->pc);
      append(values, &group->pc, sizeof group->pc);
      for (const OperandSlot& slot : control.slots) {
        const std::byte* const at = group->frame->registers + slot.offset;
        Mask mask = 0;
        if (slot.lane_bytes == 0) {
          std::memcpy(&mask, at, sizeof mask);
          mask = mask >> lane & 1;
          append(values, &mask, 1);
        } else {
          append(values, at + lane * slot.lane_bytes, slot.lane_bytes);
        }
      }
    }
  }
}

/// What was noted is noted anew after twice as many turns as the time before, so that loops that come back only after
/// several turns are seen, too.
bool Stillness::has_returned(Launch& launch, const Block& block, std::uint64_t changes) {
  if (still_since_ == changes) return true;
  if (noted_for_ == changes) {
    take_values(launch, block, values_now_);
    if (values_now_ == values_) {
      still_since_ = changes;
      return true;
    }
    if (++turns_ < wait_) return false;
    wait_ *= 2;
    std::swap(values_, values_now_);
  } else {
    take_values(launch, block, values_);
    wait_ = 1;
  }
  noted_for_ = changes;
  turns_ = 0;
  return false;
}

}  // namespace vgpu
