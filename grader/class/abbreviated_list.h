// "a.out, notes.pdf and 5 more": names of which there may be any number, in one sentence.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lanewise {

class AbbreviatedList {
 public:
  /// `name` may be any bytes; only the first few are kept.
  void add(const std::string& name);

  bool is_empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  /// Of valid UTF-8 without control characters; each name at most 40 columns.
  std::string text() const;

 private:
  std::size_t count_ = 0;
  std::vector<std::string> first_;
};

}  // namespace lanewise
