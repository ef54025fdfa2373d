#include "harness/vgpu/machine/slots.h"

#include <algorithm>
#include <map>

#include "harness/vgpu/machine/control_flow.h"

namespace vgpu {
namespace {

/// Finding out where registers are alive takes memory and time that grow with runs of code times registers. Beyond
/// these (128 MiB, about a second) every register gets a slot of its own.
constexpr std::uint64_t kMostSetWords = std::uint64_t{1} << 22;
constexpr std::uint64_t kMostWordSteps = std::uint64_t{1} << 30;

struct Interval {
  std::uint32_t begin = kNoInstruction;
  std::uint32_t end = 0;  ///< last instruction at which the register is alive

  void include(std::uint32_t at) {
    begin = std::min(begin, at);
    end = std::max(end, at);
  }
};

using BitSet = std::vector<std::uint64_t>;

bool test(const BitSet& set, std::uint32_t bit) { return (set[bit / 64] >> (bit % 64) & 1) != 0; }
void put(BitSet& set, std::uint32_t bit) { set[bit / 64] |= std::uint64_t{1} << (bit % 64); }

/// Straight runs of decoded instructions, split at every jump and every target.
struct Run {
  std::uint32_t begin, end;
  std::vector<std::uint32_t> successors;
  BitSet uses, kills, live_in, live_out;
};

bool never_falls_through(const Code& code, const Insn& insn) {
  const bool last_of_source = insn.index + 1 == code.insns.size() || code.insns[insn.index + 1].source != insn.source;
  return last_of_source && insn.source < code.function->body.size() && ends_path(code.function->body[insn.source]);
}

std::vector<const Insn*> targets_of(const Insn& insn, const Code& code) {
  std::vector<const Insn*> targets;
  if (insn.target != nullptr) targets.push_back(insn.target);
  const bool is_brx = insn.extra != nullptr && insn.source < code.function->body.size() &&
                      code.function->body[insn.source].opcode == "brx";
  if (is_brx) {
    const auto& list = *static_cast<const std::vector<const Insn*>*>(insn.extra);
    targets.insert(targets.end(), list.begin(), list.end());
  }
  return targets;
}

std::vector<Run> split_into_runs(const Code& code) {
  const auto count = static_cast<std::uint32_t>(code.insns.size());
  std::vector<bool> leads(count + 1, false);
  leads[0] = true;
  for (const Insn& insn : code.insns) {
    const std::vector<const Insn*> targets = targets_of(insn, code);
    for (const Insn* target : targets) leads[target->index] = true;
    if (!targets.empty() || never_falls_through(code, insn)) leads[insn.index + 1] = true;
  }
  std::vector<Run> runs;
  std::vector<std::uint32_t> run_of(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (leads[i]) runs.push_back({i, i, {}, {}, {}, {}, {}});
    runs.back().end = i + 1;
    run_of[i] = static_cast<std::uint32_t>(runs.size() - 1);
  }
  for (Run& run : runs) {
    const Insn& last = code.insns[run.end - 1];
    for (const Insn* target : targets_of(last, code)) run.successors.push_back(run_of[target->index]);
    if (run.end < count && !never_falls_through(code, last)) run.successors.push_back(run_of[run.end]);
  }
  return runs;
}

std::vector<Interval> live_intervals(const Code& code, std::size_t register_count,
                                     const std::vector<SlotReference>& references) {
  std::vector<std::vector<const SlotReference*>> by_insn(code.insns.size());
  for (const SlotReference& reference : references)
    if (reference.of == SlotReference::Of::kRegister) by_insn[reference.insn].push_back(&reference);

  std::vector<Interval> intervals(register_count);
  std::vector<Run> runs = split_into_runs(code);
  const std::size_t words = (register_count + 63) / 64;
  const auto alive_everywhere = [&] {
    for (const SlotReference& reference : references)
      if (reference.of == SlotReference::Of::kRegister)
        intervals[reference.which] = {0, static_cast<std::uint32_t>(code.insns.size() - 1)};
    return intervals;
  };
  if (runs.size() * words > kMostSetWords) return alive_everywhere();
  for (Run& run : runs) {
    run.uses.assign(words, 0);
    run.kills = run.live_in = run.live_out = run.uses;
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      for (const SlotReference* r : by_insn[i])
        if (!r->is_definition && !test(run.kills, r->which)) put(run.uses, r->which);
      // A guarded write keeps the old value in other lanes: it is a use as well.
      const bool guarded =
          code.insns[i].source < code.function->body.size() && code.function->body[code.insns[i].source].guarded;
      for (const SlotReference* r : by_insn[i]) {
        if (!r->is_definition) continue;
        if (guarded && !test(run.kills, r->which)) put(run.uses, r->which);
        if (!guarded) put(run.kills, r->which);
      }
    }
  }
  std::uint64_t steps = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      steps += words * (1 + run->successors.size());
      if (steps > kMostWordSteps) return alive_everywhere();
      for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t out = 0;
        for (const std::uint32_t s : run->successors) out |= runs[s].live_in[w];
        const std::uint64_t in = run->uses[w] | (out & ~run->kills[w]);
        changed |= in != run->live_in[w] || out != run->live_out[w];
        run->live_in[w] = in;
        run->live_out[w] = out;
      }
    }
  }

  for (const Run& run : runs) {
    for (std::uint32_t r = 0; r < register_count; ++r) {
      if (r % 64 == 0 && (run.live_in[r / 64] | run.live_out[r / 64]) == 0) {
        r += 63;  // nothing of these 64
        continue;
      }
      if (test(run.live_in, r)) intervals[r].include(run.begin);
      if (test(run.live_out, r)) intervals[r].include(run.end - 1);
    }
  }
  for (std::uint32_t i = 0; i < by_insn.size(); ++i)
    for (const SlotReference* r : by_insn[i]) intervals[r->which].include(i);
  return intervals;
}

}  // namespace

SlotAssignment assign_register_slots(const Code& code, const std::vector<SlotSize>& sizes,
                                     const std::vector<SlotReference>& references) {
  const std::vector<Interval> intervals = live_intervals(code, sizes.size(), references);
  std::vector<std::uint32_t> order;
  for (std::uint32_t r = 0; r < sizes.size(); ++r)
    if (intervals[r].begin != kNoInstruction) order.push_back(r);
  std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    return std::make_pair(intervals[x].begin, x) < std::make_pair(intervals[y].begin, y);
  });

  SlotAssignment assignment;
  assignment.offsets.assign(sizes.size(), 0);
  std::map<SlotSize, std::vector<std::uint32_t>> free_slots;
  std::multimap<std::uint32_t, std::uint32_t> ending;  // end of interval -> register
  for (const std::uint32_t r : order) {
    // An instruction reads whole operands before it writes, except where it works lane by lane; a slot that ends where
    // another begins is therefore not shared.
    while (!ending.empty() && ending.begin()->first < intervals[r].begin) {
      const std::uint32_t ended = ending.begin()->second;
      free_slots[sizes[ended]].push_back(assignment.offsets[ended]);
      ending.erase(ending.begin());
    }
    std::vector<std::uint32_t>& candidates = free_slots[sizes[r]];
    if (!candidates.empty()) {
      assignment.offsets[r] = candidates.back();
      candidates.pop_back();
    } else if (sizes[r] == SlotSize::kMask) {
      assignment.offsets[r] = assignment.mask_bytes;
      assignment.mask_bytes += bytes_of(SlotSize::kMask);
    } else {
      assignment.offsets[r] = assignment.register_bytes;
      assignment.register_bytes += bytes_of(sizes[r]);
    }
    ending.emplace(intervals[r].end, r);
  }
  return assignment;
}

}  // namespace vgpu
