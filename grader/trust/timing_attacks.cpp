// timing_attacks: grades and times every file of grader/attacks/timing beside honest.cu, whose kernel they all share,
// and says whether any of them gained anything by its trick.
#include <fmt/format.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>

#include "grader/trust/timed_files.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kMostOfACheck(3);
// More than two measurements of the same entry may differ, and less than any trick would gain.
constexpr double kGain = 0.02;
constexpr double kMorePoints = 0.5;

struct Options {
  std::string backend = "gpu";
  std::string folder;
  std::vector<std::string> only;
  std::int64_t elements = std::int64_t{1} << 24;
  double seconds = 40;
  bool only_times = false;
  bool only_grades = false;
};

struct Attack {
  fs::path file;
  std::string verdict;  // in a word or two
  double points = 0;
  bool is_built = false;
  EntryTimes times;
};

std::string word_for(const TaskVerdict& task) {
  switch (task.state) {
    case TaskState::kRefused:
      return "refused";
    case TaskState::kGraded:
      break;
    default:
      return "not built";
  }
  const auto is_not_right = [](const CaseVerdict& each) {
    return each.outcome != CaseOutcome::kRight && each.outcome != CaseOutcome::kLeftOut;
  };
  const auto bad = std::count_if(task.cases.begin(), task.cases.end(), is_not_right);
  return bad == 0 ? "right" : fmt::format("{} cases not", bad);
}

// Through the command that students use.
std::optional<Failure> check(const Options& options, const Installation& installation, const fs::path& scratch,
                             Attack& attack) {
  const fs::path json = scratch / "results.json";
  ProcessOptions process;
  process.command = {(installation.programs / "lanewise").string(),
                     "check",
                     kTimedTask,
                     "--submission",
                     attack.file.string(),
                     "--backend",
                     options.backend,
                     "--json",
                     json.string(),
                     "--html",
                     (scratch / "html").string()};
  process.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "LANEWISE_LABS", "LANEWISE_SOLUTIONS"})
    if (const char* value = std::getenv(name)) process.environment.push_back(fmt::format("{}={}", name, value));
  const auto finished = run_to_end(process, kMostOfACheck, 1 << 20);
  if (!finished) return finished.failure();
  const auto text = read_file(json, std::uintmax_t{1} << 26);
  if (!text) return Failure{fmt::format("{} was not graded: {}", attack.file.string(), finished->output)};
  const auto verdicts = read_json_report(*text);
  if (!verdicts) return verdicts.failure();
  if (verdicts->size() != 1 || verdicts->front().tasks.size() != 1)
    return Failure{fmt::format("{} was not graded: {}", attack.file.string(), finished->output)};
  const TaskVerdict& task = verdicts->front().tasks.front();
  attack.verdict = word_for(task);
  attack.points = task.points;
  attack.is_built = task.state == TaskState::kGraded;
  return std::nullopt;
}

bool has_time(const EntryTimes& times) {
  return times.trouble.empty() && times.review.empty() && times.ratio.milliseconds > 0;
}

// The honest entry comes first.
bool has_gained(const Attack& attack, const Attack& honest) {
  if (attack.points > honest.points + kMorePoints) return true;
  return attack.is_built && has_time(attack.times) && attack.times.ratio.high < 1 - kGain;
}

void print(const Attack& attack, const Attack& honest) {
  std::string timed = "not timed";
  if (attack.is_built && has_time(attack.times))
    timed = fmt::format("{:.3f} [{:.3f} {:.3f}] of the honest time", attack.times.ratio.milliseconds,
                        attack.times.ratio.low, attack.times.ratio.high);
  else if (attack.is_built && !attack.times.trouble.empty())
    timed = "no time: " + attack.times.trouble;
  else if (attack.is_built && !attack.times.review.empty())
    timed = "under review: " + attack.times.review;
  fmt::print("{:<26} {:<14} {:5.1f}  {:<6} {}\n", attack.file.stem().string(), attack.verdict, attack.points,
             has_gained(attack, honest) ? "YES" : "no", timed);
}

Expected<std::vector<Attack>> find_attacks(const fs::path& folder, std::vector<std::string> only) {
  std::vector<Attack> attacks;
  const bool all = only.empty();
  std::error_code error;
  for (fs::directory_iterator it(folder, error); !error && it != fs::directory_iterator(); it.increment(error)) {
    if (it->path().extension() != ".cu") continue;
    const std::string name = it->path().stem().string();
    const auto wanted = std::find(only.begin(), only.end(), name);
    if (all || wanted != only.end() || name == "honest") attacks.push_back({it->path(), "", 0, true, {}});
    if (wanted != only.end()) only.erase(wanted);
  }
  if (!only.empty()) return Failure{fmt::format("{} contains no {}.cu", folder.string(), only.front())};
  const auto comes_first = [](const Attack& a, const Attack& b) {
    const bool a_is_honest = a.file.stem() == "honest";
    const bool b_is_honest = b.file.stem() == "honest";
    return a_is_honest != b_is_honest ? a_is_honest : a.file < b.file;
  };
  std::sort(attacks.begin(), attacks.end(), comes_first);
  if (attacks.empty() || attacks.front().file.stem() != "honest")
    return Failure{fmt::format("{} contains no honest.cu to compare attacks with", folder.string())};
  return attacks;
}

// All of them together, so that they run under the same conditions.
std::optional<Failure> time_all(const Options& options, const FileTimer& timer, std::vector<Attack>& attacks) {
  std::vector<TimedFile> files;
  std::vector<Attack*> timed;
  for (Attack& attack : attacks) {
    if (!attack.is_built) continue;
    const auto built = timer.build(attack.file);
    if (!built) return built.failure();
    attack.is_built = built->is_built &&
                      audit(built->audited, timer.workplace().builder.audit_rules(timer.lab_file(), *built)).empty();
    if (!attack.is_built) continue;
    files.push_back({timed.empty() ? TimedRole::kReference : TimedRole::kPeer, attack.file});
    timed.push_back(&attack);
  }
  const auto most = std::chrono::milliseconds(static_cast<std::int64_t>(options.seconds * 1000));
  const auto result = timer.time(files, options.elements, 1, most);
  if (!result) return result.failure();
  for (std::size_t i = 0; i < timed.size(); ++i) timed[i]->times = result->entries[i];
  fmt::print("{}, {} numbers, {:.4f} ms, {}\n", result->device, options.elements,
             result->entries.front().time.milliseconds, result->clocks);
  return std::nullopt;
}

int run(const Options& options) {
  auto timer = FileTimer::create(options.backend == "gpu" ? BackendChoice::kGpu : BackendChoice::kVgpu);
  auto scratch = TemporaryFolder::create();
  const auto fail = [](const std::string& sentence) {
    fmt::print(stderr, "timing_attacks: {}\n", sentence);
    return 3;
  };
  if (!timer) return fail(timer.sentence());
  if (!scratch) return fail(scratch.sentence());
  const Installation& installation = timer->workplace().installation;
  auto attacks = find_attacks(
      options.folder.empty() ? installation.root / "grader" / "attacks" / "timing" : fs::absolute(options.folder),
      options.only);
  if (!attacks) return fail(attacks.sentence());
  for (Attack& attack : *attacks) {
    if (options.only_times) break;
    if (auto failure = check(options, installation, scratch->path(), attack)) return fail(failure->sentence);
    fmt::print(stderr, "graded {}: {}, {:.1f} points{}\n", attack.file.stem().string(), attack.verdict, attack.points,
               has_gained(attack, attacks->front()) ? ", GAINED" : "");
  }
  if (!options.only_grades) {
    if (auto failure = time_all(options, *timer, *attacks)) return fail(failure->sentence);
  }
  Attack again = attacks->front();
  if (!options.only_times) {
    if (auto failure = check(options, installation, scratch->path(), again)) return fail(failure->sentence);
  }
  const bool is_harmed = again.verdict != attacks->front().verdict;
  if (is_harmed) fmt::print("after all of them, {} is not graded as before: {}\n", again.file.string(), again.verdict);

  fmt::print("{:<26} {:<14} {:>5}  {:<6} {}\n", "attack", "graded", "of", "gained", "timed");
  int gained = 0;
  for (const Attack& attack : *attacks) {
    print(attack, attacks->front());
    gained += has_gained(attack, attacks->front()) ? 1 : 0;
  }
  fmt::print("{} of {} gained by it\n", gained, attacks->size() - 1);
  return gained == 0 && !is_harmed ? 0 : 1;
}

}  // namespace
}  // namespace lanewise

int main(int argc, char** argv) try {
  lanewise::Options options;
  CLI::App app(
      "Grades and times the files of grader/attacks/timing beside an honest one with the same kernel.\n"
      "Exit code: 0, 1 if one of them gained points or time, or harmed the honest one, 2 for the command line,\n"
      "3 if nothing can be graded.");
  app.add_option("--backend", options.backend, "gpu, or vgpu to see that it works: its times are meaningless")
      ->check(CLI::IsMember({"gpu", "vgpu"}));
  app.add_option("--folder", options.folder, "with other attacks and an honest.cu");
  app.add_option("--only", options.only, "names of attacks without .cu; honest is added");
  app.add_option("--elements", options.elements, "length of the vectors that are timed")->check(CLI::Range(1, 1 << 28));
  app.add_option("--seconds", options.seconds, "of samples of all together, at most")->check(CLI::Range(0.1, 600.0));
  CLI::Option* const only_times = app.add_flag("--only-times", options.only_times, "leave out the grading");
  app.add_flag("--only-grades", options.only_grades, "leave out the timing")->excludes(only_times);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  return lanewise::run(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "timing_attacks: %s\n", error.what());
  return 3;
}
