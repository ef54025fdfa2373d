// Equal work has one copy, under its hash.
#include "grader/grading/class_record.h"

#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "grader/grading/digest.h"
#include "grader/grading/lab_sources.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/read_file.h"
#include "harness/runner/build/builder.h"

namespace lanewise {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Student, id, name, login, number, email, section, nickname, is_enrolled)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RecordedAttempt, student, lab, content, came_from, submitted, is_marked_late)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SetAside, what, why)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ClassRecord, students, attempts, set_aside, terms)

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kAnswersFile = "answers.toml";
constexpr std::uintmax_t kLargestAnswers = 1 << 20;

struct Work {
  std::string source;
  std::string answers;  // empty: there are none
};

Expected<Work> read_work(const fs::path& source, const fs::path& answers) {
  const auto text = read_file(source, kLargestSource);
  if (!text) return text.failure();
  std::error_code error;
  const auto words = fs::exists(answers, error) ? read_file(answers, kLargestAnswers) : Expected<std::string>("");
  if (!words) return words.failure();
  return Work{*text, *words};
}

// Under the lab's own file name: messages and findings name the file, and equal work must look the same.
std::optional<Failure> keep_work(const fs::path& folder, const LabFile& lab, const Work& work) {
  if (auto failure = write_report(folder / lab.skeleton, work.source)) return failure;
  return work.answers.empty() ? std::nullopt : write_report(folder / kAnswersFile, work.answers);
}

}  // namespace

fs::path source_folder(const fs::path& out, const std::string& lab, const std::string& content) {
  return out / "sources" / lab / content;
}

Expected<ClassRecord> record_class(const HandIns& hand_ins, const std::vector<LabSelection>& labs,
                                   const fs::path& out) {
  ClassRecord record;
  record.students = hand_ins.students;
  record.set_aside = hand_ins.set_aside;
  for (const HandIn& hand_in : hand_ins.hand_ins) {
    const LabSources found = find_lab_sources(labs, hand_in.folder);
    for (const std::string& doubt : found.doubts) record.set_aside.push_back({hand_in.came_from, doubt});
    for (const LabSource& source : found.sources) {
      const auto work = read_work(source.source, source.answers);
      if (!work) return work.failure();
      const LabFile& lab = source.lab->file;
      const std::string content = digest_of({work->source, work->answers});
      if (const auto failure = keep_work(source_folder(out, lab.id, content), lab, *work)) return *failure;
      record.attempts.push_back(
          {hand_in.student, lab.id, content, hand_in.came_from, source.handed_in, hand_in.is_marked_late});
    }
  }
  return record;
}

std::string trouble_with_source(const fs::path& out, const LabFile& lab, const std::string& content) {
  const fs::path folder = source_folder(out, lab.id, content);
  const auto work = read_work(folder / lab.skeleton, folder / kAnswersFile);
  if (!work)
    return fmt::format("the copy of the submission cannot be read ({}): grade once more with --submissions",
                       work.sentence());
  if (digest_of({work->source, work->answers}) != content)
    return fmt::format("the copy of the submission has been changed ({}): grade once more with --submissions",
                       shown_path(folder));
  return "";
}

std::string class_json(const ClassRecord& record) {
  return Json(record).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Expected<ClassRecord> read_class_json(const std::string& text) {
  try {
    return Json::parse(text).get<ClassRecord>();
  } catch (const Json::exception& error) {
    return Failure{fmt::format("the record of the class cannot be read ({})", error.what())};
  }
}

}  // namespace lanewise
