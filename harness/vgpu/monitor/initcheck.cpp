#include "harness/vgpu/monitor/initcheck.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/vgpu/machine/cluster.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/monitor/array_names.h"
#include "harness/vgpu/monitor/matrix_marks.h"

namespace vgpu {
namespace {

/// Accesses that lie within so many bytes are looked at together first.
constexpr std::uint64_t kNear = 4096;

/// The widest access of a lane: eight registers of 4 bytes, or four of 8.
constexpr std::uint32_t kWidest = 32;

constexpr std::size_t kMostOrigins = std::size_t{1} << 16;

std::uint64_t number_of_copy(const MemoryAccess& store) { return std::uint64_t{store.warp->index} << 32 | store.copy; }

std::uint64_t word_of(std::uint64_t address) { return address & ~std::uint64_t{3}; }

bool is_copy(const ptx::Instruction& instruction) { return instruction.opcode == "cp"; }

std::uint32_t all_bytes(std::uint32_t count) { return static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1); }

/// How many blocks receive what a copy's one lane stores in shared memory.
std::uint32_t receivers_of(const MemoryAccess& store) {
  const Cluster* const cluster = store.warp->block->known_cluster();
  if (cluster == nullptr || store.insn->extra == nullptr ||
      !ptx::has_modifier(instruction_of(*store.warp->frame->code, *store.insn), "multicast::cluster"))
    return 1;
  const std::uint32_t slot = static_cast<const std::vector<std::uint32_t>*>(store.insn->extra)->back();
  std::uint16_t ranks[kLanes];
  std::memcpy(ranks, store.warp->registers + slot, sizeof ranks);
  std::uint32_t count = 0;
  for (std::uint32_t rest = ranks[__builtin_ctz(store.lanes)]; rest != 0; rest &= rest - 1)
    count += cluster->block(static_cast<std::uint32_t>(__builtin_ctz(rest))) != nullptr ? 1 : 0;
  return std::max(count, 1U);
}

}  // namespace

// --- what begins and ends ---

void Initcheck::launch_begins(const Launch& launch) {
  launch_ = &launch;
  kernel_name_ = launch.kernel().readable_name();
  known_.fill({});
  blocks_.clear();
  last_block_ = nullptr;
  carried_.clear();
  in_flight_ = {};
  origins_.clear();
  next_origin_ = 0;
  facts_.clear();
  reported_.clear();
  last_read_ = last_use_ = nullptr;
}

void Initcheck::launch_ends(Launch&) {
  for (const auto& [read, uses] : reported_)
    for (const auto& [use, mistake] : uses)
      if (mistake.count > 1)
        findings_.is_new(mistake.kind, mistake.file, mistake.line, mistake.array, mistake.count - 1);
  blocks_.clear();
  last_block_ = nullptr;
  launch_ = nullptr;
}

void Initcheck::block_begins(const Block& block) {
  BlockState& state = blocks_[&block];
  const Warp& warp = block.warps()[0];
  const std::uint64_t bytes = warp.shared_low + warp.shared_span;
  if (state.shared == nullptr)
    state.shared = std::make_unique<WrittenBytes>(bytes);
  else
    state.shared->clear(0, bytes);
  const Kernel& kernel = launch_->kernel();
  state.shared->set(kernel.shared_begin(),
                    Kernel::kSharedBase);  // the hardware's own part is zeros, as far as it exists
  state.carried.clear();
  state.copies.clear();
  state.warps.resize(block.warps().size());
  for (WarpMarks& marks : state.warps) marks.clear();
  state.steps.assign(block.warps().size(), 0);
  state.has_lost_threads = false;
}

void Initcheck::barrier_opens(const Block& block, std::uint32_t /*id*/, const std::vector<Mask>& /*arrived*/) {
  state_of(block).has_lost_threads =
      std::any_of(block.warps().begin(), block.warps().end(), [](const Warp& warp) { return warp.exited != 0; });
}

Initcheck::BlockState& Initcheck::state_of(const Block& block) {
  if (&block != last_block_) {
    last_state_ = &blocks_.at(&block);
    last_block_ = &block;
  }
  return *last_state_;
}

Initcheck::BlockState& Initcheck::home_of(const MemoryAccess& access) {
  return state_of(access.home != nullptr ? *access.home : *access.warp->block);
}

// --- memory ---

DeviceContents::Range Initcheck::range_of(const MemoryAccess& access, std::uint64_t address) {
  if (access.space == ptx::Space::kShared) {
    const Warp& warp = *access.warp;
    if (address < warp.shared_low || address - warp.shared_low >= warp.shared_span) return {};
    return {0, warp.shared_low + warp.shared_span, home_of(access).shared.get()};
  }
  const AddressSpace& memory = access.warp->block->launch().memory();
  if (memory.generation() != generation_) {
    known_.fill({});
    generation_ = memory.generation();
  }
  KnownRange& known = known_[(reinterpret_cast<std::uintptr_t>(access.insn) / sizeof(Insn)) % known_.size()];
  if (known.insn != access.insn || !known.range.holds(address, address + access.bytes))
    known = {access.insn, contents_.range_at(memory, address)};
  return known.range;
}

/// Likewise, of shared memory, for the most common case of all.
bool Initcheck::is_written_shared(const MemoryAccess& access) {
  const Warp& warp = *access.warp;
  const std::uint64_t end = access.highest + access.bytes;
  return access.lowest >= warp.shared_low && end <= warp.shared_low + warp.shared_span &&
         end - access.lowest <= kNear && home_of(access).shared->all(access.lowest, end);
}

/// Whether everything that an access reaches is plainly written.
bool Initcheck::is_written(const MemoryAccess& access) {
  const DeviceContents::Range range = range_of(access, access.lowest);
  const std::uint64_t end = access.highest + access.bytes;
  if (!range.holds(access.lowest, end)) return false;
  if (range.written == nullptr) return true;
  return end - access.lowest <= kNear && range.written->all(access.lowest - range.begin, end - range.begin);
}

Initcheck::Missing Initcheck::missing_of(const MemoryAccess& access) {
  Missing missing;
  for_each_lane(access.lanes, [&](int lane) {
    const std::uint64_t address = access.address(lane);
    const DeviceContents::Range range = range_of(access, address);
    const bool is_inside = range.holds(address, address + access.bytes);
    missing.bytes[static_cast<std::size_t>(lane)] =
        is_inside && range.written != nullptr ? range.written->missing(address - range.begin, access.bytes) : 0;
    if (missing.bytes[static_cast<std::size_t>(lane)] == 0) return;
    // Red zones of shared memory belong to nobody: they are memcheck's business.
    if (access.space == ptx::Space::kShared && shared_array_at(*launch_, address) == nullptr) return;
    missing.lanes |= Mask{1} << lane;
  });
  return missing;
}

/// Something new is written: how wide it is says what the elements of the array are.
void Initcheck::note_width(const MemoryAccess& access, DeviceContents::Use* use) {
  if (use == nullptr) return;
  std::uint32_t element = access.bytes;
  const Code& code = *access.warp->frame->code;
  if (access.insn->extra != nullptr && instruction_of(code, *access.insn).opcode == "st")  // several registers
    element /= static_cast<std::uint32_t>(stored_by(code, *access.insn).size());
  use->element_bytes = use->element_bytes == 0 ? element : std::min(use->element_bytes, element);
  use->widest_store = std::max(use->widest_store, access.bytes);
}

void Initcheck::set_written(const MemoryAccess& access) {
  if (is_written(access)) return;
  bool is_contiguous = access.lanes == kAllLanes;
  for (std::uint64_t lane = 0; lane < kLanes; ++lane)
    is_contiguous &= access.address(static_cast<int>(lane)) == access.lowest + lane * access.bytes;
  const DeviceContents::Range first = range_of(access, access.lowest);
  if (is_contiguous && first.holds(access.lowest, access.highest + access.bytes)) {
    note_width(access, first.use);
    first.written->set(access.lowest - first.begin, access.highest + access.bytes - first.begin);
    return;
  }
  for_each_lane(access.lanes, [&](int lane) {
    const std::uint64_t address = access.address(lane);
    const DeviceContents::Range range = range_of(access, address);
    if (range.written == nullptr || !range.holds(address, address + access.bytes)) return;
    note_width(access, range.use);
    range.written->set(address - range.begin, address - range.begin + access.bytes);
  });
}

Mask Initcheck::access(const MemoryAccess& access) {
  if (access.lanes == 0 || !access.aligned || access.bytes > kWidest) return access.lanes;
  if (access.space == ptx::Space::kLocal) {
    if (access.warp->stepping) access_local(access);
    return access.lanes;
  }
  switch (access.kind) {
    case AccessKind::kLoad:
      if (!(access.space == ptx::Space::kShared ? is_written_shared(access) : is_written(access))) load(access);
      break;
    case AccessKind::kStore:
      store(access);
      break;
    case AccessKind::kAtomic:
      change(access);
      break;
  }
  return access.lanes;
}

/// What is written around a read of shared memory.
QuietRange Initcheck::quiet_range(const MemoryAccess& access) {
  const std::uint64_t end = access.highest + access.bytes;
  const WrittenBytes& written = *state_of(*access.warp->block).shared;
  if (!is_written_shared(access)) return {};
  const std::uint64_t low = access.warp->shared_low, high = low + access.warp->shared_span;
  const auto [from, to] = written.around(access.lowest, end, low, high);
  return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)};
}

Initcheck::Facts& Initcheck::facts(const Code& code, const Insn& insn) {
  const auto [found, is_new] = facts_.try_emplace(&insn);
  Facts& known = found->second;
  if (!is_new) return known;
  known.conduct = conduct_of(code, insn);
  known.is_copy = is_copy(instruction_of(code, insn));
  // CUB and Thrust read past what they filled of their own shared memory where that makes no difference.
  known.is_library_business = place_of(code, insn).file.find("/cccl/") != std::string::npos;
  for (const OperandSlot& slot : operands_of(code, insn))
    if (slot.is_written) known.loaded.push_back(slot);
  return known;
}

/// The registers of a vector store, or the one of any other: all are of one size.
const std::vector<OperandSlot>& Initcheck::stored_by(const Code& code, const Insn& insn) {
  std::vector<OperandSlot>& stored = facts(code, insn).stored;
  if (!stored.empty()) return stored;
  if (is_matrix_instruction(instruction_of(code, insn))) return stored = registers_of_matrix(insn);
  const std::vector<std::uint32_t> one{insn.dst};
  const auto& offsets = insn.extra != nullptr ? *static_cast<const std::vector<std::uint32_t>*>(insn.extra) : one;
  for (const std::uint32_t offset : offsets) stored.push_back(*operand_read(code, insn, offset));
  return stored;
}

/// The origin of marks that came to lie in a word of memory; -1 if none did.
std::int32_t Initcheck::carried_to(const MemoryAccess& access, std::uint64_t word) {
  if (access.space == ptx::Space::kShared) {
    const std::vector<std::int32_t>& carried = home_of(access).carried;
    return carried.empty() ? -1 : carried[word / 4];
  }
  if (carried_.empty()) return -1;
  const auto found = carried_.find(word);
  return found == carried_.end() ? -1 : found->second;
}

OriginId Initcheck::number_of(const Origin& origin) {
  const std::size_t number = next_origin_++ % kMostOrigins;
  if (number < origins_.size())
    origins_[number] = origin;
  else
    origins_.push_back(origin);
  return static_cast<OriginId>(number);
}

void Initcheck::find_origins(const MemoryAccess& access, const Missing& missing, OriginId* origins) {
  const Warp& warp = *access.warp;
  const Facts& known = facts(*warp.frame->code, *access.insn);
  const std::size_t count =
      access.kind == AccessKind::kLoad && !known.is_copy ? std::max<std::size_t>(known.loaded.size(), 1) : 1;
  const ptx::Instruction& instruction = instruction_of(*warp.frame->code, *access.insn);
  const std::uint32_t element = is_matrix_instruction(instruction) ? matrix_element_bytes(instruction, *access.insn)
                                                                   : static_cast<std::uint32_t>(access.bytes / count);
  const Extent3 home = (access.home != nullptr ? access.home : warp.block)->index();
  Origin origin{warp.frame->code, access.insn, access.space, 0, element, 0, warp.block->index(), home};
  for_each_lane(missing.lanes, [&](int lane) {
    const std::uint64_t address = access.address(lane);
    const auto first = static_cast<std::uint32_t>(__builtin_ctz(missing.bytes[static_cast<std::size_t>(lane)]));
    if (const std::int32_t carried = carried_to(access, word_of(address + first)); carried >= 0) {
      origins[lane] = static_cast<OriginId>(carried);
      return;
    }
    origin.address = address + first / element * element;
    origin.thread = warp.index * kLanes + static_cast<std::uint32_t>(lane);
    origins[lane] = number_of(origin);
  });
}

void Initcheck::load(const MemoryAccess& access) {
  const Missing missing = missing_of(access);
  if (missing.lanes == 0) return;
  const Facts& known = facts(*access.warp->frame->code, *access.insn);
  if (known.is_library_business && access.space == ptx::Space::kShared) return;
  OriginId origins[kLanes] = {};
  find_origins(access, missing, origins);
  if (!known.is_copy) return mark_loaded(access, missing, origins);

  // A copy out of shared memory into global memory: its target was shown first.
  if (access.space == ptx::Space::kShared &&
      ptx::has_modifier(instruction_of(*access.warp->frame->code, *access.insn), "global")) {
    InFlight copied = in_flight_;
    for_each_lane(missing.lanes, [&](int lane) {
      copied.missing[static_cast<std::size_t>(lane)] = missing.bytes[static_cast<std::size_t>(lane)];
      copied.origins[static_cast<std::size_t>(lane)] = origins[lane];
    });
    MemoryAccess target = access;
    target.space = ptx::Space::kGlobal;
    target.narrow = nullptr;
    target.wide = copied.targets.data();
    target.lanes = missing.lanes;
    return land(target, copied);
  }
  // A lane that copies less than the rest is shown byte by byte, and a bulk copy in pieces.
  const bool is_bulk = ptx::has_modifier(instruction_of(*access.warp->frame->code, *access.insn), "bulk");
  if (in_flight_.insn != access.insn) in_flight_ = {};
  in_flight_.insn = access.insn;
  std::uint64_t sources[kLanes];
  std::memcpy(sources, access.warp->registers + access.insn->a, sizeof sources);
  for_each_lane(missing.lanes, [&](int lane) {
    const auto n = static_cast<std::size_t>(lane);
    const std::uint64_t begin = is_bulk ? access.ahead : access.bytes == 1 ? access.address(lane) - sources[lane] : 0;
    in_flight_.missing[n] |= missing.bytes[n] << begin;
    in_flight_.origins[n] = origins[lane];
  });
}

/// Marks the registers that a load is about to fill.
void Initcheck::mark_loaded(const MemoryAccess& access, const Missing& missing, const OriginId* origins) {
  const Code& code = *access.warp->frame->code;
  const ptx::Instruction& instruction = instruction_of(code, *access.insn);
  const std::vector<OperandSlot>& registers = facts(code, *access.insn).loaded;
  if (is_matrix_instruction(instruction)) {
    MatrixBytes bytes;
    bytes.bytes = missing.bytes;
    for_each_lane(~missing.lanes, [&](int lane) { bytes.bytes[static_cast<std::size_t>(lane)] = 0; });
    std::copy(origins, origins + kLanes, bytes.origins.begin());
    mark_loaded_matrix(marks_of(*access.warp).of(*access.warp->frame), access, instruction, bytes);
    access.warp->stepping = true;
    return;
  }
  // Other instructions that load spread what they read over lanes.
  const bool is_by_lane = instruction.opcode == "ld" || instruction.opcode == "ldu" || instruction.opcode == "atom";
  if (registers.empty() || !is_by_lane) return;
  FrameMarks& marks = marks_of(*access.warp).of(*access.warp->frame);
  const auto element = static_cast<std::uint32_t>(access.bytes / registers.size());
  const bool is_signed = ptx::has_modifier(instruction, "s8") || ptx::has_modifier(instruction, "s16") ||
                         ptx::has_modifier(instruction, "s32");
  for (std::size_t r = 0; r < registers.size(); ++r) {
    const OperandSlot& slot = registers[r];
    for_each_lane(missing.lanes, [&](int lane) {
      std::uint32_t bytes = missing.bytes[static_cast<std::size_t>(lane)] >> (r * element) & all_bytes(element);
      const bool is_sign_missing = (bytes & (all_bytes(element) ^ all_bytes(element) >> 1)) != 0;
      if (is_signed && is_sign_missing) bytes |= ~all_bytes(element);  // what is extended repeats the sign
      marks.set_marked_bytes(slot, lane, bytes);
      if (bytes != 0) marks.set_origin(slot, lane, origins[lane]);
    });
  }
  access.warp->stepping = true;
}

/// Which bytes of what is about to be stored are marked.
Initcheck::Missing Initcheck::marked_in_stored(const MemoryAccess& access, OriginId* origins) {
  Missing marked;
  const Code& code = *access.warp->frame->code;
  FrameMarks& marks = marks_of(*access.warp).of(*access.warp->frame);
  if (const ptx::Instruction& instruction = instruction_of(code, *access.insn); is_matrix_instruction(instruction)) {
    const MatrixBytes stored = marks_of_stored_matrix(marks, access, instruction);
    marked.bytes = stored.bytes;
    std::copy(stored.origins.begin(), stored.origins.end(), origins);
    for_each_lane(access.lanes,
                  [&](int lane) { marked.lanes |= Mask{stored.bytes[static_cast<std::size_t>(lane)] != 0} << lane; });
    return marked;
  }
  const std::vector<OperandSlot>& registers = stored_by(code, *access.insn);
  const auto element = static_cast<std::uint32_t>(access.bytes / registers.size());
  for_each_lane(access.lanes, [&](int lane) {
    std::uint32_t bytes = 0;
    for (std::size_t r = registers.size(); r-- > 0;) {
      const OperandSlot& slot = registers[r];
      const std::uint32_t of_register = marks.marked_bytes(slot, lane) & all_bytes(element);
      if (of_register != 0) origins[lane] = marks.origin(slot, lane);
      bytes |= of_register << (r * element);
    }
    marked.bytes[static_cast<std::size_t>(lane)] = bytes;
    if (bytes != 0) marked.lanes |= Mask{1} << lane;
  });
  return marked;
}

/// Whether a narrow value was read and is stored with zeros above it: that is all there is to store, too.
bool Initcheck::is_extended(const MemoryAccess& access, int lane, std::uint32_t marked, OriginId origin) const {
  const std::uint32_t read = origins_[origin].bytes;
  if (access.insn->extra != nullptr || read >= access.bytes || marked != all_bytes(read)) return false;
  const OperandSlot& slot = *operand_read(*access.warp->frame->code, *access.insn, access.insn->dst);
  const std::byte* const value =
      access.warp->registers + slot.offset + static_cast<std::size_t>(lane) * slot.lane_bytes;
  return std::all_of(value + read, value + access.bytes, [](std::byte b) { return b == std::byte{0}; });
}

void Initcheck::store(const MemoryAccess& access) {
  const Code& code = *access.warp->frame->code;
  if (is_copy(instruction_of(code, *access.insn))) {
    if (access.space == ptx::Space::kGlobal) {  // out of shared memory, which is shown next
      in_flight_ = {access.insn, {}, {}, {}, 0};
      for_each_lane(access.lanes,
                    [&](int lane) { in_flight_.targets[static_cast<std::size_t>(lane)] = access.address(lane); });
      return set_written(access);
    }
    if (in_flight_.insn != access.insn) {
      if (access.copy == 0) set_written(access);
      return;
    }
    if (in_flight_.receivers == 0) in_flight_.receivers = receivers_of(access);
    const bool is_last = --in_flight_.receivers == 0;
    const InFlight copied = is_last ? std::exchange(in_flight_, {}) : in_flight_;
    if (access.copy == 0) return land(access, copied);
    state_of(*access.warp->block).copies[number_of_copy(access)] = copied;
    return;
  }
  // Other instructions that store spread registers over lanes.
  const ptx::Instruction& instruction = instruction_of(code, *access.insn);
  const bool is_matrix = is_matrix_instruction(instruction);
  if (!access.warp->stepping || (instruction.opcode != "st" && !is_matrix)) return set_written(access);
  InFlight stored;
  const Missing marked = marked_in_stored(access, stored.origins.data());
  for_each_lane(marked.lanes, [&](int lane) {
    const auto n = static_cast<std::size_t>(lane);
    const std::uint32_t all = all_bytes(access.bytes);
    const bool is_all = marked.bytes[n] == all || origins_[stored.origins[n]].is_whole ||
                        (!is_matrix && is_extended(access, lane, marked.bytes[n], stored.origins[n]));
    stored.missing[n] = is_all ? all : marked.bytes[n];
  });
  land(access, stored);
}

/// An asynchronous copy's target is written, with what was read when the copy began.
void Initcheck::copy_arrives(const MemoryAccess& store, const Code&, const Insn*) {
  CopiesUnderWay& copies = state_of(*store.warp->block).copies;
  const auto copied = copies.empty() ? copies.end() : copies.find(number_of_copy(store));
  if (copied == copies.end()) return set_written(store);
  land(store, copied->second);
  for_each_lane(store.lanes, [&](int lane) { copied->second.missing[static_cast<std::size_t>(lane)] = 0; });
  const auto& missing = copied->second.missing;
  if (std::all_of(missing.begin(), missing.end(), [](std::uint32_t bytes) { return bytes == 0; })) copies.erase(copied);
}

/// Marked bytes arrive in memory. Global memory that gets nothing else is where they are reported.
void Initcheck::land(const MemoryAccess& access, const InFlight& copied) {
  set_written(access);
  const bool is_shared = access.space == ptx::Space::kShared;
  std::vector<std::int32_t>& carried = home_of(access).carried;
  const Code& code = *access.warp->frame->code;
  for_each_lane(access.lanes, [&](int lane) {
    const std::uint64_t address = access.address(lane);
    const std::uint32_t marked = copied.missing[static_cast<std::size_t>(lane)] & all_bytes(access.bytes);
    const OriginId origin = copied.origins[static_cast<std::size_t>(lane)];
    if (marked == 0) return;
    if (!is_shared && marked == all_bytes(access.bytes)) {
      if (!is_first_seen(access.insn, origin)) return;
      const NamedElement element = element_at(*launch_, access.space, address, access.bytes);
      report(*access.warp, code, access.insn, origin,
             element.array.empty() ? "stores the value" : "stores the value in " + element.text());
      return;
    }
    const DeviceContents::Range range = range_of(access, address);
    if (range.written == nullptr || !range.holds(address, address + access.bytes)) return;
    if (is_shared) {
      (access.home != nullptr ? access.home : access.warp->block)->noted_reads().forget_ranges();
      if (carried.empty()) carried.resize(range.end / 4 + 1, -1);
    }
    for (std::uint32_t rest = marked; rest != 0;) {  // one run of marked bytes after the other
      const auto first = static_cast<std::uint32_t>(__builtin_ctz(rest));
      const auto end = first + static_cast<std::uint32_t>(__builtin_ctzll(~(std::uint64_t{rest} >> first)));
      rest &= ~all_bytes(end);
      range.written->clear(address - range.begin + first, address - range.begin + end);
      for (std::uint64_t word = word_of(address + first); word < address + end; word += 4) {
        if (is_shared)
          carried[word / 4] = origin;
        else
          carried_[word] = origin;
      }
    }
  });
  if (is_shared || is_copy(instruction_of(code, *access.insn))) return;
  // What was reported is forgotten.
  FrameMarks& marks = marks_of(*access.warp).of(*access.warp->frame);
  Mask reported = 0;
  for_each_lane(access.lanes, [&](int lane) {
    if (copied.missing[static_cast<std::size_t>(lane)] == all_bytes(access.bytes)) reported |= Mask{1} << lane;
  });
  if (reported == 0) return;
  for (const OperandSlot& slot : stored_by(code, *access.insn)) marks.clear(slot, reported);
}

/// Atomic operations use what they find, unless they replace it.
void Initcheck::change(const MemoryAccess& access) {
  if (is_written(access)) return;
  const Missing missing = missing_of(access);
  const Code& code = *access.warp->frame->code;
  const ptx::Instruction& instruction = instruction_of(code, *access.insn);
  const bool replaces = ptx::has_modifier(instruction, "exch") || ptx::has_modifier(instruction, "init");
  OriginId origins[kLanes] = {};
  find_origins(access, missing, origins);
  for_each_lane(replaces ? 0 : missing.lanes, [&](int lane) {
    if (is_first_seen(access.insn, origins[lane]))
      report(*access.warp, code, access.insn, origins[lane], "changes it with an atomic operation");
  });
  set_written(access);
  if (ptx::has_modifier(instruction, "exch") && instruction.opcode == "atom" && missing.lanes != 0)
    mark_loaded(access, missing, origins);
}

void Initcheck::access_local(const MemoryAccess& access) {
  const Warp& warp = *access.warp;
  WarpMarks& marks = marks_of(warp);
  const auto fits = [&](int lane) { return access.address(lane) + access.bytes <= warp.local_stride; };
  OriginId origins[kLanes] = {};
  if (access.kind == AccessKind::kStore) {
    const Missing stored = marked_in_stored(access, origins);
    if (stored.lanes == 0 && !marks.has_local()) return;
    for_each_lane(access.lanes, [&](int lane) {
      if (fits(lane))
        marks.set_local(warp, lane, access.address(lane), access.bytes, stored.bytes[static_cast<std::size_t>(lane)],
                        origins[lane]);
    });
    return;
  }
  if (!marks.has_local()) return;
  Missing loaded;
  for_each_lane(access.lanes, [&](int lane) {
    std::uint32_t& bytes = loaded.bytes[static_cast<std::size_t>(lane)];
    bytes = fits(lane) ? marks.local(warp, lane, access.address(lane), access.bytes) : 0;
    if (bytes == 0) return;
    loaded.lanes |= Mask{1} << lane;
    origins[lane] = marks.local_origin(warp, lane, access.address(lane), access.bytes);
  });
  if (loaded.lanes != 0) mark_loaded(access, loaded, origins);
}

}  // namespace vgpu
