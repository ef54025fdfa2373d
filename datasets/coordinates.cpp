// A counting sort in two passes: entries into buckets of neighbouring rows, then every bucket into rows by itself.
#include "datasets/coordinates.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "datasets/chunks.h"

namespace lanewise {
namespace {

// Memory that is written before it is read: no pass over gigabytes to set it to zero.
template <class T>
std::unique_ptr<T[]> unset(std::int64_t n) {
  return std::unique_ptr<T[]>(new T[static_cast<std::size_t>(n)]);
}

struct Place {
  std::int32_t row;
  std::int32_t column;
};

class RowSort {
 public:
  RowSort(const Coordinates& entries, Duplicates duplicates) : in_(entries), duplicates_(duplicates) {}

  // Every edge counts as both u-v and v-u, and loops as nothing.
  void mirror() {
    mirrored_ = true;
    has_values_ = false;
    rows_ = cols_ = std::max(rows_, cols_);
  }

  Csr sorted();

 private:
  // Calls take(row, column, value) for every entry of a chunk, in the order of the input.
  template <class Take>
  void for_entries(std::int64_t begin, std::int64_t end, const Take& take) const {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const std::int32_t row = in_.row[i];
      const std::int32_t column = in_.column[i];
      if (!mirrored_) {
        take(row, column, has_values_ ? in_.value[i] : 0.0f);
      } else if (row != column) {
        take(row, column, 0.0f);
        take(column, row, 0.0f);
      }
    }
  }

  std::int64_t bucket_of(std::int32_t row) const { return row >> bucket_bits_; }
  void choose_buckets();
  void into_buckets();
  void into_rows(std::int64_t bucket);
  std::int64_t row_without_duplicates(std::int32_t* columns, float* values, std::int64_t count);
  void sort_row(std::int32_t* columns, float* values, std::int64_t count);
  Csr packed();

  const Coordinates& in_;
  const Duplicates duplicates_;
  bool mirrored_ = false;
  bool has_values_ = !in_.value.empty();
  std::int64_t rows_ = std::max(in_.rows, std::int64_t{0});
  std::int64_t cols_ = std::max(in_.cols, std::int64_t{0});

  int bucket_bits_ = 0;  // of the row, that do not count for the bucket
  std::int64_t buckets_ = 0;
  std::vector<std::int64_t> bucket_begin_;  // [buckets + 1]
  std::unique_ptr<Place[]> places_;         // by bucket, and within it in the order of the input
  std::unique_ptr<float[]> place_values_;
  std::unique_ptr<std::int32_t[]> columns_;  // by row, with room where duplicates were
  std::unique_ptr<float[]> values_;
  std::vector<std::int64_t> row_begin_;  // [rows], where a row begins in columns_
  std::vector<std::int32_t> row_count_;  // [rows], without duplicates
};

// Enough buckets for every thread to have many, few enough that each thread has a page of each at hand.
void RowSort::choose_buckets() {
  constexpr std::int64_t kMostBuckets = 2048;
  while ((rows_ >> bucket_bits_) >= kMostBuckets) ++bucket_bits_;
  buckets_ = rows_ == 0 ? 0 : bucket_of(static_cast<std::int32_t>(rows_ - 1)) + 1;
}

void RowSort::into_buckets() {
  const auto n = static_cast<std::int64_t>(in_.row.size());
  constexpr std::int64_t kMostChunks = 256;  // each has a counter of every bucket
  constexpr std::int64_t kLeastChunk = 1 << 14;
  const std::int64_t size = std::max(kLeastChunk, chunk_count(n, kMostChunks));
  const std::int64_t chunks = chunk_count(n, size);
  std::vector<std::int64_t> next(static_cast<std::size_t>(chunks * buckets_));  // [chunk][bucket]
  const auto of_chunk = [&next, this](std::int64_t chunk) { return next.data() + chunk * buckets_; };
  for_each_chunk_of(size, n, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    std::int64_t* const counts = of_chunk(chunk);
    for_entries(begin, end, [&](std::int32_t row, std::int32_t, float) { ++counts[bucket_of(row)]; });
  });
  bucket_begin_.resize(static_cast<std::size_t>(buckets_) + 1);
  std::int64_t running = 0;
  for (std::int64_t bucket = 0; bucket < buckets_; ++bucket) {
    bucket_begin_[static_cast<std::size_t>(bucket)] = running;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) running += std::exchange(of_chunk(chunk)[bucket], running);
  }
  bucket_begin_.back() = running;
  assert(running <= kMostEntries);

  places_ = unset<Place>(running);
  if (has_values_) place_values_ = unset<float>(running);
  for_each_chunk_of(size, n, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    std::int64_t* const to = of_chunk(chunk);
    for_entries(begin, end, [&](std::int32_t row, std::int32_t column, float value) {
      const std::int64_t at = to[bucket_of(row)]++;
      places_[static_cast<std::size_t>(at)] = {row, column};
      if (has_values_) place_values_[static_cast<std::size_t>(at)] = value;
    });
  });
}

// Columns ascending; entries of the same column stay in their order.
void RowSort::sort_row(std::int32_t* columns, float* values, std::int64_t count) {
  if (!has_values_) {
    std::sort(columns, columns + count);
    return;
  }
  if (std::is_sorted(columns, columns + count)) return;
  std::vector<std::pair<std::int32_t, float>> entries(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) entries[static_cast<std::size_t>(i)] = {columns[i], values[i]};
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::int64_t i = 0; i < count; ++i) std::tie(columns[i], values[i]) = entries[static_cast<std::size_t>(i)];
}

// Of a sorted row; returns how many entries are left at its beginning.
std::int64_t RowSort::row_without_duplicates(std::int32_t* columns, float* values, std::int64_t count) {
  if (duplicates_ == Duplicates::kKeep) return count;
  if (!has_values_) return std::unique(columns, columns + count) - columns;
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < count; ++kept) {
    const std::int32_t column = columns[i];
    const float first = values[i];
    double sum = first;
    for (++i; i < count && columns[i] == column; ++i) sum += values[i];
    columns[kept] = column;
    values[kept] = duplicates_ == Duplicates::kSum ? static_cast<float>(sum) : first;
  }
  return kept;
}

void RowSort::into_rows(std::int64_t bucket) {
  const std::int64_t first_row = bucket << bucket_bits_;
  const std::int64_t end_row = std::min(rows_, (bucket + 1) << bucket_bits_);
  const std::int64_t begin = bucket_begin_[static_cast<std::size_t>(bucket)];
  const std::int64_t end = bucket_begin_[static_cast<std::size_t>(bucket) + 1];
  std::vector<std::int64_t> next(static_cast<std::size_t>(end_row - first_row) + 1);
  for (std::int64_t i = begin; i < end; ++i) ++next[static_cast<std::size_t>(places_[i].row - first_row) + 1];
  next[0] = begin;
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::copy(next.begin(), next.end() - 1, row_begin_.begin() + first_row);
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t at = next[static_cast<std::size_t>(places_[i].row - first_row)]++;
    columns_[at] = places_[i].column;
    if (has_values_) values_[at] = place_values_[i];
  }
  for (std::int64_t row = first_row; row < end_row; ++row) {
    const std::int64_t from = row_begin_[static_cast<std::size_t>(row)];
    const std::int64_t count = next[static_cast<std::size_t>(row - first_row)] - from;  // where the row after it begins
    std::int32_t* const columns = columns_.get() + from;
    float* const values = has_values_ ? values_.get() + from : nullptr;
    sort_row(columns, values, count);
    row_count_[static_cast<std::size_t>(row)] =
        static_cast<std::int32_t>(row_without_duplicates(columns, values, count));
  }
}

Csr RowSort::packed() {
  Csr result{rows_, cols_, {}, {}, {}};
  result.row_offsets.resize(static_cast<std::size_t>(rows_) + 1);
  std::partial_sum(row_count_.begin(), row_count_.end(), result.row_offsets.begin() + 1);
  const auto left = static_cast<std::size_t>(result.row_offsets.back());
  result.columns.resize(left);
  if (has_values_) result.values.resize(left);
  constexpr std::int64_t kRows = 1 << 14;
  for_each_chunk_of(kRows, rows_, [&](int, std::int64_t, std::int64_t begin, std::int64_t end) {
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      const std::int64_t from = row_begin_[row];
      const std::int32_t to = result.row_offsets[row];
      std::copy_n(columns_.get() + from, row_count_[row], result.columns.begin() + to);
      if (has_values_) std::copy_n(values_.get() + from, row_count_[row], result.values.begin() + to);
    }
  });
  return result;
}

Csr RowSort::sorted() {
  choose_buckets();
  into_buckets();
  const std::int64_t entries = bucket_begin_.back();
  columns_ = unset<std::int32_t>(entries);
  if (has_values_) values_ = unset<float>(entries);
  row_begin_.resize(static_cast<std::size_t>(rows_));
  row_count_.resize(static_cast<std::size_t>(rows_));
  for_each_chunk_of(1, buckets_, [this](int, std::int64_t bucket, std::int64_t, std::int64_t) { into_rows(bucket); });
  places_.reset();
  place_values_.reset();
  return packed();
}

}  // namespace

Csr to_csr(const Coordinates& entries, Duplicates duplicates) { return RowSort(entries, duplicates).sorted(); }

Coordinates both_directions(Coordinates edges) {
  edges.rows = edges.cols = std::max(edges.rows, edges.cols);
  const std::size_t given = edges.row.size();
  const bool has_values = !edges.value.empty();
  for (std::size_t i = 0; i < given; ++i) {
    if (edges.row[i] == edges.column[i]) continue;
    edges.row.push_back(std::int32_t{edges.column[i]});
    edges.column.push_back(std::int32_t{edges.row[i]});
    if (has_values) edges.value.push_back(float{edges.value[i]});
  }
  return edges;
}

Csr undirected_graph(const Coordinates& edges) {
  RowSort sort(edges, Duplicates::kDrop);
  sort.mirror();
  return sort.sorted();
}

}  // namespace lanewise
