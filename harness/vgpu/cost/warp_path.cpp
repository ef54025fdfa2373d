#include "harness/vgpu/cost/warp_path.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "harness/vgpu/cost/instruction_cost.h"

namespace vgpu {
namespace {

/// From an arithmetic instruction to one that uses its result, since Volta (Jia, Maggioni, Staiger, Scarpazza,
/// "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018).
constexpr std::int64_t kComputeClocks = 4;

bool has_result(const ptx::Instruction& instruction) {
  constexpr std::string_view kWithout[] = {"st",       "red",   "bra",   "brx",  "bar",  "barrier",
                                           "membar",   "fence", "ret",   "exit", "cp",   "call",
                                           "prefetch", "sust",  "sured", "trap", "brkpt"};
  return !instruction.operands.empty() &&
         std::find(std::begin(kWithout), std::end(kWithout), instruction.opcode) == std::end(kWithout);
}

template <class Visit>
void each_register(const ptx::Operand& operand, const Visit& visit) {
  if (operand.kind == ptx::Operand::Kind::kRegister) visit(operand.index);
  for (const ptx::Operand& element : operand.elements) each_register(element, visit);
}

template <class Visit>
void each_source(const ptx::Instruction& instruction, const Visit& visit) {
  if (instruction.guarded) visit(instruction.guard);
  for (std::size_t n = has_result(instruction) ? 1 : 0; n < instruction.operands.size(); ++n)
    each_register(instruction.operands[n], visit);
}

bool ends_block(const ptx::Instruction& instruction) {
  constexpr std::string_view kEnds[] = {"bra", "brx", "ret", "exit", "trap", "call"};
  return std::find(std::begin(kEnds), std::end(kEnds), instruction.opcode) != std::end(kEnds);
}

/// Instructions at which another one may arrive.
std::vector<bool> labels_of(const ptx::Function& function) {
  std::vector<bool> begins(function.body.size() + 1, false);
  const auto mark = [&](std::uint64_t index) {
    if (index < begins.size()) begins[index] = true;
  };
  for (const ptx::Instruction& instruction : function.body)
    for (const ptx::Operand& operand : instruction.operands)
      if (operand.kind == ptx::Operand::Kind::kLabel) mark(operand.index);
  for (const auto& [label, index] : function.labels) mark(index);
  return begins;
}

/// One basic block, instruction by instruction.
class Block {
 public:
  explicit Block(std::size_t registers) : ready_(registers), stamp_(registers, 0) {}

  void begin() {
    ++block_;
    floor_ = longest_ = {};
    issued_ = 0;
  }

  /// How long the block is with this instruction.
  WarpPath add(const ptx::Instruction& instruction, bool is_used) {
    const InstructionCost cost = cost_of(instruction);
    WarpPath at = cost.is_ordered ? longest_ : floor_;
    each_source(instruction, [&](std::uint32_t source) {
      if (stamp_[source] == block_) at = longer(at, ready_[source]);
    });
    switch (is_used ? cost.latency : Latency::kNone) {
      case Latency::kNone:
        break;
      case Latency::kCompute:
        at.clocks += kComputeClocks + std::max(cost.issues, std::uint8_t{1}) - 1;
        break;
      case Latency::kShared:
        ++at.shared_waits;
        break;
      case Latency::kGlobal:
        ++at.global_waits;
        break;
    }
    issued_ += cost.issues;
    if (cost.is_ordered) floor_ = at;
    if (has_result(instruction)) {
      each_register(instruction.operands[0], [&](std::uint32_t result) {
        // A guarded instruction may leave what was there.
        const bool keeps = instruction.guarded && stamp_[result] == block_;
        ready_[result] = keeps ? longer(ready_[result], at) : at;
        stamp_[result] = block_;
      });
    }
    longest_ = longer(longest_, at);
    WarpPath length = longest_;
    length.clocks += std::max<std::int64_t>(issued_ - longest_.length(), 0);
    return length;
  }

 private:
  std::vector<WarpPath> ready_;       ///< by register: when its value is there
  std::vector<std::uint32_t> stamp_;  ///< by register: of which block that is
  std::uint32_t block_ = 0;
  WarpPath floor_, longest_;
  std::int64_t issued_ = 0;
};

}  // namespace

std::vector<WarpPath> path_of(const ptx::Function& function) {
  std::vector<bool> is_read(function.registers.size(), false);
  for (const ptx::Instruction& instruction : function.body)
    each_source(instruction, [&](std::uint32_t source) { is_read[source] = true; });
  const auto is_used = [&](const ptx::Instruction& instruction) {
    if (!has_result(instruction)) return true;
    bool any = false, is_register = false;
    each_register(instruction.operands[0], [&](std::uint32_t result) {
      is_register = true;
      any = any || is_read[result];
    });
    return is_register ? any : instruction.operands[0].kind != ptx::Operand::Kind::kSink;
  };

  const std::vector<bool> begins = labels_of(function);
  std::vector<WarpPath> added(function.body.size());
  Block block(function.registers.size());
  WarpPath before;
  block.begin();
  for (std::size_t n = 0; n < function.body.size(); ++n) {
    if (begins[n] || (n != 0 && ends_block(function.body[n - 1]))) {
      block.begin();
      before = {};
    }
    const WarpPath now = block.add(function.body[n], is_used(function.body[n]));
    added[n] = now - before;
    before = now;
  }
  return added;
}

}  // namespace vgpu
