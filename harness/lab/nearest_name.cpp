// Levenshtein's distance, by rows.
#include "harness/lab/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace lanewise {
namespace {

std::string in_small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Letters to change, insert or delete to turn one word into the other.
std::size_t letters_apart(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestName = 100;  // nobody means a word by more
  constexpr std::size_t kShortestBeginning = 2;
  if (name.size() > kLongestName) return "";
  const std::string meant = in_small_letters(name);
  std::string nearest;
  std::size_t least = meant.size() / 2 + 1;
  for (const std::string& each : known)
    if (const std::size_t apart = letters_apart(meant, in_small_letters(each)); apart < least) {
      least = apart;
      nearest = each;
    }
  if (!nearest.empty() || meant.size() < kShortestBeginning) return nearest;
  const auto begins_with_it = [&meant](const std::string& each) {
    return in_small_letters(each.substr(0, meant.size())) == meant;
  };
  const auto longer = std::find_if(known.begin(), known.end(), begins_with_it);
  return longer == known.end() ? "" : *longer;
}

std::string unknown_name(const std::string& kind, const std::string& name, const std::vector<std::string>& known,
                         const std::string& otherwise) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? fmt::format("there is no {} '{}'; {}", kind, name, otherwise)
                         : fmt::format("there is no {} '{}'; did you mean '{}'?", kind, name, nearest);
}

}  // namespace lanewise
