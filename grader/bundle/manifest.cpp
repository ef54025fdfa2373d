// Object by object: whose, what, how, with what.
#include "grader/bundle/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/bundle/json_fields.h"
#include "harness/report/json_report.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kFormat = "lanewise grade bundle";
constexpr int kVersion = 1;
constexpr std::size_t kManifestHashDigits = 64;

// --- to text

OrderedJson json_of(const BundledAttempt& attempt) {
  return {{"came_from", attempt.came_from}, {"submitted", attempt.submitted},     {"points", attempt.points},
          {"out_of", attempt.out_of},       {"explanation", attempt.explanation}, {"is_counted", attempt.is_counted}};
}

// Only for this student and lab: other students' extensions and points are private.
OrderedJson json_of(const Course& course, const std::string& student, const std::string& lab) {
  const auto found = course.labs.find(lab);
  const LabTerms terms = found == course.labs.end() ? LabTerms() : found->second;
  const auto extra = terms.extra_points.find(student);
  auto extension = course.extensions.find(student + "/" + lab);
  if (extension == course.extensions.end()) extension = course.extensions.find(student);
  return {{"counts", course.counted == CountedAttempt::kLatest ? "latest" : "best"},
          {"due", terms.due},
          {"extension_seconds", extension == course.extensions.end() ? 0 : extension->second},
          {"grace_minutes", course.late.grace_minutes},
          {"percent_a_day", course.late.percent_a_day},
          {"most_percent", course.late.most_percent},
          {"last_day", course.late.last_day},
          {"out_of", terms.out_of},
          {"extra_credit", terms.extra_credit},
          {"extra_points", extra == terms.extra_points.end() ? 0.0 : extra->second}};
}

OrderedJson json_of(const StoredMark& mark) {
  return {{"question", mark.question},
          {"answer", mark.answer},
          {"points", mark.points},
          {"out_of", mark.out_of},
          {"remark", mark.remark}};
}

// --- and back

// Far below what could overflow when added.
std::int64_t moment_of(const JsonFields& fields, const char* key) {
  constexpr std::int64_t kMost = 1'000'000'000'000;
  const std::int64_t seconds = fields.whole(key);
  if (seconds < -kMost || seconds > kMost) fields.fail(key, "must be a number of seconds since 1970");
  return seconds;
}

BundledAttempt attempt_of(const JsonFields& fields) {
  return {fields.text("came_from"), moment_of(fields, "submitted"), fields.number("points"),
          fields.number("out_of"),  fields.text("explanation"),     fields.flag("is_counted")};
}

Course course_of(const JsonFields& fields, const std::string& student, const std::string& lab) {
  Course course;
  const std::string counts = fields.text("counts");
  if (counts != "best" && counts != "latest") fields.fail("counts", "must be best or latest");
  course.counted = counts == "best" ? CountedAttempt::kBest : CountedAttempt::kLatest;
  course.late = {fields.number("grace_minutes"), fields.number("percent_a_day"), fields.number("most_percent"),
                 fields.number("last_day")};
  LabTerms& terms = course.labs[lab];
  terms.due = moment_of(fields, "due");
  terms.out_of = fields.number("out_of");
  terms.extra_credit = fields.number("extra_credit");
  if (const double extra = fields.number("extra_points"); extra != 0) terms.extra_points[student] = extra;
  if (const std::int64_t extension = moment_of(fields, "extension_seconds"); extension != 0)
    course.extensions[student] = extension;
  return course;
}

void read_grading(const JsonFields& fields, Manifest& manifest) {
  manifest.tasks = fields.texts("tasks");
  manifest.cases = fields.text("cases");
  manifest.backend = fields.text("backend");
  manifest.seed = fields.from_zero("seed");
  manifest.is_timed = fields.flag("is_timed");
  if (manifest.tasks.empty()) fields.fail("tasks", "must name at least one task");
  if (manifest.cases != "check" && manifest.cases != "grade") fields.fail("cases", "must be check or grade");
  if (manifest.backend != "gpu" && manifest.backend != "vgpu" && manifest.backend != "both")
    fields.fail("backend", "must be gpu, vgpu or both");
}

// In what json_report wraps it in.
Verdict verdict_of(const JsonFields& fields, const Manifest& manifest) {
  const std::int64_t version = fields.object("verdict").whole("schema_version");
  const OrderedJson report = {
      {"extra_data", {{"schema_version", version}, {"verdicts", OrderedJson::array({fields.raw("verdict")})}}}};
  const auto verdicts = read_json_report(report.dump());
  if (!verdicts) fields.fail("verdict", "cannot be used: " + verdicts.sentence());
  const Verdict& verdict = verdicts->front();
  const auto is_of_another = [&](const TaskVerdict& task) { return task.lab != manifest.lab; };
  if (std::any_of(verdict.tasks.begin(), verdict.tasks.end(), is_of_another))
    fields.fail("verdict", "must be for the lab " + manifest.lab);
  return verdict;
}

bool is_hash(const std::string& text) {
  return text.size() == kManifestHashDigits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Manifest manifest_of(const JsonFields& fields) {
  if (fields.text("format") != kFormat) fields.fail("format", fmt::format("must be '{}'", kFormat));
  if (const std::int64_t version = fields.whole("version"); version != kVersion)
    fields.fail("version", fmt::format("is {}, and this lanewise reads version {}", version, kVersion));
  Manifest manifest;
  const JsonFields student = fields.object("student");
  manifest.student = student.text("id");
  manifest.name = student.text("name");
  manifest.lab = fields.text("lab");
  manifest.content = fields.text("content");
  manifest.is_marked_late = fields.flag("is_marked_late");
  for (const JsonFields& each : fields.objects("attempts")) manifest.attempts.push_back(attempt_of(each));
  const auto counted = std::count_if(manifest.attempts.begin(), manifest.attempts.end(),
                                     [](const BundledAttempt& each) { return each.is_counted; });
  if (counted != 1) fields.fail("attempts", "must have one attempt that counts");
  manifest.course = course_of(fields.object("course"), manifest.student, manifest.lab);
  read_grading(fields.object("grading"), manifest);
  for (const JsonFields& each : fields.objects("marks"))
    manifest.marks.push_back({manifest.student, manifest.lab, each.text("question"), each.text("answer"),
                              each.number("points"), each.number("out_of"), each.text("remark")});
  manifest.versions = fields.texts_by_name("versions");
  manifest.files = fields.texts_by_name("files");
  for (const auto& [path, hash] : manifest.files)
    if (!is_hash(hash)) fields.fail("files." + path, "must be a SHA-256: 64 digits or letters from a to f");
  manifest.verdict = verdict_of(fields, manifest);
  return manifest;
}

}  // namespace

const BundledAttempt& attempt_that_counts(const Manifest& manifest) {
  return *std::find_if(manifest.attempts.begin(), manifest.attempts.end(),
                       [](const BundledAttempt& each) { return each.is_counted; });
}

std::string manifest_json(const Manifest& manifest) {
  OrderedJson json = {{"format", kFormat},
                      {"version", kVersion},
                      {"student", {{"id", manifest.student}, {"name", manifest.name}}},
                      {"lab", manifest.lab},
                      {"content", manifest.content},
                      {"is_marked_late", manifest.is_marked_late},
                      {"attempts", OrderedJson::array()},
                      {"course", json_of(manifest.course, manifest.student, manifest.lab)},
                      {"grading",
                       {{"tasks", manifest.tasks},
                        {"cases", manifest.cases},
                        {"backend", manifest.backend},
                        {"seed", manifest.seed},
                        {"is_timed", manifest.is_timed}}},
                      {"marks", OrderedJson::array()},
                      {"versions", manifest.versions},
                      {"files", manifest.files},
                      {"verdict", OrderedJson::parse(json_report({manifest.verdict}))["extra_data"]["verdicts"][0]}};
  for (const BundledAttempt& attempt : manifest.attempts) json["attempts"].push_back(json_of(attempt));
  for (const StoredMark& mark : manifest.marks) json["marks"].push_back(json_of(mark));
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

// Ours have a depth of ten and a few thousand keys; code that works on JSON recurses, and searches keys linearly.
constexpr int kDeepest = 64;
constexpr int kMostKeys = 50'000;

// Stores nothing that it reads, so it takes time linear in the length of the text.
void refuse_too_much(const std::string& text) {
  int keys = 0;
  const auto count = [&keys](int depth, OrderedJson::parse_event_t event, const OrderedJson&) {
    if (depth > kDeepest) throw JsonMistake("the document is nested too deeply");
    if (event == OrderedJson::parse_event_t::key && ++keys > kMostKeys)
      throw JsonMistake("the document has too many keys");
    return false;
  };
  [[maybe_unused]] const OrderedJson nothing = OrderedJson::parse(text, count);
}

Expected<Manifest> read_manifest(const std::string& text) {
  const std::string file = std::string(kManifestFile) + ": ";
  try {
    refuse_too_much(text);
    return manifest_of(JsonFields(OrderedJson::parse(text), ""));
  } catch (const JsonMistake& mistake) {
    return Failure{safe_line(file + mistake.what())};
  } catch (const OrderedJson::exception& error) {
    return Failure{safe_line(file + "it is not JSON: " + error.what())};
  }
}

}  // namespace lanewise
