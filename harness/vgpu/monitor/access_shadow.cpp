#include "harness/vgpu/monitor/access_shadow.h"

#include <utility>

namespace vgpu {

/// Makes room for accesses of a kind, or for narrower ones.
void AccessShadow::prepare(Page& page, std::uint64_t number, std::uint32_t bytes, bool is_read) {
  if (page.is_packed()) unpack(page);
  if (!page.by_byte && bytes % kWord != 0) split(page);
  std::unique_ptr<AccessTag[]>& needed = is_read ? page.reads : page.writes;
  if (needed == nullptr) {
    needed = std::make_unique<AccessTag[]>(page.cells());
    bytes_ += page.cells() * sizeof(AccessTag);
  }
  if (page.by_byte && !page.is_queued) {
    byte_pages_.push_back(number);
    page.is_queued = true;
  }
  make_room(number);
}

void AccessShadow::split(Page& page) {
  for (std::unique_ptr<AccessTag[]>* const tags : {&page.writes, &page.reads}) {
    if (*tags == nullptr) continue;
    auto bytes = std::make_unique<AccessTag[]>(kPageBytes);
    for (std::uint64_t n = 0; n < kPageBytes; ++n) bytes[n] = (*tags)[n / kWord];
    *tags = std::move(bytes);
    bytes_ += (kPageBytes - kPageBytes / kWord) * sizeof(AccessTag);
  }
  page.by_byte = true;
}

/// Packs or forgets pages other than `in_use`, the one that is about to be accessed. All others packed take no more
/// than 2 bytes a byte, so this comes to an end.
void AccessShadow::make_room(std::uint64_t in_use) {
  while (byte_pages_.size() > 1 && bytes_ > 2 * kPageBytes * pages_.size() + slack_) {
    const std::uint64_t number = byte_pages_.front();
    byte_pages_.pop_front();
    if (number == in_use) {
      byte_pages_.push_back(number);
      continue;
    }
    Page& page = pages_[number];
    page.is_queued = false;
    is_tight_ = true;
    if (pack(page)) continue;
    drop_tags(page);
    has_forgotten_ = true;
  }
}

/// False if that saves too little. What comes back again and again, as the pages of a transpose do, is not packed every
/// time: a kernel would spend its time on nothing else.
bool AccessShadow::pack(Page& page) {
  constexpr std::uint8_t kMostPackings = 4;
  constexpr std::size_t kMostWords = kPageBytes / sizeof(std::uint32_t);  // a byte a cell
  if (page.packings == kMostPackings) return false;
  ++page.packings;
  PackedTags writes, reads;
  if (page.writes != nullptr) writes.pack(page.writes.get(), page.cells(), kMostWords);
  if (page.reads != nullptr) reads.pack(page.reads.get(), page.cells(), kMostWords);
  if ((page.writes != nullptr && writes.empty()) || (page.reads != nullptr && reads.empty())) return false;
  drop_tags(page);
  bytes_ += writes.bytes() + reads.bytes();
  page.packed_writes = std::move(writes);
  page.packed_reads = std::move(reads);
  return true;
}

void AccessShadow::drop_tags(Page& page) {
  for (std::unique_ptr<AccessTag[]>* const tags : {&page.writes, &page.reads}) {
    if (*tags == nullptr) continue;
    bytes_ -= page.cells() * sizeof(AccessTag);
    tags->reset();
  }
}

void AccessShadow::unpack(Page& page) {
  const auto restore = [&](PackedTags& packed, std::unique_ptr<AccessTag[]>& tags) {
    if (packed.empty()) return;
    tags = std::make_unique<AccessTag[]>(page.cells());
    packed.unpack(tags.get());
    bytes_ += page.cells() * sizeof(AccessTag);
    bytes_ -= packed.bytes();
    packed = {};
  };
  restore(page.packed_writes, page.writes);
  restore(page.packed_reads, page.reads);
}

}  // namespace vgpu
