#include "harness/vgpu/machine/warp.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/vgpu/machine/address_windows.h"
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/observer.h"

namespace vgpu {
namespace {

/// Warp instructions a warp executes before others get their turn.
constexpr std::uint64_t kTurn = 8192;

/// A turn that ends in giving way costs a warp patience, a polling turn more; with none left, lanes that wait at a
/// rendezvous may go on alone, for they could be what is being waited for.
constexpr std::uint32_t kPatience = 256;
constexpr std::uint32_t kPatienceLostByPolling = 32;

/// An instruction that reads the clock again after so few others may wait for time to pass. Then it takes so many
/// clocks more that a loop which does nothing else takes as many as in modelled time, where its instructions wait for
/// each other.
constexpr std::uint64_t kFewInstructions = 8, kClocksOfWaiting = 16;

/// Groups of lanes up to which a schedule seed parts them further: every one of them takes as long as the whole warp.
constexpr std::size_t kMostParts = 4;

std::unique_ptr<std::byte[]> allocate_frame(Frame& frame, std::uint32_t bytes) {
  auto storage = std::make_unique<std::byte[]>(bytes + 63);
  const auto at = reinterpret_cast<std::uintptr_t>(storage.get());
  frame.registers = storage.get() + ((at + 63) / 64 * 64 - at);
  return storage;
}

const Insn* handle_meeting(Warp& warp, const Insn* insn) { return warp.meet(insn); }

const Insn* handle_return(Warp& warp, const Insn* insn) { return warp.leave_function(insn, warp.active); }

const Insn* stop_here(Warp&, const Insn* insn) { return insn; }

/// Whether lanes that come to `next` do nothing more than end, be it by way of the functions that they are in.
bool ends_kernel(const Frame* frame, const Insn* next) {
  constexpr int kMostJumps = 64;  // an empty loop never ends
  for (int jumps = 0; jumps < kMostJumps; ++jumps) {
    while (next->run == meeting_handler()) ++next;
    const ptx::Instruction& instruction = instruction_of(*frame->code, *next);
    if (next->run == return_handler() || (!instruction.guarded && instruction.opcode == "ret")) {
      if (frame->caller == nullptr) return true;
      next = frame->call + 1;
      frame = frame->caller;
    } else if (!instruction.guarded && instruction.opcode == "bra") {
      next = next->target;
    } else {
      return !instruction.guarded && instruction.opcode == "exit";
    }
  }
  return false;
}

/// Where lanes go on that met at `point`.
const Insn* behind(const Insn* point) { return point->run == meeting_handler() ? point : point + 1; }

}  // namespace

Handler meeting_handler() { return &handle_meeting; }
Handler return_handler() { return &handle_return; }

void Warp::start(Mask existing) {
  lanes = existing;
  exited = 0;
  groups.clear();
  meetings.clear();
  call_frames.clear();
  if (copies != nullptr) copies->clear();
  polls = 0;
  polling = took = tells = early = false;
  polled_at = 0;
  polled_by = waits_by = clock_read_by = nullptr;
  fruitless_turns = 0;
  stepping = false;
  loop.begin(executed, kTurn);
  Group all;
  all.pc = kernel_frame->code->insns.data();
  all.frame = kernel_frame.get();
  all.lanes = existing;
  groups.push_back(all);
}

bool Warp::has_ready_group() const {
  return std::any_of(groups.begin(), groups.end(), [](const Group& g) { return g.state == GroupState::kReady; });
}

/// Lanes of the running group that are to go on at `pc` later.
Group& Warp::put_off(const Insn* pc, Mask lanes) {
  Group& group = groups.emplace_back();  // filled in place: a copy would wait for its fields to be stored
  group.pc = pc;
  group.frame = frame;
  group.lanes = lanes;
  group.rendezvous = rendezvous;
  return group;
}

/// Takes up the latest ready group that has not given way in this turn.
bool Warp::pick() {
  for (std::size_t i = groups.size(); i-- > 0;) {
    Group& group = groups[i];
    if (group.state != GroupState::kReady || group.gave_way) continue;
    frame = group.frame;
    registers = frame->registers;
    active = group.lanes;
    rendezvous = group.rendezvous;
    resumed = group.resumed;
    segment = group.pc;
    forget_bases();
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

bool Warp::run() {
  for (Group& group : groups) group.gave_way = false;
  turn_ends = executed + kTurn;
  yield_at = std::min(turn_ends, loop.next_look());
  polls_enough = polling ? kSamePlace * block->launch().polls_in_turn() : kLooksLikeWaiting;
  polling = took = tells = early = polled = false;
  while (pick()) {
    stop = Stop::kNone;
    const Insn* insn = segment;
    if (resumed) ++segment;  // the instruction it waited at has been counted
    while (insn != nullptr) insn = __builtin_expect(stepping, 0) ? step(insn) : insn->run(*this, insn);
    if (stop == Stop::kFault) return false;
  }
  if (fruitless_turns >= kPatience) {
    fruitless_turns = 0;
    release_early();
  }
  return true;
}

/// Executes one instruction, not translated, seen by the observer first. Handlers may go straight on to the next
/// instruction: a breakpoint there stops them, as a debugger would do it. A meeting point needs none, and must be known
/// as one.
const Insn* Warp::step(const Insn* insn) {
  observer->instruction(*this, insn);
  const Handler plain = interpreter_of(*frame->code, insn);
  const bool has_next = insn + 1 < frame->code->insns.data() + frame->code->insns.size();
  if (!has_next || insn[1].run == meeting_handler()) return plain(*this, insn);
  auto& next = const_cast<Insn&>(insn[1]);
  const Handler handler = std::exchange(next.run, &stop_here);
  const Insn* const then = plain(*this, insn);
  next.run = handler;
  return then;
}

const Insn* Warp::jump(const Insn* from, const Insn* to) {
  count_up_to(from);
  segment = to;
  if (to > from) return to;
  const bool polls_often = polls >= polls_enough;
  if (executed < yield_at && !polls_often) return to;
  if (executed < turn_ends && !polls_often) return look_at_loop(to);
  polling = polls_often || polled;
  fruitless_turns += polls_often ? kPatienceLostByPolling : 1;
  polls = 0;
  return give_way(to);
}

/// The running group begins a round of a loop.
const Insn* Warp::look_at_loop(const Insn* begin) {
  if (loop.sees_no_end(block->launch(), *frame, *begin, active, executed)) {
    block->report_fault(*this, begin, FaultKind::kEndlessLoop, __builtin_ctz(active),
                        "the kernel was stopped: this loop never ends, because nothing that its condition depends on "
                        "changes any more");
    stop = Stop::kFault;
    return nullptr;
  }
  yield_at = std::min(turn_ends, loop.next_look());
  return begin;
}

std::int32_t Warp::meeting_at(const Insn* point, Frame* where) {
  if (rendezvous >= 0 && meetings[static_cast<std::size_t>(rendezvous)].point == point &&
      meetings[static_cast<std::size_t>(rendezvous)].frame == where)
    return rendezvous;
  const auto free = std::find_if(meetings.begin(), meetings.end(), [](const Rendezvous& r) { return !r.in_use; });
  const auto index = static_cast<std::int32_t>(free - meetings.begin());
  if (free == meetings.end()) meetings.emplace_back();
  meetings[static_cast<std::size_t>(index)] = {point, where, nullptr, active, 0, rendezvous, true};
  return index;
}

const Insn* Warp::part(const Insn* branch, Mask taken, const Insn* target) {
  count_up_to(branch);
  if (run_observer != nullptr) run_observer->lanes_part(*this, branch);
  const Mask rest = active & ~taken;
  const Insn* const next = branch + 1;
  if (branch->offset >= 0) {
    const Insn* const point = frame->code->insns.data() + branch->offset;
    rendezvous = meeting_at(point, frame);
    Rendezvous& meeting = meetings[static_cast<std::size_t>(rendezvous)];
    if (target == point || next == point) {  // one way leads straight to the meeting point: those lanes have arrived
      meeting.arrived |= target == point ? taken : rest;
      active = target == point ? rest : taken;
      segment = target == point ? next : target;
      return segment;
    }
  }
  put_off(target, taken);
  active = rest;
  return segment = next;
}

const Insn* Warp::part_by_index(const Insn* branch, Mask taken, const std::uint32_t* which) {
  const auto& targets = *static_cast<const std::vector<const Insn*>*>(branch->extra);
  const int first = __builtin_ctz(taken);
  const Insn* const target = targets[std::min<std::size_t>(which[first], targets.size() - 1)];
  Mask together = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    if ((taken >> lane & 1) != 0 && which[lane] == which[first]) together |= Mask{1} << lane;
  if (together == active) return jump(branch, target);
  // The first lane's companions jump; the others look at the branch again, all with the same place to meet.
  count_up_to(branch - 1);
  if (run_observer != nullptr) run_observer->lanes_part(*this, branch);
  if (branch->offset >= 0) rendezvous = meeting_at(frame->code->insns.data() + branch->offset, frame);
  put_off(branch, active & ~together);
  active = together;
  count_up_to(branch);
  return segment = target;
}

bool Warp::complete(std::int32_t index) {
  const Rendezvous& meeting = meetings[static_cast<std::size_t>(index)];
  return (meeting.expected & ~meeting.arrived & ~exited) == 0;
}

void Warp::close(std::int32_t index) {
  Rendezvous& meeting = meetings[static_cast<std::size_t>(index)];
  if (meeting.callee != nullptr) free_call_frame(meeting.callee);
  meeting.in_use = false;
}

const Insn* Warp::meet(const Insn* point) {
  while (rendezvous >= 0) {
    Rendezvous& meeting = meetings[static_cast<std::size_t>(rendezvous)];
    if (meeting.point != point || meeting.frame != frame) break;
    count_up_to(point);
    meeting.arrived |= active;
    if (!complete(rendezvous)) {
      stop = Stop::kParted;
      return nullptr;
    }
    active = meeting.arrived & ~exited;
    const std::int32_t done = rendezvous;
    rendezvous = meeting.parent;
    close(done);
    fruitless_turns = 0;
  }
  return point + 1;
}

/// After lanes ended: rendezvous that waited only for them are over.
void Warp::lanes_left() {
  for (std::size_t i = 0; i < meetings.size(); ++i) {
    Rendezvous& meeting = meetings[i];
    if (!meeting.in_use || !complete(static_cast<std::int32_t>(i))) continue;
    Group group;
    group.pc = behind(meeting.point);
    group.frame = meeting.frame;
    group.lanes = meeting.arrived & ~exited;
    group.rendezvous = meeting.parent;
    close(static_cast<std::int32_t>(i));
    if (group.lanes != 0) groups.push_back(group);
  }
  try_exchanges();
}

const Insn* Warp::exit(const Insn* at, Mask leaving) {
  if (leaving == 0) return at + 1;
  count_up_to(at);
  if (copies != nullptr && (exited | leaving) == lanes) copies->arrive(*this, lanes, nullptr);
  exited |= leaving;
  active &= ~leaving;
  fruitless_turns = 0;
  block->lanes_exited(*this, leaving);
  lanes_left();
  if (active != 0) return at + 1;
  stop = Stop::kGone;
  return nullptr;
}

const Insn* Warp::enter_function(const Insn* call, Mask calling, const Code& callee) {
  count_up_to(call);
  const auto& site = *static_cast<const CallSite*>(call->extra);
  auto entered = std::make_unique<Frame>();
  entered->code = &callee;
  entered->local_base = frame->local_base + frame->code->local_bytes;
  entered->caller = frame;
  entered->call = call;
  entered->number = ++calls;
  if (entered->local_base + callee.local_bytes > local_stride)
    return fault(call, FaultKind::kStackOverflow, __builtin_ctz(calling),
                 "the call stack of a thread is full (" + std::to_string(local_stride) +
                     " bytes); endless recursion? cudaDeviceSetLimit(cudaLimitStackSize, ...) makes it larger");
  entered->storage = allocate_frame(*entered, callee.frame_bytes);
  block->fill_frame(*this, *entered);
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((calling >> lane & 1) == 0) continue;
    std::byte* const memory = local + static_cast<std::size_t>(lane) * local_stride;
    for (std::size_t p = 0; p < site.arguments.size() && p < callee.parameter_offsets.size(); ++p)
      std::memcpy(memory + entered->local_base + callee.parameter_offsets[p],
                  memory + frame->local_base + site.arguments[p], callee.function->parameters[p].bytes);
  }
  if (calling != active) leave_behind(call + 1, active & ~calling);
  rendezvous = meeting_at(call, frame);
  meetings[static_cast<std::size_t>(rendezvous)].callee = entered.get();
  frame = entered.get();
  registers = frame->registers;
  forget_bases();
  call_frames.push_back(std::move(entered));
  return segment = callee.insns.data();
}

const Insn* Warp::leave_function(const Insn* at, Mask leaving) {
  if (leaving == 0) return at + 1;
  if (frame == kernel_frame.get()) return exit(at, leaving);
  count_up_to(at);
  loop.forget();
  const Frame& callee = *frame;
  const auto& site = *static_cast<const CallSite*>(callee.call->extra);
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((leaving >> lane & 1) == 0) continue;
    std::byte* const memory = local + static_cast<std::size_t>(lane) * local_stride;
    for (std::size_t r = 0; r < site.results.size() && r < callee.code->result_offsets.size(); ++r)
      std::memcpy(memory + callee.caller->local_base + site.results[r],
                  memory + callee.local_base + callee.code->result_offsets[r], callee.code->function->results[r].bytes);
  }
  // Lanes that return from within a branch will not come to that branch's meeting point.
  std::int32_t meeting = rendezvous;
  while (meetings[static_cast<std::size_t>(meeting)].callee != &callee) {
    meetings[static_cast<std::size_t>(meeting)].expected &= ~leaving;
    meeting = meetings[static_cast<std::size_t>(meeting)].parent;
  }
  meetings[static_cast<std::size_t>(meeting)].arrived |= leaving;
  active &= ~leaving;
  lanes_left();  // puts the callers back among the ready groups once all have returned
  if (active != 0) return at + 1;
  stop = Stop::kParted;
  return nullptr;
}

/// Lanes that were let go on early may make the same call again: its place does not tell which frame it was.
void Warp::free_call_frame(const Frame* callee) {
  const auto found = std::find_if(call_frames.begin(), call_frames.end(),
                                  [&](const std::unique_ptr<Frame>& f) { return f.get() == callee; });
  if (found != call_frames.end()) call_frames.erase(found);
}

void Warp::leave_behind(const Insn* at, Mask left) {
  count_up_to(at - 1);
  put_off(at, left);
  active &= ~left;
}

/// The running group goes on with `next` when all others had their turn.
const Insn* Warp::give_way(const Insn* next) {
  put_off(next, active).gave_way = true;
  std::rotate(groups.begin(), groups.end() - 1, groups.end());
  stop = Stop::kYielded;
  return nullptr;
}

const Insn* Warp::let_others_in(const Insn* at, Did did) {
  const bool only_reads = did == Did::kRead;
  if (!only_reads) polls = 0;
  polled |= only_reads;
  if (!is_mixed) {
    if (only_reads) return at + 1;
    count_up_to(at);
    took |= did == Did::kChangeGlobal;
    return give_way(at + 1);
  }
  Launch& launch = block->launch();
  switch (launch.chance() % 4) {
    case 0:
      count_up_to(at);
      return give_way(at + 1);
    case 1: {
      const auto later = static_cast<Mask>(launch.chance()) & active;
      if (groups.size() < kMostParts && later != 0 && later != active) leave_behind(at + 1, later);
      return at + 1;
    }
    default:
      return at + 1;
  }
}

const Insn* Warp::let_others_look(const Insn* at) {
  count_up_to(at);
  tells = true;
  polls = 0;
  give_way(at);
  groups.front().resumed = true;
  return nullptr;
}

const Insn* Warp::let_others_catch_up(const Insn* at) {
  count_up_to(at - 1);
  early = true;
  return give_way(at);
}

const Insn* Warp::wait_at_barrier(const Insn* at, Mask waiting, std::uint32_t barrier, bool comes_back) {
  count_up_to(at);
  Group& group = put_off(comes_back ? at : at + 1, waiting);
  group.resumed = comes_back;
  group.state = GroupState::kAtBarrier;
  group.barrier = barrier;
  active &= ~waiting;
  if (active != 0) return at + 1;
  stop = Stop::kWaiting;
  return nullptr;
}

template <class Which>
bool Warp::release_groups(const Which& is_released, std::uint64_t clock) {
  bool released = false;
  for (Group& group : groups) {
    if (group.state != GroupState::kAtBarrier || !is_released(group)) continue;
    group.state = GroupState::kReady;
    be_no_earlier_than(clock);
    released = true;
  }
  if (is_mixed) unite_groups();
  return released;
}

bool Warp::waits_at(std::uint32_t barrier) const {
  return std::any_of(groups.begin(), groups.end(), [=](const Group& group) {
    return group.state == GroupState::kAtBarrier && group.barrier == barrier;
  });
}

bool Warp::release_barrier(std::uint32_t barrier, std::uint64_t clock) {
  fruitless_turns = 0;
  return release_groups([=](const Group& group) { return group.barrier == barrier; }, clock);
}

void Warp::release_from_object(std::uint32_t address, std::uint64_t clock) {
  const auto waits_there = [=](const Group& group) {
    if (group.barrier != Block::kMemoryBarrier) return false;
    std::uint32_t objects[kLanes];
    std::memcpy(objects, group.frame->registers + group.pc->a, sizeof objects);
    for (Mask rest = group.lanes; rest != 0; rest &= rest - 1)
      if (objects[__builtin_ctz(rest)] % kRankBytes == address % kRankBytes) return true;
    return false;
  };
  if (release_groups(waits_there, clock)) fruitless_turns = 0;
}

void Warp::tell_of_match(std::uint32_t different) const { run_observer->values_match(*this, different); }

void Warp::sleep(std::uint32_t nanoseconds) {
  polls += kLooksLikeWaiting;
  clock_ahead += nanoseconds * kClocksOfNanosecond;
  if (run_observer != nullptr) run_observer->warp_sleeps(*this, nanoseconds);
}

void Warp::be_no_earlier_than(std::uint64_t there) { clock_ahead += there - std::min(there, clock()); }

std::uint64_t Warp::read_clock(const Insn* at) {
  const auto before = static_cast<std::uint64_t>(at - segment);
  const bool again = at == clock_read_by && executed + before <= clock_read_after + kFewInstructions;
  if (again) clock_ahead += kClocksOfWaiting;
  clock_read_by = at;
  clock_read_after = executed + before;
  const std::uint64_t now = clock() + before;
  if (run_observer != nullptr) run_observer->clock_is_read(*this, at, now);
  return now;
}

void Warp::tell_of_atomic(const MemoryAccess& access, Mask changed) const {
  run_observer->atomic_took_place(access, changed);
}

const Insn* Warp::wait_for_lanes(const Insn* at, Mask here, Mask members) {
  count_up_to(at);
  Group& group = put_off(at, here);
  group.state = GroupState::kAtWarpSync;
  group.sync_lanes = members;
  active &= ~here;
  try_exchange(at, members);
  if (active != 0) return at + 1;
  stop = Stop::kWaiting;
  return nullptr;
}

/// Performs the exchange that `at` is part of if every lane it names has come. Those lanes are then ready behind it.
bool Warp::try_exchange(const Insn* at, Mask members) {
  const auto* operation = static_cast<const SyncOperation*>(at->extra);
  const auto takes_part = [&](const Group& g) {
    return g.state == GroupState::kAtWarpSync && g.sync_lanes == members && g.pc->extra == operation;
  };
  Mask present = 0;
  for (const Group& g : groups)
    if (takes_part(g)) present |= g.lanes;
  if ((members & lanes & ~exited & ~present) != 0) return false;

  std::byte* const registers_before = registers;
  Exchange exchange;
  exchange.lanes = present;
  if (stepping) {
    std::vector<Participant> participants;
    for (const Group& g : groups)
      if (takes_part(g)) participants.push_back({g.pc, g.frame, g.lanes});
    observer->lanes_exchange(*this, participants);
  }
  for (const Group& g : groups) {
    if (!takes_part(g)) continue;
    registers = g.frame->registers;
    operation->collect(*this, g.pc, g.lanes, exchange);
  }
  for (Group& g : groups) {
    if (!takes_part(g)) continue;
    registers = g.frame->registers;
    operation->finish(*this, g.pc, g.lanes, exchange);
    tell_of_undefined({g.pc, g.frame, g.lanes}, present);
    g.state = GroupState::kReady;
    ++g.pc;
  }
  registers = registers_before;

  unite_groups();
  fruitless_turns = 0;
  return true;
}

void Warp::tell_of_undefined(const Participant& receivers, Mask present) {
  const auto* const operation = static_cast<const SyncOperation*>(receivers.at->extra);
  if (observer == nullptr || operation->undefined == nullptr || present == kAllLanes) return;
  LaneNumbers sources;
  const Mask lanes = operation->undefined(*this, receivers.at, receivers.lanes, present, sources);
  if (lanes != 0) observer->values_are_undefined(*this, {receivers.at, receivers.frame, lanes}, sources);
}

/// Groups that stand at one place with one way ahead are one group again.
void Warp::unite_groups() {
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (std::size_t j = groups.size(); j-- > i + 1;)
      if (groups[i].state == GroupState::kReady && groups[j].state == GroupState::kReady &&
          groups[i].pc == groups[j].pc && groups[i].frame == groups[j].frame &&
          groups[i].rendezvous == groups[j].rendezvous && groups[i].resumed == groups[j].resumed) {
        groups[i].lanes |= groups[j].lanes;
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
      }
}

void Warp::try_exchanges() {
  for (bool again = true; again;) {
    again = false;
    for (const Group& g : groups)
      if (g.state == GroupState::kAtWarpSync && try_exchange(g.pc, g.sync_lanes)) {
        again = true;
        break;  // the groups have changed
      }
  }
}

/// There is nothing to tell of where a run has only just begun.
void Warp::tell_of_run(const Insn* last) {
  if (last >= segment) run_observer->run_ends(*this, segment, last);
}

bool Warp::release_early() {
  bool released = false;
  for (Rendezvous& meeting : meetings) {
    if (!meeting.in_use || (meeting.arrived & ~exited) == 0) continue;
    Group group;
    group.pc = meeting.point + 1;
    group.frame = meeting.frame;
    group.lanes = meeting.arrived & ~exited;
    group.rendezvous = meeting.parent;
    if (meeting.point->run == meeting_handler()) group.pc = meeting.point;
    meeting.expected &= ~meeting.arrived;
    if (observer != nullptr && !ends_kernel(group.frame, group.pc))
      observer->lanes_go_ahead(*this, group.lanes, meeting.expected & ~exited);
    meeting.arrived = 0;
    groups.push_back(group);
    released = true;
  }
  return released;
}

const Insn* Warp::fault(const Insn* at, FaultKind kind, int lane, std::string sentence) {
  if (stop != Stop::kFault) count_up_to(at);
  block->report_fault(*this, at, kind, lane, std::move(sentence));
  stop = Stop::kFault;
  return nullptr;
}

}  // namespace vgpu
