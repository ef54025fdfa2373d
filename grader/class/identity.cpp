// Looks names up in small letters.
#include "grader/class/identity.h"

#include <algorithm>

#include "grader/class/utf8.h"

namespace lanewise {
namespace {

// "O'Neil, Anna-Lena" is "o", "neil", "anna" and "lena"; letters beyond ASCII are letters.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : small_letters(name)) {
    const bool is_in_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (is_in_word)
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string in_any_order(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  return joined(words, " ");
}

}  // namespace

Identities::Identities(const std::vector<Student>& roster) : is_empty_(roster.empty()) {
  const auto add = [](Index& index, const std::string& key, std::size_t who) {
    if (key.empty()) return;
    std::vector<std::size_t>& places = index[key];
    if (places.empty() || places.back() != who) places.push_back(who);
  };
  for (std::size_t who = 0; who < roster.size(); ++who) {
    const Student& student = roster[who];
    add(ids_, small_letters(student.id), who);
    add(logins_, small_letters(student.login), who);
    add(numbers_, small_letters(student.number), who);
    add(emails_, small_letters(student.email), who);
    add(emails_, small_letters(student.email.substr(0, student.email.find('@'))), who);
    std::vector<std::string> words = words_of(student.name);
    add(names_, in_any_order(words), who);
    for (std::size_t turn = 0; turn < words.size(); ++turn) {
      add(names_, joined(words, ""), who);
      std::rotate(words.begin(), words.begin() + 1, words.end());
    }
  }
}

std::vector<std::size_t> Identities::find(const std::string& text) const {
  const std::string key = small_letters(text);
  for (const Index* index : {&ids_, &logins_, &numbers_, &emails_})
    if (const auto found = index->find(key); found != index->end()) return found->second;
  return find_name(text);
}

std::vector<std::size_t> Identities::find_number(const std::string& number) const {
  const auto found = numbers_.find(small_letters(number));
  return found == numbers_.end() ? std::vector<std::size_t>() : found->second;
}

std::vector<std::size_t> Identities::find_name(const std::string& name) const {
  const std::vector<std::string> words = words_of(name);
  for (const std::string& key : {in_any_order(words), joined(words, "")})
    if (const auto found = names_.find(key); found != names_.end() && !key.empty()) return found->second;
  return {};
}

}  // namespace lanewise
