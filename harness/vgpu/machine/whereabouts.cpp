#include "harness/vgpu/machine/whereabouts.h"

#include <algorithm>
#include <cstring>

#include "harness/vgpu/machine/address_windows.h"
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/cluster.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/number_text.h"

namespace vgpu {
namespace {

/// Places that are listed; the others are counted.
constexpr std::size_t kMostListed = 6;

bool is_in(const Code& code, const Insn* at) {
  return at >= code.insns.data() && at < code.insns.data() + code.insns.size();
}

/// Of one element: 4, or what a type such as .u64 says.
std::uint32_t bytes_read_by(const ptx::Instruction& instruction) {
  for (const std::string_view modifier : instruction.modifiers) {
    if (modifier == "u64" || modifier == "s64" || modifier == "b64" || modifier == "f64") return 8;
    if (modifier == "u16" || modifier == "s16" || modifier == "b16") return 2;
    if (modifier == "u8" || modifier == "s8" || modifier == "b8") return 1;
  }
  return 4;
}

/// Whether an instruction may read memory that others than the block can reach.
bool reads_global(const ptx::Instruction& instruction) {
  const bool reads = instruction.opcode == "ld" || instruction.opcode == "ldu" || instruction.opcode == "atom";
  return reads && std::none_of(instruction.modifiers.begin(), instruction.modifiers.end(), [](std::string_view m) {
           return m.substr(0, 6) == "shared" || m.substr(0, 5) == "param" || m == "local" || m == "const";
         });
}

/// "line 12", of the kernel's file, or "line 3 of helper.cuh".
std::string line_of(const Launch& launch, const Code& code, const Insn& at) {
  const ptx::SourcePlace place = place_of(code, at);
  if (place.line == 0) return "PTX line " + std::to_string(instruction_of(code, at).line);
  const Code& kernel = launch.kernel().code();
  const bool is_elsewhere = place.file != place_of(kernel, kernel.insns.front()).file;
  return "line " + std::to_string(place.line) +
         (is_elsewhere ? " of " + place.file.substr(place.file.rfind('/') + 1) : std::string());
}

/// What is amiss with the memory barrier at a shared address as the block sees it, if copies bring more bytes than it
/// was told to expect, or have brought fewer so far: " that was told to expect ...".
std::string amiss_at_barrier(const Launch& launch, const Block& block, std::uint32_t address) {
  const Cluster* const cluster = block.known_cluster();
  const Block* home = &block;
  if (address >= kRankBytes) home = cluster != nullptr ? cluster->block(address / kRankBytes - 1) : nullptr;
  const BarrierBytes* const bytes = home != nullptr ? home->known_barrier_bytes(address % kRankBytes) : nullptr;
  if (bytes == nullptr || bytes->expected == bytes->arrived) return {};
  std::string told = " that was not told to expect any bytes";
  if (bytes->code != nullptr)
    told = " that was told to expect " + with_commas(bytes->expected) + " bytes (" +
           line_of(launch, *bytes->code, *bytes->expected_by) + (bytes->by_others ? " and others)" : ")");
  return told + ", while copies have brought it " + with_commas(bytes->arrived);
}

/// Whether lanes that go on at `pc` come to an instruction in any case, as far as is plain to see.
bool leads_to(const Code& code, const Insn* pc, const Insn* there) {
  constexpr std::string_view kElsewhere[] = {"bra", "brx", "call", "ret", "exit"};
  return pc <= there && std::none_of(pc, there, [&](const Insn& insn) {
           return std::count(std::begin(kElsewhere), std::end(kElsewhere), instruction_of(code, insn).opcode) != 0;
         });
}

/// The barrier whose latest test by a running warp failed, if the lanes are about to test it again: from the loop that
/// they are in, if that is known.
std::string amiss_at_tested(Launch& launch, const Warp& warp, const Code& code, const Insn* pc, const Insn* loop) {
  const Insn* const test = warp.waits_by;
  if (test == nullptr || !is_in(code, test)) return {};
  const bool is_same = loop != nullptr && launch.control_of_still_loop(code, *test).loop == loop;
  if (!is_same && !leads_to(code, pc, test)) return {};
  const std::string amiss = amiss_at_barrier(launch, *warp.block, warp.waits_for);
  return amiss.empty() ? amiss : ", at an mbarrier" + amiss;
}

/// Lanes that wait until a phase of a memory barrier ends, as others of the block can go on.
void describe_wait(const Launch& launch, const Warp& warp, const Group& group, Whereabouts& found) {
  std::uint32_t objects[kLanes];
  std::memcpy(objects, group.frame->registers + group.pc->a, sizeof objects);
  found.doing = "waiting in " + line_of(launch, *group.frame->code, *group.pc) + " at an mbarrier";
  found.amiss = amiss_at_barrier(launch, *warp.block, objects[__builtin_ctz(group.lanes)]);
}

/// The running lanes of a warp that polls, if its last look was in the loop that they are in.
void describe_ready(Launch& launch, const Warp& warp, const Group& group, Whereabouts& found) {
  const Code& code = *group.frame->code;
  const Insn* const loop = launch.control_of_still_loop(code, *group.pc).loop;
  const Insn* const poll = warp.polled_by;
  found.amiss = amiss_at_tested(launch, warp, code, group.pc, loop);
  if (poll != nullptr && is_in(code, poll) && loop != nullptr &&
      launch.control_of_still_loop(code, *poll).loop == loop) {
    const bool is_shared = warp.polled_at > ~(std::uint64_t{1} << 40);
    found.at = poll;
    found.spins = true;
    const ptx::Space space = is_shared ? ptx::Space::kShared : ptx::Space::kGlobal;
    if (launch.options().name_element)
      found.reads =
          launch.options().name_element(launch, space, is_shared ? ~warp.polled_at % kRankBytes : warp.polled_at,
                                        bytes_read_by(instruction_of(code, *poll)));
    found.doing = "in a loop that reads memory in " + line_of(launch, code, *poll);
  } else {
    found.spins = loop != nullptr;
    found.doing = (loop != nullptr ? "in a loop at " : "at ") + line_of(launch, code, *group.pc);
  }
}

}  // namespace

std::vector<Whereabouts> whereabouts_of(Launch& launch, const std::vector<const Block*>& blocks) {
  std::vector<Whereabouts> all;
  const auto add = [&](Whereabouts found, Mask lanes) {
    auto same = std::find_if(all.begin(), all.end(),
                             [&](const Whereabouts& w) { return w.doing == found.doing && w.amiss == found.amiss; });
    if (same == all.end()) {
      found.lane = __builtin_ctz(lanes);
      same = all.insert(all.end(), found);
    }
    same->threads += static_cast<std::uint64_t>(__builtin_popcount(lanes));
    if (same->last_block != found.block) ++same->blocks;
    same->reads_others |= same->reads != found.reads;
    same->last_block = found.block;
  };
  for (const Block* const block : blocks)
    for (const Warp& warp : block->warps()) {
      Mask elsewhere = warp.lanes & ~warp.exited;
      for (const Group& group : warp.groups) {
        Whereabouts found;
        found.block = block;
        found.warp = &warp;
        found.at = group.resumed || group.state != GroupState::kAtBarrier ? group.pc : group.pc - 1;
        const std::string line = line_of(launch, *group.frame->code, *found.at);
        if (group.state == GroupState::kAtBarrier && group.barrier == Block::kMemoryBarrier)
          describe_wait(launch, warp, group, found);
        else if (group.state == GroupState::kAtBarrier)
          found.doing =
              (group.barrier == Cluster::kBarrier ? "at the cluster's barrier in " : "at the barrier in ") + line;
        else if (group.state == GroupState::kAtWarpSync)
          found.doing = "waiting for other lanes of the warp in " + line;
        else
          describe_ready(launch, warp, group, found);
        add(found, group.lanes);
        elsewhere &= ~group.lanes;
      }
      if (elsewhere == 0) continue;
      Whereabouts parted;
      parted.block = block;
      parted.warp = &warp;
      parted.doing = "waiting for lanes of the warp that took another branch";
      add(parted, elsewhere);
    }
  std::stable_partition(all.begin(), all.end(), [](const Whereabouts& w) { return w.spins; });
  return all;
}

std::string spelled(const std::vector<Whereabouts>& all) {
  std::string text;
  for (std::size_t n = 0; n < all.size() && n < kMostListed; ++n) {
    const Whereabouts& w = all[n];
    const std::string blocks = w.blocks == 1 ? "block " + spelled(w.block->index()) : with_commas(w.blocks) + " blocks";
    std::string doing = w.doing;
    if (!w.reads.empty())
      doing.replace(doing.find("memory"), 6, w.reads + (w.reads_others ? " and other elements" : ""));
    text.append(n == 0 ? "" : "; ").append(with_commas(w.threads));
    text.append(w.threads == 1 ? " thread of " : " threads of ").append(blocks);
    text.append(w.threads == 1 ? " is " : " are ").append(doing);
    text.append(w.amiss);
  }
  if (all.size() > kMostListed) text += "; and others elsewhere";
  return text;
}

bool may_wait_for_host(Launch& launch, const std::vector<const Block*>& blocks) {
  const auto is_host_memory = [](const Allocation& a) {
    return !a.freed && (is_host_visible(a.kind) || a.between_processes);
  };
  const std::vector<const AddressSpace*> known = launch.memory().all_known();
  if (std::none_of(known.begin(), known.end(), [&](const AddressSpace* memory) {
        const auto& allocations = memory->allocations();
        return std::any_of(allocations.begin(), allocations.end(),
                           [&](const auto& a) { return is_host_memory(a.second); });
      }))
    return false;
  // The latest place that a warp has polled is known. That is enough for a loop with one instruction that reads.
  const auto reads_once_by = [&](const Code& code, const Insn* loop, const Insn* poll) {
    return std::all_of(code.insns.begin(), code.insns.end(), [&](const Insn& insn) {
      return &insn == poll || !reads_global(instruction_of(code, insn)) ||
             launch.control_of_still_loop(code, insn).loop != loop;
    });
  };
  for (const Block* const block : blocks)
    for (const Warp& warp : block->warps())
      for (const Group& group : warp.groups) {
        const Code& code = *group.frame->code;
        const Insn* const loop = launch.control_of_still_loop(code, *group.pc).loop;
        if (group.state == GroupState::kAtBarrier || loop == nullptr) continue;
        if (!reads_once_by(code, loop, warp.polled_by)) return true;
        const Allocation* const polled = launch.memory().home_of(warp.polled_at).find(warp.polled_at);
        if (polled != nullptr && is_host_memory(*polled)) return true;
      }
  return false;
}

}  // namespace vgpu
