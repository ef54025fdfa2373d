// Rows that several threads share: entries that none of them takes, and sums that are put together wrongly.
#include <algorithm>
#include <array>
#include <cmath>

#include "labs/spmv/misconceptions.h"
#include "labs/spmv/outcome.h"

namespace lanewise::labs::spmv_lab {
namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kThreadsPerBlock = 256;

// Threads that share a row, the likely first: all those tried, those within a warp, and less than a warp.
constexpr std::int64_t kByMean = 0;  // a number of lanes that the mean length of the rows decides
constexpr std::int64_t kGroups[] = {32, kByMean, 256, 8, 16, 128, 4, 2};
constexpr std::int64_t kWarpShares[] = {32, kByMean, 16, 8, 4, 2};
constexpr std::int64_t kPartsOfWarps[] = {kByMean, 8, 16, 4, 2};

std::int64_t threads_per_row(const Inputs& in, std::int64_t group) {
  if (group != kByMean) return group;
  std::int64_t lanes = 2;
  while (lanes < kWarp && lanes < in.nnz / in.rows) lanes *= 2;
  return lanes;
}

// The sum of weight(place, threads) times the product of the entry at that place of the row, counted from its first.
template <class Weight>
Outcome weighted(std::int64_t group, const Weight& weight) {
  return by_rows([=](const Inputs& in, std::int64_t row) {
    const std::int64_t first = in.row_offsets[row], threads = threads_per_row(in, group);
    return sum_of(first, in.row_offsets[row + 1],
                  [&](std::int64_t j) { return static_cast<double>(weight(j - first, threads)) * product_of(in, j); });
  });
}

// The product, as far as is_written(row, rows, threads) says.
template <class IsWritten>
Outcome as_far_as(std::int64_t group, const IsWritten& is_written) {
  return partly(
      [=](const Inputs& in, std::int64_t row) { return is_written(row, in.rows, threads_per_row(in, group)); });
}

// The first lane of each group stores what it has after shuffles down the whole warp, over 16, 8, 4, 2 and 1 lanes. A
// shuffle that would leave the warp gives a lane its own number. Rounded as on a GPU: other rows' products are in these
// sums, too, and the judge allows only for the rounding of a row's own.
double sum_across_groups(const Inputs& in, std::int64_t row, std::int64_t lanes) {
  const std::int64_t first_row = row - row % (kWarp / lanes);
  std::array<float, kWarp> sums{};
  for (std::int64_t lane = 0; lane < kWarp && first_row + lane / lanes < in.rows; ++lane) {
    const std::int32_t* ends = in.row_offsets + first_row + lane / lanes;
    for (std::int64_t j = ends[0] + lane % lanes; j < ends[1]; j += lanes)
      sums[lane] = std::fma(in.values[j], in.x[in.columns[j]], sums[lane]);
  }
  for (std::int64_t distance = kWarp / 2; distance > 0; distance /= 2)
    for (std::int64_t lane = 0; lane < kWarp; ++lane)
      sums[lane] += sums[lane + distance < kWarp ? lane + distance : lane];
  return sums[(row - first_row) * lanes];
}

void add_lost_rows(std::vector<Misconception>& list) {
  for (const std::int64_t group : kWarpShares)
    list.push_back({"a thread for every row, but several lanes",
                    "Only the first rows were written: the grid has one thread for each row, but a row takes several. "
                    "Launch rows times kLanes threads.",
                    as_far_as(group, [](std::int64_t row, std::int64_t rows, std::int64_t lanes) {
                      const std::int64_t threads = (rows + kThreadsPerBlock - 1) / kThreadsPerBlock * kThreadsPerBlock;
                      return row < threads / lanes;
                    })});
  for (const std::int64_t group : kPartsOfWarps)
    list.push_back({"only the first row of each warp written",
                    "Of the rows that share a warp, only the first was written. Each has a first lane of its own: the "
                    "lane is the thread's index % kLanes, not % 32.",
                    as_far_as(group, [](std::int64_t row, std::int64_t, std::int64_t lanes) {
                      return row * lanes % kWarp == 0;
                    })});
}

// Both the beginning and the step of a lane are wrong, or one of them.
void add_shared_entries(std::vector<Misconception>& list) {
  const auto add = [&list](std::int64_t group, std::int64_t (*lanes_of)(std::int64_t place, std::int64_t lanes)) {
    list.push_back({"entries taken by several lanes",
                    "Rows hold some of their products several times, because several lanes took the same entries. Lane "
                    "l begins at entry l of the row, and goes on in steps of the number of lanes.",
                    weighted(group, lanes_of)});
  };
  for (const std::int64_t group : kWarpShares) {
    add(group, [](std::int64_t place, std::int64_t lanes) { return std::min(place + 1, lanes); });
    add(group, [](std::int64_t place, std::int64_t lanes) { return place % lanes == 0 ? lanes : 0; });
    // Other groups give the same multiples of the sum as shuffles that leave groups of another size.
    if (group == kWarp || group == kByMean) add(group, [](std::int64_t, std::int64_t lanes) { return lanes; });
  }
}

void add_lost_entries(std::vector<Misconception>& list) {
  for (const std::int64_t group : kGroups)
    list.push_back({"long rows cut off",
                    "Rows with more entries than there are threads for them lack the rest. A warp or block must "
                    "continue along its row, in steps of its own size, until the row ends.",
                    weighted(group, [](std::int64_t place, std::int64_t threads) { return place < threads; })});
  for (const std::int64_t group : kGroups)
    list.push_back({"rest of long rows left out",
                    "The entries after the last full step along a row were not summed. In the last step, the lanes "
                    "that still have an entry take part, and the others add 0.",
                    by_rows([group](const Inputs& in, std::int64_t row) {
                      const std::int64_t first = in.row_offsets[row], threads = threads_per_row(in, group);
                      return sum_of(first, first + (in.row_offsets[row + 1] - first) / threads * threads,
                                    [&](std::int64_t j) { return product_of(in, j); });
                    })});
  for (const std::int64_t group : kPartsOfWarps)
    list.push_back({"steps longer than the group",
                    "Of every 32 entries of a row, only the first few were summed: as many as there are lanes for it. "
                    "Lanes that share a row walk along it in steps of kLanes, not of 32.",
                    weighted(group, [](std::int64_t place, std::int64_t lanes) { return place % kWarp < lanes; })});
}

void add_sums_over_lanes(std::vector<Misconception>& list) {
  for (const std::int64_t group : kGroups) {
    if (group == 2) continue;  // of two lanes, one sum missing is the last step missing
    list.push_back({"lanes not added together",
                    "Every row holds the sum of its first lane only. The sums of the other lanes of the group must be "
                    "added to it, by shuffles or in shared memory.",
                    weighted(group, [](std::int64_t place, std::int64_t threads) { return place % threads == 0; })});
  }
  list.push_back({"last step of the sum over lanes missing",
                  "Every second lane's sum is missing: the loop that adds up the lanes ends one step early. It must go "
                  "through all distances down to 1.",
                  weighted(2, [](std::int64_t place, std::int64_t) { return place % 2 == 0; })});
  // A shuffle down that leaves the group gives a lane its own number: the last lane doubles its sum every time.
  for (const std::int64_t group : kWarpShares)
    list.push_back(
        {"a lane other than the first stores",
         "Every row holds what its last lane has. After shuffles down, only the first lane has the whole "
         "sum, so only it may store. If all lanes store to one y, any of them may be the last.",
         weighted(group, [](std::int64_t place, std::int64_t lanes) { return place % lanes == lanes - 1 ? lanes : 0; }),
         {"racecheck"}});
  for (const std::int64_t group : kWarpShares)
    list.push_back(
        {"shuffled sums not added",
         "Every row holds the sum of its last lane only: after each shuffle, what another lane had takes "
         "the place of the sum. There is = where += belongs.",
         weighted(group, [](std::int64_t place, std::int64_t lanes) { return place % lanes == lanes - 1 ? 1 : 0; })});
  for (const std::int64_t group : kPartsOfWarps)
    list.push_back({"distances longer than the group",
                    "Every row holds a multiple of its sum: the first distances are longer than the group, and a "
                    "shuffle from outside it gives a lane its own sum. Begin at a distance of kLanes / 2.",
                    weighted(group, [](std::int64_t, std::int64_t lanes) { return kWarp / lanes; })});
  for (const std::int64_t group : kPartsOfWarps)
    list.push_back({"sums of several rows added",
                    "The sums of rows that share a warp were added together: the shuffles reach into the next groups "
                    "of lanes. Begin at a distance of kLanes / 2, not at 16.",
                    by_rows([group](const Inputs& in, std::int64_t row) {
                      return sum_across_groups(in, row, threads_per_row(in, group));
                    })});
}

}  // namespace

std::vector<Misconception> lane_mistakes() {
  std::vector<Misconception> list;
  add_lost_rows(list);
  add_lost_entries(list);
  add_shared_entries(list);
  add_sums_over_lanes(list);
  return list;
}

}  // namespace lanewise::labs::spmv_lab
