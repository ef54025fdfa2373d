// Fills the templates in.
#include "grader/exports/gradescope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "grader/exports/gradescope_files.h"
#include "grader/workplace/workplace.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

bool is_plain(const std::string& name) {
  return !name.empty() && name[0] != '-' && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
}

void fill_in(std::string& text, const std::string& mark, const std::string& value) {
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, mark.size(), value);
}

std::optional<Failure> write_program(const fs::path& file, const std::string& content) {
  if (auto failure = write_report(file, content)) return failure;
  std::error_code error;
  fs::permissions(file, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add,
                  error);
  if (error) return Failure{fmt::format("{}: it cannot be made executable ({})", file.string(), error.message())};
  return std::nullopt;
}

}  // namespace

std::string gradescope_run(const GradedClass& graded) {
  std::string labs;
  for (const GradedLab& lab : graded.labs)
    if (is_plain(lab.id)) labs += (labs.empty() ? "" : " ") + lab.id;
  std::string text = kGradescopeRun;
  fill_in(text, "@labs@", labs);
  fill_in(text, "@cases@", graded.cases == "grade" ? "grade" : "check");
  fill_in(text, "@seed@", fmt::format("{}", graded.seed));
  return text;
}

std::optional<Failure> write_gradescope(const GradedClass& graded, const fs::path& folder) {
  if (auto failure = write_program(folder / "setup.sh", kGradescopeSetup)) return failure;
  if (auto failure = write_program(folder / "run_autograder", gradescope_run(graded))) return failure;
  return write_report(folder / "README.md", kGradescopeReadme);
}

}  // namespace lanewise
