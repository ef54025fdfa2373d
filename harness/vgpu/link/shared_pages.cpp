#include "harness/vgpu/link/shared_pages.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>

#include "harness/vgpu/machine/page_size.h"

namespace vgpu::link {
namespace {

std::uint64_t first_page(std::uint64_t begin) { return begin / page_bytes() * page_bytes(); }
std::uint64_t past_last_page(std::uint64_t end) { return first_page(end + page_bytes() - 1); }

/// Pages hold whatever lies beside what is shared, such as a sanitizer's red zones: this is no access to that. Zeros
/// that are there anyway (`onto_zeros`) are not written: they cost no memory.
__attribute__((no_sanitize("address"))) void copy_pages(void* to, const void* from, std::uint64_t bytes,
                                                        bool onto_zeros) {
  auto* const target = static_cast<volatile std::uint64_t*>(to);
  const auto* const source = static_cast<const volatile std::uint64_t*>(from);
  for (std::uint64_t word = 0; word < bytes / sizeof *source; ++word)
    if (const std::uint64_t value = source[word]; value != 0 || !onto_zeros) target[word] = value;
}

}  // namespace

/// `file` -1: pages that nobody else maps.
bool SharedPages::replace(std::uint64_t begin, std::uint64_t end, int file) {
  void* const old = reinterpret_cast<void*>(begin);
  const int kind = file == -1 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void* const fresh =
      mmap(nullptr, end - begin, PROT_READ | PROT_WRITE, kind, file, file == -1 ? 0 : static_cast<off_t>(begin));
  if (fresh == MAP_FAILED) return false;
  const bool is_empty = file == -1 || fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                                static_cast<off_t>(begin), static_cast<off_t>(end - begin)) == 0;
  copy_pages(fresh, old, end - begin, is_empty);
  if (mremap(fresh, end - begin, end - begin, MREMAP_MAYMOVE | MREMAP_FIXED, old) != MAP_FAILED) return true;
  munmap(fresh, end - begin);
  return false;
}

bool SharedPages::share(std::uint64_t begin, std::uint64_t bytes, int file) {
  const std::uint64_t end = past_last_page(begin + bytes);
  for (std::uint64_t page = first_page(begin); page < end;) {
    std::uint64_t run = page;  // of pages that are not shared yet
    while (run < end && pages_.count(run) == 0) run += page_bytes();
    if (run == page) {
      page += page_bytes();
      continue;
    }
    if (!replace(page, run, file)) return false;
    page = run;
  }
  for (std::uint64_t page = first_page(begin); page < end; page += page_bytes()) ++pages_[page];
  ranges_[begin] = bytes;
  return true;
}

void SharedPages::unshare(std::uint64_t begin) {
  const auto range = ranges_.find(begin);
  if (range == ranges_.end()) return;
  const std::uint64_t end = past_last_page(begin + range->second);
  std::uint64_t run = first_page(begin);  // of pages that are shared no longer
  for (std::uint64_t page = run; page < end; page += page_bytes()) {
    const auto held = pages_.find(page);
    if (--held->second == 0) {
      pages_.erase(held);
      continue;
    }
    if (run < page) replace(run, page, -1);
    run = page + page_bytes();
  }
  if (run < end) replace(run, end, -1);
  ranges_.erase(range);
}

}  // namespace vgpu::link
