#include "harness/vgpu/monitor/synccheck.h"

#include <cstdio>

#include "harness/vgpu/machine/cluster.h"
#include "harness/vgpu/machine/launch.h"

namespace vgpu {

void Synccheck::launch_begins(const Launch& launch) {
  kernel_name_ = launch.kernel().readable_name();
  waiting_.clear();
}

void Synccheck::block_begins(const Block& block) {
  waiting_.erase(waiting_.lower_bound({&block, 0}), waiting_.upper_bound({&block, Block::kBarriers}));
}

void Synccheck::barrier_reached(const Warp& warp, const Insn* at, Mask lanes, std::uint32_t id, std::uint32_t threads) {
  if (threads != 0) return;  // a barrier for some threads may have a place for each side of a hand-over
  const int lane = __builtin_ctz(lanes);
  const auto [found, is_first] = waiting_.try_emplace({warp.block, id});
  Arrival& first = found->second;
  if (is_first) {
    first = {at, warp.frame->code, warp.block->thread(warp, lane)};
    return;
  }
  if (first.at == at) return;
  const std::uint32_t here = place_of(*warp.frame->code, *at).line;
  const std::uint32_t there = place_of(*first.code, *first.at).line;
  report(warp, *warp.frame->code, at, lane, "barrier in two places",
         "reaches a barrier in line " + std::to_string(here) + " while thread " + spelled(first.thread) +
             " of the same block waits at " +
             (here == there ? "another copy of it" : "the one in line " + std::to_string(there)),
         "Move __syncthreads() out of the branch: all threads of a block must reach the same one.");
}

void Synccheck::barrier_opens(const Block& block, std::uint32_t id, const std::vector<Mask>&) {
  waiting_.erase({&block, id});
}

void Synccheck::lanes_go_ahead(const Warp& warp, Mask ahead, Mask left_behind) {
  for (const Group& group : warp.groups) {
    if (group.state != GroupState::kAtBarrier || (group.lanes & left_behind) == 0) continue;
    if (group.barrier >= Block::kBarriers || !warp.block->is_for_all(group.barrier)) continue;
    const Insn* const at = group.resumed ? group.pc : group.pc - 1;
    report(warp, *group.frame->code, at, __builtin_ctz(group.lanes & left_behind), "barrier bypassed",
           "waits at a barrier that thread " + spelled(warp.block->thread(warp, __builtin_ctz(ahead))) +
               " of the same warp bypasses",
           "Move __syncthreads() out of the branch: all threads of a block must reach it.");
  }
}

void Synccheck::lane_not_in_mask(const Warp& warp, const Insn* at, int lane, Mask members) {
  char mask[16];
  std::snprintf(mask, sizeof mask, "0x%08x", members);
  report(warp, *warp.frame->code, at, lane, "lane not in its mask",
         "executes an instruction for the lanes in mask " + std::string(mask) + ", but is lane " +
             std::to_string(lane) + " itself",
         "The mask must include every participating lane, also the caller: compute it before the branch, with "
         "__ballot_sync.");
}

void Synccheck::report(const Warp& warp, const Code& code, const Insn* at, int lane, const std::string& kind,
                       const std::string& what, const std::string& advice) {
  const ptx::SourcePlace place = place_of(code, *at);
  if (!findings_.is_new(kind, place.file, place.line, "", 1)) return;
  Finding finding;
  finding.tool = "synccheck";
  finding.kind = kind;
  finding.kernel = kernel_name_;
  finding.file = place.file;
  finding.line = place.line;
  finding.block = warp.block->index();
  finding.thread = warp.block->thread(warp, lane);
  finding.sentence = "thread " + spelled(finding.thread) + " of block " + spelled(finding.block) + " " + what;
  finding.advice = advice;
  findings_.add(std::move(finding));
}

}  // namespace vgpu
