// Scans by blocks.
#include "labs/scan/scan_by_blocks.h"

#include <algorithm>

namespace lanewise::labs::scan_lab {
namespace {

std::int64_t size(const Numbers& numbers) { return static_cast<std::int64_t>(numbers.size()); }

// Calls `work` with where each block begins, where it ends, and its number.
template <class Work>
void for_each_block(std::int64_t n, std::int64_t block, const Work& work) {
  for (std::int64_t b = 0; b * block < n; ++b)
    work(b * block, std::min(n, (b + 1) * block), static_cast<std::size_t>(b));
}

void add_to_blocks(Numbers& numbers, std::int64_t block, const Numbers& carries) {
  for_each_block(size(numbers), block, [&](std::int64_t begin, std::int64_t end, std::size_t b) {
    std::for_each(numbers.begin() + begin, numbers.begin() + end, [&](std::uint32_t& number) { number += carries[b]; });
  });
}

}  // namespace

void scan_block(std::uint32_t* first, std::int64_t count) {
  for (std::int64_t i = 1; i < count; ++i) first[i] += first[i - 1];
}

Numbers blocks_apart(const Numbers& in, std::int64_t block) {
  Numbers out = in;
  for_each_block(size(out), block, [&](std::int64_t begin, std::int64_t end, std::size_t) {
    scan_block(out.data() + begin, end - begin);
  });
  return out;
}

Numbers block_sums(const Numbers& in, std::int64_t block) {
  Numbers sums;
  for_each_block(size(in), block, [&](std::int64_t begin, std::int64_t end, std::size_t) {
    std::uint32_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += in[static_cast<std::size_t>(i)];
    sums.push_back(sum);
  });
  return sums;
}

Numbers with_carries(const Numbers& in, std::int64_t block, const Numbers& sums, const Carries& carries) {
  Numbers out = blocks_apart(in, block);
  add_to_blocks(out, block, carries(sums));
  return out;
}

Numbers in_three_kernels(const Numbers& in, std::int64_t block, const ScanBlock& scan, const SumOfBlock& sum_of_block) {
  Numbers out = in;
  Numbers sums;
  for_each_block(size(out), block, [&](std::int64_t begin, std::int64_t end, std::size_t) {
    scan(out.data() + begin, end - begin);
    const auto last = static_cast<std::size_t>(end - 1);
    sums.push_back(sum_of_block(in[last], out[last]));
  });
  if (sums.size() <= 1) return out;
  Numbers carries = in_three_kernels(sums, block, scan, sum_of_block);
  carries.insert(carries.begin(), 0);
  add_to_blocks(out, block, carries);
  return out;
}

Numbers in_three_kernels(const Numbers& in, std::int64_t block, const ScanBlock& scan) {
  return in_three_kernels(in, block, scan, [](std::uint32_t, std::uint32_t last_out) { return last_out; });
}

}  // namespace lanewise::labs::scan_lab
