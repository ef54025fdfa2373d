// racecheck, reads that are over because a word tells of them that no fence precedes.
#include <algorithm>

#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/monitor/racecheck.h"
#include "harness/vgpu/monitor/value_origin.h"

namespace vgpu {
namespace {

/// Whether it accesses what other blocks may access at the same time, as they may not by plain reads and writes.
bool communicates(const ptx::Instruction& instruction) {
  const auto has = [&](std::string_view name) { return ptx::has_modifier(instruction, name); };
  if (instruction.opcode != "atom" && instruction.opcode != "ld" && instruction.opcode != "st") return false;
  return !has("shared") && (instruction.opcode == "atom" || has("volatile") || has("relaxed") || has("acquire") ||
                            has("release") || has("mmio"));
}

/// Whether others may do the same at the same time without a race, so that what it gives or leaves depends on the
/// order.
bool depends_on_others(const ptx::Function& function, const ptx::Instruction& instruction) {
  const auto has = [&](std::string_view name) { return ptx::has_modifier(instruction, name); };
  if (instruction.opcode == "ld" || instruction.opcode == "st")
    return has("volatile") || has("relaxed") || has("acquire") || has("release") || has("mmio");
  const bool gives_something = instruction.opcode == "atom" || (instruction.opcode == "mbarrier" && has("arrive"));
  return gives_something && !is_result_unused(function, instruction);
}

/// Whether whoever executes it may learn what others have done, see Racecheck::Site::acquires.
bool learns(const ptx::Function& function, const ptx::Instruction& instruction) {
  const auto has = [&](std::string_view name) { return ptx::has_modifier(instruction, name); };
  if (instruction.opcode == "mbarrier") return has("test_wait") || has("try_wait");
  if (instruction.opcode == "ld") return has("volatile") || has("relaxed") || has("acquire") || has("mmio");
  return instruction.opcode == "atom" && !is_result_unused(function, instruction);
}

/// Whether the instruction may order its threads behind what it finds at a location; copies that signal an mbarrier
/// count as looking at it.
bool acquires(const ptx::Function& function, const ptx::Instruction& instruction) {
  return instruction.opcode == "cp" || learns(function, instruction);
}

/// A word that is computed from what was read is there only once that has been read, and since the lanes of an
/// instruction wait for each other's operands, this goes for all of them. A flag that is just set says nothing.
bool tells_of_reads(const ptx::Function& function, const ptx::Instruction& instruction) {
  const auto has = [&](std::string_view name) { return ptx::has_modifier(instruction, name); };
  const bool replaces = instruction.opcode == "st" || (instruction.opcode == "atom" && (has("exch") || has("cas")));
  return replaces && comes_from_memory(function, instruction.operands.back());
}

}  // namespace

/// Words are for other blocks, what is within a block has barriers; and they need somebody who reads them.
void Racecheck::find_words(const Launch& launch) {
  words_.clear();
  facts_ = &code_facts_[{launch.kernel().function().name, launch.kernel().fingerprint()}];
  if (!facts_->is_read) read_code(launch);
  depends_on_order_ |= facts_->depends_on_order;
  const bool has_others = launch.shape().grid.count() > 1;
  has_learner_ = has_clusters_ || facts_->has_learner;  // by the cluster's barrier
  has_acquirer_ = has_clusters_ || facts_->has_acquirer;
  has_listener_ = has_clusters_ || (has_others && facts_->has_listener);
  if (!has_others || !has_listener_) return;
  for (const auto& [function, instruction] : facts_->words)
    words_.insert(&launch.kernel().module().functions[function].body[instruction]);
}

void Racecheck::read_code(const Launch& launch) {
  CodeFacts& facts = *facts_;
  facts.is_read = true;
  const std::vector<ptx::Function>& functions = launch.kernel().module().functions;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    const ptx::Function& function = functions[f];
    if (function.is_kernel && &function != &launch.kernel().function()) continue;
    for (std::size_t n = 0; n < function.body.size(); ++n) {
      const ptx::Instruction& instruction = function.body[n];
      facts.depends_on_order = facts.depends_on_order || depends_on_others(function, instruction);
      facts.has_learner = facts.has_learner || learns(function, instruction);
      facts.has_acquirer = facts.has_acquirer || acquires(function, instruction);
      if (!communicates(instruction)) continue;
      facts.has_listener |= instruction.opcode != "st";
      if (tells_of_reads(function, instruction)) facts.words.emplace_back(f, n);
    }
  }
}

void Racecheck::tell_of_reads(const MemoryAccess& access, const Site& site, const BlockState& block, WarpClock& clock) {
  if (!site.device_wide || access.space != ptx::Space::kGlobal || heard_ >= kMostHeard ||
      (!site.tells_of_reads && reads_told_.empty()))
    return;
  const std::shared_ptr<const GridProgress> told =
      site.tells_of_reads ? clock.tell_of_reads(access.lanes, block.number) : clock.reads();
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t location = location_of(access.address(__builtin_ctz(rest)));
    if (told != nullptr)
      reads_told_[location] = told;
    else
      reads_told_.erase(location);
  }
}

void Racecheck::hear_of_reads(const MemoryAccess& access, WarpClock& clock) {
  if (reads_told_.empty()) return;
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto* const found = reads_told_.find(location_of(access.address(__builtin_ctz(rest))));
    if (found == nullptr || *found == clock.reads()) continue;
    clock.learn_of_reads(*found);
    ++heard_;
  }
  if (heard_ >= kMostHeard) reads_told_.clear();
}

/// Whether `read`, which nothing else orders before the lane's present access, is over as far as words tell.
bool Racecheck::has_heard_of(const Current& current, int by_lane, const AccessRecord& read) const {
  if (heard_ >= kMostHeard) return true;
  if (read.by() == AccessRecord::By::kGrid)
    return readers_.all_of(read.readers(), [&](std::uint32_t block, Epoch epoch) {
      const AccessRecord one = AccessRecord::of_block(block, epoch);
      return is_ordered(current, by_lane, one) || has_heard_of(current, by_lane, one);
    });
  const GridProgress* const told = current.clock.reads().get();
  if (told == nullptr || read.block() == current.block.number) return false;
  const BlockProgress* const known = told->of(read.block());
  if (known == nullptr) return false;
  const auto is_over = [&](const WarpProgress& warp) { return read.epoch() < warp.all; };
  if (read.by() == AccessRecord::By::kBlock) return std::all_of(known->begin(), known->end(), is_over);
  const WarpProgress& warp = (*known)[read.warp()];
  return read.lane_count() == 1 ? warp.covers(read.epoch(), read.first_lane()) : is_over(warp);
}

/// What two reads are together. If blocks talk to each other, it says which blocks' they are.
AccessTag Racecheck::fold_reads(const Current& current, AccessTag before, AccessTag read) {
  std::uint32_t readers = 0;
  if (has_listener_) {
    const AccessRecord one = table_.record(before), other = table_.record(read);
    if (one.by() == AccessRecord::By::kGrid || one.block() != other.block()) readers = readers_.joined(one, other);
  }
  return table_.fold(before, read, time_, current.block.first, readers);
}

}  // namespace vgpu
