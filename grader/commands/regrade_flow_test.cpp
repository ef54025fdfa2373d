// A term as an instructor lives it: grade, mark by hand, change the rubric, see who would change, apply it.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>

#include "grader/store/store.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/runner/process.h"

namespace lanewise::regrade_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kGenerous(5);
constexpr std::uintmax_t kLargestFile = 64 << 20;

// Adds the first `most` elements.
std::string adds_up_to(const std::string& most) {
  return "#include \"vecadd.cuh\"\n"
         "__global__ void add(const float* a, const float* b, float* c, std::size_t n) {\n"
         "  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;\n"
         "  if (i < n && i < " +
         most +
         ") c[i] = a[i] + b[i];\n}\n"
         "void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {\n"
         "  if (n > 0) add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);\n}\n";
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from << " is not in " << text;
  text.replace(at, from.size(), to);
}

class RegradeFlow : public ::testing::Test {
 protected:
  struct Outcome {
    int exit_code = -1;
    std::string text;
    bool says(const std::string& words) const { return text.find(words) != std::string::npos; }
  };

  // Ada is right, Bob as far as 5,000 elements, Cem's does not compile. Ada and Bob answer in their own words.
  void SetUp() override {
    fs::copy(LANEWISE_LABS_FOLDER, root() / "labs", fs::copy_options::recursive);
    std::ofstream(root() / "labs/vecadd/questions.toml", std::ios::app)
        << "\n[[question]]\nid = \"why\"\ntask = \"vec_add_device\"\ntext = \"Why?\"\nkind = \"text\"\npoints = 3\n";
    fs::create_directories(root() / "solutions/vecadd");
    fs::copy(fs::path(LANEWISE_SOLUTIONS_FOLDER) / "vecadd/answers.toml", root() / "solutions/vecadd/answers.toml");
    std::ofstream(root() / "solutions/vecadd/answers.toml", std::ios::app) << "why = \"a reason\"\n";
    put("in/ada/vecadd.cu", adds_up_to("n"));
    put("in/ada/answers.toml", "[answers]\nwhy = \"because of the bus\"\n");
    put("in/bob/vecadd.cu", adds_up_to("5000"));
    put("in/bob/answers.toml", "[answers]\nwhy = \"no idea\"\n");
    put("in/cem/vecadd.cu", "nothing that compiles\n");
  }

  fs::path root() const { return folder_->path(); }
  fs::path out() const { return root() / "grades"; }

  void put(const fs::path& name, const std::string& content) const {
    fs::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << content;
  }
  static std::string content(const fs::path& file) {
    const auto text = read_file(file, kLargestFile);
    return text ? *text : text.sentence();
  }

  Outcome lanewise(const std::vector<std::string>& words) const {
    ProcessOptions options;
    options.command = {LANEWISE_EXECUTABLE};
    options.command.insert(options.command.end(), words.begin(), words.end());
    options.command.insert(options.command.end(), {"--out", out().string()});
    options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
                           "LANEWISE_LABS=" + (root() / "labs").string(),
                           "LANEWISE_SOLUTIONS=" + (root() / "solutions").string()};
    const auto finished = run_to_end(options, kGenerous, 1 << 20);
    if (!finished) return {-1, finished.sentence()};
    return {WIFEXITED(finished->status) ? WEXITSTATUS(finished->status) : -1, finished->output};
  }
  Outcome grade(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"grade",     "vec_add_device", "--submissions", (root() / "in").string(),
                                      "--backend", "vgpu",           "--cases",       "check"};
    words.insert(words.end(), more.begin(), more.end());
    return lanewise(words);
  }

  // Of the newest run that came to its end, or the one before it.
  double points(const std::string& student, int back = 0) const {
    const auto store = Store::open(out());
    if (!store) return -1;
    const auto runs = (*store)->runs();
    for (auto run = runs->rbegin(); run != runs->rend(); ++run) {
      if (run->finished.empty() || back-- > 0) continue;
      const auto scores = (*store)->scores(run->number);
      for (const StoredScore& score : *scores)
        if (score.student == student && score.is_counted) return score.points;
    }
    return -1;
  }
  int count(const std::string& what) const {
    SQLite::Database database((out() / "grades.db").string());
    return database.execAndGet("SELECT count(*) FROM " + what).getInt();
  }
  // A key of a case of the task that is graded.
  void change_case(const std::string& name, const std::string& from, const std::string& to) const {
    const fs::path file = root() / "labs/vecadd/lab.toml";
    std::string text = content(file);
    const std::size_t task = text.find("name = \"vec_add_device\"");
    const std::size_t at = text.find(from, text.find("name = \"" + name + "\"", task));
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    std::ofstream(file) << text;
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};

TEST_F(RegradeFlow, GradeMarkChangeTheRubricSeeWhoChangesApply) {
  // Grade: two answers wait, and cost nothing yet.
  const Outcome first = grade();
  EXPECT_EQ(first.exit_code, 0) << first.text;
  EXPECT_TRUE(first.says("2 answers must be marked by hand")) << first.text;
  const double ada_waiting = points("ada");
  const double bob_waiting = points("bob");
  EXPECT_NE(content(out() / "index.html").find("Answers to be marked: 2"), std::string::npos);
  EXPECT_NE(content(out() / "students/ada/index.html").find("awaits marking"), std::string::npos);

  // Ada's mark is given in a copy, with a mistake first; Bob's in the file itself.
  const std::string asked = content(out() / "to_mark.csv");
  std::string ada = asked;
  replace(ada, "because of the bus,3,,,", "because of the bus,3,33,\"Good, =1+1\",");
  put("ada.csv", ada);
  const Outcome refused = grade({"--marks", (root() / "ada.csv").string()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(refused.says("ada.csv:2: 33 points are out of range: the question 'why' is worth 3")) << refused.text;
  EXPECT_EQ(count("marks"), 0);
  EXPECT_EQ(count("runs"), 1);
  replace(ada, ",33,", ",3,");
  put("ada.csv", ada);
  std::string bob = asked;
  replace(bob, "no idea,3,,,", "no idea,3,0,,");
  std::ofstream(out() / "to_mark.csv") << bob;
  const Outcome marked = grade({"--marks", (root() / "ada.csv").string()});
  EXPECT_EQ(marked.exit_code, 0) << marked.text;
  EXPECT_TRUE(marked.says("Graded now: 0; from earlier runs: 3.")) << "marks are merged, nothing is graded again\n"
                                                                   << marked.text;
  EXPECT_FALSE(marked.says("be marked by hand")) << marked.text;
  EXPECT_EQ(count("marks"), 2);
  // Four questions of one point were not answered; with the text's three points of seven Ada has 3/7 of 10.
  EXPECT_NEAR(points("ada"), ada_waiting + 30.0 / 7, 0.006) << "to the hundredth";
  EXPECT_NEAR(points("bob"), bob_waiting, 1e-6) << "nothing of nothing and nothing of all is the same";
  EXPECT_NE(content(out() / "students/ada/index.html").find("3 of 3 · Good, =1+1"), std::string::npos);
  const Outcome again = grade({"--marks", (root() / "ada.csv").string()});
  EXPECT_EQ(again.exit_code, 0) << again.text;
  EXPECT_EQ(count("marks"), 2) << "what is known is not added again";

  // The rubric changes, and what was handed in is not at hand any more.
  fs::remove_all(root() / "in");
  change_case("1000", "points = 4", "points = 44");  // of what is lost elsewhere less is lost then
  const std::string before = content(out() / "grades.csv");
  const double bob_before = points("bob");
  const Outcome preview = lanewise({"regrade"});
  EXPECT_EQ(preview.exit_code, 0) << preview.text;
  EXPECT_TRUE(preview.says("Graded now: 0; from earlier runs: 3.")) << "points alone: nothing is run\n" << preview.text;
  EXPECT_TRUE(preview.says("bob · vecadd")) << preview.text;
  EXPECT_TRUE(preview.says("1 of 3 scores change: 1 up, 0 down.")) << preview.text;
  EXPECT_FALSE(preview.says("ada ·") || preview.says("cem ·")) << preview.text;
  EXPECT_NE(content(out() / "regrade.csv").find("bob"), std::string::npos);
  EXPECT_EQ(content(out() / "grades.csv"), before) << "nothing is changed";
  EXPECT_EQ(points("bob"), bob_before);

  const int observations = count("observations");
  const Outcome applied = lanewise({"regrade", "--apply"});
  EXPECT_EQ(applied.exit_code, 0) << applied.text;
  EXPECT_TRUE(applied.says("1 of 3 scores change")) << applied.text;
  EXPECT_EQ(count("observations"), observations) << "the preview's verdicts are kept";
  EXPECT_GT(points("bob"), bob_before);
  EXPECT_EQ(points("bob", 1), bob_before) << "the earlier run is still there";
  EXPECT_EQ(points("ada"), points("ada", 1));
  EXPECT_NE(content(out() / "grades.csv"), before);
  EXPECT_TRUE(lanewise({"regrade"}).says("None of 3 scores changes."));
  EXPECT_TRUE(lanewise({"regrade", "--fresh"}).says("None of 3 scores changes.")) << "running again gives the same";

  // A case that is another one now has to be run.
  change_case("4000", "n = 4000", "n = 6000");
  const Outcome larger = lanewise({"regrade"});
  EXPECT_TRUE(larger.says("Graded now: 3; from earlier runs: 0.")) << larger.text;
  EXPECT_TRUE(larger.says("1 of 3 scores change: 0 up, 1 down.")) << larger.text;
  EXPECT_TRUE(larger.says("case 4000: right before, wrong now")) << larger.text;
}

TEST_F(RegradeFlow, WhatIsMissingOrUnknownIsSaidAndNothingIsApplied) {
  EXPECT_EQ(lanewise({"regrade"}).exit_code, 2) << "nothing was graded";
  EXPECT_FALSE(fs::exists(out()));
  ASSERT_EQ(grade().exit_code, 0);
  EXPECT_EQ(lanewise({"regrade", "--apply", "--dry-run"}).exit_code, 2);
  put("course.toml", "[extension_days]\nzoe = 2\n");
  const Outcome misspelt = lanewise({"regrade", "--course", (root() / "course.toml").string()});
  EXPECT_TRUE(misspelt.says("zoe")) << misspelt.text;
  change_case("1000", "points = 4", "points = 44");
  for (const auto& folder : fs::directory_iterator(out() / "sources/vecadd"))
    if (content(folder.path() / "vecadd.cu").find("5000") != std::string::npos)
      std::ofstream(folder.path() / "vecadd.cu", std::ios::app) << "// more\n";
  const double bob = points("bob");
  const Outcome preview = lanewise({"regrade"});
  EXPECT_EQ(preview.exit_code, 1) << preview.text;
  EXPECT_TRUE(preview.says("the copy of the submission has been changed")) << preview.text;
  const Outcome applied = lanewise({"regrade", "--apply"});
  EXPECT_EQ(applied.exit_code, 1) << applied.text;
  EXPECT_TRUE(applied.says("nothing was applied: bob has a score for vecadd")) << applied.text;
  EXPECT_EQ(points("bob"), bob);
}

}  // namespace
}  // namespace lanewise::regrade_flow_test
