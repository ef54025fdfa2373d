// Runs a number of independent jobs on a few threads.
#pragma once

#include <cstddef>
#include <functional>

namespace lanewise {

/// Calls job(0) ... job(count - 1), at most `threads` at a time, and returns when all have returned. Jobs start in
/// order. After a job throws, no more are started; its exception is rethrown once the others have returned.
void run_in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& job);

}  // namespace lanewise
