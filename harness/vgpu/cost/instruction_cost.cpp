#include "harness/vgpu/cost/instruction_cost.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "harness/vgpu/cost/uniform_registers.h"

namespace vgpu {
namespace {

using Names = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view name, Names names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The first type among the modifiers: that of the operation.
ptx::Type type_of(const ptx::Instruction& instruction) {
  for (const std::string_view modifier : instruction.modifiers)
    if (const ptx::Type type = ptx::type_named(modifier); type != ptx::Type::kNone) return type;
  return ptx::Type::kNone;
}

bool is_wide(ptx::Type type) { return type != ptx::Type::kPred && ptx::size_of(type) == 8 && type != ptx::Type::kF64; }

bool is_small_float(ptx::Type type) {
  return type == ptx::Type::kF32 || type == ptx::Type::kF16 || type == ptx::Type::kF16x2 || type == ptx::Type::kBF16 ||
         type == ptx::Type::kBF16x2;
}

InstructionCost made_of(std::uint8_t issues, Unit unit) { return {issues, unit, issues}; }

InstructionCost nothing() { return {0, Unit::kNone, 0, Latency::kNone}; }

InstructionCost memory(Latency latency) { return {1, Unit::kMemory, 1, latency}; }

bool names_space(const ptx::Instruction& instruction, std::string_view space) {
  return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                     [&](std::string_view name) { return name.substr(0, space.size()) == space; });
}

InstructionCost cost_of_access(const ptx::Instruction& instruction, const std::vector<bool>& uniform) {
  // Parameters are operands, unless which one is wanted is known at run time only: then they are loaded as constants
  // are.
  if (names_space(instruction, "param"))
    return instruction.opcode == "ld" && !is_uniform(instruction.operands[1], uniform) ? memory(Latency::kShared)
                                                                                       : nothing();
  if (names_space(instruction, "const") && is_uniform(instruction.operands[1], uniform)) return nothing();
  const bool gives_nothing = instruction.opcode == "st" || instruction.opcode == "red";
  const Latency latency = names_space(instruction, "shared") ? Latency::kShared : Latency::kGlobal;
  InstructionCost cost = memory(gives_nothing ? Latency::kNone : latency);
  const bool releases = ptx::has_modifier(instruction, "release") || ptx::has_modifier(instruction, "acq_rel");
  // Measured on an H200 by harness/measure/fence_cost.cu: 387 clocks, of which the fence takes 265 by itself.
  // To another multiprocessor and back: 180 clocks (Luo and others, see cost_of_matrix_product), of which shared
  // memory's own are counted anyhow.
  constexpr std::uint8_t kDetourOfCluster = 151;
  if (cost.latency == Latency::kShared && ptx::has_modifier(instruction, "shared::cluster"))
    cost.detour_clocks = kDetourOfCluster;
  cost.is_fenced = releases && latency == Latency::kGlobal && !names_space(instruction, "cta");
  return cost;
}

/// As many per clock as loads. Measured on an H100 by harness/measure/texture_cost.cu: 100 clocks, and 39 by a load.
InstructionCost cost_of_image() {
  constexpr std::uint8_t kDetour = 61;
  InstructionCost cost = memory(Latency::kGlobal);
  cost.detour_clocks = kDetour;
  return cost;
}

/// Asynchronous copies are waited for by an instruction of their own: by wait_group until all but the latest few groups
/// have come. With more than none they may have come before; if not, BlockTime knows what is left to wait.
InstructionCost cost_of_copy(const ptx::Instruction& instruction) {
  const bool waits_for_groups = ptx::has_modifier(instruction, "wait_group");
  if (!waits_for_groups && !ptx::has_modifier(instruction, "wait_all")) return memory(Latency::kNone);
  const bool lets_some_run = waits_for_groups && !instruction.operands.empty() && instruction.operands[0].bits != 0;
  InstructionCost cost = memory(lets_some_run ? Latency::kCompute : Latency::kGlobal);
  cost.is_ordered = true;
  return cost;
}

InstructionCost cost_of_move(const ptx::Instruction& instruction) {
  const bool reads_special = std::any_of(instruction.operands.begin(), instruction.operands.end(),
                                         [](const auto& o) { return o.kind == ptx::Operand::Kind::kSpecial; });
  return reads_special ? InstructionCost{} : nothing();
}

/// One use of the unit. Without .ftz, what comes before and after it takes arguments below 2^-126, and results, into
/// the range that the unit knows.
InstructionCost cost_of_approximation(const ptx::Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  const bool is_flushed = ptx::has_modifier(instruction, "ftz") || opcode == "tanh";
  const bool is_full = ptx::has_modifier(instruction, "full");  // a division whose divisor may be large
  std::uint8_t instructions = is_flushed ? 1 : 4;
  if (opcode == "div") instructions = is_flushed ? 2 : is_full ? 8 : 5;
  if (opcode == "rcp" && !is_flushed) instructions = 7;
  if (is_one_of(opcode, {"sin", "cos"})) instructions = 2;
  return {instructions, Unit::kSpecial, 1};
}

/// div, rem and exact sqrt, rcp: no unit does these.
InstructionCost cost_of_division(const ptx::Instruction& instruction, ptx::Type type) {
  constexpr std::uint8_t kDouble = 16, kFloat = 10, kWide = 70, kWord = 18;
  if (type == ptx::Type::kF64) return made_of(kDouble, Unit::kFp64);
  if (is_small_float(type)) {
    const bool is_exact = ptx::has_modifier(instruction, "rn") || ptx::has_modifier(instruction, "rz") ||
                          ptx::has_modifier(instruction, "rm") || ptx::has_modifier(instruction, "rp");
    return is_exact ? made_of(kFloat, Unit::kFp32) : cost_of_approximation(instruction);
  }
  return made_of(is_wide(type) ? kWide : kWord, Unit::kInteger);
}

InstructionCost cost_of_product(const ptx::Instruction& instruction, ptx::Type type) {
  constexpr std::uint8_t kWholeWide = 4;
  if (type == ptx::Type::kF64) return made_of(1, Unit::kFp64);
  if (is_small_float(type)) return made_of(1, Unit::kFp32);
  return made_of(is_wide(type) && !ptx::has_modifier(instruction, "wide") ? kWholeWide : 1, Unit::kInteger);
}

/// The multiply-adds of m16n8k16, for example.
std::uint32_t multiply_adds(std::string_view shape) {
  std::uint32_t product = 1, number = 0;
  for (const char c : shape) {
    if (c >= '0' && c <= '9') {
      number = number * 10 + static_cast<std::uint32_t>(c - '0');
    } else {
      product *= std::max(number, 1u);
      number = 0;
    }
  }
  return product * number;
}

/// Narrow operands are multiplied as many times as fast as they are narrower (NVIDIA A100 and H100 whitepapers), but
/// for those of 8 bits of floating point, which mma converts to f16 first (on an H200, 2026-11-29, as its results
/// show). A result takes 33 clocks on Hopper and Ampere (Luo and others, "Benchmarking and Dissecting the Nvidia Hopper
/// GPU Architecture", 2024).
InstructionCost cost_of_matrix_product(const ptx::Instruction& instruction) {
  constexpr std::uint32_t kUse = 32, kUsesOfInstruction = 64, kMost = 255;
  constexpr std::uint8_t kDetour = 29;
  std::uint32_t uses = 0;
  for (const std::string_view modifier : instruction.modifiers)
    if (modifier.size() > 4 && modifier[0] == 'm' && modifier[1] >= '0' && modifier[1] <= '9')
      uses = multiply_adds(modifier) / kUse;
  const auto has = [&](std::string_view name) { return ptx::has_modifier(instruction, name); };
  InstructionCost cost{1, Unit::kTensor, 1};
  if (has("f64")) {  // twice as many as single threads do
    cost.unit = Unit::kFp64;
    uses = std::max(uses / 2, 1u);
  } else if (has("tf32")) {
    uses *= 2;
  } else if (has("s8") || has("u8")) {
    uses /= 2;
  } else if (has("s4") || has("u4")) {
    uses /= 4;
  } else if (has("b1")) {
    uses /= 16;
  }
  cost.unit_uses = static_cast<std::uint8_t>(std::clamp(uses, 1u, kMost));
  cost.issues = static_cast<std::uint8_t>(std::max(uses / kUsesOfInstruction, 1u));
  cost.detour_clocks = kDetour;
  return cost;
}

/// One request for each part, as in matrix_fragments.h; how many those are depends on the shape, two to four mostly.
InstructionCost cost_of_fragment(const ptx::Instruction& instruction) {
  constexpr std::uint8_t kRequests = 4;
  const bool is_shared = names_space(instruction, "shared");
  InstructionCost cost{kRequests, Unit::kMemory, kRequests, is_shared ? Latency::kShared : Latency::kGlobal};
  if (ptx::has_modifier(instruction, "store")) cost.latency = Latency::kNone;
  return cost;
}

/// What machine code has no instruction for and is made of many: the n-th bit set, and arithmetic of parts of words but
/// for sums of differences of unsigned bytes. For other operations on parts nvcc writes other PTX.
std::uint8_t instructions_of_parts(const ptx::Instruction& instruction) {
  struct Made {
    std::string_view opcode;
    std::uint8_t of_unsigned, of_signed;
  };
  constexpr Made kMade[] = {{"fns", 33, 33}, {"vabsdiff4", 1, 38}, {"vabsdiff2", 14, 22}, {"vadd", 3, 3},
                            {"vsub", 3, 3},  {"vmad", 3, 3},       {"vabsdiff", 6, 6},    {"vmin", 5, 5},
                            {"vmax", 5, 5},  {"vshl", 6, 6},       {"vshr", 6, 6},        {"vset", 8, 8}};
  for (const Made& made : kMade)
    if (made.opcode == instruction.opcode)
      return ptx::has_modifier(instruction, "s32") ? made.of_signed : made.of_unsigned;
  return 0;
}

/// Additions, comparisons, bits: one instruction a word.
InstructionCost cost_by_width(ptx::Type type) {
  if (type == ptx::Type::kF64) return made_of(1, Unit::kFp64);
  if (is_small_float(type)) return made_of(1, Unit::kFp32);
  return made_of(is_wide(type) ? 2 : 1, Unit::kInteger);
}

/// Between integers of at least 32 bits nothing happens; to and from 64 bits and floating point, the slow unit does it.
InstructionCost cost_of_conversion(const ptx::Instruction& instruction) {
  ptx::Type types[2] = {ptx::Type::kNone, ptx::Type::kNone};
  std::size_t known = 0;
  for (const std::string_view modifier : instruction.modifiers)
    if (const ptx::Type type = ptx::type_named(modifier); type != ptx::Type::kNone && known < 2) types[known++] = type;
  const auto is_integer = [](ptx::Type type) { return !is_small_float(type) && type != ptx::Type::kF64; };
  if (is_integer(types[0]) && is_integer(types[1]))
    return std::min(ptx::size_of(types[0]), ptx::size_of(types[1])) >= 4 ? nothing() : made_of(1, Unit::kInteger);
  return made_of(1, Unit::kSpecial);
}

}  // namespace

InstructionCost cost_of(const ptx::Instruction& instruction, const std::vector<bool>& uniform) {
  const std::string_view opcode = instruction.opcode;
  const ptx::Type type = type_of(instruction);
  if (opcode == "mov") return cost_of_move(instruction);
  if (is_one_of(opcode, {"cvta", "pragma", "isspacep", "mapa", "createpolicy"})) return nothing();
  if (is_one_of(opcode, {"ld", "ldu", "st", "atom", "red"})) return cost_of_access(instruction, uniform);
  if (is_one_of(opcode, {"tex", "tld4", "suld", "sust", "sured"})) return cost_of_image();
  if (opcode == "cp") return cost_of_copy(instruction);
  if (opcode == "stmatrix") return memory(Latency::kNone);
  if (opcode == "wmma" && (ptx::has_modifier(instruction, "load") || ptx::has_modifier(instruction, "store")))
    return cost_of_fragment(instruction);
  if (opcode == "mma" || opcode == "wmma") return cost_of_matrix_product(instruction);
  if (opcode == "prefetch") return memory(Latency::kNone);
  if (opcode == "mbarrier" &&
      (ptx::has_modifier(instruction, "try_wait") || ptx::has_modifier(instruction, "test_wait")))
    return {1, Unit::kMemory, 1, Latency::kGlobal, true};  // what is waited for are copies from global memory
  if (is_one_of(opcode, {"shfl", "match", "redux", "ldmatrix", "movmatrix", "mbarrier"}))
    return memory(Latency::kShared);
  if (is_one_of(opcode, {"bar", "barrier"})) return {1, Unit::kInteger, 1, Latency::kShared, true};
  if (is_one_of(opcode, {"membar", "fence"}))
    return {1, Unit::kMemory, 1, names_space(instruction, "cta") ? Latency::kCompute : Latency::kL2, true};
  if (is_one_of(opcode, {"div", "rem"})) return cost_of_division(instruction, type);
  if (is_one_of(opcode, {"sqrt", "rcp", "rsqrt"})) return cost_of_division(instruction, type);
  if (is_one_of(opcode, {"sin", "cos", "ex2", "lg2", "tanh"})) return cost_of_approximation(instruction);
  if (is_one_of(opcode, {"popc", "clz", "brev", "bfind"})) return made_of(is_wide(type) ? 2 : 1, Unit::kSpecial);
  if (is_one_of(opcode, {"bfe", "bfi"})) return made_of(2, Unit::kInteger);
  if (is_one_of(opcode, {"mul", "mad", "fma"})) return cost_of_product(instruction, type);
  if (opcode == "cvt") return cost_of_conversion(instruction);
  if (const std::uint8_t instructions = instructions_of_parts(instruction); instructions != 0)
    return made_of(instructions, Unit::kInteger);
  return cost_by_width(type);
}

}  // namespace vgpu
