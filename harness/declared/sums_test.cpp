// Which oracles add floats up, and whose judge knows.
#include "harness/declared/sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "harness/declared/extent.h"

namespace lanewise {
namespace {

using Values = std::vector<float>;
using Kind = JudgeFile::Kind;

// x of n and w of n x m, or of m alone, as y of some extent.
class SumsTest : public ::testing::Test {
 protected:
  SumsTest() {
    file_.name = task_.name = "t";
    file_.judge = {Kind::kUlps, 4, ""};
    CaseFile& each = file_.cases.emplace_back();
    each.name = "c";
    each.group = "check";
    each.make.set("n", std::int64_t{100});
    each.make.set("m", std::int64_t{3});
    task_.make = [this](const Parameters& parameters, std::uint64_t) {
      Problem problem;
      for (const char* const name : {"m", "n"}) problem.scalars.push_back({name, parameters.integer(name)});
      for (const ArrayFile& array : file_.arrays) {
        ArrayShape shape{array.name, DType::kFloat32, {}};
        for (const std::string& extent : array.shape) shape.shape.push_back(extent_of(extent, problem));
        if (array.values.empty()) {
          problem.outputs.push_back(shape);
          continue;
        }
        Array& input = problem.inputs.emplace_back();
        static_cast<ArrayShape&>(input) = shape;
        input.bytes.resize(byte_count(shape));
        for (std::size_t i = 0; i < element_count(input); ++i)
          elements<float>(input)[i] = 0.1f + std::fmod(0.618f * static_cast<float>(i + 1), 1.0f);
      }
      return problem;
    };
  }

  void arrays(std::vector<ArrayFile> list) { file_.arrays = std::move(list); }
  void oracle(std::function<Values(const Values& first, const Values& second)> values) {
    task_.oracle = [values](const Problem& problem) {
      std::vector<Values> inputs(2);
      for (std::size_t k = 0; k < problem.inputs.size(); ++k)
        inputs[k].assign(elements<float>(problem.inputs[k]),
                         elements<float>(problem.inputs[k]) + element_count(problem.inputs[k]));
      const Values result = values(inputs[0], inputs[1]);
      Array y;
      static_cast<ArrayShape&>(y) = problem.outputs.at(0);
      y.bytes.resize(byte_count(y));
      std::copy(result.begin(), result.end(), elements<float>(y));
      return std::vector<Array>{y};
    };
  }
  std::string found() const { return order_dependent_sum("lab", task_, file_); }

  Task task_;
  TaskFile file_;
};

// However precisely the oracle adds: a submission adds floats.
TEST_F(SumsTest, SumIsFoundWhateverItsOraclesPrecision) {
  arrays({{"x", {"n"}, "v"}, {"y", {"1"}, ""}});
  oracle([](const Values& x, const Values&) { return Values{std::accumulate(x.begin(), x.end(), 0.0f)}; });
  EXPECT_EQ(found(), "x");
  oracle([](const Values& x, const Values&) {
    return Values{static_cast<float>(std::accumulate(x.begin(), x.end(), 0.0))};
  });
  EXPECT_EQ(found(), "x");
  EXPECT_EQ(
      sum_note(file_, "x"),
      "the result combines the elements of x in floats, so its last bits depend on their order, which the judge { "
      "ulps = 4 } does not allow for: if it is their sum, use { sum_of = \"x\" }");
  file_.judge = {};
  EXPECT_EQ(found(), "x") << "an exact judge is stricter still";
  file_.judge = {Kind::kSum, 0, "x"};
  EXPECT_EQ(found(), "");
  file_.judge = {Kind::kUlps, 100, ""};
  EXPECT_EQ(found(), "") << "an ulp for each element";
}

TEST_F(SumsTest, SumOfProductsIsFoundAlongTheExtentThatNoOutputHas) {
  arrays({{"w", {"m", "n"}, "v"}, {"x", {"n"}, "v"}, {"y", {"m"}, ""}});
  oracle([](const Values& w, const Values& x) {
    Values y(3);
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t i = 0; i < 100; ++i) y[row] += w[row * 100 + i] * x[i];
    return y;
  });
  EXPECT_EQ(found(), "w");
  EXPECT_EQ(
      sum_note(file_, "w"),
      "the result combines the elements of w in floats, so its last bits depend on their order, which the judge { "
      "ulps = 4 } does not allow for: use values of one sign, and as many ulps as there are elements");
}

TEST_F(SumsTest, MaximumElementwiseResultAndFirstElementAreNoSums) {
  arrays({{"x", {"n"}, "v"}, {"y", {"1"}, ""}});
  oracle([](const Values& x, const Values&) { return Values{*std::max_element(x.begin(), x.end())}; });
  EXPECT_EQ(found(), "");
  oracle([](const Values& x, const Values&) { return Values{x[0]}; });
  EXPECT_EQ(found(), "");
  arrays({{"x", {"n"}, "v"}, {"y", {"n"}, ""}});
  oracle([](const Values& x, const Values&) { return x; });
  EXPECT_EQ(found(), "");
}

// It does not matter in which order they come, and yet nothing is added up.
TEST_F(SumsTest, SortedElementsAreNoSum) {
  arrays({{"x", {"n"}, "v"}, {"y", {"n + 1"}, ""}});
  oracle([](Values x, const Values&) {
    std::sort(x.begin(), x.end());
    x.push_back(0);
    return x;
  });
  EXPECT_EQ(found(), "");
}

TEST_F(SumsTest, TooFewElementsSayNothing) {
  arrays({{"x", {"n"}, "v"}, {"y", {"1"}, ""}});
  oracle([](const Values& x, const Values&) { return Values{std::accumulate(x.begin(), x.end(), 0.0f)}; });
  file_.cases[0].make.set("n", std::int64_t{2});
  EXPECT_EQ(found(), "");
  file_.cases[0].make.set("n", std::int64_t{5});
  EXPECT_EQ(found(), "x");
}

}  // namespace
}  // namespace lanewise
