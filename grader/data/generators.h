// The generators of datasets/ by name, with checked parameters, and the files that hold what they make.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "datasets/csr.h"
#include "harness/lab/failure.h"

namespace lanewise {

enum class DataKind : std::uint8_t { kGraph, kMatrix, kKeys };

using Keys = std::vector<std::uint32_t>;
/// A graph is a Csr without values.
using MadeData = std::variant<Csr, Keys>;
using ParameterValues = std::map<std::string, std::int64_t>;

struct GeneratorParameter {
  std::string name;
  std::int64_t otherwise = 0;  ///< its value if none is given
  std::int64_t least = 0;
  std::int64_t most = 0;
};

/// One of the functions of datasets/*_generators.h. All of them have the parameter `seed`, from 0, by default 1.
struct Generator {
  std::string name;
  DataKind makes = DataKind::kGraph;
  std::string what;
  std::vector<GeneratorParameter> parameters;
  double (*entries)(const ParameterValues&) = nullptr;  ///< the most that it may make
  MadeData (*make)(const ParameterValues&) = nullptr;   ///< takes complete, checked values
};

const std::vector<Generator>& all_generators();

/// Null if there is none of that name.
const Generator* find_generator(const std::string& name);

/// "rmat_graph, uniform_graph, ..."
std::string generator_names();

/// "graph", "matrix" or "keys"
std::string kind_text(DataKind kind);

/// What is wrong with the values: unknown names, values out of range, more entries than 32 bits can count.
std::optional<Failure> check_parameters(const Generator& generator, const ParameterValues& values);

/// Values that have passed check_parameters, completed with defaults.
MadeData make_data(const Generator& generator, const ParameterValues& values);

/// Whether a file with that ending (".mtx", ".txt", ".npy") can hold such data: graphs and matrices .mtx, graphs .txt
/// too (an edge list), keys .npy.
bool can_hold(const std::string& ending, DataKind kind);

/// "made by: lanewise data make rmat_graph edge_factor=16 scale=12": the comment in files of the catalogue.
std::string comment_of(const Generator& generator, const ParameterValues& values);

/// Writes the file its ending names; `comment` goes into it where the format has comments.
std::optional<Failure> write_data(const std::filesystem::path& file, const MadeData& data, const std::string& comment);

}  // namespace lanewise
