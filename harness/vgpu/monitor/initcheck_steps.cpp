// What initcheck does with the instructions of a warp that holds a value from unwritten memory, and what it says.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "harness/vgpu/machine/device_math.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/monitor/array_names.h"
#include "harness/vgpu/monitor/initcheck.h"
#include "harness/vgpu/monitor/matrix_marks.h"

namespace vgpu {
namespace {

/// Instructions of a warp after which it is looked whether it still holds a mark.
constexpr std::uint32_t kStepsBetweenLooks = 256;

constexpr const char* kAbsentLaneAdvice =
    "The value of a lane that has returned, or that the mask leaves out, is undefined. Let all lanes of the warp "
    "execute the shuffle, those without an element with a value that changes nothing (0 in a sum); or use the value "
    "only where its lane takes part.";

const char* advice_for(ptx::Space space, bool is_heap, bool has_lost_threads, bool is_stored_there) {
  if (space == ptx::Space::kShared && has_lost_threads)
    return "Some threads of the block had returned before the latest __syncthreads(). If they were to write this "
           "element, let them: no thread returns before the last __syncthreads(), and what it must not store is "
           "guarded "
           "by an if.";
  if (space == ptx::Space::kShared)
    return "Shared memory is uninitialised when a block begins: is every element written before it is read, with a "
           "__syncthreads() in between? An if around the store may leave some out.";
  if (is_heap) return "malloc() does not clear memory: write every element before it is read.";
  if (is_stored_there)
    return "Is there += where = belongs? If it is meant to add to what is there, something has to be there: clear the "
           "memory first, with cudaMemset.";
  return "cudaMalloc does not clear memory. What should be in it? An input: a cudaMemcpy to the device is missing. "
         "Results of a kernel: some thread did not store its own (did it return too early?), or is in a block that has "
         "yet to run (read what other blocks store in a separate launch), or more elements are read than were stored. "
         "Zeros: cudaMemset all of it (its size counts bytes).";
}

}  // namespace

void Initcheck::instruction(Warp& warp, const Insn* at) {
  BlockState& state = state_of(*warp.block);
  WarpMarks& marks = state.warps[warp.index];
  if (++state.steps[warp.index] % kStepsBetweenLooks == 0 && !marks.any()) {
    marks.clear();
    warp.stepping = false;
    return;
  }
  const Code& code = *warp.frame->code;
  const Conduct what = facts(code, *at).conduct;
  if (at->guard != 0) {
    const OperandSlot guard{at->guard, 0, false};
    const bool branches = what == Conduct::kNothing || what == Conduct::kBranches || what == Conduct::kReturns;
    use(warp, *warp.frame, at, &guard, warp.active, branches ? "branches on it" : "uses it as a condition");
  }
  const Mask lanes = guarded_lanes(warp, at);
  if (lanes == 0) return;
  const auto clear_results = [&] {
    for (const OperandSlot& slot : operands_of(code, *at))
      if (slot.is_written) marks.of(*warp.frame).clear(slot, lanes);
  };
  switch (what) {
    case Conduct::kNothing:
      return;
    case Conduct::kLoads:
      use_address(warp, at, lanes);
      return clear_results();
    case Conduct::kStores:
      return use_address(warp, at, lanes);
    case Conduct::kAtomic:
      use(warp, *warp.frame, at, operand_read(code, *at, at->a), lanes, "computes an address from it");
      use_all(warp, at, lanes, "passes it to an atomic operation");
      return clear_results();
    case Conduct::kCopies:
      use_all(warp, at, lanes, "computes an address from it");
      return clear_results();
    case Conduct::kWaits:
      use_all(warp, at, lanes, "passes it to a barrier");
      return clear_results();
    case Conduct::kExchanges:
      use(warp, *warp.frame, at, operand_read(code, *at, at->c), lanes, "computes a lane mask from it");
      if (instruction_of(code, *at).opcode == "shfl") {
        use(warp, *warp.frame, at, operand_read(code, *at, at->b), lanes, "computes the lane of a shuffle from it");
        use(warp, *warp.frame, at, operand_read(code, *at, at->more[0]), lanes,
            "computes the lane of a shuffle from it");
      }
      return;
    case Conduct::kMultiplies:
      return multiply_marks(marks.of(*warp.frame), *at);
    case Conduct::kTransposes:
      return transpose_marks(marks.of(*warp.frame), *at);
    case Conduct::kBranches:
      return use_all(warp, at, lanes, "branches on it");
    case Conduct::kCalls:
      use_all(warp, at, lanes, "calls a function through it");
      return call(warp, at, lanes, marks);
    case Conduct::kReturns:
      return leave(warp, lanes, marks);
    default:
      return move_marks(warp, at, what, marks, lanes);
  }
}

void Initcheck::lanes_exchange(Warp& warp, const std::vector<Participant>& participants) {
  const Participant& first = participants.front();
  const std::string_view opcode = instruction_of(*first.frame->code, *first.at).opcode;
  WarpMarks& marks = marks_of(warp);
  if (opcode == "shfl") return shuffle_marks(warp, participants, marks);
  Verdict verdict = vote_marks(participants, marks);
  if (verdict.is_settled) verdict.marked = 0;
  if (verdict.marked != 0 && verdict.is_by_lane) {  // however few of its bits are marked: a mask is one value
    Origin whole = origins_[verdict.origin];
    whole.is_whole = true;
    verdict.origin = number_of(whole);
  }
  for (const Participant& p : participants) {
    FrameMarks& frame = marks.of(*p.frame);
    const OperandSlot* const value = operand_read(*p.frame->code, *p.at, p.at->a);
    const Mask own = value != nullptr && opcode == "match" ? frame.marked(*value, p.lanes) : 0;
    for (const OperandSlot& slot : operands_of(*p.frame->code, *p.at)) {
      if (!slot.is_written) continue;
      frame.clear(slot, p.lanes);
      if (verdict.marked == 0) continue;
      if (verdict.is_by_lane)
        for_each_lane(p.lanes, [&](int lane) {
          const bool is_own = (own >> lane & 1) != 0;
          frame.set_bits(slot, lane, is_own ? kAllLanes : verdict.marked);
        });
      else
        frame.mark(slot, p.lanes);
      for_each_lane(p.lanes, [&](int lane) { frame.set_origin(slot, lane, verdict.origin); });
    }
  }
}

void Initcheck::values_are_undefined(Warp& warp, const Participant& receivers, const LaneNumbers& sources) {
  const Code& code = *receivers.frame->code;
  FrameMarks& marks = marks_of(warp).of(*receivers.frame);
  Origin origin;
  origin.code = &code;
  origin.insn = receivers.at;
  origin.block = origin.home = warp.block->index();
  for (const OperandSlot& slot : operands_of(code, *receivers.at)) {
    if (!slot.is_written || slot.offset != receivers.at->dst) continue;
    marks.mark(slot, receivers.lanes);
    for_each_lane(receivers.lanes, [&](int lane) {
      origin.thread = warp.index * kLanes + static_cast<std::uint32_t>(lane);
      origin.absent_lane = sources[static_cast<std::size_t>(lane)];
      marks.set_origin(slot, lane, number_of(origin));
    });
  }
  warp.stepping = true;
}

/// What is passed to a function goes through local memory.
void Initcheck::call(const Warp& warp, const Insn* at, Mask lanes, WarpMarks& marks) {
  marks.prune(warp);
  if (!marks.has_local()) return;
  const Frame& frame = *warp.frame;
  const auto& site = *static_cast<const CallSite*>(at->extra);
  const OperandSlot* const target = operand_read(*frame.code, *at, at->a);
  for_each_lane(lanes, [&](int lane) {
    const Code* callee = site.code;
    if (target != nullptr) {
      std::uint64_t address;
      std::memcpy(&address, warp.registers + target->offset + static_cast<std::size_t>(lane) * 8, sizeof address);
      callee = launch_->kernel().code_at(address);
    }
    if (callee == nullptr) {  // the system's: what it returns is known, but for a mathematical function of the unknown
      std::uint32_t marked = 0;
      OriginId origin = 0;
      for (std::size_t a = 0; site.math != nullptr && a < site.arguments.size() && marked == 0; ++a) {
        const std::uint64_t argument = frame.local_base + site.arguments[a];
        const auto bytes = static_cast<std::uint32_t>(site.math->number_bytes);
        if (marks.local(warp, lane, argument, bytes) == 0) continue;
        marked = 0xFF;
        origin = marks.local_origin(warp, lane, argument, bytes);
      }
      for (const std::uint32_t result : site.results)
        marks.set_local(warp, lane, frame.local_base + result, 8, marked, origin);
      return;
    }
    const std::uint64_t base = frame.local_base + frame.code->local_bytes;
    for (std::size_t p = 0; p < site.arguments.size() && p < callee->parameter_offsets.size(); ++p)
      marks.copy_local(warp, lane, base + callee->parameter_offsets[p], frame.local_base + site.arguments[p],
                       callee->function->parameters[p].bytes);
  });
}

void Initcheck::leave(const Warp& warp, Mask lanes, WarpMarks& marks) {
  const Frame& callee = *warp.frame;
  if (callee.caller == nullptr || !marks.has_local()) return;
  const auto& site = *static_cast<const CallSite*>(callee.call->extra);
  for_each_lane(lanes, [&](int lane) {
    for (std::size_t r = 0; r < site.results.size() && r < callee.code->result_offsets.size(); ++r)
      marks.copy_local(warp, lane, callee.caller->local_base + site.results[r],
                       callee.local_base + callee.code->result_offsets[r], callee.code->function->results[r].bytes);
  });
}

// --- what is said ---

/// `lanes` use an operand; null is none. What was reported is forgotten, so that one mistake is one finding.
void Initcheck::use(const Warp& warp, const Frame& frame, const Insn* at, const OperandSlot* slot, Mask lanes,
                    const char* how) {
  if (slot == nullptr) return;
  FrameMarks& marks = marks_of(warp).of(frame);
  const Mask marked = marks.marked(*slot, lanes);
  if (marked == 0) return;
  for_each_lane(marked, [&](int lane) {
    const OriginId origin = marks.origin(*slot, lane);
    if (is_first_seen(at, origin)) report(warp, *frame.code, at, origin, how);
  });
  marks.clear(*slot, marked);
}

void Initcheck::use_all(const Warp& warp, const Insn* at, Mask lanes, const char* how) {
  for (const OperandSlot& slot : operands_of(*warp.frame->code, *at))
    if (!slot.is_written) use(warp, *warp.frame, at, &slot, lanes, how);
}

/// Of a load or store. Not every lane's counts for a matrix, but the distance between its lines does.
void Initcheck::use_address(const Warp& warp, const Insn* at, Mask lanes) {
  const Code& code = *warp.frame->code;
  const ptx::Instruction& instruction = instruction_of(code, *at);
  constexpr const char* kHow = "computes an address from it";
  if (!is_matrix_instruction(instruction))
    return use(warp, *warp.frame, at, operand_read(code, *at, at->a), lanes, kHow);
  use(warp, *warp.frame, at, operand_read(code, *at, at->a), lanes_with_address(instruction, *at, lanes), kHow);
  use(warp, *warp.frame, at, operand_read(code, *at, at->b), lanes, kHow);
}

/// Counts a use. One that was seen before needs no more than that: composing its sentence would take far longer.
bool Initcheck::is_first_seen(const Insn* at, OriginId origin) {
  const Insn* const read = origins_[origin].insn;
  if (read != last_read_ || at != last_use_) {
    last_read_ = read;
    last_use_ = at;
    last_reported_ = &reported_[read][at];
  }
  return last_reported_->count++ == 0;
}

/// Of a use that is_first_seen() was just told of.
void Initcheck::report(const Warp& warp, const Code& code, const Insn* at, OriginId origin, const std::string& how) {
  const Origin& read = origins_[origin];
  Reported& mistake = *last_reported_;
  const ptx::SourcePlace here = place_of(*read.code, *read.insn);
  const ptx::SourcePlace there = place_of(code, *at);
  const std::vector<Warp>& warps = warp.block->warps();
  const Extent3 thread =
      warp.block->thread(warps[read.thread / kLanes], static_cast<int>(read.thread % kLanes));  // all blocks are alike
  const bool is_shuffle = read.absent_lane >= 0;
  const NamedElement element = is_shuffle ? NamedElement{} : element_at(*launch_, read.space, read.address, read.bytes);
  mistake.kind = is_shuffle ? "value of an absent lane" : "uninitialised read";
  mistake.file = here.file;
  mistake.line = here.line;
  mistake.array = element.array;
  if (!findings_.is_new(mistake.kind, mistake.file, mistake.line, mistake.array, 1)) return;

  Finding finding;
  finding.tool = "initcheck";
  finding.kind = mistake.kind;
  finding.kernel = kernel_name_;
  finding.file = here.file;
  finding.line = here.line;
  finding.block = read.block;
  finding.thread = thread;
  finding.array = element.array;
  finding.index = element.index;
  if (read.space == ptx::Space::kShared) finding.shared_element_bytes = read.bytes;
  const bool is_own = read.home.x == read.block.x && read.home.y == read.block.y && read.home.z == read.block.z;
  const std::string of_home = is_own ? std::string() : " of block " + spelled(read.home);
  const std::string place = (there.file == here.file ? "" : "of " + there.file + " ");
  const std::string what = is_shuffle ? " takes the value of lane " + std::to_string(read.absent_lane) +
                                            ", which takes no part in the shuffle"
                                      : " reads " + element.text() + of_home + ", which was never written";
  finding.sentence = "thread " + spelled(thread) + " of block " + spelled(read.block) + what + ", and " +
                     (there.line == here.line ? "" : "in line " + std::to_string(there.line) + " " + place) + how;
  const Allocation* const allocation =
      read.space == ptx::Space::kGlobal ? launch_->memory().find(read.address) : nullptr;
  // In one line, as in c[i] += x.
  const bool is_stored_there = here.file == there.file && here.line == there.line && !element.array.empty() &&
                               how == "stores the value in " + element.text();
  finding.advice = is_shuffle ? kAbsentLaneAdvice
                              : advice_for(read.space, allocation != nullptr && allocation->kind == MemoryKind::kHeap,
                                           state_of(*warp.block).has_lost_threads, is_stored_there);
  findings_.add(std::move(finding));
}

}  // namespace vgpu
