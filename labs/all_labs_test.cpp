// What every lab must keep to, checked for each folder under labs/: its files agree with one another and with the code,
// and every mistake it claims to recognise is recognised.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <string>

#include "harness/declared/recognisable.h"
#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"
#include "harness/lab/questions.h"
#include "harness/lab/speed_file.h"
#include "labs/course_map.h"
#include "labs/labs_of_the_tree_test.h"

namespace lanewise {

void PrintTo(const Lab& lab, std::ostream* stream) { *stream << lab.id; }

namespace {

namespace fs = std::filesystem;

const fs::path kLabs = LANEWISE_LABS_FOLDER;
const fs::path kSolutions = LANEWISE_SOLUTIONS_FOLDER;
constexpr std::uint64_t kSeed = 20;

class EveryLab : public testing::TestWithParam<Lab> {
 protected:
  static const Lab& lab() { return GetParam(); }
  static fs::path folder() { return kLabs / lab().id; }
  static fs::path solutions() { return kSolutions / lab().id; }

  static LabFile file() {
    auto read = read_lab_file(folder());
    if (!read) {
      ADD_FAILURE() << read.sentence();
      return {};
    }
    return *read;
  }

  // Folder of a task's ladder: a lab of one task may keep it beside its other solutions.
  static fs::path ladder(const TaskFile& task) {
    return file().tasks.size() == 1 ? solutions() : solutions() / task.name;
  }

  // Warm-ups have none: a single step, which teaches by being written, and no points for speed.
  static bool has_ladder(const TaskFile& task) { return !task.ladder.case_name.empty() || task.points.fast > 0; }

  static std::vector<Question> questions() {
    auto read = read_questions(folder() / "questions.toml");
    if (!read) ADD_FAILURE() << read.sentence();
    return read ? *read : std::vector<Question>{};
  }

  // The problem of a case that is small enough to be made without a GPU; none if its data is not there.
  static std::vector<Problem> make(const Task& task, const CaseFile& made_from, std::uint64_t seed = kSeed) {
    const Parameters parameters = made_from.make;
    auto made = task.make(parameters, seed);
    if (std::holds_alternative<MissingData>(made)) return {};
    EXPECT_EQ(parameters.unread(), std::vector<std::string>{}) << made_from.name;
    return {std::get<Problem>(std::move(made))};
  }
};

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool same_contents(const std::vector<Array>& a, const std::vector<Array>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Array& x, const Array& y) { return x.bytes == y.bytes; });
}

std::vector<LabFile> all_files() {
  std::vector<LabFile> files;
  for (const Lab& lab : labs_of_the_tree()) {
    auto read = read_lab_file(kLabs / lab.id);
    if (read)
      files.push_back(*read);
    else
      ADD_FAILURE() << read.sentence();
  }
  return files;
}

TEST(CourseMap, OfTheReadmeIsWhatTheLabsSay) {
  EXPECT_NE(text_of(kLabs / "README.md").find("\n\n" + course_map(all_files()) + "\n"), std::string::npos)
      << "run scripts/course_map.sh to regenerate it";
}

TEST(CourseMap, HandoutsNameTheHoursThatTheMapDoes) {
  for (const LabFile& file : all_files())
    EXPECT_NE(text_of(file.folder / "README.md").find(fmt::format("llow about {} hours", file.hours)),
              std::string::npos)
        << file.id;
}

TEST(CourseMap, LabsFollowWhatTheyBuildOn) {
  const std::vector<LabFile> files = all_files();
  std::map<std::string, int> order_of;
  std::set<int> orders;
  for (const LabFile& file : files) {
    order_of[file.id] = file.order;
    EXPECT_TRUE(orders.insert(file.order).second) << file.id << ": another lab has its place in the order";
  }
  EXPECT_EQ(*orders.begin(), 0) << "the warm-ups";
  EXPECT_EQ(*orders.rbegin() + 1, static_cast<int>(orders.size()));
  for (const LabFile& file : files)
    for (const std::string& before : file.prerequisites) {
      EXPECT_EQ(order_of.count(before), 1U) << file.id << " builds on " << before;
      EXPECT_LT(order_of[before], file.order) << file.id << " builds on " << before;
    }
}

TEST_P(EveryLab, LabFileAgreesWithTheCode) { EXPECT_EQ(disagreements(file(), lab()), std::vector<std::string>{}); }

TEST_P(EveryLab, BaselineAndReferenceAreStepsOfTheLadder) {
  for (const TaskFile& task : file().tasks) {
    if (has_ladder(task) || !task.baseline.empty()) {
      EXPECT_TRUE(fs::is_regular_file(ladder(task) / task.baseline)) << task.name;
    }
    EXPECT_TRUE(fs::is_regular_file(ladder(task) / task.reference)) << task.name;
  }
}

// Without a GPU a student's time is held against speed.toml; on one, against both steps at a case that is large.
TEST_P(EveryLab, SpeedCanBeGradedWithAndWithoutAGpu) {
  const LabFile lab_file = file();
  const auto marks = read_speed_marks(folder());
  ASSERT_TRUE(marks) << marks.sentence();
  for (const TaskFile& task : lab_file.tasks) {
    if (!(task.points.fast > 0)) continue;
    EXPECT_FALSE(task.speed.measured_case.empty()) << task.name;
    if (task.speed.modelled_case.empty()) continue;  // the lab says that no model tells its steps apart
    for (const char* const toolchain : {"nvcc", "clang"}) {
      const SpeedMarks* const found = find_marks(*marks, lab_file, task, toolchain);
      ASSERT_TRUE(found != nullptr && toolchain_of(found->compiler) == toolchain)
          << task.name << ": 'lanewise bench " << task.name << " --toolchain " << toolchain << "' writes speed.toml";
      EXPECT_GT(found->baseline_ns, 1.2 * found->reference_ns) << task.name << " with " << toolchain;
    }
  }
}

// What is scored at scale shows how its time grows: by a case of the same kind that is half the work, or less.
TEST_P(EveryLab, TheSmallerCaseOfASpeedAtScaleIsSmaller) {
  for (const TaskFile& task_file : file().tasks) {
    const SpeedFile& speed = task_file.speed;
    if (!(task_file.points.fast > 0) || speed.modelled_case.empty() || speed.is_whole_call) continue;
    ASSERT_FALSE(speed.smaller.name.empty()) << task_file.name << ": 'smaller = { ... }' is missing in [task.speed]";
    const Task* const task = find_task(lab(), task_file.name);
    const auto counted = std::find_if(task_file.cases.begin(), task_file.cases.end(),
                                      [&](const CaseFile& each) { return each.name == speed.modelled_case; });
    const Work work = task->work(make(*task, *counted).at(0));
    const Work smaller = task->work(make(*task, speed.smaller).at(0));
    EXPECT_GE(std::max(work.bytes / smaller.bytes, work.flops / std::max(smaller.flops, 1.0)), 2) << task_file.name;
  }
}

TEST_P(EveryLab, HasAHandoutAndWrongSubmissions) {
  EXPECT_TRUE(fs::is_regular_file(folder() / "README.md"));
  EXPECT_TRUE(fs::is_regular_file(solutions() / "README.md"));
  for (const TaskFile& task : file().tasks) {
    int declared = 0;
    for (const auto& entry : fs::directory_iterator(ladder(task) / "wrong")) {
      std::ifstream stream(entry.path());
      std::string first_line;
      std::getline(stream, first_line);
      EXPECT_EQ(first_line.rfind("// expect: " + task.name + ": ", 0), 0u) << entry.path() << ": " << first_line;
      ++declared;
    }
    EXPECT_GE(declared, has_ladder(task) ? 3 : 1) << task.name;
  }
}

// A student's own file is compared with what is handed out, and can be had again; `make` works beside it.
TEST_P(EveryLab, HandsOutASkeletonTwiceAndAMakefile) {
  const std::string skeleton = text_of(folder() / file().skeleton);
  EXPECT_FALSE(skeleton.empty());
  EXPECT_EQ(text_of(folder() / (file().skeleton + kSkeletonCopy)), skeleton);
  EXPECT_NE(text_of(folder() / "Makefile"), "");
  EXPECT_EQ(text_of(folder() / "Makefile"), text_of(kLabs / "vecadd" / "Makefile"));
}

TEST_P(EveryLab, PublicCasesCanBeMadeWithTheDataThatIsShipped) {
  for (const TaskFile& task_file : file().tasks) {
    const Task* task = find_task(lab(), task_file.name);
    ASSERT_NE(task, nullptr);
    for (const CaseFile& each : task_file.cases) {
      if (each.group != "check") continue;
      const auto made = make(*task, each);
      ASSERT_EQ(made.size(), 1u) << each.name;
      const auto expected = task->oracle(made[0]);
      ASSERT_EQ(expected.size(), made[0].outputs.size()) << each.name;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(expected[i].name, made[0].outputs[i].name);
        EXPECT_EQ(expected[i].shape, made[0].outputs[i].shape);
        EXPECT_EQ(expected[i].bytes.size(), byte_count(made[0].outputs[i]));
      }
      EXPECT_TRUE(task->judge(made[0], expected, expected).right) << each.name;
    }
  }
}

TEST_P(EveryLab, CasesWithoutTheirDataCarryNoPoints) {
  for (const TaskFile& task_file : file().tasks) {
    for (const CaseFile& each : task_file.cases) {
      if (each.backend == "gpu") continue;  // too large to be made here
      const Task* task = find_task(lab(), task_file.name);
      if (each.points > 0) {
        EXPECT_EQ(make(*task, each).size(), 1u) << each.name;
      }
    }
  }
}

TEST_P(EveryLab, TheSeedDecidesEveryByte) {
  for (const TaskFile& task_file : file().tasks) {
    const Task* task = find_task(lab(), task_file.name);
    bool seed_matters = false;
    for (const CaseFile& each : task_file.cases) {
      if (each.group != "check") continue;
      const auto first = make(*task, each);
      const auto again = make(*task, each);
      const auto other = make(*task, each, kSeed + 1);
      ASSERT_FALSE(first.empty());
      EXPECT_TRUE(same_contents(first[0].inputs, again[0].inputs)) << each.name;
      seed_matters |= !same_contents(first[0].inputs, other[0].inputs);
    }
    EXPECT_TRUE(seed_matters) << task_file.name;
  }
}

// A mistake nobody can tell from the right answer, or from another mistake, is not recognised.
TEST_P(EveryLab, EveryMisconceptionIsWrongAndNamedOnSomePublicCase) {
  for (const TaskFile& task : file().tasks)
    EXPECT_EQ(unrecognisable(lab().id, *find_task(lab(), task.name), task), std::vector<std::string>()) << task.name;
}

TEST_P(EveryLab, MisconceptionsSayWhatToDo) {
  for (const Task& task : lab().tasks)
    for (const Misconception& mistake : task.misconceptions) {
      EXPECT_FALSE(mistake.name.empty());
      EXPECT_EQ(mistake.name.find('"'), std::string::npos) << "the name stands between quotes in // expect: lines";
      ASSERT_GT(mistake.hint.size(), 20u) << mistake.name;
      EXPECT_EQ(mistake.hint.back(), '.') << mistake.name;
    }
}

TEST_P(EveryLab, EveryQuestionHasATaskAnAnswerAndALineToFillIn) {
  const auto asked = questions();
  EXPECT_GE(asked.size(), 5u);
  const auto key = read_answers(solutions() / "answers.toml");
  ASSERT_TRUE(key) << key.sentence();
  EXPECT_EQ(key_gaps(asked, *key), std::vector<std::string>{});
  const std::string form = text_of(folder() / "answers.toml");
  for (const Question& question : asked) {
    EXPECT_NE(find_task(lab(), question.task), nullptr) << question.id;
    EXPECT_NE(form.find("\n# " + question.id + " ="), std::string::npos) << question.id;
    const auto task = question.task;
    const auto marks = mark({question}, task, *key, *key);
    ASSERT_EQ(marks.size(), 1u);
    EXPECT_EQ(marks[0].result,
              question.kind == Question::Kind::kText ? Marked::Result::kWaiting : Marked::Result::kRight)
        << question.id;
  }
}

TEST_P(EveryLab, TheFormAsHandedOutAnswersNothing) {
  const auto answers = read_answers(folder() / "answers.toml");
  ASSERT_TRUE(answers) << answers.sentence();
  EXPECT_TRUE(answers->empty());
}

INSTANTIATE_TEST_SUITE_P(Labs, EveryLab, testing::ValuesIn(labs_of_the_tree()),
                         [](const testing::TestParamInfo<Lab>& info) { return info.param.id; });

TEST(AllLabs, AreInAlphabeticalOrder) {
  const auto labs = labs_of_the_tree();
  ASSERT_FALSE(labs.empty());
  EXPECT_TRUE(std::is_sorted(labs.begin(), labs.end(), [](const Lab& a, const Lab& b) { return a.id < b.id; }));
}

TEST(AllLabs, AreTheFoldersThatHoldALabFile) {
  std::set<std::string> folders;
  for (const auto& entry : fs::directory_iterator(kLabs))
    if (fs::exists(entry.path() / "lab.toml")) folders.insert(entry.path().filename().string());
  std::set<std::string> ids;
  for (const Lab& lab : labs_of_the_tree()) ids.insert(lab.id);
  EXPECT_EQ(ids, folders);
}

}  // namespace
}  // namespace lanewise
