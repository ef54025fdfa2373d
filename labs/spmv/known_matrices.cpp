// Hands the parameters of a case to the generators and readers of datasets/.
#include "labs/spmv/known_matrices.h"

#include <filesystem>
#include <string>
#include <utility>

#include "datasets/coordinates.h"
#include "datasets/data_path.h"
#include "datasets/matrix_generators.h"
#include "datasets/matrix_market.h"

namespace lanewise::labs::spmv_lab {
namespace {

std::variant<Csr, MissingData> file_called(const std::string& name) {
  const auto found = find_data(name);
  if (const auto* error = std::get_if<DataError>(&found)) return MissingData{error->sentence};
  auto read = read_matrix_market(std::get<std::filesystem::path>(found));
  if (const auto* error = std::get_if<DataError>(&read)) return MissingData{error->sentence};
  return to_csr(std::get<Coordinates>(std::move(read)), Duplicates::kSum);
}

}  // namespace

std::optional<std::variant<Csr, MissingData>> known_matrix(const Parameters& parameters, std::uint64_t seed) {
  const std::string& kind = parameters.text("kind");
  const auto number = [&parameters](const char* key) { return parameters.integer(key); };
  if (kind == "file") return file_called(parameters.text("name"));
  if (kind == "uniform") return uniform_rows_matrix(number("rows"), number("cols"), number("per_row"), seed);
  if (kind == "dense row") return dense_row_matrix(number("rows"), number("cols"), number("per_row"), seed);
  if (kind == "gaps") return gaps_matrix(number("rows"), number("cols"), number("per_row"), seed);
  if (kind == "banded") return banded_matrix(number("rows"), number("half_width"), seed);
  if (kind == "poisson5") return poisson5(number("n"));
  if (kind == "poisson7") return poisson7(number("n"));
  if (kind == "poisson27") return poisson27(number("n"));
  if (kind == "rmat")
    return rmat_matrix(static_cast<int>(number("scale")), static_cast<int>(number("edge_factor")), seed);
  return std::nullopt;
}

}  // namespace lanewise::labs::spmv_lab
