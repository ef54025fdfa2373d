// Where the threads of a launch are, and what each waits for: what is said of a kernel that does not end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/lanes.h"

namespace vgpu {

class Block;
class Launch;
struct Warp;

/// Threads that do the same in the same line.
struct Whereabouts {
  std::string doing;  ///< "in a loop that reads memory in line 12"
  std::uint64_t threads = 0, blocks = 0;
  // One of them:
  const Block *block = nullptr, *last_block = nullptr;  ///< and in the order of blocks, the last
  const Warp* warp = nullptr;
  int lane = 0;
  const Insn* at = nullptr;
  bool spins = false;
  std::string reads;          ///< the element that it spins on; empty if that is not known
  bool reads_others = false;  ///< the others spin on several
  std::string amiss;  ///< what is wrong with the memory barrier they wait at, appended to `doing`; empty: nothing known
};

/// Those that spin come first, then in the order of blocks and threads.
std::vector<Whereabouts> whereabouts_of(Launch& launch, const std::vector<const Block*>& blocks);

/// "1 thread is in a loop that reads flag[0] in line 12; 31 threads are at the barrier in line 15"
std::string spelled(const std::vector<Whereabouts>& all);

/// Whether threads of these blocks that spin may do so on memory that the host, or another process, can write to
/// meanwhile.
bool may_wait_for_host(Launch& launch, const std::vector<const Block*>& blocks);

}  // namespace vgpu
