// The parser: what nvcc writes becomes the right module.
#include "harness/vgpu/ptx/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace vgpu::ptx {
namespace {

constexpr const char* kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// A module whose fourth line is the first of `text`.
Module module_of(const std::string& text) {
  auto parsed = parse(kHeader + text);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&parsed)) {
    ADD_FAILURE() << "line " << diagnostic->line << ": " << diagnostic->message;
    return {};
  }
  return std::move(std::get<Module>(parsed));
}

/// The instructions of a kernel with a few registers declared.
Module body_of(const std::string& statements) {
  Module module =
      module_of(".entry k(.param .u64 p) {\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n" +
                statements + "\n}\n");
  if (module.functions.empty()) module.functions.emplace_back();
  return module;
}

TEST(Parser, HeaderSaysVersionAndTarget) {
  const Module module = module_of("");
  EXPECT_EQ(module.version_major, 9u);
  EXPECT_EQ(module.version_minor, 0u);
  EXPECT_EQ(module.target, 90u);
  const auto variant = parse(".version 8.10 .target sm_100a, texmode_unified, debug\0\0");
  ASSERT_TRUE(std::holds_alternative<Module>(variant));
  EXPECT_EQ(std::get<Module>(variant).version_minor, 10u);
  EXPECT_EQ(std::get<Module>(variant).target, 100u);
}

TEST(Parser, ZerosThatPadTheTextAreNotPartOfIt) {
  const auto parsed = parse(std::string(kHeader) + std::string(7, '\0'));
  ASSERT_TRUE(std::holds_alternative<Module>(parsed));
  EXPECT_EQ(*std::get<Module>(parsed).text, kHeader);
}

struct VariableRow {
  const char* text;
  const char* name;
  Space space;
  Type type;
  std::uint32_t align;
  std::uint64_t bytes;
  std::vector<std::uint8_t> initial;
};

TEST(Parser, VariablesHaveSizeAlignmentAndContents) {
  const VariableRow rows[] = {
      {".global .u32 a;", "a", Space::kGlobal, Type::kU32, 4, 4, {}},
      {".visible .global .align 16 .b8 a[3];", "a", Space::kGlobal, Type::kB8, 16, 3, {}},
      {".const .align 4 .b8 c[4] = {1, 0, 255};", "c", Space::kConst, Type::kB8, 4, 4, {1, 0, 255}},
      {".weak .global .v4 .f32 v[2];", "v", Space::kGlobal, Type::kF32, 16, 32, {}},
      {".global .b16 a[2][3];", "a", Space::kGlobal, Type::kB16, 2, 12, {}},
      {".global .b32 a[2][2] = {{1}, {-2, 3}};",
       "a",
       Space::kGlobal,
       Type::kB32,
       4,
       16,
       {1, 0, 0, 0, 254, 255, 255, 255, 3, 0, 0, 0}},
      {".global .u64 a = -2;", "a", Space::kGlobal, Type::kU64, 8, 8, {254, 255, 255, 255, 255, 255, 255, 255}},
      {".global .u16 a = 0x12345;", "a", Space::kGlobal, Type::kU16, 2, 2, {0x45, 0x23}},
      {".global .b128 a = 5;",
       "a",
       Space::kGlobal,
       Type::kB128,
       16,
       16,
       {5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
      {".global .f32 a = 0f3F800000;", "a", Space::kGlobal, Type::kF32, 4, 4, {0, 0, 0x80, 0x3F}},
      {".global .f32 a = -0f3F800000;", "a", Space::kGlobal, Type::kF32, 4, 4, {0, 0, 0x80, 0xBF}},
      {".global .f32 a = 0f7F812345;", "a", Space::kGlobal, Type::kF32, 4, 4, {0x45, 0x23, 0x81, 0x7F}},
      {".global .f32 a = -1.5;", "a", Space::kGlobal, Type::kF32, 4, 4, {0, 0, 0xC0, 0xBF}},
      {".global .f32 a = 0d3FF0000000000000;", "a", Space::kGlobal, Type::kF32, 4, 4, {0, 0, 0x80, 0x3F}},
      {".global .f64 a = 0f3F800000;", "a", Space::kGlobal, Type::kF64, 8, 8, {0, 0, 0, 0, 0, 0, 0xF0, 0x3F}},
      {".global .f64 a = -0d3FF0000000000000;", "a", Space::kGlobal, Type::kF64, 8, 8, {0, 0, 0, 0, 0, 0, 0xF0, 0xBF}},
      {".extern .shared .align 16 .b8 more[];", "more", Space::kShared, Type::kB8, 16, 0, {}},
      {".shared .align 8 .b8 tile[1024];", "tile", Space::kShared, Type::kB8, 8, 1024, {}},
      {".global .align 4096 .b8 big[4294967296];", "big", Space::kGlobal, Type::kB8, 4096, std::uint64_t{1} << 32, {}},
      {".global .b8 empty[0];", "empty", Space::kGlobal, Type::kB8, 1, 0, {}},
  };
  for (const VariableRow& row : rows) {
    SCOPED_TRACE(row.text);
    const Module module = module_of(row.text);
    ASSERT_EQ(module.variables.size(), 1u);
    const Variable& variable = module.variables[0];
    EXPECT_EQ(variable.name, row.name);
    EXPECT_EQ(variable.space, row.space);
    EXPECT_EQ(variable.type, row.type);
    EXPECT_EQ(variable.align, row.align);
    EXPECT_EQ(variable.bytes, row.bytes);
    EXPECT_EQ(variable.initial, row.initial);
    EXPECT_EQ(variable.is_extern, std::string(row.text).find(".extern") == 0);
    EXPECT_FALSE(variable.is_managed);
  }
}

TEST(Parser, OneDeclarationMayNameSeveralVariables) {
  const Module module = module_of(".global .u16 a, b[3] = {1, 2, 3}, c = 9;\n.extern .global .u32 d;.global .u8 e;");
  ASSERT_EQ(module.variables.size(), 5u);
  EXPECT_EQ(module.variables[1].bytes, 6u);
  EXPECT_EQ(module.variables[2].initial, (std::vector<std::uint8_t>{9, 0}));
  EXPECT_TRUE(module.variables[3].is_extern);
  EXPECT_FALSE(module.variables[4].is_extern);
}

TEST(Parser, ManagedVariablesAreMarked) {
  const Module module = module_of(".global .attribute(.managed) .align 4 .u32 m = 7;");
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_TRUE(module.variables[0].is_managed);
}

TEST(Parser, AddressesInInitialisersAreKeptForTheLoader) {
  const Module module = module_of(".global .b8 t[8];\n.global .u64 p[4] = {generic(t)+4, 0, t, t+2};\n");
  ASSERT_EQ(module.variables.size(), 2u);
  const std::vector<Relocation>& relocations = module.variables[1].relocations;
  ASSERT_EQ(relocations.size(), 3u);
  const std::uint64_t offsets[] = {0, 16, 24};
  const std::int64_t addends[] = {4, 0, 2};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(relocations[i].symbol, "t");
    EXPECT_EQ(relocations[i].offset, offsets[i]);
    EXPECT_EQ(relocations[i].addend, addends[i]);
    EXPECT_EQ(relocations[i].bytes, 8u);
  }
}

TEST(Parser, ParametersLieAsTheAbiLaysThem) {
  const Module module = module_of(
      ".visible .entry k(\n.param .u32 a,\n.param .u64 .ptr .global .align 1 b,\n.param .u8 c,\n.param .align 8 .b8 "
      "d[12],\n"
      ".param .f64 e\n)\n.maxntid 128, 2\n.minnctapersm 3\n.maxnreg 64\n{\nret;\n}\n"
      ".func (.param .b32 r, .param .align 16 .b8 s[16]) f(.param .b32 x) .noreturn;\n"
      ".entry none .reqntid 32, 4, 2 { ret; }");
  ASSERT_EQ(module.functions.size(), 3u);
  const Function& kernel = module.functions[0];
  EXPECT_TRUE(kernel.is_kernel);
  EXPECT_TRUE(kernel.has_body);
  EXPECT_EQ(kernel.max_registers, 64u);
  EXPECT_EQ(kernel.line, 4u);
  const std::uint32_t offsets[] = {0, 8, 16, 24, 40}, bytes[] = {4, 8, 1, 12, 8};
  ASSERT_EQ(kernel.parameters.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(kernel.parameters[i].offset, offsets[i]) << i;
    EXPECT_EQ(kernel.parameters[i].bytes, bytes[i]) << i;
  }
  EXPECT_EQ(kernel.parameters[1].align, 8u) << "an alignment behind .ptr is that of what is pointed to";
  EXPECT_EQ(kernel.parameter_bytes, 48u);
  EXPECT_EQ(kernel.max_threads[0], 128u);
  EXPECT_EQ(kernel.max_threads[1], 2u);
  EXPECT_EQ(kernel.max_threads[2], 1u);
  EXPECT_EQ(kernel.required_threads[0], 0u);
  EXPECT_EQ(kernel.min_blocks, 3u);
  const Function& function = module.functions[1];
  EXPECT_FALSE(function.is_kernel);
  EXPECT_FALSE(function.has_body);
  ASSERT_EQ(function.results.size(), 2u);
  EXPECT_EQ(function.results[1].offset, 16u);
  EXPECT_EQ(module.functions[2].required_threads[2], 2u);
  EXPECT_TRUE(module.functions[2].parameters.empty());
}

TEST(Parser, ADefinitionIsFoundBeforeItsDeclaration) {
  const Module module = module_of(".func f(.param .b32 a);\n.func f(.param .b32 a) { ret; }\n.extern .func g();\n");
  ASSERT_NE(find_function(module, "f"), nullptr);
  EXPECT_TRUE(find_function(module, "f")->has_body);
  ASSERT_NE(find_function(module, "g"), nullptr);
  EXPECT_FALSE(find_function(module, "g")->has_body);
  EXPECT_EQ(find_function(module, "h"), nullptr);
}

TEST(Parser, InstructionsKeepGuardModifiersAndOperands) {
  const Module module = body_of("@!%p1 setp.lt.and.f32 %p2|%p3, %f1, 0f40000000, !%p1;");
  const Function& kernel = module.functions[0];
  ASSERT_EQ(kernel.body.size(), 1u);
  const Instruction& instruction = kernel.body[0];
  EXPECT_EQ(instruction.opcode, "setp");
  EXPECT_EQ(instruction.modifiers, (std::vector<std::string_view>{"lt", "and", "f32"}));
  EXPECT_EQ(instruction.line, 6u);
  EXPECT_TRUE(instruction.guarded);
  EXPECT_TRUE(instruction.guard_negated);
  EXPECT_EQ(kernel.registers[instruction.guard].name, "%p1");
  ASSERT_EQ(instruction.operands.size(), 4u);
  ASSERT_EQ(instruction.operands[0].kind, Operand::Kind::kVector);
  EXPECT_EQ(kernel.registers[instruction.operands[0].elements.at(1).index].name, "%p3");
  EXPECT_EQ(kernel.registers[instruction.operands[1].index].type, Type::kF32);
  EXPECT_EQ(instruction.operands[2].immediate, Operand::Immediate::kFloat32);
  EXPECT_EQ(instruction.operands[2].bits, 0x40000000u);
  EXPECT_TRUE(instruction.operands[3].negated);
  EXPECT_EQ(instruction.operands[3].index, instruction.guard);
}

struct OperandRow {
  const char* text;
  Operand::Kind kind;
  std::uint64_t bits;
  std::int64_t offset;
  const char* name;
};

TEST(Parser, OperandsInEveryForm) {
  using Kind = Operand::Kind;
  const OperandRow rows[] = {
      {"5", Kind::kImmediate, 5, 0, ""},
      {"-5", Kind::kImmediate, ~std::uint64_t{4}, 0, ""},
      {"0xFFFFFFFF", Kind::kImmediate, 0xFFFFFFFF, 0, ""},
      {"-0f3F800000", Kind::kImmediate, 0xBF800000, 0, ""},
      {"-2.0", Kind::kImmediate, 0xC000000000000000, 0, ""},
      {"WARP_SZ", Kind::kImmediate, 32, 0, "WARP_SZ"},
      {"_", Kind::kSink, 0, 0, "_"},
      {"%tid.x", Kind::kSpecial, 0, 0, "%tid.x"},
      {"%laneid", Kind::kSpecial, 0, 0, "%laneid"},
      {"%envreg31", Kind::kSpecial, 0, 0, "%envreg31"},
      {"%clock64", Kind::kSpecial, 0, 0, "%clock64"},
      {"symbol", Kind::kSymbol, 0, 0, "symbol"},
      {"symbol+16", Kind::kSymbol, 0, 16, "symbol"},
      {"symbol-16", Kind::kSymbol, 0, -16, "symbol"},
      {"[%rd1]", Kind::kAddress, 0, 0, ""},
      {"[%rd1+4]", Kind::kAddress, 0, 4, ""},
      {"[%rd1+-4]", Kind::kAddress, 0, -4, ""},
      {"[%rd1-4]", Kind::kAddress, 0, -4, ""},
      {"[symbol+4+8]", Kind::kAddress, 0, 12, ""},
      {"[0x100]", Kind::kAddress, 0, 0, ""},
      {"{%r1, _, 7}", Kind::kVector, 0, 0, ""},
      {"()", Kind::kVector, 0, 0, ""},
  };
  for (const OperandRow& row : rows) {
    SCOPED_TRACE(row.text);
    const Module module = body_of("mov.u32 %r1, " + std::string(row.text) + ";");
    ASSERT_EQ(module.functions[0].body.size(), 1u);
    ASSERT_EQ(module.functions[0].body[0].operands.size(), 2u);
    const Operand& operand = module.functions[0].body[0].operands[1];
    EXPECT_EQ(operand.kind, row.kind);
    EXPECT_EQ(operand.bits, row.bits);
    EXPECT_EQ(operand.offset, row.offset);
    EXPECT_EQ(operand.name, row.name);
  }
}

TEST(Parser, AddressesAndListsHoldTheirElements) {
  const Module module = body_of("ld.v4.f32 {%f1, %f2, %f3, %f4}, [symbol+4];\ncall.uni (r0), f, (p0, p1), proto;");
  const std::vector<Instruction>& body = module.functions[0].body;
  ASSERT_EQ(body.size(), 2u);
  EXPECT_EQ(body[0].operands.at(0).elements.size(), 4u);
  EXPECT_EQ(body[0].operands.at(1).elements.at(0).name, "symbol");
  ASSERT_EQ(body[1].operands.size(), 4u);
  EXPECT_EQ(body[1].operands[0].elements.at(0).name, "r0");
  EXPECT_EQ(body[1].operands[1].name, "f");
  EXPECT_EQ(body[1].operands[2].elements.at(1).name, "p1");
}

TEST(Parser, TexturesAreAddressedByCoordinates) {
  const Module module = body_of(
      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%f5, %f6}];\ntex.1d.v4.s32.s32 {%r1, %r2, %r3, _}, [%rd1, "
      "%r5];\nsust.b.1d.b32.trap [%rd1, {%r1}], {%r2};");
  const std::vector<Instruction>& body = module.functions[0].body;
  ASSERT_EQ(body.size(), 3u);
  const Operand& both = body[0].operands.at(0);
  ASSERT_EQ(both.elements.size(), 2u);
  EXPECT_EQ(both.elements[0].elements.size(), 4u);
  EXPECT_EQ(both.elements[1].name, "%p1");
  const Operand& place = body[0].operands.at(1);
  EXPECT_EQ(place.kind, Operand::Kind::kAddress);
  ASSERT_EQ(place.elements.size(), 2u);
  EXPECT_EQ(place.elements[0].name, "%rd1");
  ASSERT_EQ(place.elements[1].elements.size(), 2u);
  EXPECT_EQ(place.elements[1].elements[1].name, "%f6");
  EXPECT_EQ(body[1].operands.at(1).elements.at(1).name, "%r5");
  EXPECT_EQ(body[2].operands.at(0).elements.at(1).elements.at(0).name, "%r1");
}

TEST(Parser, InnerNamesHideOuterOnes) {
  const Module module = body_of(
      ".shared .b8 s[4];\nmov.u32 %r1, s;\n{\n.reg .b64 %r1, temp;\n.shared .b8 s[8];\nmov.u64 %r1, s;\n}\nmov.u32 "
      "%r1, s;\n");
  const Function& kernel = module.functions[0];
  ASSERT_EQ(kernel.body.size(), 3u);
  const auto type_of = [&](std::size_t n) { return kernel.registers[kernel.body[n].operands[0].index].type; };
  const auto bytes_of = [&](std::size_t n) { return kernel.variables[kernel.body[n].operands[1].index].bytes; };
  EXPECT_EQ(type_of(0), Type::kB32);
  EXPECT_EQ(type_of(1), Type::kB64);
  EXPECT_EQ(type_of(2), Type::kB32);
  EXPECT_EQ(kernel.body[0].operands[0].index, kernel.body[2].operands[0].index);
  EXPECT_EQ(bytes_of(0), 4u);
  EXPECT_EQ(bytes_of(1), 8u);
  EXPECT_EQ(bytes_of(2), 4u);
}

TEST(Parser, FamiliesOfRegistersEndWhereTheySay) {
  EXPECT_TRUE(std::holds_alternative<Module>(
      parse(std::string(kHeader) + ".entry k() { .reg .b32 %r<3>; mov.u32 %r0, %r2; }")));
  for (const char* name : {"%r3", "%r", "%r99999999", "%r4294967296"})
    EXPECT_TRUE(std::holds_alternative<Diagnostic>(
        parse(std::string(kHeader) + ".entry k() { .reg .b32 %r<3>; mov.u32 %r0, " + name + "; }")))
        << name;
}

TEST(Parser, LabelsAreResolvedThroughScopes) {
  const Module module = body_of("bra L;\n{\nL:\n@%p1 bra L;\nbra.uni end;\n}\nL:\nret;\nend:\n");
  const std::vector<Instruction>& body = module.functions[0].body;
  ASSERT_EQ(body.size(), 4u);
  EXPECT_EQ(body[0].operands[0].kind, Operand::Kind::kLabel);
  EXPECT_EQ(body[0].operands[0].index, 3u);  // the outer L
  EXPECT_EQ(body[1].operands[0].index, 1u);  // the inner one
  EXPECT_EQ(body[2].operands[0].index, 4u);  // behind the last instruction
}

TEST(Parser, ListsOfTargetsAndPrototypesAreKept) {
  const Module module = body_of(
      "T: .branchtargets A, B, A;\nA:\nB:\nbrx.idx %r1, T;\n"
      "P: .callprototype (.param .align 8 .b8 _[16]) _ (.param .b32 _, .param .b64 _) .noreturn;\n"
      "Q: .callprototype ()_ ();\nC: .calltargets f, g;\n");
  const Function& kernel = module.functions[0];
  ASSERT_EQ(kernel.branch_targets.count("T"), 1u);
  EXPECT_EQ(kernel.branch_targets.at("T"), (std::vector<std::string_view>{"A", "B", "A"}));
  EXPECT_EQ(kernel.labels.at("B"), 0u);
  ASSERT_EQ(kernel.prototypes.count("P"), 1u);
  EXPECT_EQ(kernel.prototypes.at("P").results.at(0).bytes, 16u);
  EXPECT_EQ(kernel.prototypes.at("P").parameters.at(1).offset, 8u);
  EXPECT_TRUE(kernel.prototypes.at("Q").parameters.empty());
}

TEST(Parser, InstructionsKnowTheirPlaceInTheSource) {
  const Module module = body_of(
      "add.s32 %r1, %r1, 1;\n.loc 1 20 3\nadd.s32 %r1, %r1, 2;\n"
      ".loc 2 7 1, function_name $L__info_string0, inlined_at 1 20 3\nadd.s32 %r1, %r1, 3;\n"
      ".loc 3 9 1, function_name $L__info_string1+16, inlined_at 2 7 1\nadd.s32 %r1, %r1, 4;\n"
      ".loc 1 0 3\nadd.s32 %r1, %r1, 5;\n}\n.file 1 \"/home/a.cu\"\n.file 2 \"/home/b.cuh\", 123, 456\n"
      ".file 3 \"/usr/local/cuda/include/cooperative_groups.h\"\n.entry other() {");
  const std::vector<Instruction>& body = module.functions[0].body;
  ASSERT_EQ(body.size(), 5u);
  const auto place = [&](std::size_t n) {
    const SourcePlace place = place_of(module, body[n].location);
    return place.file + ":" + std::to_string(place.line);
  };
  EXPECT_EQ(place(0), ":0");
  EXPECT_EQ(place(1), "/home/a.cu:20");
  EXPECT_EQ(place(2), "/home/b.cuh:7");
  EXPECT_EQ(place(3), "/home/b.cuh:7");  // code of the toolkit is shown where the program uses it
  EXPECT_EQ(place(4), place(3));         // line 0 is no line
  const Location& inlined = module.locations[static_cast<std::size_t>(body[2].location)];
  ASSERT_GE(inlined.inlined_at, 0);
  EXPECT_EQ(module.locations[static_cast<std::size_t>(inlined.inlined_at)].line, 20u);
}

TEST(Parser, ToolkitCodeNobodyCalledIsShownWhereItIs) {
  const Module module = body_of(".loc 3 9 1\nret;\n}\n.file 3 \"/usr/local/cuda/include/crt/x.h\"\n.entry other() {");
  EXPECT_EQ(place_of(module, module.functions[0].body.at(0).location).line, 9u);
  EXPECT_EQ(place_of(module, -1).line, 0u);
  EXPECT_EQ(place_of(module, 1000).line, 0u);
}

TEST(Parser, WhatDoesNotMatterIsSkipped) {
  const Module module = module_of(
      ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90\n.b32 .debug_abbrev\n{ }\n}\n.pragma \"nounroll\";\n;;\n"
      ".entry k() .pragma \"x\"; { .pragma \"nounroll\"; ; ret; }\n.loc 1 2 3\n");
  ASSERT_EQ(module.functions.size(), 1u);
  EXPECT_EQ(module.functions[0].body.size(), 1u);
}

}  // namespace
}  // namespace vgpu::ptx
