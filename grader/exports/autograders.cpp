// Fills the templates in.
#include "grader/exports/autograders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "grader/exports/autograder_files.h"
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
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
    text.replace(at, mark.size(), value);
}

std::string each_lab(const std::vector<std::string>& labs, const char* form, const char* between) {
  std::string text;
  for (const std::string& lab : labs) text += (text.empty() ? "" : between) + fmt::format(fmt::runtime(form), lab);
  return text;
}

// Submitty's, one per lab: run_autograder in the container, whose verdict the validator passes on.
std::string testcases(const std::vector<std::string>& labs) {
  std::string text;
  for (const std::string& lab : labs)
    text += fmt::format(R"({}{{
      "title": "{}",
      "command": "/autograder/source/run_autograder {}",
      "points": 100,
      "validation": [
        {{"method": "custom_validator", "command": "python3 grader.py", "actual_file": "validation_results.json", "show_actual": "never"}}
      ]
    }})",
                        text.empty() ? "" : ",\n    ", lab, lab);
  return text;
}

}  // namespace

std::vector<AutograderFile> autograder_files(const Autograder& autograder) {
  std::vector<std::string> labs;
  std::copy_if(autograder.labs.begin(), autograder.labs.end(), std::back_inserter(labs), is_plain);
  std::vector<std::string> by_name = labs;  // as on Autolab's scoreboard
  std::sort(by_name.begin(), by_name.end());
  const std::pair<const char*, std::string> marks[] = {{"@platform@", autograder.platform},
                                                       {"@labs@", fmt::format("{}", fmt::join(labs, " "))},
                                                       {"@files@", each_lab(labs, "{}.cu", ",")},
                                                       {"@problems@", each_lab(labs, "`{}`", ", ")},
                                                       {"@columns@", each_lab(by_name, R"({{"hdr": "{}"}})", ", ")},
                                                       {"@cases@", autograder.cases == "grade" ? "grade" : "check"},
                                                       {"@seed@", fmt::format("{}", autograder.seed)},
                                                       {"@testcases@", testcases(labs)}};
  const std::string own = autograder.platform + "/";
  std::vector<AutograderFile> files;
  for (const AutograderTemplate& each : kAutograderTemplates) {
    std::string_view path = each.path;
    const bool is_own = path.substr(0, own.size()) == own;
    if (is_own) path.remove_prefix(own.size());
    // Gradescope builds its image itself.
    if (!is_own && (path.find('/') != path.npos || (path == "Containerfile" && autograder.platform == "gradescope")))
      continue;
    AutograderFile& file = files.emplace_back(AutograderFile{std::string(path), each.content});
    for (const auto& [mark, value] : marks) fill_in(file.content, mark, value);
    file.is_executable = file.content.substr(0, 2) == "#!";
  }
  return files;
}

std::optional<Failure> write_autograder(const Autograder& autograder, const fs::path& folder) {
  for (const AutograderFile& file : autograder_files(autograder)) {
    if (auto failure = write_report(folder / file.path, file.content)) return failure;
    if (!file.is_executable) continue;
    std::error_code error;
    fs::permissions(folder / file.path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add, error);
    if (error)
      return Failure{
          fmt::format("{}: it cannot be made executable ({})", (folder / file.path).string(), error.message())};
  }
  return std::nullopt;
}

}  // namespace lanewise
