// Names in the order in which they were added.
#include "grader/class/abbreviated_list.h"

#include <fmt/format.h>

#include "harness/lab/number_text.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

constexpr std::size_t kNamed = 3;
constexpr std::size_t kColumns = 40;

}  // namespace

void AbbreviatedList::add(const std::string& name) {
  if (++count_ > kNamed) return;
  const std::string shown = safe_line(name);
  first_.push_back(columns_of(shown) > kColumns ? first_columns(shown, kColumns - 3) + "..." : shown);
}

std::string AbbreviatedList::text() const {
  // Naming three of four would leave out one that takes as much room as the number.
  const std::size_t named = count_ > kNamed ? kNamed - 1 : count_;
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    const bool is_last_of_all = i + 1 == count_;
    text += (i == 0 ? "" : is_last_of_all ? " and " : ", ") + first_[i];
  }
  return count_ > named ? fmt::format("{} and {} more", text, with_commas(count_ - named)) : text;
}

}  // namespace lanewise
