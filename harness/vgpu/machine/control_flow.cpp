#include "harness/vgpu/machine/control_flow.h"

#include <algorithm>

namespace vgpu {
namespace {

/// Immediate post-dominators by the iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
/// Algorithm", 2001), run on the reversed graph with one added node that stands for the end of the function.
std::vector<std::uint32_t> immediate_post_dominators(const std::vector<BasicBlock>& blocks) {
  const auto count = static_cast<std::uint32_t>(blocks.size());
  const std::uint32_t end = count;
  std::vector<std::vector<std::uint32_t>> predecessors(count + 1);
  for (std::uint32_t b = 0; b < count; ++b) {
    for (const std::uint32_t s : blocks[b].successors) predecessors[s].push_back(b);
    if (blocks[b].successors.empty()) predecessors[end].push_back(b);
  }

  // Postorder of the reversed graph, from the end node.
  std::vector<std::uint32_t> order_of(count + 1, kNoInstruction);
  std::vector<std::uint32_t> by_order;
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{end, 0}};
  std::vector<bool> seen(count + 1, false);
  seen[end] = true;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next < predecessors[node].size()) {
      const std::uint32_t p = predecessors[node][next++];
      if (!seen[p]) {
        seen[p] = true;
        stack.emplace_back(p, 0);
      }
    } else {
      order_of[node] = static_cast<std::uint32_t>(by_order.size());
      by_order.push_back(node);
      stack.pop_back();
    }
  }

  std::vector<std::uint32_t> parent(count + 1, kNoInstruction);
  parent[end] = end;
  const auto meet = [&](std::uint32_t x, std::uint32_t y) {
    while (x != y) {
      while (order_of[x] < order_of[y]) x = parent[x];
      while (order_of[y] < order_of[x]) y = parent[y];
    }
    return x;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = by_order.rbegin(); it != by_order.rend(); ++it) {
      const std::uint32_t b = *it;
      if (b == end) continue;
      std::uint32_t best = kNoInstruction;
      const auto consider = [&](std::uint32_t s) {
        if (parent[s] != kNoInstruction) best = best == kNoInstruction ? s : meet(s, best);
      };
      for (const std::uint32_t s : blocks[b].successors) consider(s);
      if (blocks[b].successors.empty()) consider(end);
      if (best != kNoInstruction && parent[b] != best) {
        parent[b] = best;
        changed = true;
      }
    }
  }
  parent.resize(count);
  for (std::uint32_t& p : parent)
    if (p == end) p = kNoInstruction;
  return parent;
}

}  // namespace

std::vector<std::uint32_t> branch_targets(const ptx::Function& function, const ptx::Instruction& instruction) {
  std::vector<std::uint32_t> targets;
  if (instruction.opcode == "bra" && !instruction.operands.empty() &&
      instruction.operands[0].kind == ptx::Operand::Kind::kLabel) {
    targets.push_back(instruction.operands[0].index);
  } else if (instruction.opcode == "brx" && instruction.operands.size() == 2) {
    const auto list = function.branch_targets.find(instruction.operands[1].name);
    if (list != function.branch_targets.end())
      for (const std::string_view name : list->second)
        if (const auto label = function.labels.find(name); label != function.labels.end())
          targets.push_back(label->second);
  }
  return targets;
}

bool ends_path(const ptx::Instruction& instruction) {
  if (instruction.guarded) return false;
  return instruction.opcode == "bra" || instruction.opcode == "brx" || instruction.opcode == "ret" ||
         instruction.opcode == "exit" || instruction.opcode == "trap";
}

ControlFlow analyse_control_flow(const ptx::Function& function) {
  const auto count = static_cast<std::uint32_t>(function.body.size());
  std::vector<bool> leads(count + 1, false);
  if (count > 0) leads[0] = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::vector<std::uint32_t> targets = branch_targets(function, function.body[i]);
    for (const std::uint32_t t : targets) leads[t] = true;
    if (!targets.empty() || ends_path(function.body[i])) leads[i + 1] = true;
  }

  ControlFlow flow;
  flow.block_of.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (leads[i]) flow.blocks.push_back({i, i, {}});
    flow.blocks.back().end = i + 1;
    flow.block_of[i] = static_cast<std::uint32_t>(flow.blocks.size() - 1);
  }
  for (BasicBlock& block : flow.blocks) {
    const ptx::Instruction& last = function.body[block.end - 1];
    for (const std::uint32_t t : branch_targets(function, last))
      if (t < count) block.successors.push_back(flow.block_of[t]);
    if (!ends_path(last) && block.end < count) block.successors.push_back(flow.block_of[block.end]);
    std::sort(block.successors.begin(), block.successors.end());
    block.successors.erase(std::unique(block.successors.begin(), block.successors.end()), block.successors.end());
  }
  flow.meeting_block = immediate_post_dominators(flow.blocks);
  return flow;
}

}  // namespace vgpu
