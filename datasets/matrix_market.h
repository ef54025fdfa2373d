// Matrix Market files: the text format in which collections of sparse matrices are distributed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "datasets/coordinates.h"
#include "datasets/data_error.h"

namespace lanewise {

/// Matrices with more rows or columns are refused: a file of a hundred bytes may claim any number of empty rows, all of
/// which need row offsets.
inline constexpr std::int64_t kMaxMatrixExtent = std::int64_t{1} << 28;

/// The matrix in `file`: "coordinate" (entries one by one) or "array" (all of them, column by column; zeros are kept,
/// so that `value` is the whole matrix in column-major order), of real, integer or pattern kind.
/// Entries come in the order of the file. A symmetric or skew-symmetric file lists the lower triangle; each entry below
/// the diagonal is followed by its mirror image. Several entries at the same place stay several: to_csr decides.
/// Values are rounded to float; what rounds to infinity is refused, as are NaN and infinity themselves.
/// Numbers may be written in any form of C or C++, and with Fortran's D for the exponent. Blank lines and comments are
/// allowed anywhere below the banner, and so are Windows line endings.
/// Refused explicitly: complex and hermitian matrices, vectors, and compressed files.
/// Every error names the file and the line. Nothing is allocated because of a header alone.
/// Source of the format: R. Boisvert, R. Pozo, K. Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR
/// 5935, 1996.
std::variant<Coordinates, DataError> read_matrix_market(const std::filesystem::path& file);

/// The same from a file's contents; `name` is the beginning of an error's sentence.
std::variant<Coordinates, DataError> decode_matrix_market(std::string_view contents, const std::string& name);

/// Writes the entries unchanged, as a general coordinate file: pattern if there are no values, otherwise real with just
/// enough digits to give the same floats when read. `comment` (may be empty, may have several lines) goes below the
/// banner. Places out of range, values that are not finite, and lists of different lengths cannot be written.
std::optional<DataError> write_matrix_market(const std::filesystem::path& file, const Coordinates& entries,
                                             const std::string& comment = "");

}  // namespace lanewise
