// The scan by blocks as a student writes it, with room for a mistake in each of its parts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace lanewise::labs::scan_lab {

/// Sums modulo 2^32.
using Numbers = std::vector<std::uint32_t>;

/// Scans in place what a block holds: `count` numbers, fewer than a block's in the last one.
using ScanBlock = std::function<void(std::uint32_t* first, std::int64_t count)>;

/// From the blocks' sums: what is added to each block's elements.
using Carries = std::function<Numbers(const Numbers& sums)>;

/// As it should be done.
void scan_block(std::uint32_t* first, std::int64_t count);

/// `block` elements at a time are scanned, and nothing is added.
Numbers blocks_apart(const Numbers& in, std::int64_t block);

/// The sum of each block.
Numbers block_sums(const Numbers& in, std::int64_t block);

/// Each block's scan, plus what `carries` makes of the blocks' sums.
Numbers with_carries(const Numbers& in, std::int64_t block, const Numbers& sums, const Carries& carries);

/// What is taken for the sum of a block, from the last number of its input and of its scan.
using SumOfBlock = std::function<std::uint32_t(std::uint32_t last_in, std::uint32_t last_out)>;

/// Three kernels that call themselves for the blocks' sums: scan the blocks, scan their sums, add.
Numbers in_three_kernels(const Numbers& in, std::int64_t block, const ScanBlock& scan, const SumOfBlock& sum_of_block);
Numbers in_three_kernels(const Numbers& in, std::int64_t block, const ScanBlock& scan);

}  // namespace lanewise::labs::scan_lab
