// Works out mistakes. All of them are one of the two right computations with something changed.
#include "labs/attention/mistakes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "labs/attention/heads.h"

namespace lanewise::labs::attention_lab {
namespace {

// Not worked out for a problem with more products (or elements) than this: it would take longer than it is worth.
constexpr std::int64_t kMostWork = std::int64_t{1} << 28;

// What exp of a score minus `base` is in float, for weights that are not referred to the maximum.
void to_float_weights(std::vector<double>& scores, double base) {
  for (double& score : scores) score = std::exp(static_cast<float>(score - base));
}

double float_sum(const std::vector<double>& weights) {
  float sum = 0;
  for (const double weight : weights) sum += static_cast<float>(weight);
  return sum;
}

double greatest_of(const std::vector<double>& scores) { return *std::max_element(scores.begin(), scores.end()); }

// Weights, relative to the greatest score, if what was summed up is not rescaled when a tile of `keys` scores raises
// the maximum: each weight then refers to the maximum that its tile knew.
void refer_to_running_maximum(std::vector<double>& scores, std::size_t keys) {
  double maximum = -std::numeric_limits<double>::infinity();
  for (std::size_t first = 0; first < scores.size(); first += keys) {
    const std::size_t end = std::min(first + keys, scores.size());
    for (std::size_t j = first; j < end; ++j) maximum = std::max(maximum, scores[j]);
    for (std::size_t j = first; j < end; ++j) scores[j] = std::exp(scores[j] - maximum);
  }
}

double without_maximum(std::vector<double>& weights) {
  to_float_weights(weights, 0);
  return float_sum(weights);
}

// --- softmax ---

// y from rows that change(row's elements) turns into weights, and what it returns as their sum.
template <class Change>
std::function<std::vector<Array>(const Problem&)> rows_with(const Change& change) {
  return [change](const Problem& problem) -> std::vector<Array> {
    const Array& x = problem.inputs.at(0);
    if (static_cast<std::int64_t>(element_count(x)) > kMostWork) return {};
    Array y = make_array<float>("y", x.shape);
    const std::int64_t cols = x.shape[1];
    for (std::int64_t row = 0; row < x.shape[0] && cols > 0; ++row) {
      const float* const from = elements<float>(x) + row * cols;
      std::vector<double> weights(from, from + cols);
      const double sum = change(weights);
      std::transform(weights.begin(), weights.end(), elements<float>(y) + row * cols,
                     [sum](double weight) { return static_cast<float>(weight / sum); });
    }
    return {y};
  };
}

std::vector<Array> softmax_of_columns(const Problem& problem) {
  Problem turned = problem;
  Array& x = turned.inputs.at(0);
  const std::int64_t rows = x.shape[0];
  const std::int64_t cols = x.shape[1];
  const auto transpose = [](const Array& from, Array& to) {
    const std::int64_t height = from.shape[0];
    const std::int64_t width = from.shape[1];
    for (std::int64_t row = 0; row < height; ++row)
      for (std::int64_t col = 0; col < width; ++col)
        elements<float>(to)[col * height + row] = elements<float>(from)[row * width + col];
  };
  x.shape = {cols, rows};
  transpose(problem.inputs.at(0), x);
  Array y = make_array<float>("y", {rows, cols});
  transpose(right_softmax(turned), y);
  return {y};
}

double without_maximum_in_results(std::vector<double>& weights) {
  std::vector<double> right = weights;
  const double sum = to_weights(right);
  to_float_weights(weights, 0);
  return sum;
}

double without_maximum_in_sum(std::vector<double>& weights) {
  std::vector<double> wrong = weights;
  to_weights(weights);
  return without_maximum(wrong);
}

// The sum if blocks of `threads` leave out their last warp, or of a short row the last warp that has elements, but not
// in all its lanes.
double without_last_warp(std::vector<double>& weights, std::size_t threads, bool is_partial) {
  const std::size_t end = is_partial ? std::min(threads, weights.size()) / 32 * 32 : threads - 32;
  to_weights(weights);
  double sum = 0;
  for (std::size_t c = 0; c < weights.size(); ++c)
    if (c % threads < end) sum += weights[c];
  return sum;
}

// NaN wherever two of `threads` have no element; other rows are right.
double with_nan_of_idle_threads(std::vector<double>& weights, std::size_t threads) {
  const double sum = to_weights(weights);
  return weights.size() + 1 < threads ? std::numeric_limits<double>::quiet_NaN() : sum;
}

// The sum if rows of whole vectors are filled up with zeros to `places`.
double with_zeros_behind(std::vector<double>& weights, std::size_t places) {
  const std::size_t cols = weights.size();
  if (cols % 4 == 0 && cols < places) weights.resize(places, 0.0);
  const double sum = to_weights(weights);
  weights.resize(cols);
  return sum;
}

void add_mistakes_of_blocks(std::vector<Misconception>& list) {
  constexpr std::array<std::size_t, 5> kThreads = {256, 128, 512, 1024, 32};
  for (const std::size_t threads : kThreads)
    list.push_back(
        {"threads without elements combined",
         "Rows with fewer elements than threads give NaN. A thread without an element has the maximum "
         "-INFINITY: -INFINITY - -INFINITY is NaN, and so is its sum 0 times exp(INFINITY).",
         rows_with([threads](std::vector<double>& weights) { return with_nan_of_idle_threads(weights, threads); })});
  for (const bool is_partial : {false, true})
    for (const std::size_t threads : kThreads)
      list.push_back({"last warp left out",
                      "The sum lacks what the last warp has added up: count the warps that have elements, rounded up, "
                      "and combine the sums of all of them.",
                      rows_with([threads, is_partial](std::vector<double>& weights) {
                        return without_last_warp(weights, threads, is_partial);
                      })});
  for (const std::size_t places : {1024, 2048, 4096, 8192})
    list.push_back({"places behind the row counted",
                    "Places behind the end of the row were counted as elements with the value 0. Let them hold "
                    "-INFINITY, whose exponential is 0.",
                    rows_with([places](std::vector<double>& weights) { return with_zeros_behind(weights, places); })});
}

// --- attention ---

constexpr double kNoKey = -std::numeric_limits<double>::infinity();

// out with weights and their sum from change(scores, head, i); the scores are not scaled yet. There may be more weights
// than keys: a key that does not exist has the value 0.
template <class Change>
std::function<std::vector<Array>(const Problem&)> heads_with(const Change& change, bool is_keys_averaged = false) {
  return [change, is_keys_averaged](const Problem& problem) -> std::vector<Array> {
    const Heads heads(problem);
    if (heads.heads * heads.n * heads.n * heads.d > kMostWork) return {};
    Array out = make_array<float>("out", {heads.heads, heads.n, heads.d});
    for (std::int64_t row = 0; row < heads.heads * heads.n; ++row) {
      const std::int64_t head = row / heads.n;
      std::vector<double> weights = heads.products(head, row % heads.n);
      const double sum = change(weights, heads, row);
      for (std::int64_t c = 0; c < heads.d; ++c) {
        double average = 0;
        for (std::int64_t j = 0; j < heads.n; ++j)
          average += weights[static_cast<std::size_t>(j)] * heads.row(is_keys_averaged ? heads.k : heads.v, head, j)[c];
        elements<float>(out)[row * heads.d + c] = static_cast<float>(average / sum);
      }
    }
    return {out};
  };
}

// out if a thread of 16 divides by the sum of its own weights, those of every 16th key. Its columns are every 16th,
// too, or adjacent.
std::vector<Array> with_sums_apart(const Problem& problem, bool is_adjacent) {
  const Heads heads(problem);
  if (heads.heads * heads.n * heads.n * heads.d > kMostWork) return {};
  Array out = make_array<float>("out", {heads.heads, heads.n, heads.d});
  for (std::int64_t row = 0; row < heads.heads * heads.n; ++row) {
    const std::int64_t head = row / heads.n;
    std::vector<double> weights = heads.products(head, row % heads.n);
    for (double& score : weights) score /= std::sqrt(static_cast<double>(heads.d));
    to_weights(weights);
    for (std::int64_t c = 0; c < heads.d; ++c) {
      const std::int64_t thread = is_adjacent ? c / (heads.d / 16) : c % 16;
      double average = 0;
      double sum = 0;
      for (std::int64_t j = 0; j < heads.n; ++j) {
        const double weight = weights[static_cast<std::size_t>(j)];
        average += weight * heads.row(heads.v, head, j)[c];
        if (j % 16 == thread) sum += weight;
      }
      elements<float>(out)[row * heads.d + c] = static_cast<float>(average / sum);
    }
  }
  return {out};
}

double root(const Heads& heads) { return std::sqrt(static_cast<double>(heads.d)); }

// The same for a change(scores) that does not depend on the place, with scores that are scaled already.
template <class Change>
auto scaled_heads_with(const Change& change, bool is_keys_averaged = false) {
  return heads_with(
      [change](std::vector<double>& weights, const Heads& heads, std::int64_t) {
        for (double& score : weights) score /= root(heads);
        return change(weights);
      },
      is_keys_averaged);
}

double with_maximum_from_zero(std::vector<double>& weights) {
  to_float_weights(weights, std::max(0.0, greatest_of(weights)));
  return float_sum(weights);
}

double without_division(std::vector<double>& weights) {
  to_weights(weights);
  return 1;
}

double with_maximum_of_two_rows(std::vector<double>& weights, const Heads& heads, std::int64_t row) {
  const std::int64_t other = row % heads.n ^ 1;
  double base = 0;  // the score of a query behind the last one
  if (other < heads.n) base = greatest_of(heads.products(row / heads.n, other)) / root(heads);
  for (double& score : weights) score /= root(heads);
  to_float_weights(weights, std::max(base, greatest_of(weights)));
  return float_sum(weights);
}

double with_equal_weights(std::vector<double>& weights) {
  std::fill(weights.begin(), weights.end(), 1.0);
  return static_cast<double>(weights.size());
}

const char* const kNoMaximum =
    "exp of a large score is infinite, and infinity divided by infinity is NaN. Subtract the row's maximum from every "
    "score first.";
const char* const kFromZero =
    "Where all scores are far below 0, all weights became 0: the maximum began with 0. Begin with -INFINITY.";
const char* const kNotDivided = "The weights of a row do not add up to 1: divide by their sum.";

void add_tile_mistakes(std::vector<Misconception>& list) {
  for (const std::size_t keys : {1, 32, 64, 16, 128, 8})
    list.push_back({"average not rescaled",
                    "When the running maximum grows, the sum of weights was rescaled, but the weighted sum of values "
                    "was not. Both refer to the old maximum: multiply both by exp(old - new).",
                    scaled_heads_with([keys](std::vector<double>& weights) {
                      std::vector<double> right = weights;
                      refer_to_running_maximum(weights, keys);
                      return to_weights(right);
                    })});
  for (const std::size_t keys : {1, 32, 64, 16, 128, 8})
    list.push_back({"nothing rescaled",
                    "When the running maximum grows, what was summed up so far still refers to the old one: multiply "
                    "the sum of weights and the weighted sum of values by exp(old - new).",
                    scaled_heads_with([keys](std::vector<double>& weights) {
                      refer_to_running_maximum(weights, keys);
                      double sum = 0;
                      for (const double weight : weights) sum += weight;
                      return sum;
                    })});
  for (const std::size_t keys : {32, 64, 16, 128, 8})
    list.push_back({"places behind the last key counted",
                    "The last tile is not full, and places without a key were counted as keys with score 0. Give them "
                    "the score -INFINITY, so that their weight is 0.",
                    scaled_heads_with([keys](std::vector<double>& weights) {
                      const std::size_t n = weights.size();
                      weights.resize((n + keys - 1) / keys * keys, 0.0);
                      return to_weights(weights);
                    })});
  for (const std::size_t keys : {32, 64, 16, 128, 8})
    list.push_back({"last partial tile of keys left out",
                    "The keys behind the last full tile had no influence: the number of tiles was rounded down.",
                    scaled_heads_with([keys](std::vector<double>& weights) {
                      const std::size_t whole = weights.size() / keys * keys;
                      if (whole == 0) {
                        std::fill(weights.begin(), weights.end(), 0.0);
                        return 0.0;
                      }
                      std::fill(weights.begin() + static_cast<std::ptrdiff_t>(whole), weights.end(), kNoKey);
                      return to_weights(weights);
                    })});
  for (const std::size_t keys : {32, 64, 16, 128, 8})
    list.push_back({"only the first tile of keys",
                    "Only the keys of the first tile had any influence: the block has to walk through all tiles.",
                    scaled_heads_with([keys](std::vector<double>& weights) {
                      if (weights.size() > keys)
                        std::fill(weights.begin() + static_cast<std::ptrdiff_t>(keys), weights.end(), kNoKey);
                      return to_weights(weights);
                    })});
}

}  // namespace

std::vector<Misconception> softmax_mistakes() {
  std::vector<Misconception> list;
  list.push_back({"maximum begun with 0", kFromZero, rows_with(&with_maximum_from_zero)});
  list.push_back({"maximum not subtracted", kNoMaximum, rows_with(&without_maximum)});
  list.push_back({"not divided by the sum", kNotDivided, rows_with(&without_division)});
  list.push_back({"maximum not subtracted from the results",
                  "The maximum was subtracted in the sum, but not in the results: exp(x - maximum) belongs in both.",
                  rows_with(&without_maximum_in_results)});
  list.push_back({"maximum not subtracted in the sum",
                  "The maximum was subtracted in the results, but not in the sum: exp(x - maximum) belongs in both.",
                  rows_with(&without_maximum_in_sum)});
  list.push_back({"softmax of columns", "The columns add up to 1, not the rows: row and column are swapped.",
                  &softmax_of_columns});
  for (const std::size_t threads : {1, 256, 32, 128, 512, 1024})
    list.push_back(
        {"sum not rescaled",
         "When the running maximum grows, the sum so far still refers to the old one: multiply it by exp(old "
         "- new).",
         rows_with([threads](std::vector<double>& weights) {
           double sum = 0;
           for (std::size_t thread = 0; thread < std::min(threads, weights.size()); ++thread) {
             std::vector<double> own;
             for (std::size_t c = thread; c < weights.size(); c += threads) own.push_back(weights[c]);
             const double reference = greatest_of(own) - greatest_of(weights);
             refer_to_running_maximum(own, 1);
             for (const double each : own) sum += each * std::exp(reference);
           }
           to_weights(weights);
           return sum;
         })});
  for (const std::size_t threads : {32, 256, 128, 512, 1024})
    list.push_back({"only one element a thread",
                    "Maximum and sum are those of the first elements only: a thread has to go through the row in a "
                    "loop.",
                    rows_with([threads](std::vector<double>& weights) {
                      const auto end = weights.begin() + static_cast<std::ptrdiff_t>(std::min(threads, weights.size()));
                      std::vector<double> first(weights.begin(), end);
                      const double base = greatest_of(first);
                      to_float_weights(weights, base);
                      return to_weights(first);
                    })});
  add_mistakes_of_blocks(list);
  return list;
}

std::vector<Misconception> attention_mistakes() {
  std::vector<Misconception> list;
  list.push_back({"maximum begun with 0", kFromZero, scaled_heads_with(&with_maximum_from_zero)});
  list.push_back({"maximum not subtracted", kNoMaximum, scaled_heads_with(&without_maximum)});
  list.push_back({"not divided by the sum", kNotDivided, scaled_heads_with(&without_division)});
  list.push_back(
      {"scores not scaled", "The scores were not divided by sqrt(d).",
       heads_with([](std::vector<double>& weights, const Heads&, std::int64_t) { return to_weights(weights); })});
  list.push_back({"scores divided by d", "The scores were divided by d. Divide them by its square root.",
                  heads_with([](std::vector<double>& weights, const Heads& heads, std::int64_t) {
                    for (double& score : weights) score /= static_cast<double>(heads.d);
                    return to_weights(weights);
                  })});
  list.push_back({"keys averaged", "The result is an average of the keys. Average the values.",
                  scaled_heads_with(&to_weights, true)});
  list.push_back(
      {"queries and keys swapped",
       "Each key was compared with all queries: the softmax ran over the wrong index. For one query, it runs "
       "over all keys.",
       heads_with([](std::vector<double>& weights, const Heads& heads, std::int64_t row) {
         const std::int64_t head = row / heads.n;
         for (std::int64_t j = 0; j < heads.n; ++j) {
           double sum = 0;
           for (std::int64_t c = 0; c < heads.d; ++c)
             sum += static_cast<double>(heads.k[row * heads.d + c]) * heads.row(heads.q, head, j)[c];
           weights[static_cast<std::size_t>(j)] = sum / root(heads);
         }
         return to_weights(weights);
       })});
  list.push_back(
      {"all weights equal",
       "Every key had the same weight, as if all scores were 0. Compute 1 / sqrt(d) in float: in integers, it is 0.",
       scaled_heads_with(&with_equal_weights)});
  for (const bool is_adjacent : {false, true})
    list.push_back({"sums of weights not combined",
                    "Each thread has divided by the sum of its own weights. At the end, add up those of the row's 16 "
                    "threads.",
                    [is_adjacent](const Problem& problem) { return with_sums_apart(problem, is_adjacent); }});
  list.push_back({"sums of weights combined twice",
                  "Results are a sixteenth of what they should be: the sums of the row's 16 threads were combined in "
                  "each tile, and again at the end.",
                  scaled_heads_with([](std::vector<double>& weights) { return 16 * to_weights(weights); })});
  list.push_back(
      {"maximum of two rows",
       "Maxima were combined over two rows, so all weights of the lower one are 0. A warp has two rows of 16 "
       "threads: the distances of its shuffles must stay below 16.",
       heads_with(&with_maximum_of_two_rows)});
  add_tile_mistakes(list);
  return list;
}

}  // namespace lanewise::labs::attention_lab
