#include "harness/vgpu/monitor/written_bytes.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace vgpu {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// Beyond this size, storage comes from the system and is rather given back to it than cleared.
constexpr std::uint64_t kCheapToClear = std::uint64_t{64} << 10;

/// One word more than needed: a copy reads two neighbours at a time.
std::uint64_t storage_bytes(std::uint64_t bytes) { return ((bytes + 63) / 64 + 1) * sizeof(std::uint64_t); }

/// change(word, mask) for the words that hold bits [begin, end).
template <class F>
void for_each_word(std::uint64_t begin, std::uint64_t end, F change) {
  while (begin < end) {
    const std::uint64_t stop = std::min(end, (begin / 64 + 1) * 64);
    change(begin / 64, kAll << begin % 64 & kAll >> (63 - (stop - 1) % 64));
    begin = stop;
  }
}

}  // namespace

// A call of the system for each block of a kernel would take longer than many a block.
WrittenBytes::WrittenBytes(std::uint64_t bytes) : bytes_(bytes) {
  const std::uint64_t size = storage_bytes(bytes);
  void* storage = nullptr;
  if (size <= kCheapToClear) {
    storage = std::calloc(size, 1);
  } else {
    storage = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (storage == MAP_FAILED) storage = nullptr;
  }
  if (storage == nullptr) throw std::bad_alloc();
  words_ = static_cast<std::uint64_t*>(storage);
}

WrittenBytes::~WrittenBytes() {
  const std::uint64_t size = storage_bytes(bytes_);
  if (size <= kCheapToClear)
    std::free(words_);
  else
    munmap(words_, size);
}

std::pair<std::uint64_t, std::uint64_t> WrittenBytes::around(std::uint64_t begin, std::uint64_t end, std::uint64_t low,
                                                             std::uint64_t high) const {
  if (complete_) return {low, high};
  constexpr std::uint64_t kFar = std::uint64_t{4} << 10;
  const std::uint64_t lowest = std::max(low, begin - std::min(begin, kFar)), highest = std::min(high, end + kFar);
  while (begin > lowest) {
    const std::uint64_t word = (begin - 1) / 64, first = std::max(word * 64, lowest);
    if (!all(first, begin)) {
      while (all(begin - 1, begin)) --begin;
      break;
    }
    begin = first;
  }
  while (end < highest) {
    const std::uint64_t last = std::min((end / 64 + 1) * 64, highest);
    if (!all(end, last)) {
      while (all(end, end + 1)) ++end;
      break;
    }
    end = last;
  }
  return {begin, end};
}

std::uint64_t WrittenBytes::next_bit(std::uint64_t begin, std::uint64_t end, std::uint64_t flip) const {
  while (begin < end) {
    const std::uint64_t bits = (words_[begin / 64] ^ flip) & kAll << begin % 64;
    if (bits != 0) return std::min(end, begin / 64 * 64 + static_cast<std::uint64_t>(__builtin_ctzll(bits)));
    begin = (begin / 64 + 1) * 64;
  }
  return end;
}

void WrittenBytes::set(std::uint64_t begin, std::uint64_t end) {
  if (complete_) return;
  if (begin == 0 && end == bytes_) {
    complete_ = true;
    return;
  }
  for_each_word(begin, end, [this](std::uint64_t word, std::uint64_t mask) { words_[word] |= mask; });
}

void WrittenBytes::clear(std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return;
  const bool was_complete = complete_;
  complete_ = false;
  if (begin == 0 && end == bytes_) {
    if (storage_bytes(bytes_) <= kCheapToClear)
      std::memset(words_, 0, storage_bytes(bytes_));
    else
      madvise(words_, storage_bytes(bytes_), MADV_DONTNEED);  // it reads as zeros again
    return;
  }
  if (was_complete) for_each_word(0, bytes_, [this](std::uint64_t word, std::uint64_t mask) { words_[word] |= mask; });
  for_each_word(begin, end, [this](std::uint64_t word, std::uint64_t mask) { words_[word] &= ~mask; });
}

void WrittenBytes::copy(std::uint64_t begin, std::uint64_t end, const WrittenBytes& from, std::uint64_t from_begin) {
  if (from.all(from_begin, from_begin + (end - begin))) return set(begin, end);
  if (complete_) clear(begin, end);
  const auto source_bits = [&](std::uint64_t at) {  // 64 of them, from bit `at` on
    const std::uint64_t low = from.words_[at / 64] >> at % 64;
    return at % 64 == 0 ? low : low | from.words_[at / 64 + 1] << (64 - at % 64);
  };
  for (std::uint64_t to = begin; to < end;) {
    const std::uint64_t stop = std::min(end, (to / 64 + 1) * 64);
    const std::uint64_t mask = kAll << to % 64 & kAll >> (63 - (stop - 1) % 64);
    const std::uint64_t bits = source_bits(from_begin + (to - begin)) << to % 64;
    words_[to / 64] = (words_[to / 64] & ~mask) | (bits & mask);
    to = stop;
  }
}

}  // namespace vgpu
