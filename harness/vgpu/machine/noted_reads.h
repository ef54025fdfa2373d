// Reads of shared memory that are noted while they happen and shown to observers later, many at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {

/// Reads of shared memory that translated code makes together, by all lanes of a warp, each half of which reads a row
/// or one place.
struct ReadBatch {
  static constexpr std::size_t kMostBases = 4;
  struct Base {
    std::uint32_t bytes;      ///< of a lane's read
    std::uint8_t contiguous;  ///< as in MemoryAccess; what is not is uniform

    std::uint8_t uniform() const { return ~contiguous & 3; }
  };
  struct Read {
    const Insn* insn;
    std::uint32_t base;
    std::uint32_t offset;  ///< from it
  };

  const Code* code = nullptr;
  std::vector<Base> bases;
  std::vector<Read> reads;
};

/// Of one block. Most reads of shared memory change nothing for anybody who watches: nobody writes there until the next
/// barrier. Where all observers say so, for a range of addresses, the machine notes reads by whole warps here instead
/// of showing each; Block::show_noted_reads() shows them together, in order.
class NotedReads {
 public:
  bool empty() const { return used_ == 0; }
  bool is_full() const { return used_ >= kRoom; }
  /// False if nobody wants to be shown them later, either: then they are not even noted.
  bool are_wanted() const { return are_wanted_; }
  void set_wanted(bool wanted) { are_wanted_ = wanted; }

  // --- where reads may be noted ---

  /// The one in which the instruction read last; empty if there is none now.
  QuietRange range_of(const Insn* insn) const {
    const std::uint32_t n = recent_[insn->index % recent_.size()];
    return n < range_count_ ? ranges_[n] : QuietRange{};
  }
  /// If there is one that holds [low, high): from now on the instruction's.
  bool find_range(const Insn* insn, std::uint64_t low, std::uint64_t high) {
    for (std::uint32_t n = 0; n < range_count_; ++n)
      if (low >= ranges_[n].low && high <= ranges_[n].high) {
        recent_[insn->index % recent_.size()] = static_cast<std::uint8_t>(n);
        return true;
      }
    return false;
  }
  /// Whether there is one that holds [low, high).
  bool holds(std::uint64_t low, std::uint64_t high) const {
    for (std::uint32_t n = 0; n < range_count_; ++n)
      if (low >= ranges_[n].low && high <= ranges_[n].high) return true;
    return false;
  }
  bool takes_ranges() const { return !suspended_ && range_count_ < ranges_.size(); }
  void add_range(const Insn* insn, const QuietRange& range) {
    if (range.low >= range.high || !takes_ranges()) return;
    recent_[insn->index % recent_.size()] = static_cast<std::uint8_t>(range_count_);
    ranges_[range_count_++] = range;
  }
  void forget_ranges() { range_count_ = 0; }
  /// There is no range until resume().
  void suspend() { suspended_ = true, range_count_ = 0; }
  void resume() { suspended_ = false; }

  // --- the reads; is_full() must be false ---

  /// By all lanes of a warp, each half of which reads a row or one place: from `first` and `second` on. `contiguous`
  /// and `uniform` as in MemoryAccess.
  __attribute__((always_inline)) void note_rows(const Warp& warp, const Insn* insn, std::uint32_t bytes,
                                                std::uint8_t contiguous, std::uint8_t uniform, std::uint32_t first,
                                                std::uint32_t second) {
    put(next(), warp, insn, kAllLanes, bytes, contiguous, uniform, false, first, second);
  }

  /// Without making any.
  bool has_room_for(const ReadBatch& batch) const { return units_ != nullptr && used_ + 1 + units_for(batch) <= kRoom; }
  /// All reads of the batch, in order. `begins`: of each base, the addresses of lanes 0 and 16.
  void note_batch(const Warp& warp, const ReadBatch& batch, const std::uint32_t* begins) {
    Unit& unit = next();
    unit.batch = &batch;
    unit.insn = nullptr;
    unit.warp = static_cast<std::uint8_t>(warp.index);
    unit.was_shown = false;
    std::memcpy(static_cast<void*>(&units_[used_]), begins, 2 * batch.bases.size() * sizeof *begins);
    used_ += units_for(batch);
  }

  /// Any read, for an observer that has been shown it and wants to come back to it.
  void note_shown(const MemoryAccess& access) {
    put(next(), *access.warp, access.insn, access.lanes, access.bytes, access.contiguous, access.uniform, true,
        static_cast<std::uint32_t>(access.address(0)), static_cast<std::uint32_t>(access.address(kHalf)));
    if ((access.contiguous | access.uniform) == 3) return;
    Addresses addresses;
    for (int lane = 0; lane < kLanes; ++lane)
      addresses[static_cast<std::size_t>(lane)] = static_cast<std::uint32_t>(access.address(lane));
    std::memcpy(static_cast<void*>(&units_[used_]), addresses.data(), sizeof addresses);
    used_ += sizeof addresses / sizeof(Unit);
  }

  /// A read by all lanes of a warp, each half of which read a row or one place, that no observer has been shown.
  struct RowRead {
    const Code* code;
    const Insn* insn;
    std::uint32_t warp, bytes;
    std::uint32_t first, second;  ///< addresses of lanes 0 and 16
    std::uint8_t contiguous, uniform;
  };

  /// Calls visit(NotedRead) for each; `warps` are the block's.
  template <class Warps, class Visit>
  void each(const Warps& warps, const Visit& visit) const {
    Addresses addresses;
    const auto show = [&](const RowRead& read, Mask lanes, bool was_shown) {
      const auto [lowest, highest] = std::minmax_element(addresses.begin(), addresses.end());
      const MemoryAccess access{&warps[read.warp], read.insn,  ptx::Space::kShared,
                                AccessKind::kLoad, read.bytes, lanes,
                                addresses.data(),  nullptr,    *lowest,
                                *highest,          true,       read.contiguous,
                                read.uniform};
      visit(NotedRead{access, read.code, was_shown});
    };
    each_unit(
        [&](const RowRead& read, Mask lanes, bool was_shown) {
          const std::uint32_t first_step = (read.contiguous & 1) != 0 ? read.bytes : 0;
          const std::uint32_t second_step = (read.contiguous & 2) != 0 ? read.bytes : 0;
          for (std::uint32_t n = 0; n < kHalf; ++n) {
            addresses[n] = read.first + n * first_step;
            addresses[kHalf + n] = read.second + n * second_step;
          }
          show(read, lanes, was_shown);
        },
        [&](const RowRead& read, Mask lanes, bool was_shown, const Unit* behind) {
          std::memcpy(addresses.data(), behind, sizeof addresses);
          show(read, lanes, was_shown);
        },
        [](const ReadBatch&, const std::uint32_t*, const auto& visit_all) { visit_all(); });
  }

  /// Calls visit(RowRead) for each of these, and spares the trouble of spelling the others out; for those of a batch,
  /// visit_batch(batch, where its bases begin, visit_all), which may leave them to visit_all().
  template <class Visit, class VisitBatch>
  void each_row(const Visit& visit, const VisitBatch& visit_batch) const {
    each_unit(
        [&](const RowRead& read, Mask, bool was_shown) {
          if (!was_shown) visit(read);
        },
        [](const RowRead&, Mask, bool, const Unit*) {}, visit_batch);
  }

  void clear() { used_ = 0; }

 private:
  static constexpr int kHalf = kLanes / 2;
  static constexpr std::size_t kRoom = 4096;  ///< units: more than 32 warps read of two 32 x 32 tiles between barriers
  using Addresses = std::array<std::uint32_t, kLanes>;

  /// A read; or, behind one that is not by rows, a fourth of its lanes' addresses. Or a batch, which has no
  /// instruction; or, behind it, where up to four of its bases begin.
  struct Unit {
    union {
      const Code* code;
      const ReadBatch* batch;
    };
    const Insn* insn;
    Mask lanes;
    std::uint32_t first, second;  ///< addresses of lanes 0 and 16
    std::uint8_t warp, bytes;
    std::uint8_t contiguous : 2, uniform : 2;
    bool was_shown;
  };
  static_assert(sizeof(Unit) == 32 && sizeof(Addresses) % sizeof(Unit) == 0, "addresses fill units");

  static std::size_t units_for(const ReadBatch& batch) {
    return (2 * batch.bases.size() * sizeof(std::uint32_t) + sizeof(Unit) - 1) / sizeof(Unit);
  }

  /// Calls row(RowRead, lanes, was_shown) or other(RowRead, lanes, was_shown, where its addresses are) for each; of a
  /// batch, visit_batch(batch, where its bases begin, visit_all), whose last argument calls row() for all of it.
  template <class Row, class Other, class Batch>
  void each_unit(const Row& row, const Other& other, const Batch& visit_batch) const {
    for (std::size_t at = 0; at < used_; ++at) {
      const Unit& unit = units_[at];
      if (unit.insn == nullptr) {
        const ReadBatch& batch = *unit.batch;
        std::array<std::uint32_t, 2 * ReadBatch::kMostBases> begins{};
        std::memcpy(begins.data(), &units_[at + 1], 2 * batch.bases.size() * sizeof(std::uint32_t));
        visit_batch(batch, begins.data(), [&] {
          for (const ReadBatch::Read& read : batch.reads) {
            const ReadBatch::Base& base = batch.bases[read.base];
            row(RowRead{batch.code, read.insn, unit.warp, base.bytes, begins[2 * read.base] + read.offset,
                        begins[2 * read.base + 1] + read.offset, base.contiguous, base.uniform()},
                kAllLanes, false);
          }
        });
        at += units_for(batch);
        continue;
      }
      const RowRead read{unit.code,  unit.insn,   unit.warp,       unit.bytes,
                         unit.first, unit.second, unit.contiguous, unit.uniform};
      if ((unit.contiguous | unit.uniform) == 3) {
        row(read, unit.lanes, unit.was_shown);
      } else {
        other(read, unit.lanes, unit.was_shown, &units_[at + 1]);
        at += sizeof(Addresses) / sizeof(Unit);
      }
    }
  }

  __attribute__((always_inline)) Unit& next() {
    if (__builtin_expect(units_ == nullptr, 0)) make_room();
    return units_[used_++];
  }
  void make_room();
  __attribute__((always_inline)) static void put(Unit& read, const Warp& warp, const Insn* insn, Mask lanes,
                                                 std::uint32_t bytes, std::uint8_t contiguous, std::uint8_t uniform,
                                                 bool was_shown, std::uint32_t first, std::uint32_t second) {
    read.code = warp.frame->code;
    read.insn = insn;
    read.lanes = lanes;
    read.first = first;
    read.second = second;
    read.warp = static_cast<std::uint8_t>(warp.index);
    read.bytes = static_cast<std::uint8_t>(bytes);
    read.contiguous = contiguous & 3;
    read.uniform = uniform & 3;
    read.was_shown = was_shown;
  }

  std::array<QuietRange, 4> ranges_{};
  std::array<std::uint8_t, 64> recent_{};  ///< by instruction: number of a range
  std::uint32_t range_count_ = 0;
  bool suspended_ = false;
  bool are_wanted_ = false;
  std::size_t used_ = 0;
  std::unique_ptr<Unit[]> units_;
};

}  // namespace vgpu
