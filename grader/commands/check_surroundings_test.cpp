// `lanewise check` and what is around it: command line, exit codes, where it writes, and what it must not touch.
#include <csignal>
#include <set>
#include <thread>

#include "grader/commands/check_flow_fixture_test.h"

namespace lanewise::check_flow_test {
namespace {

class CheckSurroundings : public CheckFlow {};

TEST_F(CheckSurroundings, MissingFileIsAMistakeOfTheCommandLine) {
  const Outcome outcome = run({"vecadd", "--submission", (folder_ / "none.cu").string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.text, "none.cu: there is no such file")) << outcome.text;
}

TEST_F(CheckSurroundings, FolderWithoutASubmissionCannotBeGraded) {
  const Outcome outcome = run({"vecadd", "--submission", folder_.string()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(contains(outcome.text, "there is no .cu file in this folder")) << outcome.text;
  const auto results = read_file(json(), 1 << 20);
  ASSERT_TRUE(results);
  EXPECT_TRUE(contains(*results, "vecadd · not graded")) << *results;
  EXPECT_TRUE(contains(*results, "there is no .cu file in this folder")) << *results;
}

TEST_F(CheckSurroundings, FolderThatCannotBeFollowedIsAMistakeOfTheCommandLine) {
  fs::create_symlink("loop", folder_ / "loop");
  const Outcome outcome = run({"vecadd", "--submission", (folder_ / "loop").string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.text, "loop: cannot be accessed (Too many levels")) << outcome.text;
}

TEST_F(CheckSurroundings, FileNamesCannotWriteToTheTerminal) {
  const std::string attack = "a\x1b[2J\nlanewise check: all is well.cu";
  EXPECT_TRUE(contains(run({"vecadd", "--submission", attack}).text, "a\\x1b[2J lanewise")) << "missing";
  EXPECT_TRUE(contains(run({attack}).text, "a\\x1b[2J lanewise")) << "named as a lab";
  EXPECT_FALSE(contains(run({"--" + attack}).text, "\x1b")) << "named as an option";
  fs::create_directories(folder_ / attack);
  const Outcome folder = run({"vecadd", "--submission", (folder_ / attack).string()});
  EXPECT_TRUE(contains(folder.text, "a\\x1b[2J lanewise")) << folder.text;
}

TEST_F(CheckSurroundings, SeedIsAWholeNumberOf64Bits) {
  for (const char* seed : {"-1", "18446744073709551616", "1.5", "x", ""})
    EXPECT_EQ(run({"vecadd", "--seed", seed}).exit_code, 2) << seed;
  EXPECT_EQ(run({"vecadd", "--seed", "18446744073709551615"}).exit_code, 0);
}

TEST_F(CheckSurroundings, WhatCannotBeWrittenIsTheEnvironmentsFault) {
  std::ofstream(folder_ / "vecadd.cu") << with_device_body("add(d_a, d_b, d_c, n);");
  std::ofstream(folder_ / "file") << "in the way";
  const Outcome page = run({"vecadd", "--submission", folder_.string()}, folder_ / "file");
  EXPECT_EQ(page.exit_code, 3);
  EXPECT_TRUE(contains(page.text, "report.html: the file cannot be written")) << page.text;
  EXPECT_EQ(run_in_shell("", " > /dev/full").exit_code, 3) << "the verdict itself";
}

TEST_F(CheckSurroundings, CurrentFolderNeedNotExist) {
  std::ofstream(folder_ / "vecadd.cu") << with_device_body("add(d_a, d_b, d_c, n);");
  const std::string gone = (folder_ / "gone").string();
  const Outcome outcome = run_in_shell("mkdir " + gone + " && cd " + gone + " && rmdir " + gone + " && ", "");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
}

TEST_F(CheckSurroundings, FolderOfThePagesIsNotOursToEmpty) {
  const fs::path mine = folder_ / "html" / "vecadd" / "pictures" / "mine.png";
  fs::create_directories(mine.parent_path());
  std::ofstream(mine) << "mine";
  check(with_device_body("add(d_a, d_b, d_c, n);"), {"--fresh"});
  EXPECT_TRUE(fs::exists(mine));
}

TEST_F(CheckSurroundings, PicturesAreInThePageAndNowhereElse) {
  const fs::path wrong = fs::path(LANEWISE_SOLUTIONS_FOLDER) / "image" / "grayscale" / "wrong" / "channel_order.cu";
  const Outcome outcome = run({"grayscale", "--submission", wrong.string(), "--fresh"});
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  const auto page = read_file(folder_ / "html" / "image" / "report.html", 1 << 26);
  ASSERT_TRUE(page) << page.sentence();
  EXPECT_TRUE(contains(*page, "src=\"data:image/png;base64,"));
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_ / "html"))
    EXPECT_TRUE(entry.is_directory() || entry.path().filename() == "report.html") << entry.path();
}

TEST_F(CheckSurroundings, EachFileFromElsewhereHasAPageOfItsOwn) {
  std::set<std::string> pages;
  for (const char* student : {"anna", "boris"}) {
    fs::create_directories(folder_ / student);
    std::ofstream(folder_ / student / "vecadd.cu") << with_device_body("if (n > 1) add(d_a, d_b, d_c, n);");
    const Outcome outcome = run({"vecadd", "--submission", (folder_ / student).string()}, "");
    std::smatch page;
    ASSERT_TRUE(std::regex_search(outcome.text, page, std::regex("report +(.*report.html)"))) << outcome.text;
    pages.insert(page[1]);
    fs::remove_all(fs::path("/") / fs::path(page[1].str()).parent_path());
  }
  EXPECT_EQ(pages.size(), 2U);
}

TEST_F(CheckSurroundings, MisspeltNamesGetTheOneThatWasMeant) {
  const Outcome lab = run({"Vecad"});
  EXPECT_EQ(lab.exit_code, 2);
  EXPECT_TRUE(contains(lab.text, "there is no lab or task 'Vecad'; did you mean 'vecadd'?")) << lab.text;
  const Outcome command = execute({LANEWISE_EXECUTABLE, "chekc", "vecadd"});
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_TRUE(contains(command.text, "there is no command 'chekc'; did you mean 'check'?")) << command.text;
}

TEST_F(CheckSurroundings, NamedCasesAloneGiveNoPoints) {
  std::ofstream(folder_ / "vecadd.cu") << with_device_body("if (n > 1) add(d_a, d_b, d_c, n);");
  const auto only = [this](const std::string& more) { return run_bare(more + " --submission " + folder_.string()); };
  const Outcome some = only("--case one --case 'warp + 1' vec_add_device");
  EXPECT_EQ(some.exit_code, 0) << some.text;
  EXPECT_TRUE(contains(some.text, "right         1/2")) << some.text;
  EXPECT_TRUE(contains(some.text, "partial    2 of 15 cases were run: no points")) << some.text;
  EXPECT_FALSE(contains(some.text, "total") || contains(some.text, "report ")) << some.text;
  const Outcome unknown = only("--case 'wrap + 1' vec_add_device");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.text, "there is no case 'wrap + 1'; did you mean 'warp + 1'?")) << unknown.text;
  for (const char* lasting : {"--json x.json", "--require-full"})
    EXPECT_EQ(only(std::string("--case one vec_add_device ") + lasting).exit_code, 2) << "a partial check is no grade";
}

TEST_F(CheckSurroundings, FailFastStopsAtTheFirstCaseThatFails) {
  std::ofstream(folder_ / "vecadd.cu") << with_device_body("if (n != 1) add(d_a, d_b, d_c, n);");
  const std::string where = " --submission " + folder_.string();
  const Outcome stopped = run_bare("vec_add_device --fresh --fail-fast" + where);
  EXPECT_EQ(stopped.exit_code, 0) << stopped.text;
  EXPECT_TRUE(contains(stopped.text, "up to the first that fails: no points")) << stopped.text;
  EXPECT_FALSE(contains(stopped.text, "total")) << stopped.text;
  EXPECT_FALSE(contains(run_bare("vec_add_device" + where).text, "unchanged")) << "nothing partial is remembered";
  EXPECT_TRUE(contains(run_bare("vec_add --fail-fast" + where).text, "total"))
      << "and nothing is partial if all is right";
}

TEST_F(CheckSurroundings, CtrlCShowsWhatIsKnown) {
  std::ofstream(folder_ / "vecadd.cu") << with_device_body(
      "if (n > 500) for (;;) usleep(100000); add(d_a, d_b, d_c, n);");
  run_bare("vec_add_device --case one --submission " + folder_.string());  // compiles it
  const Outcome outcome =
      execute({"/bin/sh", "-c",
               std::string("exec timeout -s INT --preserve-status 5 ") + LANEWISE_EXECUTABLE +
                   " check vec_add_device --fresh --backend vgpu --submission " + folder_.string()});
  EXPECT_EQ(outcome.exit_code, 130) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "before it was interrupted: no points")) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "lanewise check: interrupted; not finished: vecadd")) << outcome.text;
}

// `lanewise watch`, and what it has printed so far.
class Watching {
 public:
  Watching(const fs::path& labs, const fs::path& submission) : process_(Process::start(options(labs, submission))) {}
  // Until it has printed `words` since the last time; the text up to there.
  std::string read_until(const std::string& words) {
    const auto deadline = Clock::now() + kGenerous;
    for (std::size_t end = std::string::npos; Clock::now() < deadline; poll_shortly()) {
      output_.read_from(process_->output());
      end = output_.text().find(words, read_);
      if (end == std::string::npos) continue;
      const std::string text = output_.text().substr(read_, end - read_);
      read_ = end + words.size();
      return text;
    }
    ADD_FAILURE() << "no " << words << " in: " << output_.text();
    return "";
  }
  int end_by_ctrl_c() {
    kill(process_->id(), SIGINT);
    EXPECT_TRUE(process_->wait_until(Clock::now() + kGenerous));
    const int status = process_->end();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  static void poll_shortly() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

  static ProcessOptions options(const fs::path& labs, const fs::path& submission) {
    ProcessOptions options;
    options.command = {
        LANEWISE_EXECUTABLE, "watch",        "vec_add_device",    "--backend", "vgpu",
        "--problems",        "--submission", submission.string(), "--html",    (submission / "html").string()};
    options.environment = {"LANEWISE_LABS=" + labs.string(), "LANEWISE_SOLUTIONS=/nonexistent", "PATH=/usr/bin:/bin",
                           "LANG=C.UTF-8"};
    return options;
  }

  Expected<Process> process_;
  CapturedOutput output_{1 << 20};
  std::size_t read_ = 0;
};

TEST_F(CheckSurroundings, WatchingChecksAgainWhatIsSaved) {
  const auto save = [this](const std::string& body) {
    std::ofstream(folder_ / "vecadd.cu.new") << with_device_body(body);
    fs::rename(folder_ / "vecadd.cu.new", folder_ / "vecadd.cu");
  };
  const std::string endless = "for (;;) usleep(100000);";
  save(endless);
  run_bare("vec_add_device --case nothing --submission " + folder_.string());  // compiles it
  save("if (n > 1) add(d_a, d_b, d_c, n);");
  Watching watching(labs(), folder_);
  const std::string first = watching.read_until("watching ");
  EXPECT_EQ(first.rfind("checking\n", 0), 0U) << first;
  EXPECT_TRUE(std::regex_search(first, std::regex("vecadd\\.cu:[0-9]+:1: error: one \\(n = 1\\): "))) << first;

  save(endless);  // until the time limit, twice
  watching.read_until("checking\n");
  std::this_thread::sleep_for(std::chrono::seconds(1));
  save("add(d_a, d_b, d_c, n);");
  const std::string given_up = watching.read_until("checking\n");
  EXPECT_FALSE(contains(given_up, "watching")) << "not waited for";
  const std::string fixed = watching.read_until("watching ");
  EXPECT_TRUE(contains(fixed, "fixed: one")) << fixed;
  EXPECT_FALSE(contains(fixed, ": error: ")) << fixed;
  EXPECT_EQ(watching.end_by_ctrl_c(), 0);
}

TEST_F(CheckSurroundings, FolderOfALabMeansThisLab) {
  const std::string in_scan = "cd " + (labs() / "scan").string() + " && ";
  const Outcome scan = execute({"/bin/sh", "-c", in_scan + LANEWISE_EXECUTABLE + " check --backend vgpu"});
  EXPECT_EQ(scan.exit_code, 0) << scan.text;
  EXPECT_TRUE(contains(scan.text, "inclusive_scan   not started")) << scan.text;
  EXPECT_FALSE(contains(scan.text, "vecadd")) << scan.text;
  const Outcome other = execute({"/bin/sh", "-c", in_scan + LANEWISE_EXECUTABLE + " check vecadd --backend vgpu"});
  EXPECT_TRUE(contains(other.text, "vec_add_device   not started")) << other.text;
}

TEST_F(CheckSurroundings, MisspeltParametersOfACaseAreAnErrorNotAFewerCases) {
  const fs::path file = labs() / "scan" / "lab.toml";
  const auto text = read_file(file, 1 << 20);
  ASSERT_TRUE(text);
  std::ofstream(file) << std::regex_replace(*text, std::regex("n = 31,"), "m = 31,");
  const fs::path step = fs::path(LANEWISE_SOLUTIONS_FOLDER) / "scan" / "1_kogge_stone.cu";
  const Outcome outcome = run({"scan", "--submission", step.string(), "--fresh"});
  std::ofstream(file) << *text;
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(contains(outcome.text, "scan/lab.toml:")) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "lacks the key 'n'; it has high, kind, low, m")) << outcome.text;
  EXPECT_TRUE(outcome.verdicts.empty()) << "no score";
}

TEST_F(CheckSurroundings, NothingThatRanIsNothingThatIsRight) {
  std::ofstream(folder_ / "vecadd.cu") << with_device_body("add(d_a, d_b, d_c, n);");
  const Outcome outcome = run({"vecadd", "--submission", folder_.string(), "--cases", "race", "--require-full"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.text;
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  for (const TaskVerdict& task : outcome.verdicts[0].tasks)
    for (const PartScore& part : task.parts) EXPECT_FALSE(part.scored) << part.name << outcome.text;
}

}  // namespace
}  // namespace lanewise::check_flow_test
