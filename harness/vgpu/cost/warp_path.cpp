#include "harness/vgpu/cost/warp_path.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "harness/vgpu/cost/instruction_cost.h"
#include "harness/vgpu/cost/uniform_registers.h"
#include "harness/vgpu/machine/control_flow.h"

namespace vgpu {
namespace {

/// From an arithmetic instruction to one that uses its result, since Volta (Jia, Maggioni, Staiger, Scarpazza,
/// "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018).
constexpr std::int64_t kComputeClocks = 4;

bool has_result(const ptx::Instruction& instruction) {
  constexpr std::string_view kWithout[] = {"st",       "red",   "bra",   "brx",  "bar",   "barrier",
                                           "membar",   "fence", "ret",   "exit", "cp",    "call",
                                           "prefetch", "sust",  "sured", "trap", "brkpt", "stmatrix"};
  const bool stores_fragment = instruction.opcode == "wmma" && ptx::has_modifier(instruction, "store");
  return !instruction.operands.empty() && !stores_fragment &&
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

/// A function's instructions in the order of its text, again and again until nothing changes: what a loop's end leaves
/// under way, its begin finds. A block begins with what any of those leaves under way that may come before it; where
/// else in the text somebody waits, or writes to the same register, does not matter.
///
/// A warp goes on after a read until it comes to the first instruction that needs what was asked for, and then waits
/// for all that has been asked for. So reads in one block of code that are needed in a later one are waited for
/// together.
class Walk {
 public:
  Walk(const ptx::Function& function, const std::vector<Spills>& spills)
      : function_(function),
        spills_(spills),
        uniform_(uniform_registers(function)),
        registers_(function.registers.size()),
        reads_(function.body.size()) {}

  std::vector<PathStep> run() {
    const std::vector<bool> begins = labels_of(function_);
    const std::vector<bool> used = used_results();
    find_blocks(begins);
    constexpr std::size_t kMostSteps = 4'000'000;  // of hostile code
    const std::size_t most_rounds = 2 + kMostSteps / (function_.body.size() + 1);
    bool changes = true;
    for (std::size_t round = 0; round < 2 || (changes && round < most_rounds); ++round) {
      steps_.assign(function_.body.size(), {});
      waits_before_ = 0;
      longest_ = {};
      round_begins_ = block_ + 1;
      changes = false;
      for (std::size_t b = 0; b < begins_.size(); ++b) {
        begin_block(b);
        const std::size_t end = b + 1 < begins_.size() ? begins_[b + 1] : function_.body.size();
        for (std::size_t n = begins_[b]; n < end; ++n) add(n, used[n]);
        changes |= end_block(b);
      }
    }
    for (std::size_t n = 0; n < steps_.size(); ++n) steps_[n].wait = reads_[n].wait;
    return std::move(steps_);
  }

 private:
  static constexpr std::size_t kNoRead = ~std::size_t{0};
  static constexpr std::size_t kMostLeft = 1024;  ///< reads that a block leaves under way; registers are far fewer
  struct Register {
    WarpPath ready;           ///< when its value is there, from the beginning of the block on
    std::uint32_t block = 0;  ///< in which it was set
    std::size_t read = kNoRead;
  };
  struct Read {
    std::uint32_t block = 0;
    bool is_under_way = false;
    bool is_carried = false;  ///< what waits for it comes before it in the text
    std::uint8_t wait = PathStep::kNone;
  };

  /// Whether anything reads what an instruction gives.
  std::vector<bool> used_results() const {
    std::vector<bool> is_read(function_.registers.size(), false);
    for (const ptx::Instruction& instruction : function_.body)
      each_source(instruction, [&](std::uint32_t source) { is_read[source] = true; });
    std::vector<bool> used;
    for (const ptx::Instruction& instruction : function_.body) {
      bool any = false, is_register = false;
      if (has_result(instruction))
        each_register(instruction.operands[0], [&](std::uint32_t result) {
          is_register = true;
          any = any || is_read[result];
        });
      used.push_back(!has_result(instruction) ||
                     (is_register ? any : instruction.operands[0].kind != ptx::Operand::Kind::kSink));
    }
    return used;
  }

  void find_blocks(const std::vector<bool>& is_target) {
    const std::vector<ptx::Instruction>& body = function_.body;
    std::vector<std::size_t> block_of(body.size());
    for (std::size_t n = 0; n < body.size(); ++n) {
      if (n == 0 || is_target[n] || ends_block(body[n - 1])) begins_.push_back(n);
      block_of[n] = begins_.size() - 1;
    }
    before_block_.resize(begins_.size());
    left_.resize(begins_.size());
    for (std::size_t b = 0; b < begins_.size(); ++b) {
      const std::size_t end = b + 1 < begins_.size() ? begins_[b + 1] : body.size();
      const ptx::Instruction& last = body[end - 1];
      for (const std::uint32_t target : branch_targets(function_, last))
        if (target < body.size()) before_block_[block_of[target]].push_back(b);
      if (!ends_path(last) && end < body.size()) before_block_[b + 1].push_back(b);
    }
  }

  void begin_block(std::size_t number) {
    ++block_;
    waits_before_ += longest_.global_waits;
    floor_ = longest_ = before_ = {};
    issued_ = 0;
    for (const std::size_t read : under_way_) reads_[read].is_under_way = false;
    under_way_.clear();
    for (const std::uint32_t index : waited_for_) registers_[index].read = kNoRead;
    waited_for_.clear();
    for (const std::size_t before : before_block_[number])
      for (const auto& [index, read] : left_[before]) {
        if (!reads_[read].is_under_way) under_way_.push_back(read);
        reads_[read].is_under_way = true;
        set_read(index, read);
      }
  }

  /// Whether it leaves other reads under way than when it was last looked at.
  bool end_block(std::size_t number) {
    std::vector<std::pair<std::uint32_t, std::size_t>> left;
    for (const std::uint32_t index : waited_for_)
      if (const std::size_t read = registers_[index].read; read != kNoRead && reads_[read].is_under_way)
        left.emplace_back(index, read);
    std::sort(left.begin(), left.end());
    left.erase(std::unique(left.begin(), left.end()), left.end());
    if (left.size() > kMostLeft) left.resize(kMostLeft);
    const bool changes = left != left_[number];
    left_[number] = std::move(left);
    return changes;
  }

  void set_read(std::uint32_t index, std::size_t read) {
    registers_[index].read = read;
    if (read != kNoRead) waited_for_.push_back(index);
  }

  /// What reads of earlier blocks have asked for is there as well.
  void wait_for_all(std::int64_t in_block) {
    for (const std::size_t number : under_way_) {
      Read& read = reads_[number];
      if (read.block == block_ || !read.is_under_way) continue;
      read.wait = wait_number(in_block);
      read.is_carried = read.block < round_begins_;
    }
    const auto is_over = [&](std::size_t read) {
      if (reads_[read].block != block_) reads_[read].is_under_way = false;
      return !reads_[read].is_under_way;
    };
    under_way_.erase(std::remove_if(under_way_.begin(), under_way_.end(), is_over), under_way_.end());
  }

  std::uint8_t wait_number(std::int64_t in_block) const {
    return static_cast<std::uint8_t>((waits_before_ + in_block) % PathStep::kWaits);
  }

  /// When a register's value is there. An instruction that becomes nothing waits for nothing.
  WarpPath ready(std::uint32_t source, bool becomes_nothing) {
    const Register& from = registers_[source];
    const WarpPath here = from.block == block_ ? from.ready : WarpPath{};
    if (becomes_nothing || from.read == kNoRead || !reads_[from.read].is_under_way) return here;
    if (reads_[from.read].block == block_) {
      wait_for_all(std::max<std::int64_t>(here.global_waits - 1, 0));
      reads_[from.read].is_under_way = false;
      return here;
    }
    wait_for_all(0);
    return longer(here, {0, 0, 1, 0, 0, 0, 0});
  }

  void add(std::size_t number, bool is_used) {
    const ptx::Instruction& instruction = function_.body[number];
    const InstructionCost cost = cost_of(instruction, uniform_);
    // What a call passes or returns is there: the path of a function does not go on in another one.
    const bool is_passed = instruction.opcode == "st" && ptx::has_modifier(instruction, "param");
    const bool becomes_nothing = cost.issues == 0 && !is_passed;
    WarpPath at = cost.is_ordered || cost.is_fenced ? longest_ : floor_;
    std::size_t read = kNoRead;
    const auto needs = [&](std::uint32_t source) {
      at = longer(at, ready(source, becomes_nothing));
      if (becomes_nothing && registers_[source].read != kNoRead) read = registers_[source].read;
    };
    each_source(instruction, needs);
    // A guarded instruction may leave what was there, and has to have it.
    if (instruction.guarded && has_result(instruction)) each_register(instruction.operands[0], needs);
    if (!spills_.empty()) {
      const Spills& spills = spills_[number];
      if (spills.loads >= spills.copies) at = longer(at, floor_ + wait_at(MemoryLevel::kL1));
      issued_ += static_cast<std::int64_t>(spills.in(1, spills.loads + spills.stores));
    }
    if (cost.is_fenced) {
      ++at.l2_waits;
      floor_ = at;
    }
    if (!becomes_nothing) longest_ = longer(longest_, at);
    const bool is_waited_for_later = is_used && cost.latency == Latency::kGlobal && has_result(instruction);
    switch (is_used ? cost.latency : Latency::kNone) {
      case Latency::kNone:
        break;
      case Latency::kCompute:
        at.clocks += kComputeClocks + cost.detour_clocks + std::max(cost.issues, std::uint8_t{1}) - 1;
        break;
      case Latency::kShared:
        at.clocks += cost.detour_clocks;
        ++at.shared_waits;
        break;
      case Latency::kL2:
        ++at.l2_waits;
        break;
      case Latency::kGlobal:
        at.clocks += cost.detour_clocks;
        if (is_waited_for_later) read = begin_read(number, at.global_waits);
        ++at.global_waits;
        break;
    }
    issued_ += cost.issues;
    if (cost.is_ordered) floor_ = at;
    if (has_result(instruction)) {
      each_register(instruction.operands[0], [&](std::uint32_t index) {
        registers_[index] = {at, block_, kNoRead};
        set_read(index, read);
      });
    }
    if (!becomes_nothing && !is_waited_for_later) longest_ = longer(longest_, at);
    WarpPath length = longest_;
    length.clocks += std::max<std::int64_t>(issued_ - longest_.length(), 0);
    steps_[number].added = length - before_;
    before_ = length;
  }

  std::size_t begin_read(std::size_t number, std::int64_t waits) {
    Read& read = reads_[number];
    under_way_.erase(std::remove(under_way_.begin(), under_way_.end(), number), under_way_.end());
    if (!read.is_carried) read.wait = wait_number(waits);
    read.block = block_, read.is_under_way = true;
    under_way_.push_back(number);
    return number;
  }

  const ptx::Function& function_;
  const std::vector<Spills>& spills_;
  const std::vector<bool> uniform_;  ///< see uniform_registers
  std::vector<PathStep> steps_;
  std::vector<Register> registers_;
  std::vector<Read> reads_;                             ///< by instruction
  std::vector<std::size_t> under_way_;                  ///< reads that nothing has waited for yet, in order
  std::vector<std::size_t> begins_;                     ///< by block: its first instruction
  std::vector<std::vector<std::size_t>> before_block_;  ///< by block: from where it is reached
  std::vector<std::vector<std::pair<std::uint32_t, std::size_t>>> left_;  ///< by block: registers and their reads
  std::vector<std::uint32_t> waited_for_;                                 ///< registers that may have reads
  std::uint32_t block_ = 0, round_begins_ = 0;
  WarpPath floor_, longest_, before_;
  std::int64_t issued_ = 0;
  std::int64_t waits_before_ = 0;  ///< in the blocks before
};

}  // namespace

std::vector<PathStep> path_of(const ptx::Function& function, const std::vector<Spills>& spills) {
  return Walk(function, spills).run();
}

}  // namespace vgpu
