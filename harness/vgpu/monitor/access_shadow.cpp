#include "harness/vgpu/monitor/access_shadow.h"

#include <utility>

namespace vgpu {

/// Makes room for accesses of a kind, or for narrower ones.
void AccessShadow::prepare(Page& page, std::uint64_t number, std::uint32_t bytes, bool is_read) {
  const bool was_in_use = page.by_byte && !page.is_packed();
  if (page.is_packed()) unpack(page);
  if (!page.by_byte && bytes % kWord != 0) split(page);
  std::unique_ptr<AccessTag[]>& needed = is_read ? page.reads : page.writes;
  if (needed == nullptr) {
    needed = std::make_unique<AccessTag[]>(page.cells());
    bytes_ += page.cells() * sizeof(AccessTag);
  }
  if (page.by_byte && !was_in_use) byte_pages_.push_back(number);
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

/// Packs pages other than `in_use`, the one that is about to be accessed. A few at a time: where nothing can be packed,
/// looking at all of them again and again would take longer than the accesses.
void AccessShadow::make_room(std::uint64_t in_use) {
  constexpr int kTries = 2;
  for (int n = 0; n < kTries && byte_pages_.size() > 1 && bytes_ > 2 * kPageBytes * pages_.size() + slack_; ++n) {
    const std::uint64_t number = byte_pages_.front();
    byte_pages_.pop_front();
    if (number == in_use || !pack(pages_[number])) byte_pages_.push_back(number);
  }
}

/// False if that saves too little.
bool AccessShadow::pack(Page& page) {
  constexpr std::size_t kMostWords = kPageBytes / sizeof(std::uint32_t);  // a byte a cell
  PackedTags writes, reads;
  if (page.writes != nullptr) writes.pack(page.writes.get(), page.cells(), kMostWords);
  if (page.reads != nullptr) reads.pack(page.reads.get(), page.cells(), kMostWords);
  if ((page.writes != nullptr && writes.empty()) || (page.reads != nullptr && reads.empty())) return false;
  for (std::unique_ptr<AccessTag[]>* const tags : {&page.writes, &page.reads}) {
    if (*tags == nullptr) continue;
    bytes_ -= page.cells() * sizeof(AccessTag);
    tags->reset();
  }
  bytes_ += writes.bytes() + reads.bytes();
  page.packed_writes = std::move(writes);
  page.packed_reads = std::move(reads);
  return true;
}

/// What is used again is let stay from then on: a kernel that comes back to many pages, as a transpose does, would
/// otherwise spend its time on packing and unpacking them.
void AccessShadow::unpack(Page& page) {
  const auto restore = [&](PackedTags& packed, std::unique_ptr<AccessTag[]>& tags) {
    if (packed.empty()) return;
    tags = std::make_unique<AccessTag[]>(page.cells());
    packed.unpack(tags.get());
    bytes_ += page.cells() * sizeof(AccessTag);
    bytes_ -= packed.bytes();
    slack_ += page.cells() * sizeof(AccessTag);
    packed = {};
  };
  restore(page.packed_writes, page.writes);
  restore(page.packed_reads, page.reads);
}

}  // namespace vgpu
