// Edge lists: a graph as text, one edge per line, as distributed by the Stanford collection (SNAP) and others.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "datasets/coordinates.h"
#include "datasets/data_error.h"

namespace lanewise {

/// The graph in `file`: on each line two vertex ids (whole numbers from 0, of up to 64 bits) separated by blanks, tabs
/// or a comma. Lines that are blank or begin with '#' or '%' are skipped. Ids become 0, 1, 2, ... in ascending order of
/// the file's ids, so vertices without an edge have none. Edges are kept as given, in order: row is the first id,
/// column the second; loops and repeated edges are kept. There are no values.
///
/// Some files begin with their counts, some do not, and a first line "62586 147892" may be an edge as well. It is taken
/// as the counts of vertices and edges if exactly that many edges follow and they name at most that many vertices.
/// Counts "V V E" are accepted on the same condition, and so are V and E on two lines. A first line of two numbers is
/// refused as neither an edge nor correct counts if the first number is at least the number of vertices named below,
/// and either the line uses other separators than the rest, or its numbers ascend, exceed every id below, and announce
/// no fewer edges than follow: such a file is cut short. A comment "# Nodes: V Edges: E", as written by SNAP and
/// write_edge_list, settles the matter: then that many edges must follow, and the first line is one of them.
///
/// Weights are not supported: the error for a third number says how to remove it. Every error names file and line.
std::variant<Coordinates, DataError> read_edge_list(const std::filesystem::path& file);

/// The same from a file's contents; `name` is the beginning of an error's sentence.
std::variant<Coordinates, DataError> decode_edge_list(std::string_view contents, const std::string& name);

/// Writes the edges of a square matrix, below a comment with their counts; values are left out. Reading gives the same
/// graph if every vertex has an edge; otherwise vertices without edges are lost and the others move up. Places out of
/// range and lists of different lengths cannot be written.
std::optional<DataError> write_edge_list(const std::filesystem::path& file, const Coordinates& edges);

}  // namespace lanewise
