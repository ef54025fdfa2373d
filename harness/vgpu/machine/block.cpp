#include "harness/vgpu/machine/block.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "harness/vgpu/machine/cluster.h"
#include "harness/vgpu/machine/launch.h"

namespace vgpu {
namespace {

/// What shared memory holds before anybody writes to it: no use as data, and the same in every run.
constexpr int kJunkByte = 0xCB;

/// Warp instructions a block may execute before other blocks get their turn, waiting or not.
constexpr std::uint64_t kLongTurn = std::uint64_t{1} << 22;

std::byte* aligned(const std::unique_ptr<std::byte[]>& storage) {
  const auto at = reinterpret_cast<std::uintptr_t>(storage.get());
  return storage.get() + ((at + 63) / 64 * 64 - at);
}

bool depends_on_block(Special special) {
  const bool is_of_cluster = special >= Special::kClusteridX && special <= Special::kIsExplicitCluster;
  return special == Special::kCtaidX || special == Special::kCtaidY || special == Special::kCtaidZ ||
         special == Special::kSmid || is_of_cluster;
}

/// The same value for every lane of a slot.
template <class T>
void write_all_lanes(std::byte* at, std::uint64_t value) {
  T lanes[kLanes];
  std::fill(std::begin(lanes), std::end(lanes), static_cast<T>(value));
  std::memcpy(at, lanes, sizeof lanes);
}

}  // namespace

Block::Block(Launch& launch) : launch_(launch) {
  const Code& code = launch.kernel().code();
  thread_count_ = static_cast<std::uint32_t>(launch.shape().block.count());
  const std::uint32_t warp_count = (thread_count_ + kLanes - 1) / kLanes;
  const std::size_t frame_bytes = (code.frame_bytes + 63) / 64 * 64;
  frame_memory_ = std::make_unique<std::byte[]>(frame_bytes * warp_count + 64);
  first_frame_ = aligned(frame_memory_);

  const std::uint32_t shared_end =
      launch.kernel().dynamic_shared_offset() + launch.shape().dynamic_shared + Kernel::kSharedRedZone;
  shared_memory_.reset(new std::byte[shared_end + 64]);  // start() fills it
  const std::uint32_t local_bytes = (launch.kernel().local_bytes(launch.options().stack_bytes) + 15) / 16 * 16;
  local_memory_ = std::make_unique<std::byte[]>(std::size_t{local_bytes} * kLanes * warp_count + 64);

  warps_.resize(warp_count);
  for (std::uint32_t w = 0; w < warp_count; ++w) {
    Warp& warp = warps_[w];
    warp.block = this;
    warp.index = w;
    warp.is_mixed = launch.options().schedule_seed != 0;
    warp.shared = aligned(shared_memory_);
    warp.shared_low = launch.kernel().shared_begin();
    warp.shared_span = shared_end - warp.shared_low;
    warp.global_low = launch.memory().low();
    warp.global_delta = launch.memory().delta();
    warp.local = aligned(local_memory_) + std::size_t{w} * local_bytes * kLanes;
    warp.local_stride = local_bytes;
    warp.parameters = launch.parameters().data();
    warp.parameter_bytes = static_cast<std::uint32_t>(launch.parameters().size());
    warp.observer = launch.options().observer;
    if (warp.observer != nullptr && warp.observer->watches_runs()) warp.run_observer = warp.observer;
    warp.kernel_frame = std::make_unique<Frame>();
    warp.kernel_frame->code = &code;
    warp.kernel_frame->registers = first_frame_ + frame_bytes * w;
    fill_frame(warp, *warp.kernel_frame);
  }
  for (Barrier& barrier : barriers_) barrier.arrived.assign(warp_count, 0);
}

void Block::start(std::uint64_t linear_index, std::shared_ptr<Cluster> cluster, std::uint32_t rank) {
  const Extent3 grid = launch_.shape().grid;
  linear_index_ = linear_index;
  cluster_ = std::move(cluster);
  cluster_rank_ = rank;
  index_ = {static_cast<std::uint32_t>(linear_index % grid.x),
            static_cast<std::uint32_t>(linear_index / grid.x % grid.y),
            static_cast<std::uint32_t>(linear_index / grid.x / grid.y)};
  exited_lanes_ = 0;
  waits_for_phases_ = true;
  barrier_bytes_.clear();
  stillness_.begin();
  noted_reads_.clear();
  noted_reads_.forget_ranges();
  noted_reads_.resume();
  noted_reads_.set_wanted(launch_.options().observer != nullptr && launch_.options().observer->wants_noted_reads());
  for (Barrier& barrier : barriers_) {
    barrier.threads = barrier.arrived_lanes = 0;
    std::fill(barrier.arrived.begin(), barrier.arrived.end(), 0);
    barrier.votes = barrier.last = {};
  }
  std::memset(aligned(shared_memory_), kJunkByte, warps_[0].shared_low + warps_[0].shared_span);
  std::memset(aligned(shared_memory_) + Kernel::kGroupScratch, 0, Kernel::kSharedBase - Kernel::kGroupScratch);
  const std::uint64_t clock = launch_.clock_of_next_block(static_cast<std::uint32_t>(warps_.size()));
  for (Warp& warp : warps_) {
    warp.global_span = launch_.memory().high() - launch_.memory().low();
    for (const SpecialSlot& slot : warp.kernel_frame->code->specials)  // the others are as they were
      if (depends_on_block(slot.which)) write_special(warp, slot, warp.kernel_frame->registers + slot.offset);
    warp.start(first_lanes(std::min<std::uint32_t>(kLanes, thread_count_ - warp.index * kLanes)));
    warp.clock_ahead = clock - warp.executed;
  }
  if (cluster_ != nullptr) cluster_->begins(*this, rank);
  if (Observer* const observer = launch_.options().observer) observer->block_begins(*this);
}

void Block::end() {
  if (Observer* const observer = launch_.options().observer) observer->block_ends(*this);
  if (cluster_ != nullptr) cluster_->ended(cluster_rank_);
}

Cluster& Block::cluster() {
  if (cluster_ == nullptr) {
    cluster_ = std::make_shared<Cluster>(1, index_);
    cluster_->begins(*this, 0);
  }
  return *cluster_;
}

void Block::show_noted_reads() const {
  if (noted_reads_.empty()) return;
  launch_.options().observer->reads_were_noted(*this, noted_reads_);
  noted_reads_.clear();
}

void Block::ask_for_quiet_range(const MemoryAccess& shown) const {
  if (noted_reads_.find_range(shown.insn, shown.lowest, shown.highest + shown.bytes)) return;
  if (!noted_reads_.takes_ranges()) return;
  const QuietRange wanted = launch_.options().observer->quiet_range(shown);
  const std::uint64_t low = shown.warp->shared_low, high = low + shown.warp->shared_span;
  noted_reads_.add_range(shown.insn, {static_cast<std::uint32_t>(std::max<std::uint64_t>(wanted.low, low)),
                                      static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted.high, high))});
}

Extent3 Block::thread(const Warp& warp, int lane) const {
  const Extent3 extent = launch_.shape().block;
  const std::uint32_t t = warp.index * kLanes + static_cast<std::uint32_t>(lane);
  return {t % extent.x, t / extent.x % extent.y, t / extent.x / extent.y};
}

void Block::fill_frame(const Warp& warp, Frame& frame) const {
  const Code& code = *frame.code;
  std::memcpy(frame.registers, &kAllLanes, sizeof kAllLanes);
  if (!code.constants.empty())
    std::memcpy(frame.registers + code.constants_offset, code.constants.data(), code.constants.size());
  for (const SpecialSlot& slot : code.specials) write_special(warp, slot, frame.registers + slot.offset);
}

void Block::write_special(const Warp& warp, const SpecialSlot& slot, std::byte* at) const {
  const LaunchShape& shape = launch_.shape();
  const LaunchOptions& options = launch_.options();
  std::uint64_t value = 0;
  switch (slot.which) {
    case Special::kNtidX:
      value = shape.block.x;
      break;
    case Special::kNtidY:
      value = shape.block.y;
      break;
    case Special::kNtidZ:
      value = shape.block.z;
      break;
    case Special::kCtaidX:
      value = index_.x;
      break;
    case Special::kCtaidY:
      value = index_.y;
      break;
    case Special::kCtaidZ:
      value = index_.z;
      break;
    case Special::kNctaidX:
      value = shape.grid.x;
      break;
    case Special::kNctaidY:
      value = shape.grid.y;
      break;
    case Special::kNctaidZ:
      value = shape.grid.z;
      break;
    case Special::kWarpid:
      value = warp.index;
      break;
    case Special::kNwarpid:
      value = options.max_warps_per_sm;
      break;
    case Special::kSmid:
      value = linear_index_ % options.sm_count;
      break;
    case Special::kNsmid:
      value = options.sm_count;
      break;
    case Special::kGridid:
      value = options.grid_id;
      break;
    case Special::kZero:
      value = 0;
      break;
    case Special::kDynamicSharedBytes:
      value = shape.dynamic_shared;
      break;
    case Special::kTotalSharedBytes:
      value = launch_.shared_bytes();
      break;
    case Special::kGridWorkspaceHigh:
      value = options.grid_workspace >> 32;
      break;
    case Special::kGridWorkspaceLow:
      value = options.grid_workspace & 0xFFFFFFFFu;
      break;
    default:
      if (slot.which < Special::kClusteridX || slot.which > Special::kIsExplicitCluster)
        return write_lane_special(warp, slot, at);
      value = cluster_value(slot.which);
  }
  if (slot.bytes == 8)
    write_all_lanes<std::uint64_t>(at, value);
  else
    write_all_lanes<std::uint32_t>(at, value);
}

/// A special register that says where the block is in its cluster, and that in the grid.
std::uint64_t Block::cluster_value(Special which) const {
  const Extent3 extent = launch_.shape().cluster, grid = launch_.shape().grid;
  switch (which) {
    case Special::kClusteridX:
      return index_.x / extent.x;
    case Special::kClusteridY:
      return index_.y / extent.y;
    case Special::kClusteridZ:
      return index_.z / extent.z;
    case Special::kNclusteridX:
      return grid.x / extent.x;
    case Special::kNclusteridY:
      return grid.y / extent.y;
    case Special::kNclusteridZ:
      return grid.z / extent.z;
    case Special::kClusterCtaidX:
      return index_.x % extent.x;
    case Special::kClusterCtaidY:
      return index_.y % extent.y;
    case Special::kClusterCtaidZ:
      return index_.z % extent.z;
    case Special::kClusterNctaidX:
      return extent.x;
    case Special::kClusterNctaidY:
      return extent.y;
    case Special::kClusterNctaidZ:
      return extent.z;
    case Special::kClusterCtarank:
      return cluster_rank_;
    case Special::kClusterNctarank:
      return extent.count();
    default:
      return launch_.shape().has_cluster ? 1 : 0;
  }
}

void Block::write_lane_special(const Warp& warp, const SpecialSlot& slot, std::byte* at) const {
  const Extent3 extent = launch_.shape().block;
  Extent3 thread_of_lane = thread(warp, 0);  // counted on: every warp that begins would wait for a hundred divisions
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    std::uint32_t value = 0;
    switch (slot.which) {
      case Special::kTidX:
        value = thread_of_lane.x;
        break;
      case Special::kTidY:
        value = thread_of_lane.y;
        break;
      case Special::kTidZ:
        value = thread_of_lane.z;
        break;
      case Special::kLaneid:
        value = lane;
        break;
      case Special::kLanemaskEq:
        value = Mask{1} << lane;
        break;
      case Special::kLanemaskLt:
        value = first_lanes(lane);
        break;
      case Special::kLanemaskLe:
        value = first_lanes(lane + 1);
        break;
      case Special::kLanemaskGt:
        value = ~first_lanes(lane + 1);
        break;
      case Special::kLanemaskGe:
        value = ~first_lanes(lane);
        break;
      default:
        break;
    }
    std::memcpy(at + lane * sizeof value, &value, sizeof value);
    if (++thread_of_lane.x < extent.x) continue;
    thread_of_lane.x = 0;
    if (++thread_of_lane.y < extent.y) continue;
    thread_of_lane.y = 0;
    ++thread_of_lane.z;
  }
}

Block::State Block::run() {
  const auto count = static_cast<std::uint32_t>(warps_.size());
  // A schedule seed changes which warp goes first and in which direction they follow.
  const std::uint64_t seed = launch_.options().schedule_seed;
  const std::uint32_t first = static_cast<std::uint32_t>((seed * 0x9E3779B97F4A7C15ull >> 33) % count);
  const bool backwards = (seed * 0x9E3779B97F4A7C15ull >> 20 & 1) != 0;
  const std::uint64_t turn_ends = executed() + kLongTurn;
  for (Warp& warp : warps_) warp.tells = warp.early = false;  // others have had their turn
  for (;;) {
    bool some_ran = false, some_rest = false;
    for (std::uint32_t n = 0; n < count; ++n) {
      Warp& warp = warps_[(first + (backwards ? count - n : n)) % count];
      if (!warp.has_ready_group() || warp.tells || warp.early) continue;
      some_ran = true;
      const std::uint64_t before = warp.executed, lanes_before = warp.lane_instructions;
      const bool stopped = !warp.run();
      if (!launch_.charge(warp, warp.executed - before, warp.lane_instructions - lanes_before) || stopped)
        return State::kStopped;
      some_rest |= !warp.has_ready_group();  // and may have done what others of the block poll for
    }
    if (exited_lanes_ == thread_count_) return State::kEnded;
    open_full_barriers();
    bool some_ready = false, some_go_on = false, some_took = false, some_tell = false, some_early = false;
    for (const Warp& warp : warps_) {
      if (!warp.has_ready_group()) continue;
      some_ready = true;
      some_go_on |= !warp.polling && !warp.took && !warp.tells && !warp.early;
      some_took |= warp.took;
      some_tell |= warp.tells;
      some_early |= warp.early;
    }
    if (!some_ran && !some_ready && !let_poll() && !unblock()) {
      if (waits_for_cluster()) return State::kAtCluster;
      report_deadlock();
      return State::kStopped;
    }
    if (some_ready && !some_go_on && some_took) return State::kSwitched;
    if (some_ready && !some_go_on && some_tell) return State::kTells;
    if (some_ready && !some_go_on && some_early) return State::kEarly;
    if (some_ready && !some_go_on && let_poll()) continue;
    if (some_ready && !some_go_on && !some_rest) return State::kGaveWay;
    if (some_ready && executed() >= turn_ends) {
      let_poll();  // a try_wait does not take for ever
      return State::kWentOn;
    }
    if (launch_.switches_blocks()) return State::kSwitched;
  }
}

bool Block::unblock() {
  bool released = false;
  for (Warp& warp : warps_) released |= warp.release_early();
  return released;
}

bool Block::let_poll() {
  bool released = false;
  for (Warp& warp : warps_) released |= warp.waits_at(kMemoryBarrier) && warp.release_barrier(kMemoryBarrier, 0);
  waits_for_phases_ &= !released;
  return released;
}

void Block::phase_ends(std::uint32_t address, std::uint64_t clock) {
  ++openings_;
  waits_for_phases_ = true;
  forget_barrier_bytes(address);
  for (Warp& warp : warps_) warp.release_from_object(address, clock);
}

const BarrierBytes* Block::known_barrier_bytes(std::uint32_t address) const {
  const auto found = barrier_bytes_.find(address);
  return found != barrier_bytes_.end() ? &found->second : nullptr;
}

bool Block::waits_for_cluster() const {
  return std::any_of(warps_.begin(), warps_.end(), [](const Warp& w) { return w.waits_at(Cluster::kBarrier); });
}

void Block::report_deadlock() {
  std::string where;
  const Warp* first = nullptr;
  const Insn* first_at = nullptr;
  Mask first_lanes_waiting = 0;
  int listed = 0;
  bool waits_for_lanes = false;
  for (const Warp& warp : warps_) {
    for (const Group& group : warp.groups) {
      const bool is_first_for_lanes = !waits_for_lanes && group.state == GroupState::kAtWarpSync;
      waits_for_lanes = waits_for_lanes || is_first_for_lanes;
      if (first == nullptr || is_first_for_lanes) {
        first = &warp;
        first_at = group.resumed || group.state == GroupState::kAtWarpSync ? group.pc : group.pc - 1;
        first_lanes_waiting = group.lanes;
      }
      if (++listed > 4) continue;
      const Insn& at = *(group.resumed || group.state == GroupState::kAtWarpSync ? group.pc : group.pc - 1);
      where += (where.empty() ? "" : "; ") + std::string("warp ") + std::to_string(warp.index) + " lanes 0x";
      char lanes[16];
      std::snprintf(lanes, sizeof lanes, "%08x", group.lanes);
      where +=
          lanes + std::string(group.state == GroupState::kAtBarrier ? " at barrier " + std::to_string(group.barrier)
                                                                    : " waiting for other lanes of the warp");
      where += " in line " + std::to_string(place_of(*group.frame->code, at).line);
    }
  }
  if (listed > 4) where += "; and " + std::to_string(listed - 4) + " more";
  if (first == nullptr) return;
  report_fault(*first, first_at, waits_for_lanes ? FaultKind::kLaneDeadlock : FaultKind::kDeadlock,
               __builtin_ctz(first_lanes_waiting),
               "no thread of block " + spelled(index_) + " can continue: " + where +
                   (waits_for_lanes ? ". Some lanes wait for others that are in their mask, and never come"
                                    : ". Some of the threads that a barrier waits for have reached it, and the others "
                                      "never can"));
}

// --- barriers ---

bool Block::full(const Barrier& barrier) const {
  std::uint32_t warps_here = 0;
  for (const Warp& warp : warps_) {
    const Mask here = barrier.arrived[warp.index];
    if (here != 0 && (here | warp.exited) == warp.lanes) ++warps_here;
    if (barrier.threads == 0 && (here | warp.exited) != warp.lanes) return false;
  }
  return barrier.threads == 0 ? true : warps_here * kLanes >= barrier.threads;
}

void Block::open(std::uint32_t id) {
  Barrier& barrier = barriers_[id];
  ++openings_;
  if (Observer* const observer = launch_.options().observer) observer->barrier_opens(*this, id, barrier.arrived);
  barrier.last = barrier.votes;
  barrier.votes = {};
  std::uint64_t latest = 0;
  for (const Warp& warp : warps_)
    if (barrier.arrived[warp.index] != 0) latest = std::max(latest, warp.clock());
  barrier.arrived_lanes = 0;
  std::fill(barrier.arrived.begin(), barrier.arrived.end(), 0);
  for (Warp& warp : warps_) warp.release_barrier(id, latest);
}

void Block::open_full_barriers() {
  for (std::uint32_t id = 0; id < kBarriers; ++id)
    if (barriers_[id].arrived_lanes != 0 && full(barriers_[id])) open(id);
}

void Block::vote(std::uint32_t id, Mask arriving, Mask votes) {
  BarrierVotes& so_far = barriers_[id].votes;
  so_far.count += static_cast<std::uint32_t>(__builtin_popcount(arriving & votes));
  so_far.all &= (arriving & ~votes) == 0;
  so_far.any |= (arriving & votes) != 0;
}

const Insn* Block::arrive(Warp& warp, const Insn* at, Mask arriving, std::uint32_t id, std::uint32_t threads,
                          bool waits, bool comes_back) {
  if (arriving == 0) return at + 1;
  Barrier& barrier = barriers_[id];
  barrier.threads = threads == thread_count_ ? 0 : threads;
  barrier.arrived[warp.index] |= arriving;
  if (warp.observer != nullptr) warp.observer->barrier_reached(warp, at, arriving, id, threads);
  barrier.arrived_lanes += static_cast<std::uint32_t>(__builtin_popcount(arriving));
  const Insn* next = at + 1;
  if (waits) next = warp.wait_at_barrier(at, arriving, id, comes_back);
  const bool may_be_full = barrier.threads != 0 || barrier.arrived_lanes + exited_lanes_ >= thread_count_;
  if (may_be_full && full(barrier)) open(id);
  return next;
}

void Block::lanes_exited(const Warp& warp, Mask leaving) {
  exited_lanes_ += static_cast<std::uint32_t>(__builtin_popcount(leaving));
  if (cluster_ != nullptr) cluster_->lanes_exited(warp, leaving);
}

// --- reports ---

void Block::report_fault(const Warp& warp, const Insn* at, FaultKind kind, int lane, std::string sentence) {
  const Code* code = nullptr;  // the one that holds `at`
  for (const Frame* f = warp.frame; f != nullptr && code == nullptr; f = f->caller)
    if (at >= f->code->insns.data() && at < f->code->insns.data() + f->code->insns.size()) code = f->code;
  for (const Group& group : warp.groups)
    for (const Frame* f = group.frame; f != nullptr && code == nullptr; f = f->caller)
      if (at >= f->code->insns.data() && at < f->code->insns.data() + f->code->insns.size()) code = f->code;
  Fault fault;
  fault.kind = kind;
  fault.sentence = std::move(sentence);
  if (code != nullptr) {
    const ptx::SourcePlace place = place_of(*code, *at);
    fault.file = place.file;
    fault.line = place.line;
    fault.ptx_line = code->function->body[at->source].line;
  }
  fault.block = index_;
  fault.thread = thread(warp, lane);
  launch_.report_fault(std::move(fault));
}

std::uint64_t Block::executed() const {
  return std::accumulate(warps_.begin(), warps_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Warp& w) { return sum + w.executed; });
}

std::uint64_t Block::earliest() const {
  std::uint64_t earliest = ~std::uint64_t{0};
  for (const Warp& warp : warps_)
    if (warp.has_ready_group() && (warp.early || !warp.polling)) earliest = std::min(earliest, warp.clock());
  return earliest;
}

std::uint64_t Block::lane_instructions() const {
  return std::accumulate(warps_.begin(), warps_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Warp& w) { return sum + w.lane_instructions; });
}

}  // namespace vgpu
