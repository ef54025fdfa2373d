// Pattern recognition over the positions of wrong elements, simplest pattern first.
#include "harness/lab/region.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace lanewise {
namespace {

std::string ordinal(std::int64_t n) {
  if (n == 2) return "second";
  if (n == 3) return "third";
  const std::int64_t tens = n % 100 / 10;
  if (tens != 1 && n % 10 == 1) return fmt::format("{}st", n);
  if (tens != 1 && n % 10 == 2) return fmt::format("{}nd", n);
  if (tens != 1 && n % 10 == 3) return fmt::format("{}rd", n);
  return fmt::format("{}th", n);
}

// "Almost all" if at least nine in ten elements of a range are wrong.
bool is_almost_all(std::int64_t wrong, std::int64_t of) { return wrong * 10 >= of * 9; }

// "rows 3 to 5", "the last column": [first, last] out of `extent` rows or columns.
std::string describe_range(const char* noun, std::int64_t first, std::int64_t last, std::int64_t extent) {
  if (first == last) {
    if (first == 0) return fmt::format("the first {}", noun);
    if (first == extent - 1) return fmt::format("the last {}", noun);
    return fmt::format("{} {}", noun, first);
  }
  if (first == 0 && last == extent - 1) return fmt::format("all {}s", noun);
  if (first == 0) return fmt::format("the first {} {}s", last + 1, noun);
  if (last == extent - 1) return fmt::format("{}s {} to the last", noun, first);
  return fmt::format("{}s {} to {}", noun, first, last);
}

// The rows (or columns) that hold a wrong element, in words.
std::string describe_lines(const char* noun, const std::vector<std::int64_t>& wrong_by_line) {
  std::vector<std::int64_t> lines;
  for (std::size_t i = 0; i < wrong_by_line.size(); ++i)
    if (wrong_by_line[i] > 0) lines.push_back(static_cast<std::int64_t>(i));
  const auto extent = static_cast<std::int64_t>(wrong_by_line.size());
  const auto count = static_cast<std::int64_t>(lines.size());
  if (lines.back() - lines.front() + 1 == count) return describe_range(noun, lines.front(), lines.back(), extent);
  if (count == 2 && lines.front() == 0 && lines.back() == extent - 1)
    return fmt::format("the first and the last {}", noun);
  const std::int64_t stride = lines[1] - lines[0];
  bool even = count > 2;
  for (std::size_t i = 1; i < lines.size(); ++i) even = even && lines[i] - lines[i - 1] == stride;
  if (even) {
    const std::string until = lines.back() + stride < extent ? fmt::format(" to {}", lines.back()) : "";
    return fmt::format("every {} {}, beginning with {} {}{}", ordinal(stride), noun, noun, lines.front(), until);
  }
  return fmt::format("{} {}s between {} {} and {} {}", count, noun, noun, lines.front(), noun, lines.back());
}

struct Span {
  std::int64_t first;
  std::int64_t last;
};

Span span_of(const std::vector<std::int64_t>& wrong_by_line) {
  const auto is_wrong = [](std::int64_t count) { return count > 0; };
  const auto first = std::find_if(wrong_by_line.begin(), wrong_by_line.end(), is_wrong);
  const auto last = std::find_if(wrong_by_line.rbegin(), wrong_by_line.rend(), is_wrong);
  return {first - wrong_by_line.begin(), wrong_by_line.rend() - last - 1};
}

std::int64_t lines_wrong(const std::vector<std::int64_t>& wrong_by_line) {
  return std::count_if(wrong_by_line.begin(), wrong_by_line.end(), [](std::int64_t count) { return count > 0; });
}

}  // namespace

WrongRegion::WrongRegion(const ArrayShape& shape) : total_(static_cast<std::int64_t>(element_count(shape))) {
  if (shape.shape.size() != 2 || total_ == 0) return;
  rows_ = shape.shape[0];
  columns_ = shape.shape[1];
  if (!is_matrix()) return;
  by_row_.resize(static_cast<std::size_t>(rows_));
  by_column_.resize(static_cast<std::size_t>(columns_));
}

void WrongRegion::add(std::int64_t flat_index) {
  if (wrong_ == 0) first_ = flat_index;
  if (stride_ != 1) stride_ = std::gcd(stride_, flat_index - first_);
  last_ = flat_index;
  ++wrong_;
  ++by_residue_[static_cast<std::size_t>(flat_index % kLongestPeriod)];
  if (!is_matrix()) return;
  std::int64_t column = flat_index - row_ * columns_;
  if (column >= columns_) {  // a division takes longer than all the rest
    row_ = flat_index / columns_;
    column = flat_index - row_ * columns_;
  }
  ++by_row_[static_cast<std::size_t>(row_)];
  ++by_column_[static_cast<std::size_t>(column)];
  deepest_ = std::max(deepest_, std::min({row_, rows_ - 1 - row_, column, columns_ - 1 - column}));
}

std::string WrongRegion::describe() const {
  if (wrong_ == 0) return "";
  if (wrong_ == total_) return total_ == 1 ? "the only element" : "everywhere";
  return is_matrix() ? describe_matrix() : describe_line();
}

std::string WrongRegion::describe_line() const {
  if (wrong_ == 1) {
    if (first_ == 0) return "the first element";
    if (first_ == total_ - 1) return "the last element";
    return fmt::format("element {} only", first_);
  }
  const bool from_start = first_ == 0;
  const bool to_end = last_ == total_ - 1;
  const std::int64_t span = last_ - first_ + 1;
  if (wrong_ == span) {
    if (from_start) return fmt::format("the first {} elements", wrong_);
    return to_end ? fmt::format("from {} to the end", first_) : fmt::format("from {} to {}", first_, last_);
  }
  if (wrong_ == 2)
    return from_start && to_end ? "the first and the last element" : fmt::format("elements {} and {}", first_, last_);
  if (stride_ > 1 && wrong_ == (last_ - first_) / stride_ + 1) {
    const std::string until = last_ + stride_ < total_ ? fmt::format(" to {}", last_) : "";
    return fmt::format("every {} element, beginning with {}{}", ordinal(stride_), first_, until);
  }
  if (std::string repetition = describe_repetition(); !repetition.empty()) return repetition;
  if (is_almost_all(wrong_, span)) {
    if (from_start && to_end) return "almost everywhere";
    if (from_start) return fmt::format("almost all up to {}", last_);
    return to_end ? fmt::format("almost all from {} to the end", first_)
                  : fmt::format("almost all from {} to {}", first_, last_);
  }
  return fmt::format("scattered from {} to {}", first_, last_);
}

std::string WrongRegion::describe_repetition() const {
  for (std::int64_t period = 4; period <= kLongestPeriod && period * 2 <= total_; period *= 2) {
    // Either all elements of a residue are wrong or none: anything in between is not a repetition of this period.
    std::int64_t begin = -1;
    std::int64_t end = -1;
    bool repeats = true;
    for (std::int64_t residue = 0; residue < period && repeats; ++residue) {
      std::int64_t wrong = 0;
      for (std::int64_t i = residue; i < kLongestPeriod; i += period) wrong += by_residue_[static_cast<std::size_t>(i)];
      const std::int64_t all = (total_ - residue + period - 1) / period;
      if (wrong == 0) continue;
      repeats = wrong == all && (end == -1 || end == residue - 1);
      if (begin == -1) begin = residue;
      end = residue;
    }
    if (!repeats) continue;
    return begin == end ? fmt::format("element {} of every {}", begin, period)
                        : fmt::format("elements {} to {} of every {}", begin, end, period);
  }
  return "";
}

std::string WrongRegion::describe_matrix() const {
  if (wrong_ == 1) return fmt::format("row {}, column {} only", first_ / columns_, first_ % columns_);
  if (wrong_ == lines_wrong(by_row_) * columns_) return describe_lines("row", by_row_);
  if (wrong_ == lines_wrong(by_column_) * rows_) return describe_lines("column", by_column_);

  const std::int64_t frame = deepest_ + 1;
  const std::int64_t inside =
      std::max<std::int64_t>(0, rows_ - 2 * frame) * std::max<std::int64_t>(0, columns_ - 2 * frame);
  if (wrong_ == total_ - inside) return fmt::format("the border, {} element{} wide", frame, frame == 1 ? "" : "s");

  const Span rows = span_of(by_row_);
  const Span columns = span_of(by_column_);
  const std::int64_t box = (rows.last - rows.first + 1) * (columns.last - columns.first + 1);
  std::string where = describe_range("row", rows.first, rows.last, rows_) + ", " +
                      describe_range("column", columns.first, columns.last, columns_);
  if (wrong_ == box) return where;

  if (wrong_ == last_ - first_ + 1) {
    const std::string from = fmt::format("row {}, column {}", first_ / columns_, first_ % columns_);
    const std::string to = fmt::format("row {}, column {}", last_ / columns_, last_ % columns_);
    if (first_ == 0) return fmt::format("from the start to {}", to);
    return last_ == total_ - 1 ? fmt::format("from {} to the end", from) : fmt::format("from {} to {}", from, to);
  }
  if (wrong_ > 2 && stride_ > 1 && wrong_ == (last_ - first_) / stride_ + 1 && stride_ < columns_)
    return fmt::format("every {} element in row-major order, beginning with row {}, column {}", ordinal(stride_),
                       first_ / columns_, first_ % columns_);
  if (is_almost_all(wrong_, total_)) return "almost everywhere";
  if (is_almost_all(wrong_, box)) return "almost all of " + where;
  // A border is informative only if the inside is four times as deep.
  if (frame * 8 <= std::min(rows_, columns_))
    return frame == 1 ? "only on the border" : fmt::format("only within {} elements of the border", frame);
  if (rows.first == 0 && rows.last == rows_ - 1 && columns.first == 0 && columns.last == columns_ - 1)
    return "scattered over the whole array";
  return "scattered over " + where;
}

}  // namespace lanewise
