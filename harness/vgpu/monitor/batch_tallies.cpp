#include "harness/vgpu/monitor/batch_tallies.h"

namespace vgpu {
namespace {

BankUse use_of_row(const ReadBatch::Base& base, std::uint32_t first, std::uint32_t second) {
  constexpr std::uint32_t kHalf = kLanes / 2;
  std::array<std::uint32_t, kLanes> addresses;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t half = lane / kHalf;
    const std::uint32_t step = (base.contiguous >> half & 1) != 0 ? base.bytes : 0;
    addresses[lane] = (half == 0 ? first : second) + lane % kHalf * step;
  }
  MemoryAccess access{};
  access.space = ptx::Space::kShared;
  access.kind = AccessKind::kLoad;
  access.bytes = base.bytes;
  access.lanes = kAllLanes;
  access.narrow = addresses.data();
  return bank_use_of_any(access);
}

}  // namespace

std::uint32_t BatchTallies::case_of(const ReadBatch& batch, const std::uint32_t* begins) {
  std::uint32_t which = 0;
  for (std::uint32_t n = 0; n < batch.bases.size(); ++n) {
    const ReadBatch::Base& base = batch.bases[n];
    if (base.bytes == kWord && !halves_agree(begins[2 * n], begins[2 * n + 1], base.contiguous, base.uniform()))
      which |= std::uint32_t{1} << n;
  }
  return which;
}

bool BatchTallies::count(const ReadBatch& batch, const std::uint32_t* begins) {
  const auto found = known_.find(&batch);
  if (found == known_.end()) return false;
  Known& known = found->second;
  for (std::uint32_t n = 0; n < batch.bases.size(); ++n)
    if (batch.bases[n].bytes != kWord && begins[2 * n + 1] - begins[2 * n] != known.apart[n]) return false;
  const std::uint32_t which = case_of(batch, begins);
  if (!known.is_settled[which]) return false;
  ++known.counts[which];
  return true;
}

void BatchTallies::settle(const ReadBatch& batch, const std::uint32_t* begins,
                          const std::function<AccessTally*(const ReadBatch::Read&)>& tally_of) {
  Known& known = known_[&batch];
  if (known.distances > kMostDistances) return;
  if (known.tallies.empty())
    for (const ReadBatch::Read& read : batch.reads) known.tallies.push_back(tally_of(read));
  for (std::uint32_t n = 0; n < batch.bases.size(); ++n) {
    const std::uint32_t apart = begins[2 * n + 1] - begins[2 * n];
    if (batch.bases[n].bytes == kWord || (apart == known.apart[n] && known.wide_use[n].wavefronts != 0)) continue;
    put(batch, known);
    ++known.distances;
    known.apart[n] = apart;
    known.wide_use[n] = use_of_row(batch.bases[n], begins[2 * n], begins[2 * n + 1]);
  }
  const std::uint32_t which = case_of(batch, begins);
  known.is_settled[which] = true;
  for (std::size_t n = 0; n < batch.reads.size(); ++n) {
    const AccessTally* const tally = known.tallies[n];
    if (tally != nullptr && badness(known.use(batch, which, batch.reads[n].base)) > tally->worst)
      known.is_settled[which] = false;
  }
}

/// What is settled is so for other distances, from now on.
void BatchTallies::put(const ReadBatch& batch, Known& known) {
  for (std::uint32_t which = 0; which < kCases; ++which) {
    const std::uint64_t times = known.counts[which];
    if (times == 0) continue;
    for (std::size_t n = 0; n < batch.reads.size(); ++n) {
      if (known.tallies[n] == nullptr) continue;
      const BankUse use = known.use(batch, which, batch.reads[n].base);
      known.tallies[n]->requests += times;
      known.tallies[n]->ideal += times * use.ideal;
      known.tallies[n]->units += times * use.wavefronts;
    }
  }
  known.is_settled.fill(false);
  known.counts.fill(0);
}

void BatchTallies::put() {
  for (auto& [batch, known] : known_) put(*batch, known);
  known_.clear();
}

}  // namespace vgpu
