// Files first, then the database: a ticket never refers to missing files.
#include "grader/server/intake.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <filesystem>

#include "grader/class/utf8.h"
#include "grader/grading/digest.h"
#include "grader/server/submission_files.h"

namespace lanewise {
namespace {

constexpr std::size_t kShortestKey = 16;
constexpr std::size_t kLongestKey = 64;

bool is_key(const std::string& key) {
  return key.size() >= kShortestKey && key.size() <= kLongestKey &&
         std::all_of(key.begin(), key.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
}

Refusal too_many(const Receipt& receipt, const std::string& lab, int entries_a_day) {
  const std::int64_t minutes = (receipt.retry_after + 59) / 60;
  return {429,
          fmt::format("you have submitted {} {} times within a day, which is the limit; the next one is accepted in {}",
                      lab, entries_a_day,
                      minutes < 120 ? fmt::format("{} min", minutes) : fmt::format("{} h", (minutes + 59) / 60)),
          receipt.retry_after};
}

}  // namespace

const LabSelection* find_lab(const std::vector<LabSelection>& labs, const std::string& id) {
  const auto lab = std::find_if(labs.begin(), labs.end(), [&](const auto& each) { return each.file.id == id; });
  return lab == labs.end() ? nullptr : &*lab;
}

std::variant<Upload, Refusal> read_upload(const httplib::Request& request, const std::vector<LabSelection>& labs,
                                          const ServerTerms& terms) {
  if (!request.is_multipart_form_data()) return Refusal{415, "send a submission as multipart/form-data"};
  Upload upload;
  std::string* const kFields[] = {&upload.lab, &upload.source, &upload.answers, &upload.key};
  const char* const kNames[] = {"lab", "source", "answers", "key"};
  std::size_t bytes = 0;
  for (const auto& [name, field] : request.files) {
    const auto known = std::find(std::begin(kNames), std::end(kNames), name);
    if (known == std::end(kNames)) return Refusal{400, "the only fields are lab, source, answers and key"};
    if (request.files.count(name) > 1) return Refusal{400, fmt::format("the field {} is given twice", name)};
    if (!is_utf8(field.content)) return Refusal{400, fmt::format("the field {} is not text in UTF-8", name)};
    bytes += field.content.size();
    *kFields[known - std::begin(kNames)] = field.content;
  }
  if (bytes > terms.largest_upload)
    return Refusal{413, fmt::format("a submission may have at most {} KiB", terms.largest_upload / 1024)};
  if (find_lab(labs, upload.lab) == nullptr) return Refusal{400, fmt::format("there is no lab '{}'", upload.lab)};
  if (upload.source.empty()) return Refusal{400, "the source is missing or empty"};
  if (!upload.key.empty() && !is_key(upload.key))
    return Refusal{400, "a key must have 16 to 64 letters, digits and hyphens"};
  return upload;
}

std::variant<Receipt, Refusal> take_in(const Upload& upload, const Person& student, const LabSelection& lab,
                                       const ServerTerms& terms, ServerStore& store,
                                       const std::filesystem::path& course) {
  NewSubmission sent{random_name(),     student.id, upload.lab, upload.key, digest_of({upload.source, upload.answers}),
                     std::time(nullptr)};
  if (sent.key.empty()) sent.key = sent.ticket;
  const auto known = store.ticket_for(sent.student, sent.key);
  if (!known) return troubled(known.failure());
  if (*known) return Receipt{**known, true, 0};
  std::map<std::string, std::string> files{{lab.file.skeleton, upload.source}};
  if (!upload.answers.empty()) files["answers.toml"] = upload.answers;
  if (const auto failure = keep_submission(course, sent.ticket, files)) return troubled(*failure);
  const auto receipt = store.add(sent, terms.entries_a_day);
  if (receipt && receipt->ticket == sent.ticket) return *receipt;
  // After a failed commit the ticket may still be in the database: its files stay.
  if (!receipt) return troubled(receipt.failure());
  std::error_code ignored;
  std::filesystem::remove_all(folder_of_ticket(course, sent.ticket), ignored);
  if (receipt->is_repeat) return *receipt;
  return too_many(*receipt, upload.lab, terms.entries_a_day);
}

}  // namespace lanewise
