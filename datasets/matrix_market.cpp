// Reads Matrix Market files: lines of the usual shape in one go, all others word by word, with an eye for what is
// wrong.
#include "datasets/matrix_market.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "datasets/file_contents.h"
#include "datasets/real_number.h"
#include "datasets/text_lines.h"

namespace lanewise {
namespace {

constexpr std::uintmax_t kMostMatrixBytes = std::uintmax_t{1} << 35;

enum class Field : std::uint8_t { kReal, kInteger, kPattern };
enum class Symmetry : std::uint8_t { kGeneral, kSymmetric, kSkewSymmetric };

struct Banner {
  bool is_array = false;
  Field field = Field::kReal;
  Symmetry symmetry = Symmetry::kGeneral;
};

struct Entry {
  std::int64_t row = 0;     // counted from 1, as in the file
  std::int64_t column = 0;  // the same
  float value = 0.0f;
};

std::string decimal(std::int64_t value) { return std::to_string(value); }

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// A whole file being read. Functions that can fail return true if they did, with the sentence in fault_.
class MatrixMarketReader {
 public:
  MatrixMarketReader(std::string_view text, const std::string& name) : lines_(text), name_(name) {}

  std::variant<Coordinates, DataError> read() {
    if (read_banner() || read_sizes() || (banner_.is_array ? read_array() : read_entries()) || read_rest())
      return DataError{std::move(fault_)};
    return std::move(result_);
  }

 private:
  bool fail(const std::string& what) {
    fault_ = name_ + what;
    return true;
  }
  bool fail_line(const std::string& what) { return fail(", line " + decimal(lines_.number()) + ": " + what); }
  bool fail_end(const std::string& what) { return fail(" ends after line " + decimal(lines_.number()) + ", " + what); }

  bool read_banner();
  bool read_sizes();
  bool check_promise();
  bool read_entries();
  bool read_array();
  bool read_rest();

  bool next_line(std::string_view& line);
  bool take_usual_line(Entry& entry);
  bool read_entry_line(std::string_view line, Entry& entry);
  bool read_index(std::string_view word, const char* what, std::int64_t extent, std::int64_t& index);
  bool read_value(std::string_view word, float& value);
  void add(const Entry& entry);

  TextLines lines_;
  std::string name_;
  std::string fault_;
  Banner banner_;
  std::int64_t promised_ = 0;  // lines with entries or values
  Coordinates result_;
};

// The next line that is neither blank nor a comment; true if there is none.
bool MatrixMarketReader::next_line(std::string_view& line) {
  while (const auto next = lines_.next()) {
    line = *next;
    const auto first = std::find_if_not(line.begin(), line.end(), is_blank);
    if (first != line.end() && *first != '%') return false;
  }
  return true;
}

bool MatrixMarketReader::read_banner() {
  const std::string wanted = "'%%MatrixMarket matrix coordinate real general' or the like";
  std::string_view line = lines_.next().value_or("");
  if (lower(line.substr(0, 14)) != "%%matrixmarket")
    return fail_line("a Matrix Market file begins with " + wanted + ", this one with " + shown(line));
  std::string_view words = line.substr(14);
  const std::string object = lower(take_word(words));
  const std::string format = lower(take_word(words));
  const std::string field = lower(take_word(words));
  const std::string symmetry = lower(take_word(words));
  if (symmetry.empty() || !take_word(words).empty())
    return fail_line("the banner has four words after %%MatrixMarket, as in " + wanted + ", this one " +
                     decimal(count_words(line.substr(14))));
  if (object != "matrix") return fail_line("the file holds a " + shown(object) + "; only a 'matrix' is read");
  if (format != "coordinate" && format != "array")
    return fail_line(shown(format) + " is not a format; the formats are 'coordinate' and 'array'");
  banner_.is_array = format == "array";

  if (field == "complex") return fail_line("complex matrices are not supported; real, integer and pattern ones are");
  if (field == "real" || field == "double") {
    banner_.field = Field::kReal;
  } else if (field == "integer" || field == "unsigned-integer") {
    banner_.field = Field::kInteger;
  } else if (field == "pattern") {
    banner_.field = Field::kPattern;
  } else {
    return fail_line(shown(field) + " is not a kind of entry; 'real', 'integer' and 'pattern' are supported");
  }

  if (symmetry == "hermitian") return fail_line("hermitian matrices are complex, which is not supported");
  if (symmetry == "general") {
    banner_.symmetry = Symmetry::kGeneral;
  } else if (symmetry == "symmetric") {
    banner_.symmetry = Symmetry::kSymmetric;
  } else if (symmetry == "skew-symmetric") {
    banner_.symmetry = Symmetry::kSkewSymmetric;
  } else {
    return fail_line(shown(symmetry) + " is not a symmetry; 'general', 'symmetric' and 'skew-symmetric' are supported");
  }
  if (banner_.field == Field::kPattern && banner_.is_array)
    return fail_line("an array lists every entry, so it has no pattern; did you mean 'coordinate'?");
  if (banner_.field == Field::kPattern && banner_.symmetry == Symmetry::kSkewSymmetric)
    return fail_line("a skew-symmetric matrix has signs, and a pattern has none; did you mean 'symmetric'?");
  return false;
}

bool MatrixMarketReader::read_sizes() {
  const std::int64_t count = banner_.is_array ? 2 : 3;
  const std::string what = banner_.is_array ? "the sizes (rows columns)" : "the sizes (rows columns entries)";
  std::string_view line;
  if (next_line(line)) return fail_end("before the line with " + what);
  std::string_view words = line;
  std::array<std::int64_t, 3> sizes{};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto parsed = whole_number(take_word(words));
    const auto* fault = std::get_if<NumberFault>(&parsed);
    if (fault != nullptr && *fault == NumberFault::kNoNumber)
      return fail_line(what + " are " + decimal(count) + " whole numbers, not " + shown(line));
    const std::int64_t most = i < 2 ? kMaxMatrixExtent : kMostEntries;
    const std::int64_t size =
        fault != nullptr ? std::numeric_limits<std::int64_t>::max() : std::get<std::int64_t>(parsed);
    if (size < 0) return fail_line(what + " cannot be negative, as in " + shown(line));
    if (size > most)
      return fail_line(
          (i < 2 ? "at most " + decimal(most) + " rows and columns" : "at most " + decimal(most) + " entries") +
          " are supported, not " + shown(line));
    sizes[static_cast<std::size_t>(i)] = size;
  }
  if (!take_word(words).empty())
    return fail_line(what + " are " + decimal(count) + " whole numbers, not " + shown(line));
  result_.rows = sizes[0];
  result_.cols = sizes[1];
  if (banner_.symmetry != Symmetry::kGeneral && result_.rows != result_.cols)
    return fail_line("a matrix of " + decimal(result_.rows) + " x " + decimal(result_.cols) +
                     " is not square, so it cannot be symmetric");
  promised_ = sizes[2];
  if (banner_.is_array) {
    const std::int64_t below = banner_.symmetry == Symmetry::kSkewSymmetric ? result_.rows - 1 : result_.rows + 1;
    promised_ = banner_.symmetry == Symmetry::kGeneral ? result_.rows * result_.cols
                                                       : std::max<std::int64_t>(0, result_.rows * below / 2);
  } else if (promised_ > 0 && (result_.rows == 0 || result_.cols == 0)) {
    return fail_line("a matrix of " + decimal(result_.rows) + " x " + decimal(result_.cols) + " has no room for " +
                     decimal(promised_) + " entries");
  }
  return check_promise();
}

// Whether what is left of the file can hold what the sizes promise: memory is taken only for what can be there.
bool MatrixMarketReader::check_promise() {
  const std::int64_t shortest = banner_.is_array ? 2 : banner_.field == Field::kPattern ? 4 : 6;  // "0\n", "1 1\n", ...
  const std::int64_t room = (lines_.end() - lines_.at() + 1) / shortest;  // the last line may lack its line feed
  if (promised_ > room)
    return fail_line("the sizes promise " + decimal(promised_) +
                     " entries, but the rest of the file has room for at most " + decimal(room) + "; is it cut short?");
  const std::int64_t all = banner_.symmetry == Symmetry::kGeneral ? promised_ : 2 * promised_;
  // In an array the diagonal is there once; in a coordinate file it may or may not be, so the bound is checked again.
  if (banner_.is_array && result_.rows * result_.cols > kMostEntries)
    return fail_line("at most " + decimal(kMostEntries) + " entries are read");
  result_.row.reserve(static_cast<std::size_t>(all));
  result_.column.reserve(static_cast<std::size_t>(all));
  if (banner_.field != Field::kPattern) result_.value.reserve(static_cast<std::size_t>(all));
  return false;
}

// Appends an entry, and its mirror image where there is one.
void MatrixMarketReader::add(const Entry& entry) {
  const auto row = static_cast<std::int32_t>(entry.row - 1);
  const auto column = static_cast<std::int32_t>(entry.column - 1);
  result_.row.push_back(row);
  result_.column.push_back(column);
  const bool has_values = banner_.field != Field::kPattern;
  if (has_values) result_.value.push_back(entry.value);
  if (banner_.symmetry == Symmetry::kGeneral || row == column) return;
  result_.row.push_back(column);
  result_.column.push_back(row);
  if (has_values) result_.value.push_back(banner_.symmetry == Symmetry::kSymmetric ? entry.value : -entry.value);
}

// Up to nine digits, which always fit; 0, which no index is, if there are none or more.
std::int64_t take_index(const char*& at, const char* end) {
  const char* first = at;
  std::int64_t value = 0;
  while (at != end && *at >= '0' && *at <= '9' && at - first < 9) value = value * 10 + (*at++ - '0');
  return at != end && is_blank(*at) ? value : 0;
}

// The next line if it has the usual shape: indices within range, a number that std::from_chars knows, nothing else. If
// not, it is not taken, and someone with more patience looks at it. This is where reading spends its time.
bool MatrixMarketReader::take_usual_line(Entry& entry) {
  const char* at = lines_.at();
  const char* const end = lines_.end();
  const auto skip_blanks = [&at, end] {
    while (at != end && is_blank(*at)) ++at;
  };
  skip_blanks();
  entry.row = take_index(at, end);
  skip_blanks();
  if (banner_.field == Field::kPattern) {
    const char* first = at;
    std::int64_t column = 0;
    while (at != end && *at >= '0' && *at <= '9' && at - first < 9) column = column * 10 + (*at++ - '0');
    entry.column = column;
  } else {
    entry.column = take_index(at, end);
    skip_blanks();
    if (banner_.field == Field::kReal) {
      const auto [next, error] = std::from_chars(at, end, entry.value);
      if (error != std::errc() || !std::isfinite(entry.value)) return false;
      at = next;
    } else {
      std::int64_t value = 0;
      const auto [next, error] = std::from_chars(at, end, value);
      if (error != std::errc()) return false;
      entry.value = static_cast<float>(value);
      at = next;
    }
  }
  skip_blanks();
  if (at == end || *at != '\n') return false;
  if (entry.row < 1 || entry.row > result_.rows || entry.column < 1 || entry.column > result_.cols) return false;
  if (banner_.symmetry != Symmetry::kGeneral && entry.column >= entry.row &&
      (entry.column > entry.row || banner_.symmetry == Symmetry::kSkewSymmetric))
    return false;
  lines_.taken(at + 1);
  return true;
}

bool MatrixMarketReader::read_index(std::string_view word, const char* what, std::int64_t extent, std::int64_t& index) {
  const auto parsed = whole_number(word);
  const auto* value = std::get_if<std::int64_t>(&parsed);
  if (value == nullptr && std::get<NumberFault>(parsed) == NumberFault::kNoNumber)
    return fail_line(shown(word) + " is not a " + what + " number (a whole number from 1)");
  if (value != nullptr && *value == 0) return fail_line(std::string(what) + " 0; rows and columns are counted from 1");
  if (value == nullptr || *value < 0 || *value > extent)
    return fail_line(std::string(what) + " " + shown(word) + " is not among the " + decimal(extent) +
                     " that the sizes announce");
  index = *value;
  return false;
}

bool MatrixMarketReader::read_value(std::string_view word, float& value) {
  if (banner_.field == Field::kInteger) {
    const auto parsed = whole_number(word);
    if (const auto* whole = std::get_if<std::int64_t>(&parsed)) {
      value = static_cast<float>(*whole);
      return false;
    }
    if (std::get<NumberFault>(parsed) == NumberFault::kTooLarge)
      return fail_line(shown(word) + " does not fit into a 64-bit integer; declare the matrix real in its first line");
    return fail_line(shown(word) + " is not an integer, as the first line requires; should that line say real?");
  }
  const auto parsed = real_number(word);
  if (const auto* real = std::get_if<float>(&parsed)) {
    if (!std::isfinite(*real)) return fail_line(shown(word) + " is not finite, which is not supported");
    value = *real;
    return false;
  }
  if (std::get<NumberFault>(parsed) == NumberFault::kTooLarge)
    return fail_line(shown(word) + " is too large for a float (at most 3.4e38)");
  return fail_line(shown(word) + " is not a number");
}

bool MatrixMarketReader::read_entry_line(std::string_view line, Entry& entry) {
  const std::int64_t wanted = banner_.field == Field::kPattern ? 2 : 3;
  const std::int64_t words = count_words(line);
  if (words != wanted)
    return fail_line(decimal(words) + (words == 1 ? " word" : " words") + " where an entry has " +
                     (wanted == 2 ? "2 (row column)" : "3 (row column value)") + ": " + shown(line));
  if (read_index(take_word(line), "row", result_.rows, entry.row)) return true;
  if (read_index(take_word(line), "column", result_.cols, entry.column)) return true;
  if (wanted == 3 && read_value(take_word(line), entry.value)) return true;
  if (banner_.symmetry == Symmetry::kGeneral || entry.row > entry.column) return false;
  if (entry.row < entry.column)
    return fail_line("row " + decimal(entry.row) + ", column " + decimal(entry.column) +
                     " is above the diagonal; a symmetric or skew-symmetric file lists only the lower triangle");
  if (banner_.symmetry == Symmetry::kSkewSymmetric)
    return fail_line("an entry on the diagonal, where a skew-symmetric matrix has only zeros, which are not listed");
  return false;
}

bool MatrixMarketReader::read_entries() {
  Entry entry;
  for (std::int64_t i = 0; i < promised_; ++i) {
    if (!take_usual_line(entry)) {
      std::string_view line;
      if (next_line(line)) return fail_end("after " + decimal(i) + " of " + decimal(promised_) + " entries");
      if (read_entry_line(line, entry)) return true;
    }
    add(entry);
  }
  if (static_cast<std::int64_t>(result_.row.size()) > kMostEntries)
    return fail_line("both triangles together have more than " + decimal(kMostEntries) + " entries");
  return false;
}

bool MatrixMarketReader::read_array() {
  Entry entry;
  entry.row = 1;
  entry.column = 1;
  const auto first_row = [this](std::int64_t column) {
    if (banner_.symmetry == Symmetry::kGeneral) return std::int64_t{1};
    return banner_.symmetry == Symmetry::kSymmetric ? column : column + 1;
  };
  entry.row = first_row(1);
  for (std::int64_t i = 0; i < promised_; ++i) {
    std::string_view line;
    if (next_line(line)) return fail_end("after " + decimal(i) + " of " + decimal(promised_) + " entries");
    const std::string_view whole = line;
    const std::string_view word = take_word(line);
    if (!take_word(line).empty()) return fail_line("an array has one entry on each line, not more: " + shown(whole));
    if (read_value(word, entry.value)) return true;
    add(entry);
    if (++entry.row > result_.rows) entry.row = first_row(++entry.column);
  }
  return false;
}

bool MatrixMarketReader::read_rest() {
  std::string_view line;
  if (next_line(line)) return false;
  return fail_line("more than the " + decimal(promised_) + " entries that the sizes promise: " + shown(line));
}

std::optional<std::string> unfit_to_write(const Coordinates& entries) {
  const std::size_t count = entries.row.size();
  if (entries.rows < 0 || entries.cols < 0 || entries.rows > kMaxMatrixExtent || entries.cols > kMaxMatrixExtent)
    return "a matrix of " + decimal(entries.rows) + " x " + decimal(entries.cols) + " could not be read back";
  if (entries.column.size() != count || (!entries.value.empty() && entries.value.size() != count))
    return "its lists of rows, columns and values have different lengths";
  for (std::size_t i = 0; i < count; ++i) {
    if (entries.row[i] < 0 || entries.row[i] >= entries.rows || entries.column[i] < 0 ||
        entries.column[i] >= entries.cols)
      return "its entry " + std::to_string(i) + " is out of range";
    if (!entries.value.empty() && !std::isfinite(entries.value[i]))
      return "its entry " + std::to_string(i) + " is not finite";
  }
  return std::nullopt;
}

void append_number(std::string& text, std::int64_t value, char behind) {
  std::array<char, 24> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), error == std::errc() ? end : digits.data());
  text += behind;
}

void append_number(std::string& text, float value, char behind) {
  std::array<char, 24> digits{};  // the longest float takes 15
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), error == std::errc() ? end : digits.data());
  text += behind;
}

}  // namespace

std::variant<Coordinates, DataError> decode_matrix_market(std::string_view contents, const std::string& name) {
  auto text = plain_text(contents, name);
  if (auto* error = std::get_if<DataError>(&text)) return std::move(*error);
  return MatrixMarketReader(std::get<std::string_view>(text), name).read();
}

std::variant<Coordinates, DataError> read_matrix_market(const std::filesystem::path& file) {
  auto bytes = read_contents(file, "matrix", kMostMatrixBytes);
  if (auto* error = std::get_if<DataError>(&bytes)) return std::move(*error);
  return decode_matrix_market(as_text(std::get<std::vector<std::uint8_t>>(bytes)), quoted(file));
}

std::optional<DataError> write_matrix_market(const std::filesystem::path& file, const Coordinates& entries,
                                             const std::string& comment) {
  if (const auto fault = unfit_to_write(entries)) return DataError{quoted(file) + " was not written: " + *fault};
  const bool has_values = !entries.value.empty();
  std::string text =
      std::string("%%MatrixMarket matrix coordinate ") + (has_values ? "real" : "pattern") + " general\n";
  TextLines comment_lines(comment);
  while (const auto line = comment_lines.next()) text.append("% ").append(*line).append("\n");
  append_number(text, entries.rows, ' ');
  append_number(text, entries.cols, ' ');
  append_number(text, static_cast<std::int64_t>(entries.row.size()), '\n');
  for (std::size_t i = 0; i < entries.row.size(); ++i) {
    append_number(text, std::int64_t{entries.row[i]} + 1, ' ');
    append_number(text, std::int64_t{entries.column[i]} + 1, has_values ? ' ' : '\n');
    if (has_values) append_number(text, entries.value[i], '\n');
  }
  return write_contents(file, {text});
}

}  // namespace lanewise
