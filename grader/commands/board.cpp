// `lanewise board`: a class competition, ranked by run time.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <thread>

#include "grader/board/admission.h"
#include "grader/board/board_text.h"
#include "grader/board/entries.h"
#include "grader/board/freeze.h"
#include "grader/board/ghosts.h"
#include "grader/board/history.h"
#include "grader/board/modelled_marks.h"
#include "grader/board/public_files.h"
#include "grader/board/race_tracks.h"
#include "grader/board/rounds.h"
#include "grader/class/attempt_times.h"
#include "grader/class/hand_ins.h"
#include "grader/class/moment.h"
#include "grader/class/roster.h"
#include "grader/commands/board_init.h"
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

constexpr const char* kRounds = "private/rounds";
constexpr const char* kRevealed = "private/revealed";  // when --reveal was last used
constexpr const char* kTruth = "private/now";          // the board that the class does not see yet

struct BoardOptions {
  std::string as_of;
  BoardInitOptions init;
  bool reveal = false;
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
  lanewise board --init race.toml --task scan --opens 2026-11-30T08:00:00+01:00
  lanewise board --competition race.toml --submissions submitted/ --out board/ --roster roster.csv
  lanewise board --competition race.toml --submissions submissions.zip --out board/ --seed-file secret.toml
  lanewise board --as-of "2026-11-22 19:40 UTC" --out board/
  lanewise board --reveal --out board/

--init writes a file for --competition: three weeks with a freeze before the end, and every key explained. The
competition opens next Monday at 8:00 unless --opens says otherwise.

Everything is first checked on the virtual GPU: only entries that are correct and clean race. On a GPU, all entries are
then timed together on the race cases, in turn, sample by sample. Without a GPU, times are modelled, for the case that
the lab names for this purpose, and marked as modelled.

In the --out folder, everything but private/ is for the class: index.html and standings.json show people only by the
roster's nicknames. private/entrants.csv says who is who. An earlier board there is replaced once the new one is
complete; its numbers stay in private/rounds/. They give changes of rank, each entry's history and, with --as-of, any
earlier board again, in private/as-of/. During a freeze, the class sees the last board made before it, and you find the
newest one in private/now/; --reveal ends the freeze and publishes it.

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
  int reveal();
  int read_inputs(const Installation& installation);
  int check_out();
  int compete(const Workplace& checks, const Workplace& races);
  Expected<BackendChoice> backend() const;
  void leave_out(ClassRecord& record);
  Expected<GradedClass> grade(const Workplace& workplace, const fs::path& folder);
  std::optional<Failure> time_entries_of(const GradedClass& graded, const Workplace& races, Board& board);
  std::optional<Failure> write(const Board& shown, const Board& board, const fs::path& folder) const;
  std::optional<Failure> keep_private(const fs::path& folder) const;
  std::int64_t revealed() const;
  void say(const std::string& text) { progress_.show(text); }

  const BoardOptions& options_;
  TextStyle style_;
  Progress progress_;
  fs::path out_;
  std::optional<FolderLock> lock_;  // on the earlier board, if there is one
  std::vector<Board> rounds_;
  std::vector<LabSelection> labs_;
  Competition competition_;
  std::vector<Ghost> ghosts_;
  struct LeftOut {
    int count = 0;
    std::string last;  // when it was submitted, and why it does not count
  };
  std::map<std::string, LeftOut> left_out_;  // by student
  Secrets secrets_;
};

int BoardCommand::fail(int code, const std::string& sentence) {
  progress_.clear();
  std::fprintf(stderr, "lanewise board: %s\n", safe_line(sentence).c_str());
  return code;
}

int BoardCommand::run() {
  if (!options_.as_of.empty()) return show_again();
  if (options_.reveal) return reveal();
  const Installation installation = this_installation();
  if (const int code = read_inputs(installation); code != kExitDone) return code;
  if (const int code = check_out(); code != kExitDone) return code;
  const auto choice = backend();
  if (!choice) return fail(kExitUsage, choice.sentence());
  const auto confinement = student_confinement(installation, *choice, options_.no_sandbox);
  if (!confinement) return fail(kExitEnvironment, confinement.sentence());
  const ToolchainChoice toolchain = toolchain_choice(options_.toolchain);
  // Only the virtual GPU shows what is not clean.
  const auto checks = open_workplace(installation, BackendChoice::kVgpu, *confinement, toolchain);
  if (!checks) return fail(kExitEnvironment, checks.sentence());
  const auto races = open_workplace(installation, *choice, *confinement, toolchain);
  if (!races) return fail(kExitEnvironment, races.sentence());
  if (!competition_.device.empty() && races->backend.device != competition_.device)
    return fail(kExitEnvironment, fmt::format("{}: the key 'device' is '{}', but the GPU here is '{}'",
                                              options_.competition, competition_.device, races->backend.device));
  return compete(*checks, *races);
}

// Nothing is graded or timed: the newest board is published.
int BoardCommand::reveal() {
  if (const int code = check_out(); code != kExitDone) return code;
  if (rounds_.empty()) return fail(kExitUsage, shown_path(out_ / kRounds) + ": there is no board to reveal");
  Board board = rounds_.back();
  compare_with({rounds_.begin(), rounds_.end() - 1}, board);
  const auto scratch = TemporaryFolder::create_in(out_.parent_path());
  if (!scratch) return fail(kExitEnvironment, scratch.sentence());
  const fs::path made = scratch->path() / "board";
  auto failure = write(board, board, made);
  if (!failure) failure = keep_private(made);
  if (!failure) failure = write_report(made / kRevealed, fmt::format("{}\n", std::time(nullptr)));
  if (!failure) failure = put_in_place(made, out_);
  if (failure) return fail(kExitEnvironment, failure->sentence);
  fmt::print("{}\nThe class sees the board of {}: {}\n", board_text(board, style_), submitted_text(board.made),
             shown_path(out_ / "index.html"));
  return kExitDone;
}

// 0: never
std::int64_t BoardCommand::revealed() const {
  std::int64_t moment = 0;
  std::ifstream(out_ / kRevealed) >> moment;
  return moment;
}

Expected<BackendChoice> BoardCommand::backend() const {
  BackendChoice choice = BackendChoice::kAuto;
  for (const auto& [name, value] : backend_choices())
    if (name == options_.backend) choice = value;
  const auto ask_for = [&](BackendChoice wanted, const char* key, const char* what) -> Expected<BackendChoice> {
    if (choice == BackendChoice::kAuto || choice == wanted) return wanted;
    return Failure{fmt::format("{}: the key '{}' asks for {}, but --backend {} for something else",
                               options_.competition, key, what, options_.backend)};
  };
  if (!competition_.device.empty()) return ask_for(BackendChoice::kGpu, "device", "a GPU");
  if (!competition_.profile.empty()) return ask_for(BackendChoice::kVgpu, "profile", "modelled times");
  return choice;
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
  if (const auto failure = write(board, board, folder)) return fail(kExitEnvironment, failure->sentence);
  fmt::print("{}\nboard   {}\n", board_text(board, style_), shown_path(folder / "index.html"));
  return kExitDone;
}

int BoardCommand::read_inputs(const Installation& installation) {
  const auto all = known_labs(installation);
  if (!all) return fail(kExitEnvironment, all.sentence());
  const auto competition = read_competition(options_.competition, *all);
  if (!competition) return fail(kExitUsage, competition.sentence());
  competition_ = *competition;
  for (const GhostFile& file : competition_.ghosts) {
    auto ghost = read_ghost(file);
    if (!ghost) return fail(kExitUsage, ghost.sentence());
    ghosts_.push_back(std::move(*ghost));
  }
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
  const bool is_ours = fs::exists(out_ / kStandingsFile, error);
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
  if (!options_.as_of.empty() || options_.reveal) return kExitDone;
  if (do_overlap(options_.submissions, out_))
    return fail(kExitUsage, "the --submissions and --out folders must not contain each other");
  fs::create_directories(out_.parent_path(), error);
  if (error)
    return fail(kExitEnvironment,
                fmt::format("{}: cannot be created ({})", shown_path(out_.parent_path()), error.message()));
  return kExitDone;
}

void BoardCommand::leave_out(ClassRecord& record) {
  std::vector<AttemptDate> dates;
  for (const RecordedAttempt& attempt : record.attempts)
    dates.push_back({attempt.student, attempt.lab, attempt.submitted});
  const std::vector<std::string> reasons = reasons_to_leave_out(competition_, dates);
  std::vector<RecordedAttempt> counted;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    RecordedAttempt& attempt = record.attempts[i];
    if (reasons[i].empty()) {
      counted.push_back(std::move(attempt));
      continue;
    }
    record.set_aside.push_back({attempt.came_from, reasons[i]});
    LeftOut& left_out = left_out_[attempt.student];
    ++left_out.count;
    left_out.last = fmt::format("{} ({})", submitted_text(attempt.submitted), reasons[i]);
  }
  record.attempts = std::move(counted);
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
  leave_out(*record);
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
    if (competition_.finalists) options.finalists = static_cast<std::size_t>(*competition_.finalists);
    const TimingLock lock(races.installation.cache);
    if (auto failure = race(*tracks, options, board)) return failure;
    if (board.device.empty()) board.device = races.backend.device;
  }
  for (const Ghost& ghost : ghosts_)
    if (const std::string sentence = add_ghost(ghost, board); !sentence.empty()) {
      progress_.clear();
      std::fprintf(stderr, "lanewise board: %s\n", safe_line(sentence).c_str());
    }
  board.marks = marks_over_all(board.cases);
  board.places = standings(board.entries, board.weights);
  return std::nullopt;
}

// The folder for the class, which sees `shown`, and in it the one for the instructor.
std::optional<Failure> BoardCommand::write(const Board& shown, const Board& board, const fs::path& folder) const {
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
  for (const PublicFile& file : public_files(shown)) {
    if (auto failure = write_report(folder / file.name, file.content)) return failure;
    // A frozen board tells nobody whether there is news, not even by a file's date.
    if (shown.frozen != 0) set_time(folder / file.name, shown.frozen);
  }
  if (auto failure = write_report(folder / "private" / "entrants.csv", entrants)) return failure;
  // Temporary folders are private; a board must be readable by others.
  std::error_code error;
  fs::permissions(folder, fs::perms(0755), error);
  fs::permissions(folder / "private", fs::perms::owner_all, error);
  if (error) return Failure{fmt::format("{}: its permissions cannot be set ({})", folder.string(), error.message())};
  return std::nullopt;
}

// All earlier rounds, since the folder replaces the one that they are in, and whether they have been revealed.
std::optional<Failure> BoardCommand::keep_private(const fs::path& folder) const {
  for (const char* const name : {kRounds, kRevealed}) {
    std::error_code error;
    if (fs::exists(out_ / name, error)) fs::copy(out_ / name, folder / name, fs::copy_options::recursive, error);
    if (error) return Failure{fmt::format("{}: cannot be copied ({})", shown_path(out_ / name), error.message())};
  }
  return std::nullopt;
}

int BoardCommand::compete(const Workplace& checks, const Workplace& races) {
  const auto scratch = TemporaryFolder::create_in(out_.parent_path());
  if (!scratch) return fail(kExitEnvironment, scratch.sentence());
  const auto graded = grade(checks, scratch->path());
  if (!graded) return fail(kExitEnvironment, graded.sentence());
  Board board;
  board.title = competition_.title;
  board.made = std::time(nullptr);
  board.opens = competition_.opens;
  board.ends = competition_.ends;
  board.compiler = races.builder.toolchain().description();
  board.weights = competition_.weights;
  board.entries = entries_of(*graded, competition_);
  for (BoardEntry& entry : board.entries)
    if (const auto found = left_out_.find(entry.id); found != left_out_.end())
      entry.not_counted = found->second.count == 1 ? "1 not counted: " + found->second.last
                                                   : fmt::format("{} not counted, most recently {}",
                                                                 found->second.count, found->second.last);
  if (const auto failure = time_entries_of(*graded, races, board)) return fail(kExitEnvironment, failure->sentence);
  const fs::path made = scratch->path() / "board";
  compare_with(rounds_, board);
  const bool is_hidden = is_frozen(competition_, board.made, revealed());
  auto failure = write(is_hidden ? frozen_board(competition_, rounds_) : board, board, made);
  if (!failure) failure = keep_private(made);
  if (!failure) failure = write_report(made / kRounds / round_file(board), round_json(board));
  for (const PublicFile& file : is_hidden ? public_files(board) : std::vector<PublicFile>())
    if (!failure) failure = write_report(made / kTruth / file.name, file.content);
  if (!failure) failure = put_in_place(made, out_);
  if (failure) return fail(kExitEnvironment, failure->sentence);

  progress_.clear();
  std::fputs(board_text(board, style_).c_str(), stdout);
  for (const SetAside& each : graded->set_aside)
    fmt::print("set aside: {}: {}\n", safe_line(each.what), safe_line(each.why));
  if (is_hidden)
    fmt::print("\nFrozen: the class still sees the standings of {}.\n", submitted_text(competition_.freeze));
  fmt::print("\nboard   {}\nThe seed was {}.\n", shown_path(out_ / (is_hidden ? kTruth : "") / "index.html"),
             secrets_.seed);
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
      ->type_name("DIR");
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
  command->add_flag("--reveal", options->reveal, "End the freeze: publish the newest board as it is");
  command->add_option("--init", options->init.file, "Write a new file for --competition, and exit")->type_name("FILE");
  command->add_option("--task", options->init.task, "For --init: the task of the competition, or its lab")
      ->type_name("TASK")
      ->needs("--init");
  command
      ->add_option("--opens", options->init.opens,
                   "For --init: when the competition opens (default: next Monday, 8:00)")
      ->type_name("DATE")
      ->needs("--init");
  command->callback([options, &exit_code] {
    const auto require = [](const char* name, const std::string& value) {
      if (value.empty()) throw CLI::RequiredError(name);
    };
    if (!options->init.file.empty()) {
      require("--task", options->init.task);
    } else {
      const bool is_new = options->as_of.empty() && !options->reveal;
      if (is_new) require("--competition", options->competition);
      if (is_new) require("--submissions", options->submissions);
      require("--out", options->out);
    }
    exit_code = options->init.file.empty() ? BoardCommand(*options).run() : write_new_competition(options->init);
  });
}

}  // namespace lanewise
