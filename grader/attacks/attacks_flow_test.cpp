// `lanewise grade` over a class in which nearly everybody attacks: nobody gains a point, harms another or leaves
// anything behind, and what happened is said.
#include <nlohmann/json.hpp>

#include "grader/attacks/class_under_attack_test.h"
#include "grader/attacks/verdict_words_test.h"
#include "grader/class/csv.h"
#include "grader/solutions/expectation.h"
#include "harness/report/json_report.h"

namespace lanewise::attacks_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTables[] = {"grades.csv", "canvas.csv", "moodle.csv"};
constexpr std::uintmax_t kMostOfARun = 64 << 20;  // bytes of all that a run leaves in --out

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

CsvTable table_of(const fs::path& file) {
  auto table = read_csv(file);
  EXPECT_TRUE(table) << table.sentence();
  return table ? *table : CsvTable();
}

std::size_t column_of(const CsvTable& table, const std::string& heading) {
  const std::vector<std::string>& headings = table.rows.at(0).cells;
  const auto found = std::find(headings.begin(), headings.end(), heading);
  EXPECT_NE(found, headings.end()) << heading;
  return static_cast<std::size_t>(found - headings.begin());
}

// What of a text could act on a terminal or change what is read; empty if nothing.
std::string harm_in(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());  // throws at what is no valid text
  } catch (const nlohmann::json::exception& error) {
    return error.what();
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::string three = text.substr(i, 3);
    const bool is_control = (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r') || byte == 0x7f ||
                            (three.substr(0, 1) == "\xc2" && three.size() > 1 && (three[1] & 0x60) == 0);
    const bool turns_around =
        (three >= "\xe2\x80\xaa" && three <= "\xe2\x80\xae") || (three >= "\xe2\x81\xa6" && three <= "\xe2\x81\xa9");
    if (is_control || turns_around) return "at " + std::to_string(i) + ": " + text.substr(i < 40 ? 0 : i - 40, 60);
  }
  return "";
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.", text[0] == '-' ? 1 : 0) == std::string::npos;
}

TEST_F(ClassUnderAttack, EverySubmissionGetsWhatItDeclaresAndNoPointMoreThanHonestWork) {
  const auto honest = verdict_of(kAttacked, "honest");
  ASSERT_TRUE(honest);
  EXPECT_GT(honest->points, 0);
  for (const HostileSource& source : shared->sources) {
    SCOPED_TRACE(source.name);
    const auto expectation = parse_expectation(source.expect);
    ASSERT_TRUE(expectation) << expectation.sentence();
    const auto verdict = verdict_of(kAttacked, source.name);
    ASSERT_TRUE(verdict) << "there is no verdict";
    const Outline outline = outline_of(verdict->tasks[0]);
    EXPECT_TRUE(outline == expectation->outline)
        << "declared: " << describe(expectation->outline) << "\nactual: " << describe(outline) << "\n"
        << words_of(*verdict).substr(0, 2000);
    EXPECT_LE(verdict->points, honest->points);
    EXPECT_EQ(verdict->max_points, honest->max_points);
    if (expectation->outline.worst != Worst::kRight) {
      EXPECT_LT(verdict->points, honest->points);
    }
    EXPECT_TRUE(!source.says.empty() || outline.worst == Worst::kRight) << "it has to say what happened";
    EXPECT_TRUE(contains(words_of(*verdict), source.says)) << words_of(*verdict).substr(0, 2000);
  }
}

TEST_F(ClassUnderAttack, EveryHandInIsListedWithWhatHappened) {
  const CsvTable grades = table_of(root() / kAttacked / "grades.csv");
  const std::size_t points = column_of(grades, "points");
  const std::size_t came_from = column_of(grades, "came from");
  std::string overview = content_of(root() / kAttacked / "index.html");
  if (fs::exists(root() / kAttacked / "set-aside.txt")) overview += content_of(root() / kAttacked / "set-aside.txt");
  const double honest = verdict_of(kAttacked, "honest")->points;
  for (const Recipe& recipe : shared->recipes) {
    std::size_t graded = 0;
    for (const CsvRow& row : grades.rows) {
      if (!contains(row.cells.at(came_from), recipe.name) || !is_number(row.cells.at(points))) continue;
      ++graded;
      EXPECT_LE(std::stod(row.cells[points]), honest) << recipe.name;
    }
    EXPECT_EQ(graded, recipe.graded) << recipe.name;
    EXPECT_TRUE(contains(overview, recipe.says)) << recipe.name << ": " << recipe.says;
  }
}

TEST_F(ClassUnderAttack, HonestGradesAreWhatTheyAreWithoutTheAttackers) {
  for (const char* const table : kTables) {
    const CsvTable alone = table_of(root() / kAlone / table);
    const CsvTable attacked = table_of(root() / kAttacked / table);
    for (const CsvRow& row : alone.rows)
      EXPECT_EQ(std::count_if(attacked.rows.begin(), attacked.rows.end(),
                              [&](const CsvRow& other) { return other.cells == row.cells; }),
                1)
          << table << ": " << nlohmann::json(row.cells).dump();
  }
  // And nobody's work came to be theirs.
  const CsvTable grades = table_of(root() / kAttacked / "grades.csv");
  for (const char* const student : {"ada", "bob", "zoe"})
    EXPECT_EQ(std::count_if(grades.rows.begin(), grades.rows.end(),
                            [&](const CsvRow& row) { return row.cells.at(0) == student; }),
              1)
        << student;
  for (const char* const student : {"ada", "bob"}) {
    const auto alone = verdict_of(kAlone, student);
    const auto attacked = verdict_of(kAttacked, student);
    ASSERT_TRUE(alone && attacked) << student;
    EXPECT_EQ(json_report({*attacked}), json_report({*alone})) << student;
  }
}

TEST_F(ClassUnderAttack, NothingIsLeftBehind) {
  EXPECT_FALSE(shared->alone.leaves_processes);
  EXPECT_FALSE(shared->attacked.leaves_processes);
  EXPECT_EQ(files_outside(), shared->before);
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root() / kAttacked)) {
    const fs::file_type type = entry.symlink_status().type();
    EXPECT_TRUE(type == fs::file_type::regular || type == fs::file_type::directory) << entry.path();
    if (type == fs::file_type::regular) bytes += entry.file_size();
  }
  EXPECT_LE(bytes, kMostOfARun);
}

TEST_F(ClassUnderAttack, NothingOfTheirsActsOnTerminalsOrPages) {
  EXPECT_EQ(harm_in(shared->attacked.text), "");
  std::size_t pages = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root() / kAttacked)) {
    const std::string extension = entry.path().extension();
    const std::string first = fs::relative(entry.path(), root() / kAttacked).begin()->string();
    // Copies of what was handed in are what was handed in.
    if (!entry.is_regular_file() || first == "sources" || first == "hand-ins" || extension.rfind(".db", 0) == 0)
      continue;
    const std::string text = content_of(entry.path());
    EXPECT_EQ(harm_in(text), "") << entry.path();
    EXPECT_FALSE(contains(text, "root:x:0")) << entry.path();
    if (extension != ".html") continue;
    ++pages;
    for (const char* const markup : {"<xattack", "<script>xattack", "<script>x-attack", "<script>alert('x-attack",
                                     "<b>x-attack", "\" onmouseover=\"xattack"})
      EXPECT_FALSE(contains(text, markup)) << entry.path() << ": " << markup;
  }
  EXPECT_GT(pages, shared->sources.size());
}

TEST_F(ClassUnderAttack, NoCellIsAFormula) {
  for (const char* const name : kTables)
    for (const CsvRow& row : table_of(root() / kAttacked / name).rows)
      for (const std::string& cell : row.cells) {
        const std::size_t begin = cell.find_first_not_of(" \"\t");
        if (begin == std::string::npos || is_number(cell)) continue;
        EXPECT_EQ(std::string("=+-@\r").find(cell[begin]), std::string::npos) << name << ": " << cell;
      }
}

// By a program that is not ours: what it read and wrote again holds the same cells.
TEST_F(ClassUnderAttack, TablesSurviveBeingImportedAndExported) {
  for (const char* const name : kTables) {
    const fs::path file = root() / kAttacked / name;
    ProcessOptions options;
    options.command = {"/usr/bin/sqlite3", ":memory:",       ".mode csv", ".import " + file.string() + " t",
                       ".headers on",      "SELECT * FROM t"};
    options.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
    if (!fs::exists(options.command[0])) GTEST_SKIP() << "sqlite3 is not there; scripts/prepare.sh test installs it";
    const auto finished = run_to_end(options, std::chrono::minutes(1), 16 << 20);
    ASSERT_TRUE(finished) << finished.sentence();
    ASSERT_TRUE(finished->succeeded()) << finished->output;
    const CsvTable before = table_of(file);
    const auto after = parse_csv(finished->output, name);
    ASSERT_TRUE(after) << after.sentence();
    ASSERT_EQ(after->rows.size(), before.rows.size()) << name;
    for (std::size_t i = 0; i < before.rows.size(); ++i) EXPECT_EQ(after->rows[i].cells, before.rows[i].cells) << name;
  }
}

TEST_F(ClassUnderAttack, BombsAreGradedAndKeptLikeAllOthers) {
  const auto bomb = verdict_of(kAttacked, kBomb);
  ASSERT_TRUE(bomb);
  EXPECT_EQ(bomb->tasks[0].state, TaskState::kCompileError);
  EXPECT_TRUE(contains(bomb->tasks[0].message, "wrote more than is allowed for compiling")) << bomb->tasks[0].message;
  EXPECT_EQ(bomb->points, 0);
  EXPECT_GT(bomb->max_points, 0);
  const Outcome again = grade(kAttacked, {"--resume"});
  EXPECT_EQ(again.exit_code, 0) << again.text;
  EXPECT_TRUE(contains(again.text, "Graded now: 0;")) << again.text;
}

TEST_F(ClassUnderAttack, WithoutASandboxNothingIsGradedUnlessThatIsAskedFor) {
  const Outcome refused = grade("refused", {}, (root() / "tmp").string());  // where there is no bwrap
  EXPECT_EQ(refused.exit_code, 3) << refused.text;
  EXPECT_TRUE(contains(refused.text, "bwrap was not found")) << refused.text;
  EXPECT_TRUE(contains(refused.text, "--no-sandbox")) << refused.text;
  EXPECT_FALSE(fs::exists(root() / "refused"));
}

}  // namespace
}  // namespace lanewise::attacks_flow_test
