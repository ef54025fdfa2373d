// What is read of a contract, and the entry that is made of it.
#include "harness/lab/contract.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

using Role = ContractParameter::Role;

TEST(Contract, PointersAreInputsAndOutputsAndNumbersScalars) {
  const auto function = read_contract(
      "#pragma once\n#include <cstddef>\n"
      "/// Sums. Not void sum(int wrong);\n"
      "void sum(const float* d_x, double const *weights_h, std::uint32_t* __restrict__ d_total,\n"
      "         std::size_t n, float alpha);  // of device memory\n",
      "c.cuh", "sum");
  ASSERT_TRUE(function) << function.sentence();
  ASSERT_EQ(function->parameters.size(), 5U);
  const auto expect = [&](std::size_t i, const char* name, const char* type, DType dtype, Role role) {
    const ContractParameter& parameter = function->parameters[i];
    EXPECT_EQ(parameter.name, name);
    EXPECT_EQ(parameter.type, type);
    EXPECT_EQ(parameter.dtype, dtype) << name;
    EXPECT_EQ(parameter.role, role) << name;
  };
  expect(0, "x", "float", DType::kFloat32, Role::kInput);
  expect(1, "weights", "double", DType::kFloat64, Role::kInput);
  expect(2, "total", "std::uint32_t", DType::kUint32, Role::kOutput);
  expect(3, "n", "std::size_t", DType::kUint64, Role::kScalar);
  expect(4, "alpha", "float", DType::kFloat32, Role::kScalar);
}

TEST(Contract, EntryCallsEachFunctionWithWhatItTakes) {
  const auto one = read_contract("void one(const float* d_x, float* d_y, int n);", "c.cuh", "one");
  const auto two = read_contract("void two(unsigned char* d_y, float alpha);", "c.cuh", "two");
  ASSERT_TRUE(one && two);
  EXPECT_EQ(
      entry_source("lab.cuh", {*one, *two}),
      "#include \"harness/worker/entry.h\"\n#include \"lab.cuh\"\n"
      "LANEWISE_TASK(one) { one(call.input<float>(\"x\"), call.output<float>(\"y\"), call.integer<int>(\"n\")); }\n"
      "LANEWISE_TASK(two) { two(call.output<unsigned char>(\"y\"), call.real<float>(\"alpha\")); }\n");
}

TEST(Contract, WhatCannotBePassedIsNamed) {
  const auto sentence = [](const char* contract) {
    const auto function = read_contract(contract, "c.cuh", "f");
    return function ? "none" : function.sentence();
  };
  EXPECT_EQ(sentence("void g(int n);"), "the contract declares no function 'void f(...)'");
  EXPECT_EQ(sentence("#pragma once\n\nint f(int n);"),
            "c.cuh:3: the contract declares no function 'void f(...)'; what is declared here is another kind");
  EXPECT_EQ(sentence("// void f(int n);"), "the contract declares no function 'void f(...)'");
  for (const char* contract : {"void f(std::vector<float> x);", "void f(float** d_x);", "void f(Node* d_x);",
                               "void f();", "void f(const float*, int n);"})
    EXPECT_EQ(sentence(contract).rfind("c.cuh:1: the contract's f takes '", 0), 0U)
        << contract << ": " << sentence(contract);
  EXPECT_EQ(sentence("/* a\n comment */\nvoid f(const float* d_x,  // x\n       float* h_x,\n       int n);"),
            "c.cuh:4: the contract's f has two parameters that are called x");
}

}  // namespace
}  // namespace lanewise
