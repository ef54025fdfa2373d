#include "grader/commands/schedules.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace lanewise {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestQuote = 100;

/// Null if the text is no report with findings.
Json* findings_of(Json& report) {
  if (!report.is_object()) return nullptr;
  const auto found = report.find("findings");
  return found != report.end() && found->is_array() ? &*found : nullptr;
}

std::string key_of(const Json& finding) {
  return fmt::format("{}|{}|{}|{}", finding.value("tool", ""), finding.value("kind", ""), finding.value("file", ""),
                     finding.value("line", 0));
}

Json finding_with(const std::string& kind, const std::string& sentence, const std::string& advice) {
  return {{"tool", "schedules"}, {"kind", kind},         {"kernel", ""},        {"file", ""},
          {"line", 0},           {"block", {0, 0, 0}},   {"thread", {0, 0, 0}}, {"array", ""},
          {"index", 0},          {"sentence", sentence}, {"advice", advice},    {"count", 1}};
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) return fmt::format("is killed by signal {}", WTERMSIG(status));
  return fmt::format("exits with {}", WEXITSTATUS(status));
}

std::string in_quotes(const std::string& line) {
  return line.size() <= kLongestQuote ? "\"" + line + "\"" : "\"" + line.substr(0, kLongestQuote) + "…\"";
}

/// The first line in which two outputs differ.
std::string difference_between(const ScheduleRun& base, const ScheduleRun& other) {
  std::istringstream ours(base.output), theirs(other.output);
  const bool ours_ends = !base.output.empty() && base.output.back() == '\n';
  std::string our_line, their_line;
  for (int number = 1;; ++number) {
    const bool have_ours = static_cast<bool>(std::getline(ours, our_line));
    const bool have_theirs = static_cast<bool>(std::getline(theirs, their_line));
    if (have_ours && have_theirs && our_line == their_line) continue;
    if (!have_ours && !have_theirs)
      return fmt::format(
          "the last line that the program prints ends with a newline under schedule seed {} and not under seed {}",
          ours_ends ? base.seed : other.seed, ours_ends ? other.seed : base.seed);
    const auto said = [&](bool has, const std::string& line) { return has ? in_quotes(line) : "missing"; };
    return fmt::format("line {} of what the program prints is {} under schedule seed {} and {} under seed {}", number,
                       said(have_theirs, their_line), other.seed, said(have_ours, our_line), base.seed);
  }
}

}  // namespace

std::string report_on_schedules(const std::vector<ScheduleRun>& runs) {
  const ScheduleRun& base = runs.front();
  Json report = Json::parse(base.report, nullptr, false);
  Json own = Json::array();
  Json* const findings = findings_of(report) != nullptr ? findings_of(report) : &own;
  std::set<std::string> known;
  for (const Json& finding : *findings) known.insert(key_of(finding));
  bool output_differs = false, end_differs = false;
  for (std::size_t n = 1; n < runs.size(); ++n) {
    const ScheduleRun& run = runs[n];
    Json other = Json::parse(run.report, nullptr, false);
    if (const Json* const found = findings_of(other))
      for (Json finding : *found) {
        if (!known.insert(key_of(finding)).second) continue;
        if (finding.value("tool", "") != "schedules")
          finding["sentence"] = fmt::format("under schedule seed {}: {}", run.seed, finding.value("sentence", ""));
        findings->push_back(std::move(finding));
      }
    if (!end_differs && run.status != base.status) {
      end_differs = true;
      findings->push_back(finding_with("exit code depends on the schedule",
                                       fmt::format("the program {} under schedule seed {}, and {} under seed {}",
                                                   end_of(run.status), run.seed, end_of(base.status), base.seed),
                                       ""));
    }
    if (!output_differs && !run.prints_the_same && run.output != base.output) {
      output_differs = true;
      findings->push_back(
          finding_with("output depends on the schedule", difference_between(base, run),
                       "Printed times also differ from run to run; leave them out to compare the rest."));
    }
  }
  if (findings == &own) return own.dump(-1, ' ', false, Json::error_handler_t::replace);
  return report.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lanewise
