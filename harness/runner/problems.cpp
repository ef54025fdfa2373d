#include "harness/runner/problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <stdexcept>
#include <vector>

#include "harness/runner/content_hash.h"

namespace lanewise {

std::uint64_t case_seed(std::uint64_t seed, const std::string& lab, const std::string& task, const std::string& name) {
  const std::string hash = content_hash(fmt::format("{}\n{}\n{}\n{}", seed, lab, task, name));
  return std::stoull(hash.substr(16), nullptr, 16);
}

std::variant<Problem, MissingData> make_problem(const Task& task, const CaseFile& case_file, std::uint64_t seed) {
  const auto mistake = [&case_file](const std::string& sentence) {
    return MissingData{fmt::format("lab.toml:{}: {}", case_file.line, sentence), true};
  };
  const Parameters parameters = case_file.make;  // a copy of our own, to see what is asked for
  try {
    auto made = task.make(parameters, seed);
    const std::vector<std::string> unread = parameters.unread();
    if (unread.empty() || std::holds_alternative<MissingData>(made)) return made;
    return mistake(fmt::format("the key '{}' of the case's make table means nothing there; known keys are {}",
                               unread.front(), fmt::join(parameters.asked_for(), ", ")));
  } catch (const std::invalid_argument& error) {
    return mistake(error.what());
  } catch (const std::exception& error) {
    return MissingData{fmt::format("lab.toml:{}: {}", case_file.line, error.what())};
  }
}

}  // namespace lanewise
