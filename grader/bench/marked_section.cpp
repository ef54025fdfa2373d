// Finds marker lines and puts text between them.
#include "grader/bench/marked_section.h"

#include <fmt/format.h>

namespace lanewise {
namespace {

constexpr std::size_t kNowhere = std::string::npos;

std::string begin_marker(const std::string& name) { return "<!-- " + name + " -->"; }
std::string end_marker(const std::string& name) { return "<!-- end of " + name + " -->"; }

// Where the line `marker` begins, from `from` on.
std::size_t find_line(const std::string& document, const std::string& marker, std::size_t from = 0) {
  for (std::size_t at = document.find(marker, from); at != kNowhere; at = document.find(marker, at + 1)) {
    const std::size_t end = at + marker.size();
    const bool begins_line = at == 0 || document[at - 1] == '\n';
    if (begins_line && (end == document.size() || document[end] == '\n')) return at;
  }
  return kNowhere;
}

struct Place {
  std::size_t begin = kNowhere;  ///< of the first marker
  std::size_t end = kNowhere;    ///< of the second
};

Place find_section(const std::string& document, const std::string& name) {
  return {find_line(document, begin_marker(name)), find_line(document, end_marker(name))};
}

bool is_whole(const Place& place) {
  return place.begin != kNowhere && place.end != kNowhere && place.begin < place.end;
}

}  // namespace

std::optional<std::string> section_of(const std::string& document, const std::string& name) {
  const Place place = find_section(document, name);
  if (!is_whole(place)) return std::nullopt;
  std::size_t first = place.begin + begin_marker(name).size();
  std::size_t last = place.end;
  while (first < last && document[first] == '\n') ++first;
  while (last > first && document[last - 1] == '\n') --last;
  return first == last ? "" : document.substr(first, last - first) + "\n";
}

Expected<std::string> with_section(const std::string& document, const std::string& name, const std::string& text) {
  const std::string begin = begin_marker(name);
  const std::string end = end_marker(name);
  const std::string section = begin + "\n\n" + text + "\n" + end;
  const Place place = find_section(document, name);
  if (place.begin == kNowhere && place.end == kNowhere) {
    const char* const gap = document.empty() || document.back() == '\n' ? "\n" : "\n\n";
    return document + (document.empty() ? "" : gap) + section + "\n";
  }
  if (place.end == kNowhere) return Failure{fmt::format("the line '{}' has no '{}' after it", begin, end)};
  if (!is_whole(place)) return Failure{fmt::format("the line '{}' has no '{}' before it", end, begin)};
  for (const auto& [marker, at] : {std::pair(begin, place.begin), std::pair(end, place.end)})
    if (find_line(document, marker, at + 1) != kNowhere)
      return Failure{fmt::format("the line '{}' occurs twice", marker)};
  return document.substr(0, place.begin) + section + document.substr(place.end + end.size());
}

}  // namespace lanewise
