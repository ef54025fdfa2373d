// The parser on what nvcc wrote for real_code.cu: functions, symbols and line information.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "harness/vgpu/ptx/parser.h"

namespace vgpu::ptx {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const Module& real_module() {
  static const Module kModule = [] {
    auto parsed = parse(text_of(VGPU_REAL_CODE "/code.ptx"));
    if (const auto* diagnostic = std::get_if<Diagnostic>(&parsed)) {
      ADD_FAILURE() << "line " << diagnostic->line << ": " << diagnostic->message;
      return Module{};
    }
    return std::move(std::get<Module>(parsed));
  }();
  return kModule;
}

const Variable& variable(std::string_view name) {
  static const Variable kNone;
  for (const Variable& variable : real_module().variables)
    if (variable.name == name) return variable;
  ADD_FAILURE() << "there is no variable " << name;
  return kNone;
}

const Function& function(std::string_view name) {
  static const Function kNone;
  const Function* const found = find_function(real_module(), name);
  if (found == nullptr) ADD_FAILURE() << "there is no function " << name;
  return found != nullptr ? *found : kNone;
}

/// The line of real_code.cu that ends in `// line: NAME`.
std::uint32_t line_marked(const std::string& name) {
  const std::string text = text_of(VGPU_REAL_CODE_SOURCE);
  const std::size_t at = text.find("// line: " + name + "\n");
  EXPECT_NE(at, std::string::npos) << name;
  return 1 + static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// The CUDA lines of a function's instructions with this opcode and, among its modifiers, this one.
std::set<std::uint32_t> lines_of(std::string_view name, std::string_view opcode, std::string_view modifier) {
  std::set<std::uint32_t> lines;
  for (const Instruction& i : function(name).body)
    if (i.opcode == opcode && std::count(i.modifiers.begin(), i.modifiers.end(), modifier) != 0)
      lines.insert(place_of(real_module(), i.location).line);
  return lines;
}

TEST(RealPtx, EveryFunctionIsThere) {
  EXPECT_EQ(real_module().target, 90u);
  EXPECT_GE(real_module().version_major, 9u);
  std::set<std::string> kernels;
  for (const Function& f : real_module().functions)
    if (f.is_kernel) kernels.insert(f.name);
  EXPECT_EQ(kernels, (std::set<std::string>{"sum_of_tile", "choose", "spilling", "crowded", "_Z9two_tilesILi33EEvPs"}));
  EXPECT_FALSE(function("vprintf").has_body);
  EXPECT_TRUE(function("_Z7doubledi").has_body);
  EXPECT_EQ(function("choose").max_threads[0], 128u);
  EXPECT_EQ(function("choose").min_blocks, 2u);
}

TEST(RealPtx, ParametersHaveTheirCudaSizes) {
  const Function& spilling = function("spilling");  // (int*, Pair, int): 8, 16 and 4 bytes
  ASSERT_EQ(spilling.parameters.size(), 3u);
  EXPECT_EQ(spilling.parameters[1].bytes, 16u);
  EXPECT_EQ(spilling.parameters[2].offset, 24u);
  EXPECT_EQ(spilling.parameter_bytes, 28u);
  const Function& mixed = function("_Z5mixedi4Pair");
  ASSERT_EQ(mixed.parameters.size(), 2u);
  EXPECT_EQ(mixed.parameters[1].offset, 8u);
  ASSERT_EQ(mixed.results.size(), 1u);
  EXPECT_EQ(mixed.results[0].bytes, 4u);
}

TEST(RealPtx, InitialisedVariablesHoldTheirValues) {
  const float weights[] = {0.5f, -1.25f, 3.0f, 1e-10f};
  ASSERT_EQ(variable("c_weights").initial.size(), sizeof weights);
  EXPECT_EQ(std::memcmp(variable("c_weights").initial.data(), weights, sizeof weights), 0);
  EXPECT_EQ(variable("c_weights").space, Space::kConst);

  const std::int32_t table[] = {1, 2, 3, -4};  // two zeros follow
  EXPECT_EQ(variable("d_table").bytes, 24u);
  ASSERT_GE(variable("d_table").initial.size(), sizeof table);
  EXPECT_EQ(std::memcmp(variable("d_table").initial.data(), table, sizeof table), 0);

  const double numbers[] = {0.1, -2.5};
  ASSERT_EQ(variable("d_numbers").initial.size(), sizeof numbers);
  EXPECT_EQ(std::memcmp(variable("d_numbers").initial.data(), numbers, sizeof numbers), 0);

  std::uint64_t wide = 0;
  ASSERT_EQ(variable("d_wide").initial.size(), sizeof wide);
  std::memcpy(&wide, variable("d_wide").initial.data(), sizeof wide);
  EXPECT_EQ(wide, 0xFEDCBA9876543210u);

  EXPECT_EQ(std::string(variable("d_letters").initial.begin(), variable("d_letters").initial.end()), "lanes");
  EXPECT_EQ(variable("d_letters").bytes, 6u);
  EXPECT_EQ(variable("d_scratch").bytes, 4000u);
  EXPECT_TRUE(variable("d_scratch").initial.empty());
  EXPECT_TRUE(variable("m_flag").is_managed);
  EXPECT_TRUE(variable("more").is_extern);
  EXPECT_EQ(variable("more").space, Space::kShared);
}

TEST(RealPtx, PointersInInitialisersNameWhatTheyPointTo) {
  const Variable& pointers = variable("d_pointers");  // {&d_table[1][2], nullptr, &d_table[0][1]}
  ASSERT_EQ(pointers.relocations.size(), 2u);
  EXPECT_EQ(pointers.relocations[0].symbol, "d_table");
  EXPECT_EQ(pointers.relocations[0].addend, 20);
  EXPECT_EQ(pointers.relocations[1].offset, 16u);
  EXPECT_EQ(pointers.relocations[1].addend, 4);
  const Variable& ways = variable("d_ways");
  ASSERT_EQ(ways.relocations.size(), 2u);
  EXPECT_EQ(ways.relocations[0].symbol, "_Z7doubledi");
  EXPECT_EQ(ways.relocations[1].symbol, "_Z6halvedi");
}

TEST(RealPtx, SharedArraysBelongToTheirKernels) {
  std::set<std::uint64_t> tile, two;
  for (const Variable& v : function("sum_of_tile").variables)
    if (v.space == Space::kShared) tile.insert(v.bytes);
  for (const Variable& v : function("_Z9two_tilesILi33EEvPs").variables)
    if (v.space == Space::kShared) two.insert(v.bytes);
  EXPECT_EQ(tile, (std::set<std::uint64_t>{1024}));
  EXPECT_EQ(two, (std::set<std::uint64_t>{66, 24}));
}

TEST(RealPtx, AccessesAreAtTheLinesThatMakeThem) {
  EXPECT_EQ(lines_of("sum_of_tile", "st", "global").count(line_marked("scratch")), 1u);
  EXPECT_EQ(lines_of("_Z5mixedi4Pair", "cvt", "rzi"), (std::set<std::uint32_t>{line_marked("mixed")}));
  for (const Function& f : real_module().functions)
    for (const Instruction& instruction : f.body)
      EXPECT_NE(place_of(real_module(), instruction.location).line, 0u) << f.name << ", PTX line " << instruction.line;
}

TEST(RealPtx, InlinedCodeIsAtItsOwnLineAndKnowsItsCaller) {
  EXPECT_EQ(lines_of("sum_of_tile", "ld", "const"), (std::set<std::uint32_t>{line_marked("weighed")}));
  for (const Instruction& i : function("sum_of_tile").body) {
    if (i.opcode != "ld" || i.modifiers.at(0) != "const") continue;
    const Location& here = real_module().locations.at(static_cast<std::size_t>(i.location));
    ASSERT_GE(here.inlined_at, 0);
    EXPECT_EQ(real_module().locations.at(static_cast<std::size_t>(here.inlined_at)).line,
              line_marked("call of weighed"));
  }
}

TEST(RealPtx, IndirectCallsHaveTheirPrototype) {
  const Function& spilling = function("spilling");
  const auto call = std::find_if(spilling.body.begin(), spilling.body.end(), [](const Instruction& i) {
    return i.opcode == "call" && i.operands.at(1).kind == Operand::Kind::kRegister;
  });
  ASSERT_NE(call, spilling.body.end());
  const auto prototype = spilling.prototypes.find(call->operands.back().name);
  ASSERT_NE(prototype, spilling.prototypes.end());
  EXPECT_EQ(prototype->second.results.size(), 1u);
  EXPECT_EQ(prototype->second.parameters.at(0).bytes, 4u);
}

}  // namespace
}  // namespace vgpu::ptx
