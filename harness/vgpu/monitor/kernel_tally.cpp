#include "harness/vgpu/monitor/kernel_tally.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "harness/vgpu/cost/uniform_registers.h"
#include "harness/vgpu/machine/control_flow.h"
#include "harness/vgpu/machine/warp.h"
#include "harness/vgpu/monitor/float_operations.h"
#include "harness/vgpu/monitor/value_origin.h"

namespace vgpu {
namespace {

bool has_any(const ptx::Instruction& instruction, std::initializer_list<std::string_view> modifiers) {
  return std::any_of(modifiers.begin(), modifiers.end(),
                     [&](std::string_view name) { return ptx::has_modifier(instruction, name); });
}

bool is_parameter_access(const ptx::Instruction& instruction) {
  return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                     [](std::string_view name) { return name.substr(0, 5) == "param"; });
}

/// What nvcc 13.0 makes of atomic operations for sm_90 (read off its machine code, 2026-11-24). ATOMS.POPC.INC counts
/// by one. Where all lanes have one address, as far as the text shows, it combines integers of 32 bits: by REDUX where
/// nobody asks for the result; where somebody does, sums alone, by counting lanes if all add the same, and by a scan
/// with shuffles, in warps that are whole, if not. Of 64 bits it combines sums of what is the same in all lanes.
AtomicTurns turns_of(const ptx::Function& function, const ptx::Instruction& instruction,
                     const std::vector<bool>& uniform) {
  if (instruction.opcode != "atom" && instruction.opcode != "red") return AtomicTurns::kEachLane;
  const bool is_shared = has_any(instruction, {"shared"}), is_unused = is_result_unused(function, instruction);
  if (has_any(instruction, {"cas"})) return is_shared ? AtomicTurns::kTwiceEachLane : AtomicTurns::kEachLane;
  const ptx::Operand& value = instruction.operands.back();
  const ptx::Operand& address = instruction.operands[instruction.opcode == "red" ? 0 : 1];
  constexpr std::uint64_t kNoWrap = 0xFFFFFFFF;
  const bool is_word = has_any(instruction, {"u32", "s32", "b32"});
  const auto is = [&](const char* operation, std::uint64_t with) {
    return has_any(instruction, {operation}) && is_word && value.kind == ptx::Operand::Kind::kImmediate &&
           (value.bits & kNoWrap) == with;
  };
  if (is_shared && is_unused && (is("add", 1) || is("inc", kNoWrap))) return AtomicTurns::kEachWord;
  if (!is_uniform(address, uniform)) return AtomicTurns::kEachLane;
  const bool adds = has_any(instruction, {"add"}), has_one_value = is_uniform(value, uniform);
  if (has_any(instruction, {"u64", "s64"})) return adds && has_one_value ? AtomicTurns::kOnce : AtomicTurns::kEachLane;
  if (!is_word || !has_any(instruction, {"add", "min", "max", "and", "or", "xor"})) return AtomicTurns::kEachLane;
  if (is_unused || (adds && has_one_value)) return AtomicTurns::kOnce;
  return adds ? AtomicTurns::kOnceIfWhole : AtomicTurns::kEachLane;
}

void add_loads_and_stores(Counts& counts, const AccessTally& tally, std::uint32_t space) {
  const bool loads = tally.kind == AccessKind::kLoad;
  const auto count = [&](std::uint64_t Counts::*load, std::uint64_t Counts::*store, std::uint64_t value) {
    counts.*(loads ? load : store) += value;
  };
  if (space == KernelTally::space_index(ptx::Space::kShared)) {
    count(&Counts::shared_load_requests, &Counts::shared_store_requests, tally.requests);
    count(&Counts::shared_load_wavefronts, &Counts::shared_store_wavefronts, tally.units);
    count(&Counts::shared_load_conflicts, &Counts::shared_store_conflicts, tally.units - tally.ideal);
  } else if (space == KernelTally::space_index(ptx::Space::kGlobal)) {
    count(&Counts::global_load_requests, &Counts::global_store_requests, tally.requests);
    count(&Counts::global_load_sectors, &Counts::global_store_sectors, tally.units);
    count(&Counts::global_load_ideal_sectors, &Counts::global_store_ideal_sectors, tally.ideal);
  } else {
    count(&Counts::local_load_requests, &Counts::local_store_requests, tally.requests);
    count(&Counts::local_load_sectors, &Counts::local_store_sectors, tally.units);
  }
}

void add_other(Counts& counts, const AccessTally& tally) {
  const bool loads = tally.kind == AccessKind::kLoad;
  counts.*(loads ? &Counts::other_load_requests : &Counts::other_store_requests) += tally.requests;
  counts.*(loads ? &Counts::other_load_sectors : &Counts::other_store_sectors) += tally.units;
}

void add_atomics(Counts& counts, const AccessTally& tally, std::uint32_t space) {
  if (space == KernelTally::space_index(ptx::Space::kShared)) {
    counts.shared_atomic_requests += tally.requests;
    counts.shared_atomic_conflicts += tally.units - tally.ideal;
    counts.shared_atomic_depth += tally.depth;
    counts.shared_atomic_max_depth = std::max<std::uint64_t>(counts.shared_atomic_max_depth, tally.max_depth);
  } else {
    counts.global_atomic_requests += tally.requests;
    counts.global_atomic_sectors += tally.units;
    counts.global_atomic_depth += tally.depth;
    counts.global_atomic_max_depth = std::max<std::uint64_t>(counts.global_atomic_max_depth, tally.max_depth);
  }
}

/// A word of each lane at a time, as in local memory everywhere; all of a warp's lanes spill.
constexpr std::uint64_t kSectorsOfWord = kLanes * 4 / kSectorBytes;

void add_spills(Counts& counts, const Spills& spills, std::uint64_t executions) {
  const std::uint64_t loads = spills.in(executions, spills.load_words),
                      stores = spills.in(executions, spills.store_words);
  counts.local_load_requests += loads, counts.local_load_sectors += loads * kSectorsOfWord;
  counts.local_store_requests += stores, counts.local_store_sectors += stores * kSectorsOfWord;
}

void add_spills(LaunchWork& work, const Spills& spills, std::uint64_t executions) {
  const std::uint64_t accesses = spills.in(executions, spills.loads + spills.stores);
  const std::uint64_t words = spills.in(executions, spills.load_words + spills.store_words);
  work.issues += accesses;
  work.unit_uses[static_cast<std::size_t>(Unit::kMemory)] += accesses;
  work.l1_wavefronts += words;
  work.local_sectors += words * kSectorsOfWord;
}

/// Of each line, space and kind, the worst; of equals, the first in the kernel.
std::vector<AccessPattern> worst_of_each(std::vector<std::pair<std::int32_t, const AccessPattern*>> all) {
  const auto what = [](const AccessPattern& p) { return std::tie(p.file, p.line, p.space, p.kind); };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    if (what(*a.second) != what(*b.second)) return what(*a.second) < what(*b.second);
    return a.first > b.first;
  });
  std::vector<AccessPattern> worst;
  for (const auto& [how_bad, pattern] : all)
    if (worst.empty() || what(worst.back()) != what(*pattern)) worst.push_back(*pattern);
  return worst;
}

}  // namespace

KernelTally::KernelTally(const Kernel& kernel, const ptx::KernelResources* resources)
    : mangled_name_(kernel.function().name) {
  static_shared_bytes_ = kernel.shared_bytes();
  routes_.emplace_back();
  for (const Code* const code : kernel.all_code()) add_function(*code, resources);
  runs_.resize(instructions_.size() + 1);
  divergences_.resize(instructions_.size());
  barriers_.resize(instructions_.size());
  line_indices_.clear();
}

void KernelTally::add_function(const Code& code, const ptx::KernelResources* resources) {
  std::map<std::int32_t, std::uint32_t> line_at;  // by location: most instructions share one with others
  std::uint32_t last_source = ~0u;
  std::vector<Spills> spills;
  if (resources != nullptr) spills = spills_of(*code.function, resources->code);
  if (resources != nullptr && !spills.empty()) spilled_bytes_ = resources->local_bytes;
  const std::vector<PathStep> path = path_of(*code.function, spills);
  const std::vector<bool> uniform = uniform_registers(*code.function);
  const std::int64_t waits_before = before_.back().path.global_waits;
  for (const Insn& insn : code.insns) {
    Instruction& facts = instructions_.emplace_back();
    before_.push_back(before_.back());
    const ptx::Instruction& instruction = instruction_of(code, insn);
    const auto [line, is_new] = line_at.try_emplace(instruction.location);
    if (is_new) {
      const ptx::SourcePlace place = place_of(code, insn);
      const auto [index, is_unknown] = line_indices_.try_emplace({place.file, place.line}, lines_.size());
      if (is_unknown) lines_.push_back({place.file, place.line});
      line->second = index->second;
    }
    facts.line = line->second;
    if (insn.run == meeting_handler() || (insn.run == return_handler() && &insn == &code.insns.back())) continue;
    if (insn.source == last_source) {
      facts.route = instructions_[instructions_.size() - 2].route;
      facts.wait = instructions_[instructions_.size() - 2].wait;
      continue;
    }
    last_source = insn.source;
    const PathStep& step = path[insn.source];
    before_.back().path += step.added;
    if (step.wait != PathStep::kNone)
      facts.wait = static_cast<std::uint8_t>((waits_before + step.wait) % PathStep::kWaits);
    facts.cost = cost_of(instruction, uniform);
    before_.back().issues += facts.cost.issues;
    if (!spills.empty()) {
      facts.spills = spills[insn.source];
      before_.back().issues += static_cast<std::int64_t>(facts.spills.in(1, facts.spills.loads + facts.spills.stores));
    }
    facts.route = route_of(*code.function, instruction, uniform);
    facts.is_counted = true;
    facts.branches = (instruction.opcode == "bra" && instruction.guarded) || instruction.opcode == "brx";
    facts.waits = !ptx::has_modifier(instruction, "arrive");
    const FloatOperations operations = float_operations_of(instruction);
    facts.fp16 = static_cast<std::uint8_t>(operations.fp16);
    facts.fp32 = static_cast<std::uint8_t>(operations.fp32);
    facts.fp64 = static_cast<std::uint8_t>(operations.fp64);
  }
}

/// Parameters have a cache of their own, as have constants. Textures are read by another pipe, bulk copies by another
/// unit.
std::uint32_t KernelTally::route_of(const ptx::Function& function, const ptx::Instruction& instruction,
                                    const std::vector<bool>& uniform) {
  const std::string_view opcode = instruction.opcode;
  const bool is_image =
      opcode == "tex" || opcode == "tld4" || opcode == "suld" || opcode == "sust" || opcode == "sured";
  const bool is_access = opcode == "ld" || opcode == "ldu" || opcode == "st" || opcode == "atom" || opcode == "red" ||
                         opcode == "cp" || opcode == "ldmatrix" || opcode == "stmatrix" || is_image ||
                         (opcode == "wmma" && has_any(instruction, {"load", "store"}));
  if (opcode == "mbarrier" ||
      (opcode == "cp" && has_any(instruction, {"mbarrier"}) && has_any(instruction, {"arrive"})))
    return route_of_memory_barrier(instruction);
  if (!is_access || is_parameter_access(instruction)) return 0;
  const bool is_constant = has_any(instruction, {"const"});
  AccessRoute& route = routes_.emplace_back();
  route.tallies = access_tallies_.emplace_back().data();
  route.is_bulk_copy = opcode == "cp" && has_any(instruction, {"bulk"});
  route.is_copy = opcode == "cp" && !route.is_bulk_copy;
  route.is_constant = is_constant;
  route.is_of_rows = opcode == "ldmatrix" || opcode == "stmatrix";
  route.by_other_unit = is_image || is_constant || route.is_bulk_copy;
  route.past_l1 = has_any(instruction, {"volatile", "relaxed", "acquire", "mmio", "cg", "cv", "bulk"});
  route.acquires = has_any(instruction, {"acquire", "acq_rel"}) && !has_any(instruction, {"cta"});
  route.announces =
      route.is_bulk_copy || (opcode == "st" && has_any(instruction, {"volatile", "relaxed", "release", "mmio"}));
  route.looks = opcode == "ld" ? has_any(instruction, {"volatile", "relaxed", "acquire", "mmio", "cg", "cv"})
                               : opcode == "atom" && !is_result_unused(function, instruction);
  route.swaps = has_any(instruction, {"cas", "exch"});
  looks_in_shared_ |= route.looks && !has_any(instruction, {"global"});
  looks_in_global_ |= route.looks && !has_any(instruction, {"shared"});
  route.turns = turns_of(function, instruction, uniform);
  return static_cast<std::uint32_t>(routes_.size() - 1);
}

std::uint32_t KernelTally::route_of_memory_barrier(const ptx::Instruction& instruction) {
  AccessRoute& route = routes_.emplace_back();
  route.looks = has_any(instruction, {"test_wait", "try_wait"});
  route.announces = has_any(instruction, {"arrive", "arrive_drop", "complete_tx"});
  looks_in_shared_ |= route.looks;
  return static_cast<std::uint32_t>(routes_.size() - 1);
}

void KernelTally::begin_launch(const Launch& launch) {
  if (launches_++ != 0) return;
  grid_ = launch.shape().grid;
  block_ = launch.shape().block;
  dynamic_shared_bytes_ = launch.shape().dynamic_shared;
}

void KernelTally::keep_pattern(AccessTally& tally, std::int32_t how_bad, std::uint32_t instruction,
                               AccessPattern pattern) {
  const Line& line = lines_[instructions_[instruction].line];
  pattern.file = line.file;
  pattern.line = line.line;
  tally.worst = how_bad;
  if (tally.pattern == nullptr) tally.pattern = &patterns_.emplace_back();
  *tally.pattern = std::move(pattern);
}

LaunchWork KernelTally::work() const {
  LaunchWork work;
  constexpr std::uint64_t kSectorsOfWavefront = kLineBytes / kSectorBytes;
  const std::uint32_t shared = space_index(ptx::Space::kShared), global = space_index(ptx::Space::kGlobal);
  std::int64_t executions = 0;
  for (std::uint32_t number = 0; number < instructions_.size(); ++number) {
    const Instruction& facts = instructions_[number];
    executions += runs_[number].executions;
    if (!facts.is_counted) continue;
    const auto by_warps = static_cast<std::uint64_t>(executions);
    work.issues += by_warps * facts.cost.issues;
    work.unit_uses[static_cast<std::size_t>(facts.cost.unit)] += by_warps * facts.cost.unit_uses;
    add_spills(work, facts.spills, by_warps);
    if (routes_[facts.route].is_bulk_copy) continue;
    for (std::uint32_t space = 0; routes_[facts.route].tallies != nullptr && space < kSpaces; ++space) {
      const AccessTally& tally = routes_[facts.route].tallies[space];
      const bool is_atomic = tally.kind == AccessKind::kAtomic;
      if (space == shared) {
        (is_atomic ? work.shared_atomic_wavefronts : work.shared_wavefronts) += tally.units;
      } else if (is_atomic) {
        work.atomic_turns += tally.units;
        work.l1_wavefronts += tally.requests;
      } else {
        work.l1_wavefronts += std::max({tally.requests, tally.lines, tally.units / kSectorsOfWavefront});
        if (space == global && tally.kind == AccessKind::kLoad) work.load_sectors += tally.units;
        if (space != global) work.local_sectors += tally.units;
      }
    }
  }
  // The network between multiprocessors carries 3.27 TB/s on 114 of them (Luo and others, "Benchmarking and Dissecting
  // the Nvidia Hopper GPU Architecture", 2024): shared memory is kept waiting for it.
  constexpr std::uint64_t kRemoteBytesOfClock = 16;
  work.shared_wavefronts += remote_bytes_ / kRemoteBytesOfClock;
  work.l2_read_sectors = traffic.l2_read_sectors;
  work.left_hits = traffic.left_sectors;
  work.l2_hits = traffic.l2_hits + work.left_hits;
  work.l2_write_sectors = traffic.l2_write_sectors;
  // The second level is full of what others have changed: whatever comes to be changed makes as much be written.
  const auto written = [&](std::uint64_t changed) {
    return std::max(traffic.dram_write_bytes, kSectorBytes * changed);
  };
  work.dram_bytes = traffic.dram_read_bytes - kSectorBytes * traffic.left_sectors + written(traffic.changed_sectors);
  work.left_bytes = kSectorBytes * traffic.left_sectors +
                    written(traffic.changed_sectors + traffic.changed_again_sectors) - written(traffic.changed_sectors);
  work.match_turns = match_turns_;
  return work;
}

KernelCounts KernelTally::counts() const {
  KernelCounts all;
  all.mangled_name = mangled_name_;
  all.launches = launches_;
  all.grid = grid_;
  all.block = block_;
  all.static_shared_bytes = static_shared_bytes_;
  all.dynamic_shared_bytes = dynamic_shared_bytes_;
  all.traffic = traffic;
  all.time = time;
  all.timeline = timeline;

  std::vector<Counts> by_line(lines_.size());
  std::vector<std::pair<std::int32_t, const AccessPattern*>> patterns;
  std::int64_t executions = 0, threads = 0;
  for (std::uint32_t number = 0; number < instructions_.size(); ++number) {
    const Instruction& facts = instructions_[number];
    executions += runs_[number].executions;
    threads += runs_[number].threads;
    Counts& line = by_line[facts.line];
    if (!facts.is_counted) continue;
    const auto by_warps = static_cast<std::uint64_t>(executions), by_threads = static_cast<std::uint64_t>(threads);
    add_spills(line, facts.spills, by_warps);
    line.executions += by_warps;
    line.thread_executions += by_threads;
    if (facts.branches) line.branches += by_warps;
    line.divergent_branches += divergences_[number];
    line.barriers += barriers_[number].arrivals;
    line.barrier_wait += barriers_[number].wait;
    all.operations.fp16 += facts.fp16 * by_threads;
    all.operations.fp32 += facts.fp32 * by_threads;
    all.operations.fp64 += facts.fp64 * by_threads;
    for (std::uint32_t space = 0; routes_[facts.route].tallies != nullptr && space < kSpaces; ++space) {
      const AccessTally& tally = routes_[facts.route].tallies[space];
      if (routes_[facts.route].by_other_unit)
        add_other(line, tally);
      else if (tally.kind == AccessKind::kAtomic)
        add_atomics(line, tally, space);
      else
        add_loads_and_stores(line, tally, space);
      if (tally.pattern != nullptr) patterns.emplace_back(tally.worst, tally.pattern);
    }
  }
  for (std::size_t n = 0; n < lines_.size(); ++n) {
    if (by_line[n].executions == 0) continue;
    add(all.totals, by_line[n]);
    all.lines.push_back({lines_[n].file, lines_[n].line, by_line[n]});
  }
  std::sort(all.lines.begin(), all.lines.end(), [](const LineCounts& a, const LineCounts& b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  });
  all.patterns = worst_of_each(std::move(patterns));
  return all;
}

}  // namespace vgpu
