#include "harness/vgpu/monitor/mark_flow.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "harness/vgpu/monitor/matrix_marks.h"

namespace vgpu {
namespace {

struct ConductOf {
  std::string_view opcode;
  Conduct conduct;
};

/// All others compute.
constexpr ConductOf kConducts[] = {
    {"mov", Conduct::kMovesBits},
    {"cvta", Conduct::kMovesBits},
    {"cvt", Conduct::kMovesBits},
    {"shl", Conduct::kMovesBits},
    {"shr", Conduct::kMovesBits},
    {"shf", Conduct::kMovesBits},
    {"bfe", Conduct::kMovesBits},
    {"bfi", Conduct::kMovesBits},
    {"prmt", Conduct::kMovesBits},
    {"szext", Conduct::kMovesBits},
    {"brev", Conduct::kMovesBits},
    {"and", Conduct::kAnd},
    {"or", Conduct::kOr},
    {"xor", Conduct::kJoins},
    {"not", Conduct::kJoins},
    {"lop3", Conduct::kLogic},
    {"setp", Conduct::kCompares},
    {"selp", Conduct::kSelects},
    {"slct", Conduct::kSelects},
    {"ld", Conduct::kLoads},
    {"ldu", Conduct::kLoads},
    {"st", Conduct::kStores},
    {"atom", Conduct::kAtomic},
    {"red", Conduct::kAtomic},
    {"shfl", Conduct::kExchanges},
    {"vote", Conduct::kExchanges},
    {"match", Conduct::kExchanges},
    {"redux", Conduct::kExchanges},
    {"elect", Conduct::kExchanges},
    {"brx", Conduct::kBranches},
    {"bra", Conduct::kNothing},
    {"exit", Conduct::kNothing},
    {"trap", Conduct::kNothing},
    {"call", Conduct::kCalls},
    {"ret", Conduct::kReturns},
    {"bar", Conduct::kWaits},
    {"barrier", Conduct::kWaits},
    {"nanosleep", Conduct::kWaits},
    {"mbarrier", Conduct::kWaits},
    {"cp", Conduct::kCopies},
    {"prefetch", Conduct::kNothing},
    {"prefetchu", Conduct::kNothing},
    {"discard", Conduct::kNothing},
    {"applypriority", Conduct::kNothing},
    {"ldmatrix", Conduct::kLoads},
    {"stmatrix", Conduct::kStores},
    {"movmatrix", Conduct::kTransposes},
    {"mma", Conduct::kMultiplies},
    {"wmma", Conduct::kMultiplies},  // or it loads or stores
};

/// Bit n: operand n of those that are read is no data, but says which bits of the data are taken.
unsigned controls_of(std::string_view opcode) {
  if (opcode == "shl" || opcode == "shr" || opcode == "szext") return 0b10;
  if (opcode == "bfe") return 0b110;
  if (opcode == "bfi") return 0b1100;
  if (opcode == "shf" || opcode == "prmt" || opcode == "selp" || opcode == "slct") return 0b100;
  return 0;
}

/// The last of those that a PTX instruction was made into.
bool is_last_of_its_own(const Code& code, const Insn& insn) {
  return insn.index + 1 == code.insns.size() || code.insns[insn.index + 1].source != insn.source ||
         code.insns[insn.index + 1].run == meeting_handler() || code.insns[insn.index + 1].run == return_handler();
}

bool is_float(ptx::Type type) { return type >= ptx::Type::kF16; }

/// Between integers, without clamping.
bool is_plain_conversion(const ptx::Instruction& instruction) {
  return !ptx::has_modifier(instruction, "sat") &&
         std::none_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                      [](std::string_view m) { return is_float(ptx::type_named(m)); });
}

/// Two numbers of 16 bits in one register.
bool is_of_pairs(const ptx::Instruction& instruction) {
  return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                     [](std::string_view m) { return m == "f16x2" || m == "bf16x2" || m == "u16x2" || m == "s16x2"; });
}

/// Whether compute_by_lane() knows more of the marks of the result than that there are some.
bool is_known_by_lane(const ptx::Instruction& instruction) {
  constexpr std::string_view kOfPairs[] = {"add", "sub", "mul", "fma", "min", "max", "neg", "abs"};
  constexpr std::string_view kOfIntegers[] = {"add", "sub", "mul", "mad", "neg"};
  const auto is_in = [&](const auto& list) {
    return std::find(std::begin(list), std::end(list), instruction.opcode) != std::end(list);
  };
  if (is_of_pairs(instruction)) return is_in(kOfPairs);
  const auto& modifiers = instruction.modifiers;
  const bool has_float =
      std::any_of(modifiers.begin(), modifiers.end(), [](std::string_view m) { return is_float(ptx::type_named(m)); });
  if (has_float || ptx::has_modifier(instruction, "cc")) return false;
  const bool is_unsigned = std::any_of(modifiers.begin(), modifiers.end(),
                                       [](std::string_view m) { return m == "u16" || m == "u32" || m == "u64"; });
  return is_in(kOfIntegers) || (instruction.opcode == "min" && is_unsigned);
}

std::uint32_t slot_bytes(const OperandSlot& slot) { return slot.lane_bytes == 0 ? 4 : slot.lane_bytes * kLanes; }

/// Copies `lanes` of one operand's bits.
void put_lanes(std::byte* to, const std::byte* from, const OperandSlot& slot, Mask lanes) {
  if (slot.lane_bytes == 0) {
    Mask before, bits;
    std::memcpy(&before, to, sizeof before);
    std::memcpy(&bits, from, sizeof bits);
    bits = (before & ~lanes) | (bits & lanes);
    std::memcpy(to, &bits, sizeof bits);
    return;
  }
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const std::size_t at = static_cast<std::size_t>(__builtin_ctz(rest)) * slot.lane_bytes;
    std::memcpy(to + at, from + at, slot.lane_bytes);
  }
}

const Insn* stop_at_once(Warp&, const Insn* insn) { return insn; }

/// The registers of the running group are the marks for a while: what a handler does to values it does to marks.
class OnMarks {
 public:
  OnMarks(Warp& warp, std::byte* bits, Mask lanes)
      : warp_(warp), registers_(std::exchange(warp.registers, bits)), active_(std::exchange(warp.active, lanes)) {}
  ~OnMarks() {
    warp_.registers = registers_;
    warp_.active = active_;
  }
  OnMarks(const OnMarks&) = delete;
  OnMarks& operator=(const OnMarks&) = delete;

 private:
  Warp& warp_;
  std::byte* registers_;
  Mask active_;
};

/// Moves whole bits by executing the instruction on the marks, where the operands that say which bits hold their
/// values.
void execute_on_marks(Warp& warp, const Insn* insn, FrameMarks& marks, Mask lanes) {
  const Code& code = *warp.frame->code;
  const unsigned controls = controls_of(instruction_of(code, *insn).opcode);
  alignas(64) Insn pair[2] = {*insn, Insn{}};  // the handler may go on to the next one
  pair[0].guard = 0;
  pair[0].guard_flip = 0;
  pair[1].run = &stop_at_once;
  std::uint32_t* const fields[] = {&pair[0].a, &pair[0].b, &pair[0].c};
  std::vector<std::uint32_t> list;
  Mask unknown = 0;  // lanes in which it is not known which bits
  std::uint32_t number = 0, staged = 0;
  // Reads are listed in the order a, b, c, but the length of a bfi, in a list, comes first.
  const bool list_first = instruction_of(code, *insn).opcode == "bfi";
  for (const OperandSlot& slot : operands_of(code, *insn)) {
    if (slot.is_written) continue;
    const std::uint32_t n = list_first ? (number == 0 ? 3 : number - 1) : number;
    ++number;
    if ((controls >> n & 1) == 0) continue;
    unknown |= marks.marked(slot, lanes);
    const std::uint32_t stage = marks.stage(staged++);
    std::memcpy(marks.bits() + stage, warp.registers + slot.offset, slot_bytes(slot));
    if (n == 3) {
      list = {stage};
      pair[0].extra = &list;
    } else {
      *fields[n] = stage;
    }
  }
  {
    const OnMarks on_marks(warp, marks.bits(), lanes);
    interpreter_of(code, insn)(warp, &pair[0]);
  }
  for (const OperandSlot& slot : operands_of(code, *insn))
    if (slot.is_written) marks.mark(slot, unknown);
}

/// and, or: where one operand alone decides, the other one's mark does not matter.
void combine(const Warp& warp, const Insn* insn, FrameMarks& marks, const OperandSlot& to, Mask lanes, bool is_and) {
  alignas(64) std::byte result[16 * kLanes];
  const std::uint32_t bytes = slot_bytes(to);
  // Predicates may be read negated.
  const auto flip = to.lane_bytes == 0 ? static_cast<std::uint64_t>(insn->offset) : 0;
  std::uint32_t flips[2] = {static_cast<std::uint32_t>(flip), static_cast<std::uint32_t>(flip >> 32)};
  for (std::uint32_t n = 0; n < bytes; n += 4) {
    const std::uint32_t part = std::min(bytes - n, 4u);
    std::uint32_t marked[2] = {}, value[2] = {};
    const std::uint32_t offsets[2] = {insn->a, insn->b};
    for (int i = 0; i < 2; ++i) {
      std::memcpy(&value[i], warp.registers + offsets[i] + n, part);
      if (offsets[i] != 0) std::memcpy(&marked[i], marks.bits() + offsets[i] + n, part);
      value[i] ^= is_and ? flips[i] : ~flips[i];  // bits that let the other operand through
    }
    const std::uint32_t bits = (marked[0] & marked[1]) | (marked[0] & value[1]) | (marked[1] & value[0]);
    std::memcpy(result + n, &bits, part);
  }
  put_lanes(marks.bits() + to.offset, result, to, lanes);
}

/// A bit of the result is marked if that bit of an operand is.
void join(const Code& code, const Insn* insn, FrameMarks& marks, const OperandSlot& to, Mask lanes) {
  alignas(64) std::byte result[16 * kLanes] = {};
  for (const OperandSlot& slot : operands_of(code, *insn)) {
    if (slot.is_written || slot.offset == 0 || slot.lane_bytes != to.lane_bytes) continue;
    for (std::uint32_t n = 0; n < slot_bytes(slot); ++n) result[n] |= marks.bits()[slot.offset + n];
  }
  put_lanes(marks.bits() + to.offset, result, to, lanes);
}

/// lop3: a bit is marked if other values of marked bits would change it.
void combine_three(const Warp& warp, const Insn* insn, FrameMarks& marks, const OperandSlot& to, Mask lanes) {
  constexpr int kOperands = 3;
  const std::uint32_t offsets[kOperands] = {insn->a, insn->b, insn->c};
  const auto table = static_cast<std::uint32_t>(insn->offset);
  alignas(64) std::byte result[4 * kLanes];
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    std::uint32_t value[kOperands], marked[kOperands] = {};
    for (int i = 0; i < kOperands; ++i) {
      std::memcpy(&value[i], warp.registers + offsets[i] + lane * 4, 4);
      if (offsets[i] != 0) std::memcpy(&marked[i], marks.bits() + offsets[i] + lane * 4, 4);
    }
    std::uint32_t ones = 0, zeros = 0;  // bits that can come out so
    for (std::uint32_t row = 0; row < 8; ++row) {
      std::uint32_t possible = ~0u;
      for (int i = 0; i < kOperands; ++i) possible &= marked[i] | ((row >> (2 - i) & 1) != 0 ? value[i] : ~value[i]);
      ((table >> row & 1) != 0 ? ones : zeros) |= possible;
    }
    const std::uint32_t bits = ones & zeros;
    std::memcpy(result + lane * 4, &bits, 4);
  }
  put_lanes(marks.bits() + to.offset, result, to, lanes);
}

/// One lane's bits of an operand, of up to 8 bytes.
std::uint64_t lane_bits(const std::byte* frame, const OperandSlot& slot, int lane) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, frame + slot.offset + static_cast<std::size_t>(lane) * slot.lane_bytes,
              std::min<std::size_t>(slot.lane_bytes, sizeof bits));
  return bits;
}

/// Sums and products of integers: what is marked reaches no bit below it, and nothing times zero is zero. In packed
/// arithmetic it stays in its half.
void compute_by_lane(const Warp& warp, const Insn* insn, FrameMarks& marks, const OperandSlot& to, Mask lanes) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0}, kLow = 0xFFFF, kHigh = 0xFFFF0000;
  const Code& code = *warp.frame->code;
  const ptx::Instruction& instruction = instruction_of(code, *insn);
  const bool is_product = instruction.opcode == "mul" || instruction.opcode == "mad";
  const bool is_least = instruction.opcode == "min";
  const bool is_packed = is_of_pairs(instruction);
  const bool goes_up = !is_least && !ptx::has_modifier(instruction, "hi") && !ptx::has_modifier(instruction, "sat");
  for_each_lane(lanes, [&](int lane) {
    std::uint64_t marked[3] = {};
    bool is_zero[3] = {};
    std::size_t number = 0;
    for (const OperandSlot& slot : operands_of(code, *insn)) {
      if (slot.is_written || slot.lane_bytes == 0 || number == std::size(marked)) continue;
      marked[number] = slot.offset != 0 ? lane_bits(marks.bits(), slot, lane) : 0;
      is_zero[number] = marked[number] == 0 && lane_bits(warp.registers, slot, lane) == 0;
      ++number;
    }
    if ((is_product || is_least) && (is_zero[0] || is_zero[1])) marked[0] = marked[1] = 0;
    const std::uint64_t any = marked[0] | marked[1] | marked[2];
    std::uint64_t result = any != 0 ? kAll : 0;
    if (is_packed)
      result = ((any & kLow) != 0 ? kLow : 0) | ((any & kHigh) != 0 ? kHigh : 0);
    else if (goes_up && any != 0)
      result = kAll << __builtin_ctzll(any);
    std::memcpy(marks.bits() + to.offset + static_cast<std::size_t>(lane) * to.lane_bytes, &result,
                std::min<std::size_t>(to.lane_bytes, sizeof result));
  });
}

/// selp, slct. Where what selects is marked, so is the result, unless both values are known and the same.
void select(Warp& warp, const Insn* insn, FrameMarks& marks, Mask lanes) {
  const Code& code = *warp.frame->code;
  const OperandSlot* const selector = operand_read(code, *insn, insn->c);
  const Mask unknown = selector != nullptr ? marks.marked(*selector, lanes) : 0;
  std::uint64_t results[kLanes] = {};
  const OperandSlot* const values[] = {operand_read(code, *insn, insn->a), operand_read(code, *insn, insn->b)};
  for_each_lane(unknown, [&](int lane) {
    for (const OperandSlot* const value : values) {
      if (value->offset != 0) results[lane] |= lane_bits(marks.bits(), *value, lane);
    }
    results[lane] |= lane_bits(warp.registers, *values[0], lane) ^ lane_bits(warp.registers, *values[1], lane);
    if (results[lane] != 0) results[lane] = ~std::uint64_t{0};
  });
  execute_on_marks(warp, insn, marks, lanes);
  for (const OperandSlot& slot : operands_of(code, *insn)) {
    if (!slot.is_written) continue;
    for_each_lane(unknown, [&](int lane) {
      std::memcpy(marks.bits() + slot.offset + static_cast<std::size_t>(lane) * slot.lane_bytes, &results[lane],
                  std::min<std::size_t>(slot.lane_bytes, sizeof results[lane]));
    });
  }
}

/// setp, with a third operand that may decide alone.
Mask marked_comparison(const Warp& warp, const Insn* insn, const FrameMarks& marks, Mask lanes) {
  const Code& code = *warp.frame->code;
  Mask compared = 0, third = 0;
  const OperandSlot* predicate = nullptr;
  for (const OperandSlot& slot : operands_of(code, *insn)) {
    if (slot.is_written) continue;
    if (slot.lane_bytes == 0)
      predicate = &slot;
    else
      compared |= marks.marked(slot, lanes);
  }
  if (predicate == nullptr) return compared;
  third = marks.marked(*predicate, lanes);
  Mask value;
  std::memcpy(&value, warp.registers + predicate->offset, sizeof value);
  value ^= static_cast<Mask>(insn->offset >> 32);
  const ptx::Instruction& instruction = instruction_of(code, *insn);
  if (ptx::has_modifier(instruction, "and")) return (compared & (value | third)) | third;
  if (ptx::has_modifier(instruction, "or")) return (compared & (~value | third)) | third;
  return compared | third;
}

}  // namespace

Conduct conduct_of(const Code& code, const Insn& insn) {
  if (insn.run == meeting_handler()) return Conduct::kNothing;
  if (insn.run == return_handler()) return Conduct::kReturns;
  const ptx::Instruction& instruction = instruction_of(code, insn);
  const auto* const row = std::find_if(std::begin(kConducts), std::end(kConducts),
                                       [&](const ConductOf& r) { return r.opcode == instruction.opcode; });
  const Conduct conduct = row != std::end(kConducts) ? row->conduct : Conduct::kComputes;
  if (is_matrix_instruction(instruction)) {
    if (!is_last_of_its_own(code, insn)) return Conduct::kNothing;  // there lanes wait for each other
    if (ptx::has_modifier(instruction, "load")) return Conduct::kLoads;
    return ptx::has_modifier(instruction, "store") ? Conduct::kStores : conduct;
  }
  if (conduct == Conduct::kComputes && is_known_by_lane(instruction)) return Conduct::kComputesByLane;
  const OperandRange operands = operands_of(code, insn);
  const bool has_reads = std::any_of(operands.begin(), operands.end(), [](const auto& o) { return !o.is_written; });
  switch (conduct) {
    case Conduct::kMovesBits:
      if (!has_reads) return Conduct::kComputes;  // clocks and places in local memory
      if (instruction.opcode == "mov" && operands.begin()->lane_bytes == 0) return Conduct::kJoins;
      if (instruction.opcode == "cvt" && !is_plain_conversion(instruction)) return Conduct::kComputes;
      return conduct;
    case Conduct::kCopies:
    case Conduct::kWaits: {
      // Before them may come an instruction of their own that adds an offset to an address.
      const bool is_of_a_state = ptx::has_modifier(instruction, "pending_count");
      return is_last_of_its_own(code, insn) && !is_of_a_state ? conduct : Conduct::kComputes;
    }
    default:
      return conduct;
  }
}

const OperandSlot* operand_read(const Code& code, const Insn& insn, std::uint32_t offset) {
  for (const OperandSlot& slot : operands_of(code, insn))
    if (!slot.is_written && slot.offset == offset) return &slot;
  return nullptr;
}

void move_marks(Warp& warp, const Insn* insn, Conduct conduct, WarpMarks& warp_marks, Mask lanes) {
  const Code& code = *warp.frame->code;
  FrameMarks& marks = warp_marks.of(*warp.frame);
  const ptx::Instruction& instruction = instruction_of(code, *insn);
  Mask sources = 0;
  OriginId origins[kLanes] = {};
  for (const OperandSlot& slot : operands_of(code, *insn)) {
    if (slot.is_written) continue;
    const Mask marked = marks.marked(slot, lanes);
    for_each_lane(marked & ~sources, [&](int lane) { origins[lane] = marks.origin(slot, lane); });
    sources |= marked;
  }
  const bool reads_carry = instruction.opcode == "addc" || instruction.opcode == "subc" || instruction.opcode == "madc";
  Mask computed = reads_carry ? sources | (warp_marks.carry() & lanes) : sources;
  if (ptx::has_modifier(instruction, "cc")) warp_marks.carry() = (warp_marks.carry() & ~lanes) | computed;
  if (conduct == Conduct::kCompares && sources != 0) computed = marked_comparison(warp, insn, marks, lanes);

  if (computed != 0 && conduct == Conduct::kMovesBits) {
    execute_on_marks(warp, insn, marks, lanes);
  } else if (computed != 0 && conduct == Conduct::kSelects) {
    select(warp, insn, marks, lanes);
  } else {
    for (const OperandSlot& slot : operands_of(code, *insn)) {
      if (!slot.is_written) continue;
      if (computed != 0 && (conduct == Conduct::kAnd || conduct == Conduct::kOr)) {
        combine(warp, insn, marks, slot, lanes, conduct == Conduct::kAnd);
      } else if (computed != 0 && conduct == Conduct::kJoins) {
        join(code, insn, marks, slot, lanes);
      } else if (computed != 0 && conduct == Conduct::kLogic) {
        combine_three(warp, insn, marks, slot, lanes);
      } else if (computed != 0 && conduct == Conduct::kComputesByLane) {
        compute_by_lane(warp, insn, marks, slot, lanes);
      } else {
        marks.clear(slot, lanes & ~computed);
        marks.mark(slot, computed);
      }
    }
  }
  if (computed == 0) return;
  for (const OperandSlot& slot : operands_of(code, *insn)) {
    if (!slot.is_written) continue;
    Mask rest = marks.marked(slot, lanes & sources);
    if (slot.lane_bytes == 0) rest &= -rest;  // a predicate has one origin: that of the first lane
    for_each_lane(rest, [&](int lane) { marks.set_origin(slot, lane, origins[lane]); });
  }
}

Verdict vote_marks(const std::vector<Participant>& participants, WarpMarks& warp_marks) {
  const ptx::Instruction& instruction = instruction_of(*participants.front().frame->code, *participants.front().at);
  const bool is_vote = instruction.opcode == "vote";
  Verdict verdict;
  Mask yes = 0, no = 0;   // votes that are not marked
  std::uint64_t one = 0;  // of the values that are not
  bool has_one = false, differ = false;
  for (const Participant& p : participants) {
    const OperandSlot* const value = operand_read(*p.frame->code, *p.at, p.at->a);
    if (value == nullptr) continue;
    const FrameMarks& marks = warp_marks.of(*p.frame);
    const Mask marked = marks.marked(*value, p.lanes);
    if (marked != 0 && verdict.marked == 0) verdict.origin = marks.origin(*value, __builtin_ctz(marked));
    verdict.marked |= marked;
    if (is_vote) {
      Mask votes;
      std::memcpy(&votes, p.frame->registers + value->offset, sizeof votes);
      votes ^= static_cast<Mask>(p.at->offset);
      yes |= votes & p.lanes & ~marked;
      no |= ~votes & p.lanes & ~marked;
      continue;
    }
    for_each_lane(p.lanes & ~marked, [&](int lane) {
      const std::uint64_t bits = lane_bits(p.frame->registers, *value, lane);
      differ |= has_one && bits != one;
      one = bits;
      has_one = true;
    });
  }
  if (verdict.marked == 0) return verdict;
  const auto has = [&](const char* modifier) { return ptx::has_modifier(instruction, modifier); };
  if (is_vote) {
    verdict.is_by_lane = has("ballot");
    verdict.is_settled = has("all") ? no != 0 : has("any") ? yes != 0 : has("uni") && yes != 0 && no != 0;
  } else if (instruction.opcode == "match") {
    verdict.is_by_lane = has("any");
    verdict.is_settled = has("all") && differ;
  }
  return verdict;
}

void shuffle_marks(Warp& warp, const std::vector<Participant>& participants, WarpMarks& warp_marks) {
  // The shuffle itself, once with marks and once with origins in place of values.
  const auto* const operation = static_cast<const SyncOperation*>(participants.front().at->extra);
  Exchange marked, origins;
  for (const Participant& p : participants) {
    FrameMarks& marks = warp_marks.of(*p.frame);
    const OperandSlot* const value = operand_read(*p.frame->code, *p.at, p.at->a);
    const OnMarks on_marks(warp, marks.bits(), p.lanes);
    operation->collect(warp, p.at, p.lanes, marked);
    marked.lanes |= p.lanes;
    for (Mask rest = p.lanes; rest != 0; rest &= rest - 1)
      origins.value32[__builtin_ctz(rest)] = marks.origin(*value, __builtin_ctz(rest));
  }
  origins.lanes = marked.lanes;
  for (const Participant& p : participants) {
    FrameMarks& marks = warp_marks.of(*p.frame);
    Insn insn = *p.at;
    insn.more[1] = 0;  // whether the lane lies in range depends on values
    const std::uint32_t from[] = {p.at->b, p.at->more[0]};
    for (std::uint32_t n = 0; n < 2; ++n)
      std::memcpy(marks.bits() + marks.stage(n), p.frame->registers + from[n], std::size_t{4} * kLanes);
    insn.b = marks.stage(0);
    insn.more[0] = marks.stage(1);
    const OnMarks on_marks(warp, marks.bits(), p.lanes);
    operation->finish(warp, &insn, p.lanes, marked);
    insn.dst = marks.stage(2);
    operation->finish(warp, &insn, p.lanes, origins);
    std::uint32_t found[kLanes];
    std::memcpy(found, marks.bits() + marks.stage(2), sizeof found);
    for (const OperandSlot& slot : operands_of(*p.frame->code, *p.at)) {
      if (!slot.is_written) continue;
      if (slot.offset != p.at->dst) {
        marks.clear(slot, p.lanes);
        continue;
      }
      for (Mask rest = p.lanes; rest != 0; rest &= rest - 1)
        marks.set_origin(slot, __builtin_ctz(rest), static_cast<OriginId>(found[__builtin_ctz(rest)]));
    }
  }
}

}  // namespace vgpu
