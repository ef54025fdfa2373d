// Reads of shared memory that translated code makes together, counted together.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/machine/noted_reads.h"
#include "harness/vgpu/monitor/kernel_tally.h"

namespace vgpu {

/// Of a launch. How many wavefronts reads take depends on how the two halves of a warp lie to each other, which is the
/// same for all reads that count from one base: so it is enough to know how often a batch was made in which case.
class BatchTallies {
 public:
  /// False if the reads have to be counted one by one: in such a case they were not yet, or one may be worse than its
  /// instruction's worst. settle() comes next, then. `begins`: of each base, the addresses of lanes 0 and 16.
  bool count(const ReadBatch& batch, const std::uint32_t* begins);
  /// `tally_of(read)`: where it is counted; null if nowhere. `badness`: of an access by the wavefronts that it takes.
  template <class TallyOf, class Badness>
  void settle(const ReadBatch& batch, const std::uint32_t* begins, const TallyOf& tally_of, const Badness& badness) {
    Known& known = known_[&batch];
    if (known.tallies.empty())
      for (const ReadBatch::Read& read : batch.reads) known.tallies.push_back(tally_of(read));
    const std::uint32_t which = case_of(batch, begins);
    bool is_settled = true;
    for (std::size_t n = 0; n < batch.reads.size(); ++n)
      is_settled =
          is_settled && batch.reads[n].bytes == kWord &&
          (known.tallies[n] == nullptr || badness(wavefronts(which, batch.reads[n].base)) <= known.tallies[n]->worst);
    known.is_settled[which] = is_settled;
  }
  /// Adds what was counted to the tallies, and forgets all.
  void put();

 private:
  static constexpr std::uint32_t kWord = 4, kCases = 1 << ReadBatch::kMostBases;
  struct Known {
    std::vector<AccessTally*> tallies;  ///< of each read
    std::array<bool, kCases> is_settled{};
    std::array<std::uint64_t, kCases> counts{};
  };

  /// Bit n: reads from base n take two wavefronts.
  static std::uint32_t case_of(const ReadBatch& batch, const std::uint32_t* begins);
  static std::uint32_t wavefronts(std::uint32_t which, std::uint32_t base) { return 1 + (which >> base & 1); }

  std::unordered_map<const ReadBatch*, Known> known_;
};

}  // namespace vgpu
