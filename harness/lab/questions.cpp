// Reads questions and answers, and marks them.
#include "harness/lab/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "harness/lab/case_file.h"
#include "harness/lab/toml_reader.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

Question read_question(const TomlTable& table) {
  table.allow_only({"id", "task", "text", "kind", "choices", "unit", "tolerance", "points"});
  Question question;
  question.id = table.text("id");
  question.task = table.text("task");
  question.text = table.text("text");
  const std::string kind = table.text("kind");
  if (kind == "choice") {
    question.kind = Question::Kind::kChoice;
    question.choices = table.texts_or_none("choices");
    if (question.choices.size() < 2 || question.choices.size() > 26)
      table.fail("choices", fmt::format("the question '{}' needs between 2 and 26 choices", question.id));
  } else if (kind == "text") {
    question.kind = Question::Kind::kText;
    for (const char* const key : {"choices", "unit", "tolerance"})
      if (table.has(key))
        table.fail(key, fmt::format("the free-text question '{}' cannot have '{}'", question.id, key));
  } else if (kind != "numeric") {
    table.fail("kind", fmt::format("the kind '{}' is unknown; a question is numeric, choice or text", kind));
  } else if (table.has("choices")) {
    table.fail("choices", fmt::format("the numeric question '{}' cannot have choices", question.id));
  }
  question.unit = table.text_or("unit", "");
  question.tolerance = table.number_or("tolerance", 0);
  if (!(question.tolerance >= 0)) table.fail("tolerance", "the key 'tolerance' must not be negative");
  if (table.has("points")) question.points = read_points(table, "points");
  if (!(question.points > 0)) table.fail("points", "the key 'points' must be greater than 0");
  return question;
}

// "b", " B) " and "B" all name the second choice; -1 if `text` names none.
int choice_index(std::string text, std::size_t choices) {
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0; };
  text.erase(std::remove_if(text.begin(), text.end(), [&](unsigned char c) { return !is_letter(c); }), text.end());
  if (text.size() != 1) return -1;
  const int index = std::tolower(static_cast<unsigned char>(text[0])) - 'a';
  return index >= 0 && index < static_cast<int>(choices) ? index : -1;
}

// 12, or "12" in quotes.
std::optional<double> number_in(const Answers::mapped_type& answer) {
  if (const double* const number = std::get_if<double>(&answer)) return *number;
  const std::string& text = std::get<std::string>(answer);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_right(const Question& question, const Answers::mapped_type& answer, const Answers::mapped_type& key) {
  if (question.kind == Question::Kind::kNumeric) {
    const std::optional<double> given = number_in(answer), right = number_in(key);
    return given && right && std::abs(*given - *right) <= question.tolerance;
  }
  const std::string* given = std::get_if<std::string>(&answer);
  const std::string* right = std::get_if<std::string>(&key);
  if (!given || !right) return false;
  const int index = choice_index(*given, question.choices.size());
  return index >= 0 && index == choice_index(*right, question.choices.size());
}

// A number counts as words when it answers a free-text question.
std::string words_of(const Answers::mapped_type& answer) {
  const std::string* const text = std::get_if<std::string>(&answer);
  return text ? *text : fmt::format("{}", std::get<double>(answer));
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

}  // namespace

Expected<std::vector<Question>> read_questions(const fs::path& file) {
  try {
    const toml::table parsed = parse_toml_file(file);
    const TomlTable root(parsed, file.string());
    root.allow_only({"question"});
    std::vector<Question> questions;
    std::set<std::string> ids;
    for (const TomlTable& table : root.tables("question")) {
      questions.push_back(read_question(table));
      if (!ids.insert(questions.back().id).second)
        table.fail("id", fmt::format("there are two questions with the id '{}'", questions.back().id));
    }
    return questions;
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

Expected<Answers> read_answers(const fs::path& file) {
  Answers answers;
  std::error_code error;
  if (!fs::exists(file, error)) return answers;
  try {
    const toml::table parsed = parse_toml_file(file);
    const TomlTable root(parsed, file.string());
    root.allow_only({"answers"});
    if (!root.has("answers")) return answers;
    const TomlTable table = root.table("answers");
    for (const auto& [key, node] : table.raw()) {
      const std::string id(key.str());
      const auto text = node.value_exact<std::string>();
      if (text && text->size() > kLongestAnswer)
        table.fail(id.c_str(), fmt::format("the answer to '{}' has {} bytes, but at most {} are read: shorten it", id,
                                           text->size(), kLongestAnswer));
      else if (text)
        answers[id] = *text;
      else if (node.is_number())
        answers[id] = table.number(id.c_str());
      else
        table.fail(id.c_str(),
                   fmt::format(
                       "the answer to '{}' must be a number or a quoted string: the letter of a choice, or words", id));
    }
    return answers;
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

std::vector<Marked> mark(const std::vector<Question>& questions, const std::string& task, const Answers& answers,
                         const Answers& key) {
  std::vector<Marked> marks;
  for (const Question& question : questions) {
    if (question.task != task) continue;
    Marked marked;
    marked.id = question.id;
    marked.max_points = question.points;
    const auto answer = answers.find(question.id);
    if (question.kind == Question::Kind::kText) {
      marked.text = question.text;
      if (answer != answers.end()) marked.answer = words_of(answer->second);
      if (is_blank(marked.answer))
        marked.answer.clear();
      else
        marked.result = Marked::Result::kWaiting;
    } else if (answer != answers.end()) {
      const bool right = is_right(question, answer->second, key.at(question.id));
      marked.result = right ? Marked::Result::kRight : Marked::Result::kWrong;
      marked.points = right ? question.points : 0;
    }
    marks.push_back(marked);
  }
  return marks;
}

std::vector<std::string> key_gaps(const std::vector<Question>& questions, const Answers& key) {
  std::vector<std::string> gaps;
  for (const Question& question : questions) {
    const auto answer = key.find(question.id);
    if (answer == key.end()) {
      gaps.push_back(fmt::format("the question '{}' has no answer in the key", question.id));
    } else if (question.kind == Question::Kind::kNumeric && !std::holds_alternative<double>(answer->second)) {
      gaps.push_back(fmt::format("the key's answer to '{}' must be a number", question.id));
    } else if (question.kind == Question::Kind::kChoice) {
      const std::string* letter = std::get_if<std::string>(&answer->second);
      if (!letter || choice_index(*letter, question.choices.size()) < 0)
        gaps.push_back(fmt::format("the key's answer to '{}' must be the letter of one of its choices", question.id));
    } else if (question.kind == Question::Kind::kText) {
      const std::string* words = std::get_if<std::string>(&answer->second);
      if (!words || is_blank(*words))
        gaps.push_back(
            fmt::format("the key's answer to '{}' must say in words what a full answer contains", question.id));
    }
  }
  for (const auto& [id, answer] : key) {
    const auto is_question = [&id = id](const Question& question) { return question.id == id; };
    if (std::none_of(questions.begin(), questions.end(), is_question))
      gaps.push_back(fmt::format("the key answers '{}', which is not a question of the lab", id));
  }
  return gaps;
}

}  // namespace lanewise
