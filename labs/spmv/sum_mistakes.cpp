// Sums that lack products, or multiply what does not belong together.
#include <algorithm>
#include <cmath>
#include <limits>

#include "labs/spmv/misconceptions.h"
#include "labs/spmv/outcome.h"

namespace lanewise::labs::spmv_lab {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Sum over the entries [first + after, end - before) of each row.
Outcome without_ends(std::int64_t after, std::int64_t before) {
  return by_rows([=](const Inputs& in, std::int64_t row) {
    return sum_of(in.row_offsets[row] + after, in.row_offsets[row + 1] - before,
                  [&](std::int64_t j) { return product_of(in, j); });
  });
}

// The sum with x taken at place(inputs, row, j). Where x has no such element, there is no telling.
template <class Place>
Outcome with_x_at(const Place& place) {
  const Outcome sums = by_rows([=](const Inputs& in, std::int64_t row) {
    return sum_of(in.row_offsets[row], in.row_offsets[row + 1], [&](std::int64_t j) {
      const std::int64_t at = place(in, row, j);
      return at < in.cols ? static_cast<double>(in.values[j]) * in.x[at] : kUnknown;
    });
  });
  return [sums](const Problem& problem) {
    std::vector<Array> result = sums(problem);
    const float* y = elements<float>(result.at(0));
    const bool is_known = std::none_of(y, y + element_count(result[0]), [](float sum) { return std::isnan(sum); });
    return is_known ? std::move(result) : std::vector<Array>{};
  };
}

void add_lost_products(std::vector<Misconception>& list) {
  list.push_back({"last entry of each row left out",
                  "Every row's sum lacks its last product. The entries of row i end before d_row_offsets[i + 1]: the "
                  "loop runs while j is less than that, with nothing subtracted.",
                  without_ends(0, 1)});
  list.push_back({"first entry of each row left out",
                  "Every row's sum lacks its first product. The first entry of row i is number d_row_offsets[i].",
                  without_ends(1, 0)});
  list.push_back({"only the last product kept", "Every row holds only its last product: there is = where += belongs.",
                  by_rows([](const Inputs& in, std::int64_t row) {
                    const std::int64_t end = in.row_offsets[row + 1];
                    return in.row_offsets[row] < end ? product_of(in, end - 1) : 0.0;
                  })});
}

}  // namespace

std::vector<Misconception> sum_mistakes() {
  std::vector<Misconception> list;
  add_lost_products(list);
  list.push_back(
      {"column index ignored",
       "x was not read at the entry's column. Entry j belongs to x[d_columns[j]]: its place in the list of entries, or "
       "in its row, says nothing about its column.",
       with_x_at([](const Inputs& in, std::int64_t row, std::int64_t j) { return j - in.row_offsets[row]; })});
  list.push_back({"x taken at the row", "x was read at the row's index. Entry j belongs to x[d_columns[j]].",
                  with_x_at([](const Inputs&, std::int64_t row, std::int64_t) { return row; })});
  return list;
}

}  // namespace lanewise::labs::spmv_lab
