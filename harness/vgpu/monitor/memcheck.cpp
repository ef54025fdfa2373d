#include "harness/vgpu/monitor/memcheck.h"

#include <algorithm>
#include <cstdio>

#include "harness/vgpu/machine/access_words.h"
#include "harness/vgpu/machine/address_windows.h"
#include "harness/vgpu/machine/cluster.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/number_text.h"
#include "harness/vgpu/machine/symbol_names.h"
#include "harness/vgpu/monitor/access_shape.h"
#include "harness/vgpu/monitor/array_names.h"

namespace vgpu {
namespace {

/// Where Linux puts programs, heaps, libraries and stacks: below 2^47 on x86-64, below 2^48 on Arm.
constexpr std::uint64_t kHostBegins = std::uint64_t{1} << 46, kHostEnds = std::uint64_t{1} << 48;

/// How far from an allocation an address may lie and still be taken for a slip of it.
constexpr std::uint64_t kReach = std::uint64_t{1} << 30;

/// How far an index of 32 bits leads, in elements of 16 bytes.
constexpr std::uint64_t kIndexReach = std::uint64_t{1} << 36;

constexpr std::uint64_t kNullReach = 65536;  // so near 0, an address comes from a null pointer

/// Shared addresses have 32 bits, so a negative offset wraps round to their upper end. An address this close to the end
/// counts as negative: within sixteen million elements of 4 bytes.
std::uint64_t unwrapped(std::uint64_t shared_address) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 32, kNegative = std::uint64_t{1} << 26;
  return shared_address < kEnd && shared_address >= kEnd - kNegative ? shared_address - kEnd : shared_address;
}

std::string distance_phrase(std::int64_t index, std::uint64_t elements, const std::string& name) {
  const std::string length = name + " has " + with_commas(elements) + (elements == 1 ? " element" : " elements");
  if (index < 0)
    return with_commas(static_cast<std::uint64_t>(-index)) + (index == -1 ? " element" : " elements") +
           " before its beginning (" + length + ")";
  if (static_cast<std::uint64_t>(index) < elements) return "and so past its end (" + length + ")";
  const std::uint64_t beyond = static_cast<std::uint64_t>(index) - elements + 1;
  if (beyond == 1) return "just past its end (" + length + ")";
  return with_commas(beyond) + " past its end (" + length + ")";
}

bool reads_constants(const MemoryAccess& access) {
  const ptx::Instruction& instruction = access.warp->frame->code->function->body[access.insn->source];
  return instruction.opcode == "ld" && ptx::has_modifier(instruction, "const");
}

constexpr const char* kGuardAdvice =
    "Let only threads whose index is inside the array touch it: guard the access with a comparison against the size.";
constexpr const char* kStrictGuardAdvice =
    "The last element has the index size - 1. If a guard or a loop says <=, compare with <; if nothing tests the "
    "index, "
    "test it before the access (j < n && b[j]).";
constexpr const char* kComputedAdvice =
    "This index is computed, so look at what it is computed from. Compare each coordinate with its own size, keep the "
    "bounds of a loop or search inside the array, whose last part may be shorter, and test an index before it is used "
    "(j < n && b[j]).";
constexpr const char* kSharedAdvice =
    "Is the array declared as large as the whole block needs it? If it is, let only threads whose index is inside "
    "touch it: guard the access with a comparison against the size.";
constexpr const char* kDynamicAdvice =
    "Is the third launch parameter, the number of bytes of dynamic shared memory, large enough? If it is, look at what "
    "the index is computed from, and compare it with the number of elements (j < n, not j <= n).";
constexpr const char* kFarAdvice =
    "The index is far outside every array: look at what it is computed from. Was each of these values set before it "
    "was used, and can none of them fall below 0 or grow too large?";
constexpr const char* kNegativeAdvice =
    "The index is negative: look for a subtraction that goes below 0, or for bytes read as char, which is signed.";

/// Advice on an access whose `lane` is outside of an array that ends at `end`. A guard is there if it holds other
/// threads of the warp back. What lanes have without regard to their order is no thread's own element.
const char* guard_advice(const MemoryAccess& access, int lane, std::int64_t index, std::uint64_t end) {
  if (index < 0) return kNegativeAdvice;
  bool is_alone = true;
  for (Mask rest = access.lanes & ~(Mask{1} << lane); rest != 0; rest &= rest - 1)
    is_alone = is_alone && access.address(__builtin_ctz(rest)) + access.bytes <= end;
  const bool is_guarded = access.lanes != access.warp->lanes;
  if (access.address(lane) == end && is_alone && is_guarded) return kStrictGuardAdvice;
  const bool is_only_lane = access.warp->lanes == Mask{1} << lane;
  return is_only_lane || is_element_a_lane(access) ? kGuardAdvice : kComputedAdvice;
}

}  // namespace

template <class What>
void Memcheck::report(const MemoryAccess& access, int lane, const std::string& kind, const std::string& array,
                      std::int64_t index, const What& what, const char* advice, bool is_invalid) {
  if (is_invalid) stop_if_astray(access, lane);
  const ptx::SourcePlace place = place_of(*access.warp->frame->code, *access.insn);
  if (!findings_.is_new(kind, place.file, place.line, array, 1)) return;
  Finding finding;
  finding.tool = "memcheck";
  finding.kind = kind;
  finding.kernel = kernel_name_;
  finding.file = place.file;
  finding.line = place.line;
  finding.block = access.warp->block->index();
  finding.thread = access.warp->block->thread(*access.warp, lane);
  finding.array = array;
  finding.index = index;
  if (access.space == ptx::Space::kShared) finding.shared_element_bytes = access.bytes;
  finding.sentence = "thread " + spelled(finding.thread) + " of block " + spelled(finding.block) + " " +
                     (access.kind == AccessKind::kLoad    ? "reads "
                      : access.kind == AccessKind::kStore ? "writes "
                                                          : "changes ") +
                     std::to_string(access.bytes) + (access.bytes == 1 ? " byte " : " bytes ") + what();
  if (access.home != nullptr) finding.sentence += ", in shared memory of block " + spelled(access.home->index());
  finding.advice = advice;
  findings_.add(std::move(finding));
}

void Memcheck::launch_begins(const Launch& launch) {
  kernel_name_ = launch.kernel().readable_name();
  first_fault_ = {};
  invalid_ = 0;
  invalid_of_warp_.fill(0);
  has_stopped_it_ = false;
  known_.fill({});  // instructions of another kernel may lie at the same addresses
}

void Memcheck::launch_ends(Launch& launch) {
  if (first_fault_.kind != FaultKind::kNone) launch.report_fault(first_fault_);
}

Mask Memcheck::access(const MemoryAccess& access) {
  if (access.space == ptx::Space::kLocal) {
    // Local addresses are small; what is outside of the thread's memory is held back.
    Mask fine = 0;
    for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      if (refuse_misaligned(access, lane)) continue;
      const std::uint64_t address = access.address(lane);
      if (address < access.warp->local_stride && address + access.bytes <= access.warp->local_stride) {
        fine |= Mask{1} << lane;
      } else {
        report(
            access, lane, std::string("out-of-bounds local ") + verb(access.kind), "local memory",
            static_cast<std::int64_t>(address) / access.bytes,
            [&] {
              const bool is_before = static_cast<std::int64_t>(address) < 0;
              return "at byte " + (is_before ? "-" + with_commas(0 - address) : with_commas(address)) +
                     " of its local memory, which has " + with_commas(access.warp->local_stride) + " bytes";
            },
            "An index into a local array is out of range.");
        hold_back(access, lane, FaultKind::kIllegalAddress);
      }
    }
    return fine;
  }
  if (access.space == ptx::Space::kGlobal) {
    const std::uint64_t generation = access.warp->block->launch().memory().generation();
    if (generation != generation_) {
      known_.fill({});
      generation_ = generation;
    }
  }
  KnownRange& known = known_range(access.insn);
  if (known.insn != access.insn) known = {access.insn, 1, 0};
  if (known.holds(access.lowest, access.highest, access.bytes) && access.aligned) return access.lanes;
  return check_lanes(access, known);
}

/// The array that a read of shared memory lies in: there, every aligned one is right.
QuietRange Memcheck::quiet_range(const MemoryAccess& access) {
  const KnownRange& known = known_range(access.insn);
  if (known.insn != access.insn || !known.holds(access.lowest, access.highest, access.bytes)) return {};
  return {static_cast<std::uint32_t>(known.begin), static_cast<std::uint32_t>(known.end)};
}

Mask Memcheck::check_lanes(const MemoryAccess& access, KnownRange& known) {
  Mask may_go = 0;
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (refuse_misaligned(access, lane)) continue;
    const std::uint64_t address = access.address(lane);
    if (known.holds(address, address, access.bytes)) {
      may_go |= Mask{1} << lane;
      continue;
    }
    const bool goes_ahead =
        access.space == ptx::Space::kShared ? check_shared(access, lane, known) : check_global(access, lane, known);
    if (goes_ahead) may_go |= Mask{1} << lane;
  }
  return may_go;
}

bool Memcheck::refuse_misaligned(const MemoryAccess& access, int lane) {
  const std::uint64_t address = access.address(lane);
  if ((address & (access.bytes - 1)) == 0) return false;
  report(
      access, lane, std::string("misaligned ") + verb(access.kind), "", 0,
      [&] {
        return "at address " + hexadecimal(address) + ", which is not a multiple of " + std::to_string(access.bytes);
      },
      "A pointer cast to a wider type must point to a multiple of that type's size.");
  hold_back(access, lane, FaultKind::kMisalignedAddress);
  return true;
}

bool Memcheck::check_global(const MemoryAccess& access, int lane, KnownRange& known) {
  const std::uint64_t address = access.address(lane);
  const AddressSpace& own = access.warp->block->launch().memory();
  const AddressSpace& memory = own.home_of(address);
  const bool is_peer = &memory != &own;
  if (is_peer && !own.reaches(memory, address, access.bytes) && refuse_peer(access, lane, memory)) return false;
  const Allocation* inside = memory.find(address);
  if (inside != nullptr && inside->kind != MemoryKind::kCode &&
      address + access.bytes <= inside->address + inside->bytes) {
    if (inside->kind != MemoryKind::kConstant && reads_constants(access)) {
      const std::string name = name_of(*inside);
      const std::int64_t index =
          index_in(*inside, address, inside->element_bytes != 0 ? inside->element_bytes : access.bytes);
      report(
          access, lane, "invalid constant read", name, index,
          [&] { return "by ld.const at " + name + "[" + std::to_string(index) + "], which is not constant memory"; },
          "ld.const reads only __constant__ variables, and on hardware gives something else for this address; use "
          "ld.global.");
      hold_back(access, lane, FaultKind::kIllegalAddress);
      return false;
    }
    if (inside->read_only && access.kind != AccessKind::kLoad) {
      const std::int64_t index =
          index_in(*inside, address, inside->element_bytes != 0 ? inside->element_bytes : access.bytes);
      const std::string name = name_of(*inside);
      report(
          access, lane, std::string("input changed (") + verb(access.kind) + ")", name, index,
          [&] { return "at " + name + "[" + std::to_string(index) + "], which is an input"; },
          "Inputs are const: write results to memory of your own.", false);
      return true;
    }
    known.begin = inside->address;
    known.end = inside->address + inside->bytes;
    return true;
  }
  if (own.is_pinned_host(address, access.bytes, AddressSpace::Reach::kKernels) && !reads_constants(access)) return true;

  const bool lands_in_memory = is_peer ? own.reaches(memory, address, access.bytes)
                                       : address >= memory.low() && address + access.bytes <= memory.high();
  const Allocation* near = memory.nearest(address, kReach);
  const bool is_code = inside != nullptr && inside->kind == MemoryKind::kCode;
  if (is_code || near == nullptr || !memory.in_reservation(address)) {
    const bool is_null = address < kNullReach;
    const bool is_before_null = address >= std::uint64_t{0} - kNullReach;
    const auto what = [&]() -> std::string {
      if (address - kSharedWindow < kWindowBytes)
        return "at an address in shared memory, through a pointer to global memory";
      // Where the host's memory lies is another matter in every run: reports are to be the same.
      const std::string place =
          address >= kHostBegins && address < kHostEnds ? "at a host address" : "at " + hexadecimal(address);
      return place + (is_null          ? ", a null pointer"
                      : is_before_null ? ", a null pointer with a negative index"
                                       : ", which is not device memory");
    };
    report(access, lane, std::string("invalid ") + verb(access.kind), "", 0, what,
           is_before_null ? kNegativeAdvice
           : is_null      ? "Was the allocation checked, and the pointer passed to the kernel?"
           : !is_code && memory.nearest(address, kIndexReach) != nullptr
               ? kFarAdvice
               : "Kernels can use only pointers to device memory, such as cudaMalloc returns; copy host memory first.");
    hold_back(access, lane, FaultKind::kIllegalAddress);
    return false;
  }

  const std::uint32_t element = near->element_bytes != 0 ? near->element_bytes : access.bytes;
  const std::int64_t index = index_in(*near, address, element);
  const std::string name = name_of(*near);
  const bool is_in = address - near->address < near->bytes;
  if (near->freed && is_in) {
    report(
        access, lane, std::string("use after free (") + verb(access.kind) + ")", name, index,
        [&] { return "at " + name + "[" + std::to_string(index) + "], which has been freed"; },
        "Free memory only after the last kernel that uses it.");
  } else {
    report(
        access, lane, std::string("out-of-bounds ") + verb(access.kind), name, index,
        [&] {
          return "at " + name + "[" + std::to_string(index) + "], " +
                 distance_phrase(index, near->bytes / element, name);
        },
        guard_advice(access, lane, index, near->address + near->bytes));
  }
  if (!lands_in_memory) hold_back(access, lane, FaultKind::kIllegalAddress);
  return lands_in_memory;
}

bool Memcheck::refuse_peer(const MemoryAccess& access, int lane, const AddressSpace& peer) {
  const std::uint64_t address = access.address(lane);
  const AddressSpace& own = access.warp->block->launch().memory();
  const Allocation* const meant = peer.nearest(address, kReach);
  if (meant != nullptr ? own.may_use(peer, *meant) : own.has_access_to(peer)) return false;
  std::string array, what = "at " + hexadecimal(address);
  std::int64_t index = 0;
  if (meant != nullptr) {
    array = name_of(*meant);
    index = index_in(*meant, address, meant->element_bytes != 0 ? meant->element_bytes : access.bytes);
    what = "at " + array + "[" + std::to_string(index) + "]";
  }
  report(
      access, lane, std::string("no access to another device (") + verb(access.kind) + ")", array, index,
      [&] { return what + ", which is memory of another device that this one cannot access"; },
      meant != nullptr && meant->pool != 0
          ? "Give other devices access to memory from cudaMallocAsync with cudaMemPoolSetAccess."
          : "Call cudaDeviceEnablePeerAccess while the device that runs the kernel is the current one, or copy the "
            "data with cudaMemcpyPeer.");
  hold_back(access, lane, FaultKind::kIllegalAddress);
  return true;
}

bool Memcheck::check_shared(const MemoryAccess& access, int lane, KnownRange& known) {
  const Launch& launch = access.warp->block->launch();
  const std::uint64_t address = access.address(lane);
  const std::uint64_t meant = unwrapped(address);
  const SharedArray* near = nullptr;
  std::uint64_t near_bytes = 0, near_distance = ~std::uint64_t{0};
  for (const SharedArray& array : launch.kernel().shared_arrays()) {
    const bool is_dynamic = array.bytes == 0;
    const std::uint64_t bytes = is_dynamic ? launch.shape().dynamic_shared : array.bytes;
    if (address >= array.offset && address + access.bytes <= array.offset + bytes) {
      known.begin = array.offset;
      known.end = array.offset + bytes;
      return true;
    }
    const std::uint64_t distance = meant < array.offset || meant != address
                                       ? array.offset - meant
                                       : meant - array.offset - std::min(bytes, meant - array.offset);
    if (distance < near_distance) near = &array, near_bytes = bytes, near_distance = distance;
  }
  const Warp& warp = *access.warp;
  const std::uint64_t beyond = address - warp.shared_low;
  const bool lands_in_memory = beyond < warp.shared_span && access.bytes <= warp.shared_span - beyond;
  const std::string kind = std::string("out-of-bounds shared ") + verb(access.kind);
  if (near == nullptr) {
    report(
        access, lane, kind, "", 0,
        [&] { return "at shared address " + hexadecimal(address) + ", but the kernel has no shared array"; },
        kGuardAdvice);
  } else {
    const Allocation as_allocation{near->offset, near_bytes, MemoryKind::kDevice, false, near->name, access.bytes, 0};
    const std::int64_t index = index_in(as_allocation, meant, access.bytes);
    const std::string name = readable_variable_name(near->name);
    const char* const advice = guard_advice(access, lane, index, near->offset + near_bytes);
    const bool is_dynamic = near->bytes == 0;
    report(
        access, lane, kind, name, index,
        [&] {
          return "at " + name + "[" + std::to_string(index) + "] (counted in elements of " +
                 std::to_string(access.bytes) + " bytes), " + distance_phrase(index, near_bytes / access.bytes, name);
        },
        is_dynamic && index >= 0 ? kDynamicAdvice
        : advice == kGuardAdvice ? kSharedAdvice
                                 : advice);
  }
  if (!lands_in_memory) hold_back(access, lane, FaultKind::kIllegalAddress);
  return lands_in_memory;
}

bool Memcheck::block_is_missing(const MemoryAccess& access, std::uint32_t rank) {
  const Cluster& cluster = access.warp->block->cluster();
  const bool has_ended = rank < cluster.size();
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const NamedElement element =
        element_at(access.warp->block->launch(), ptx::Space::kShared, access.address(lane), access.bytes);
    const std::string where = element.array.empty() ? "in shared memory" : "at " + element.text();
    report(
        access, lane,
        std::string("shared ") + verb(access.kind) + (has_ended ? " in a block that has ended" : " in no block"),
        element.array, element.index,
        [&] {
          return has_ended ? where + " of block " + spelled(cluster.index_of(rank)) + " (rank " + std::to_string(rank) +
                                 " of the cluster), which has ended"
                           : where + " of a block that is not there: the cluster has ranks 0 to " +
                                 std::to_string(cluster.size() - 1);
        },
        has_ended ? "Shared memory ends with its block: put cluster.sync() behind the last access to another block's, "
                    "where every thread of the cluster reaches it."
                  : "Look at the rank that the address was mapped to: it must be below cluster.num_blocks().");
    hold_back(access, lane, FaultKind::kIllegalAddress);
  }
  return true;
}

void Memcheck::hold_back(const MemoryAccess& access, int lane, FaultKind kind) {
  if (first_fault_.kind != FaultKind::kNone) return;
  held_back_from_ = access.warp->block->launch().clock();
  const ptx::SourcePlace place = place_of(*access.warp->frame->code, *access.insn);
  first_fault_.kind = kind;
  first_fault_.sentence = "memcheck has the details";
  first_fault_.file = place.file;
  first_fault_.line = place.line;
  first_fault_.ptx_line = access.warp->frame->code->function->body[access.insn->source].line;
  first_fault_.block = access.warp->block->index();
  first_fault_.thread = access.warp->block->thread(*access.warp, lane);
  first_fault_.explained = true;
}

/// Another access of a thread is invalid.
void Memcheck::stop_if_astray(const MemoryAccess& access, int lane) {
  ++invalid_;
  Launch& launch = access.warp->block->launch();
  const Extent3 block = access.warp->block->index(), grid = launch.shape().grid;
  const std::uint64_t number = (std::uint64_t{block.z} * grid.y + block.y) * grid.x + block.x;
  const std::uint64_t place = number * access.warp->block->warps().size() + access.warp->index;
  const std::uint32_t of_warp = ++invalid_of_warp_[place % invalid_of_warp_.size()];
  const bool was_trapped = first_fault_.kind != FaultKind::kNone;
  const bool lasts = was_trapped && launch.clock() > held_back_from_ + kLongestAfter;
  if (has_stopped_it_ || (of_warp < kMostInvalidOfWarp && !lasts)) return;
  has_stopped_it_ = true;
  Fault fault;
  fault.kind = was_trapped ? first_fault_.kind : FaultKind::kIllegalAddress;
  fault.sentence = "the kernel was stopped after " + with_commas(invalid_) +
                   " invalid accesses: what it reads there is made up, and nothing that it does from here on tells "
                   "anything about the program";
  const ptx::SourcePlace at = place_of(*access.warp->frame->code, *access.insn);
  fault.file = at.file;
  fault.line = at.line;
  fault.ptx_line = access.warp->frame->code->function->body[access.insn->source].line;
  fault.block = access.warp->block->index();
  fault.thread = access.warp->block->thread(*access.warp, lane);
  launch.report_fault(std::move(fault));
  launch.stop();
}

}  // namespace vgpu
