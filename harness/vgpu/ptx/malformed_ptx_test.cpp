// The parser: what is wrong is said in one sentence, with the line of the PTX.
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "harness/vgpu/ptx/parser.h"

namespace vgpu::ptx {
namespace {

constexpr const char* kPtxHeader = ".version 9.0\n.target sm_90\n";

Diagnostic diagnostic_of(const std::string& text) {
  const auto parsed = parse(text);
  const auto* diagnostic = std::get_if<Diagnostic>(&parsed);
  return diagnostic != nullptr ? *diagnostic : Diagnostic{0, "nothing is wrong"};
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

struct Row {
  std::string text;
  std::uint32_t line;
  const char* message;
};

void expect_messages(const std::string& before, const Row* begin, const Row* end) {
  for (const Row* row = begin; row != end; ++row) {
    SCOPED_TRACE(row->text.substr(0, 200));
    const Diagnostic diagnostic = diagnostic_of(before + row->text);
    EXPECT_EQ(diagnostic.message, row->message);
    EXPECT_EQ(diagnostic.line, row->line);
  }
}

TEST(MalformedPtx, WithoutAHeaderItIsNoPtx) {
  const Row rows[] = {
      {"", 1, "there is no .version: this is not PTX"},
      {"\n\n", 3, "there is no .version: this is not PTX"},
      {".target sm_90", 1, "there is no .version: this is not PTX"},
      {"hello", 1, "expected a directive, found 'hello'"},
      {"\x7F"
       "ELF",
       1, "the byte 127 has no meaning in PTX"},
      {".version", 1, "expected a version such as 9.0"},
      {".version 9", 1, "expected a version such as 9.0"},
      {".version 99999999.9", 1, "expected a version such as 9.0"},
      {".version 0.5", 1, "there is no .version: this is not PTX"},
      {".version 9.0\n.target", 2, "expected a target such as sm_90, found the end of the text"},
      {".version 9.0\n.target debug", 2, "the .target names no architecture"},
      {".version 9.0\n.target sm_123456789", 2, "the .target names no architecture"},
      {".version 9.0\n.address_size 32\n", 3, "only 64-bit addresses are supported"},
  };
  expect_messages("", std::begin(rows), std::end(rows));
}

TEST(MalformedPtx, AroundFunctions) {
  const Row rows[] = {
      {".entry", 3, "expected the name of a function, found the end of the text"},
      {".entry k", 3, "expected '{' before a function body, found the end of the text"},
      {".entry k(", 3, "a parameter must begin with .param"},
      {".entry k(.param .u32 a .param .u32 b) {}", 3, "parameters must be separated by commas"},
      {".entry k(.param a) {}", 3, "a declaration has no type"},
      {".entry k(.param .u32) {}", 3, "expected the name of a parameter, found ')'"},
      {".entry k(.param .b8 a[65537]) {}", 3, "the parameters take more than 64 KiB"},
      {".entry k(.param .b8 a[65536],\n.param .b8 b) {}", 4, "the parameters take more than 64 KiB"},
      {".entry k(.param .b64 a[4294967296]) {}", 3, "the parameters take more than 64 KiB"},
      {".entry k() .maxntid 1,2,3,4 {}", 3, "more than three extents"},
      {".entry k() .blocksareclusters {}", 3,
       "kernel k counts its grid in thread block clusters (.blocksareclusters, from __block_size__), which the virtual "
       "GPU does not support"},
      {".entry k() .reqnctapercluster {}", 3, "expected an extent, found '{'"},
      {".entry k() .foo {}", 3, "the directive '.foo' is not known before a function body"},
      {".entry k() {", 3, "the body of k is not closed"},
      {".entry k() { { }", 3, "the body of k is not closed"},
      {".entry k() { }\n}", 4, "expected a directive, found '}'"},
      {".entry k() { }\n.func k() { }", 4, "k is defined twice"},
      {".global .u32 k;\n.entry k() { }", 4, "k is defined twice"},
      {".entry k() " + repeated("{", 100), 3, "braces are nested too deeply"},
      {".func .attribute(.unified(1, 2)) f();", 3, "function attributes are not supported"},
      {".alias a, b;", 3, "function aliases are not supported"},
      {".foo", 3, "the directive '.foo' is not known"},
      {".pragma \"x\"", 3, "a .pragma is not closed"},
      {".section .debug_info", 3, "a .section has no body"},
      {".section .debug_info { {\n}", 4, "a .section is not closed"},
      {".file x", 3, "expected a file number after .file, found 'x'"},
      {".file 1 x", 3, "expected a file name after .file"},
      {".loc 1 2", 3, "expected a column number after .loc, found the end of the text"},
      {".loc 1 2 3, foo 4", 3, "'foo' is not known after .loc"},
  };
  expect_messages(kPtxHeader, std::begin(rows), std::end(rows));
}

TEST(MalformedPtx, InDeclarations) {
  const Row rows[] = {
      {".global", 3, "a declaration has no type"},
      {".global .u32", 3, "expected the name of a variable, found the end of the text"},
      {".global .u32 a", 3, "expected ';' after a declaration, found the end of the text"},
      {".global .texref t;", 3, "texture and surface references were removed from CUDA 12; use texture objects"},
      {".global .foo a;", 3, "'.foo' is not a type, alignment or attribute"},
      {".global .align 3 .b8 a;", 3, "an alignment must be a power of two up to 4096"},
      {".global .align 0 .b8 a;", 3, "an alignment must be a power of two up to 4096"},
      {".global .align 8192 .b8 a;", 3, "an alignment must be a power of two up to 4096"},
      {".global .align 18446744073709551615 .b8 a;", 3, "an alignment must be a power of two up to 4096"},
      {".global .attribute(.managed", 3, "an .attribute list is not closed"},
      {".global .u32 a[-1];", 3, "expected an array extent, found '-'"},
      {".global .u32 a[4;", 3, "expected ']' after an array extent, found ';'"},
      {".global .b8 a[4294967297];", 3, "an array is larger than 4 GiB"},
      {".global .b8 a[65536][65537];", 3, "an array is larger than 4 GiB"},
      {".global .b8 a[18446744073709551615][18446744073709551615];", 3, "an array is larger than 4 GiB"},
      {".global .b16 a[4294967296];", 3, "a is larger than 4 GiB"},
      {".global .v4 .b128 a[4294967296];", 3, "a is larger than 4 GiB"},
      {".global .u32 a;\n.global .f32 a;", 4, "a is defined twice"},
      {".global .u32 a = ;", 3, "an initialiser holds ';'"},
      {".global .u32 a = {1", 3, "the initialiser of a is not closed"},
      {".global .u32 a = {1 2};", 3, "the initialiser of a is not closed"},
      {".global .u32 a[2] = {1,2,\n3};", 4, "the initialiser of a is longer than the variable"},
      {".global .u32 a[] = {1,2};", 3, "the array a is initialised but has no extent"},
      {".shared .u32 a = 1;", 3, "only .global and .const variables can be initialised, and a is neither"},
      {".global .u32 a = 1.5;", 3, "a floating-point number cannot initialise a"},
      {".global .f32 a = 1;", 3, "an integer cannot initialise a, which holds floating-point numbers"},
      {".global .u32 a = a;", 3, "an address in the initialiser of a needs 64 bits"},
      {".global .b128 a = a;", 3, "an address in the initialiser of a needs 64 bits"},
      {".global .u64 a = -a;", 3, "only numbers can be negative"},
      {".global .u64 a = generic(a;", 3, "expected ')' after generic(, found ';'"},
      {".global .u8 a = 0xFF(a);", 3, "masked addresses in initialisers are not supported"},
  };
  expect_messages(kPtxHeader, std::begin(rows), std::end(rows));
}

TEST(MalformedPtx, InBodies) {
  const Row rows[] = {
      {"add.u32 %r1, %r2, %r3", 4, "operands must be separated by commas"},
      {"add.u32 %r1 %r2;", 4, "operands must be separated by commas"},
      {"add.u32 %r1,\n+;", 5, "'+' is not an operand"},
      {"add.u32 %r1, %r9;", 4, "the register %r9 is not declared"},
      {"add.u32 %r1, ];", 4, "']' is not an operand"},
      {"add.u32 %r1, -name;", 4, "only numbers and registers can be negative"},
      {"add.u32 %r1, \"x\";", 4, "'x' is not an operand"},
      {"ld.u32 %r1, [%r2", 4, "expected ']' after an address, found '}'"},
      {"ld.u32 %r1, [%r2+%r3];", 4, "expected an offset, found '%r3'"},
      {"ld.u32 %r1, [a+];", 4, "expected an offset, found ']'"},
      {"mov.u32 %r1, a+b;", 4, "expected an offset, found 'b'"},
      {"mov.u32 {%r1 %r2}, 1;", 4, "operands must be separated by commas"},
      {"mov.u32 " + repeated("{", 20), 4, "operands are nested too deeply"},
      {"mov.u32 " + repeated("(", 100000), 4, "operands are nested too deeply"},
      {"mov.u32 {" + repeated("1,", 300) + "1};", 4, "a list of operands is too long"},
      {"@ ret;", 4, "the predicate ret is not declared"},
      {"@5 ret;", 4, "expected a predicate after '@', found '5'"},
      {"@%p9 ret;", 4, "the predicate %p9 is not declared"},
      {"@%p1 @%p1 ret;", 4, "expected an opcode, found '@'"},
      {"bra nowhere;", 4, "the label nowhere is not declared"},
      {"bra %r1;", 4, "the label %r1 is not declared"},
      {"{ L: }\nbra L;", 5, "the label L is not declared"},
      {"L:\nL:", 5, "the label L is declared twice"},
      {"T: .branchtargets A;\nT: .branchtargets B;", 5, "the list T is declared twice"},
      {"P: .callprototype _ ();\nP: .callprototype _ ();", 5, "the prototype P is declared twice"},
      {"T: .branchtargets ;", 4, "expected a target, found ';'"},
      {"T: .branchtargets A", 4, "expected ';' after a list of targets, found '}'"},
      {".reg %a;", 4, "a .reg has no type"},
      {".reg .foo %a;", 4, "registers of type '.foo' are not supported"},
      {".reg .b32 %a<1048577>;", 4, "more than a million registers of one family"},
      {".reg .b32 %a<5;", 4, "expected '>' after the number of registers, found ';'"},
      {".reg .b32 %r<5>;", 4, "the registers %r are declared twice"},
      {".reg .b32 %a;\n.reg .b64 %a;", 5, "the register %a is declared twice"},
      {".shared .b32 a;\n.shared .b32 a;", 5, "the variable a is declared twice"},
      {".shared .b32 a = 5;", 4, "only .global and .const variables can be initialised, and a is neither"},
      {".global .b32 a;", 4, "a .global variable inside a function is not supported"},
      {".foo;", 4, "the directive '.foo' is not known inside a function"},
      {".pragma \"x\"", 4, "a .pragma is not closed"},
      {"5;", 4, "'5' does not begin a statement"},
  };
  const std::string before = std::string(kPtxHeader) + ".entry k() { .reg .pred %p<3>; .reg .b32 %r<5>;\n";
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text.substr(0, 200));
    const Diagnostic diagnostic = diagnostic_of(before + row.text + "}");
    EXPECT_EQ(diagnostic.message, row.message);
    EXPECT_EQ(diagnostic.line, row.line);
  }
}

// A hostile name must not become a hostile message.
TEST(MalformedPtx, LongWordsAreCutInMessages) {
  const std::string name(100000, 'x');
  for (const std::string& text : {name, ".entry k() { mov.u32 %r1, " + name + " " + name + "; }", ".file " + name})
    EXPECT_LT(diagnostic_of(kPtxHeader + text).message.size(), 300u) << text.substr(0, 40);
}

}  // namespace
}  // namespace vgpu::ptx
