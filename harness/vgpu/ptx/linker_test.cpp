// Linking: names that several units know stand for one thing, names of one unit stay its own, and what does not fit is
// said by name.
#include "harness/vgpu/ptx/linker.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace vgpu::ptx {
namespace {

constexpr const char* kUnitHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";

std::variant<Module, Diagnostic> link_texts(const std::vector<std::string>& texts) {
  std::vector<Unit> units;
  for (const std::string& text : texts)
    units.push_back({std::string(1, static_cast<char>('a' + units.size())) + ".cu", kUnitHeader + text});
  return link(std::move(units));
}

Module linked(const std::vector<std::string>& texts) {
  auto result = link_texts(texts);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&result)) {
    ADD_FAILURE() << diagnostic->message;
    return {};
  }
  return std::move(std::get<Module>(result));
}

std::string complaint_about(const std::vector<std::string>& texts) {
  const auto result = link_texts(texts);
  const auto* diagnostic = std::get_if<Diagnostic>(&result);
  return diagnostic != nullptr ? diagnostic->message : "nothing is wrong";
}

const Variable* find_variable(const Module& module, const std::string& name) {
  const auto found = std::find_if(module.variables.begin(), module.variables.end(),
                                  [&](const Variable& variable) { return variable.name == name; });
  return found != module.variables.end() ? &*found : nullptr;
}

std::string function(const std::string& linkage, const std::string& name, const std::string& body = {}) {
  return linkage + " .func " + name + "()\n{\n.reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n" + body + "ret;\n}\n";
}

/// What the first instruction of a function names.
std::string first_name(const Module& module, const std::string& name) {
  const Function* const found = find_function(module, name);
  if (found == nullptr || found->body.empty()) return "no such function";
  const Operand* operand = &found->body[0].operands.back();
  if (operand->kind == Operand::Kind::kAddress) operand = &operand->elements[0];
  return std::string(operand->name);
}

TEST(Linking, AnExternNameStandsForWhatAnotherUnitDefines) {
  const Module module =
      linked({".extern .global .u32 x;\n.extern .func f();\n" + function(".visible", "g", "mov.u64 %rd1, x;\n"),
              ".visible .global .u32 x = 7;\n" + function(".visible", "f")});
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_FALSE(module.variables[0].is_extern);
  EXPECT_EQ(module.variables[0].initial[0], 7);
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_TRUE(find_function(module, "f")->has_body);
  EXPECT_EQ(first_name(module, "g"), "x");
}

TEST(Linking, WhatTheSystemProvidesNeedsNoDefinition) {
  const Module module = linked({".extern .func vprintf();\n" + function(".visible", "f", "call.uni vprintf;\n")});
  EXPECT_EQ(module.functions.size(), 1u);
}

TEST(Linking, OfWeakDefinitionsTheFirstCountsUnlessThereIsAVisibleOne) {
  const Module weak = linked({".weak .global .u32 x = 1;\n", ".weak .global .u32 x = 2;\n"});
  ASSERT_EQ(weak.variables.size(), 1u);
  EXPECT_EQ(weak.variables[0].initial[0], 1);
  for (const bool visible_first : {false, true}) {
    std::vector<std::string> units = {".weak .global .u32 x = 1;\n", ".visible .global .u32 x = 2;\n"};
    if (visible_first) std::swap(units[0], units[1]);
    const Module strong = linked(units);
    ASSERT_EQ(strong.variables.size(), 1u);
    EXPECT_EQ(strong.variables[0].initial[0], 2);
  }
  const Module functions = linked({function(".weak", "f", "mov.u32 %r1, 1;\n"), function(".weak", "f")});
  ASSERT_EQ(functions.functions.size(), 1u);
  EXPECT_EQ(functions.functions[0].body.size(), 2u);
}

TEST(Linking, OfCommonDefinitionsTheLargestCounts) {
  const Module module =
      linked({".common .global .b8 x[4];\n", ".common .global .b8 x[16];\n", ".common .global .b8 x[8];\n"});
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(module.variables[0].bytes, 16u);
}

TEST(Linking, NamesOfOneUnitStayItsOwn) {
  const std::string use = "mov.u64 %rd1, hidden;\nld.global.u32 %r1, [hidden];\n";
  const Module module =
      linked({".global .u32 hidden = 1;\n" + function(".visible", "f", use),
              ".global .u32 hidden = 2;\n.global .u64 pointer = hidden;\n" + function(".visible", "g", use),
              ".global .u32 hidden = 3;\n" + function(".visible", "h", use)});
  ASSERT_EQ(module.variables.size(), 4u);
  EXPECT_EQ(first_name(module, "f"), "hidden");
  const std::string of_g = first_name(module, "g"), of_h = first_name(module, "h");
  ASSERT_NE(find_variable(module, of_g), nullptr);
  ASSERT_NE(find_variable(module, of_h), nullptr);
  EXPECT_EQ(find_variable(module, of_g)->initial[0], 2);
  EXPECT_EQ(find_variable(module, of_h)->initial[0], 3);
  EXPECT_EQ(find_variable(module, "pointer")->relocations.at(0).symbol, of_g);
  EXPECT_EQ(find_function(module, "g")->body[1].operands.back().elements.at(0).name, of_g);
}

TEST(Linking, ALocalNameGivesWayToOneThatAllKnow) {
  const Module module = linked({".global .u32 x = 1;\n" + function(".visible", "f", "mov.u64 %rd1, x;\n"),
                                ".visible .global .u32 x = 2;\n" + function(".visible", "g", "mov.u64 %rd1, x;\n")});
  EXPECT_EQ(first_name(module, "g"), "x");
  EXPECT_EQ(find_variable(module, "x")->initial[0], 2);
  EXPECT_EQ(find_variable(module, first_name(module, "f"))->initial[0], 1);
}

TEST(Linking, AParameterIsNotRenamedWithAVariableOfItsName) {
  const std::string unit = ".global .u32 x;\n.visible .entry ";
  const std::string body = "(.param .u32 x)\n{\n.reg .b32 %r<2>;\nld.param.u32 %r1, [x];\nret;\n}\n";
  const Module module = linked({unit + "f" + body, unit + "g" + body});
  EXPECT_EQ(first_name(module, "g"), "x");
}

TEST(Linking, DynamicSharedMemoryIsOneArray) {
  const Module module = linked({".extern .shared .align 4 .b8 all[];\n", ".extern .shared .align 16 .b8 all[];\n"});
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(module.variables[0].align, 16u);
}

TEST(Linking, LinesOfTheSourceAreThoseOfTheUnit) {
  const std::string unit =
      function(".visible", "%", ".loc 1 5 0, function_name L, inlined_at 1 9 0\nmov.u32 %r1, 1;\n");
  std::vector<std::string> units(2, unit);
  for (int i = 0; i < 2; ++i) {
    units[i].replace(units[i].find('%'), 1, i == 0 ? "f" : "g");
    units[i] += std::string(".file 1 \"") + (i == 0 ? "first" : "second") + ".cu\"\n";
  }
  const Module module = linked(units);
  for (const auto& [name, file] : {std::pair("f", "first.cu"), std::pair("g", "second.cu")}) {
    const SourcePlace place = place_of(module, find_function(module, name)->body[0].location);
    EXPECT_EQ(place.file, file);
    EXPECT_EQ(place.line, 5u);
  }
}

TEST(Linking, WhatDoesNotFitIsSaidByName) {
  const std::string x = ".visible .global .u32 x;\n";
  EXPECT_EQ(complaint_about({x, x}), "x is defined in a.cu and once more (b.cu)");
  EXPECT_EQ(complaint_about({x, function(".visible", "x")}), "x is defined in a.cu and once more (b.cu)");
  EXPECT_EQ(complaint_about({function(".visible", "f"), function(".visible", "f")}),
            "f is defined in a.cu and once more (b.cu)");
  EXPECT_EQ(complaint_about({"", ".extern .global .u32 x;\n"}),
            "the variable x is declared extern, and no file of the program defines it (b.cu)");
  EXPECT_EQ(complaint_about({x, ".extern .global .u64 x;\n"}), "x is 8 bytes large here, and 4 in a.cu (b.cu)");
  EXPECT_EQ(complaint_about({x, ".extern .const .u32 x;\n"}),
            "x is in constant memory here, and in global memory in a.cu (b.cu)");
  EXPECT_EQ(complaint_about({".extern .global .u32 f;\n", function(".visible", "f")}),
            "f is a variable here, and a function in b.cu (a.cu)");
  EXPECT_EQ(complaint_about({x, "nonsense"}), "expected a directive, found 'nonsense' (b.cu)");
  EXPECT_EQ(complaint_about({"nonsense"}), "expected a directive, found 'nonsense'");
  EXPECT_EQ(complaint_about({}), "there is nothing to link");
}

}  // namespace
}  // namespace vgpu::ptx
