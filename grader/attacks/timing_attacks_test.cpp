// Every file of grader/attacks/timing gets the verdict it declares, no point more than honest work, and is timed as it
// declares: samples on the virtual GPU show what needs no real clock to be seen.
#include "grader/commands/check_flow_fixture_test.h"
#include "grader/solutions/expectation.h"
#include "harness/declared/known_labs.h"
#include "harness/runner/build/builder.h"
#include "harness/runner/session/backend.h"
#include "harness/runner/timing/timed_case.h"

namespace lanewise::timing_attacks_test {
namespace {

constexpr const char* kTask = "vec_add_device";
constexpr std::int64_t kSmall = 4096;
constexpr std::int64_t kLarge = 2'000'001;  // more than any case of the check group
constexpr int kSmallSamples = 30;           // the fewest that a measurement takes
constexpr int kLargeSamples = 2;
constexpr std::chrono::milliseconds kLimit(2'000);

std::vector<std::string> attacks() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(LANEWISE_ATTACKS_FOLDER "/timing"))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

struct Declared {
  Outline outline;
  std::string timed;  ///< "truthfully", "wrong", "broken", "never"
};

Declared declared_by(const fs::path& file) {
  std::ifstream stream(file);
  std::string first;
  std::string second;
  std::getline(stream, first);
  std::getline(stream, second);
  const auto expectation = parse_expectation(first);
  EXPECT_TRUE(expectation) << file << ": " << expectation.sentence();
  if (!expectation) return {};
  EXPECT_EQ(expectation->task, kTask);
  const std::string begin = "// timed: ";
  EXPECT_EQ(second.rfind(begin, 0), 0U) << file << ": the second line says how it is timed";
  return {expectation->outline,
          second.substr(std::min(begin.size(), second.size())).substr(0, second.find(';') - begin.size())};
}

class TimingAttacks : public CheckFlow, public ::testing::WithParamInterface<std::string> {
 protected:
  static fs::path file_of(const std::string& name) {
    return fs::path(LANEWISE_ATTACKS_FOLDER "/timing") / (name + ".cu");
  }

  TaskVerdict check_file(const std::string& name) {
    const Outcome outcome = run({kTask, "--submission", file_of(name).string()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    text_ = outcome.text;
    if (outcome.verdicts.size() == 1 && outcome.verdicts[0].tasks.size() == 1) return outcome.verdicts[0].tasks[0];
    ADD_FAILURE() << outcome.text;
    return {};
  }

  // What is to be timed, from the cache if it is there: what it is run with is in `options`.
  static std::string build_file(const std::string& name, SessionOptions& options) {
    const Installation installation = find_installation(LANEWISE_EXECUTABLE);
    const auto builder = Builder::create(installation);
    const auto backend = choose_backend(BackendChoice::kVgpu, installation);
    const auto lab = read_lab_file(fs::path(LANEWISE_LABS_FOLDER) / "vecadd");
    if (!builder || !backend || !lab) return "";
    const auto build = builder->build(*lab, file_of(name), "90");
    if (!build || !build->is_built) return "";
    options.worker = installation.worker;
    backend->choose(options);
    options.monitors = "none";
    return build->shared_object.string();
  }

  static std::string time_file(const std::string& name) {
    SessionOptions options;
    const std::string shared_object = build_file(name, options);
    return shared_object.empty() ? "not built" : time_build(options, shared_object);
  }

  static std::string time_build(const SessionOptions& options, const fs::path& shared_object) {
    const auto labs = known_labs(find_installation(LANEWISE_EXECUTABLE), {kTask});
    if (!labs) return labs.sentence();
    const Task* const task = find_task(*select_labs(*labs, {kTask})->front().lab, kTask);
    std::unique_ptr<TimedCase> timed;
    for (int i = 0; i < kSmallSamples + kLargeSamples; ++i) {
      Parameters parameters;
      parameters.set("n", i < kSmallSamples ? kSmall : kLarge);
      parameters.set("low", 0.0);
      parameters.set("high", 1.0);
      const auto made = task->make(parameters, static_cast<std::uint64_t>(i));
      const Problem& problem = std::get<Problem>(made);
      if (!timed) {
        auto opened = TimedCase::open(options, shared_object, kTask, problem, kLimit);
        if (!opened) return opened.sentence();
        timed = std::move(*opened);
      }
      const TimedSample sample = timed->sample(problem);
      if (!timed->is_usable()) return "broken";
      if (!task->judge(problem, task->oracle(problem), sample.observation.outputs).right) return "wrong";
      EXPECT_GT(sample.seconds, 0);
      EXPECT_TRUE(sample.review.empty()) << sample.review;
    }
    return "truthfully";
  }
};

INSTANTIATE_TEST_SUITE_P(Files, TimingAttacks, ::testing::ValuesIn(attacks()),
                         [](const auto& file) { return file.param; });

TEST_P(TimingAttacks, GetsItsVerdictAndNoPointMoreThanHonestWork) {
  const TaskVerdict verdict = check_file(GetParam());
  const Declared declared = declared_by(file_of(GetParam()));
  EXPECT_TRUE(outline_of(verdict) == declared.outline)
      << "declared: " << describe(declared.outline) << "\nactual: " << describe(outline_of(verdict)) << "\n"
      << text_;
  static const TaskVerdict kHonest = check_file("honest");
  EXPECT_EQ(kHonest.max_points, verdict.max_points) << text_;
  EXPECT_LE(verdict.points, kHonest.points) << text_;
  SessionOptions options;
  build_file(GetParam(), options);  // for IsTimedAsItDeclares, beside which nothing else runs
}

TEST_P(TimingAttacks, IsTimedAsItDeclares) {
  const std::string timed = declared_by(file_of(GetParam())).timed;
  if (timed != "never") {
    EXPECT_EQ(time_file(GetParam()), timed);
  }
}

}  // namespace
}  // namespace lanewise::timing_attacks_test
