// `lanewise grade` as an instructor uses it: what it refuses, what it keeps, and what it goes on with.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <fstream>
#include <map>
#include <thread>

#include "grader/class/csv.h"
#include "grader/class/utf8.h"
#include "grader/store/store.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/runner/process.h"

namespace lanewise::grade_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kGenerous(5);
constexpr std::uintmax_t kLargestFile = 64 << 20;

// Right; `mark` makes it another source.
std::string right(int mark) {
  return "#include \"vecadd.cuh\"\n// " + std::to_string(mark) +
         "\n"
         "__global__ void add(const float* a, const float* b, float* c, std::size_t n) {\n"
         "  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;\n"
         "  if (i < n) c[i] = a[i] + b[i];\n}\n"
         "void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {\n"
         "  if (n > 0) add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);\n}\n";
}

class GradeFlow : public ::testing::Test {
 protected:
  struct Outcome {
    int exit_code = -1;
    std::string text;
  };

  fs::path root() const { return folder_->path(); }
  fs::path out() const { return root() / "grades"; }

  void put(const fs::path& name, const std::string& content) const {
    fs::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << content;
  }

  ProcessOptions command(const std::vector<std::string>& more) const {
    ProcessOptions options;
    options.command = {LANEWISE_EXECUTABLE, "grade", "vec_add_device", "--submissions", (root() / "in").string(),
                       "--backend",         "vgpu",  "--out",          (out()).string()};
    options.command.insert(options.command.end(), more.begin(), more.end());
    options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};
    return options;
  }

  Outcome grade(const std::vector<std::string>& more = {}) const {
    const auto finished = run_to_end(command(more), kGenerous, 1 << 20);
    if (!finished) return {-1, finished.sentence()};
    return {WIFEXITED(finished->status) ? WEXITSTATUS(finished->status) : -1, finished->output};
  }

  std::vector<Verdict> verdicts_of(const std::string& student) const {
    const auto json = read_file(out() / "students" / student / "results.json", kLargestFile);
    if (!json) return {};
    const auto verdicts = read_json_report(*json);
    return verdicts ? *verdicts : std::vector<Verdict>();
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};

TEST_F(GradeFlow, WhatMakesNoSenseIsSaidBeforeAnythingIsWritten) {
  EXPECT_EQ(grade().exit_code, 2) << "nothing was handed in";
  put("in/ada/vecadd.cu", right(1));
  put("course.toml", "titel = \"x\"\n");
  put("secret.toml", "seed = \"x\"\n");
  put("roster.csv", "name\nAda\n");
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--course", (root() / "course.toml").string()},
                                             {"--course", (root() / "none.toml").string()},
                                             {"--seed-file", (root() / "secret.toml").string()},
                                             {"--roster", (root() / "roster.csv").string()},
                                             {"--resume"},
                                             {"--roster"},
                                             {"--cases", "race"}}) {
    const Outcome outcome = grade(more);
    EXPECT_EQ(outcome.exit_code, 2) << more[0] << ": " << outcome.text;
    EXPECT_FALSE(fs::exists(out())) << more[0];
  }
}

TEST_F(GradeFlow, FoldersThatHoldSomethingElseAreLeftAlone) {
  put("in/ada/vecadd.cu", right(1));
  put("grades/thesis.tex", "years of work\n");
  const Outcome outcome = grade();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.text.find("the folder holds something else"), std::string::npos) << outcome.text;
  EXPECT_EQ(std::distance(fs::directory_iterator(out()), fs::directory_iterator()), 1);
  ProcessOptions inside = command({});
  inside.command.back() = (root() / "in" / "grades").string();
  const auto finished = run_to_end(inside, kGenerous, 1 << 16);
  ASSERT_TRUE(finished);
  EXPECT_NE(finished->output.find("must not contain each other"), std::string::npos) << finished->output;
  EXPECT_FALSE(fs::exists(root() / "in" / "grades"));
}

TEST_F(GradeFlow, SecondGraderOfTheSameFolderIsRefused) {
  put("in/ada/vecadd.cu", right(1));
  fs::create_directories(out());
  const auto store = Store::open(out());
  ASSERT_TRUE(store) << store.sentence();
  const Outcome outcome = grade();
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.text.find("in use by another lanewise"), std::string::npos) << outcome.text;
}

TEST_F(GradeFlow, WhatIsKnownIsNotGradedAgainAndWhatChangedIs) {
  put("in/ada/vecadd.cu", right(1));
  put("in/bob/vecadd.cu", right(1));  // the same work
  put("in/cem/vecadd.cu", "nothing that compiles\n");
  const Outcome first = grade();
  EXPECT_EQ(first.exit_code, 0) << first.text;
  EXPECT_NE(first.text.find("Graded now: 3; from earlier runs: 0."), std::string::npos) << first.text;
  ASSERT_EQ(verdicts_of("ada").size(), 1U);
  EXPECT_EQ(verdicts_of("ada")[0].points, verdicts_of("bob").at(0).points);
  EXPECT_EQ(verdicts_of("cem").at(0).tasks.at(0).state, TaskState::kCompileError);
  put("in/cem/vecadd.cu", right(2));
  const Outcome second = grade({"--resume"});
  EXPECT_NE(second.text.find("Graded now: 1; from earlier runs: 2."), std::string::npos) << second.text;
  EXPECT_EQ(verdicts_of("cem").at(0).tasks.at(0).state, TaskState::kGraded);
  fs::remove_all(root() / "in" / "bob");
  const Outcome third = grade();
  EXPECT_NE(third.text.find("Graded now: 0; from earlier runs: 2."), std::string::npos) << third.text;
}

TEST_F(GradeFlow, KilledGraderGoesOnWhereItWas) {
  for (int i = 0; i < 4; ++i) put("in/s" + std::to_string(i) + "/vecadd.cu", right(i));
  {
    const auto process = Process::start(command({"--jobs", "1"}));
    ASSERT_TRUE(process) << process.sentence();
    // The log of the database grows with the first verdict that is kept: after a pause, in which it is compiled.
    const fs::path log = out() / "grades.db-wal";
    std::error_code error;
    const Clock::time_point deadline = Clock::now() + kGenerous;
    std::uintmax_t begun = 0, last = 0;
    Clock::time_point grew = Clock::now();
    while (Clock::now() < deadline) {
      const std::uintmax_t size = fs::exists(log, error) ? fs::file_size(log, error) : 0;
      if (size != last) grew = Clock::now();
      last = size;
      const bool pauses = Clock::now() - grew > std::chrono::milliseconds(300);
      if (begun == 0 && pauses && fs::exists(out() / "sources", error)) begun = size;
      if (begun != 0 && size > begun + 8192) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    kill(process->id(), SIGKILL);
  }
  const Outcome outcome = grade({"--resume"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  int now = -1;
  int known = -1;
  const std::size_t at = outcome.text.find("Graded now: ");
  ASSERT_NE(at, std::string::npos) << outcome.text;
  ASSERT_EQ(std::sscanf(outcome.text.c_str() + at, "Graded now: %d; from earlier runs: %d.", &now, &known), 2);
  EXPECT_EQ(now + known, 4);
  EXPECT_GE(known, 1) << "what was kept before the kill";
  EXPECT_GE(now, 1) << "it was killed before its end";
  for (int i = 0; i < 4; ++i) EXPECT_EQ(verdicts_of("s" + std::to_string(i)).size(), 1U);
}

TEST_F(GradeFlow, AnEmptyDatabaseBesideGradesIsNotBegunAnew) {
  put("in/ada/vecadd.cu", right(1));
  ASSERT_EQ(grade().exit_code, 0);
  fs::resize_file(out() / "grades.db", 0);
  const Outcome outcome = grade();
  EXPECT_EQ(outcome.exit_code, 3) << outcome.text;
  EXPECT_NE(outcome.text.find("grades.db is empty, but there are grades beside it"), std::string::npos) << outcome.text;
  EXPECT_EQ(fs::file_size(out() / "grades.db"), 0U);
  EXPECT_EQ(verdicts_of("ada").size(), 1U);
}

TEST_F(GradeFlow, WithoutASeedFileAFolderHasASeedOfItsOwn) {
  const auto seed_of = [this](const std::string& student) {
    const auto verdicts = verdicts_of(student);
    return verdicts.size() == 1 ? verdicts[0].seed : 0;
  };
  put("in/ada/vecadd.cu", right(1));
  EXPECT_EQ(grade().exit_code, 0);
  const std::uint64_t drawn = seed_of("ada");
  EXPECT_GT(drawn, 1U);
  put("in/bob/vecadd.cu", right(2));
  put("secret.toml", "seed = 77\n");
  EXPECT_EQ(grade({"--seed-file", (root() / "secret.toml").string()}).exit_code, 0);
  EXPECT_EQ(seed_of("ada"), 77U);
  const Outcome again = grade();
  EXPECT_NE(again.text.find("Graded now: 1; from earlier runs: 1. The seed was " + std::to_string(drawn) + "."),
            std::string::npos)
      << "ada's verdict is known, bob's is not\n"
      << again.text;
  EXPECT_EQ(seed_of("bob"), drawn);
  fs::remove_all(out());
  EXPECT_EQ(grade().exit_code, 0);
  EXPECT_NE(seed_of("ada"), drawn) << "a new folder, a new seed";
}

// A download from Canvas, whose files have no reliable times.
TEST_F(GradeFlow, AMarkWithoutATimeCostsNoDayThatAnExtensionCoversAndPagesShowThePointsOfTheGradebook) {
  put("in/lovelaceada_LATE_501_67890_vecadd.cu", right(1));
  put("in/bobson_LATE_502_67891_vecadd.cu", right(1));
  put("in/cemal_503_67892_vecadd.cu", right(1));
  put("in/dora_504_67893_vecadd.cu", "nothing that compiles\n");
  put("in/eve_505_67894_vecadd.cu", "");
  put("in/stranger_599_67895_vecadd.cu", right(1));
  put("roster.csv", "id,name,number\nada,Ada,501\nbob,Bob,502\ncem,Cem,503\ndora,Dora,504\neve,Eve,505\nzoe,Zoe,506\n");
  put("course.toml",
      "[late]\npercent_a_day = 10\n[lab.vecadd]\ndue = 2026-11-22T23:59:00+01:00\nout_of = 33\n"
      "[extension_days]\nada = 2\n");
  const Outcome outcome =
      grade({"--roster", (root() / "roster.csv").string(), "--course", (root() / "course.toml").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  const auto table = read_csv(out() / "canvas.csv");
  ASSERT_TRUE(table) << table.sentence();
  std::map<std::string, std::string> points;
  for (std::size_t i = 2; i < table->rows.size(); ++i) points[table->rows[i].cells.at(0)] = table->rows[i].cells.at(5);
  EXPECT_EQ(points.at("Ada"), points.at("Cem")) << "two days' extension";
  EXPECT_NEAR(std::stod(points.at("Bob")), 0.9 * std::stod(points.at("Cem")), 0.01);
  EXPECT_EQ(points.at("Dora"), "0");
  const auto page = read_file(out() / "index.html", kLargestFile);
  ASSERT_TRUE(page) << page.sentence();
  for (const char* name : {"Ada", "Bob", "Cem", "Dora"}) {
    const std::string id = small_letters(name);
    const auto shown =
        page->find(">" + std::string(name) + "</a></td><td class=\"mono\">" + id +
                   "</td><td class=\"number\" data-value=\"" + points.at(name) + "\">" + points.at(name) + "<");
    EXPECT_NE(shown, std::string::npos) << name << " has " << points.at(name);
    const auto own = read_file(out() / "students" / id / "index.html", kLargestFile);
    ASSERT_TRUE(own) << own.sentence();
    EXPECT_NE(own->find(">" + points.at(name) + "/33</span>"), std::string::npos) << name;
    EXPECT_NE(own->find("vecadd · vec_add_device</span>"), std::string::npos) << name;
  }
  for (const char* row : {"Dora</a></td><td>Does not compile</td>", "Eve</a></td><td>Empty file</td>",
                          "</a></td><td>Not in the roster</td>", "Zoe</a></td><td>Nothing submitted</td>"})
    EXPECT_NE(page->find(row), std::string::npos) << row;
  const auto ada = read_file(out() / "students/ada/index.html", kLargestFile);
  ASSERT_TRUE(ada);
  EXPECT_NE(ada->find("marked late, within the extension"), std::string::npos);
}

TEST_F(GradeFlow, HiddenCasesAndTheSecretSeedDecide) {
  put("in/ada/vecadd.cu", right(1));
  put("secret.toml",
      "seed = 77\n[[case]]\nlab = \"vecadd\"\ntask = \"vec_add_device\"\nname = \"kept back\"\n"
      "make = { n = 3079, low = 0.0, high = 3.0 }\npoints = 4\nwhy = \"a prime\"\n");
  const Outcome outcome = grade({"--seed-file", (root() / "secret.toml").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("The seed was 77."), std::string::npos) << outcome.text;
  const auto verdicts = verdicts_of("ada");
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].seed, 77U);
  const CaseVerdict& last = verdicts[0].tasks.at(0).cases.back();
  EXPECT_EQ(last.name, "kept back");
  EXPECT_EQ(last.outcome, CaseOutcome::kRight);
  EXPECT_EQ(last.points, 4);
}

}  // namespace
}  // namespace lanewise::grade_flow_test
