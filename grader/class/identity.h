// Which student a name in what was handed in means.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "grader/class/student.h"

namespace lanewise {

/// Finds students by what is known of them. Upper and lower case are the same everywhere; diacritics stay as they are.
class Identities {
 public:
  explicit Identities(const std::vector<Student>& roster);

  /// Whom `text` means: by id, else by login, number, the local part of the email, name; the first of these that
  /// anybody has decides. More than one: it is ambiguous. Places in the roster, rising.
  std::vector<std::size_t> find(const std::string& text) const;
  /// By the learning platform's number only.
  std::vector<std::size_t> find_number(const std::string& number) const;
  /// By name only: its words in any order, or all run together from any of them on ("doejane" is Jane Doe).
  std::vector<std::size_t> find_name(const std::string& name) const;

  bool is_empty() const { return is_empty_; }

 private:
  using Index = std::map<std::string, std::vector<std::size_t>>;

  bool is_empty_ = true;
  Index ids_, logins_, numbers_, emails_, names_;
};

}  // namespace lanewise
