// Reads edge lists: edges first, with the ids of the file; then what the first line is; then dense ids.
#include "datasets/edge_list.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "datasets/file_contents.h"
#include "datasets/text_lines.h"

namespace lanewise {
namespace {

constexpr std::uintmax_t kMostEdgeListBytes = std::uintmax_t{1} << 35;

std::string text_of(std::int64_t value) { return std::to_string(value); }

struct Edge {
  std::int64_t from;
  std::int64_t to;
};

// What an edge list says about itself, if it does: in a comment or in its first line.
struct Counts {
  std::int64_t vertices = -1;
  std::int64_t edges = -1;
  std::int64_t line = 0;
};

// The ids that edges name, in ascending order, and which of them an id is.
class DenseIds {
 public:
  explicit DenseIds(const std::vector<Edge>& edges) {
    std::int64_t largest = -1;
    for (const Edge& edge : edges) largest = std::max({largest, edge.from, edge.to});
    const auto places = static_cast<std::int64_t>(edges.size());
    // A table of all ids where they are not much sparser than a sorted list of them would be long.
    if (largest < 8 * places + 1024) {
      table_.assign(static_cast<std::size_t>(largest + 1), 0);
      for (const Edge& edge : edges) at(edge.from) = at(edge.to) = 1;
      for (std::int32_t& entry : table_) entry = entry == 0 ? -1 : static_cast<std::int32_t>(count_++);
    } else {
      sorted_.reserve(2 * edges.size());
      for (const Edge& edge : edges) sorted_.insert(sorted_.end(), {edge.from, edge.to});
      std::sort(sorted_.begin(), sorted_.end());
      sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
      count_ = static_cast<std::int64_t>(sorted_.size());
    }
  }

  std::int64_t count() const { return count_; }

  // Only of ids that the edges name.
  std::int32_t of(std::int64_t id) const {
    if (sorted_.empty()) return table_[static_cast<std::size_t>(id)];
    return static_cast<std::int32_t>(std::lower_bound(sorted_.begin(), sorted_.end(), id) - sorted_.begin());
  }

 private:
  std::int32_t& at(std::int64_t id) { return table_[static_cast<std::size_t>(id)]; }

  std::vector<std::int32_t> table_;
  std::vector<std::int64_t> sorted_;
  std::int64_t count_ = 0;
};

// A line's numbers and what stands between the first two of them, of which the first character is enough to compare.
struct Numbers {
  std::array<std::int64_t, 3> values{};
  int count = 0;
  char between = 0;
};

// A whole file being read. Functions that can fail return true if they did, with the sentence in fault_.
class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : lines_(text), name_(name) {}

  std::variant<Coordinates, DataError> read() {
    if (read_first() || read_edges() || settle_first()) return DataError{std::move(fault_)};
    return dense();
  }

 private:
  bool fail(std::int64_t line, const std::string& what) {
    fault_ = name_ + (line > 0 ? ", line " + text_of(line) + ": " : " ") + what;
    return true;
  }
  bool fail_line(const std::string& what) { return fail(lines_.number(), what); }

  bool read_first();
  bool read_edges();
  bool settle_first();
  Coordinates dense();

  bool next_line(std::string_view& line);
  void look_for_counts(std::string_view comment);
  bool read_numbers(std::string_view line, Numbers& numbers);
  bool refuse_as_edge(std::string_view line, const Numbers& numbers);
  bool take_usual_line(Edge& edge);

  TextLines lines_;
  std::string name_;
  std::string fault_;
  Counts counts_;                 // from a comment
  std::array<Numbers, 2> first_;  // numbers on the first line, or one number on each of the first two
  std::int64_t first_line_ = 0;
  char between_ = 0;         // of the edge behind the first line
  std::vector<Edge> edges_;  // without the first line, until that turns out to be one
};

// The next line that is neither blank nor a comment; true if there is none.
bool Reader::next_line(std::string_view& line) {
  while (const auto next = lines_.next()) {
    line = *next;
    const auto first = std::find_if_not(line.begin(), line.end(), is_blank);
    if (first == line.end()) continue;
    if (*first != '#' && *first != '%') return false;
    look_for_counts(line);
  }
  return true;
}

// SNAP's "# Nodes: 62586 Edges: 147892".
void Reader::look_for_counts(std::string_view comment) {
  if (counts_.line != 0 || first_line_ != 0) return;  // they stand above the edges
  std::string_view before;
  Counts found;
  for (std::string_view word = take_word(comment); !word.empty(); before = word, word = take_word(comment)) {
    const auto parsed = whole_number(word);
    const auto* value = std::get_if<std::int64_t>(&parsed);
    if (value == nullptr || *value < 0) continue;
    if (before == "Nodes:") found.vertices = *value;
    if (before == "Edges:") found.edges = *value;
  }
  if (found.vertices < 0 || found.edges < 0) return;
  counts_ = found;
  counts_.line = lines_.number();
}

// The whole numbers of a line, at most three; a count of four says that there is more.
bool Reader::read_numbers(std::string_view line, Numbers& numbers) {
  const auto is_parting = [](char c) { return is_blank(c) || c == ','; };
  std::string_view rest = line;
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  while (!rest.empty() && numbers.count < 3) {
    const auto last = std::find_if(rest.begin(), rest.end(), is_parting);
    const std::string_view word = rest.substr(0, static_cast<std::size_t>(last - rest.begin()));
    const auto parsed = whole_number(word);
    const auto* value = std::get_if<std::int64_t>(&parsed);
    if (value == nullptr && numbers.count == 2) {  // a weight that is no whole number
      numbers.values[2] = -1;
      ++numbers.count;
      return false;
    }
    if (value == nullptr && std::get<NumberFault>(parsed) == NumberFault::kTooLarge)
      return fail_line(shown(word) + " is too large for a vertex id of 64 bits");
    if (value == nullptr || *value < 0)
      return fail_line(shown(word) + " is not a vertex id (a whole number from 0); a line without an edge " +
                       "must begin with #");
    numbers.values[static_cast<std::size_t>(numbers.count++)] = *value;
    rest.remove_prefix(word.size());
    if (numbers.count == 1 && !rest.empty()) numbers.between = rest.front();
    bool comma = false;
    while (!rest.empty() && is_parting(rest.front())) {
      if (rest.front() == ',' && std::exchange(comma, true)) return fail_line("two commas in a row: " + shown(line));
      rest.remove_prefix(1);
    }
    if (comma && rest.empty()) return fail_line("nothing after the comma: " + shown(line));
  }
  if (!rest.empty()) ++numbers.count;
  return false;
}

bool Reader::refuse_as_edge(std::string_view line, const Numbers& numbers) {
  if (numbers.count == 1) return fail_line("one number where an edge has two: " + shown(line));
  return fail_line("more than two numbers where an edge has two: " + shown(line) +
                   "; weights are not supported: remove them (cut, or awk '{print $1, $2}')");
}

// The first line, or the first two if they have one number each.
bool Reader::read_first() {
  std::string_view line;
  if (next_line(line)) {
    if (counts_.edges == 0) return false;  // an empty graph that says so
    return fail(0, "holds no edges, only " + text_of(lines_.number()) + " blank or comment lines");
  }
  first_line_ = lines_.number();
  if (read_numbers(line, first_[0])) return true;
  if (counts_.line != 0) {
    if (first_[0].count != 2) return refuse_as_edge(line, first_[0]);
  } else if (first_[0].count == 1) {
    std::string_view second;
    if (next_line(second)) return refuse_as_edge(line, first_[0]);
    if (read_numbers(second, first_[1])) return true;
    if (first_[1].count != 1)
      return fail(first_line_,
                  "one number where an edge has two: " + shown(line) + "; if it is a count, begin the line with #");
  } else if (first_[0].count > 2) {
    const auto& values = first_[0].values;
    if (first_[0].count > 3 || values[2] < 0 || values[0] != values[1]) return refuse_as_edge(line, first_[0]);
  }
  return false;
}

// At most 19 digits and a word that ends behind them; -1 if it is anything else.
std::int64_t take_id(const char*& at, const char* end) {
  const char* first = at;
  std::uint64_t value = 0;
  while (at != end && *at >= '0' && *at <= '9' && at - first < 18)
    value = value * 10 + static_cast<std::uint64_t>(*at++ - '0');
  return at == first ? -1 : static_cast<std::int64_t>(value);
}

// The next line if it has the usual shape; if not, it is not taken.
bool Reader::take_usual_line(Edge& edge) {
  const char* at = lines_.at();
  const char* const end = lines_.end();
  edge.from = take_id(at, end);
  if (edge.from < 0 || at == end || (!is_blank(*at) && *at != ',')) return false;
  bool comma = false;
  while (at != end && (is_blank(*at) || (*at == ',' && !std::exchange(comma, true)))) ++at;
  edge.to = take_id(at, end);
  while (at != end && is_blank(*at)) ++at;
  if (edge.to < 0 || at == end || *at != '\n') return false;
  lines_.taken(at + 1);
  return true;
}

bool Reader::read_edges() {
  Edge edge{};
  edges_.reserve(static_cast<std::size_t>(lines_.end() - lines_.at()) / 8);  // most lines are longer
  for (bool is_second = true;; is_second = false) {
    if (is_second || !take_usual_line(edge)) {
      std::string_view line;
      if (next_line(line)) break;
      Numbers numbers;
      if (read_numbers(line, numbers)) return true;
      if (numbers.count != 2) return refuse_as_edge(line, numbers);
      edge = {numbers.values[0], numbers.values[1]};
      if (is_second) between_ = numbers.between;
    }
    edges_.push_back(edge);
    if (static_cast<std::int64_t>(edges_.size()) >= kMostEntries)
      return fail_line("at most " + text_of(kMostEntries) + " edges are read");
  }
  return false;
}

// Whether the first line is the counts of what follows, an edge, or neither.
bool Reader::settle_first() {
  if (first_line_ == 0) return false;
  const auto& values = first_[0].values;
  const auto behind = static_cast<std::int64_t>(edges_.size());
  const auto take_as_edge = [this, &values] {
    edges_.insert(edges_.begin(), Edge{values[0], values[1]});
    return false;
  };
  if (counts_.line != 0) {
    if (behind + 1 == counts_.edges) return take_as_edge();
    return fail(counts_.line, "the comment announces " + text_of(counts_.edges) + " edges, but there are " +
                                  text_of(behind + 1) + "; is the file cut short? If not, remove the comment");
  }

  const bool is_two_lines = first_[0].count == 1;
  const std::int64_t announced =
      is_two_lines ? first_[1].values[0] : values[static_cast<std::size_t>(first_[0].count - 1)];
  const std::string claim = text_of(values[0]) + " vertices and " + text_of(announced) + " edges";
  if (announced == behind) {
    const std::int64_t named = DenseIds(edges_).count();
    if (named <= values[0]) return false;
    if (first_[0].count == 2) return take_as_edge();
    return fail(first_line_, "the file announces " + claim + ", but its edges name " + text_of(named) + " vertices");
  }
  if (is_two_lines || first_[0].count == 3)
    return fail(first_line_,
                "the file announces " + claim + ", but " + text_of(behind) + " edges follow; is it cut short?");

  std::int64_t largest = -1;
  for (const Edge& edge : edges_) largest = std::max({largest, edge.from, edge.to});
  const bool is_above = values[0] > largest && values[1] > values[0] && values[1] >= behind;
  const bool is_parted_otherwise = first_[0].between != between_;
  if (behind > 0 && (is_above || is_parted_otherwise) && values[0] >= DenseIds(edges_).count())
    return fail(first_line_,
                "this looks like the counts of " + claim + ", but " + text_of(behind) +
                    " edges follow; is the file cut short? If it is an edge, move it further down; if it " +
                    "is neither, begin the line with #");
  return take_as_edge();
}

Coordinates Reader::dense() {
  const DenseIds ids(edges_);
  Coordinates result;
  result.rows = result.cols = ids.count();
  result.row.reserve(edges_.size());
  result.column.reserve(edges_.size());
  for (const Edge& edge : edges_) {
    result.row.push_back(ids.of(edge.from));
    result.column.push_back(ids.of(edge.to));
  }
  return result;
}

void append(std::string& text, std::int64_t value, char behind) {
  std::array<char, 24> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), error == std::errc() ? end : digits.data());
  text += behind;
}

}  // namespace

std::variant<Coordinates, DataError> decode_edge_list(std::string_view contents, const std::string& name) {
  auto text = plain_text(contents, name);
  if (auto* error = std::get_if<DataError>(&text)) return std::move(*error);
  return Reader(std::get<std::string_view>(text), name).read();
}

std::variant<Coordinates, DataError> read_edge_list(const std::filesystem::path& file) {
  auto bytes = read_contents(file, "graph", kMostEdgeListBytes);
  if (auto* error = std::get_if<DataError>(&bytes)) return std::move(*error);
  return decode_edge_list(as_text(std::get<std::vector<std::uint8_t>>(bytes)), quoted(file));
}

std::optional<DataError> write_edge_list(const std::filesystem::path& file, const Coordinates& edges) {
  const auto refused = [&file](const std::string& why) { return DataError{quoted(file) + " was not written: " + why}; };
  const std::size_t count = edges.row.size();
  if (edges.rows != edges.cols)
    return refused("a matrix of " + text_of(edges.rows) + " x " + text_of(edges.cols) + " is not a graph");
  if (edges.column.size() != count) return refused("its lists of rows and columns have different lengths");
  std::string text = "# Nodes: " + text_of(edges.rows) + " Edges: " + std::to_string(count) + "\n";
  for (std::size_t i = 0; i < count; ++i) {
    if (edges.row[i] < 0 || edges.row[i] >= edges.rows || edges.column[i] < 0 || edges.column[i] >= edges.cols)
      return refused("its edge " + std::to_string(i) + " is out of range");
    append(text, edges.row[i], '\t');
    append(text, edges.column[i], '\n');
  }
  return write_contents(file, {text});
}

}  // namespace lanewise
