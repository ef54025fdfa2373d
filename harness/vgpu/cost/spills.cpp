#include "harness/vgpu/cost/spills.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "harness/vgpu/machine/control_flow.h"

namespace vgpu {
namespace {

bool may_be_local(const ptx::Instruction& instruction) {
  constexpr std::string_view kOthers[] = {"global", "shared", "const", "param"};
  return std::none_of(std::begin(kOthers), std::end(kOthers),
                      [&](std::string_view space) { return ptx::has_modifier(instruction, space); });
}

std::uint32_t copies_of(const std::vector<ptx::Instruction>& body, const BasicBlock& block,
                        const ptx::CodeByLine& code) {
  std::vector<std::uint32_t> copies;
  for (std::uint32_t i = block.begin; i < block.end; ++i)
    if (const auto found = code.find(body[i].line); found != code.end() && found->second.copies != 0)
      copies.push_back(found->second.copies);
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

}  // namespace

std::vector<Spills> spills_of(const ptx::Function& function, const ptx::CodeByLine& code) {
  const std::vector<ptx::Instruction>& body = function.body;
  if (code.empty() || body.empty()) return {};
  std::vector<std::uint32_t> copies(body.size(), 1);
  for (const BasicBlock& block : analyse_control_flow(function).blocks)
    std::fill(copies.begin() + block.begin, copies.begin() + block.end, copies_of(body, block, code));

  std::vector<Spills> spills(body.size());
  bool has_any = false;
  std::size_t at = 0;
  for (const auto& [line, made] : code) {
    if (made.local_loads + made.local_stores == 0) continue;
    const bool is_unknown = line == 0 && function.is_kernel;  // which begins with what comes from no line
    if ((line < function.line && !is_unknown) || line > body.back().line) continue;
    while (body[at].line < line) ++at;
    // All of them share what their line has: a loop may be written in one.
    const std::size_t end = end_of_line(body, at);
    const auto sharing = static_cast<std::uint32_t>(end - at);
    for (std::size_t i = at; i < end; ++i) {
      Spills& of = spills[i];
      const std::string_view opcode = body[i].opcode;
      of.copies = sharing * copies[i];
      if (!(opcode == "ld" && may_be_local(body[i])))
        of.loads += made.local_loads, of.load_words += made.local_load_words;
      if (!(opcode == "st" && may_be_local(body[i])))
        of.stores += made.local_stores, of.store_words += made.local_store_words;
      has_any |= of.loads + of.stores != 0;
    }
  }
  if (!has_any) spills.clear();
  return spills;
}

}  // namespace vgpu
