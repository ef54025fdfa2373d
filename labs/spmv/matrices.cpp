// Makes sparse matrices and multiplies them by vectors.
#include "labs/spmv/matrices.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "datasets/chunks.h"
#include "datasets/random.h"
#include "labs/spmv/known_matrices.h"

namespace lanewise::labs::spmv_lab {
namespace {

constexpr std::int64_t kMostOfACase = std::int64_t{1} << 28;
constexpr std::int64_t kLargestInteger = 1000;  // their products add up exactly over rows of more than 10 entries

std::int64_t bounded(const Parameters& parameters, const char* key, std::int64_t least, std::int64_t most) {
  const std::int64_t value = parameters.integer(key);
  if (value < least || value > most)
    throw std::invalid_argument(std::string("the key '") + key + "' of a sparse matrix must lie between " +
                                std::to_string(least) + " and " + std::to_string(most));
  return value;
}

std::vector<std::int64_t> numbers_in(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    if (*at == ' ') {
      ++at;
      continue;
    }
    std::int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0)
      throw std::invalid_argument("'lengths' must hold numbers of entries with blanks between them, not '" + text +
                                  "'");
    numbers.push_back(number);
    at = next;
  }
  return numbers;
}

// Rows of `length` entries, the last one shorter if need be.
void add_rows(std::vector<std::int64_t>& lengths, std::int64_t length, std::int64_t entries) {
  for (; entries > 0; entries -= std::min(length, entries)) lengths.push_back(std::min(length, entries));
}

// Entries a row, if the kind is one of those that are told by them.
std::optional<std::vector<std::int64_t>> row_lengths(const Parameters& parameters, Random& random) {
  const std::string& kind = parameters.text("kind");
  std::vector<std::int64_t> lengths;
  if (kind == "rows") return numbers_in(parameters.text("lengths"));
  if (kind == "lengths") {
    add_rows(lengths, bounded(parameters, "length", 1, kMostOfACase), bounded(parameters, "nnz", 0, kMostOfACase));
    return lengths;
  }
  if (kind == "all lengths") {
    const std::int64_t nnz = bounded(parameters, "nnz", 0, kMostOfACase);
    const std::int64_t longest = bounded(parameters, "longest", 1, kMostOfACase);
    std::int64_t kinds = 0;
    for (std::int64_t length = 1; length <= longest; length *= 2) ++kinds;
    std::int64_t left = nnz;
    for (std::int64_t length = 1; length <= longest; length *= 2) {
      const std::int64_t entries = 2 * length <= longest ? nnz / kinds : left;
      add_rows(lengths, length, entries);
      left -= entries;
    }
    shuffle(lengths, random);
    return lengths;
  }
  return std::nullopt;
}

// The columns of each row begin anywhere and go on in steps of 1 and 2.
Csr matrix_of_lengths(const std::vector<std::int64_t>& lengths, std::int64_t cols, Random& random) {
  Csr matrix;
  matrix.rows = static_cast<std::int64_t>(lengths.size());
  matrix.cols = cols;
  matrix.row_offsets.push_back(0);
  for (const std::int64_t length : lengths) {
    if (length > cols) throw std::invalid_argument("a row cannot have more entries than there are columns");
    const std::int64_t room = cols - length;
    std::int64_t steps_of_two = std::min(room, length / 2);
    std::int64_t column = random.between(0, room - steps_of_two);
    for (std::int64_t k = 0; k < length; ++k) {
      matrix.columns.push_back(static_cast<std::int32_t>(column));
      // As many steps of two as are left, at random among the steps that are left.
      const std::int64_t steps = length - 1 - k;
      const bool is_wide =
          steps > 0 && random.below(static_cast<std::uint64_t>(steps)) < static_cast<std::uint64_t>(steps_of_two);
      column += is_wide ? 2 : 1;
      steps_of_two -= is_wide ? 1 : 0;
    }
    matrix.row_offsets.push_back(static_cast<std::int32_t>(matrix.columns.size()));
  }
  return matrix;
}

template <class T>
Array array_of(const char* name, std::vector<T>& values) {
  const auto count = static_cast<std::int64_t>(values.size());
  Array array = make_array<T>(name, {count});
  T* to = elements<T>(array);
  for_each_chunk(count, [&](int, std::int64_t, std::int64_t first, std::int64_t end) {
    std::copy(values.begin() + first, values.begin() + end, to + first);
  });
  values = {};  // a race's arrays are large: never two of each
  return array;
}

Array random_floats(const char* name, std::int64_t count, const Parameters& parameters, std::uint64_t seed) {
  Array array = make_array<float>(name, {count});
  float* values = elements<float>(array);
  const std::int64_t most = parameters.has("integers") ? bounded(parameters, "integers", 1, kLargestInteger) : 0;
  for_each_chunk(count, [&](int, std::int64_t chunk, std::int64_t first, std::int64_t end) {
    Random random(seed + static_cast<std::uint64_t>(chunk) * 0xD1342543DE82EF95U);
    for (std::int64_t i = first; i < end; ++i)
      values[i] = most > 0 ? static_cast<float>(random.between(-most, most)) : random.uniform(-1, 1);
  });
  return array;
}

void clear_rows(Problem& problem, std::int64_t every) {
  const Inputs in = inputs_of(problem);
  float* values = elements<float>(problem.inputs[2]);
  for (std::int64_t row = 0; row < in.rows; row += every)
    std::fill(values + in.row_offsets[row], values + in.row_offsets[row + 1], 0.0f);
}

void scale_rows(Problem& problem, std::uint64_t seed) {
  const Inputs in = inputs_of(problem);
  float* values = elements<float>(problem.inputs[2]);
  Random random(seed);
  for (std::int64_t row = 0; row < in.rows; ++row) {
    const float power = std::ldexp(1.0f, static_cast<int>(random.between(-20, 10)));
    for (std::int64_t j = in.row_offsets[row]; j < in.row_offsets[row + 1]; ++j) values[j] *= power;
  }
}

}  // namespace

Inputs inputs_of(const Problem& problem) {
  return {elements<std::int32_t>(find_array(problem.inputs, "row_offsets")),
          elements<std::int32_t>(find_array(problem.inputs, "columns")),
          elements<float>(find_array(problem.inputs, "values")),
          elements<float>(find_array(problem.inputs, "x")),
          integer_scalar(problem, "rows"),
          integer_scalar(problem, "cols"),
          integer_scalar(problem, "nnz")};
}

std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed) {
  Random random(seed);
  const std::uint64_t seed_of_matrix = random.next();
  const std::uint64_t seed_of_values = random.next();
  const std::uint64_t seed_of_x = random.next();
  Csr matrix;
  if (const auto lengths = row_lengths(parameters, random)) {
    matrix = matrix_of_lengths(*lengths, bounded(parameters, "cols", 0, kMostOfACase), random);
  } else if (auto known = known_matrix(parameters, seed_of_matrix)) {
    if (auto* missing = std::get_if<MissingData>(&*known)) return std::move(*missing);
    matrix = std::get<Csr>(std::move(*known));
  } else {
    throw std::invalid_argument("labs/spmv/matrices.h lists the kinds of matrices; '" + parameters.text("kind") +
                                "' is none of them");
  }

  Problem problem;
  const std::int64_t rows = matrix.rows, cols = matrix.cols;
  const auto nnz = static_cast<std::int64_t>(matrix.columns.size());
  problem.inputs.push_back(array_of("row_offsets", matrix.row_offsets));
  problem.inputs.push_back(array_of("columns", matrix.columns));
  const bool has_values = !matrix.values.empty();
  if (has_values && !parameters.has("integers")) {
    problem.inputs.push_back(array_of("values", matrix.values));
  } else {
    matrix.values = {};
    problem.inputs.push_back(random_floats("values", nnz, parameters, seed_of_values));
    if (parameters.text("kind") == "file" && !has_values)
      std::fill_n(elements<float>(problem.inputs.back()), nnz, 1.0f);
  }
  problem.inputs.push_back(random_floats("x", cols, parameters, seed_of_x));
  problem.outputs = {{"y", DType::kFloat32, {rows}}};
  problem.scalars = {{"rows", rows}, {"cols", cols}, {"nnz", nnz}};
  if (parameters.has("scaled")) scale_rows(problem, seed_of_values + 1);
  if (parameters.has("zeros")) clear_rows(problem, bounded(parameters, "zeros", 1, kMostOfACase));
  return problem;
}

Array unwritten(const Problem& problem) {
  Array y = make_array<float>("y", {integer_scalar(problem, "rows")});
  std::fill(y.bytes.begin(), y.bytes.end(), kPoison);
  return y;
}

void for_each_piece(const Inputs& in, const std::function<void(std::int64_t first, std::int64_t end)>& work) {
  // Rows and entries together are what costs: row i begins with number i + row_offsets[i] of them, which ascends.
  const auto row_at = [&in](std::int64_t item) {
    std::int64_t low = 0, high = in.rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (middle + in.row_offsets[middle] < item)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  for_each_chunk(in.rows + in.nnz, [&](int, std::int64_t, std::int64_t begin, std::int64_t end) {
    const std::int64_t first = row_at(begin);
    const std::int64_t last = row_at(end);
    if (first < last) work(first, last);
  });
}

Array product(const Problem& problem) {
  const Inputs in = inputs_of(problem);
  Array result = make_array<float>("y", {in.rows});
  float* y = elements<float>(result);
  for_each_piece(in, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t row = first; row < end; ++row) {
      double sum = 0;
      for (std::int64_t j = in.row_offsets[row]; j < in.row_offsets[row + 1]; ++j)
        sum += static_cast<double>(in.values[j]) * in.x[in.columns[j]];
      y[row] = static_cast<float>(sum);
    }
  });
  return result;
}

}  // namespace lanewise::labs::spmv_lab
