// The last accesses to every piece of a large, sparsely used memory.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

#include "harness/vgpu/monitor/access_table.h"
#include "harness/vgpu/monitor/packed_tags.h"

namespace vgpu {

/// Two tags, of the last write and of the reads since, for every 4 bytes, or for every byte of pages in which smaller
/// pieces are accessed by themselves. Room for either comes into being, page by page, when the first access of its
/// kind does: 1 byte a byte of memory that is only read or only written, 2 if it is both. Pages of single bytes take
/// four times that while they are in use. All together never take more than 2 bytes a byte and a constant slack: those
/// that came into use first are packed until they are used again, which is without loss and goes for what is gone
/// through in order; what cannot be packed, or comes back too often, is forgotten, as if nobody had accessed it yet.
class AccessShadow {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;
  static constexpr std::uint32_t kWord = 4;
  /// What all pages may take beyond 2 bytes a byte; at least what a page of single bytes takes.
  static constexpr std::uint64_t kSlack = std::uint64_t{16} << 20;

  explicit AccessShadow(std::uint64_t slack = kSlack) : slack_(slack) {}

  /// The cells of one page, for accesses as wide as, and of the kind of the one that it was asked for with. Cells of
  /// the other kind may be read only; all that are zero may be no memory of their own. Holds until the next one.
  class View {
   public:
    bool holds(std::uint64_t address) const { return address / kPageBytes == number_; }
    std::uint32_t cell(std::uint64_t address) const {
      return static_cast<std::uint32_t>(address % kPageBytes) >> shift_;
    }
    /// How many cells `bytes` bytes have.
    std::uint32_t count(std::uint32_t bytes) const { return bytes >> shift_; }

    bool has_writes = false;  ///< else all of `writes` are zero
    AccessTag* writes = nullptr;
    AccessTag* reads = nullptr;

   private:
    friend class AccessShadow;
    std::uint64_t number_ = ~std::uint64_t{0};
    int shift_ = 0;
  };

  /// Of the page that holds `address`; `bytes` is the width of accesses, each at a multiple of it.
  View view(std::uint64_t address, std::uint32_t bytes, bool is_read) {
    const std::uint64_t number = address / kPageBytes;
    Page& page = page_at(number);
    if ((is_read ? page.reads : page.writes) == nullptr || (!page.by_byte && bytes % kWord != 0))
      prepare(page, number, bytes, is_read);
    View view;
    view.has_writes = page.writes != nullptr;
    view.writes = page.writes != nullptr ? page.writes.get() : nothing.data();
    view.reads = page.reads != nullptr ? page.reads.get() : nothing.data();
    view.number_ = number;
    view.shift_ = page.by_byte ? 0 : 2;
    return view;
  }

  /// May need another amount of slack from now on.
  void set_slack(std::uint64_t slack) { slack_ = slack; }

  /// Forgets everything.
  void clear() {
    recent_.fill({});
    pages_.clear();
    byte_pages_.clear();
    bytes_ = 0;
    is_tight_ = has_forgotten_ = false;
  }

  /// Calls `visit` for each cell, an AccessTag&, that there is memory for; of packed pages, for those that the others
  /// follow from.
  template <class Visit>
  void each(const Visit& visit) {
    for (auto& [number, page] : pages_) {
      for (AccessTag* const tags : {page.writes.get(), page.reads.get()})
        if (tags != nullptr)
          for (std::uint32_t n = 0; n < page.cells(); ++n) visit(tags[n]);
      page.packed_writes.each(visit);
      page.packed_reads.each(visit);
    }
  }

  /// Of all cells together.
  std::uint64_t bytes() const { return bytes_; }
  /// Whether pages had to be packed or forgotten.
  bool is_tight() const { return is_tight_; }
  /// Whether any was forgotten.
  bool has_forgotten() const { return has_forgotten_; }

 private:
  struct Page {
    bool by_byte = false;
    bool is_queued = false;  ///< in byte_pages_
    std::uint8_t packings = 0;
    std::unique_ptr<AccessTag[]> writes, reads;
    PackedTags packed_writes, packed_reads;  ///< instead, while the page is packed

    std::uint32_t cells() const { return static_cast<std::uint32_t>(by_byte ? kPageBytes : kPageBytes / kWord); }
    bool is_packed() const { return !packed_writes.empty() || !packed_reads.empty(); }
  };
  struct Recent {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };

  Page& page_at(std::uint64_t number) {
    Recent& recent = recent_[(number ^ number >> 8 ^ number >> 16) % recent_.size()];  // arrays begin at round numbers
    if (recent.number != number) recent = {number, &pages_[number]};
    return *recent.page;
  }

  void prepare(Page& page, std::uint64_t number, std::uint32_t bytes, bool is_read);
  void split(Page& page);
  void make_room(std::uint64_t in_use);
  bool pack(Page& page);
  void unpack(Page& page);
  void drop_tags(Page& page);

  static inline std::array<AccessTag, kPageBytes> nothing{};  ///< cells of a page without accesses; nobody writes it
  std::uint64_t slack_;
  std::unordered_map<std::uint64_t, Page> pages_;
  std::deque<std::uint64_t> byte_pages_;  ///< numbers of those that have tags, in the order they came into use
  std::uint64_t bytes_ = 0;
  bool is_tight_ = false, has_forgotten_ = false;
  std::array<Recent, 256> recent_;
};

}  // namespace vgpu
