#include "harness/vgpu/machine/pending_copies.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {
namespace {

/// As wide as a copy of a lane can be: sizes that are known move faster.
void copy_bytes(std::byte* to, const std::byte* from, std::uint32_t bytes) {
  if (bytes == 16)
    std::memcpy(to, from, 16);
  else if (bytes == 8)
    std::memcpy(to, from, 8);
  else
    std::memcpy(to, from, 4);
}

}  // namespace

PendingCopies& PendingCopies::of(Warp& warp) {
  if (warp.copies == nullptr) warp.copies = std::make_unique<PendingCopies>();
  return *warp.copies;
}

void PendingCopies::clear() {
  free_.insert(free_.end(), order_.begin(), order_.end());
  order_.clear();
  numbered_ = 0;
  std::fill(std::begin(closed_), std::end(closed_), 0);
}

PendingCopies::Copy& PendingCopies::next() {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(copies_.size()));
    copies_.emplace_back();
  }
  Copy& copy = copies_[free_.back()];
  copy.number = ++numbered_;
  std::memcpy(copy.group, closed_, sizeof copy.group);
  std::memset(copy.data, 0, sizeof copy.data);
  return copy;
}

void PendingCopies::begin(Warp& warp) {
  order_.push_back(free_.back());
  free_.pop_back();
  if (order_.size() <= kMost) return;
  arrive_one(warp, copies_[order_.front()], kAllLanes, nullptr);
  forget_arrived();
}

void PendingCopies::close_group(Mask lanes) {
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) closed_[lane] += lanes >> lane & 1;
}

void PendingCopies::arrive_but_latest(Warp& warp, Mask lanes, std::uint64_t latest, const Insn* wait) {
  for (const std::uint32_t index : order_) {
    Copy& copy = copies_[index];
    Mask over = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      over |= static_cast<Mask>(copy.group[lane] + latest < closed_[lane]) << lane;
    arrive_one(warp, copy, lanes & over, wait);
  }
  forget_arrived();
}

void PendingCopies::arrive(Warp& warp, Mask lanes, const Insn* wait) {
  for (const std::uint32_t index : order_) arrive_one(warp, copies_[index], lanes, wait);
  forget_arrived();
}

void PendingCopies::arrive_one(Warp& warp, Copy& copy, Mask lanes, const Insn* wait) {
  lanes &= copy.lanes;
  if (lanes == 0) return;
  copy.lanes &= ~lanes;
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    copy_bytes(warp.shared + copy.to[lane], copy.data[lane], copy.bytes);
  }
  if (!copy.is_watched) return;
  std::uint32_t to[kLanes];
  const std::uint32_t one = copy.to[__builtin_ctz(lanes)];
  for (int lane = 0; lane < kLanes; ++lane) to[lane] = (lanes >> lane & 1) != 0 ? copy.to[lane] : one;
  const auto [lowest, highest] = std::minmax_element(std::begin(to), std::end(to));
  MemoryAccess store{};
  store.warp = &warp;
  store.insn = copy.insn;
  store.space = ptx::Space::kShared;
  store.kind = AccessKind::kStore;
  store.bytes = copy.bytes;
  store.lanes = lanes;
  store.narrow = to;
  store.lowest = *lowest;
  store.highest = *highest;
  store.aligned = true;
  store.copy = copy.number;
  warp.observer->copy_arrives(store, *copy.code, wait);
}

void PendingCopies::forget_arrived() {
  std::size_t left = 0;
  for (const std::uint32_t index : order_) {
    if (copies_[index].lanes != 0)
      order_[left++] = index;
    else
      free_.push_back(index);
  }
  order_.resize(left);
}

}  // namespace vgpu
