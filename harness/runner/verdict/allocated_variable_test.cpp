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

TEST(AllocatedVariableTest, IsTheObjectThatAllocatesForItself) {
  EXPECT_EQ(allocated_variable("CHECK(d_sums.allocate(tiles));"), "d_sums");
  EXPECT_EQ(allocated_variable("  CHECK(d_pieces[i].allocate(most_pieces));"), "d_pieces[i]");
  EXPECT_EQ(allocated_variable({"CHECK(d_carries.allocate(", "    tiles + 1));"}, 2), "d_carries");
  EXPECT_EQ(allocated_variable("CHECK(d_a.allocate(n)); CHECK(d_b.allocate(n));"), "") << "which of the two?";
  EXPECT_EQ(allocated_variable("allocate(n);"), "");
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
