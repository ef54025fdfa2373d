// `lanewise verify`: grades the files under solutions/ and compares every verdict with the one declared.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>

#include "grader/commands/commands.h"
#include "grader/commands/option_checks.h"
#include "grader/commands/toolchain_option.h"
#include "grader/solutions/solution_files.h"
#include "grader/solutions/solution_text.h"
#include "grader/workplace/temporary_folder.h"
#include "grader/workplace/verdict_cache.h"
#include "grader/workplace/workplace.h"
#include "harness/declared/known_labs.h"
#include "harness/declared/recognisable.h"
#include "harness/declared/sums.h"
#include "harness/report/html_report.h"
#include "harness/report/json_report.h"
#include "harness/report/progress.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_report.h"
#include "harness/runner/content_hash.h"
#include "harness/runner/parallel.h"
#include "harness/runner/verdict/grade.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// A race case of some tasks takes ten gigabytes of memory while it is judged.
constexpr unsigned kMostRacesAtATime = 4;

// Of the race cases, which the files of a task share: the others are small, and all of a task's are kept.
constexpr std::size_t kRaceCasesKept = 3;
constexpr std::size_t kCasesKept = 24;

constexpr const char* kReports[] = {"report.txt", "results.json", "report.html"};

struct VerifyOptions {
  std::vector<std::string> names;
  std::string backend = "vgpu";
  std::string toolchain = "auto";
  std::string cases = "check";
  std::string out;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t seed = 1;
  bool timed = false;
  bool is_sample = false;
};

constexpr const char* kVerifyExamples = R"(
Examples:
  lanewise verify                 every lab
  lanewise verify --sample        every lab, one file for each kind of verdict
  lanewise verify blur            one task
  lanewise verify --toolchain clang
                                  compiled by clang; what needs NVIDIA's libraries is skipped
  lanewise verify --backend gpu   with the library peers
  lanewise verify --backend gpu --cases race
                                  the steps and peers, at sizes for a GPU

For authors of labs. Each ladder step must be right and clean, the reference must meet every goal for counters and be
fast, the baseline must not be fast, each file in wrong/ must get exactly the verdict that its first line declares, and
the untouched skeleton must be recognised as such. Exit code 1 if any verdict differs. With --cases grade, the hidden
cases are run, too; with --cases race, only steps and peers, at most four at a time. --sample keeps each task's
reference and skeleton, and from wrong/ one file per lab for each outcome and each tool that finds something.

Speed is modelled on the virtual GPU. On a GPU, it is left out unless --timed is given: timing takes some ten seconds
per submission, one after another, and no declared verdict depends on it.)";

// What became of one file.
struct VerifiedFile {
  std::string verdict;  // in words
  std::string points;
  bool is_as_declared = false;
  bool is_skipped = false;
};

class Verification {
 public:
  explicit Verification(const VerifyOptions& options)
      : options_(options),
        style_(style_for(STDOUT_FILENO)),
        progress_(STDERR_FILENO, style_for(STDERR_FILENO).width),
        instances_(is_race() ? kRaceCasesKept : kCasesKept) {}

  int run();

 private:
  int fail(int code, const std::string& sentence);
  bool is_race() const { return options_.cases == "race"; }
  VerifiedFile grade_one(const Workplace& workplace, const SolutionFile& submission);
  VerifiedFile compare(const SolutionFile& submission, const Verdict& verdict) const;
  std::optional<Failure> write_reports(const GradeRequest& request, const Verdict& verdict,
                                       const fs::path& folder) const;
  void print_table(const std::vector<SolutionFile>& submissions, const std::vector<VerifiedFile>& results) const;
  fs::path folder_of(const SolutionFile& submission) const;

  const VerifyOptions& options_;
  TextStyle style_;
  Progress progress_;
  Instances instances_;  // files of one task are next to each other
  fs::path out_;
};

std::string file_label(const SolutionFile& submission) {
  const std::string name = submission.source.filename().string();
  return submission.kind == SolutionFile::Kind::kWrong ? "wrong/" + name : name;
}

int Verification::fail(int code, const std::string& sentence) {
  progress_.clear();
  std::fprintf(stderr, "lanewise verify: %s\n", safe_line(sentence).c_str());
  return code;
}

std::set<std::string> case_groups_of(const std::string& cases) {
  if (cases == "grade") return {"check", "grade"};
  return {cases};
}

// Mistakes show at small sizes, and may do anything at large ones.
void keep_steps_and_peers(std::vector<SolutionFile>& submissions) {
  using Kind = SolutionFile::Kind;
  const auto is_other = [](const SolutionFile& each) { return each.kind != Kind::kLadder && each.kind != Kind::kPeer; };
  submissions.erase(std::remove_if(submissions.begin(), submissions.end(), is_other), submissions.end());
}

// What of a declared lab's cases shows less than its author means: the labs that are compiled in are tested for it.
// Whether there is anything.
bool note_blind_cases(const LabSelection& lab) {
  bool is_noted = false;
  const auto note = [&](const TaskFile& task, const std::string& sentence) {
    fmt::print("{} · {}: {}\n", lab.file.id, task.name, sentence);
    is_noted = true;
  };
  for (const TaskFile& file : lab.file.tasks) try {
      const Task& task = *find_task(*lab.lab, file.name);
      for (const std::string& name : unrecognisable(lab.file.id, task, file))
        note(file,
             fmt::format("no check case tells '{}' from the right answer and from the mistakes before it: add one",
                         name));
      if (const std::string name = order_dependent_sum(lab.file.id, task, file); !name.empty())
        note(file, sum_note(file, name));
      for (const std::string& name : accepting_zeros(lab.file.id, task, file))
        note(file, fmt::format("in the case '{}', zeros are as right as the answer: give it values whose result is "
                               "farther from 0",
                               name));
    } catch (const std::exception& error) {
      note(file, fmt::format("its mistakes cannot be compared: {}", error.what()));
    }
  return is_noted;
}

int Verification::run() {
  const Installation installation = this_installation();
  out_ = options_.out.empty() ? installation.reports / "verify" : fs::path(options_.out);
  const auto all = known_labs(installation, options_.names);
  if (!all) return fail(kExitEnvironment, all.sentence());
  const auto selected = select_labs(*all, options_.names);
  if (!selected) return fail(kExitUsage, selected.sentence());
  std::vector<SolutionFile> submissions = solution_files(*selected, installation.solutions);
  std::error_code error;
  if (!fs::exists(installation.solutions, error))
    return fail(kExitEnvironment, installation.solutions.string() + ": there are no solutions to verify");

  BackendChoice choice = BackendChoice::kVgpu;
  for (const auto& [name, value] : backend_choices())
    if (name == options_.backend) choice = value;
  const auto workplace = open_workplace(installation, choice, nullptr, toolchain_choice(options_.toolchain));
  if (!workplace) return fail(kExitEnvironment, workplace.sentence());
  if (is_race() && workplace->backend.is_virtual())
    return fail(kExitUsage, "race cases have sizes for a GPU: --cases race needs --backend gpu");
  if (is_race()) keep_steps_and_peers(submissions);
  if (options_.is_sample) submissions = one_of_each_kind(submissions);

  // Other work on the GPU would be timed, too.
  const bool is_alone = options_.timed && !workplace->backend.is_virtual();
  const unsigned jobs = is_alone ? 1 : is_race() ? std::min(options_.jobs, kMostRacesAtATime) : options_.jobs;
  std::vector<VerifiedFile> results(submissions.size());
  std::atomic<std::size_t> done{0};
  const auto started = std::chrono::steady_clock::now();
  run_in_parallel(submissions.size(), jobs, [&](std::size_t i) {
    results[i] = grade_one(*workplace, submissions[i]);
    if (!results[i].is_as_declared)
      fail(kExitNotGraded, fmt::format("{}: {}", shown_path(submissions[i].source), results[i].verdict));
    const std::size_t graded = ++done;
    progress_.show(fmt::format("{} of {} graded", graded, submissions.size()) +
                   time_left(std::chrono::steady_clock::now() - started, graded, submissions.size() - graded));
  });
  progress_.clear();
  print_table(submissions, results);
  bool is_blind = false;
  for (const LabSelection& lab : *selected)
    if (!lab.file.oracle.empty() && note_blind_cases(lab)) is_blind = true;
  const bool all_as_declared =
      std::all_of(results.begin(), results.end(), [](const VerifiedFile& result) { return result.is_as_declared; });
  return all_as_declared && !is_blind ? kExitDone : kExitNotGraded;
}

fs::path Verification::folder_of(const SolutionFile& submission) const {
  fs::path folder = out_ / submission.lab->file.id / submission.task;
  if (submission.kind == SolutionFile::Kind::kWrong) folder /= "wrong";
  return folder / submission.source.stem();
}

VerifiedFile Verification::grade_one(const Workplace& workplace, const SolutionFile& submission) {
  if (!submission.trouble.empty()) return {submission.trouble, "", false, false};
  if (submission.needs_gpu && workplace.backend.is_virtual()) return {"skipped: needs an NVIDIA GPU", "", true, true};
  const auto pictures = TemporaryFolder::create();
  if (!pictures) return {pictures.sentence(), "", false, false};
  // A report from an earlier run must not be taken for this one's.
  const fs::path folder = folder_of(submission);
  std::error_code ignored;
  for (const char* report : kReports) fs::remove(folder / report, ignored);

  GradeRequest request;
  request.lab = submission.lab->lab;
  request.file = &submission.lab->file;
  request.source = submission.source;
  if (is_difference(submission.source)) {
    const auto text = solution_text(submission.source);
    if (!text) return {text.sentence(), "", false, false};
    request.source = folder / submission.source.stem().concat(".cu");
    if (const auto failure = write_report(request.source, *text)) return {failure->sentence, "", false, false};
  }
  request.may_use_libraries = submission.kind == SolutionFile::Kind::kPeer;
  if (const auto text = read_file(request.source, kLargestSource); text && request.may_use_libraries)
    if (const std::string header = workplace.builder.toolchain().lacking_header(*text); !header.empty())
      return {"skipped: needs nvcc: includes " + header, "", true, true};
  request.key = workplace.installation.solutions / submission.lab->file.id / "answers.toml";
  // A student who has not started has answered nothing; everyone else knows all the answers.
  const bool is_untouched = submission.kind == SolutionFile::Kind::kSkeleton;
  request.answers = is_untouched ? submission.lab->file.folder / "answers.toml" : request.key;
  request.tasks = {submission.task};
  request.groups = case_groups_of(options_.cases);
  request.instances = &instances_;
  request.seed = options_.seed;
  if (options_.timed) request.timer = time_entries;
  request.pictures = pictures->path();
  // `lanewise bench` asks for the same verdicts.
  const bool is_step = submission.kind == SolutionFile::Kind::kLadder || submission.kind == SolutionFile::Kind::kPeer;
  const auto verdict = is_step ? grade_and_keep(request, workplace)
                               : grade(request, workplace.installation, workplace.builder, workplace.backend);
  if (!verdict) return {verdict.sentence(), "", false, false};
  if (const auto failure = write_reports(request, *verdict, folder)) return {failure->sentence, "", false, false};
  return compare(submission, *verdict);
}

// Race cases carry no points.
bool is_right_everywhere(const TaskVerdict& task) {
  return !task.cases.empty() && std::all_of(task.cases.begin(), task.cases.end(), [](const CaseVerdict& each) {
    return each.outcome == CaseOutcome::kRight;
  });
}

const TaskFile& task_file_of(const SolutionFile& submission) {
  const std::vector<TaskFile>& tasks = submission.lab->file.tasks;
  return *std::find_if(tasks.begin(), tasks.end(),
                       [&submission](const TaskFile& task) { return task.name == submission.task; });
}

bool has_points(const TaskVerdict& task, const std::string& part) {
  return std::any_of(task.parts.begin(), task.parts.end(),
                     [part](const PartScore& score) { return score.name == part && score.scored && score.points > 0; });
}

// What a step lacks, in parentheses; empty if it lacks nothing. Goals for counters are set for the reference and not
// demanded of other steps, nor is their speed: what gains at sizes for a GPU may lose in a case small enough to be
// modelled. The baseline must have no points for speed.
std::string lacking(const TaskVerdict& task, const SolutionFile& submission) {
  const TaskFile& file = task_file_of(submission);
  const std::string name = submission.source.filename().string();
  const bool is_reference = name == file.reference;
  std::string text;
  for (const PartScore& part : task.parts) {
    if (!part.scored || part.points >= part.max_points) continue;
    if (!is_reference && (part.name == "efficient" || part.name == "fast")) continue;
    text += fmt::format("  ({}: {})", part.name, part.evidence);
  }
  if (name == file.baseline && has_points(task, "fast")) text += "  (the baseline has points for fast)";
  return text;
}

VerifiedFile Verification::compare(const SolutionFile& submission, const Verdict& verdict) const {
  const TaskVerdict& task = verdict.tasks.front();
  const Outline outline = outline_of(task);
  std::optional<Outline> declared = submission.declared;
  std::string by_chance;
  if (declared && verdict.environment.backend == "gpu") {
    // Most tools are the virtual GPU's. A program with a stray access, a race or a read of what was never written may
    // end in any way on hardware.
    const std::set<std::string>& tools = declared->tools;
    const bool is_undefined =
        tools.count("memcheck") != 0 || tools.count("racecheck") != 0 || tools.count("initcheck") != 0;
    if (submission.is_right_on_gpu) declared->worst = Worst::kRight;
    declared->tools = outline.tools;
    declared->is_reviewed = declared->is_reviewed && outline.is_reviewed;  // counters may have shown it
    if (is_undefined && !(outline == *declared)) {
      by_chance = "  (undefined behaviour, so it may differ)";
      declared = outline;
    }
  }
  VerifiedFile result;
  result.verdict = describe(outline) + by_chance;
  result.points = fmt::format("{}/{}", points_text(task.points), points_text(task.max_points));
  result.is_as_declared = !declared || outline == *declared;
  if (!result.is_as_declared) result.verdict += fmt::format("  (declared: {})", describe(*declared));
  for (const std::string& part : submission.unearned) {
    if (!has_points(task, part)) continue;
    result.is_as_declared = false;
    result.verdict += fmt::format("  (declared: no points of {})", part);
  }
  if (submission.kind == SolutionFile::Kind::kLadder) {
    const std::string lack = !is_race()                  ? lacking(task, submission)
                             : is_right_everywhere(task) ? ""
                                                         : "  (not every race case is right)";
    result.is_as_declared &= lack.empty();
    result.verdict += lack;
  }
  if (submission.kind == SolutionFile::Kind::kSkeleton && task.points > 0) result.is_as_declared = false;
  return result;
}

std::optional<Failure> Verification::write_reports(const GradeRequest& request, const Verdict& verdict,
                                                   const fs::path& folder) const {
  const auto source = read_file(request.source, kLargestSource);
  const HtmlSources sources{request.pictures, source ? *source : "", request.source.filename().string()};
  TextStyle plain;
  const std::string contents[] = {text_report(verdict, plain), json_report({verdict}), html_report(verdict, sources)};
  for (std::size_t i = 0; i < std::size(kReports); ++i)
    if (auto failure = write_report(folder / kReports[i], contents[i])) return failure;
  return std::nullopt;
}

void Verification::print_table(const std::vector<SolutionFile>& submissions,
                               const std::vector<VerifiedFile>& results) const {
  std::size_t widest = 0;
  for (const SolutionFile& submission : submissions) widest = std::max(widest, columns_of(file_label(submission)));
  std::string heading;
  std::size_t as_declared = 0;
  std::size_t skipped = 0;
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    const SolutionFile& submission = submissions[i];
    const VerifiedFile& result = results[i];
    const std::string group = submission.lab->file.id + " · " + submission.task;
    if (group != heading)
      std::fputs(style_.utf8 ? fmt::format("\n{}\n", group).c_str() : ascii_text(fmt::format("\n{}\n", group)).c_str(),
                 stdout);
    heading = group;
    const std::string mark = result.is_skipped ? "–" : result.is_as_declared ? "✓" : "✗";
    const std::string line = fmt::format("  {} {:<{}}  {:>8}  {}\n", mark, file_label(submission), widest,
                                         result.points, safe_line(result.verdict));
    std::fputs((style_.utf8 ? line : ascii_text(line)).c_str(), stdout);
    skipped += result.is_skipped ? 1 : 0;
    as_declared += result.is_as_declared && !result.is_skipped ? 1 : 0;
  }
  std::printf("\n%zu of %zu as declared, %zu skipped; reports under %s\n", as_declared, submissions.size() - skipped,
              skipped, shown_path(out_).c_str());
}

}  // namespace

void add_verify_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand("verify", "Check every file under solutions/ against the verdict it declares");
  command->footer(kVerifyExamples);
  command->add_option("names", options->names, "Labs or tasks; all labs if none is named")->type_name("LAB|TASK");
  std::vector<std::string> backends;
  for (const auto& [name, value] : backend_choices()) backends.push_back(name);
  command->add_option("--backend", options->backend, "What to run on")
      ->check(CLI::IsMember(backends))
      ->capture_default_str();
  add_toolchain_option(*command, options->toolchain);
  command->add_option("--cases", options->cases, "check, grade (check and more), or race (sizes for a GPU)")
      ->check(CLI::IsMember({"check", "grade", "race"}))
      ->capture_default_str();
  command->add_option("--out", options->out, "Write the reports under this folder (build/verify if not given)")
      ->type_name("DIR");
  command->add_option("--jobs", options->jobs, "Submissions graded at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--timed", options->timed, "On a GPU: also time correct submissions, one at a time");
  command->add_flag("--sample", options->is_sample, "Only one file of each kind of verdict");
  command->add_option("--seed", options->seed, "Determines all random inputs")
      ->check(whole_number())
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = Verification(*options).run(); });
}

}  // namespace lanewise
