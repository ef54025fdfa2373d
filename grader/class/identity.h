// Which student a name among the submissions means.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "grader/class/student.h"

namespace lanewise {

/// Finds students by what is known about them. Case is ignored everywhere; diacritics are not.
class Identities {
 public:
  explicit Identities(const std::vector<Student>& roster);

  /// The students that `text` may mean: by id, else by login, number, the local part of the email, name; the first of
  /// these that matches anybody decides. More than one: ambiguous. Indices into the roster, ascending.
  std::vector<std::size_t> find(const std::string& text) const;
  /// By the learning platform's number only.
  std::vector<std::size_t> find_number(const std::string& number) const;
  /// By name only: its words in any order, or all run together starting with any of them ("doejane" is Jane Doe).
  std::vector<std::size_t> find_name(const std::string& name) const;

  bool is_empty() const { return is_empty_; }

 private:
  using Index = std::map<std::string, std::vector<std::size_t>>;

  bool is_empty_ = true;
  Index ids_, logins_, numbers_, emails_, names_;
};

}  // namespace lanewise
