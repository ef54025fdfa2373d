#include "harness/vgpu/cost/register_estimate.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/vgpu/cost/uniform_registers.h"
#include "harness/vgpu/machine/control_flow.h"

namespace vgpu {
namespace {

/// What an instruction reads and gives a value, by index into ptx::Function::registers.
struct Use {
  std::vector<std::uint32_t> read, written;
};

bool writes_nothing(const ptx::Instruction& instruction) {
  constexpr std::string_view kSuch[] = {"bar", "barrier", "brx", "nanosleep", "stackrestore"};
  return std::find(std::begin(kSuch), std::end(kSuch), instruction.opcode) != std::end(kSuch) &&
         !ptx::has_modifier(instruction, "red");
}

void look_at(const ptx::Operand& operand, bool is_result, Use& use) {
  if (operand.kind == ptx::Operand::Kind::kAddress) is_result = false;
  if (operand.kind == ptx::Operand::Kind::kRegister) (is_result ? use.written : use.read).push_back(operand.index);
  for (const ptx::Operand& element : operand.elements) look_at(element, is_result, use);
}

Use use_of(const ptx::Instruction& instruction) {
  Use use;
  bool is_result = !writes_nothing(instruction);
  for (const ptx::Operand& operand : instruction.operands) {
    look_at(operand, is_result, use);
    is_result = false;
  }
  if (instruction.guarded) {  // otherwise what is written keeps its value
    use.read.push_back(instruction.guard);
    use.read.insert(use.read.end(), use.written.begin(), use.written.end());
  }
  return use;
}

/// Registers of 32 bits that each register takes: none if its value lies elsewhere, in a predicate or, being the same
/// for all lanes, in the constant bank or a uniform register.
std::vector<std::uint32_t> widths_of(const ptx::Function& kernel) {
  const std::vector<bool> uniform = uniform_registers(kernel);
  std::vector<std::uint32_t> widths;
  for (std::size_t i = 0; i < kernel.registers.size(); ++i) {
    const ptx::Type type = kernel.registers[i].type;
    widths.push_back(uniform[i] || type == ptx::Type::kPred ? 0 : std::max(1u, ptx::size_of(type) / 4));
  }
  return widths;
}

/// The most that is alive at one place.
class Pressure {
 public:
  explicit Pressure(const ptx::Function& kernel) : body_(kernel.body), flow_(analyse_control_flow(kernel)) {
    for (const ptx::Instruction& instruction : body_) uses_.push_back(use_of(instruction));
    widths_ = widths_of(kernel);
    alive_at_.assign(flow_.blocks.size(), std::vector<bool>(kernel.registers.size()));
  }

  std::uint32_t most() {
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t b = flow_.blocks.size(); b-- > 0;) grows |= go_back_through(b);
    }
    return most_;
  }

 private:
  bool go_back_through(std::size_t b) {
    const BasicBlock& block = flow_.blocks[b];
    std::vector<bool> alive(widths_.size());
    std::uint32_t count = 0;
    const auto begin = [&](std::uint32_t index) {
      if (!alive[index]) count += widths_[index];
      alive[index] = true;
    };
    for (const std::uint32_t next : block.successors)
      for (std::uint32_t index = 0; index < alive.size(); ++index)
        if (alive_at_[next][index]) begin(index);
    for (std::uint32_t i = block.end; i-- > block.begin;) {
      for (const std::uint32_t index : uses_[i].written) begin(index);
      most_ = std::max(most_, count);
      for (const std::uint32_t index : uses_[i].written) {
        alive[index] = false;
        count -= widths_[index];
      }
      for (const std::uint32_t index : uses_[i].read) begin(index);
      most_ = std::max(most_, count);
    }
    if (alive == alive_at_[b]) return false;
    alive_at_[b] = std::move(alive);
    return true;
  }

  const std::vector<ptx::Instruction>& body_;
  ControlFlow flow_;
  std::vector<Use> uses_;
  std::vector<std::uint32_t> widths_;
  std::vector<std::vector<bool>> alive_at_;  ///< by block: what is alive where it begins
  std::uint32_t most_ = 0;
};

constexpr std::uint32_t kMost = 255;  ///< of a thread

/// Without limits.
std::uint32_t needed_registers(const ptx::Function& kernel) {
  // ptxas moves loads ahead of their use, aligns pairs, and has registers of its own: measured, see the header.
  constexpr std::uint32_t kBeyondPressure = 8;
  constexpr std::uint32_t kWithCalls = 24;  // at least: what is needed after a call lies behind its arguments
  const std::uint32_t needed = Pressure(kernel).most() + kBeyondPressure;
  const bool calls = std::any_of(kernel.body.begin(), kernel.body.end(),
                                 [](const ptx::Instruction& instruction) { return instruction.opcode == "call"; });
  return calls ? std::max(needed, kWithCalls) : needed;
}

std::uint32_t allowed_registers(const ptx::Function& kernel) {
  constexpr std::uint32_t kOfMultiprocessor = 65536, kGrain = 8;
  const std::uint32_t limit = kernel.max_registers != 0 ? std::min(kernel.max_registers, kMost) : kMost;
  const std::uint32_t* const extents = kernel.required_threads[0] != 0 ? kernel.required_threads : kernel.max_threads;
  const std::uint64_t threads = std::uint64_t{extents[0]} * std::max(extents[1], 1u) * std::max(extents[2], 1u);
  const std::uint64_t resident = threads * std::max(kernel.min_blocks, 1u);
  if (resident == 0) return limit;
  return std::min<std::uint64_t>(limit,
                                 std::max(kOfMultiprocessor / resident, std::uint64_t{kGrain}) / kGrain * kGrain);
}

}  // namespace

std::uint32_t estimated_registers(const ptx::Function& kernel) {
  return std::min(needed_registers(kernel), allowed_registers(kernel));
}

std::uint32_t occupied_registers(const ptx::Function& kernel) {
  constexpr std::uint32_t kMostTooHigh = 34;  // see the header
  const std::uint32_t needed = needed_registers(kernel), allowed = allowed_registers(kernel);
  return needed <= allowed + kMostTooHigh ? std::min(needed, allowed) : std::min(needed, kMost);
}

}  // namespace vgpu
