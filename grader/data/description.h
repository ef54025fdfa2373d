// Describes a data set, read from a file or just generated, in a few lines of facts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "datasets/csr.h"
#include "datasets/image.h"
#include "datasets/npy.h"
#include "grader/data/generators.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// An undirected graph: both directions, no loops, no duplicates; and what was left out for this.
struct Graph {
  Csr neighbours;
  std::int64_t given = -1;    ///< edges as the file has them; -1 if the graph was not read from a list of edges
  std::int64_t loops = 0;     ///< of those
  std::int64_t repeated = 0;  ///< and duplicates, in this direction or the other
};

struct Matrix {
  Csr rows;
  std::int64_t repeated = 0;  ///< entries at a position that already has one; kept
};

using DataContents = std::variant<Graph, Matrix, NpyArray, Image>;

/// How a graph or matrix file is read: as a graph if it is an edge list, otherwise as a matrix; or as requested.
enum class TakenAs : std::uint8_t { kWhatItIs, kGraph, kMatrix };

/// Reads a file by its ending: .mtx, .txt, .el, .edges, .npy, or a picture.
Expected<DataContents> read_data(const std::filesystem::path& file, TakenAs as);

/// The same for data that a generator made.
DataContents contents_of(MadeData made, DataKind kind);

/// One line each: name and value.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// The first fact's name is "kind".
Facts facts_of(const DataContents& contents);

/// Lengths of all rows, ascending: degrees of a graph.
std::vector<std::int64_t> row_lengths(const Csr& matrix);

/// The elements of an array of numbers, each rounded to double.
std::vector<double> numbers_of(const NpyArray& array);

}  // namespace lanewise
