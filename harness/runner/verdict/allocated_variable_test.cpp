#include "harness/runner/verdict/allocated_variable.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(AllocatedVariableTest, IsWhatTheAddressIsTakenOf) {
  EXPECT_EQ(allocated_variable("  cudaMalloc(&d_a, n * sizeof(float));"), "d_a");
  EXPECT_EQ(allocated_variable("CHECK(cudaMalloc((void**)&d_b, bytes));"), "d_b");
  EXPECT_EQ(allocated_variable("cudaMalloc((void **) &d_b, bytes);"), "d_b");
  EXPECT_EQ(allocated_variable("cudaMalloc(reinterpret_cast<void**>(&d_c), bytes);"), "d_c");
  EXPECT_EQ(allocated_variable("cudaMalloc<float>(&d_d, bytes);"), "d_d");
  EXPECT_EQ(allocated_variable("cudaMallocManaged(&parts[level], bytes);"), "parts[level]");
  EXPECT_EQ(allocated_variable("if (cudaMallocHost(&this->pinned, bytes) != cudaSuccess) return;"), "this->pinned");
}

TEST(AllocatedVariableTest, IsNotGuessed) {
  EXPECT_EQ(allocated_variable("cudaMalloc(where, bytes);"), "");
  EXPECT_EQ(allocated_variable("cudaMalloc(&d_a, n); cudaMalloc(&d_b, n);"), "") << "which of the two?";
  EXPECT_EQ(allocated_variable("my_cudaMalloc(&d_a, n);"), "");
  EXPECT_EQ(allocated_variable("cudaMalloc"), "");
  EXPECT_EQ(allocated_variable("cudaMalloc<"), "");
  EXPECT_EQ(allocated_variable("cudaMalloc("), "");
}

}  // namespace
}  // namespace lanewise
