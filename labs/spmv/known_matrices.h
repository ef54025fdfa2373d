// The kinds of matrices that other rooms know how to make, under the names that lab.toml gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "datasets/csr.h"
#include "harness/lab/lab.h"

namespace lanewise::labs::spmv_lab {

/// The matrix of a case, if its kind is one of them; MissingData if it is a file that is not there. The values may be
/// missing (a pattern).
std::optional<std::variant<Csr, MissingData>> known_matrix(const Parameters& parameters, std::uint64_t seed);

}  // namespace lanewise::labs::spmv_lab
