// A case is made once for all who ask for it, and forgotten when others were asked for.
#include "harness/runner/verdict/instances.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "harness/runner/parallel.h"

namespace lanewise {
namespace {

class InstancesTest : public ::testing::Test {
 protected:
  InstancesTest() {
    task_.name = "copy";
    task_.make = [this](const Parameters&, std::uint64_t) -> std::variant<Problem, MissingData> {
      ++made_;
      Problem problem;
      problem.inputs.push_back(make_array<float>("a", {4}));
      return problem;
    };
    task_.oracle = [](const Problem& problem) { return problem.inputs; };
  }

  static CaseFile named(const std::string& name) {
    CaseFile result;
    result.name = name;
    return result;
  }

  Task task_;
  std::atomic<int> made_{0};
  Instances instances_{3};
};

TEST_F(InstancesTest, OneCaseIsMadeOnceForMany) {
  run_in_parallel(16, 8, [this](std::size_t) {
    const auto instance = instances_.get(task_, named("a"), 1);
    EXPECT_EQ(instance->expected.size(), 1U);
  });
  EXPECT_EQ(made_, 1);
}

TEST_F(InstancesTest, AnotherSeedIsAnotherCase) {
  instances_.get(task_, named("a"), 1);
  instances_.get(task_, named("a"), 2);
  EXPECT_EQ(made_, 2);
}

TEST_F(InstancesTest, OnlyTheLatestAreKept) {
  for (const char* name : {"a", "b", "a", "c", "d"}) instances_.get(task_, named(name), 1);
  EXPECT_EQ(made_, 4);
  instances_.get(task_, named("a"), 1);
  EXPECT_EQ(made_, 4) << "it was asked for again in between";
  instances_.get(task_, named("b"), 1);
  EXPECT_EQ(made_, 5);
}

TEST_F(InstancesTest, TroubleIsKeptAsASentence) {
  task_.oracle = [](const Problem&) -> std::vector<Array> { throw std::invalid_argument("no answer"); };
  EXPECT_EQ(instances_.get(task_, named("a"), 1)->trouble, "no answer");
  task_.make = [](const Parameters&, std::uint64_t) -> std::variant<Problem, MissingData> {
    return MissingData{"not here"};
  };
  EXPECT_EQ(std::get<MissingData>(instances_.get(task_, named("b"), 1)->made).sentence, "not here");
}

}  // namespace
}  // namespace lanewise
