#include "harness/vgpu/monitor/marks.h"

#include <algorithm>
#include <cstring>

namespace vgpu {
namespace {

constexpr std::uint32_t kAlignment = 64;

std::size_t local_place(const Warp& warp, int lane, std::uint64_t address) {
  return static_cast<std::size_t>(lane) * warp.local_stride + address;
}

/// Of a register with so many words a lane.
template <class Word>
Mask marked_lanes(const std::byte* bits, std::uint32_t words) {
  Mask found = 0;
  for (std::uint32_t n = 0; n < kLanes * words; ++n) {
    Word word;
    std::memcpy(&word, bits + n * sizeof word, sizeof word);
    found |= Mask{word != 0} << n / words;
  }
  return found;
}

}  // namespace

FrameMarks::FrameMarks(const Code& code)
    : frame_bytes_(code.frame_bytes), stages_((code.frame_bytes + kAlignment - 1) / kAlignment * kAlignment) {
  storage_.resize(stages_ + std::size_t{kStages} * 16 * kLanes + kAlignment);
  const auto at = reinterpret_cast<std::uintptr_t>(storage_.data());
  bits_ = storage_.data() + (kAlignment - at % kAlignment) % kAlignment;
  std::memcpy(bits_, &kAllLanes, sizeof kAllLanes);
  origins_.resize(frame_bytes_ / 2 + 1);
}

Mask FrameMarks::marked(const OperandSlot& slot, Mask lanes) const {
  if (slot.offset == 0) return 0;  // the guard that always holds
  const std::byte* const bits = bits_ + slot.offset;
  if (slot.lane_bytes == 0) {
    Mask mask;
    std::memcpy(&mask, bits, sizeof mask);
    return mask & lanes;
  }
  std::uint64_t any = 0;  // most registers have no mark at all
  for (std::uint32_t n = 0; n < kLanes * slot.lane_bytes; n += sizeof any) {
    std::uint64_t some;
    std::memcpy(&some, bits + n, sizeof some);
    any |= some;
  }
  if (any == 0) return 0;
  if (slot.lane_bytes == 2) return lanes & marked_lanes<std::uint16_t>(bits, 1);
  if (slot.lane_bytes == 4) return lanes & marked_lanes<std::uint32_t>(bits, 1);
  return lanes & marked_lanes<std::uint64_t>(bits, slot.lane_bytes / 8);
}

std::uint32_t FrameMarks::marked_bytes(const OperandSlot& slot, int lane) const {
  const std::byte* const bits = bits_ + slot.offset + static_cast<std::size_t>(lane) * slot.lane_bytes;
  std::uint32_t marked = 0;
  for (std::uint32_t n = 0; n < slot.lane_bytes; ++n) marked |= std::uint32_t{bits[n] != std::byte{0}} << n;
  return marked;
}

void FrameMarks::set_marked_bytes(const OperandSlot& slot, int lane, std::uint32_t marked) {
  std::byte* const bits = bits_ + slot.offset + static_cast<std::size_t>(lane) * slot.lane_bytes;
  for (std::uint32_t n = 0; n < slot.lane_bytes; ++n) bits[n] = (marked >> n & 1) != 0 ? std::byte{0xFF} : std::byte{0};
}

void FrameMarks::set_bits(const OperandSlot& slot, int lane, std::uint32_t marked) {
  std::memcpy(bits_ + slot.offset + static_cast<std::size_t>(lane) * slot.lane_bytes, &marked, sizeof marked);
}

void FrameMarks::put(const OperandSlot& slot, Mask lanes, std::byte value) {
  std::byte* const bits = bits_ + slot.offset;
  if (slot.lane_bytes == 0) {
    Mask mask;
    std::memcpy(&mask, bits, sizeof mask);
    mask = value == std::byte{0} ? mask & ~lanes : mask | lanes;
    std::memcpy(bits, &mask, sizeof mask);
    return;
  }
  const int byte = std::to_integer<int>(value);
  if (lanes == kAllLanes) {
    std::memset(bits, byte, kLanes * slot.lane_bytes);
    return;
  }
  for_each_lane(lanes, [&](int lane) {
    std::memset(bits + static_cast<std::size_t>(lane) * slot.lane_bytes, byte, slot.lane_bytes);
  });
}

bool FrameMarks::any() const {
  return std::any_of(bits_ + sizeof kAllLanes, bits_ + frame_bytes_, [](std::byte b) { return b != std::byte{0}; });
}

FrameMarks& WarpMarks::of(const Frame& frame) {
  for (const auto& [owner, marks] : frames_)
    if (owner == &frame) return *marks;
  frames_.emplace_back(&frame, std::make_unique<FrameMarks>(*frame.code));
  return *frames_.back().second;
}

std::uint32_t WarpMarks::local(const Warp& warp, int lane, std::uint64_t address, std::uint32_t bytes) const {
  std::uint32_t marked = 0;
  for (std::uint32_t n = 0; n < bytes; ++n)
    marked |= std::uint32_t{local_[local_place(warp, lane, address + n)].is_marked} << n;
  return marked;
}

OriginId WarpMarks::local_origin(const Warp& warp, int lane, std::uint64_t address, std::uint32_t bytes) const {
  for (std::uint32_t n = 0; n < bytes; ++n)
    if (const LocalMark& mark = local_[local_place(warp, lane, address + n)]; mark.is_marked) return mark.origin;
  return 0;
}

void WarpMarks::set_local(const Warp& warp, int lane, std::uint64_t address, std::uint32_t bytes, std::uint32_t marked,
                          OriginId origin) {
  if (local_.empty()) {
    if (marked == 0) return;
    local_.resize(std::size_t{warp.local_stride} * kLanes);
  }
  for (std::uint32_t n = 0; n < bytes; ++n)
    local_[local_place(warp, lane, address + n)] = {(marked >> n & 1) != 0, origin};
}

void WarpMarks::copy_local(const Warp& warp, int lane, std::uint64_t to, std::uint64_t from, std::uint32_t bytes) {
  if (local_.empty() || std::max(to, from) + bytes > warp.local_stride) return;
  std::copy_n(local_.begin() + static_cast<std::ptrdiff_t>(local_place(warp, lane, from)), bytes,
              local_.begin() + static_cast<std::ptrdiff_t>(local_place(warp, lane, to)));
}

void WarpMarks::prune(const Warp& warp) {
  const auto is_gone = [&](const auto& entry) {
    const Frame* const frame = entry.first;
    return frame != warp.kernel_frame.get() && std::none_of(warp.call_frames.begin(), warp.call_frames.end(),
                                                            [&](const auto& f) { return f.get() == frame; });
  };
  frames_.erase(std::remove_if(frames_.begin(), frames_.end(), is_gone), frames_.end());
}

bool WarpMarks::any() const {
  return carry_ != 0 ||
         std::any_of(frames_.begin(), frames_.end(), [](const auto& entry) { return entry.second->any(); }) ||
         std::any_of(local_.begin(), local_.end(), [](const LocalMark& mark) { return mark.is_marked; });
}

void WarpMarks::clear() {
  frames_.clear();
  local_.clear();
  carry_ = 0;
}

}  // namespace vgpu
