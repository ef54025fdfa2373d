// What typical mistakes in scanning give.
#include "labs/scan/mistakes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "labs/scan/scan_by_blocks.h"

namespace lanewise::labs::scan_lab {
namespace {

// Elements a block takes on: its threads, or what a coarsened block has. The most likely ones first.
constexpr std::int64_t kBlocks[] = {256, 4096, 1024, 512, 2048, 128};
constexpr std::int64_t kWarp = 32;

using Outcome = std::function<Numbers(const Numbers& in)>;
using OutcomeOfBlocks = std::function<Numbers(const Numbers& in, std::int64_t block)>;

Misconception misconception(std::string name, std::string hint, const Outcome& outcome) {
  return {std::move(name), std::move(hint), [outcome](const Problem& problem) {
            const Array& in = find_array(problem.inputs, "in");
            Numbers numbers(element_count(in));
            if (!in.bytes.empty()) std::memcpy(numbers.data(), in.bytes.data(), in.bytes.size());
            const Numbers sums = outcome(numbers);
            Array out = make_array<std::int32_t>("out", {static_cast<std::int64_t>(sums.size())});
            if (!sums.empty()) std::memcpy(out.bytes.data(), sums.data(), out.bytes.size());
            return std::vector<Array>{std::move(out)};
          }};
}

void add_for_all_blocks(const std::string& name, const std::string& hint, const OutcomeOfBlocks& outcome,
                        std::vector<Misconception>& list, const std::set<std::string>& seen_by = {}) {
  for (const std::int64_t block : kBlocks) {
    list.push_back(misconception(name, hint, [=](const Numbers& in) { return outcome(in, block); }));
    list.back().seen_by = seen_by;
  }
}

// ----- Elements that are never computed.

// The first `count` sums; poison in the others.
Numbers only_the_first(const Numbers& in, std::int64_t count) {
  Numbers out = in;
  scan_block(out.data(), static_cast<std::int64_t>(out.size()));
  for (auto i = static_cast<std::size_t>(count); i < out.size(); ++i)
    std::memset(&out[i], int(kPoison), sizeof(out[i]));
  return out;
}

void add_coverage_mistakes(std::vector<Misconception>& list) {
  add_for_all_blocks("last partial block skipped",
                     "The elements after the last full block were never computed: the number of blocks, n divided by "
                     "the elements of a block, was rounded down. Round it up, and let the last block test its indices.",
                     [](const Numbers& in, std::int64_t block) {
                       return only_the_first(in, static_cast<std::int64_t>(in.size()) / block * block);
                     },
                     list, {"initcheck"});
  add_for_all_blocks(
      "only the first block computed",
      "Only as many sums as one block has elements were computed. Either the grid has a single block, or every block "
      "works on the same elements because the index omits blockIdx.x.",
      [](const Numbers& in, std::int64_t block) { return only_the_first(in, block); }, list, {"racecheck"});
  list.push_back(misconception(
      "last n mod 4 elements skipped",
      "The one to three elements after the last whole group of four were never computed. When n is not a multiple of "
      "4, "
      "the end of the last tile has to be loaded and stored element by element.",
      [](const Numbers& in) { return only_the_first(in, static_cast<std::int64_t>(in.size()) / 4 * 4); }));
}

// ----- What the blocks before contribute.

// Running sums that begin with 0: what the blocks before each one add up to.
Numbers exclusive(const Numbers& sums) {
  Numbers result(sums.size());
  for (std::size_t b = 1; b < sums.size(); ++b) result[b] = result[b - 1] + sums[b - 1];
  return result;
}

// Each block gets the sum of at most `window` blocks before it.
Numbers of_a_window(const Numbers& sums, std::int64_t window) {
  const Numbers before = exclusive(sums);
  Numbers result = before;
  for (auto b = static_cast<std::size_t>(window); b < sums.size(); ++b)
    result[b] -= before[b - static_cast<std::size_t>(window)];
  return result;
}

// One position further down than it should be.
Numbers shifted(Numbers carries) {
  if (carries.empty()) return carries;
  std::rotate(carries.begin(), carries.end() - 1, carries.end());
  carries[0] = 0;
  return carries;
}

void add_wrong_carries(const std::string& name, const std::string& hint, const Carries& carries,
                       std::vector<Misconception>& list) {
  add_for_all_blocks(
      name, hint,
      [carries](const Numbers& in, std::int64_t block) {
        return with_carries(in, block, block_sums(in, block), carries);
      },
      list);
}

// Entry b, which includes block b, is added to block b, or only to those after block 0. The block sums are scanned by
// the same function, which makes the same mistake once there are several blocks of them.
Numbers own_sums_added(const Numbers& in, std::int64_t block, bool to_block_0) {
  return with_carries(in, block, block_sums(in, block), [=](const Numbers& sums) {
    if (sums.size() <= 1) return Numbers(sums.size());  // a single block needs no others
    Numbers carries = own_sums_added(sums, block, to_block_0);
    if (!to_block_0) carries[0] = 0;
    return carries;
  });
}

void add_carry_mistakes(std::vector<Misconception>& list) {
  add_wrong_carries(
      "block sums not added",
      "Every block is scanned by itself: its sums begin again at 0. The sum of all blocks before it must be added to "
      "each of its elements.",
      [](const Numbers& sums) { return Numbers(sums.size()); }, list);
  add_wrong_carries(
      "only the previous block's sum added",
      "A block adds the sum of its predecessor only, but it needs that of all blocks before it: the block sums must be "
      "scanned, too. In a single pass, a block passes on what it received plus its own sum, not its own sum alone.",
      [](const Numbers& sums) { return of_a_window(sums, 1); }, list);
  add_wrong_carries(
      "block's own sum added to it",
      "A block's own sum was added to its elements as well: after the scan of the block sums, entry b includes block "
      "b. Block b needs entry b - 1, and block 0 needs nothing.",
      [](const Numbers& sums) {
        Numbers carries = exclusive(sums);
        for (std::size_t b = 0; b < sums.size(); ++b) carries[b] += sums[b];
        return carries;
      },
      list);
  add_for_all_blocks(
      "block's own sum added to it",
      "A block's own sum was added to its elements as well, except in block 0: after the scan of the block sums, entry "
      "b includes block b. Block b needs entry b - 1.",
      [](const Numbers& in, std::int64_t block) { return own_sums_added(in, block, false); }, list);
  add_for_all_blocks(
      "block's own sum added to it",
      "A block's own sum was added to its elements as well: after the scan of the block sums, entry b includes block "
      "b. "
      "Block b needs entry b - 1, and block 0 needs nothing.",
      [](const Numbers& in, std::int64_t block) { return own_sums_added(in, block, true); }, list);
  add_wrong_carries(
      "block sums taken one block too early",
      "A block adds the sum of all blocks before it except its predecessor. If the block sums were scanned "
      "exclusively, block b needs entry b; if inclusively, entry b - 1.",
      [](const Numbers& sums) { return shifted(exclusive(sums)); }, list);
  add_wrong_carries(
      "look-back stops after 32 blocks",
      "A block adds the sums of the 32 blocks before it and no others. As long as none of these has published its "
      "prefix, the warp must look back at the 32 blocks before them.",
      [](const Numbers& sums) { return of_a_window(sums, kWarp); }, list);
}

// ----- More blocks than one block can scan the sums of.
void add_second_level_mistakes(std::vector<Misconception>& list) {
  const char* const name = "second level of block sums missing";
  const char* const hint =
      "The result is right for as many blocks as one block can scan the sums of, and wrong beyond them. There are more "
      "block sums than fit in a block: they need a scan of any length, the very function you are writing.";
  // One block scans the first sums; the others stay as they are.
  add_for_all_blocks(
      name, hint,
      [](const Numbers& in, std::int64_t block) {
        return with_carries(in, block, block_sums(in, block), [block](Numbers sums) {
          scan_block(sums.data(), std::min(block, static_cast<std::int64_t>(sums.size())));
          return shifted(std::move(sums));
        });
      },
      list);
  // Several blocks scan the sums, each its own part of them.
  add_for_all_blocks(
      name, hint,
      [](const Numbers& in, std::int64_t block) {
        return with_carries(in, block, block_sums(in, block),
                            [block](const Numbers& sums) { return shifted(blocks_apart(sums, block)); });
      },
      list);
}

// ----- What a block is taken to add up to.

void add_sum_mistakes(std::vector<Misconception>& list) {
  add_for_all_blocks(
      "last element taken for the block's sum",
      "A block adds the last elements of the blocks before it, not their sums. The sum of a block is the last element "
      "of its *scan*, read after the scan.",
      [](const Numbers& in, std::int64_t block) {
        return in_three_kernels(in, block, scan_block, [](std::uint32_t last_in, std::uint32_t) { return last_in; });
      },
      list);
  add_for_all_blocks(
      "block sums lack their last element",
      "The block sums lack the last element of each block. In an exclusive scan, the last entry is the sum of "
      "everything before the last element; the block's sum is that plus the element itself.",
      [](const Numbers& in, std::int64_t block) {
        return in_three_kernels(in, block, scan_block,
                                [](std::uint32_t last_in, std::uint32_t last_out) { return last_out - last_in; });
      },
      list);
}

// ----- The scan of a block.

// Every element gets the sum of the `window` elements that end with it: Kogge-Stone, stopped before its strides have
// reached the block's length.
void scan_of_a_window(std::uint32_t* first, std::int64_t count, std::int64_t window) {
  scan_block(first, count);
  for (std::int64_t i = count - 1; i >= window; --i) first[i] -= first[i - window];
}

// The first half of Brent-Kung: element i gets the sum of as many elements as the lowest set bit of i + 1 says.
void reduction_tree(std::uint32_t* first, std::int64_t count, std::int64_t block) {
  for (std::int64_t stride = 1; stride < block; stride *= 2)
    for (std::int64_t i = 2 * stride - 1; i < block; i += 2 * stride)
      if (i < count) first[i] += first[i - stride];
}

// The conversion of a GPU: cut off, and the nearest there is for what does not fit.
std::int32_t to_integer(float value) {
  if (value >= 2147483648.0f) return std::numeric_limits<std::int32_t>::max();
  if (value < -2147483648.0f) return std::numeric_limits<std::int32_t>::min();
  return static_cast<std::int32_t>(value);
}

// Kogge-Stone in floats, with integers between the kernels.
void scan_in_floats(std::uint32_t* first, std::int64_t count) {
  std::vector<float> sums(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<float>(static_cast<std::int32_t>(first[i]));
  for (std::size_t stride = 1; stride < sums.size(); stride *= 2)
    for (std::size_t i = sums.size() - 1; i >= stride; --i) sums[i] += sums[i - stride];
  for (std::size_t i = 0; i < sums.size(); ++i) first[i] = static_cast<std::uint32_t>(to_integer(sums[i]));
}

void add_block_mistakes(std::vector<Misconception>& list) {
  list.push_back(misconception(
      "exclusive instead of inclusive",
      "Each sum lacks its own element: that is the exclusive scan, d_out[0] = 0. Here d_out[i] includes d_in[i].",
      exclusive));
  add_for_all_blocks(
      "last stride of Kogge-Stone missing",
      "Every sum covers only half a block. The strides are 1, 2, 4 and so on, as long as they are less than the number "
      "of elements in the block; the last one is missing.",
      [](const Numbers& in, std::int64_t block) {
        return in_three_kernels(in, block, [block](std::uint32_t* first, std::int64_t count) {
          scan_of_a_window(first, count, block / 2);
        });
      },
      list);
  add_for_all_blocks(
      "element at the stride left out",
      "All sums of a block but the first lack its first element: in each step of Kogge-Stone, thread t = stride did "
      "not add. Threads with t >= stride add, not only those with t > stride.",
      [](const Numbers& in, std::int64_t block) {
        return in_three_kernels(in, block, [](std::uint32_t* first, std::int64_t count) {
          if (count > 1) scan_block(first + 1, count - 1);
        });
      },
      list);
  add_for_all_blocks(
      "second half of Brent-Kung missing",
      "Only the elements that the reduction tree completes are right: 0, 1, 3, 7, 15 and so on in each block. The "
      "second half goes back down the tree with ever smaller strides and completes those in between.",
      [](const Numbers& in, std::int64_t block) {
        return in_three_kernels(
            in, block, [block](std::uint32_t* first, std::int64_t count) { reduction_tree(first, count, block); });
      },
      list);
  add_for_all_blocks(
      "sums kept in floats",
      "The result is right until a number or a sum exceeds 2^24 = 16,777,216: beyond that, a float cannot hold every "
      "integer. Keep sums of integers in integers, std::uint32_t, which wrap around as required.",
      [](const Numbers& in, std::int64_t block) { return in_three_kernels(in, block, scan_in_floats); }, list);
}

}  // namespace

std::vector<Misconception> mistakes() {
  std::vector<Misconception> list;
  add_block_mistakes(list);
  add_carry_mistakes(list);
  add_second_level_mistakes(list);
  add_sum_mistakes(list);
  add_coverage_mistakes(list);
  return list;
}

}  // namespace lanewise::labs::scan_lab
