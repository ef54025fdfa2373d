// The matrices of the lab transpose, and transposing them.
#include <gtest/gtest.h>

#include <cmath>

#include "labs/transpose/test_matrices.h"

namespace lanewise::transpose_test {
namespace {

TEST(TransposeMake, GivesAMatrixAndRoomForItsTranspose) {
  for (const auto& [rows, cols] : {std::pair{0, 7}, {7, 0}, {1, 1}, {31, 33}}) {
    const Problem problem = made(shape(rows, cols));
    ASSERT_EQ(problem.inputs.size(), 1u);
    EXPECT_EQ(problem.inputs[0].name, "in");
    EXPECT_EQ(problem.inputs[0].shape, (std::vector<std::int64_t>{rows, cols}));
    ASSERT_EQ(problem.outputs.size(), 1u);
    EXPECT_EQ(problem.outputs[0].name, "out");
    EXPECT_EQ(problem.outputs[0].shape, (std::vector<std::int64_t>{cols, rows}));
    EXPECT_EQ(problem.outputs[0].dtype, DType::kFloat32);
    EXPECT_EQ(problem.space, Space::kDevice);
  }
}

TEST(TransposeMake, UnusualValuesAreZerosDenormalsAndInfinitiesButNoNans) {
  Parameters parameters = shape(50, 70);
  parameters.set("function", std::string("unusual_values"));
  const Floats values = floats_of(made(parameters).inputs[0]);
  const auto count = [&values](auto is) { return std::count_if(values.begin(), values.end(), is); };
  EXPECT_GT(count([](float x) { return x == 0 && std::signbit(x); }), 100);
  EXPECT_GT(count([](float x) { return x == 0 && !std::signbit(x); }), 100);
  EXPECT_GT(count([](float x) { return std::fpclassify(x) == FP_SUBNORMAL; }), 100);
  EXPECT_GT(count([](float x) { return std::isinf(x); }), 100);
  EXPECT_EQ(count([](float x) { return std::isnan(x); }), 0);
}

TEST(TransposeOracle, TurnsTheExampleOfTheHandout) {
  EXPECT_EQ(right(counting(3, 5)), (Floats{0, 5, 10, 1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14}));
}

TEST(TransposeOracle, TwiceIsTheMatrixAgain) {
  const Problem problem = made(shape(31, 65));
  Problem back = made(shape(65, 31));
  const Floats turned = right(problem);
  std::copy(turned.begin(), turned.end(), elements<float>(back.inputs[0]));
  EXPECT_EQ(right(back), floats_of(problem.inputs[0]));
}

TEST(TransposeJudge, TellsTheZerosApart) {
  const Problem problem = counting(2, 2);
  const auto expected = task().oracle(problem);
  auto got = expected;
  EXPECT_TRUE(task().judge(problem, expected, got).right);
  elements<float>(got[0])[0] = -0.0f;
  EXPECT_FALSE(task().judge(problem, expected, got).right);
}

TEST(TransposeWork, IsEightBytesAnElement) { EXPECT_EQ(task().work(made(shape(30, 40))).bytes, 9600); }

}  // namespace
}  // namespace lanewise::transpose_test
