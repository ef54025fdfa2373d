// Written questions of a lab: the question, the student's answer, and its marks.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/marked.h"

namespace lanewise {

/// One [[question]] of questions.toml.
struct Question {
  enum class Kind : std::uint8_t { kNumeric, kChoice, kText };

  std::string id;
  std::string task;  ///< whose `understood` points it counts towards
  std::string text;
  Kind kind = Kind::kNumeric;
  std::vector<std::string> choices;  ///< for kChoice: offered as a, b, c, ...
  std::string unit;
  double tolerance = 0;  ///< greatest absolute error of a right numeric answer
  double points = 1;
};

/// The longest free text that is read, in bytes: about two pages, and no more than a spreadsheet cell can hold.
inline constexpr std::size_t kLongestAnswer = 8000;

/// Answers by question: a number, the letter of a choice, or a free text.
using Answers = std::map<std::string, std::variant<double, std::string>>;

/// Reads questions.toml. The failure names file, line and key.
Expected<std::vector<Question>> read_questions(const std::filesystem::path& file);

/// Reads the [answers] table of a student's answers.toml or of the key; a question left out is absent. A missing file
/// has no answers. Fails on texts of more than kLongestAnswer bytes.
Expected<Answers> read_answers(const std::filesystem::path& file);

/// Marks the answers to one task's questions. All of them must be in `key` (see key_gaps). An answer of the wrong kind,
/// such as text where a number is asked for, is wrong. A free text awaits marking; blanks are no answer.
std::vector<Marked> mark(const std::vector<Question>& questions, const std::string& task, const Answers& answers,
                         const Answers& key);

/// What is wrong with an answers key: a question without an answer, an answer without a question, a choice not offered.
/// For a free text the key says what a full answer contains, for whoever marks it.
std::vector<std::string> key_gaps(const std::vector<Question>& questions, const Answers& key);

}  // namespace lanewise
