// A table of generators.
#include "grader/data/generators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "datasets/coordinates.h"
#include "datasets/edge_list.h"
#include "datasets/graph_generators.h"
#include "datasets/key_generators.h"
#include "datasets/matrix_generators.h"
#include "datasets/matrix_market.h"
#include "datasets/npy.h"

namespace lanewise {
namespace {

constexpr std::int64_t kMostRows = kMaxMatrixExtent;  // a file of more is not read back
constexpr std::int64_t kMostKeys = std::int64_t{1} << 32;

std::uint64_t seed(const ParameterValues& values) { return static_cast<std::uint64_t>(values.at("seed")); }

double real(const ParameterValues& values, const char* name) { return static_cast<double>(values.at(name)); }

double two_to(const ParameterValues& values, const char* name) {
  return static_cast<double>(std::int64_t{1} << values.at(name));
}

template <class Fill>
MadeData keys(const ParameterValues& values, const Fill& fill) {
  Keys made(static_cast<std::size_t>(values.at("n")));
  fill(made.data(), static_cast<std::int64_t>(made.size()));
  return made;
}

double count_of_keys(const ParameterValues& values) { return real(values, "n") / 4; }  // of the limit for entries

using Values = const ParameterValues&;

std::vector<Generator> make_table() {
  using std::string;
  const auto vertices = [](std::int64_t otherwise) { return GeneratorParameter{"vertices", otherwise, 1, kMostRows}; };
  const GeneratorParameter scale{"scale", 10, 0, 28};
  const GeneratorParameter edge_factor{"edge_factor", 16, 0, 1024};
  const GeneratorParameter rows{"rows", 10'000, 0, kMostRows};
  const GeneratorParameter cols{"cols", 10'000, 0, kMostRows};
  const GeneratorParameter per_row{"per_row", 8, 0, kMostRows};
  const GeneratorParameter n{"n", 1'000'000, 1, kMostKeys};
  return {
      {"rmat_graph",
       DataKind::kGraph,
       "few vertices of very high degree, as in the Graph500 benchmark",
       {scale, edge_factor},
       [](Values v) { return 2 * two_to(v, "scale") * real(v, "edge_factor"); },
       [](Values v) -> MadeData {
         return rmat_graph(static_cast<int>(v.at("scale")), static_cast<int>(v.at("edge_factor")), seed(v));
       }},
      {"uniform_graph",
       DataKind::kGraph,
       "edges between random vertices: all degrees are similar",
       {vertices(10'000), {"edges", 80'000, 0, kMostEntries}},
       [](Values v) { return 2 * real(v, "edges"); },
       [](Values v) -> MadeData { return uniform_graph(v.at("vertices"), v.at("edges"), seed(v)); }},
      {"lattice_graph",
       DataKind::kGraph,
       "like a road map: a grid with gaps and some diagonals",
       {{"width", 100, 1, 1 << 16}, {"height", 100, 1, 1 << 16}},
       [](Values v) { return 8 * real(v, "width") * real(v, "height"); },
       [](Values v) -> MadeData { return lattice_graph(v.at("width"), v.at("height"), seed(v)); }},
      {"path_graph",
       DataKind::kGraph,
       "all vertices in one line, numbered at random (in order if the seed is 0)",
       {vertices(10'000)},
       [](Values v) { return 2 * real(v, "vertices"); },
       [](Values v) -> MadeData { return path_graph(v.at("vertices"), seed(v)); }},
      {"star_graph",
       DataKind::kGraph,
       "vertex 0 connected to all others",
       {vertices(10'000)},
       [](Values v) { return 2 * real(v, "vertices"); },
       [](Values v) -> MadeData { return star_graph(v.at("vertices")); }},
      {"components_graph",
       DataKind::kGraph,
       "that many connected components, including isolated vertices",
       {vertices(10'000), {"components", 100, 1, kMostRows}},
       [](Values v) { return 2.25 * real(v, "vertices"); },
       [](Values v) -> MadeData {
         return components_graph(v.at("vertices"), std::min(v.at("components"), v.at("vertices")), seed(v));
       }},
      {"poisson5",
       DataKind::kMatrix,
       "the Laplace operator on n x n points",
       {{"n", 100, 0, 1 << 14}},
       [](Values v) { return 5 * real(v, "n") * real(v, "n"); },
       [](Values v) -> MadeData { return poisson5(v.at("n")); }},
      {"poisson7",
       DataKind::kMatrix,
       "the Laplace operator on n x n x n points, with a 7-point stencil",
       {{"n", 20, 0, 640}},
       [](Values v) { return 7 * real(v, "n") * real(v, "n") * real(v, "n"); },
       [](Values v) -> MadeData { return poisson7(v.at("n")); }},
      {"poisson27",
       DataKind::kMatrix,
       "the Laplace operator on n x n x n points, with a 27-point stencil",
       {{"n", 20, 0, 640}},
       [](Values v) { return 27 * real(v, "n") * real(v, "n") * real(v, "n"); },
       [](Values v) -> MadeData { return poisson27(v.at("n")); }},
      {"banded_matrix",
       DataKind::kMatrix,
       "all positions near the diagonal",
       {rows, {"half_width", 4, 0, kMostRows}},
       [](Values v) { return real(v, "rows") * (2 * real(v, "half_width") + 1); },
       [](Values v) -> MadeData { return banded_matrix(v.at("rows"), v.at("half_width"), seed(v)); }},
      {"dense_row_matrix",
       DataKind::kMatrix,
       "rows of equal length, and a full one in the middle",
       {rows, cols, per_row},
       [](Values v) { return real(v, "rows") * real(v, "per_row") + real(v, "cols"); },
       [](Values v) -> MadeData {
         return dense_row_matrix(v.at("rows"), v.at("cols"), std::min(v.at("per_row"), v.at("cols")), seed(v));
       }},
      {"gaps_matrix",
       DataKind::kMatrix,
       "most rows empty, in long runs",
       {rows, cols, per_row},
       [](Values v) { return 2 * real(v, "rows") * real(v, "per_row"); },
       [](Values v) -> MadeData { return gaps_matrix(v.at("rows"), v.at("cols"), v.at("per_row"), seed(v)); }},
      {"uniform_rows_matrix",
       DataKind::kMatrix,
       "rows of equal length, at random positions",
       {rows, cols, per_row},
       [](Values v) { return real(v, "rows") * real(v, "per_row"); },
       [](Values v) -> MadeData {
         return uniform_rows_matrix(v.at("rows"), v.at("cols"), std::min(v.at("per_row"), v.at("cols")), seed(v));
       }},
      {"rmat_matrix",
       DataKind::kMatrix,
       "rows and columns skewed like the degrees of rmat_graph",
       {scale, edge_factor},
       [](Values v) { return two_to(v, "scale") * real(v, "edge_factor"); },
       [](Values v) -> MadeData {
         return rmat_matrix(static_cast<int>(v.at("scale")), static_cast<int>(v.at("edge_factor")), seed(v));
       }},
      {"entropy_keys",
       DataKind::kKeys,
       "random words ANDed: 1 is uniform, more have fewer ones, 0 is all zero",
       {n, {"words", 1, 0, 32}},
       count_of_keys,
       [](Values v) {
         return keys(v, [&v](std::uint32_t* to, std::int64_t count) {
           fill_entropy_keys(to, count, static_cast<int>(v.at("words")), seed(v));
         });
       }},
      {"sorted_keys",
       DataKind::kKeys,
       "ascending",
       {n},
       count_of_keys,
       [](Values v) {
         return keys(v, [&v](std::uint32_t* to, std::int64_t count) { fill_sorted_keys(to, count, seed(v)); });
       }},
      {"reversed_keys",
       DataKind::kKeys,
       "descending",
       {n},
       count_of_keys,
       [](Values v) {
         return keys(v, [&v](std::uint32_t* to, std::int64_t count) { fill_reversed_keys(to, count, seed(v)); });
       }},
      {"equal_keys",
       DataKind::kKeys,
       "all equal",
       {n},
       count_of_keys,
       [](Values v) {
         return keys(v, [&v](std::uint32_t* to, std::int64_t count) { fill_equal_keys(to, count, seed(v)); });
       }},
      {"few_keys",
       DataKind::kKeys,
       "only that many distinct values",
       {n, {"different", 16, 1, kMostKeys}},
       count_of_keys,
       [](Values v) {
         return keys(
             v, [&v](std::uint32_t* to, std::int64_t count) { fill_few_keys(to, count, v.at("different"), seed(v)); });
       }},
      {"zipf_keys",
       DataKind::kKeys,
       "65536 distinct values, the r-th 1/r as frequent as the first",
       {n},
       count_of_keys,
       [](Values v) {
         return keys(v, [&v](std::uint32_t* to, std::int64_t count) { fill_zipf_keys(to, count, seed(v)); });
       }},
      {"nearly_sorted_keys",
       DataKind::kKeys,
       "ascending, except for one in 128",
       {n},
       count_of_keys,
       [](Values v) {
         return keys(v, [&v](std::uint32_t* to, std::int64_t count) { fill_nearly_sorted_keys(to, count, seed(v)); });
       }},
  };
}

ParameterValues completed(const Generator& generator, ParameterValues values) {
  for (const GeneratorParameter& parameter : generator.parameters) values.emplace(parameter.name, parameter.otherwise);
  values.emplace("seed", 1);
  return values;
}

// A graph's edges once, the smaller vertex first.
Coordinates edges_of(const Csr& graph) {
  Coordinates edges{graph.rows, graph.cols, {}, {}, {}};
  for (std::int64_t row = 0; row < graph.rows; ++row)
    for (std::int32_t i = graph.row_offsets[static_cast<std::size_t>(row)];
         i < graph.row_offsets[static_cast<std::size_t>(row) + 1]; ++i)
      if (graph.columns[static_cast<std::size_t>(i)] >= row) {
        edges.row.push_back(static_cast<std::int32_t>(row));
        edges.column.push_back(graph.columns[static_cast<std::size_t>(i)]);
      }
  return edges;
}

Coordinates entries_of(const Csr& matrix) {
  Coordinates entries{matrix.rows, matrix.cols, {}, matrix.columns, matrix.values};
  entries.row.reserve(matrix.columns.size());
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    entries.row.insert(entries.row.end(),
                       static_cast<std::size_t>(matrix.row_offsets[static_cast<std::size_t>(row) + 1] -
                                                matrix.row_offsets[static_cast<std::size_t>(row)]),
                       static_cast<std::int32_t>(row));
  return entries;
}

NpyArray array_of(const Keys& keys) {
  NpyArray array{NpyType::kUint32, {static_cast<std::int64_t>(keys.size())}, {}};
  array.bytes.resize(keys.size() * sizeof(std::uint32_t));
  std::memcpy(array.bytes.data(), keys.data(), array.bytes.size());
  return array;
}

}  // namespace

const std::vector<Generator>& all_generators() {
  static const std::vector<Generator> kAll = make_table();
  return kAll;
}

const Generator* find_generator(const std::string& name) {
  for (const Generator& generator : all_generators())
    if (generator.name == name) return &generator;
  return nullptr;
}

std::string generator_names() {
  std::vector<std::string> names;
  for (const Generator& generator : all_generators()) names.push_back(generator.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string kind_text(DataKind kind) {
  return kind == DataKind::kGraph ? "graph" : kind == DataKind::kMatrix ? "matrix" : "keys";
}

std::optional<Failure> check_parameters(const Generator& generator, const ParameterValues& values) {
  std::vector<GeneratorParameter> known = generator.parameters;
  known.push_back({"seed", 1, 0, INT64_MAX});
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const GeneratorParameter& parameter : known) names.push_back(parameter.name);
  for (const auto& [name, value] : values) {
    const auto is_meant = [&name = name](const GeneratorParameter& parameter) { return parameter.name == name; };
    const auto found = std::find_if(known.begin(), known.end(), is_meant);
    if (found == known.end())
      return Failure{fmt::format("{} has no parameter '{}'; it has {}", generator.name, name, fmt::join(names, ", "))};
    if (value < found->least || value > found->most)
      return Failure{fmt::format("{} of {} must be from {} to {}, not {}", name, generator.name, found->least,
                                 found->most, value)};
  }
  const double entries = generator.entries(completed(generator, values));
  if (entries > static_cast<double>(kMostEntries))
    return Failure{
        fmt::format("{} would make up to {:.3g} entries; 32 bits can count {}", generator.name, entries, kMostEntries)};
  return std::nullopt;
}

MadeData make_data(const Generator& generator, const ParameterValues& values) {
  return generator.make(completed(generator, values));
}

bool can_hold(const std::string& ending, DataKind kind) {
  if (kind == DataKind::kKeys) return ending == ".npy";
  return ending == ".mtx" || (kind == DataKind::kGraph && ending == ".txt");
}

std::string comment_of(const Generator& generator, const ParameterValues& values) {
  std::string comment = "made by: lanewise data make " + generator.name;
  for (const auto& [name, value] : values) comment += fmt::format(" {}={}", name, value);
  return comment;
}

std::optional<Failure> write_data(const std::filesystem::path& file, const MadeData& data, const std::string& comment) {
  std::optional<DataError> error;
  if (const auto* keys = std::get_if<Keys>(&data))
    error = write_npy(file, array_of(*keys));
  else if (file.extension() == ".txt")
    error = write_edge_list(file, edges_of(std::get<Csr>(data)));
  else
    error = write_matrix_market(file, entries_of(std::get<Csr>(data)), comment);
  if (error) return Failure{error->sentence};
  return std::nullopt;
}

}  // namespace lanewise
