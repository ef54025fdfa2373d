// Reads of shared memory that translated code makes together, counted together.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/machine/noted_reads.h"
#include "harness/vgpu/monitor/access_shape.h"
#include "harness/vgpu/monitor/kernel_tally.h"

namespace vgpu {

/// Of a launch. How many wavefronts reads take depends on how the two halves of a warp lie to each other, which is the
/// same for all reads that count from one base: so it is enough to know how often a batch was made in which case.
class BatchTallies {
 public:
  /// False if the reads have to be counted one by one: in such a case they were not yet, or one may be worse than its
  /// instruction's worst. settle() comes next, then. `begins`: of each base, the addresses of lanes 0 and 16.
  bool count(const ReadBatch& batch, const std::uint32_t* begins);
  /// `tally_of`: where a read is counted; null if nowhere.
  void settle(const ReadBatch& batch, const std::uint32_t* begins,
              const std::function<AccessTally*(const ReadBatch::Read&)>& tally_of);
  /// Adds what was counted to the tallies, and forgets all.
  void put();

 private:
  static constexpr std::uint32_t kWord = 4, kCases = 1 << ReadBatch::kMostBases;
  static constexpr std::uint32_t kMostDistances = 16;  ///< from then on, a batch is counted one by one
  /// Of a batch. A base of words has two cases; one of doublewords or vectors is known for one distance of the halves.
  struct Known {
    std::uint32_t distances = 0;        ///< that there were
    std::vector<AccessTally*> tallies;  ///< of each read
    std::array<std::uint32_t, ReadBatch::kMostBases> apart{};
    std::array<BankUse, ReadBatch::kMostBases> wide_use{};
    std::array<bool, kCases> is_settled{};
    std::array<std::uint64_t, kCases> counts{};

    BankUse use(const ReadBatch& batch, std::uint32_t which, std::uint32_t base) const {
      return batch.bases[base].bytes == kWord ? BankUse{1 + (which >> base & 1), 1} : wide_use[base];
    }
  };

  /// Bit n: reads of words from base n take two wavefronts.
  static std::uint32_t case_of(const ReadBatch& batch, const std::uint32_t* begins);
  static void put(const ReadBatch& batch, Known& known);

  std::unordered_map<const ReadBatch*, Known> known_;
};

}  // namespace vgpu
