#include "harness/vgpu/machine/launch.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "harness/vgpu/machine/cluster.h"
#include "harness/vgpu/machine/number_text.h"
#include "harness/vgpu/machine/whereabouts.h"

namespace vgpu {
namespace {

/// With a schedule seed, so many blocks are under way at the same time, or more if they wait for others.
constexpr std::size_t kNarrowWindow = 4;

/// What blocks poll for may never come. Then the sooner their instructions are used up the better.
constexpr std::uint32_t kMostPollsInTurn = 256;

/// Blocks that all poll for what none of them has written get this share of the instructions.
constexpr std::uint64_t kShareOfWaiting = 8;

/// Turns of each block under way after which those that wait have theirs, though others still go on.
constexpr std::size_t kLongRound = 4;

/// Rounds in which a block that polls is held back until somebody writes where it does. It may be at several places in
/// turn, of which the last alone is known.
constexpr std::uint32_t kMostHeldBack = 1 << 12;

/// Turns of each block under way, none of which ends, before it is asked whether the launch stands still. One that
/// lasts until the block has to make room counts as so many others.
constexpr std::uint64_t kTurnsBeforeStillness = 64, kTurnsOfALongOne = 16;

/// Turns in which each of them gives way before that is believed: a block may need some turns until it can end.
constexpr std::size_t kPatience = 32;

}  // namespace

Launch::Launch(const Kernel& kernel, AddressSpace& memory, const LaunchShape& shape, std::vector<std::byte> parameters,
               LaunchOptions options)
    : kernel_(kernel),
      memory_(memory),
      shape_(shape),
      parameters_(std::move(parameters)),
      options_(std::move(options)),
      chance_(options_.schedule_seed),
      window_(kNarrowWindow) {
  // A schedule seed runs the blocks in the order shift, shift + step, shift + 2 step, ... modulo their number.
  const std::uint64_t clusters = shape_.grid.count() / shape_.cluster.count();
  if (options_.schedule_seed != 0 && !options_.starts_in_order && clusters > 1) {
    std::uint64_t mixed = options_.schedule_seed * 0xBF58476D1CE4E5B9ull;
    mixed ^= mixed >> 29;
    block_shift_ = mixed % clusters;
    for (block_step_ = (mixed >> 17) % clusters | 1; std::gcd(block_step_, clusters) != 1; ++block_step_) {
    }
  }
}

Launch::~Launch() = default;

/// Of the next block or, where there are clusters, of the next of these.
std::uint64_t Launch::next_number() {
  const std::uint64_t size = shape_.cluster.count(), count = shape_.grid.count() / size;
  __extension__ typedef unsigned __int128 Wide;
  const auto number =
      static_cast<std::uint64_t>((static_cast<Wide>(started_ / size) * block_step_ + block_shift_) % count);
  started_ += size;
  return number;
}

std::unique_ptr<Block> Launch::idle_block() {
  if (idle_.empty()) return std::make_unique<Block>(*this);
  std::unique_ptr<Block> block = std::move(idle_.back());
  idle_.pop_back();
  return block;
}

/// One block, or all of a cluster, of which the one with rank 0 comes first.
void Launch::start_blocks() {
  const Extent3 extent = shape_.cluster, grid = shape_.grid;
  const std::uint64_t number = next_number();
  some_went_on_ = true;
  if (extent.count() == 1) {
    resident_.emplace_front().block = idle_block();
    resident_.front().block->start(number);
    return;
  }
  const Extent3 clusters{grid.x / extent.x, grid.y / extent.y, grid.z / extent.z};
  const Extent3 id{static_cast<std::uint32_t>(number % clusters.x),
                   static_cast<std::uint32_t>(number / clusters.x % clusters.y),
                   static_cast<std::uint32_t>(number / clusters.x / clusters.y)};
  const auto size = static_cast<std::uint32_t>(extent.count());
  const auto cluster = std::make_shared<Cluster>(size, id);
  std::vector<std::unique_ptr<Block>> members;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    const std::uint64_t x = std::uint64_t{id.x} * extent.x + rank % extent.x,
                        y = std::uint64_t{id.y} * extent.y + rank / extent.x % extent.y,
                        z = std::uint64_t{id.z} * extent.z + rank / extent.x / extent.y;
    members.push_back(idle_block());
    members.back()->start((z * grid.y + y) * grid.x + x, cluster, rank);
  }
  for (; !members.empty(); members.pop_back()) resident_.emplace_front().block = std::move(members.back());
}

/// Its blocks go on before all that are under way already.
void Launch::cluster_goes_on(const Cluster& cluster) {
  ++changes_;
  const auto stays = [&](const UnderWay& one) { return &one.block->cluster() != &cluster; };
  const auto first = std::stable_partition(at_cluster_.begin(), at_cluster_.end(), stays);
  std::move(std::make_reverse_iterator(at_cluster_.end()), std::make_reverse_iterator(first),
            std::front_inserter(resident_));
  at_cluster_.erase(first, at_cluster_.end());
}

std::uint64_t Launch::clock_of_next_block(std::uint32_t warps) const {
  const std::uint64_t before = started_ - 1;
  return before == 0 ? 0 : before / std::max(options_.resident_blocks, 1u) * (clock() / before) / warps;
}

std::uint64_t Launch::chance() {
  chance_ = chance_ * 6364136223846793005u + 1442695040888963407u;  // Knuth's generator of MMIX
  return chance_ >> 33;
}

/// A cluster begins when no block of another one can go on, so that it ends as soon as others of its kind.
bool Launch::starts_blocks() const {
  const std::size_t size = shape_.cluster.count();
  const std::size_t room = std::max<std::size_t>(options_.resident_blocks, size);
  const std::size_t wanted = options_.schedule_seed == 0 ? room : std::min(room, window_ * size);
  const bool is_next = size == 1 || options_.schedule_seed != 0 || resident_.empty();
  return is_next && started_ < shape_.grid.count() && under_way() + size <= wanted;
}

/// A round ends when no block can go on, or has lasted so long that others may be waiting for one that does not come to
/// rest. Those poll then for which somebody has written, or all, if nothing else is left to do; and after them those
/// write that let them look first, and those go on that nobody is behind.
void Launch::end_round() {
  const bool is_long = !resident_.empty();
  const bool is_idle = !is_long && telling_.empty() && written_.empty(), all_poll = is_long || is_idle;
  const bool waits = is_idle && !some_went_on_;
  if (waits && !waits_) waits_since_ = clock();
  waits_ = waits;
  some_went_on_ = false;
  polls_in_turn_ = is_idle && early_.empty() ? std::min(2 * polls_in_turn_, kMostPollsInTurn) : 1;
  const auto stays = [&](UnderWay& one) {
    return !all_poll && ++one.held_back < kMostHeldBack &&
           std::none_of(one.polled.begin(), one.polled.end(),
                        [&](std::uint64_t granule) { return written_.count(granule) != 0; });
  };
  const auto first = std::stable_partition(polling_.begin(), polling_.end(), stays);
  std::move(first, polling_.end(), std::back_inserter(resident_));
  polling_.erase(first, polling_.end());
  std::move(telling_.begin(), telling_.end(), std::back_inserter(resident_));
  telling_.clear();
  let_earliest_go_on();
  written_.clear();
  turns_ = 0;
}

void Launch::let_earliest_go_on() {
  if (early_.empty()) return;
  pace_ = ~std::uint64_t{0};
  for (const auto* blocks : {&early_, &resident_})
    for (const UnderWay& one : *blocks) pace_ = std::min(pace_, one.block->earliest());
  const auto stays = [&](const UnderWay& one) { return one.block->earliest() > pace_ + kAhead; };
  const auto first = std::stable_partition(early_.begin(), early_.end(), stays);
  std::move(first, early_.end(), std::back_inserter(resident_));
  early_.erase(first, early_.end());
}

/// When a block ends, one that polls has its turn: what it leaves, a lock say, goes to one that waits for it rather
/// than to one that begins.
std::unique_ptr<Block> Launch::next_block() {
  const bool one_polls = has_ended_ && !polling_.empty();
  if (!one_polls && (resident_.empty() || turns_ > kLongRound * under_way())) end_round();
  std::deque<UnderWay>& from = one_polls ? polling_ : resident_;
  UnderWay next = std::move(from.front());
  from.pop_front();
  for (const std::uint64_t granule : next.polled) polled_.remove(granule);
  has_ended_ = false;
  ++turns_;
  return std::move(next.block);
}

void Launch::set_aside(std::unique_ptr<Block> block, Block::State state) {
  const std::uint64_t took_at = state == Block::State::kSwitched ? block->took_at() : 0;
  UnderWay one{std::move(block), {}, took_at};
  one.block->each_polled([&](std::uint64_t at) { one.polled.push_back(at / kPolledBytes); });
  for (const std::uint64_t granule : one.polled) polled_.add(granule);
  const bool gave_way = state == Block::State::kGaveWay || state == Block::State::kWentOn;
  const bool polls = gave_way && options_.schedule_seed == 0;
  (polls                               ? polling_
   : state == Block::State::kTells     ? telling_
   : state == Block::State::kEarly     ? early_
   : state == Block::State::kAtCluster ? at_cluster_
                                       : resident_)
      .push_back(std::move(one));
}

/// Blocks that get nowhere may wait for one that has not begun.
void Launch::gave_way() {
  if (++idle_turns_ < kPatience * resident_.size()) return;
  window_ = 2 * (resident_.size() + at_cluster_.size());
  idle_turns_ = 0;
}

LaunchOutcome Launch::run() {
  const std::uint64_t blocks = shape_.grid.count();
  if (options_.observer != nullptr) options_.observer->launch_begins(*this);
  const auto goes_on = [&] {
    return !outcome_.interrupted && !ends_ &&
           (outcome_.fault.kind == FaultKind::kNone || outcome_.fault.kind == FaultKind::kAssert);
  };
  while (goes_on() && (started_ < blocks || under_way() != 0)) {
    // The newest block, or else the one that has waited longest; with a schedule seed, this one or any.
    if (!has_ended_ && starts_blocks()) {
      start_blocks();
      if (options_.schedule_seed != 0) continue;
    }
    if (can_go_on() == 0) {
      report_waiting_clusters();
      break;
    }
    if (options_.schedule_seed != 0 && chance() % 2 == 0)
      std::swap(resident_.front(), resident_[chance() % resident_.size()]);
    std::unique_ptr<Block> block = next_block();
    const std::uint64_t changes_before = changes_;
    const Block::State state = block->run();
    if (options_.between_turns && options_.between_turns(waits_)) waits_too_long_ = true;
    if (stands_still(*block, state, changes_before)) report_stillness(*block);
    if (outcome_.interrupted || outcome_.fault.kind == FaultKind::kBudget)
      outcome_.whereabouts = spelled(whereabouts_of(*this, blocks_with(*block))) + told_of_blocks_to_come();
    if (state == Block::State::kGaveWay || state == Block::State::kWentOn) gave_way();
    if (state != Block::State::kGaveWay) {
      some_went_on_ = true;
      waits_ = false;
    }
    if (state != Block::State::kEnded && state != Block::State::kStopped) {
      set_aside(std::move(block), state);
    } else {
      has_ended_ = !polling_.empty();
      window_ = kNarrowWindow;
      idle_turns_ = 0;
      block->show_noted_reads();
      if (state == Block::State::kEnded) block->end();
      idle_.push_back(std::move(block));
    }
  }
  if (options_.observer != nullptr) options_.observer->launch_ends(*this);
  for (const std::unique_ptr<Block>& block : idle_) outcome_.thread_instructions += block->lane_instructions();
  for (const auto* blocks_under_way : {&resident_, &polling_, &telling_, &early_, &at_cluster_})
    for (const UnderWay& one : *blocks_under_way) outcome_.thread_instructions += one.block->lane_instructions();
  return outcome_;
}

const LoopControl& Launch::control_of_loop(const Code& code, const Insn& at) {
  const auto [found, is_new] = loops_.try_emplace(&at);
  if (is_new) found->second = vgpu::control_of_loop(code, at, Memory::kMayChange);
  return found->second;
}

const LoopControl& Launch::control_of_still_loop(const Code& code, const Insn& at) {
  const auto [found, is_new] = still_loops_.try_emplace(&at);
  if (is_new) found->second = vgpu::control_of_loop(code, at, Memory::kStandsStill);
  return found->second;
}

/// Whether, after this turn of `block`, nothing can ever happen any more.
bool Launch::stands_still(Block& block, Block::State state, std::uint64_t changes_before) {
  if (state == Block::State::kStopped) return false;
  if (state == Block::State::kEnded || state == Block::State::kAtCluster) {
    turns_of_same_ = 0;
    ++changes_;
    return false;
  }
  turns_of_same_ += state == Block::State::kWentOn ? kTurnsOfALongOne : 1;
  if (turns_of_same_ < kTurnsBeforeStillness * (under_way() + 1)) {
    ++changes_;
    return false;
  }
  if (changes_ != changes_before) {
    block.stillness().forget();
    return false;
  }
  if (!block.stillness().was_quiet(*this, block)) {
    ++changes_;
    return false;
  }
  if (block.stillness().still_since() == changes_) return false;
  if (!block.stillness().has_returned(*this, block, changes_)) return false;
  if (still_since_ != changes_) still_blocks_ = 0;
  still_since_ = changes_;
  ++still_blocks_;
  const bool is_full = under_way() + 1 + shape_.cluster.count() > std::max(options_.resident_blocks, 1u);
  if (still_blocks_ + at_cluster_.size() != under_way() + 1 || (started_ != shape_.grid.count() && !is_full))
    return false;
  if (!may_wait_for_host(*this, blocks_with(block))) return true;
  ++changes_;
  return false;
}

/// The blocks under way, `one` of which has its turn, in the order of their numbers.
std::vector<const Block*> Launch::blocks_with(const Block& one) const {
  std::vector<const Block*> blocks{&one};
  for (const auto* some : {&resident_, &polling_, &telling_, &early_, &at_cluster_})
    for (const UnderWay& under_way : *some) blocks.push_back(under_way.block.get());
  std::sort(blocks.begin(), blocks.end(),
            [](const Block* a, const Block* b) { return a->linear_index() < b->linear_index(); });
  return blocks;
}

std::string Launch::told_of_blocks_to_come() const {
  const std::uint64_t to_come = shape_.grid.count() - started_;
  if (to_come == 0) return {};
  return "; " + with_commas(to_come) + (to_come == 1 ? " block has" : " blocks have") + " not begun";
}

void Launch::report_stillness(const Block& block) {
  const std::vector<Whereabouts> all = whereabouts_of(*this, blocks_with(block));
  const Whereabouts& first = all.front();
  std::string sentence = "the kernel was stopped because it can never end: " + spelled(all);
  if (started_ != shape_.grid.count()) {
    const std::uint64_t room = std::max(options_.resident_blocks, 1u);
    sentence += told_of_blocks_to_come() + ", and cannot before others end: the device has room for " +
                with_commas(room) + (room == 1 ? " block" : " blocks") + " of this kernel at a time";
  }
  sentence += ". None of these threads will change what the others wait for";
  stop();
  first.warp->block->report_fault(*first.warp, first.at, FaultKind::kEndlessWait, first.lane, sentence);
}

void Launch::report_waiting_clusters() {
  const Cluster& cluster = at_cluster_.front().block->cluster();
  std::vector<const Block*> blocks;
  for (std::uint32_t rank = 0; rank < cluster.size(); ++rank)
    if (const Block* const block = cluster.block(rank)) blocks.push_back(block);
  const std::vector<Whereabouts> all = whereabouts_of(*this, blocks);
  const Whereabouts& first = all.front();
  first.warp->block->report_fault(
      *first.warp, first.at, FaultKind::kClusterDeadlock, first.lane,
      "no thread of cluster " + spelled(cluster.id()) + " can continue: " + spelled(all) +
          ". Every thread of the cluster that has not ended must arrive at its barrier before any can go on, and some "
          "never can");
}

bool Launch::lets_others_look() const { return options_.schedule_seed == 0 && shape_.grid.count() > 1; }

bool Launch::is_polled(std::uint64_t address) const { return polled_.has(address / kPolledBytes); }

bool Launch::is_to_be_looked_at(std::uint64_t address) const {
  return std::any_of(resident_.begin(), resident_.end(), [&](const UnderWay& one) { return one.took_at == address; });
}

bool Launch::is_about_to_be_written(std::uint64_t address) const { return about_.has(address); }

void Launch::is_about_to_write(std::uint64_t address) { about_.add(address); }

void Launch::writes_now(std::uint64_t address) { about_.remove(address); }

void Launch::wrote(std::uint64_t address) {
  if (is_polled(address)) written_.insert(address / kPolledBytes);
}

bool Launch::has_waited_too_long() const {
  return waits_ && (waits_too_long_ || clock() - waits_since_ > options_.instruction_budget / kShareOfWaiting);
}

bool Launch::charge(const Warp& warp, std::uint64_t instructions, std::uint64_t lane_instructions) {
  outcome_.warp_instructions += instructions;
  cost_ += kCostOfAnInstruction * instructions + kCostOfALane * lane_instructions;
  if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed)) {
    outcome_.interrupted = true;
    return false;
  }
  if (ends_ || (outcome_.fault.kind != FaultKind::kNone && outcome_.fault.kind != FaultKind::kAssert))
    return false;  // an observer's
  if (options_.instruction_budget == 0) return true;
  const bool waits = has_waited_too_long();
  if (!waits && cost_ / kCostOfAFullWarp <= options_.instruction_budget) return true;
  const auto ready = std::find_if(warp.groups.begin(), warp.groups.end(),
                                  [](const Group& g) { return g.state == GroupState::kReady; });
  if (ready == warp.groups.end()) return true;  // this warp waits; the next one that runs on will be told
  warp.block->report_fault(warp, ready->pc, FaultKind::kBudget, __builtin_ctz(ready->lanes),
                           waits ? "the kernel was stopped: for " + std::to_string(clock() - waits_since_) +
                                       " warp instructions all of its threads have waited for a value that none of "
                                       "them has written: it seems to run forever"
                                 : "the kernel was stopped after " + std::to_string(clock()) +
                                       " warp instructions: it seems to run forever (the limit here is " +
                                       std::to_string(options_.instruction_budget) + " with all lanes active)");
  return false;
}

bool Launch::affords(std::uint64_t bytes) {
  constexpr std::uint64_t kBytesOfAnInstruction = 512;  // of a full warp
  cost_ += bytes / kBytesOfAnInstruction * kCostOfAFullWarp;
  return options_.instruction_budget == 0 || cost_ / kCostOfAFullWarp <= options_.instruction_budget;
}

void Launch::report_fault(Fault fault) {
  if (fault.kind == FaultKind::kAssert && options_.print_assertion) options_.print_assertion(fault.sentence);
  if (outcome_.fault.kind == FaultKind::kNone) outcome_.fault = std::move(fault);
}

}  // namespace vgpu
