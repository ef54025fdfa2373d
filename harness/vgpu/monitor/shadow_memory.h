// Something to remember about every piece of a large, sparsely used memory.
#pragma once

#include <array>
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
  static constexpr std::uint32_t kWord = 4;

  struct Cells {
    Cell* first;
    std::uint32_t count;

    Cell* begin() const { return first; }
    Cell* end() const { return first + count; }
  };

  /// The cells of one page, for accesses that are as wide as the one they were asked for with.
  class View {
   public:
    bool holds(std::uint64_t address) const { return address / kPageBytes == number_; }
    /// Of [address, address + bytes), which lies on the page and does not cross a multiple of 16.
    Cells cells(std::uint64_t address, std::uint32_t bytes) const {
      return {first_ + (address % kPageBytes >> shift_), bytes >> shift_};
    }

   private:
    friend class ShadowMemory;
    Cell* first_ = nullptr;
    std::uint64_t number_ = ~std::uint64_t{0};
    int shift_ = 0;
  };

  /// Of the page that holds `address`; `bytes` is the width of accesses, each at a multiple of it.
  View view(std::uint64_t address, std::uint32_t bytes) {
    Page& page = page_of(address);
    if (!page.by_byte && bytes % kWord != 0) split(page);
    View view;
    view.first_ = page.cells.data();
    view.number_ = address / kPageBytes;
    view.shift_ = page.by_byte ? 0 : 2;
    return view;
  }

  /// All cells are as they were in the beginning. Memory is kept for the next time unless it is much.
  void clear() {
    ++generation_;
    recent_.fill({});
    if (pages_.size() > kMostPagesKept) pages_.clear();
  }

 private:
  static constexpr std::size_t kMostPagesKept = (std::size_t{64} << 20) / kPageBytes;

  struct Page {
    std::uint64_t generation = 0;  ///< that the cells belong to
    bool by_byte = false;
    std::vector<Cell> cells;
  };
  struct Recent {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };

  Page& page_of(std::uint64_t address) {
    const std::uint64_t number = address / kPageBytes;
    Recent& recent = recent_[number % recent_.size()];
    if (recent.number != number) recent = {number, &current_page(number)};
    return *recent.page;
  }

  Page& current_page(std::uint64_t number) {
    Page& page = pages_[number];
    if (page.generation != generation_) {
      page.generation = generation_;
      page.by_byte = false;
      page.cells.assign(kPageBytes / kWord, Cell{});
    }
    return page;
  }

  static void split(Page& page) {
    std::vector<Cell> bytes(kPageBytes);
    for (std::uint64_t n = 0; n < kPageBytes; ++n) bytes[n] = page.cells[n / kWord];
    page.cells = std::move(bytes);
    page.by_byte = true;
  }

  std::uint64_t generation_ = 1;
  std::unordered_map<std::uint64_t, Page> pages_;
  std::array<Recent, 64> recent_;
};

}  // namespace vgpu
