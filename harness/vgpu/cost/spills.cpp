#include "harness/vgpu/cost/spills.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>

#include "harness/vgpu/machine/control_flow.h"

namespace vgpu {
namespace {

bool may_be_local(const ptx::Instruction& instruction) {
  constexpr std::string_view kOthers[] = {"global", "shared", "const", "param"};
  return std::none_of(std::begin(kOthers), std::end(kOthers),
                      [&](std::string_view space) { return ptx::has_modifier(instruction, space); });
}

/// The line that comes from it has `made.copies` of its rarest instruction: so many in all, where `in_line`
/// instructions of PTX stand in one line.
std::uint32_t copies_of_line(const ptx::LineCode& made, std::uint32_t in_line) {
  constexpr std::uint32_t kMost = 1 << 16;  // ptxas unrolls no loop as often
  return std::clamp(made.copies / in_line, 1u, kMost);
}

/// `in_line`: of each instruction, how many stand in its line.
std::uint32_t copies_of(const std::vector<ptx::Instruction>& body, const BasicBlock& block, const ptx::CodeByLine& code,
                        const std::vector<std::uint32_t>& in_line) {
  std::vector<std::uint32_t> copies;
  for (std::uint32_t i = block.begin; i < block.end; ++i)
    if (const auto found = code.find(body[i].line); found != code.end() && found->second.copies != 0)
      copies.push_back(copies_of_line(found->second, in_line[i]));
  if (copies.empty()) return 1;
  const auto middle = copies.begin() + static_cast<std::ptrdiff_t>((copies.size() - 1) / 2);
  std::nth_element(copies.begin(), middle, copies.end());
  return *middle;
}

/// Instructions of the body from `begin` on that stand in the same line of the text.
std::size_t end_of_line(const std::vector<ptx::Instruction>& body, std::size_t begin) {
  std::size_t end = begin;
  while (end < body.size() && body[end].line == body[begin].line) ++end;
  return end;
}

void add(ptx::LineCode& to, const ptx::LineCode& made) {
  to.local_loads += made.local_loads;
  to.local_stores += made.local_stores;
  to.local_load_words += made.local_load_words;
  to.local_store_words += made.local_store_words;
}

}  // namespace

std::vector<Spills> spills_of(const ptx::Function& function, const ptx::CodeByLine& code) {
  const std::vector<ptx::Instruction>& body = function.body;
  if (code.empty() || body.empty()) return {};
  std::vector<std::uint32_t> in_line(body.size());
  for (std::size_t begin = 0; begin < body.size();) {
    const std::size_t end = end_of_line(body, begin);
    std::fill(in_line.begin() + static_cast<std::ptrdiff_t>(begin), in_line.begin() + static_cast<std::ptrdiff_t>(end),
              static_cast<std::uint32_t>(end - begin));
    begin = end;
  }

  // What each line has, at the first instruction from there on.
  std::map<std::size_t, ptx::LineCode> made_at;
  std::size_t at = 0;
  for (const auto& [line, made] : code) {
    if (made.local_loads + made.local_stores == 0) continue;
    const bool is_unknown = line == 0 && function.is_kernel;  // which begins with what comes from no line
    if ((line < function.line && !is_unknown) || line > body.back().line) continue;
    while (body[at].line < line) ++at;
    add(made_at[at], made);
  }
  if (made_at.empty()) return {};

  const ControlFlow flow = analyse_control_flow(function);
  std::vector<Spills> spills(body.size());
  bool has_any = false;
  for (const auto& [begin, made] : made_at) {
    // A loop may be written in one line: each block in it has all of that, and the block's instructions share it.
    const std::size_t end = begin + in_line[begin];
    for (std::size_t i = begin; i < end;) {
      const BasicBlock& block = flow.blocks[flow.block_of[i]];
      const std::size_t block_end = std::min<std::size_t>(end, block.end);
      const auto sharing = static_cast<std::uint32_t>(block_end - i);
      const std::uint32_t copies = copies_of(body, block, code, in_line);
      for (; i < block_end; ++i) {
        Spills& of = spills[i];
        const std::string_view opcode = body[i].opcode;
        of.copies = std::uint64_t{sharing} * copies;
        if (!(opcode == "ld" && may_be_local(body[i])))
          of.loads = made.local_loads, of.load_words = made.local_load_words;
        if (!(opcode == "st" && may_be_local(body[i])))
          of.stores = made.local_stores, of.store_words = made.local_store_words;
        has_any |= of.loads + of.stores != 0;
      }
    }
  }
  if (!has_any) spills.clear();
  return spills;
}

}  // namespace vgpu
