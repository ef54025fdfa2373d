// What typical mistakes in counting values give.
#include "labs/histogram/misconceptions.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "labs/histogram/oracle.h"

namespace lanewise::labs::histogram_lab {
namespace {

constexpr std::int64_t kBlockSizes[] = {256, 1024, 512, 128};  // the most likely ones first
constexpr std::int64_t kTiles[] = {4096, 8192, 2048, 16384};
constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kVectorBytes = 16;

using Outcome = std::function<std::vector<Array>(const Problem&)>;

std::int64_t length(const Problem& problem) { return integer_scalar(problem, "n"); }

Counts right_counts(const Problem& problem) { return count_values(problem, 0, length(problem)); }

// value(i) is element i of either task's data.
template <class Use>
void with_values(const Problem& problem, const Use& use) {
  const Array& data = find_array(problem.inputs, "data");
  if (data.dtype == DType::kUint8) {
    use([values = elements<std::uint8_t>(data)](std::int64_t i) { return std::uint32_t{values[i]}; });
  } else {
    use([values = elements<std::uint32_t>(data)](std::int64_t i) { return values[i]; });
  }
}

// The counts of elements first(n) ... end(n) - 1 only.
template <class First, class End>
Outcome part_counted(const First& first, const End& end) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const std::int64_t n = length(problem);
    return {bins_array(count_values(problem, first(n), end(n)))};
  };
}

// The counts of the first covered(n) elements.
template <class Covered>
Outcome first_counted(const Covered& covered) {
  return part_counted([](std::int64_t) { return std::int64_t{0}; }, covered);
}

// The right counts, changed.
template <class Change>
Outcome changed(const Change& change) {
  return [=](const Problem& problem) -> std::vector<Array> {
    Counts counts = right_counts(problem);
    change(counts);
    return {bins_array(counts)};
  };
}

// The right counts added to bins of which the first `cleared` bytes are zero and the others hold the poison.
Counts added_to_poison(const Problem& problem, std::int64_t cleared) {
  Counts before(static_cast<std::size_t>(bins_of(problem)));
  std::memset(before.data(), std::to_integer<int>(kPoison), before.size() * sizeof(before[0]));
  std::memset(before.data(), 0, static_cast<std::size_t>(cleared));
  const Counts counts = right_counts(problem);
  std::transform(counts.begin(), counts.end(), before.begin(), before.begin(), std::plus<>());
  return before;
}

// Of the lanes of a warp that add to one bin at the same time, one gets through; warps come one after another.
std::vector<Array> lost_updates(const Problem& problem) {
  Counts counts(static_cast<std::size_t>(bins_of(problem)));
  std::vector<std::int64_t> last_warp(counts.size(), -1);
  with_values(problem, [&](const auto& value) {
    const std::int64_t n = length(problem);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t v = value(i);
      if (last_warp[v] != i / kWarp) ++counts[v];
      last_warp[v] = i / kWarp;
    }
  });
  return {bins_array(counts)};
}

// Every thread counts runs in one vector of 16 bytes, and forgets the run it was in at the end. Elements left over
// after the vectors are counted one by one.
std::vector<Array> last_runs_lost(const Problem& problem) {
  Counts counts = right_counts(problem);
  with_values(problem, [&](const auto& value) {
    const std::int64_t n = length(problem);
    for (std::int64_t end = kVectorBytes; end <= n; end += kVectorBytes)
      for (std::int64_t i = end - 1; i >= end - kVectorBytes && value(i) == value(end - 1); --i) --counts[value(i)];
  });
  return {bins_array(counts)};
}

// One element per thread, and at least as many threads in a block as bins. Threads without an element return before
// they have added their private bins, which in the last block are those from `left` on.
Outcome bins_of_idle_threads_lost(std::int64_t block) {
  return [=](const Problem& problem) -> std::vector<Array> {
    const std::int64_t n = length(problem), left = n % block;
    Counts counts = right_counts(problem);
    const Counts last = count_values(problem, n - left, n);
    for (std::size_t v = static_cast<std::size_t>(left); v < counts.size(); ++v) counts[v] -= last[v];
    return {bins_array(counts)};
  };
}

void add_clearing_mistakes(std::vector<Misconception>& list) {
  list.push_back(
      {"bins left as they were without elements",
       "With n = 0 the function returned before it had set the bins. There is nothing to count then, so every "
       "bin is 0: clear first, return afterwards.",
       [](const Problem& problem) {
         return std::vector<Array>{
             bins_array(length(problem) == 0 ? added_to_poison(problem, 0) : right_counts(problem))};
       }});
  list.push_back({"bins not cleared",
                  "Every count is too large by the same number: what happened to be in d_bins before. The bins are not "
                  "zero on entry; cudaMemset (or a separate kernel) must clear them before counting begins.",
                  [](const Problem& problem) { return std::vector<Array>{bins_array(added_to_poison(problem, 0))}; },
                  {"initcheck"}});
  list.push_back({"bins cleared in elements instead of bytes",
                  "Only the first quarter of the bins was cleared. cudaMemset counts bytes: a bin has "
                  "sizeof(std::uint32_t) = 4 of them.",
                  [](const Problem& problem) {
                    return std::vector<Array>{bins_array(added_to_poison(problem, bins_of(problem)))};
                  },
                  {"initcheck"}});
}

void add_coverage_mistakes(std::initializer_list<std::int64_t> vectors, std::vector<Misconception>& list) {
  for (const std::int64_t block : kBlockSizes) {
    list.push_back({"last partial block skipped",
                    "The elements after the last full block were not counted: the number of blocks, n divided by the "
                    "block size, was rounded down. Round it up: (n + threads - 1) / threads.",
                    first_counted([=](std::int64_t n) { return n / block * block; })});
  }
  for (const std::int64_t vector : vectors) {
    list.push_back({"elements left over after the vectors skipped",
                    "The few elements after the last whole vector were not counted. When n is not a multiple of the "
                    "vector's length, some threads have to count single elements.",
                    first_counted([=](std::int64_t n) { return n / vector * vector; })});
  }
  for (const std::int64_t tile : kTiles) {
    list.push_back({"last chunk skipped",
                    "The elements after the last full chunk were not counted: n divided by the elements that a block "
                    "counts was rounded down. A loop that runs while i < n, in steps of the whole grid, needs no "
                    "division.",
                    first_counted([=](std::int64_t n) { return n / tile * tile; })});
  }
  for (const std::int64_t block : kBlockSizes) {
    list.push_back({"only the first block's elements counted",
                    "Only as many elements as one block has threads were counted. Either the grid has a single block "
                    "whose threads do not loop, or only one block's private bins are added to the result.",
                    first_counted([=](std::int64_t n) { return std::min(n, block); })});
  }
}

void add_index_mistakes(std::vector<Misconception>& list) {
  list.push_back({"lost updates",
                  "Counts are too low where values repeat. bins[v]++ reads, adds and writes; threads that read the "
                  "same old count all write the same new one, and all additions but one are lost. atomicAdd(&bins[v], "
                  "1) performs the three steps as one.",
                  &lost_updates,
                  {"racecheck"}});
  list.push_back({"bin index off by one",
                  "Every count is one bin too high. Value v belongs in bins[v]; bin 0 exists.",
                  changed([](Counts& counts) {
                    std::move_backward(counts.begin(), counts.end() - 1, counts.end());
                    counts.front() = 0;
                  }),
                  {"memcheck"}});
  list.push_back({"bin index off by one",
                  "Every count is one bin too low. Value v belongs in bins[v].",
                  changed([](Counts& counts) {
                    std::move(counts.begin() + 1, counts.end(), counts.begin());
                    counts.back() = 0;
                  }),
                  {"memcheck"}});
  list.push_back({"presence stored instead of a count",
                  "Every value that occurs has the count 1: a 1 was stored (bins[v] = 1) instead of added.",
                  changed([](Counts& counts) {
                    for (std::uint32_t& count : counts) count = std::min(count, 1u);
                  }),
                  {"racecheck"}});
}

// The bins from kept(number of bins) on are 0.
template <class Kept>
Outcome first_bins_only(const Kept& kept) {
  return changed([=](Counts& counts) {
    const auto bins = static_cast<std::int64_t>(counts.size());
    std::fill(counts.begin() + std::min(bins, kept(bins)), counts.end(), 0u);
  });
}

// Every value v is counted in bin v % period.
Outcome folded_onto(std::size_t period) {
  return changed([=](Counts& counts) {
    for (std::size_t v = period; v < counts.size(); ++v) {
      counts[v % period] += counts[v];
      counts[v] = 0;
    }
  });
}

void add_range_mistakes(std::vector<Misconception>& list) {
  // Counts that fit into 48, 32, 224, 64, 128, 16, 192 and 227 KiB of shared memory.
  for (const std::int64_t range : {12288, 8192, 57344, 16384, 32768, 4096, 49152, 58112}) {
    list.push_back({"only the first range of bins counted",
                    "Bins beyond those that fit in shared memory at the same time stayed 0. Every further range of "
                    "bins needs its own pass over the data.",
                    first_bins_only([=](std::int64_t) { return range; })});
    list.push_back({"last partial range of bins skipped",
                    "The bins after the last full range stayed 0: the number of passes, num_bins divided by the bins "
                    "per pass, was rounded down. Round it up; the last range is shorter.",
                    first_bins_only([=](std::int64_t bins) { return bins / range * range; })});
    list.push_back({"last partial range of bins skipped",
                    "The bins after the last full range stayed 0: a pass was made only where all its bins exist. Round "
                    "the number of passes up; the last range is shorter.",
                    first_bins_only([=](std::int64_t bins) { return bins < range ? bins : bins / range * range; })});
    list.push_back({"later ranges added to the first",
                    "The counts of all ranges landed in the bins of the first. Private bin b of a range belongs in "
                    "bins[first_bin + b], not in bins[b].",
                    folded_onto(range)});
  }
}

}  // namespace

std::vector<Misconception> byte_mistakes() {
  std::vector<Misconception> list;
  add_clearing_mistakes(list);
  list.push_back(
      {"bins cleared after counting",
       "All bins are 0: they were cleared after the kernel had counted, or nothing was counted at all. Clearing comes "
       "first; launches and copies in one stream are carried out in the order of their calls.",
       changed([](Counts& counts) { std::fill(counts.begin(), counts.end(), 0u); }),
       {"initcheck"}});
  add_coverage_mistakes({kVectorBytes, 4, 8}, list);
  for (const std::int64_t block : kBlockSizes) {
    list.push_back({"one block overwrites another's counts",
                    "Only the counts of the last block are there: each block overwrote the result of the others with "
                    "its private bins (bins[v] = mine[v]). Add them instead, and atomically: other blocks add as well.",
                    part_counted([=](std::int64_t n) { return std::max<std::int64_t>(0, (n - 1) / block * block); },
                                 [](std::int64_t n) { return n; }),
                    {"racecheck"}});
  }
  for (const std::int64_t block : {256, 512, 1024}) {
    list.push_back({"bins of idle threads not added",
                    "What the last block counted is missing from the bins of its idle threads: they returned because "
                    "they had no element. Each still has bins to clear and to add: put the condition around the "
                    "counting only.",
                    bins_of_idle_threads_lost(block),
                    {"initcheck"}});
  }
  add_index_mistakes(list);
  list.push_back(
      {"upper half of the bins empty",
       "Values from 128 on are missing. Either bytes were read as char, which is signed: 200 becomes -56, and the "
       "count lands before d_bins (memcheck reports it). Or only 128 threads cleared or added up the 256 private bins.",
       first_bins_only([](std::int64_t bins) { return bins / 2; }),
       {"memcheck"}});
  list.push_back({"last run of every thread lost",
                  "Each thread's last run is missing from the counts. One more addition is needed after the loop: the "
                  "run ends with the data.",
                  &last_runs_lost});
  for (const std::int64_t block : kBlockSizes) {
    list.push_back({"index counted in place of the value",
                    "The counts are those of the thread indices, whatever the data: the private bin was chosen by "
                    "threadIdx.x instead of by the element, mine[data[i]].",
                    [=](const Problem& problem) -> std::vector<Array> {
                      Counts counts(static_cast<std::size_t>(bins_of(problem)));
                      const std::int64_t n = length(problem);
                      for (std::int64_t t = 0; t < std::min(block, bins_of(problem)); ++t)
                        counts[static_cast<std::size_t>(t)] = static_cast<std::uint32_t>((n + block - 1 - t) / block);
                      return {bins_array(counts)};
                    }});
  }
  return list;
}

std::vector<Misconception> wide_mistakes() {
  std::vector<Misconception> list;
  add_clearing_mistakes(list);
  list.push_back({"nothing counted",
                  "All bins are 0: nothing was counted. Either the launch was refused (more than 48 KiB of shared "
                  "memory must be requested with cudaFuncSetAttribute), or num_bins divided by the bins per pass was "
                  "rounded down to no pass, or the bins were cleared after counting.",
                  changed([](Counts& counts) { std::fill(counts.begin(), counts.end(), 0u); }),
                  {"initcheck"}});
  add_coverage_mistakes({4, 2, 8}, list);
  add_index_mistakes(list);
  list.push_back(
      {"value cut to 16 bits",
       "Values from 65,536 on were counted 65,536 bins too low: somewhere a value goes through a 16-bit type.",
       folded_onto(std::size_t{1} << 16)});
  list.push_back(
      {"value cut to one byte",
       "Everything was counted in the first 256 bins: somewhere a value goes through a byte, as in the first "
       "task.",
       folded_onto(std::size_t{1} << 8)});
  add_range_mistakes(list);
  return list;
}

}  // namespace lanewise::labs::histogram_lab
