#include "harness/runner/problems.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(CaseSeed, DependsOnAllThatNamesACase) {
  const std::uint64_t seed = case_seed(1, "lab", "task", "case");
  EXPECT_EQ(seed, case_seed(1, "lab", "task", "case"));
  EXPECT_NE(seed, case_seed(2, "lab", "task", "case"));
  EXPECT_NE(seed, case_seed(1, "lab", "task", "case 2"));
  EXPECT_NE(seed, case_seed(1, "lab", "other", "case"));
}

CaseFile case_with(const char* key) {
  CaseFile file;
  file.line = 7;
  file.make.set("kind", std::string("any"));
  file.make.set(key, std::int64_t{5});
  return file;
}

MissingData missing(const CaseFile& file) {
  Task task;
  task.make = [](const Parameters& parameters, std::uint64_t) -> std::variant<Problem, MissingData> {
    if (parameters.text("kind") != "any") return MissingData{"no data"};
    parameters.integer("n");
    parameters.integer_or("holes", 0);
    return Problem{};
  };
  const auto made = make_problem(task, file, 1);
  const auto* const result = std::get_if<MissingData>(&made);
  return result != nullptr ? *result : MissingData{};
}

TEST(MakeProblem, MisspeltParametersAreMistakesThatNameWhatIsKnown) {
  EXPECT_EQ(missing(case_with("n")).sentence, "");
  const MissingData lacking = missing(case_with("m"));
  EXPECT_TRUE(lacking.is_mistake);
  EXPECT_EQ(lacking.sentence, "lab.toml:7: the case's make table lacks the key 'n'; it has kind, m");
  CaseFile file = case_with("n");
  file.make.set("hole", std::int64_t{1});
  const MissingData unread = missing(file);
  EXPECT_TRUE(unread.is_mistake);
  EXPECT_EQ(unread.sentence,
            "lab.toml:7: the key 'hole' of the case's make table means nothing there; known keys are holes, kind, n");
  file.make.set("kind", std::string("file"));
  EXPECT_FALSE(missing(file).is_mistake) << "data that is not there";
}

}  // namespace
}  // namespace lanewise
