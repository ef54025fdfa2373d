// Everything is taken from the tests and states in json_report's text, so that all platforms say the same.
#include "harness/report/platform_results.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/lab/read_file.h"
#include "harness/report/base64.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = 900'000;  // PrairieLearn's limit is 1 MB

// A visible test: "lab · task · part", or "lab · not graded" without points.
struct Row {
  std::string lab, task, part, output;
  double points = 0;
  double max_points = 0;
  bool has_points = false;
  bool passed = false;

  std::string name() const { return fmt::format("{} · {}{}{}", lab, task, part.empty() ? "" : " · ", part); }
};

std::vector<Row> rows_of(const Json& report) {
  constexpr std::string_view kBetween = " · ";
  std::vector<Row> rows;
  for (const Json& test : report.at("tests")) {
    if (test.at("visibility") != "visible") continue;
    Row& row = rows.emplace_back();
    const std::string name = test.at("name");
    const std::size_t first = name.find(kBetween);
    const std::size_t last = name.rfind(kBetween);
    row.lab = name.substr(0, first);
    if (last > first) {
      row.task = name.substr(first + kBetween.size(), last - first - kBetween.size());
      row.part = name.substr(last + kBetween.size());
    } else {
      row.task = name.substr(first + kBetween.size());
    }
    row.output = test.at("output");
    row.has_points = test.contains("score");
    if (row.has_points) {
      row.points = rounded_points(test.at("score"));
      row.max_points = rounded_points(test.at("max_score"));
    }
    row.passed = test.at("status") == "passed";
  }
  return rows;
}

double points_in(const std::vector<Row>& rows) {
  double points = 0;
  for (const Row& row : rows) points += row.points;
  return points;
}

double fraction_in(const std::vector<Row>& rows) {
  double most = 0;
  for (const Row& row : rows) most += row.max_points;
  return most > 0 ? std::clamp(points_in(rows) / most, 0.0, 1.0) : 0;
}

// What a submission printed need not be UTF-8.
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string gradescope(const std::string& report, const fs::path& /*pictures*/, const Variables& /*variables*/) {
  return report;
}

std::string autolab(const std::string& report, const fs::path& /*pictures*/, const Variables& /*variables*/) {
  const std::vector<Row> rows = rows_of(Json::parse(report));
  Json stages = {{"_presentation", "semantic"}, {"stages", Json::array()}};
  std::map<std::string, Json> labs;  // points, or "-", which Autolab leaves open
  for (const Row& row : rows) {
    const std::string stage = fmt::format("{} · {}", row.lab, row.task);
    if (!stages.contains(stage)) stages["stages"].push_back(stage);
    Json test = {{"passed", row.passed}};
    if (!row.passed) test["hint"] = row.output;
    stages[stage][row.part.empty() ? "why" : row.part] = std::move(test);
    Json& lab = labs[row.lab];
    if (row.has_points)
      lab = rounded_points((lab.is_number() ? lab.get<double>() : 0) + row.points);
    else
      lab = "-";
  }
  Json scores = Json::object();
  Json board = {rounded_points(points_in(rows))};
  for (const auto& [lab, points] : labs) {
    if (points.is_number()) scores[lab] = points;
    board.push_back(points);
  }
  return text_of(stages, -1) + "\n" + text_of({{"scores", scores}, {"scoreboard", board}}, -1) + "\n";
}

// Pictures of wrong cases, in the order of the cases; as many as there is room for.
Json images_of(const Json& report, const fs::path& pictures, std::size_t room) {
  Json images = Json::array();
  for (const Json& verdict : report.at("extra_data").at("verdicts"))
    for (const Json& task : verdict.at("tasks"))
      for (const Json& each : task.at("cases")) {
        if (each.at("group") == "grade") continue;  // hidden
        for (const std::string picture : each.at("pictures")) {
          const auto content = read_file(pictures / task.at("lab").get<std::string>() / picture, room * 3 / 4);
          if (!content) continue;
          const std::string url = "data:image/png;base64," + base64(*content);
          if (url.size() > room) continue;
          room -= url.size();
          images.push_back(
              {{"label", fmt::format("{} · {}: {}", task.at("task").get<std::string>(),
                                     each.at("name").get<std::string>(), fs::path(picture).stem().string())},
               {"url", url}});
        }
      }
  return images;
}

std::string prairielearn(const std::string& text, const fs::path& pictures, const Variables& /*variables*/) {
  const Json report = Json::parse(text);
  const std::vector<Row> rows = rows_of(report);
  Json errors = Json::array();
  bool is_gradable = false;
  for (const Json& verdict : report.at("extra_data").at("verdicts"))
    for (const Json& task : verdict.at("tasks")) {
      if (task.at("state") == "graded" || task.at("state") == "not_started") is_gradable = true;
      const std::string message = task.at("message");
      if (!message.empty() && (errors.empty() || errors.back() != safe_text(message)))
        errors.push_back(safe_text(message));
    }
  for (const Row& row : rows)
    if (!row.has_points) errors.push_back(row.output);
  if (!is_gradable) return text_of({{"gradable", false}, {"format_errors", errors}}, 2) + "\n";

  // Long outputs are shortened, so that all of them and at least one picture have room.
  const std::size_t share = kMostBytes / 3 / std::max<std::size_t>(rows.size(), 1);
  Json tests = Json::array();
  for (const Row& row : rows)
    tests.push_back({{"name", row.name()},
                     {"points", row.points},
                     {"max_points", row.max_points},
                     {"output", row.output.size() > share ? std::string(first_columns(row.output, share / 4)) + " …"
                                                          : row.output}});
  Json results = {{"gradable", true}, {"score", fraction_in(rows)}, {"tests", std::move(tests)}};
  const std::size_t used = text_of(results, 2).size();
  if (Json images = images_of(report, pictures, kMostBytes - std::min(used, kMostBytes)); !images.empty())
    results["images"] = std::move(images);
  return text_of(results, 2) + "\n";
}

std::string classroom50(const std::string& report, const fs::path& /*pictures*/, const Variables& variables) {
  Json tests = Json::array();
  std::int64_t score = 0;
  std::int64_t most = 0;
  for (const Row& row : rows_of(Json::parse(report))) {
    const std::int64_t possible = std::llround(row.max_points);
    const std::int64_t points = std::clamp<std::int64_t>(std::llround(row.points), 0, possible);
    score += points;
    most += possible;
    tests.push_back({{"test-name", row.name()},
                     {"passed", row.passed},
                     {"score", points},
                     {"max-score", possible},
                     {"output", row.output}});
  }
  Json result = {{"schema", "classroom50/result/v1"}};
  for (const auto& [key, variable] : {std::pair("classroom", "CLASSROOM"),
                                      {"assignment", "ASSIGNMENT"},
                                      {"assignment_type", "ASSIGNMENT_TYPE"},
                                      {"owner", "OWNER"},
                                      {"submission", "SUBMISSION_TAG"},
                                      {"commit", "COMMIT_URL"},
                                      {"release", "RELEASE_URL"},
                                      {"review", "REVIEW_URL"}})
    if (std::string value = variables(variable); !value.empty()) result[key] = std::move(value);
  if (!result.contains("review") && result.contains("commit")) result["review"] = result["commit"];
  result["datetime"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  result["score"] = score;
  result["max-score"] = most;
  result["tests"] = std::move(tests);
  return text_of(result, 2) + "\n";
}

std::string submitty(const std::string& report, const fs::path& /*pictures*/, const Variables& /*variables*/) {
  const std::vector<Row> rows = rows_of(Json::parse(report));
  const bool is_graded = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.has_points; });
  Json messages = Json::array();
  for (const Row& row : rows) {
    const std::string points =
        row.has_points ? fmt::format(": {} of {}", points_text(row.points), points_text(row.max_points)) : "";
    messages.push_back({{"message", row.name() + points + "\n" + row.output},
                        {"status", row.passed       ? "success"
                                   : row.has_points ? "failure"
                                                    : "warning"}});
  }
  // Without anything graded, the instructor's log says why; the student gets no zero without a reason.
  if (!is_graded && rows.empty()) return text_of({{"status", "failure"}, {"message", "nothing was graded"}}, 2) + "\n";
  return text_of({{"status", "success"}, {"data", {{"score", fraction_in(rows)}, {"message", messages}}}}, 2) + "\n";
}

}  // namespace

const std::vector<PlatformFormat>& platform_formats() {
  static const std::vector<PlatformFormat> kFormats = {
      {"gradescope", "results.json", gradescope},        {"autolab", "the last lines of stdout", autolab},
      {"prairielearn", "results.json", prairielearn},    {"classroom50", "result.json", classroom50},
      {"submitty", "validation_results.json", submitty},
  };
  return kFormats;
}

const PlatformFormat* platform_format(const std::string& name) {
  const auto& formats = platform_formats();
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const auto& each) { return each.name == name; });
  return found == formats.end() ? nullptr : &*found;
}

}  // namespace lanewise
