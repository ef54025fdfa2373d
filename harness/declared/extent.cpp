// Sums of terms: products are what the extents of a shape make.
#include "harness/declared/extent.h"

#include <fmt/format.h>

#include <charconv>
#include <regex>
#include <stdexcept>

namespace lanewise {
namespace {

std::int64_t value_of(const ExtentTerm& term, const Problem& problem) {
  if (!term.is_number) return integer_scalar(problem, term.text);
  std::int64_t value = 0;
  if (std::from_chars(term.text.data(), term.text.data() + term.text.size(), value).ec != std::errc())
    throw std::invalid_argument(fmt::format("{} is too large", term.text));
  return value;
}

}  // namespace

std::vector<ExtentTerm> terms_of(const std::string& extent) {
  static const std::regex kTerm(R"( *(?:(\d+)|([A-Za-z_]\w*)) *)");
  std::vector<ExtentTerm> terms;
  bool is_taken_away = false;
  for (auto at = extent.begin();; ++at) {
    std::smatch found;
    if (!std::regex_search(at, extent.end(), found, kTerm, std::regex_constants::match_continuous)) return {};
    terms.push_back({found[1].matched ? found[1] : found[2], found[1].matched, is_taken_away});
    at += found.length();
    if (at == extent.end()) return terms;
    if (*at != '+' && *at != '-') return {};
    is_taken_away = *at == '-';
  }
}

std::int64_t extent_of(const std::string& extent, const Problem& problem) {
  std::int64_t sum = 0;
  for (const ExtentTerm& term : terms_of(extent)) {
    const std::int64_t value = value_of(term, problem);
    if (term.is_taken_away ? __builtin_sub_overflow(sum, value, &sum) : __builtin_add_overflow(sum, value, &sum))
      throw std::invalid_argument(fmt::format("{} is too large", extent));
  }
  return sum;
}

}  // namespace lanewise
