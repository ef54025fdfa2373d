#include "harness/runner/problems.h"

#include <fmt/format.h>

#include <exception>

#include "harness/runner/content_hash.h"

namespace lanewise {

std::uint64_t case_seed(std::uint64_t seed, const std::string& lab, const std::string& task, const std::string& name) {
  const std::string hash = content_hash(fmt::format("{}\n{}\n{}\n{}", seed, lab, task, name));
  return std::stoull(hash.substr(16), nullptr, 16);
}

std::variant<Problem, MissingData> make_problem(const Task& task, const CaseFile& case_file, std::uint64_t seed) {
  try {
    return task.make(case_file.make, seed);
  } catch (const std::exception& error) {
    return MissingData{fmt::format("lab.toml:{}: {}", case_file.line, error.what())};
  }
}

}  // namespace lanewise
