// class_trial: makes up a class, grades it with `lanewise grade`, and compares every grade with the declared one.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <thread>

#include "grader/class/csv.h"
#include "grader/executors/testing/same_grades.h"
#include "grader/trial/made_up_class.h"
#include "grader/workplace/temporary_folder.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kMostOfARun(60);
constexpr std::uintmax_t kLargestFile = 64 << 20;

struct Options {
  std::size_t students = 40;
  std::string folder;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::string> more;  // for lanewise grade
  bool with_compile_share = false;
  bool with_slurm = false;
};

struct Graded {
  double seconds = 0;
  std::string printed;
};

// By student and lab: points after the course's terms.
using Scores = std::map<std::pair<std::string, std::string>, double>;

class Trial {
 public:
  explicit Trial(const Options& options) : options_(options), installation_(this_installation()) {}

  /// The number of grades that are not as declared; a failure says why nothing could be graded.
  Expected<int> run(const fs::path& folder);

 private:
  Expected<Graded> grade(const fs::path& folder, const std::vector<std::string>& more,
                         const char* out = "grades") const;
  Expected<int> compare_with_slurm(const fs::path& folder) const;
  Expected<Scores> read_scores(const fs::path& file) const;
  int compare_with_declared(const MadeUpStudent& student, const fs::path& folder, const Scores& scores) const;
  int compare(const MadeUpStudent& student, const MadeUpWork& work, const TaskVerdict* task,
              const Scores& scores) const;
  int complain(const MadeUpStudent& student, const MadeUpWork& work, const std::string& what) const;

  const Options& options_;
  Installation installation_;
  MadeUpClass class_;
};

int Trial::complain(const MadeUpStudent& student, const MadeUpWork& work, const std::string& what) const {
  fmt::print("{} {} ({}): {}\n", student.id, work.lab, work.title, what);
  return 1;
}

Expected<Graded> Trial::grade(const fs::path& folder, const std::vector<std::string>& more, const char* out) const {
  ProcessOptions process;
  process.command = {(installation_.programs / "lanewise").string(), "grade"};
  const auto add = [&](const std::vector<std::string>& arguments) {
    process.command.insert(process.command.end(), arguments.begin(), arguments.end());
  };
  std::ofstream(folder / "seed.toml") << "seed = 1\n";  // with which verdicts are declared
  add(class_.names);
  add({"--submissions", (folder / "submitted").string(), "--out", (folder / out).string(), "--roster",
       (folder / "roster.csv").string(), "--course", (folder / "course.toml").string(), "--cases", "check", "--backend",
       "vgpu", "--jobs", std::to_string(options_.jobs), "--seed-file", (folder / "seed.toml").string()});
  add(options_.more);
  add(more);
  process.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};
  for (const char* name : {"LANEWISE_LABS", "LANEWISE_SOLUTIONS", "LANEWISE_CACHE", "HOME", "TMPDIR", "SLURM_CONF"})
    if (const char* value = std::getenv(name)) process.environment.push_back(fmt::format("{}={}", name, value));
  const auto begin = std::chrono::steady_clock::now();
  const auto finished = run_to_end(process, kMostOfARun, 1 << 20);
  if (!finished) return finished.failure();
  if (!finished->succeeded()) return Failure{fmt::format("lanewise grade failed:\n{}", finished->output)};
  return Graded{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), finished->output};
}

Expected<Scores> Trial::read_scores(const fs::path& file) const {
  const auto table = read_csv(file);
  if (!table) return table.failure();
  Scores scores;
  const auto column = [&](const char* name) {
    const auto& headings = table->rows.front().cells;
    return static_cast<std::size_t>(std::find(headings.begin(), headings.end(), name) - headings.begin());
  };
  const std::size_t student = column("student");
  const std::size_t lab = column("lab");
  const std::size_t points = column("points");
  for (std::size_t i = 1; i < table->rows.size(); ++i) {
    const std::vector<std::string>& cells = table->rows[i].cells;
    if (std::max({student, lab, points}) >= cells.size()) return Failure{file.string() + ": a column is missing"};
    if (!cells[points].empty()) scores[{cells[student], cells[lab]}] = std::stod(cells[points]);
  }
  return scores;
}

int Trial::compare(const MadeUpStudent& student, const MadeUpWork& work, const TaskVerdict* task,
                   const Scores& scores) const {
  if (task == nullptr) return complain(student, work, "there is no verdict");
  const Outline outline = outline_of(*task);
  if (!(outline == *work.declared))
    return complain(student, work, fmt::format("{}, declared: {}", describe(outline), describe(*work.declared)));
  // Nobody in the class has answered the questions.
  for (const PartScore& part : task->parts)
    if (work.is_reference && part.scored && part.name != "understood" && part.points < part.max_points)
      return complain(student, work, fmt::format("{}: {} of {} points", part.name, part.points, part.max_points));
  const auto score = scores.find({student.id, work.lab});
  if (score == scores.end()) return complain(student, work, "grades.csv has no score");
  const double kept = 1 - student.days_counted * kPercentADay / 100;
  if (std::abs(score->second - task->points * kept) > 0.006)  // two decimals are written
    return complain(student, work,
                    fmt::format("{} points became {}, not {}", task->points, score->second, task->points * kept));
  return 0;
}

// Everything is compiled by now. Both grade as many submissions at a time; the jobs take ten each.
Expected<int> Trial::compare_with_slurm(const fs::path& folder) const {
  std::ofstream(folder / "course.toml", std::ios::app)
      << fmt::format("\n[slurm]\nchunk = 10\nat_once = {}\n", options_.jobs);
  const auto local = grade(folder, {}, "by-this-process");
  if (!local) return local.failure();
  const auto slurm = grade(folder, {"--executor", "slurm"}, "by-slurm");
  if (!slurm) return slurm.failure();
  const auto expected = grades_in(folder / "by-this-process");
  const auto got = grades_in(folder / "by-slurm");
  int different = 0;
  for (const auto& [name, text] : expected)
    if (const auto other = got.find(name); other == got.end() || other->second != text) {
      fmt::print("{} is not the same by Slurm\n", name);
      ++different;
    }
  fmt::print("Slurm: {:.1f} s, this process: {:.1f} s ({:+.1f} %); {} of {} files differ\n", slurm->seconds,
             local->seconds, 100 * (slurm->seconds / local->seconds - 1), different, expected.size());
  return different + (got.size() == expected.size() ? 0 : 1);
}

int Trial::compare_with_declared(const MadeUpStudent& student, const fs::path& folder, const Scores& scores) const {
  const auto json = read_file(folder / "grades" / "students" / student.id / "results.json", kLargestFile);
  const auto verdicts = json ? read_json_report(*json) : Expected<std::vector<Verdict>>(json.failure());
  if (!verdicts) {
    fmt::print("{}: {}\n", student.id, verdicts.sentence());
    return static_cast<int>(student.works.size());
  }
  int wrong = 0;
  for (const MadeUpWork& work : student.works) {
    const TaskVerdict* task = nullptr;
    for (const Verdict& verdict : *verdicts)
      for (const TaskVerdict& each : verdict.tasks)
        if (each.task == work.task) task = &each;
    wrong += compare(student, work, task, scores);
  }
  return wrong;
}

Expected<int> Trial::run(const fs::path& folder) {
  auto made_up = make_class(options_.students, installation_.labs, installation_.solutions,
                            installation_.root / "grader" / "attacks" / "timing");
  if (!made_up) return made_up.failure();
  class_ = std::move(*made_up);
  if (const auto failure = write_class(class_, folder)) return *failure;

  const auto first = grade(folder, {});
  if (!first) return first.failure();
  fmt::print("{}\n", first->printed);
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto scores = read_scores(folder / "grades" / "grades.csv");
  if (!scores) return scores.failure();
  int wrong = 0;
  for (const MadeUpStudent& student : class_.students) wrong += compare_with_declared(student, folder, *scores);
  const auto count = static_cast<double>(class_.students.size() * class_.names.size());
  fmt::print("{:.0f} submissions, {} not as declared\n", count, wrong);
  fmt::print("{:.1f} s, {:.1f} a minute, {:.1f} s of processor time, the largest process {} MiB\n", first->seconds,
             60 * count / first->seconds,
             static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
             used.ru_maxrss / 1024);

  if (const auto failure = change_work(class_, 0, class_.students[0].works[0].source + "// fixed\n", folder))
    return *failure;
  const auto second = grade(folder, {"--resume"});
  if (!second) return second.failure();
  const bool is_only_one = second->printed.find("Graded now: 1;") != std::string::npos;
  if (!is_only_one) fmt::print("after one change, not one submission was graded again:\n{}\n", second->printed);
  fmt::print("after one change: {:.1f} s\n", second->seconds);

  if (options_.with_compile_share) {
    const auto third = grade(folder, {"--fresh"});
    if (!third) return third.failure();
    fmt::print("again, with everything compiled: {:.1f} s, so compiling took {:.0f} % of the first run\n",
               third->seconds, 100 * (1 - third->seconds / first->seconds));
  }
  if (options_.with_slurm) {
    const auto different = compare_with_slurm(folder);
    if (!different) return different.failure();
    wrong += *different;
  }
  return wrong + (is_only_one ? 0 : 1);
}

int run(const Options& options) {
  const auto fail = [](const std::string& sentence) {
    fmt::print(stderr, "class_trial: {}\n", sentence);
    return 3;
  };
  const auto scratch = TemporaryFolder::create();
  if (!scratch) return fail(scratch.sentence());
  const auto wrong = Trial(options).run(options.folder.empty() ? scratch->path() : fs::path(options.folder));
  if (!wrong) return fail(wrong.sentence());
  return *wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lanewise

int main(int argc, char** argv) try {
  lanewise::Options options;
  CLI::App app(
      "Makes up a class of ladder steps, wrong files, attacks, broken and late work for three labs, has `lanewise "
      "grade`\n"
      "grade it, and compares every grade with the declared one.\n"
      "Exit code: 0, 1 if a grade is not as declared, 2 for the command line, 3 if nothing could be graded.");
  app.add_option("--students", options.students, "who submit one file per lab each")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--folder", options.folder, "for the class and its grades: a new folder");
  app.add_option("--jobs", options.jobs, "for lanewise grade")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_flag("--compile-share", options.with_compile_share, "grade everything once more, to see what compiling took");
  app.add_flag("--slurm", options.with_slurm, "grade everything twice more, by Slurm and by one process, and compare");
  app.add_option("--also", options.more, "further options for lanewise grade, such as --no-sandbox");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return lanewise::run(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "class_trial: %s\n", error.what());
  return 3;
}
