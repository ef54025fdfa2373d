// One kernel launch: its shape, the order its blocks run in, and how it ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/vgpu/machine/address_counts.h"
#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/endless_loop.h"
#include "harness/vgpu/machine/fault.h"
#include "harness/vgpu/machine/kernel.h"
#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/machine/observer.h"

namespace vgpu {

class Cluster;
class DeviceRuntime;
class ImageHandles;
class Launch;

struct LaunchShape {
  Extent3 grid;
  Extent3 block;
  std::uint32_t dynamic_shared = 0;  ///< bytes
  bool cooperative = false;
  bool has_cluster = false;  ///< clusters were asked for, even if of one block
  Extent3 cluster{1, 1, 1};  ///< blocks of a cluster; divides the grid
};

/// How the machine runs a launch; what is not the program's own business.
struct LaunchOptions {
  std::uint32_t resident_blocks = 1;  ///< blocks that may be under way at the same time
  std::uint32_t sm_count = 1;
  std::uint32_t compute_capability = 90;  ///< 90 for 9.0: how tensor cores round
  std::uint32_t max_warps_per_sm = 64;
  /// Warp instructions; 0: no limit. Those of few lanes count less, as they take less time: see kCostOfALane.
  std::uint64_t instruction_budget = 0;
  const std::atomic<bool>* interrupt = nullptr;  ///< once true, the launch ends where it is; null: nothing ends it
  /// Called when no block is in the middle of anything, with whether all wait for what none has written; may be empty.
  /// Once it returns true they have waited for too long.
  std::function<bool(bool waits)> between_turns;
  std::uint64_t schedule_seed = 0;  ///< 0: blocks and warps in their natural order
  bool starts_in_order = false;     ///< blocks, whatever the seed; so does every GPU, without promising it
  std::uint64_t grid_id = 0;
  std::uint64_t grid_workspace = 0;  ///< device address for grid-wide barriers; 0 unless cooperative
  std::uint64_t nanoseconds = 0;     ///< device time when the launch begins
  std::uint32_t stack_bytes = 1024;  ///< of a thread, where the depth of calls is not known
  Observer* observer = nullptr;
  const ImageHandles* images = nullptr;  ///< the device's textures and surfaces; null: it has none
  /// What the element at an address is called; empty: nobody knows.
  std::function<std::string(const Launch&, ptx::Space, std::uint64_t address, std::uint32_t bytes)> name_element;
  std::function<void(const std::string&)> print;              ///< takes what printf wrote
  std::function<void(const std::string&)> print_assertion;    ///< takes the line of a failed assertion
  std::function<std::uint64_t(std::uint64_t)> heap_allocate;  ///< malloc() in kernels: address or 0
  std::function<bool(std::uint64_t)> heap_free;
};

struct LaunchOutcome {
  Fault fault;
  bool interrupted = false;  ///< by LaunchOptions::interrupt
  std::string whereabouts;   ///< where its threads were then, or when the budget was used up
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
};

class Launch {
 public:
  /// `kernel` and `memory` must outlive the launch; `parameters` holds the kernel's whole parameter block.
  Launch(const Kernel& kernel, AddressSpace& memory, const LaunchShape& shape, std::vector<std::byte> parameters,
         LaunchOptions options);
  ~Launch();

  /// Takes what the grid launches; null, as at first: it launches nothing.
  void set_device_runtime(DeviceRuntime* runtime) { device_runtime_ = runtime; }
  DeviceRuntime* device_runtime() const { return device_runtime_; }

  /// Runs the whole grid.
  LaunchOutcome run();

  const Kernel& kernel() const { return kernel_; }
  AddressSpace& memory() { return memory_; }
  const AddressSpace& memory() const { return memory_; }
  const LaunchShape& shape() const { return shape_; }
  const LaunchOptions& options() const { return options_; }
  const std::vector<std::byte>& parameters() const { return parameters_; }
  std::uint32_t shared_bytes() const { return kernel_.shared_bytes() + shape_.dynamic_shared; }

  void report_fault(Fault fault);
  /// Counts instructions that a warp has executed, once and for each lane; false, with a fault, once the budget is used
  /// up, or if it is interrupted.
  bool charge(const Warp& warp, std::uint64_t instructions, std::uint64_t lane_instructions);
  /// Charges what one instruction copies by the block. False if the budget is used up.
  bool affords(std::uint64_t bytes);
  /// See there; found out once for each place in a loop.
  const LoopControl& control_of_loop(const Code& code, const Insn& at);
  const LoopControl& control_of_still_loop(const Code& code, const Insn& at);
  /// An atomic has changed memory, or something was read that others than this launch may change.
  void moves() { ++changes_; }
  /// The barrier of a cluster has opened: its blocks can go on.
  void cluster_goes_on(const Cluster& cluster);
  /// Whether blocks that others wait for, or look for, let them do so before they write: see Warp::let_others_look.
  bool lets_others_look() const;
  /// Whether any block polls near this address of global memory.
  bool is_polled(std::uint64_t address) const;
  bool is_any_polled() const { return !polled_.empty(); }
  /// Whether a block has changed this address by an atomic, and not looked yet at what others have made of it.
  bool is_to_be_looked_at(std::uint64_t address) const;
  /// A warp that lets others look notes each address that it is about to write, and removes it when it writes.
  bool is_about_to_be_written(std::uint64_t address) const;
  void is_about_to_write(std::uint64_t address);
  void writes_now(std::uint64_t address);
  /// How often blocks that poll do so in a turn: the more, the longer there has been nothing else to do.
  std::uint32_t polls_in_turn() const { return polls_in_turn_; }
  /// What is written there may be what others poll for.
  void wrote(std::uint64_t address);
  /// Whether some that can go on are behind the warp, by their clocks: see Warp::let_others_catch_up.
  bool is_ahead(const Warp& warp) const { return options_.schedule_seed == 0 && warp.clock() > pace_ + kAhead; }
  /// With a schedule seed, now and then: a block whose barrier has opened lets another one go on first.
  bool switches_blocks() { return options_.schedule_seed != 0 && chance() % 4 == 0; }
  /// The schedule seed's next number, of 31 bits.
  std::uint64_t chance();
  /// Ends the launch at the next opportunity, whatever else has failed before.
  void stop() { ends_ = true; }
  /// Warp instructions charged so far.
  std::uint64_t clock() const { return outcome_.warp_instructions; }
  /// What the clocks of a block's warps show when it begins: all before it in its place have taken as long as blocks do
  /// on average.
  std::uint64_t clock_of_next_block(std::uint32_t warps) const;

 private:
  struct UnderWay {
    std::unique_ptr<Block> block;
    std::vector<std::uint64_t> polled;  ///< granules of memory where it polls
    std::uint64_t took_at = 0;          ///< see Block::took_at
    std::uint32_t held_back = 0;        ///< rounds in which it did not poll
  };
  static constexpr std::uint64_t kAhead = 1024;      ///< clocks; what takes less than that is not worth changing turns
  static constexpr std::uint64_t kPolledBytes = 16;  ///< of a granule: no access is larger
  /// Of the budget: an instruction costs as much as four of its lanes, besides these.
  static constexpr std::uint64_t kCostOfAnInstruction = 4, kCostOfALane = 1;
  static constexpr std::uint64_t kCostOfAFullWarp = kCostOfAnInstruction + kLanes * kCostOfALane;

  std::uint64_t next_number();
  std::size_t can_go_on() const { return resident_.size() + polling_.size() + telling_.size() + early_.size(); }
  std::size_t under_way() const { return can_go_on() + at_cluster_.size(); }
  bool starts_blocks() const;
  void start_blocks();
  std::unique_ptr<Block> idle_block();
  void end_round();
  void let_earliest_go_on();
  std::unique_ptr<Block> next_block();
  void set_aside(std::unique_ptr<Block> block, Block::State state);
  void gave_way();
  bool has_waited_too_long() const;
  bool stands_still(Block& block, Block::State state, std::uint64_t changes_before);
  void report_stillness(const Block& block);
  void report_waiting_clusters();
  std::vector<const Block*> blocks_with(const Block& one) const;
  std::string told_of_blocks_to_come() const;

  const Kernel& kernel_;
  AddressSpace& memory_;
  LaunchShape shape_;
  std::vector<std::byte> parameters_;
  LaunchOptions options_;
  LaunchOutcome outcome_;
  std::uint64_t cost_ = 0;                                            ///< of what was executed
  std::unordered_map<const Insn*, LoopControl> loops_, still_loops_;  ///< that were asked about
  std::uint64_t changes_ = 1;        ///< counts turns of blocks that were not quiet, and moves(): see Stillness
  std::uint64_t turns_of_same_ = 0;  ///< of blocks, since one has begun or ended
  std::size_t still_blocks_ = 0;     ///< since the change
  std::uint64_t still_since_ = 0;    ///< of this number
  bool ends_ = false;                ///< whatever else has failed before
  std::uint64_t started_ = 0;
  std::uint64_t block_step_ = 1, block_shift_ = 0;  ///< the permutation of a schedule seed, of blocks or clusters
  // With a schedule seed:
  std::uint64_t chance_;        ///< the state of a generator
  std::size_t window_;          ///< blocks that are to be under way at the same time, if there is room
  std::size_t idle_turns_ = 0;  ///< of blocks, since one has ended
  // Blocks under way. Without a schedule seed they go in rounds: first those that can go on, then those that poll, for
  // they may wait for these, then those that are about to write what others may be looking for, and the earliest of
  // those that were ahead of others.
  std::deque<UnderWay> resident_, polling_, telling_, early_;
  std::deque<UnderWay> at_cluster_;            ///< those that wait for others of their cluster
  std::uint64_t pace_ = 0;                     ///< no warp that can go on is behind this by its clock
  AddressCounts polled_;                       ///< granules of memory where any of them polls
  std::unordered_set<std::uint64_t> written_;  ///< of these, in this round
  AddressCounts about_;                        ///< addresses where blocks are about to write
  std::uint32_t polls_in_turn_ = 1;
  bool some_went_on_ = false;      ///< in this round, or a block began
  std::uint64_t waits_since_ = 0;  ///< the clock when the last round ended in which one did, or in which one wrote
  bool waits_ = false;             ///< no block has done anything but poll since
  bool waits_too_long_ = false;    ///< as LaunchOptions::between_turns says
  bool has_ended_ = false;         ///< the block that went on last
  std::size_t turns_ = 0;          ///< of the round
  std::vector<std::unique_ptr<Block>> idle_;
  DeviceRuntime* device_runtime_ = nullptr;
};

}  // namespace vgpu
