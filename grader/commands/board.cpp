// `lanewise board`: a class competition, ranked by run time.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <thread>

#include "grader/board/board_json.h"
#include "grader/board/board_page.h"
#include "grader/board/board_text.h"
#include "grader/board/entries.h"
#include "grader/board/history.h"
#include "grader/board/modelled_marks.h"
#include "grader/board/race_tracks.h"
#include "grader/board/rounds.h"
#include "grader/class/hand_ins.h"
#include "grader/class/moment.h"
#include "grader/class/roster.h"
#include "grader/commands/commands.h"
#include "grader/commands/toolchain_option.h"
#include "grader/exports/counted.h"
#include "grader/exports/csv.h"
#include "grader/grading/class_grading.h"
#include "grader/grading/class_record.h"
#include "grader/grading/output_folder.h"
#include "grader/grading/secrets.h"
#include "grader/grading/student_confinement.h"
#include "grader/store/folder_lock.h"
#include "grader/store/store.h"
#include "grader/workplace/exit_codes.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/declared/known_labs.h"
#include "harness/report/progress.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_style.h"
#include "harness/runner/timing/rivals.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandings = "standings.json";  // identifies a folder as one of ours
constexpr const char* kRounds = "private/rounds";

struct BoardOptions {
  std::string as_of;
  std::string competition;
  std::string submissions;
  std::string out;
  std::string roster;
  std::string seed_file;
  std::string backend = "auto";
  std::string toolchain = "auto";
  std::string cases = "grade";
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool no_sandbox = false;
};

constexpr const char* kBoardExamples = R"(
Examples:
  lanewise board --competition race.toml --submissions submitted/ --out board/ --roster roster.csv
  lanewise board --competition race.toml --submissions submissions.zip --out board/ --seed-file secret.toml
  lanewise board --as-of "2026-11-22 19:40 UTC" --out board/

The file of --competition:
  title = "Prefix sum, autumn"
  count = "latest"              # which attempt of a student; or "best", by points
  ends = 2026-12-18T23:59:00+01:00   # with its offset; what is submitted later does not race
  clarity = "clarity.csv"       # columns id and points, from 0 to 10; needed only with a weight
  [[task]]
  lab = "scan"
  cases = ["race"]              # if left out, all race cases of the task
  [weights]                     # if left out, only time counts
  time = 80
  correctness = 10              # an entry may then fail hidden cases, at the cost of their share
  clarity = 10

Everything is first checked on the virtual GPU: only entries that are right and clean race. On a GPU, all entries are
then timed together on the race cases, in turn, sample by sample. Without a GPU, times are modelled, for the case that
the lab names for this purpose, and marked as modelled.

In the --out folder: for the class, index.html and standings.json, which show people only by the roster's nicknames; for
you, private/entrants.csv, which says who is who. An earlier board there is replaced once the new one is complete; its
numbers stay in private/rounds/. From them come changes of rank, each entry's history and, with --as-of, any earlier
board again, in private/as-of/.

Exit codes: 0 done, 1 an entry could not be graded, 2 the command line or one of its files makes no sense, 3 something
that lanewise needs is missing.)";

class BoardCommand {
 public:
  explicit BoardCommand(const BoardOptions& options)
      : options_(options), style_(style_for(STDOUT_FILENO)), progress_(STDERR_FILENO, style_for(STDERR_FILENO).width) {}

  int run();

 private:
  int fail(int code, const std::string& sentence);
  int show_again();
  int read_inputs(const Installation& installation);
  int check_out();
  int compete(const Workplace& checks, const Workplace& races);
  void leave_out_late(ClassRecord& record) const;
  Expected<GradedClass> grade(const Workplace& workplace, const fs::path& folder);
  std::optional<Failure> time_entries_of(const GradedClass& graded, const Workplace& races, Board& board);
  std::optional<Failure> write(const Board& board, const fs::path& folder) const;
  std::optional<Failure> keep_rounds(const Board& board, const fs::path& folder) const;
  void say(const std::string& text) { progress_.show(text); }

  const BoardOptions& options_;
  TextStyle style_;
  Progress progress_;
  fs::path out_;
  std::optional<FolderLock> lock_;  // on the earlier board, if there is one
  std::vector<Board> rounds_;
  std::vector<LabSelection> labs_;
  Competition competition_;
  Secrets secrets_;
};

int BoardCommand::fail(int code, const std::string& sentence) {
  progress_.clear();
  std::fprintf(stderr, "lanewise board: %s\n", safe_line(sentence).c_str());
  return code;
}

int BoardCommand::run() {
  if (!options_.as_of.empty()) return show_again();
  const Installation installation = this_installation();
  if (const int code = read_inputs(installation); code != kExitDone) return code;
  if (const int code = check_out(); code != kExitDone) return code;
  BackendChoice choice = BackendChoice::kAuto;
  for (const auto& [name, value] : backend_choices())
    if (name == options_.backend) choice = value;
  const auto confinement = student_confinement(installation, choice, options_.no_sandbox);
  if (!confinement) return fail(kExitEnvironment, confinement.sentence());
  const ToolchainChoice toolchain = toolchain_choice(options_.toolchain);
  // Only the virtual GPU shows what is not clean.
  const auto checks = open_workplace(installation, BackendChoice::kVgpu, *confinement, toolchain);
  if (!checks) return fail(kExitEnvironment, checks.sentence());
  const auto races = open_workplace(installation, choice, *confinement, toolchain);
  if (!races) return fail(kExitEnvironment, races.sentence());
  return compete(*checks, *races);
}

// Nothing is graded or timed: a board is shown again as it was.
int BoardCommand::show_again() {
  std::string moment = options_.as_of;
  constexpr std::string_view kUtc = " UTC";  // as boards have it
  if (moment.size() > kUtc.size() && moment.compare(moment.size() - kUtc.size(), kUtc.size(), kUtc) == 0)
    moment.replace(moment.size() - kUtc.size(), kUtc.size(), "Z");
  const auto as_of = parse_iso_moment(moment);
  if (!as_of || !as_of->has_offset)
    return fail(kExitUsage, fmt::format("--as-of: '{}' is not a date with its time and time zone; write it like "
                                        "2026-11-22T19:40:00+01:00 or \"2026-11-22 19:40 UTC\"",
                                        options_.as_of));
  if (const int code = check_out(); code != kExitDone) return code;
  // Boards show minutes.
  const auto is_later = [&as_of](const Board& board) { return board.made / 60 * 60 > as_of->seconds; };
  const auto end = std::find_if(rounds_.begin(), rounds_.end(), is_later);
  if (end == rounds_.begin())
    return fail(kExitUsage, rounds_.empty() ? fmt::format("{}: there is no board", shown_path(out_ / kRounds))
                                            : fmt::format("{}: the first board was made on {}",
                                                          shown_path(out_ / kRounds), submitted_text(end->made)));
  Board board = *(end - 1);
  compare_with({rounds_.begin(), end - 1}, board);
  const fs::path folder = out_ / "private" / "as-of";
  if (const auto failure = write(board, folder)) return fail(kExitEnvironment, failure->sentence);
  fmt::print("{}\nboard   {}\n", board_text(board, style_), shown_path(folder / "index.html"));
  return kExitDone;
}

int BoardCommand::read_inputs(const Installation& installation) {
  const auto all = known_labs(installation);
  if (!all) return fail(kExitEnvironment, all.sentence());
  const auto competition = read_competition(options_.competition, *all);
  if (!competition) return fail(kExitUsage, competition.sentence());
  competition_ = *competition;
  for (const LabSelection& lab : *all) {
    LabSelection selection = lab;
    for (const CompetitionTask& task : competition_.tasks)
      if (task.lab == lab.file.id) selection.tasks.insert(task.task);
    if (!selection.tasks.empty()) labs_.push_back(std::move(selection));
  }
  std::error_code error;
  if (!fs::exists(options_.submissions, error))
    return fail(kExitUsage, options_.submissions + ": there is no such file or folder");
  if (!options_.roster.empty())
    if (const auto roster = read_roster(options_.roster); !roster) return fail(kExitUsage, roster.sentence());
  secrets_.seed = drawn_seed();
  if (!options_.seed_file.empty()) {
    const auto secrets = read_secrets(options_.seed_file, *all);
    if (!secrets) return fail(kExitUsage, secrets.sentence());
    secrets_ = *secrets;
    add_hidden_cases(secrets_, labs_);
  }
  return kExitDone;
}

int BoardCommand::check_out() {
  out_ = fs::absolute(options_.out).lexically_normal();
  if (!out_.has_filename()) out_ = out_.parent_path();
  std::error_code error;
  const bool is_ours = fs::exists(out_ / kStandings, error);
  if (!is_ours && fs::exists(out_, error) && (!fs::is_directory(out_, error) || !fs::is_empty(out_, error)))
    return fail(kExitUsage, shown_path(out_) + ": the folder holds something else; name a new or an empty one");
  if (is_ours && options_.as_of.empty()) {
    // Of two boards made at once, the second would replace the first, whose round it has not read.
    fs::create_directory(out_ / "private", error);
    auto lock = FolderLock::take(out_ / "private" / ".lock", shown_path(out_));
    if (!lock) return fail(kExitEnvironment, lock.sentence());
    lock_.emplace(std::move(*lock));
  }
  auto rounds = read_rounds(out_ / kRounds);
  if (!rounds) return fail(kExitEnvironment, rounds.sentence());
  rounds_ = std::move(*rounds);
  if (!options_.as_of.empty()) return kExitDone;
  if (do_overlap(options_.submissions, out_))
    return fail(kExitUsage, "the --submissions and --out folders must not contain each other");
  fs::create_directories(out_.parent_path(), error);
  if (error)
    return fail(kExitEnvironment,
                fmt::format("{}: cannot be created ({})", shown_path(out_.parent_path()), error.message()));
  return kExitDone;
}

void BoardCommand::leave_out_late(ClassRecord& record) const {
  if (competition_.ends == 0) return;
  const auto late =
      std::stable_partition(record.attempts.begin(), record.attempts.end(),
                            [this](const RecordedAttempt& attempt) { return attempt.submitted <= competition_.ends; });
  for (auto each = late; each != record.attempts.end(); ++each)
    record.set_aside.push_back({each->came_from, "submitted after the end of the competition"});
  record.attempts.erase(late, record.attempts.end());
}

Expected<GradedClass> BoardCommand::grade(const Workplace& workplace, const fs::path& folder) {
  CollectOptions collect;
  collect.input = options_.submissions;
  collect.roster = options_.roster;
  collect.into = folder / "hand-ins";
  for (const LabSelection& lab : labs_) collect.known_sources.push_back(lab.file.skeleton);
  collect.progress = [this](const std::string& text) { say(text); };
  const auto hand_ins = collect_hand_ins(collect);
  if (!hand_ins) return hand_ins.failure();
  auto store = Store::open(folder);
  if (!store) return store.failure();
  const auto run = (*store)->begin_run("{}");
  if (!run) return run.failure();
  Course course;
  course.title = competition_.title;
  course.counted = competition_.counted;
  GradingMeans means = means_of(workplace, labs_);
  if (options_.cases == "grade") means.options.groups.insert("grade");
  means.options.seed = secrets_.seed;
  means.options.is_timed = false;
  const std::unique_ptr<Executor> executor = local_grading(means, options_.jobs);
  ClassGradingOptions options;
  options.executor = executor.get();
  options.out = folder;
  options.progress = collect.progress;
  auto record = record_class(*hand_ins, labs_, folder);
  if (!record) return record.failure();
  leave_out_late(*record);
  return grade_class(*record, labs_, course, means, **store, *run, options);
}

std::optional<Failure> BoardCommand::time_entries_of(const GradedClass& graded, const Workplace& races, Board& board) {
  if (races.backend.is_virtual()) {
    auto cases = modelled_cases(competition_, labs_, races.installation.solutions, races.builder.toolchain().name());
    if (!cases) return cases.failure();
    board.cases = std::move(*cases);
    board.is_modelled = true;
    board.device = labs_.front().file.profile;
    take_modelled_times(graded, competition_, board);
  } else {
    RaceTracksRequest request{&competition_, &labs_, &graded, &races, secrets_.seed};
    say("compiling for the race");
    const auto tracks = race_tracks(request, board);
    if (!tracks) return tracks.failure();
    RaceOptions options;
    options.progress = [this](const std::string& text) { say(text); };
    const TimingLock lock(races.installation.cache);
    if (auto failure = race(*tracks, options, board)) return failure;
    if (board.device.empty()) board.device = races.backend.device;
  }
  board.marks = marks_over_all(board.cases);
  board.places = standings(board.entries, board.weights);
  return std::nullopt;
}

// The folder for the class, and in it the one for the instructor.
std::optional<Failure> BoardCommand::write(const Board& board, const fs::path& folder) const {
  std::string entrants =
      kByteOrderMark + csv_row({csv_text("rank"), csv_text("shown as"), csv_text("id"), csv_text("state"),
                                csv_text("reason"), csv_text("ratio"), csv_text("score"), csv_text("submitted")});
  for (const Place& place : board.places) {
    const BoardEntry& entry = board.entries[place.entry];
    const bool is_ranked = place.rank > 0;
    const auto number = [is_ranked](double value) { return is_ranked ? csv_number(value) : csv_text(""); };
    entrants +=
        csv_row({number(place.rank), csv_text(entry.name), csv_text(entry.id), csv_text(state_text(entry.state)),
                 csv_text(safe_line(entry.reason)), csv_text(is_ranked ? fmt::format("{:.4f}", place.ratio.value) : ""),
                 number(place.score), csv_text(submitted_text(known_date(entry.submitted, board.made)))});
  }
  for (const auto& [name, content] : {std::pair<fs::path, std::string>{"index.html", board_page(board)},
                                      {kStandings, board_json(board)},
                                      {fs::path("private") / "entrants.csv", entrants}})
    if (auto failure = write_report(folder / name, content)) return failure;
  // Temporary folders are private; a board must be readable by others.
  std::error_code error;
  fs::permissions(folder, fs::perms(0755), error);
  fs::permissions(folder / "private", fs::perms::owner_all, error);
  if (error) return Failure{fmt::format("{}: its permissions cannot be set ({})", folder.string(), error.message())};
  return std::nullopt;
}

// All of them, since the folder replaces the one that they are in.
std::optional<Failure> BoardCommand::keep_rounds(const Board& board, const fs::path& folder) const {
  std::error_code error;
  if (fs::exists(out_ / kRounds, error)) fs::copy(out_ / kRounds, folder / kRounds, fs::copy_options::recursive, error);
  if (error) return Failure{fmt::format("{}: cannot be copied ({})", shown_path(out_ / kRounds), error.message())};
  return write_report(folder / kRounds / round_file(board), round_json(board));
}

int BoardCommand::compete(const Workplace& checks, const Workplace& races) {
  const auto scratch = TemporaryFolder::create_in(out_.parent_path());
  if (!scratch) return fail(kExitEnvironment, scratch.sentence());
  const auto graded = grade(checks, scratch->path());
  if (!graded) return fail(kExitEnvironment, graded.sentence());
  Board board;
  board.title = competition_.title;
  board.made = std::time(nullptr);
  board.ends = competition_.ends;
  board.compiler = races.builder.toolchain().description();
  board.weights = competition_.weights;
  board.entries = entries_of(*graded, competition_);
  if (const auto failure = time_entries_of(*graded, races, board)) return fail(kExitEnvironment, failure->sentence);
  const fs::path made = scratch->path() / "board";
  compare_with(rounds_, board);
  if (const auto failure = write(board, made)) return fail(kExitEnvironment, failure->sentence);
  if (const auto failure = keep_rounds(board, made)) return fail(kExitEnvironment, failure->sentence);
  if (const auto failure = put_in_place(made, out_)) return fail(kExitEnvironment, failure->sentence);

  progress_.clear();
  std::fputs(board_text(board, style_).c_str(), stdout);
  for (const SetAside& each : graded->set_aside)
    fmt::print("set aside: {}: {}\n", safe_line(each.what), safe_line(each.why));
  fmt::print("\nboard   {}\nThe seed was {}.\n", shown_path(out_ / "index.html"), secrets_.seed);
  const bool has_trouble = std::any_of(board.entries.begin(), board.entries.end(),
                                       [](const BoardEntry& entry) { return entry.state == EntryState::kNotGraded; });
  return has_trouble ? kExitNotGraded : kExitDone;
}

}  // namespace

void add_board_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BoardOptions>();
  CLI::App* command = app.add_subcommand("board", "Rank a class by run time: a competition's standings");
  command->footer(kBoardExamples);
  command->add_option("--competition", options->competition, "Tasks, cases and weights")->type_name("TOML");
  command->add_option("--submissions", options->submissions, "The submissions: a folder, or an archive of one")
      ->type_name("DIR|FILE");
  command->add_option("--out", options->out, "Folder for the board: new, empty, or with an earlier board")
      ->type_name("DIR")
      ->required();
  command->add_option("--roster", options->roster, "Who is in the class, and their nicknames")->type_name("CSV");
  command->add_option("--seed-file", options->seed_file, "A secret seed and hidden cases")->type_name("TOML");
  std::vector<std::string> backends;
  for (const auto& [name, value] : backend_choices()) backends.push_back(name);
  command
      ->add_option("--backend", options->backend, "What to race on: a GPU if there is one, or the virtual GPU's model")
      ->check(CLI::IsMember(backends))
      ->capture_default_str();
  add_toolchain_option(*command, options->toolchain);
  command->add_option("--cases", options->cases, "Cases that decide who may race: check, or grade (check and more)")
      ->check(CLI::IsMember({"check", "grade"}))
      ->capture_default_str();
  command->add_option("--jobs", options->jobs, "Submissions checked at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--no-sandbox", options->no_sandbox,
                    "Compile and run students' code as yourself, without a sandbox");
  command->add_option("--as-of", options->as_of, "Show the newest board of this date, or before it, once more")
      ->type_name("DATE");
  command->callback([options, &exit_code] {
    for (const auto& [name, value] :
         {std::pair("--competition", &options->competition), std::pair("--submissions", &options->submissions)})
      if (options->as_of.empty() && value->empty()) throw CLI::RequiredError(name);
    exit_code = BoardCommand(*options).run();
  });
}

}  // namespace lanewise
