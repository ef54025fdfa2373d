// `lanewise board` as an instructor uses it, over a made-up class on the virtual GPU.
#include <fmt/chrono.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "grader/board/race_tracks.h"
#include "grader/store/folder_lock.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/declared/known_labs.h"
#include "harness/lab/read_file.h"
#include "harness/runner/process.h"

namespace lanewise::board_flow_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::chrono::minutes kGenerous(5);
constexpr int kDaysAYear = 366;
constexpr std::uintmax_t kLargestFile = 64 << 20;

class BoardFlow : public ::testing::Test {
 protected:
  struct Outcome {
    int exit_code = -1;
    std::string text;
  };

  BoardFlow() {
    put("race.toml", "title = \"Vectors\"\n[[task]]\nlab = \"vecadd\"\ntask = \"vec_add_device\"\n");
    put("roster.csv",
        "id,name,nickname\nann,Ann Ash,Reference!\nbob,Bob Beech,<b>Naive</b>\ncem,Cem Cedar,In between\n"
        "dee,Dee Dogwood,Minus\neve,Eve Elm,\nfay,Fay Fir,Late\n");
  }

  fs::path root() const { return folder_->path(); }
  fs::path out() const { return root() / "board"; }

  void put(const fs::path& name, const std::string& content) const {
    fs::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << content;
  }

  void hand_in(const std::string& student, const std::string& solution) const {
    const fs::path source = fs::path(LANEWISE_SOLUTIONS_FOLDER) / "vecadd" / "vec_add_device" / solution;
    const auto text = read_file(source, kLargestFile);
    ASSERT_TRUE(text) << text.sentence();
    put(fs::path("in") / student / "vecadd.cu", *text);
  }

  void set_age(const std::string& student, int days) const {
    fs::last_write_time(root() / "in" / student / "vecadd.cu",
                        fs::file_time_type::clock::now() - days * std::chrono::hours(24));
  }

  Outcome board(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"board",
                                          "--competition",
                                          (root() / "race.toml").string(),
                                          "--submissions",
                                          (root() / "in").string(),
                                          "--roster",
                                          (root() / "roster.csv").string(),
                                          "--out",
                                          out().string(),
                                          "--backend",
                                          "vgpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return lanewise(arguments);
  }

  static Outcome lanewise(const std::vector<std::string>& arguments) {
    ProcessOptions options;
    options.command = {LANEWISE_EXECUTABLE};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TZ=UTC"};
    const auto finished = run_to_end(options, kGenerous, 1 << 20);
    if (!finished) return {-1, finished.sentence()};
    return {WIFEXITED(finished->status) ? WEXITSTATUS(finished->status) : -1, finished->output};
  }

  std::string file(const fs::path& name) const {
    const auto text = read_file(out() / name, kLargestFile);
    EXPECT_TRUE(text) << text.sentence();
    return text ? *text : "";
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const Json* mark_of(const Json& board, const std::string& kind) {
  for (const Json& mark : board.at("marks"))
    if (mark.at("kind") == kind) return &mark;
  return nullptr;
}

// Right and clean; each thread adds one element, in blocks so small that not enough of them are at work at a time.
constexpr const char* kSmallBlocks =
    "#include \"vecadd.cuh\"\n"
    "__global__ void add(const float* a, const float* b, float* c, std::size_t n) {\n"
    "  const std::size_t i = blockIdx.x * std::size_t{32} + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i] + b[i];\n}\n"
    "void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {\n"
    "  if (n > 0) add<<<static_cast<unsigned>((n + 31) / 32), 32>>>(d_a, d_b, d_c, n);\n}\n";

TEST_F(BoardFlow, AClassIsRankedByModelledTimeAndTheRestIsListedWithReasons) {
  hand_in("ann", "2_float4.cu");
  hand_in("bob", "1_one_element.cu");
  put("in/cem/vecadd.cu", kSmallBlocks);
  hand_in("dee", "wrong/subtracted.cu");
  hand_in("eve", "wrong/library_call.cu");
  const Outcome outcome = board({"--cases", "check"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_TRUE(has(outcome.text, "modelled on the h200 profile")) << outcome.text;
  EXPECT_TRUE(std::regex_search(outcome.text, std::regex("The seed was [0-9]{15,19}\\."))) << outcome.text;

  const Json json = Json::parse(file("standings.json"));
  EXPECT_EQ(json.at("is_modelled"), true);
  EXPECT_EQ(json.at("cases").at(0).at("case"), "two million");
  const Json& lines = json.at("standings");
  ASSERT_EQ(lines.size(), 5U) << lines.dump(2);
  EXPECT_EQ(lines[0].at("name"), "Reference!");
  EXPECT_EQ(lines[0].at("rank"), 1);
  EXPECT_NEAR(lines[0].at("ratio").at("median").get<double>(), 1, 0.01);
  EXPECT_EQ(lines[1].at("name"), "<b>Naive</b>");
  EXPECT_EQ(lines[1].at("rank"), 2);
  const Json* const naive = mark_of(json, "naive step");
  ASSERT_NE(naive, nullptr);
  EXPECT_NEAR(lines[1].at("ratio").at("median").get<double>(), naive->at("ratio").get<double>(), 0.01)
      << "the same file, modelled by lanewise bench";
  EXPECT_NE(mark_of(json, "reference step"), nullptr);
  EXPECT_NE(mark_of(json, "roof"), nullptr);
  EXPECT_EQ(lines[2].at("name"), "In between");
  EXPECT_EQ(lines[2].at("rank"), 3);
  EXPECT_EQ(lines[3].at("name"), "Minus");
  EXPECT_EQ(lines[3].at("state"), "wrong");
  EXPECT_EQ(lines[4].at("name"), "anonymous 1");
  EXPECT_EQ(lines[4].at("state"), "refused");
  EXPECT_FALSE(lines[4].at("reason").get<std::string>().empty());

  const std::string page = file("index.html");
  EXPECT_TRUE(has(page, "&lt;b&gt;Naive&lt;/b&gt;"));
  EXPECT_FALSE(has(page, "<b>Naive"));
  EXPECT_FALSE(has(page, "Bob Beech")) << "boards have nicknames alone";
  EXPECT_TRUE(has(page, "mark-roof"));
  EXPECT_TRUE(has(file("private/entrants.csv"), "2,<b>Naive</b>,bob,"));
  // Nothing is left beside the board.
  std::vector<std::string> beside;
  for (const fs::directory_entry& entry : fs::directory_iterator(root())) beside.push_back(entry.path().filename());
  EXPECT_EQ(beside.size(), 4U) << "board, in, race.toml, roster.csv";

  // A second board replaces the first one whole; this time the slow one has the clearest code by far.
  for (const char* const gone : {"ann", "dee", "eve"}) fs::remove_all(root() / "in" / gone);
  put("clarity.csv", "id,points\nbob,1\ncem,10\n");
  put("race.toml",
      "title = \"Vectors\"\nclarity = \"clarity.csv\"\n[weights]\ntime = 1\nclarity = 9\n[[task]]\nlab = \"vecadd\"\n"
      "task = \"vec_add_device\"\n");
  put("board/left.over", "of the first board");
  const Outcome second = board({"--cases", "check"});
  ASSERT_EQ(second.exit_code, 0) << second.text;
  const Json after = Json::parse(file("standings.json"));
  ASSERT_EQ(after.at("standings").size(), 2U);
  EXPECT_EQ(after.at("standings")[0].at("name"), "In between") << after.dump(2);
  EXPECT_EQ(after.at("standings")[1].at("name"), "<b>Naive</b>");
  EXPECT_FALSE(fs::exists(out() / "left.over"));
}

TEST_F(BoardFlow, EarlierBoardsAreRememberedComparedWithAndShownAgain) {
  put("race.toml",
      "title = \"Vectors\"\nends = 2090-01-01T00:00:00Z\n[[task]]\nlab = \"vecadd\"\ntask = \"vec_add_device\"\n");
  put("in/ann/vecadd.cu", kSmallBlocks);
  hand_in("bob", "1_one_element.cu");
  set_age("ann", 9);
  set_age("bob", 8);
  const Outcome first = board({"--cases", "check"});
  ASSERT_EQ(first.exit_code, 0) << first.text;
  EXPECT_TRUE(has(first.text, "There is no earlier board")) << first.text;
  const Json before = Json::parse(file("standings.json"));
  EXPECT_FALSE(has(file("index.html"), "id=\"history\""));

  // That was a week ago. The file's name is a date as well: the next board, made in the same second, would replace it.
  const fs::path rounds = out() / "private" / "rounds";
  const fs::path round = rounds / "a_week_ago.json";
  fs::rename(fs::directory_iterator(rounds)->path(), round);
  Json kept = Json::parse(file(round));
  kept["made"] = kept["made"].get<std::int64_t>() - 7 * 86'400;
  put(round, kept.dump());
  hand_in("ann", "2_float4.cu");
  hand_in("cem", "2_float4.cu");
  hand_in("eve", "2_float4.cu");
  set_age("cem", -20 * kDaysAYear);
  set_age("eve", -70 * kDaysAYear);
  const Outcome second = board({"--cases", "check"});
  ASSERT_EQ(second.exit_code, 0) << second.text;
  EXPECT_TRUE(std::regex_search(second.text, std::regex("1, shared +(▲1|\\+1) +Reference! +ann"))) << second.text;
  EXPECT_TRUE(has(second.text, "set aside: eve: submitted after the end of the competition")) << second.text;
  const Json after = Json::parse(file("standings.json"));
  const Json& lines = after.at("standings");
  ASSERT_EQ(lines.size(), 3U) << lines.dump(2);
  EXPECT_EQ(lines[1].at("name"), "Reference!");
  EXPECT_EQ(lines[1].at("ranks_gained"), 1);
  EXPECT_FALSE(lines[1].at("submitted").is_null());
  ASSERT_EQ(lines[1].at("history").size(), 2U);
  EXPECT_EQ(lines[1].at("history")[0].at("rank"), 2);
  EXPECT_EQ(lines[0].at("name"), "In between");
  EXPECT_TRUE(lines[0].at("ranks_gained").is_null()) << "new";
  EXPECT_TRUE(lines[0].at("submitted").is_null()) << "nobody submits after the board is made";
  EXPECT_EQ(lines[2].at("name"), "<b>Naive</b>");
  EXPECT_EQ(lines[2].at("ranks_gained"), -2);
  const std::string page = file("index.html");
  EXPECT_TRUE(has(page, "ends 2090-01-01 00:00 UTC"));
  EXPECT_TRUE(has(page, "id=\"history\""));

  // The first board again, from its date alone; the public one stays.
  const std::string date = after.at("since");
  for (const std::string& written : {date, date.substr(0, 10) + " " + date.substr(11, 5) + " UTC"}) {
    const Outcome again = lanewise({"board", "--as-of", written, "--out", out().string()});
    ASSERT_EQ(again.exit_code, 0) << again.text;
    EXPECT_TRUE(has(again.text, "private/as-of/index.html")) << again.text;
    const Json then = Json::parse(file("private/as-of/standings.json"));
    EXPECT_EQ(then.at("made"), date);
    EXPECT_EQ(then.at("cases"), before.at("cases"));
    for (const std::size_t i : {0U, 1U})
      for (const char* const key : {"name", "rank", "ratio", "submitted", "times"})
        EXPECT_EQ(then.at("standings")[i].at(key), before.at("standings")[i].at(key)) << key;
    EXPECT_EQ(file("index.html"), page);
  }
  const Outcome too_early = lanewise({"board", "--as-of", "2001-01-01T00:00:00Z", "--out", out().string()});
  EXPECT_EQ(too_early.exit_code, 2);
  EXPECT_TRUE(has(too_early.text, "the first board was made on " + date.substr(0, 10))) << too_early.text;
  const Outcome no_zone = lanewise({"board", "--as-of", "2026-11-22 19:40", "--out", out().string()});
  EXPECT_EQ(no_zone.exit_code, 2);
  EXPECT_TRUE(has(no_zone.text, "is not a date with its time and time zone")) << no_zone.text;

  put(round, "{");
  const Outcome damaged = board({"--cases", "check"});
  EXPECT_EQ(damaged.exit_code, 3);
  EXPECT_TRUE(has(damaged.text, "this is not an earlier board")) << damaged.text;
  EXPECT_EQ(file("index.html"), page);
}

TEST_F(BoardFlow, DuringAFreezeTheClassSeesNothingNewUntilItIsRevealed) {
  const auto minutes_on = [](int minutes) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr) + 60 * minutes));
  };
  const auto compete = [&](const std::string& freeze) {
    put("race.toml", "title = \"Vectors\"\nprofile = \"h200\"\nfreeze = " + freeze +
                         "\n[[task]]\nlab = \"vecadd\"\ntask = \"vec_add_device\"\n");
    const Outcome outcome = board({"--cases", "check"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    return outcome.text;
  };
  const auto seen = [&] {
    std::map<std::string, std::string> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(out()))
      if (entry.is_regular_file()) files[entry.path().filename()] = file(entry.path());
    return files;
  };
  put("in/ann/vecadd.cu", kSmallBlocks);
  hand_in("bob", "1_one_element.cu");
  EXPECT_FALSE(has(compete(minutes_on(60)), "Frozen"));
  const fs::path rounds = out() / "private" / "rounds";
  const fs::path round = fs::directory_iterator(rounds)->path();
  Json kept = Json::parse(file(round));
  kept["made"] = kept["made"].get<std::int64_t>() - 3600;
  put(round, kept.dump());
  fs::rename(round, rounds / "an_hour_ago.json");

  const std::string frozen = minutes_on(-30);
  const std::string text = compete(frozen);
  EXPECT_TRUE(has(text, "Frozen: the class still sees the standings of ")) << text;
  EXPECT_TRUE(has(text, "board/private/now/index.html")) << text;
  const auto before = seen();
  EXPECT_EQ(before.size(), 5U) << "index.html with its style and script, standings.json, version.json";
  EXPECT_TRUE(has(before.at("index.html"), "Frozen since"));
  hand_in("ann", "2_float4.cu");
  hand_in("cem", "2_float4.cu");
  EXPECT_TRUE(has(compete(frozen), "Reference!")) << "the instructor sees it";
  EXPECT_TRUE(has(file("private/now/index.html"), "Reference!"));
  EXPECT_TRUE(has(file("private/entrants.csv"), "In between"));
  EXPECT_EQ(seen(), before) << "byte for byte";
  EXPECT_LT(fs::last_write_time(out() / "standings.json"), fs::last_write_time(rounds / "an_hour_ago.json"))
      << "and to the date";

  const Outcome reveal = lanewise({"board", "--reveal", "--out", out().string()});
  ASSERT_EQ(reveal.exit_code, 0) << reveal.text;
  const Json after = Json::parse(file("standings.json"));
  EXPECT_EQ(after.at("standings").size(), 3U);
  EXPECT_TRUE(after.at("frozen").is_null());
  EXPECT_FALSE(fs::exists(out() / "private" / "now"));
  EXPECT_EQ(std::distance(fs::directory_iterator(rounds), fs::directory_iterator()), 3);
  EXPECT_FALSE(has(compete(frozen), "Frozen")) << "what is revealed stays so";
  EXPECT_EQ(Json::parse(file("standings.json")).at("standings").size(), 3U);
}

TEST_F(BoardFlow, ANewCompetitionIsWrittenOnceAndRaces) {
  const std::string toml = (root() / "new.toml").string();
  const Outcome init =
      lanewise({"board", "--init", toml, "--task", "vec_add_device", "--opens", "2020-01-06T08:00:00+01:00"});
  ASSERT_EQ(init.exit_code, 0) << init.text;
  const Outcome twice = lanewise({"board", "--init", toml, "--task", "scan"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_TRUE(has(twice.text, "the file exists already")) << twice.text;
  const Outcome which = lanewise({"board", "--init", toml + "2", "--task", "vecadd"});
  EXPECT_EQ(which.exit_code, 2);
  EXPECT_TRUE(has(which.text, "the lab vecadd has several tasks; name one of ")) << which.text;

  put("race.toml", std::regex_replace(*read_file(toml, kLargestFile), std::regex("_day = 3"), "_day = 1"));
  for (const char* const student : {"ann", "bob"})
    for (const int attempt : {1, 2})
      put(fmt::format("in/{}/attempt_{}/vecadd.cu", student, attempt), kSmallBlocks + fmt::format("// {}\n", attempt));
  put("in/submissions.csv",
      "student,submitted,attempt\nann,2020-01-08T10:00:00+01:00,1\nann,2020-01-08T23:30:00+01:00,2\n"
      "bob,2020-01-06T07:59:00+01:00,1\nbob,2020-01-09T00:30:00+01:00,2\n");
  const Outcome raced = board({"--cases", "check"});
  ASSERT_EQ(raced.exit_code, 0) << raced.text;
  EXPECT_TRUE(has(raced.text, "number 2 of that day; the limit is 1")) << raced.text;
  EXPECT_TRUE(has(raced.text, "submitted before the competition opened")) << raced.text;
  EXPECT_TRUE(has(file("index.html"), "1 not counted: 2020-01-08 22:30 UTC (number 2 of that day; the limit is 1)"));
  EXPECT_TRUE(has(file("index.html"), "ended 2020-01-26 23:59 UTC"));
}

TEST_F(BoardFlow, OnlyABoardShownAgainNeedsNoSubmissions) {
  const Outcome nothing = lanewise({"board", "--out", out().string()});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_TRUE(has(nothing.text, "--competition is required")) << nothing.text;
  const Outcome no_board = lanewise({"board", "--as-of", "2026-11-22T19:40:00Z", "--out", out().string()});
  EXPECT_EQ(no_board.exit_code, 2);
  EXPECT_TRUE(has(no_board.text, "there is no board")) << no_board.text;
}

TEST_F(BoardFlow, TheSecretSeedAndHiddenCasesDecideWhoMayRace) {
  // Right at all cases but those with exactly 3079 elements.
  std::string source = kSmallBlocks;
  source.replace(source.find("n > 0"), 5, "n > 0 && n != 3079");
  put("in/fay/vecadd.cu", source);
  put("secret.toml",
      "seed = 77\n[[case]]\nlab = \"vecadd\"\ntask = \"vec_add_device\"\nname = \"kept back\"\n"
      "make = { n = 3079, low = 0.0, high = 3.0 }\npoints = 4\nwhy = \"a prime\"\n");
  const Outcome outcome = board({"--seed-file", (root() / "secret.toml").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_TRUE(has(outcome.text, "The seed was 77.")) << outcome.text;
  const Json json = Json::parse(file("standings.json"));
  EXPECT_EQ(json.at("standings").at(0).at("state"), "wrong");
  EXPECT_FALSE(has(json.dump(), "kept back")) << "hidden cases stay hidden";
  EXPECT_FALSE(has(json.dump(), "seed"));
  EXPECT_TRUE(has(file("index.html"), "Nobody has a rank yet."));
}

TEST_F(BoardFlow, WhatMakesNoSenseIsSaidAndNothingIsWritten) {
  EXPECT_EQ(board().exit_code, 2) << "nothing was handed in";
  put("in/ann/vecadd.cu", kSmallBlocks);
  put("race.toml", "title = \"x\"\n[[task]]\nlab = \"vecad\"\n");
  const Outcome misspelt = board();
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_TRUE(has(misspelt.text, "race.toml:3: there is no lab 'vecad'")) << misspelt.text;
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(BoardFlow, TwoAtOnceLoseNoRound) {
  put("in/ann/vecadd.cu", kSmallBlocks);
  put("board/standings.json", "{}");
  fs::create_directory(out() / "private");
  {
    const auto other = FolderLock::take(out() / "private" / ".lock", "");
    ASSERT_TRUE(other) << other.sentence();
    const Outcome outcome = board();
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_TRUE(has(outcome.text, "board is in use by another lanewise (process ")) << outcome.text;
  }
  EXPECT_EQ(file("standings.json"), "{}");
}

TEST_F(BoardFlow, FoldersThatHoldSomethingElseAreLeftAlone) {
  put("in/ann/vecadd.cu", kSmallBlocks);
  put("board/thesis.tex", "years of work\n");
  const Outcome outcome = board();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(has(outcome.text, "the folder holds something else")) << outcome.text;
  EXPECT_TRUE(fs::exists(out() / "thesis.tex"));
}

// What races on a GPU, on the virtual one: the numbers mean nothing, the way they take is the same.
TEST(BoardRace, EntriesAreBuiltAuditedAndTimedBesideTheReference) {
  const Installation installation = find_installation(LANEWISE_EXECUTABLE);
  const auto labs = known_labs(installation);
  ASSERT_TRUE(labs) << labs.sentence();
  auto selected = select_labs(*labs, {"vec_add_device"});
  ASSERT_TRUE(selected) << selected.sentence();
  std::string case_name;  // a small one
  for (TaskFile& task : selected->at(0).file.tasks)
    if (task.name == "vec_add_device") {
      task.cases.front().group = "race";
      case_name = task.cases.front().name;
    }
  const auto workplace = open_workplace(installation, BackendChoice::kVgpu);
  ASSERT_TRUE(workplace) << workplace.sentence();

  const fs::path solutions = fs::path(LANEWISE_SOLUTIONS_FOLDER) / "vecadd" / "vec_add_device";
  GradedClass graded;
  Board board;
  for (const char* const source : {"2_float4.cu", "1_one_element.cu", "wrong/library_call.cu", "wrong/subtracted.cu"}) {
    GradedStudent& student = graded.students.emplace_back();
    student.student.id = source;
    GradedAttempt& attempt = student.attempts.emplace_back();
    attempt.lab = "vecadd";
    attempt.source = solutions / source;
    attempt.verdict.emplace();
    attempt.is_counted = true;
    BoardEntry& entry = board.entries.emplace_back();
    entry.id = entry.name = source;
  }
  Competition competition;
  competition.tasks = {{"vecadd", "vec_add_device", {case_name}, ""}};
  const RaceTracksRequest request{&competition, &*selected, &graded, &*workplace, 7};
  auto tracks = race_tracks(request, board);
  ASSERT_TRUE(tracks) << tracks.sentence();
  ASSERT_EQ(tracks->size(), 1U);
  EXPECT_EQ(board.entries[2].state, EntryState::kRefused) << "by the audit";

  tracks->front().timing.most = std::chrono::milliseconds(300);
  tracks->front().timing.setup.warm_up = 0.01;
  const auto failure = race(*tracks, {}, board);
  ASSERT_FALSE(failure) << failure->sentence;
  for (const std::size_t right : {0U, 1U}) {
    EXPECT_EQ(board.entries[right].state, EntryState::kFit) << board.entries[right].reason;
    ASSERT_EQ(board.entries[right].times.size(), 1U);
    const PairedRatio& ratio = board.entries[right].times[0].ratio;
    EXPECT_GT(ratio.low, 0);
    EXPECT_LE(ratio.low, ratio.value);
    EXPECT_LE(ratio.value, ratio.high);
  }
  EXPECT_EQ(board.entries[3].state, EntryState::kNotTimed) << "its sums are wrong while it is timed, too";
  EXPECT_FALSE(board.device.empty());
  EXPECT_GT(board.cases.at(0).reference_milliseconds, 0);
}

}  // namespace
}  // namespace lanewise::board_flow_test
