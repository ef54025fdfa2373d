// racecheck, clusters: what their barrier orders, and whether a block ends while others are in its shared memory.
#include <algorithm>

#include "harness/vgpu/machine/access_words.h"
#include "harness/vgpu/machine/cluster.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/monitor/array_names.h"
#include "harness/vgpu/monitor/racecheck.h"

namespace vgpu {
namespace {

/// Adds what a warp of the block hands on. Its own epochs before `epoch` are over, too.
void hand_on(GridProgress& to, std::uint32_t block, std::uint32_t warp, const WarpClock::Arrival& arrival,
             Epoch epoch) {
  to.join(arrival.grid);
  auto progress = std::make_shared<BlockProgress>(arrival.block);
  (*progress)[warp].all = std::max((*progress)[warp].all, epoch);
  if (const BlockProgress* const known = to.of(block)) join(*progress, *known);
  to.learn(block, std::move(progress));
}

}  // namespace

void Racecheck::cluster_barrier_reached(const Warp& warp, const Insn*, Mask, bool releases) {
  if (!releases) return;
  BlockState& state = state_of(*warp.block);
  warp.block->show_noted_reads();
  clusters_[&warp.block->cluster()].arrived[state.number].insert_or_assign(warp.index,
                                                                           state.warps[warp.index].arrive());
}

/// A warp that has ended has arrived, as at the barriers of a block. All warps have their epochs end at the latest of
/// them: accesses by several warps are known by the latest of their epochs alone. (What a warp does between arriving
/// and waiting may so pass for something that came before.)
void Racecheck::cluster_barrier_opens(const Cluster& cluster) {
  ClusterState& state = clusters_[&cluster];
  for (std::uint32_t rank = 0; rank < cluster.size(); ++rank) {
    const Block* const block = cluster.block(rank);
    if (block == nullptr) continue;
    BlockState& of_block = state_of(*block);
    for (const Warp& warp : block->warps())
      if (warp.ended()) state.arrived[of_block.number].try_emplace(warp.index, of_block.warps[warp.index].arrive());
  }
  for (const auto& [block, warps] : state.arrived)
    for (const auto& [warp, arrival] : warps) state.epoch = std::max(state.epoch, arrival.block[warp].all);
  state.time = ++time_;
  state.opened.join(state.ended);
  for (const auto& [block, warps] : state.arrived)
    for (const auto& [warp, arrival] : warps) hand_on(state.opened, block, warp, arrival, state.epoch);
  state.arrived.clear();
}

void Racecheck::cluster_barrier_passed(const Warp& warp, const Insn*, Mask lanes) {
  BlockState& state = state_of(*warp.block);
  const ClusterState& cluster = clusters_[&warp.block->cluster()];
  warp.block->show_noted_reads();
  state.warps[warp.index].learn(lanes, state.number, cluster.opened, cluster.time);
  state.warps[warp.index].go_on_from(cluster.epoch);
}

void Racecheck::block_ends(const Block& block) {
  if (!has_clusters_) {
    clusters_.erase(block.known_cluster());  // of this block alone
    return;
  }
  BlockState& state = state_of(block);
  for (const auto& [who, visit] : state.visits) {
    const auto is_known_to = [&, &who = who, &visit = visit](const WarpClock& clock) {
      const BlockProgress* const known = clock.grid().of(who.first);
      return known != nullptr && (*known)[who.second].covers(visit.epoch, visit.lane);
    };
    if (std::none_of(state.warps.begin(), state.warps.end(), is_known_to)) report_visit(block, visit);
  }
  GridProgress& ended = clusters_[block.known_cluster()].ended;
  for (const Warp& warp : block.warps())
    hand_on(ended, state.number, warp.index, state.warps[warp.index].arrive(), AccessRecord::kLastEpoch + 1);
}

void Racecheck::report_visit(const Block& home, const Visit& visit) {
  const ptx::SourcePlace place = place_of(*visit.site->code, *visit.site->insn);
  const NamedElement element = element_at(*launch_, ptx::Space::kShared, visit.address, visit.site->bytes);
  const std::string kind = std::string(verb(visit.kind)) + " in a block that may have ended";
  if (!findings_.is_new(kind, place.file, place.line, element.array, 1)) return;
  Finding finding;
  finding.tool = "racecheck";
  finding.kind = kind;
  finding.kernel = kernel_name_;
  finding.file = place.file;
  finding.line = place.line;
  finding.block = visit.block;
  finding.thread = visit.thread;
  finding.array = element.array;
  finding.index = element.index;
  finding.shared_element_bytes = visit.site->bytes;
  finding.sentence = "thread " + spelled(visit.thread) + " of block " + spelled(visit.block) +
                     (visit.kind == AccessKind::kLoad    ? " reads "
                      : visit.kind == AccessKind::kStore ? " writes "
                                                         : " changes ") +
                     element.text() + " of block " + spelled(home.index()) +
                     "; nothing keeps that block from ending first, and its shared memory ends with it";
  finding.advice =
      "Put cluster.sync() behind the last access to another block's shared memory, where every thread of the cluster "
      "reaches it.";
  findings_.add(std::move(finding));
}

}  // namespace vgpu
