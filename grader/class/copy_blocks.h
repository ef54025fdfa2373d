// Copies one file block by block, within its limits, whatever size a header claims.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "grader/class/entries.h"

namespace lanewise {

/// Reads the next bytes into a block and returns their number; 0 at the end, negative if they cannot be read.
using ReadBlock = std::function<ssize_t(char* block, std::size_t room)>;

/// Writes `wanted.to` with modification time `time`. The bytes written are subtracted from `purse`. If `read` fails,
/// returns `failed`. Fails if nothing can be written.
Expected<Taken> copy_blocks(const Wanted& wanted, std::int64_t time, Taken failed, std::uint64_t& purse,
                            const ReadBlock& read);

}  // namespace lanewise
