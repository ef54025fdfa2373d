// The file is written before the digests are stored, so that every valid token is known to somebody.
#include "grader/server/tokens.h"

#include <fmt/format.h>

#include "grader/exports/csv.h"
#include "grader/grading/digest.h"
#include "grader/server/class_server.h"
#include "grader/server/submission_files.h"
#include "grader/workplace/workplace.h"

namespace lanewise {

Expected<std::size_t> make_tokens(ServerStore& store, const std::vector<Student>& students,
                                  const std::filesystem::path& file) {
  std::vector<std::pair<Person, std::string>> made;
  std::string csv = csv_row({csv_text("id"), csv_text("name"), csv_text("email"), csv_text("token")});
  const auto add = [&](const Person& person, const std::string& name,
                       const std::string& email) -> std::optional<Failure> {
    const auto has_one = store.has_token(person.id);
    if (!has_one) return has_one.failure();
    if (*has_one) return std::nullopt;
    made.emplace_back(person, random_name());
    csv += csv_row({csv_text(person.id), csv_text(name), csv_text(email), csv_text(made.back().second)});
    return std::nullopt;
  };
  if (auto failure = add({kInstructor, true}, "", "")) return *failure;
  for (const Student& student : students) {
    if (student.id == kInstructor)
      return Failure{
          fmt::format("a student has the id '{}', which is the instructor's: change it in the roster", kInstructor)};
    if (auto failure = add({student.id, false}, student.name, student.email)) return *failure;
  }
  if (made.empty()) return std::size_t{0};
  if (auto failure = write_private(file, csv)) return *failure;
  for (const auto& [person, token] : made)
    if (auto failure = store.keep_token(person, sha256_of(token))) return *failure;
  return made.size();
}

}  // namespace lanewise
