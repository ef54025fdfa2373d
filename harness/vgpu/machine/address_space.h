// Device memory: addresses that kernels can use and host code cannot touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/vgpu/machine/host_view.h"

namespace vgpu {

enum class MemoryKind : std::uint8_t {
  kDevice,    ///< cudaMalloc
  kManaged,   ///< cudaMallocManaged and __managed__: the host may touch it
  kPinned,    ///< cudaMallocHost and cudaHostAlloc: the host may touch it
  kVariable,  ///< __device__ variables
  kConstant,  ///< __constant__ variables: nothing else can be read by ld.const
  kHeap,      ///< malloc() inside a kernel
  kCode,      ///< addresses of device functions; nothing may be read or written there
  kArguments  ///< of a kernel that another one launches
};

inline bool is_variable(MemoryKind kind) { return kind == MemoryKind::kVariable || kind == MemoryKind::kConstant; }

/// Whether the host may touch it; every device may, too.
inline bool is_host_visible(MemoryKind kind) { return kind == MemoryKind::kManaged || kind == MemoryKind::kPinned; }

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  bool freed = false;               ///< kept for a while, so that late accesses can be explained
  std::string name;                 ///< given by the runner or taken from the variable; may be empty
  std::uint32_t element_bytes = 0;  ///< 0: unknown
  std::uint32_t serial = 0;         ///< 1 for the first allocation
  bool read_only = false;           ///< kernels are not meant to write to it; nothing stops them
  bool lent = false;                ///< to the program, which must not free it
  bool between_processes = false;   ///< in a file that others may map: they can write to it at any time
  std::uint32_t pool = 0;           ///< the memory pool it is from; 0: none
  std::uint64_t site = 0;           ///< the address in the program that the call returned to which made it; 0: unknown
};

/// Another process has allocated it.
inline bool is_of_another_process(const Allocation& allocation) {
  return allocation.between_processes && allocation.lent;
}

/// A range of addresses that the machine reaches at other ones: a device address plus delta() is where this process
/// keeps the byte. Host code sees device addresses through a HostView, which opens only what is shared with it. Pages
/// cost memory only once touched.
///
/// Around every allocation lie bytes that belong to nobody; the machine lets stray accesses land there. Addresses are
/// plentiful, so the red zones are wide (as wide as the allocation, within reason): an index far past the end is still
/// told from an access to the neighbour. Addresses are not reused while there is fresh room, so a use after free can be
/// told.
class AddressSpace {
 public:
  static constexpr std::uint64_t kRedZone = 4096;   ///< the least there is, even on a crowded device
  static constexpr std::uint64_t kAlignment = 512;  ///< as cudaMalloc gives

  /// A device of `capacity` bytes (less when the process may not reserve so many addresses). Null, with the reason in
  /// `error`, if nothing could be reserved. `base` is where device addresses begin; the same every time, so that runs
  /// can be repeated exactly. `view` outlives the memory.
  static std::unique_ptr<AddressSpace> reserve(std::uint64_t base, std::uint64_t capacity, std::string& error,
                                               HostView& view = HostView::own());

  /// Memory of the program's own that kernels use at the program's addresses: `bytes` from `begin`, which the machine
  /// reaches at `at`. Devices know it as a peer's; it holds only what adopt() makes known.
  static std::unique_ptr<AddressSpace> of_program(std::uint64_t begin, std::uint64_t bytes, std::byte* at);

  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// A new allocation filled with bytes that are no use as data (cheap sizes only), or 0 when the device is full.
  std::uint64_t allocate(std::uint64_t bytes, MemoryKind kind, std::string name = {});

  /// Makes known what lies in memory of the program's own, or memory of a device at an address that was allocated and
  /// released before, in place of what was known to begin there. The program cannot free it.
  void adopt(std::uint64_t address, std::uint64_t bytes, MemoryKind kind, std::string name,
             std::uint32_t element_bytes);

  /// The bytes of whole pages in which an allocation at `address` lies, for a file that is to hold them.
  static std::uint64_t bytes_of_pages(std::uint64_t address, std::uint64_t bytes);
  /// From now on the pages of an allocation, of device memory alone, are those at the beginning of `file`, and hold
  /// what they held; until it is released. False if that cannot be.
  bool move_to_file(std::uint64_t address, int file);
  /// An allocation whose `bytes` lie at `begin` of `file`, where another device has moved them; 0 when there is no
  /// room. The program cannot free it, but it can be released.
  std::uint64_t map_file(int file, std::uint64_t begin, std::uint64_t bytes);

  /// Ends the allocation that begins at `address`; false if none does.
  bool release(std::uint64_t address);

  /// The allocation that holds `address`, live ones only; null if there is none.
  const Allocation* find(std::uint64_t address) const;

  /// The allocation, live or freed, that `address` most likely was meant for: the one that holds it, else the nearest
  /// one within `reach` bytes. Code and arguments are meant by nobody.
  const Allocation* nearest(std::uint64_t address, std::uint64_t reach) const;

  /// Names an allocation for findings; false if `address` does not begin one.
  bool name(std::uint64_t address, std::string name, std::uint32_t element_bytes);

  /// Declares that kernels should only read an allocation; false if `address` does not begin one.
  bool set_read_only(std::uint64_t address);

  /// Declares that the program may use an allocation but not free it; false if `address` does not begin one.
  bool lend(std::uint64_t address);

  /// Pins host memory: for copies, and for kernels too unless `reach` says otherwise. Kernels use the host's addresses;
  /// the machine finds the bytes at `at`, which is not looked at if only copies reach them.
  enum class Reach : std::uint8_t { kCopies, kKernels };
  void pin_host(std::uint64_t begin, std::uint64_t bytes, Reach reach, std::byte* at) {
    host_ranges_[begin] = {begin, bytes, reach, at};
  }
  bool unpin_host(std::uint64_t begin) { return host_ranges_.erase(begin) != 0; }
  struct Range {
    std::uint64_t begin, bytes;
  };
  /// The memory that both the host and kernels here can reach: pinned, managed, and the host's own if pinned for
  /// kernels, or a peer of_program(). What has a name by name() is left out, unless it is managed.
  std::vector<Range> shared_with_host() const;
  std::uint64_t bytes_shared_with_host() const;  ///< without those of peers
  /// Whether all of these bytes are pinned for `reach`.
  bool is_pinned_host(std::uint64_t address, std::uint64_t bytes, Reach reach) const {
    const HostRange* const range = host_range(address, bytes);
    return range != nullptr && (reach == Reach::kCopies || range->reach == reach);
  }
  /// Where the machine finds bytes that are pinned for kernels; null if not all of them are.
  std::byte* pinned_host(std::uint64_t address, std::uint64_t bytes) const;

  /// Says which memory pool an allocation is from; false if `address` does not begin one.
  bool set_pool(std::uint64_t address, std::uint32_t pool);
  /// Says where an allocation was made, as Allocation::site; false if `address` does not begin one.
  bool set_site(std::uint64_t address, std::uint64_t site);

  /// Makes another device's memory known. Kernels here can use its pinned and managed memory; with `access` all but
  /// what is from memory pools.
  void set_peer(const AddressSpace& other, bool access);
  /// Lets kernels here use what is from a pool of a known peer, or no longer.
  void set_pool_access(const AddressSpace& other, std::uint32_t pool, bool access);
  void forget_peer(const AddressSpace& other);
  bool has_access_to(const AddressSpace& other) const;
  /// Whether kernels here may use an allocation of a peer.
  bool may_use(const AddressSpace& peer, const Allocation& allocation) const;

  /// This memory, and that of all known peers.
  std::vector<const AddressSpace*> all_known() const;
  /// The memory whose range holds `address`: that of a known peer, or this one.
  const AddressSpace& home_of(std::uint64_t address) const;
  /// Whether kernels here may use `bytes` at `address`, which lies in the range of `peer`.
  bool reaches(const AddressSpace& peer, std::uint64_t address, std::uint64_t bytes) const;

  const std::map<std::uint64_t, Allocation>& allocations() const { return allocations_; }

  /// Addresses [low(), high()) have been handed out at some time; accesses there land in memory.
  std::uint64_t low() const { return base_; }
  std::uint64_t high() const { return top_; }
  std::ptrdiff_t delta() const { return delta_; }
  bool in_reservation(std::uint64_t address) const { return address - base_ < reserved_; }

  std::byte* host(std::uint64_t address) const {
    return reinterpret_cast<std::byte*>(address + static_cast<std::uint64_t>(delta_));
  }

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t used() const { return used_; }

  /// Raised whenever an allocation begins or ends: caches of "this range is fine" hold until then.
  std::uint64_t generation() const { return generation_; }

 private:
  AddressSpace(std::uint64_t base, std::uint64_t reserved, std::uint64_t capacity, std::byte* machine_view, int file,
               HostView& view);

  /// Gives whole pages to host and device, or back to the device alone.
  bool share(std::uint64_t address, std::uint64_t bytes);
  void unshare(std::uint64_t address, std::uint64_t bytes);

  struct Peer {
    const AddressSpace* memory;
    bool access;
    std::set<std::uint32_t> pools;  ///< that may be used
  };

  /// Makes whole pages the device's own again, after they were a file's.
  void take_back(std::uint64_t address, std::uint64_t bytes);

  const Peer* peer(const AddressSpace& memory) const;
  bool is_of_program() const { return file_ < 0; }

  std::optional<std::uint64_t> find_room(std::uint64_t bytes, std::uint64_t alignment);
  void fill_red_zone(std::uint64_t begin, std::uint64_t end);

  std::uint64_t base_ = 0;
  std::uint64_t reserved_ = 0;
  std::uint64_t capacity_ = 0;
  std::uint64_t top_ = 0;
  std::ptrdiff_t delta_ = 0;
  int file_ = -1;         ///< what only the device reaches
  int shared_file_ = -1;  ///< what the host reaches, too, at the same offsets; -1: nothing was shared yet
  HostView& view_;
  std::map<std::uint64_t, Allocation> allocations_;
  struct HostRange {
    std::uint64_t begin, bytes;
    Reach reach;
    std::byte* at;
  };
  /// The range that holds all of these bytes; null if none does.
  const HostRange* host_range(std::uint64_t address, std::uint64_t bytes) const;
  std::map<std::uint64_t, HostRange> host_ranges_;  ///< by where they begin
  std::vector<Peer> peers_;
  std::uint64_t used_ = 0;
  std::uint64_t generation_ = 1;
  std::uint32_t next_serial_ = 1;
};

}  // namespace vgpu
