#include "harness/vgpu/machine/endless_loop.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string_view>

#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/control_flow.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {
namespace {

/// Instructions that a look lasts, as a warp executes them.
constexpr std::uint64_t kLook = 2048;

/// Instructions searched for what decides: about ten milliseconds, however large the code is.
constexpr std::size_t kMostSteps = 100'000;

/// Slots by where they lie, and the bytes of a lane.
using Slots = std::map<std::uint32_t, std::uint32_t>;

std::uint32_t bytes_of(const OperandSlot& slot) {
  return slot.lane_bytes == 0 ? sizeof(Mask) : slot.lane_bytes * kLanes;
}

/// Whether what an instruction writes follows from the registers that it reads.
bool only_computes(const ptx::Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  const bool carries = ptx::has_modifier(instruction, "cc") || opcode == "addc" || opcode == "subc" || opcode == "madc";
  if (carries || !is_arithmetic(opcode)) return false;
  return std::none_of(instruction.operands.begin(), instruction.operands.end(), [](const ptx::Operand& operand) {
    const std::string_view name = operand.name;
    return name.substr(0, 6) == "%clock" || name.substr(0, 12) == "%globaltimer";
  });
}

template <std::size_t N>
bool is_one_of(std::string_view opcode, const std::array<std::string_view, N>& opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
}

bool tests_barrier(const ptx::Instruction& instruction) {
  return instruction.opcode == "mbarrier" &&
         (ptx::has_modifier(instruction, "test_wait") || ptx::has_modifier(instruction, "try_wait"));
}

/// Whether what an instruction writes follows from the registers that it reads, its own lane's and others', as long as
/// memory does not change.
bool only_reads(const ptx::Instruction& instruction) {
  constexpr std::array<std::string_view, 7> kOpcodes = {"ld", "ldu", "atom", "shfl", "vote", "match", "redux"};
  return is_one_of(instruction.opcode, kOpcodes) || tests_barrier(instruction);
}

/// Whether an instruction changes no memory, unless it is an atomic.
bool leaves_memory(const ptx::Instruction& instruction) {
  constexpr std::array<std::string_view, 16> kOpcodes = {
      "bra",   "brx",      "exit",      "ret",  "red",        "bar",       "barrier", "membar",
      "fence", "prefetch", "prefetchu", "trap", "activemask", "nanosleep", "elect",   "pmevent"};
  return is_arithmetic(instruction.opcode) || only_reads(instruction) || is_one_of(instruction.opcode, kOpcodes);
}

std::vector<bool> reached_from(const std::vector<std::vector<std::uint32_t>>& next, std::uint32_t first) {
  std::vector<bool> reached(next.size(), false);
  std::vector<std::uint32_t> open = next[first];
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    if (reached[block]) continue;
    reached[block] = true;
    open.insert(open.end(), next[block].begin(), next[block].end());
  }
  return reached;
}

/// Finds, from each place in a loop, which registers decide about its way from there on: those that branches ask, and
/// those that these are computed from, backwards through the code until there is nothing new.
class Search {
 public:
  Search(const Code& code, const Insn& at, Memory memory);
  LoopControl result();

 private:
  Slots behind(std::uint32_t block) const;
  bool goes_back(std::uint32_t block, std::uint32_t to, Slots& decisive);
  bool goes_through(const Insn& insn, Slots& decisive);

  const Code& code_;
  const Insn& at_;
  const bool is_still_;
  const ControlFlow flow_;
  std::uint32_t first_;
  std::vector<std::uint32_t> loop_;          ///< its blocks, the last first
  std::vector<std::uint32_t> first_insn_;    ///< of each block, and the end
  std::map<std::uint32_t, Slots> decisive_;  ///< where each block begins
  Slots written_;                            ///< anywhere in the loop
  std::size_t steps_ = 0;
};

Search::Search(const Code& code, const Insn& at, Memory memory)
    : code_(code),
      at_(at),
      is_still_(memory == Memory::kStandsStill),
      flow_(analyse_control_flow(*code.function)),
      first_(flow_.block_of[at.source]),
      first_insn_(flow_.blocks.size() + 1, static_cast<std::uint32_t>(code.insns.size())) {
  std::vector<std::vector<std::uint32_t>> next, back(flow_.blocks.size());
  for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
    next.push_back(flow_.blocks[block].successors);
    for (const std::uint32_t successor : next.back()) back[successor].push_back(block);
  }
  const std::vector<bool> before = reached_from(next, first_), behind = reached_from(back, first_);
  for (std::uint32_t block = static_cast<std::uint32_t>(flow_.blocks.size()); block-- > 0;)
    if (before[block] && behind[block]) loop_.push_back(block);
  for (std::uint32_t i = static_cast<std::uint32_t>(code.insns.size()); i-- > 0;)
    first_insn_[flow_.block_of[code.insns[i].source]] = i;
  for (std::size_t block = flow_.blocks.size(); block-- > 0;)
    first_insn_[block] = std::min(first_insn_[block], first_insn_[block + 1]);
}

LoopControl Search::result() {
  if (loop_.empty()) return {};
  LoopControl control{false, {}, code_.insns.data() + first_insn_[loop_.back()]};
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t block : loop_) {
      Slots decisive = behind(block);
      if (!goes_back(block, first_insn_[block], decisive)) return control;
      Slots& known = decisive_[block];
      changed |= decisive.size() != known.size();
      known = std::move(decisive);
    }
  }
  Slots decisive = behind(first_);
  if (!goes_back(first_, at_.index, decisive)) return control;
  control.is_known = true;
  for (const auto& [offset, lane_bytes] : decisive)
    if (written_.count(offset) != 0) control.slots.push_back({offset, lane_bytes, false});
  return control;
}

/// What decides where a block ends.
Slots Search::behind(std::uint32_t block) const {
  Slots decisive;
  for (const std::uint32_t successor : flow_.blocks[block].successors)
    if (const auto found = decisive_.find(successor); found != decisive_.end())
      decisive.insert(found->second.begin(), found->second.end());
  return decisive;
}

/// From the end of a block back to where instruction `to` begins.
bool Search::goes_back(std::uint32_t block, std::uint32_t to, Slots& decisive) {
  for (std::uint32_t i = first_insn_[block + 1]; i-- > to;)
    if (++steps_ > kMostSteps || !goes_through(code_.insns[i], decisive)) return false;
  return true;
}

/// From what decides behind an instruction to what does before it; false if that is not known.
bool Search::goes_through(const Insn& insn, Slots& decisive) {
  if (insn.run == meeting_handler() || insn.run == return_handler()) return true;
  const ptx::Instruction& instruction = instruction_of(code_, insn);
  if (instruction.opcode == "call" || (is_still_ && !leaves_memory(instruction))) return false;
  const OperandSlot* const first = code_.operands.data() + code_.first_operand[insn.index];
  const OperandSlot* const last = code_.operands.data() + code_.first_operand[insn.index + 1];
  bool decides = insn.target != nullptr || instruction.opcode == "brx" || instruction.opcode == "exit" ||
                 instruction.opcode == "ret" || instruction.opcode == "trap";
  for (const OperandSlot* slot = first; slot != last; ++slot) {
    if (!slot->is_written) continue;
    written_[slot->offset] = slot->lane_bytes;
    if (decisive.count(slot->offset) == 0) continue;
    if (!only_computes(instruction) && !(is_still_ && only_reads(instruction))) return false;
    decides = true;
  }
  if (!decides) return true;
  const bool is_guarded = insn.guard != 0;
  for (const OperandSlot* slot = first; slot != last; ++slot)
    if (slot->is_written && !is_guarded) decisive.erase(slot->offset);
  for (const OperandSlot* slot = first; slot != last; ++slot)
    if (!slot->is_written) decisive[slot->offset] = slot->lane_bytes;
  if (is_guarded) decisive[insn.guard] = 0;
  return true;
}

}  // namespace

LoopControl control_of_loop(const Code& code, const Insn& at, Memory memory) {
  return code.first_operand.empty() ? LoopControl{} : Search(code, at, memory).result();
}

void LoopWatch::begin(std::uint64_t executed, std::uint64_t turn) {
  at_ = nullptr;
  wait_ = turn - kLook;
  next_ = executed + wait_;
}

bool LoopWatch::sees_no_end(Launch& launch, const Frame& frame, const Insn& at, Mask lanes, std::uint64_t executed) {
  if (is_as_noted(frame, at, lanes)) return true;
  if (at_ == nullptr) {
    const LoopControl& control = launch.control_of_loop(*frame.code, at);
    if (control.is_known) note(frame, at, lanes, control);
  }
  if (at_ == nullptr || executed >= next_ + kLook) {
    at_ = nullptr;
    wait_ *= 2;
    next_ = executed + wait_;
  }
  return false;
}

void LoopWatch::note(const Frame& frame, const Insn& at, Mask lanes, const LoopControl& control) {
  frame_ = &frame;
  at_ = &at;
  lanes_ = lanes;
  control_ = &control;
  values_.clear();
  for (const OperandSlot& slot : control.slots)
    values_.insert(values_.end(), frame.registers + slot.offset, frame.registers + slot.offset + bytes_of(slot));
}

bool LoopWatch::is_as_noted(const Frame& frame, const Insn& at, Mask lanes) const {
  if (&at != at_ || &frame != frame_ || lanes != lanes_) return false;
  const std::byte* value = values_.data();
  for (const OperandSlot& slot : control_->slots) {
    if (std::memcmp(value, frame.registers + slot.offset, bytes_of(slot)) != 0) return false;
    value += bytes_of(slot);
  }
  return true;
}

}  // namespace vgpu
