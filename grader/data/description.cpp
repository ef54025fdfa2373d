// Collects the facts.
#include "grader/data/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "datasets/coordinates.h"
#include "datasets/edge_list.h"
#include "datasets/matrix_market.h"
#include "harness/lab/number_text.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

Graph graph_of(const Coordinates& edges) {
  Graph graph;
  graph.neighbours = undirected_graph(edges);
  graph.given = static_cast<std::int64_t>(edges.row.size());
  for (std::size_t i = 0; i < edges.row.size(); ++i) graph.loops += edges.row[i] == edges.column[i] ? 1 : 0;
  graph.repeated = graph.given - graph.loops - static_cast<std::int64_t>(graph.neighbours.columns.size()) / 2;
  return graph;
}

Matrix matrix_of(Csr rows) {
  Matrix matrix{std::move(rows), 0};
  for (std::int64_t row = 0; row < matrix.rows.rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    for (std::int32_t i = matrix.rows.row_offsets[at] + 1; i < matrix.rows.row_offsets[at + 1]; ++i)
      matrix.repeated +=
          matrix.rows.columns[static_cast<std::size_t>(i)] == matrix.rows.columns[static_cast<std::size_t>(i) - 1] ? 1
                                                                                                                   : 0;
  }
  return matrix;
}

Expected<DataContents> of_places(const std::variant<Coordinates, DataError>& read, bool is_graph) {
  if (const auto* error = std::get_if<DataError>(&read)) return Failure{error->sentence};
  const auto& places = std::get<Coordinates>(read);
  if (is_graph) return DataContents(graph_of(places));
  return DataContents(matrix_of(to_csr(places, Duplicates::kKeep)));
}

std::string percent(double part, double whole) {
  if (whole <= 0) return "0 %";
  return fmt::format("{:.3g} %", 100 * part / whole);
}

// "0, median 4, mean 6.1, 90 % at most 12, 1,045"
void add_lengths(Facts& facts, const std::string& name, const std::vector<std::int64_t>& lengths) {
  if (lengths.empty()) return;
  const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  facts.emplace_back(
      name,
      fmt::format("{} to {}; median {}, mean {:.4g}, 99 % have at most {}", with_commas(lengths.front()),
                  with_commas(lengths.back()), with_commas(lengths[lengths.size() / 2]),
                  sum / static_cast<double>(lengths.size()), with_commas(lengths[(lengths.size() - 1) * 99 / 100])));
}

// The longest hundredth of the rows: how uneven the work is.
void add_skew(Facts& facts, const std::string& name, const std::vector<std::int64_t>& lengths) {
  if (lengths.size() < 100) return;
  const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  const auto top = static_cast<std::ptrdiff_t>(lengths.size() / 100);
  facts.emplace_back(name, percent(std::accumulate(lengths.end() - top, lengths.end(), 0.0), sum));
}

// Sizes of connected components, ascending.
std::vector<std::int64_t> component_sizes(const Csr& graph) {
  std::vector<std::int32_t> parent(static_cast<std::size_t>(graph.rows));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&parent](std::int32_t vertex) {
    while (parent[static_cast<std::size_t>(vertex)] != vertex) {  // path halving
      std::int32_t& up = parent[static_cast<std::size_t>(vertex)];
      up = parent[static_cast<std::size_t>(up)];
      vertex = up;
    }
    return vertex;
  };
  for (std::int32_t vertex = 0; vertex < graph.rows; ++vertex)
    for (std::int32_t i = graph.row_offsets[static_cast<std::size_t>(vertex)];
         i < graph.row_offsets[static_cast<std::size_t>(vertex) + 1]; ++i) {
      const std::int32_t a = root(vertex);
      const std::int32_t b = root(graph.columns[static_cast<std::size_t>(i)]);
      parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  std::vector<std::int64_t> sizes(parent.size());
  for (std::int32_t vertex = 0; vertex < graph.rows; ++vertex) ++sizes[static_cast<std::size_t>(root(vertex))];
  sizes.erase(std::remove(sizes.begin(), sizes.end(), 0), sizes.end());
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

Facts facts_of_graph(const Graph& graph) {
  const Csr& csr = graph.neighbours;
  const auto degrees = row_lengths(csr);
  const auto isolated = std::count(degrees.begin(), degrees.end(), 0);
  const auto sizes = component_sizes(csr);
  Facts facts = {{"kind", "graph, treated as undirected"}, {"vertices", with_commas(csr.rows)}};
  facts.emplace_back("edges", with_commas(static_cast<std::int64_t>(csr.columns.size()) / 2));
  if (graph.given >= 0 && graph.loops + graph.repeated > 0)
    facts.emplace_back("left out", fmt::format("{} of {} given: {} self-loops, {} duplicates",
                                               with_commas(graph.loops + graph.repeated), with_commas(graph.given),
                                               with_commas(graph.loops), with_commas(graph.repeated)));
  add_lengths(facts, "degrees", degrees);
  add_skew(facts, "edges at the top 1 % of vertices", degrees);
  facts.emplace_back("isolated vertices", with_commas(isolated));
  if (!sizes.empty())
    facts.emplace_back("components",
                       fmt::format("{}; the largest has {} of all vertices", with_commas(sizes.size()),
                                   percent(static_cast<double>(sizes.back()), static_cast<double>(csr.rows))));
  facts.emplace_back("in memory",
                     fmt::format("{} bytes as CSR", with_commas(4 * (csr.row_offsets.size() + csr.columns.size()))));
  return facts;
}

// Whether every entry has its mirror image, in position and in value.
std::string symmetry(const Csr& matrix) {
  if (matrix.rows != matrix.cols) return "no: it is not square";
  Coordinates mirrored{matrix.cols, matrix.rows, matrix.columns, {}, matrix.values};
  mirrored.column.reserve(matrix.columns.size());
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    mirrored.column.insert(mirrored.column.end(),
                           static_cast<std::size_t>(matrix.row_offsets[static_cast<std::size_t>(row) + 1] -
                                                    matrix.row_offsets[static_cast<std::size_t>(row)]),
                           static_cast<std::int32_t>(row));
  const Csr transposed = to_csr(mirrored, Duplicates::kKeep);
  if (transposed.row_offsets != matrix.row_offsets || transposed.columns != matrix.columns) return "no";
  return transposed.values == matrix.values ? "yes" : "its pattern is, its values are not";
}

Facts facts_of_matrix(const Matrix& matrix) {
  const Csr& csr = matrix.rows;
  const auto lengths = row_lengths(csr);
  const auto entries = static_cast<std::int64_t>(csr.columns.size());
  Facts facts = {{"kind", csr.values.empty() ? "sparse matrix, a pattern without values" : "sparse matrix"},
                 {"rows x columns", fmt::format("{} x {}", with_commas(csr.rows), with_commas(csr.cols))}};
  facts.emplace_back("entries", fmt::format("{}, {} of all positions", with_commas(entries),
                                            percent(static_cast<double>(entries),
                                                    static_cast<double>(csr.rows) * static_cast<double>(csr.cols))));
  if (matrix.repeated > 0)
    facts.emplace_back("repeated", fmt::format("{} at a position that already has one", with_commas(matrix.repeated)));
  add_lengths(facts, "entries per row", lengths);
  add_skew(facts, "entries in the longest 1 % of rows", lengths);
  facts.emplace_back("empty rows", with_commas(std::count(lengths.begin(), lengths.end(), 0)));
  std::int64_t farthest = 0;
  std::int64_t diagonal = 0;
  for (std::int64_t row = 0; row < csr.rows; ++row)
    for (std::int32_t i = csr.row_offsets[static_cast<std::size_t>(row)];
         i < csr.row_offsets[static_cast<std::size_t>(row) + 1]; ++i) {
      const std::int64_t away = std::abs(csr.columns[static_cast<std::size_t>(i)] - row);
      farthest = std::max(farthest, away);
      diagonal += away == 0 ? 1 : 0;
    }
  facts.emplace_back("farthest from the diagonal", with_commas(farthest));
  facts.emplace_back("on the diagonal", with_commas(diagonal));
  facts.emplace_back("symmetric", symmetry(csr));
  if (!csr.values.empty()) {
    const auto [least, most] = std::minmax_element(csr.values.begin(), csr.values.end());
    facts.emplace_back("values", fmt::format("{:.6g} to {:.6g}", *least, *most));
  }
  facts.emplace_back("in memory",
                     fmt::format("{} bytes as CSR",
                                 with_commas(4 * (csr.row_offsets.size() + csr.columns.size() + csr.values.size()))));
  return facts;
}

Facts facts_of_array(const NpyArray& array) {
  std::vector<std::string> extents;
  for (const std::int64_t extent : array.shape) extents.push_back(with_commas(extent));
  Facts facts = {{"kind", fmt::format("array of {}", npy_name_of(array.type))},
                 {"shape", extents.empty() ? "one number" : fmt::format("{}", fmt::join(extents, " x "))}};
  std::vector<double> numbers = numbers_of(array);
  facts.emplace_back("elements", with_commas(numbers.size()));
  const auto last_number = std::remove_if(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); });
  if (last_number != numbers.end())
    facts.emplace_back("not a number", with_commas(static_cast<std::int64_t>(numbers.end() - last_number)));
  numbers.erase(last_number, numbers.end());
  if (numbers.empty()) return facts;
  std::int64_t falls = 0;
  for (std::size_t i = 1; i < numbers.size(); ++i) falls += numbers[i] < numbers[i - 1] ? 1 : 0;
  facts.emplace_back(
      "in order", falls == 0 ? "ascending"
                             : fmt::format("no: {} are smaller than their predecessor, {}", with_commas(falls),
                                           percent(static_cast<double>(falls), static_cast<double>(numbers.size()))));
  std::sort(numbers.begin(), numbers.end());
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  facts.emplace_back("values",
                     fmt::format("{:.10g} to {:.10g}; median {:.10g}, mean {:.6g}", numbers.front(), numbers.back(),
                                 numbers[numbers.size() / 2], sum / static_cast<double>(numbers.size())));
  std::int64_t different = 1;
  std::int64_t run = 1;
  std::int64_t most = 1;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    run = numbers[i] == numbers[i - 1] ? run + 1 : 1;
    different += run == 1 ? 1 : 0;
    most = std::max(most, run);
  }
  facts.emplace_back("distinct values", with_commas(different));
  facts.emplace_back("most common",
                     fmt::format("{} times, {}", with_commas(most),
                                 percent(static_cast<double>(most), static_cast<double>(numbers.size()))));
  return facts;
}

Facts facts_of_picture(const Image& image) {
  const char* const channels[] = {"", "grey", "grey and alpha", "RGB", "RGBA"};
  return {{"kind", "picture"},
          {"width x height", fmt::format("{} x {} pixels", with_commas(image.width), with_commas(image.height))},
          {"channels", fmt::format("{}, {}", image.channels, channels[std::clamp(image.channels, 0, 4)])},
          {"in memory", fmt::format("{} bytes", with_commas(image.pixels.size()))}};
}

template <class T>
void append_numbers(const NpyArray& array, std::vector<double>& numbers) {
  const std::size_t count = array.bytes.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    T number;
    std::memcpy(&number, array.bytes.data() + i * sizeof(T), sizeof(T));
    numbers.push_back(static_cast<double>(number));
  }
}

}  // namespace

Expected<DataContents> read_data(const fs::path& file, TakenAs as) {
  const std::string ending = file.extension().string();
  if (ending == ".mtx") return of_places(read_matrix_market(file), as == TakenAs::kGraph);
  if (ending == ".txt" || ending == ".el" || ending == ".edges")
    return of_places(read_edge_list(file), as != TakenAs::kMatrix);
  if (ending == ".npy") {
    auto array = read_npy(file);
    if (const auto* error = std::get_if<DataError>(&array)) return Failure{error->sentence};
    return DataContents(std::move(std::get<NpyArray>(array)));
  }
  const std::set<std::string> pictures = {".png", ".jpg", ".jpeg", ".ppm", ".pgm"};
  if (pictures.count(ending) == 0)
    return Failure{fmt::format(
        "'{}' does not end in .mtx (Matrix Market), .txt, .el or .edges (edge lists), .npy, .png, .jpg, .ppm or .pgm",
        file.string())};
  auto image = read_image(file);
  if (const auto* error = std::get_if<DataError>(&image)) return Failure{error->sentence};
  return DataContents(std::move(std::get<Image>(image)));
}

DataContents contents_of(MadeData made, DataKind kind) {
  if (const auto* keys = std::get_if<Keys>(&made)) {
    NpyArray array{NpyType::kUint32, {static_cast<std::int64_t>(keys->size())}, {}};
    array.bytes.resize(keys->size() * sizeof(std::uint32_t));
    std::memcpy(array.bytes.data(), keys->data(), array.bytes.size());
    return array;
  }
  if (kind == DataKind::kGraph) return Graph{std::move(std::get<Csr>(made)), -1, 0, 0};
  return matrix_of(std::move(std::get<Csr>(made)));
}

Facts facts_of(const DataContents& contents) {
  if (const auto* graph = std::get_if<Graph>(&contents)) return facts_of_graph(*graph);
  if (const auto* matrix = std::get_if<Matrix>(&contents)) return facts_of_matrix(*matrix);
  if (const auto* array = std::get_if<NpyArray>(&contents)) return facts_of_array(*array);
  return facts_of_picture(std::get<Image>(contents));
}

std::vector<std::int64_t> row_lengths(const Csr& matrix) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(static_cast<std::size_t>(matrix.rows));
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row)
    lengths.push_back(matrix.row_offsets[row + 1] - matrix.row_offsets[row]);
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

std::vector<double> numbers_of(const NpyArray& array) {
  std::vector<double> numbers;
  numbers.reserve(array.bytes.size() / npy_size_of(array.type));
  switch (array.type) {
    case NpyType::kInt8:
      append_numbers<std::int8_t>(array, numbers);
      break;
    case NpyType::kUint8:
      append_numbers<std::uint8_t>(array, numbers);
      break;
    case NpyType::kInt16:
      append_numbers<std::int16_t>(array, numbers);
      break;
    case NpyType::kUint16:
      append_numbers<std::uint16_t>(array, numbers);
      break;
    case NpyType::kInt32:
      append_numbers<std::int32_t>(array, numbers);
      break;
    case NpyType::kUint32:
      append_numbers<std::uint32_t>(array, numbers);
      break;
    case NpyType::kInt64:
      append_numbers<std::int64_t>(array, numbers);
      break;
    case NpyType::kUint64:
      append_numbers<std::uint64_t>(array, numbers);
      break;
    case NpyType::kFloat32:
      append_numbers<float>(array, numbers);
      break;
    case NpyType::kFloat64:
      append_numbers<double>(array, numbers);
      break;
  }
  return numbers;
}

}  // namespace lanewise
