// How many megabytes a second the readers of text read, by the clock and by the processor's time, which other programs
// do not add to: a program to run by hand, not a test.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <variant>

#include "datasets/edge_list.h"
#include "datasets/matrix_market.h"
#include "datasets/random.h"

namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 5;
constexpr std::int64_t kEntries = 4'000'000;

lanewise::Coordinates random_places(std::int64_t rows, bool has_values) {
  lanewise::Random random(1);
  lanewise::Coordinates places;
  places.rows = places.cols = rows;
  for (std::int64_t i = 0; i < kEntries; ++i) {
    places.row.push_back(static_cast<std::int32_t>(random.next() % static_cast<std::uint64_t>(rows)));
    places.column.push_back(static_cast<std::int32_t>(random.next() % static_cast<std::uint64_t>(rows)));
    if (has_values)
      places.value.push_back(static_cast<float>(static_cast<double>(random.next() >> 11) * 0x1p-53 - 0.5));
  }
  return places;
}

// The best of a few rounds; the file is in the page cache.
template <class Read>
void measure(const char* what, const fs::path& file, const Read& read) {
  double best = 1e30;
  double best_busy = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    const std::clock_t busy_begin = std::clock();
    const auto begin = std::chrono::steady_clock::now();
    const auto result = read(file);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const double busy = static_cast<double>(std::clock() - busy_begin) / CLOCKS_PER_SEC;
    if (const auto* error = std::get_if<lanewise::DataError>(&result)) {
      std::printf("%s: %s\n", what, error->sentence.c_str());
      return;
    }
    best = std::min(best, seconds.count());
    best_busy = std::min(best_busy, busy);
  }
  const double megabytes = static_cast<double>(fs::file_size(file)) / 1e6;
  std::printf("%-24s %6.1f MB: %6.1f MB/s, %6.1f MB/s of processor time\n", what, megabytes, megabytes / best,
              megabytes / best_busy);
}

}  // namespace

int main() {
  const fs::path file =
      fs::temp_directory_path() / ("lanewise-readers-benchmark-" + std::to_string(std::random_device{}()));
  for (const bool has_values : {true, false}) {
    if (const auto error = lanewise::write_matrix_market(file, random_places(1'000'000, has_values))) {
      std::printf("%s\n", error->sentence.c_str());
      return 1;
    }
    measure(has_values ? "Matrix Market, real" : "Matrix Market, pattern", file, lanewise::read_matrix_market);
  }
  if (!lanewise::write_edge_list(file, random_places(1'000'000, false)))
    measure("edge list", file, lanewise::read_edge_list);
  std::error_code ignored;
  fs::remove(file, ignored);
  return 0;
}
