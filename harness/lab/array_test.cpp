// Sizes of arrays, and that a wrong element type is caught.
#include "harness/lab/array.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace lanewise {
namespace {

TEST(Array, EmptyShapeIsOneElement) { EXPECT_EQ(element_count({"x", DType::kFloat64, {}}), 1U); }

TEST(Array, AnyZeroExtentMakesItEmpty) { EXPECT_EQ(element_count({"x", DType::kUint8, {1000, 0, 7}}), 0U); }

TEST(Array, BytesCountElementsTimesTheirSize) { EXPECT_EQ(byte_count({"x", DType::kInt16, {3, 5}}), 30U); }

TEST(Array, NegativeExtentIsRefused) { EXPECT_THROW(element_count({"x", DType::kUint8, {-1}}), std::invalid_argument); }

TEST(Array, ProductThatOverflowsIsRefused) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(element_count({"x", DType::kUint8, {huge, huge}}), std::invalid_argument);
}

TEST(Array, NewArrayIsZeroAndOfItsType) {
  const Array array = make_array<std::int64_t>("x", {2, 3});
  EXPECT_EQ(array.dtype, DType::kInt64);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(elements<std::int64_t>(array)[i], 0);
}

TEST(Array, ReadingAsAnotherTypeNamesBoth) {
  const Array array = make_array<float>("c", {4});
  try {
    elements<double>(array);
    FAIL() << "the wrong type was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "array 'c' holds float32, not float64");
  }
}

TEST(Array, EveryTypeHasANameAndASize) {
  for (int type = 0; type <= static_cast<int>(DType::kFloat64); ++type) {
    EXPECT_GT(size_of(static_cast<DType>(type)), 0U);
    EXPECT_STRNE(name_of(static_cast<DType>(type)), "");
  }
  EXPECT_THROW(size_of(static_cast<DType>(250)), std::invalid_argument);
}

}  // namespace
}  // namespace lanewise
