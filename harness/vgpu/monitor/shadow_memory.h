// Something to remember about every piece of a large, sparsely used memory.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace vgpu {

/// A Cell for every 4 bytes, or for every byte of pages in which smaller pieces are accessed by themselves. Pages come
/// into being when they are touched.
template <class Cell>
class ShadowMemory {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;
  static constexpr std::uint64_t kWord = 4;

  /// Calls visit(Cell&) for every cell of [address, address + bytes), which must not cross a multiple of 16.
  template <class Visit>
  void each_cell(std::uint64_t address, std::uint32_t bytes, Visit visit) {
    Page& page = page_of(address);
    const std::uint64_t offset = address % kPageBytes;
    if (!page.by_byte && (offset % kWord != 0 || bytes % kWord != 0)) split(page);
    const std::uint64_t unit = page.by_byte ? 1 : kWord;
    Cell* cell = page.cells.data() + offset / unit;
    for (std::uint64_t n = 0; n < bytes / unit; ++n) visit(cell[n]);
  }

  void clear() {
    pages_.clear();
    last_ = nullptr;
    last_number_ = ~std::uint64_t{0};
  }

 private:
  struct Page {
    bool by_byte = false;
    std::vector<Cell> cells = std::vector<Cell>(kPageBytes / kWord);
  };

  Page& page_of(std::uint64_t address) {
    const std::uint64_t number = address / kPageBytes;
    if (number != last_number_) {
      last_ = &pages_[number];
      last_number_ = number;
    }
    return *last_;
  }

  static void split(Page& page) {
    std::vector<Cell> bytes(kPageBytes);
    for (std::uint64_t n = 0; n < kPageBytes; ++n) bytes[n] = page.cells[n / kWord];
    page.cells = std::move(bytes);
    page.by_byte = true;
  }

  std::unordered_map<std::uint64_t, Page> pages_;
  Page* last_ = nullptr;
  std::uint64_t last_number_ = ~std::uint64_t{0};
};

}  // namespace vgpu
