// What racecheck says of a race.
#include <algorithm>
#include <initializer_list>
#include <vector>

#include "harness/vgpu/machine/access_words.h"
#include "harness/vgpu/machine/control_flow.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/monitor/access_shape.h"
#include "harness/vgpu/monitor/array_names.h"
#include "harness/vgpu/monitor/racecheck.h"

namespace vgpu {
namespace {

const char* const kForCopies =
    "An asynchronous copy has arrived once its thread has waited for it (cp.async.wait_group, __pipeline_wait_prior; a "
    "bulk copy: at its mbarrier), and for other threads after a __syncthreads() that follows the wait.";
const char* const kForLanes =
    "Since Volta the lanes of a warp are not in step, and volatile does not keep them so: put __syncwarp() between the "
    "steps, and between reading and writing where one lane overwrites what another reads, or pass the values with "
    "__shfl_down_sync().";
const char* const kForOneInstruction =
    "If each was to write to a place of its own, check how the index is computed: two threads got the same one. If one "
    "value is to stay, let one thread write it, as in if (threadIdx.x == 0). To add them up, use atomicAdd().";
const char* const kForSameValue =
    "If each was to write to a place of its own, check how the index is computed: two threads got the same one. If all "
    "are to write one value to one place, this is benign: a store is not torn, so the result is the same in any order. "
    "The rules of C++ still call it a race; a relaxed atomic store (cuda::atomic_ref) costs no more and is not one.";

/// True if a branch back goes around these instructions: what is last in one round comes before the first of the next.
bool are_in_one_loop(const ptx::Function& function, std::initializer_list<std::uint32_t> instructions) {
  const auto [first, last] = std::minmax(instructions);
  for (std::uint32_t at = last; at < function.body.size(); ++at)
    for (const std::uint32_t target : branch_targets(function, function.body[at]))
      if (target <= first) return true;
  return false;
}

/// A line with a barrier of the whole block, between those of two accesses in the same loop; 0 if there is none.
std::uint32_t line_of_barrier_between(const Code& code, const Insn& one, const Insn& other) {
  const ptx::SourcePlace place_of_one = place_of(code, one), place_of_other = place_of(code, other);
  if (place_of_one.file != place_of_other.file) return 0;
  const auto [first, last] = std::minmax(place_of_one.line, place_of_other.line);
  const std::vector<ptx::Instruction>& body = code.function->body;
  for (std::uint32_t at = 0; at < body.size(); ++at) {
    const bool is_barrier = body[at].opcode == "bar" || body[at].opcode == "barrier";
    if (!is_barrier || !has_modifier(body[at], "sync") || has_modifier(body[at], "warp")) continue;
    const ptx::SourcePlace place = ptx::place_of(*code.module, body[at].location);
    if (place.file == place_of_one.file && first < place.line && place.line < last &&
        are_in_one_loop(*code.function, {one.source, at, other.source}))
      return place.line;
  }
  return 0;
}

/// Whose shared memory it is, if not the thread's own block's.
std::string of_home(const MemoryAccess& access) {
  return access.home == nullptr ? std::string() : " of block " + spelled(access.home->index());
}

const char* advice_for(bool same_block, bool same_warp, bool same_line, bool is_own_element, bool is_shared,
                       bool both_write) {
  if (!same_block && is_shared)
    return "Blocks of a cluster run concurrently: put cluster.sync() between the two, where every thread of the "
           "cluster "
           "reaches it. __syncthreads() holds only the threads of one block.";
  if (same_block && same_line && is_own_element && is_shared)
    return "One thread reads what another writes: read into a variable, put __syncthreads() behind it, where every "
           "thread of the block reaches it, and then write. In a loop, another one belongs at the end of each round.";
  if (same_block && same_line && both_write)
    return "If several threads change the same element there (x++, x += y), use an atomic operation. If each was to "
           "write to a place of its own, check how the index is computed: two threads got the same one.";
  if (same_block && same_line && is_shared)
    return "If one thread reads what another writes there (s[i] += s[j]), put __syncthreads() between reading and "
           "writing. If several change the same element (s[i]++), use an atomic operation.";
  if (same_block && same_line)
    return "If several threads change the same element there (x++, x += y), use an atomic operation. If one reads what "
           "another writes, put __syncthreads() between reading and writing.";
  if (same_block && !is_shared && both_write)
    return "If each thread was to write to a place of its own, check how the index is computed: two got the same one. "
           "Otherwise put __syncthreads() between the two, or, where other blocks write there, too, do the second step "
           "in a separate launch.";
  if (same_block && !is_shared)
    return "Put __syncthreads() between the two. Where other blocks use this memory, too, no barrier helps: write to "
           "another array than the one that is read, use atomic operations (atomicAdd, atomicCAS, cuda::atomic_ref), "
           "or do the second step in a separate launch.";
  if (same_warp)
    return "Lanes of a warp do not wait for each other either: put __syncthreads() between the two, or __syncwarp() if "
           "no other warp uses this memory.";
  if (same_block) return "Put __syncthreads() between the two, where every thread of the block reaches it.";
  if (both_write)
    return "Blocks run in any order and concurrently. If each thread was to write to a place of its own, check how the "
           "index is computed: two got the same one. Otherwise give each block its own memory, use atomics, or do the "
           "second step in a separate launch.";
  return "Blocks run in any order and concurrently: give each its own memory, use atomics, or do the second step in a "
         "separate launch. A flag between blocks must be stored with release, or after a __threadfence(), and read "
         "with "
         "acquire order (cuda::atomic_ref).";
}

}  // namespace

std::string Racecheck::whose(const Current& current, const AccessRecord& before) const {
  if (before.by() == AccessRecord::By::kGrid) return "threads of several blocks";
  const Extent3 grid = launch_->shape().grid, extent = launch_->shape().block;
  const std::uint32_t b = before.block();
  const Extent3 block{b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
  const std::string of_block =
      before.block() == current.block.number ? " of the same block" : " of block " + spelled(block);
  if (before.by() == AccessRecord::By::kBlock) return "threads of several warps" + of_block;
  if (before.lane_count() > 1) return "several lanes of warp " + std::to_string(before.warp()) + of_block;
  const std::uint32_t t = before.warp() * kLanes + static_cast<std::uint32_t>(before.first_lane());
  return "thread " + spelled({t % extent.x, t / extent.x % extent.y, t / extent.x / extent.y}) + of_block;
}

void Racecheck::report(const Current& current, int lane, std::uint64_t address, const AccessRecord& before,
                       bool before_wrote, Race race_kind) {
  const Site& other = sites_[before.site()];
  const std::uint64_t sites =
      std::uint64_t{current.site.number} << 32 | std::uint64_t{other.number} << 1 | std::uint64_t{before_wrote};
  const auto [known, is_first] = reported_.try_emplace(sites);
  Reported& race = known->second;
  const bool is_counted =
      !is_first && race.look == looks_ && race.lane == lane;  // in another piece of what it accesses
  race.look = looks_;
  race.lane = lane;
  const bool is_worse = race.has_note && race_kind != Race::kSameValue;
  if (!is_first && !is_worse) {
    if (!is_counted) ++race.again;
    return;
  }
  race.has_note = race_kind == Race::kSameValue;
  const MemoryAccess& access = current.access;
  const ptx::SourcePlace here = place_of(*current.site.code, *access.insn);
  const ptx::SourcePlace there = place_of(*other.code, *other.insn);
  const NamedElement element = element_at(*launch_, access.space, address, access.bytes);
  const bool is_under_way = race_kind == Race::kUnderWay;
  race.kind = std::string(verb(access.kind)) + (race_kind == Race::kSameValue ? " of the same value" : "") + " after " +
              (race_kind == Race::kLanes ? "another lane's " : "") + (before_wrote ? "write" : "read") + " in line " +
              std::to_string(there.line);
  race.file = here.file;
  race.line = here.line;
  race.array = element.array;
  if (!race.has_note && !findings_.is_new(race.kind, race.file, race.line, race.array, 1)) return;

  Finding finding;
  finding.tool = "racecheck";
  finding.kind = race.kind;
  finding.kernel = kernel_name_;
  finding.file = here.file;
  finding.line = here.line;
  finding.block = access.warp->block->index();
  finding.thread = access.warp->block->thread(*access.warp, lane);
  finding.array = element.array;
  finding.index = element.index;
  if (access.space == ptx::Space::kShared) finding.shared_element_bytes = access.bytes;
  const bool same_block = before.by() != AccessRecord::By::kGrid && before.block() == current.block.number;
  const bool same_warp = same_block && before.by() == AccessRecord::By::kLanes && before.warp() == access.warp->index;
  finding.sentence = "thread " + spelled(finding.thread) + " of block " + spelled(finding.block) +
                     (access.kind == AccessKind::kLoad    ? " reads "
                      : access.kind == AccessKind::kStore ? " writes "
                                                          : " changes ") +
                     element.text() + of_home(access) + ", which " + whose(current, before) +
                     (is_under_way                         ? " copies asynchronously"
                      : race_kind == Race::kOneInstruction ? " writes with the same instruction"
                      : before_wrote                       ? " wrote"
                                                           : " read") +
                     " in line " + std::to_string(there.line);
  const bool same_line = here.file == there.file && here.line == there.line;
  switch (race_kind) {
    case Race::kPlain:
      finding.sentence += "; nothing orders the two";
      finding.advice =
          advice_for(same_block, same_warp, same_line, is_element_a_lane(access), access.space == ptx::Space::kShared,
                     before_wrote && access.kind == AccessKind::kStore);
      if (const std::uint32_t barrier = same_block && current.site.code == other.code
                                            ? line_of_barrier_between(*other.code, *access.insn, *other.insn)
                                            : 0;
          barrier != 0)
        finding.advice = "The barrier in line " + std::to_string(barrier) +
                         " orders the two within one round of a loop. These are from different rounds: put another "
                         "__syncthreads() behind line " +
                         std::to_string(std::max(here.line, there.line)) + ", before the loop begins its next round.";
      break;
    case Race::kUnderWay:
      finding.sentence += "; the copy has not been waited for";
      finding.advice = kForCopies;
      break;
    case Race::kLanes:
      finding.severity = Severity::kWarning;
      finding.sentence += "; which comes first depends on the order of the lanes of a warp, which nothing sets";
      finding.advice = kForLanes;
      break;
    case Race::kOneInstruction:
      finding.sentence += "; which of their values stays is undefined";
      finding.advice = kForOneInstruction;
      break;
    case Race::kSameValue:
      finding.severity = Severity::kNote;
      finding.sentence += ", with the same value; nothing orders the two";
      finding.advice = kForSameValue;
      race.note = std::move(finding);
      return;
  }
  findings_.add(std::move(finding));
}

/// In the order in which they were seen first.
void Racecheck::add_notes() {
  std::map<std::uint64_t, Reported*> notes;
  for (auto& [sites, race] : reported_)
    if (race.has_note) notes.emplace(sites, &race);
  for (auto& [sites, race] : notes)
    if (findings_.is_new(race->kind, race->file, race->line, race->array, 1)) findings_.add(std::move(race->note));
}

}  // namespace vgpu
