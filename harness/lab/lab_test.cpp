// Look-ups name what is missing or of the wrong kind.
#include "harness/lab/lab.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace lanewise {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Parameters, IntegerIsAlsoANumber) {
  Parameters parameters;
  parameters.set("low", std::int64_t{3});
  EXPECT_EQ(parameters.integer("low"), 3);
  EXPECT_EQ(parameters.number("low"), 3.0);
}

TEST(Parameters, NumberIsNoInteger) {
  Parameters parameters;
  parameters.set("n", 2.5);
  EXPECT_EQ(message_of([&] { parameters.integer("n"); }),
            "the key 'n' of the case's make table is a number; it must be an integer");
}

TEST(Parameters, MissingKeyIsNamed) {
  EXPECT_EQ(message_of([] { Parameters().text("kind"); }), "the case's make table lacks the key 'kind'; it is empty");
}

TEST(Parameters, KeysThatNobodyAsksForAreKnown) {
  Parameters parameters;
  parameters.set("n", std::int64_t{5});
  parameters.set("raduis", std::int64_t{5});
  parameters.integer("n");
  parameters.integer_or("radius", 7);
  EXPECT_EQ(parameters.unread(), std::vector<std::string>{"raduis"});
  EXPECT_EQ(parameters.asked_for(), (std::set<std::string>{"n", "radius"}));
}

TEST(Parameters, DefaultStandsOnlyForAnAbsentKey) {
  Parameters parameters;
  EXPECT_EQ(parameters.integer_or("radius", 7), 7);
  parameters.set("radius", std::int64_t{0});
  EXPECT_EQ(parameters.integer_or("radius", 7), 0);
  parameters.set("radius", std::string("wide"));
  EXPECT_THROW(parameters.integer_or("radius", 7), std::invalid_argument);
}

TEST(Problem, ScalarsAndArraysAreFoundByName) {
  Problem problem;
  problem.inputs = {make_array<float>("a", {1}), make_array<float>("b", {2})};
  problem.scalars = {{"n", std::int64_t{2}}, {"scale", 0.5}};
  EXPECT_EQ(integer_scalar(problem, "n"), 2);
  EXPECT_EQ(find_array(problem.inputs, "b").shape[0], 2);
  EXPECT_EQ(message_of([&] { integer_scalar(problem, "m"); }), "the problem has no scalar 'm'");
  EXPECT_EQ(message_of([&] { integer_scalar(problem, "scale"); }),
            "the scalar 'scale' of the problem is not an integer");
  EXPECT_EQ(message_of([&] { find_array(problem.inputs, "c"); }), "the problem has no array 'c'");
}

}  // namespace
}  // namespace lanewise
