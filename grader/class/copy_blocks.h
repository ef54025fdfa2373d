// One file's copy, block by block, within its limits; what a header claims of its size plays no part.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "grader/class/entries.h"

namespace lanewise {

/// Puts the next bytes into a block and returns how many; 0 at the end, less than 0 if they cannot be read.
using ReadBlock = std::function<ssize_t(char* block, std::size_t room)>;

/// Writes `wanted.to` with `time` as that of its last change. What is written is taken out of `purse`. If `read` fails,
/// that is `failed`. Fails if nothing can be written.
Expected<Taken> copy_blocks(const Wanted& wanted, std::int64_t time, Taken failed, std::uint64_t& purse,
                            const ReadBlock& read);

}  // namespace lanewise
