#include "harness/vgpu/monitor/batch_tallies.h"

#include "harness/vgpu/monitor/access_shape.h"

namespace vgpu {

std::uint32_t BatchTallies::case_of(const ReadBatch& batch, const std::uint32_t* begins) {
  std::uint32_t which = 0;
  for (std::uint32_t base = 0; base < batch.bases; ++base) {
    const std::uint8_t contiguous = batch.contiguous[base];
    const auto uniform = static_cast<std::uint8_t>(~contiguous & 3);
    if (!halves_agree(begins[2 * base], begins[2 * base + 1], contiguous, uniform)) which |= std::uint32_t{1} << base;
  }
  return which;
}

bool BatchTallies::count(const ReadBatch& batch, const std::uint32_t* begins) {
  const auto known = known_.find(&batch);
  if (known == known_.end()) return false;
  const std::uint32_t which = case_of(batch, begins);
  if (!known->second.is_settled[which]) return false;
  ++known->second.counts[which];
  return true;
}

void BatchTallies::put() {
  for (const auto& [batch, known] : known_)
    for (std::uint32_t which = 0; which < kCases; ++which) {
      const std::uint64_t times = known.counts[which];
      if (times == 0) continue;
      for (std::size_t n = 0; n < batch->reads.size(); ++n) {
        if (known.tallies[n] == nullptr) continue;
        known.tallies[n]->requests += times;
        known.tallies[n]->ideal += times;
        known.tallies[n]->units += times * wavefronts(which, batch->reads[n].base);
      }
    }
  known_.clear();
}

}  // namespace vgpu
