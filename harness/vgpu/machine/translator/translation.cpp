#include "harness/vgpu/machine/translator/translation.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/noted_reads.h"
#include "harness/vgpu/machine/translator/emitter.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {
namespace {

/// By warps, until a passage is worth it: translating takes as long as executing it some hundred times.
constexpr std::uint32_t kEnoughExecutions = 200;
/// From when on a passage that is rarely what it is made for is translated once more, without its loads.
constexpr std::uint64_t kManyMisses = 50;
/// From so many reads on in a watched passage, noting them together takes less time than one by one.
constexpr std::ptrdiff_t kEnoughReads = 4;
constexpr int kHalf = kLanes / 2;

/// The address in a lane of a base.
std::uint64_t address_in(const Warp& warp, const RowBase& base, int lane) {
  std::uint64_t address = 0;
  const std::size_t bytes = base.is_global ? 8 : 4;
  std::memcpy(&address, warp.registers + base.slot + static_cast<std::size_t>(lane) * bytes, bytes);
  return address;
}

/// Finds out of what shape the bases are. If one has none, the first load from it.
const Insn* find_shapes(const Warp& warp, Passage& passage) {
  for (RowBase& base : passage.bases) {
    base.contiguous = 0;
    for (int half = 0; half < 2; ++half) {
      const std::uint64_t first = address_in(warp, base, half * kHalf);
      const auto are_apart = [&](std::uint64_t bytes) {
        for (int n = 1; n < kHalf; ++n)
          if (address_in(warp, base, half * kHalf + n) != first + static_cast<std::uint64_t>(n) * bytes) return false;
        return true;
      };
      if (are_apart(base.bytes))
        base.contiguous |= static_cast<std::uint8_t>(1 << half);
      else if (!are_apart(0))
        return std::find_if(
                   passage.steps.begin(), passage.steps.end(),
                   [&](const Step& step) { return is_load(step.operation) && &passage.bases[step.base] == &base; })
            ->insn;
    }
  }
  return nullptr;
}

/// See TranslatorCalls. The loads are aligned and inside of shared memory.
bool note_reads(Warp& warp, const Passage& passage) {
  NotedReads& noted = warp.block->noted_reads();
  std::uint32_t begins[2 * kMostRowBases];
  for (std::size_t n = 0; n < passage.bases.size(); ++n) {
    const RowBase& base = passage.bases[n];
    std::uint32_t* const of_halves = begins + 2 * n;
    std::uint32_t high = 0;
    for (int half = 0; half < 2; ++half) {
      std::memcpy(of_halves + half, warp.registers + base.slot + half * kHalf * 4, 4);
      high = std::max(high, of_halves[half] + ((base.contiguous >> half & 1) != 0 ? kHalf * base.bytes : base.bytes));
    }
    const std::int64_t low = std::min(of_halves[0], of_halves[1]);
    if (!noted.holds(static_cast<std::uint64_t>(low + base.lowest), static_cast<std::uint64_t>(high + base.highest)))
      return false;
  }
  if (!noted.are_wanted()) return true;
  // Showing them and making room may throw, which must not pass through translated code: the interpreter does both.
  if (!noted.has_room_for(passage.reads)) return false;
  noted.note_batch(warp, passage.reads, begins);
  return true;
}

/// After one more miss.
bool is_given_up(const Passage& passage) { return ++passage.misses >= kManyMisses && passage.misses > passage.hits; }

/// The noted form of the passage's reads of shared memory, in their order.
ReadBatch batch_of(const Passage& passage) {
  ReadBatch batch;
  batch.code = passage.code;
  for (const RowBase& base : passage.bases) batch.bases.push_back({base.bytes, base.contiguous});
  for (const Step& step : passage.steps)
    if (is_load(step.operation))
      batch.reads.push_back({step.insn, step.base, static_cast<std::uint32_t>(step.insn->offset)});
  return batch;
}

}  // namespace

bool Translation::is_possible() { return &can_translate != nullptr && can_translate(); }

void Translation::prepare(Code& code, bool is_watched) {
  const char* const when = std::getenv(kVariable);
  const std::string_view wanted = when == nullptr ? "" : when;
  if (wanted == kNever || !is_possible()) return;
  code.translation = std::make_shared<Translation>(code, is_watched, wanted == kAlways);
}

Translation::Translation(Code& code, bool is_watched, bool at_once)
    : code_(code), is_watched_(is_watched), at_once_(at_once), begins_(run_begins(code)) {
  for (const Insn& insn : code.insns) plain_.push_back(insn.run);
  lead_from(0, static_cast<std::uint32_t>(code.insns.size()), true);
}

PassageOptions Translation::options_of(const Leader& leader) const {
  return {is_watched_, leader.with_loads, at_once_, leader.end};
}

/// From now on, executions of what can be translated in [begin, end) are counted.
void Translation::lead_from(std::uint32_t begin, std::uint32_t end, bool with_loads) {
  for (std::uint32_t index = begin; index < end;) {
    Leader leader;
    leader.with_loads = with_loads;
    leader.end = end;
    const Passage passage = passage_from(code_, &code_.insns[index], begins_, options_of(leader));
    if (passage.steps.empty()) {
      ++index;
      continue;
    }
    leaders_[index] = std::move(leader);
    code_.insns[index].run = &warm_up;
    index = passage.behind()->index;
  }
}

void Translation::stop_leading(std::uint32_t index) {
  leaders_.erase(index);
  code_.insns[index].run = plain_[index];
}

const Insn* Translation::warm_up(Warp& warp, const Insn* insn) {
  Translation& here = *warp.frame->code->translation;
  Leader& leader = here.leaders_[insn->index];
  ++leader.executions;
  if (warp.active == kAllLanes && (here.at_once_ || leader.executions >= kEnoughExecutions))
    here.translate_at(warp, insn);
  return here.plain(insn)(warp, insn);
}

/// The next time, translated code is executed, if there is any.
void Translation::translate_at(const Warp& warp, const Insn* insn) {
  Leader& leader = leaders_[insn->index];
  Insn& first = code_.insns[insn->index];
  auto passage = std::make_unique<Passage>(passage_from(code_, insn, begins_, options_of(leader)));
  const auto reads = std::count_if(passage->steps.begin(), passage->steps.end(),
                                   [](const Step& step) { return is_load(step.operation); });
  const bool is_dear = is_watched_ && !at_once_ && reads != 0 && reads < kEnoughReads;
  const std::uint32_t begin = insn->index, end = passage->behind()->index;
  if (is_dear) {
    stop_leading(begin);
    return lead_from(begin, end, false);
  }
  if (const Insn* const load = find_shapes(warp, *passage)) {  // on both sides of it, others may have one
    stop_leading(begin);
    lead_from(begin, load->index, true);
    return lead_from(load->index + 1, end, true);
  }
  passage->reads = batch_of(*passage);
  static constexpr TranslatorCalls kCalls = {&note_reads, &missed};
  const Handler translated = translate(*passage, plain(insn), kCalls);
  first.run = translated != nullptr ? translated : plain(insn);
  leader.passage = std::move(passage);
}

/// The addresses are of another shape than they were.
const Insn* Translation::missed(Warp& warp, const Insn* insn) {
  Translation& here = *warp.frame->code->translation;
  const auto leader = here.leaders_.find(insn->index);
  const Handler plain = here.plain(insn);
  if (leader != here.leaders_.end() && leader->second.passage != nullptr && is_given_up(*leader->second.passage)) {
    const std::uint32_t end = leader->second.passage->behind()->index;
    here.given_up_.push_back(std::move(leader->second.passage));
    here.stop_leading(insn->index);
    here.lead_from(insn->index, end, false);
  }
  return plain(warp, insn);
}

Handler interpreter_of(const Code& code, const Insn* insn) {
  return code.translation != nullptr ? code.translation->plain(insn) : insn->run;
}

}  // namespace vgpu
