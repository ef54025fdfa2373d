#include "harness/vgpu/machine/address_space.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "harness/vgpu/machine/page_size.h"

namespace vgpu {
namespace {

constexpr std::uint64_t kSmallestReservation = std::uint64_t{256} << 20;
constexpr std::uint64_t kAddressesPerByte = 4;                 // of device memory: the rest is red zones
constexpr std::uint64_t kLeastApart = std::uint64_t{1} << 20;  // two allocations, unless the device is crowded
constexpr std::uint64_t kWidestRedZone = std::uint64_t{1} << 30;

/// Fresh memory up to this size is filled with kJunk, so that a program that forgot to initialise does not happen to
/// find zeros. Larger allocations stay untouched: filling would cost the memory they may never use.
constexpr std::uint64_t kLargestFill = std::uint64_t{16} << 20;
constexpr int kJunk = 0xCB;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }
std::uint64_t first_page(std::uint64_t address) { return address / page_bytes() * page_bytes(); }

/// Copies what `file` holds from `offset` on, and lies at `from`, to fresh pages: holes stay holes.
void copy_without_holes(std::byte* to, const std::byte* from, int file, std::uint64_t offset, std::uint64_t bytes) {
  const auto end = static_cast<off_t>(offset + bytes);
  for (auto at = static_cast<off_t>(offset); at < end;) {
    off_t data = lseek(file, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return;  // nothing but holes from there on
    if (data < 0) data = at;                 // holes cannot be told
    if (data >= end) return;
    off_t hole = lseek(file, data, SEEK_HOLE);
    hole = hole <= data ? end : std::min(hole, end);
    std::memcpy(to + (data - static_cast<off_t>(offset)), from + (data - static_cast<off_t>(offset)),
                static_cast<std::size_t>(hole - data));
    at = hole;
  }
}

}  // namespace

std::unique_ptr<AddressSpace> AddressSpace::reserve(std::uint64_t base, std::uint64_t capacity, std::string& error,
                                                    HostView& view) {
  const int file = memfd_create("vgpu-memory", MFD_CLOEXEC);
  if (file < 0) {
    error = std::string("device memory could not be created (memfd_create: ") + std::strerror(errno) + ")";
    return nullptr;
  }
  std::uint64_t bytes = round_up(capacity * kAddressesPerByte, page_bytes());
  for (; bytes >= kSmallestReservation; bytes = round_up(bytes / 2, page_bytes())) {
    if (ftruncate(file, static_cast<off_t>(bytes)) != 0) continue;
    void* const machine_view = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (machine_view == MAP_FAILED) continue;
    if (view.close_all(base, bytes)) {
      capacity = std::min(capacity, bytes / kAddressesPerByte);
      return std::unique_ptr<AddressSpace>(
          new AddressSpace(base, bytes, capacity, static_cast<std::byte*>(machine_view), file, view));
    }
    munmap(machine_view, bytes);
  }
  error = std::string("no address range could be reserved for device memory (") + std::strerror(errno) + ")";
  close(file);
  return nullptr;
}

AddressSpace::AddressSpace(std::uint64_t base, std::uint64_t reserved, std::uint64_t capacity, std::byte* machine_view,
                           int file, HostView& view)
    : base_(base),
      reserved_(reserved),
      capacity_(capacity),
      top_(base + kRedZone),
      delta_(static_cast<std::ptrdiff_t>(reinterpret_cast<std::uint64_t>(machine_view) - base)),
      file_(file),
      view_(view) {}

std::unique_ptr<AddressSpace> AddressSpace::of_program(std::uint64_t begin, std::uint64_t bytes, std::byte* at) {
  // An index just past the end is meant for what lies there, too.
  std::unique_ptr<AddressSpace> memory(
      new AddressSpace(begin, bytes + kRedZone, bytes, at, /*file=*/-1, HostView::own()));
  memory->top_ = begin + bytes;
  return memory;
}

AddressSpace::~AddressSpace() {
  if (is_of_program()) return;
  munmap(host(base_), reserved_);
  view_.forget(base_, reserved_);
  close(file_);
  if (shared_file_ >= 0) close(shared_file_);
}

bool AddressSpace::share(std::uint64_t address, std::uint64_t bytes) {
  if (shared_file_ < 0) {
    const int file = memfd_create("vgpu-shared-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    // A program that has the file must not make it shorter under the machine's hands.
    const bool is_made = file >= 0 && ftruncate(file, static_cast<off_t>(reserved_)) == 0 &&
                         fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
    if (!is_made) {
      if (file >= 0) close(file);
      return false;
    }
    shared_file_ = file;
  }
  const std::uint64_t offset = address - base_;
  if (mmap(host(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, shared_file_,
           static_cast<off_t>(offset)) == MAP_FAILED)
    return false;
  if (view_.open(address, bytes, shared_file_, offset)) return true;
  unshare(address, bytes);
  return false;
}

void AddressSpace::unshare(std::uint64_t address, std::uint64_t bytes) {
  const auto offset = static_cast<off_t>(address - base_);
  view_.close(address, bytes);
  fallocate(shared_file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, static_cast<off_t>(bytes));
  take_back(address, bytes);
}

void AddressSpace::take_back(std::uint64_t address, std::uint64_t bytes) {
  static_cast<void>(mmap(host(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file_,
                         static_cast<off_t>(address - base_)));
}

std::uint64_t AddressSpace::bytes_of_pages(std::uint64_t address, std::uint64_t bytes) {
  return round_up(address + bytes, page_bytes()) - first_page(address);
}

bool AddressSpace::move_to_file(std::uint64_t address, int file) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || found->second.freed || found->second.kind != MemoryKind::kDevice) return false;
  const std::uint64_t first = first_page(address), bytes = bytes_of_pages(address, found->second.bytes);
  void* const fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (fresh == MAP_FAILED) return false;
  copy_without_holes(static_cast<std::byte*>(fresh), host(first), file_, first - base_, bytes);
  if (mremap(fresh, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, host(first)) == MAP_FAILED) {
    munmap(fresh, bytes);
    return false;
  }
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first - base_),
            static_cast<off_t>(bytes));
  found->second.between_processes = true;
  ++generation_;
  return true;
}

std::uint64_t AddressSpace::map_file(int file, std::uint64_t begin, std::uint64_t bytes) {
  if (bytes > capacity_ - used_) return 0;
  const std::uint64_t room = bytes_of_pages(begin, bytes);
  const std::optional<std::uint64_t> first = find_room(room, page_bytes());
  if (!first ||
      mmap(host(*first), room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0) == MAP_FAILED)
    return 0;
  Allocation mapped{*first + begin, bytes, MemoryKind::kDevice, false, {}, 0, next_serial_++};
  mapped.lent = mapped.between_processes = true;
  const std::uint64_t address = mapped.address;
  allocations_[address] = std::move(mapped);
  used_ += bytes;
  ++generation_;
  fill_red_zone(*first - kRedZone, *first);
  fill_red_zone(*first + room, *first + room + kRedZone);
  return address;
}

std::optional<std::uint64_t> AddressSpace::find_room(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t end = base_ + reserved_;
  const std::uint64_t fresh = end - top_;
  // A part of what is left, rounded down so far that hosts with a little more or less memory do not differ: addresses
  // decide what caches hold.
  const std::uint64_t least_here = std::max(kRedZone, page_bytes());
  const std::uint64_t most = std::uint64_t{1} << (63 - __builtin_clzll(std::max(fresh / 1024, least_here)));
  const std::uint64_t red_zone = std::min({std::max(round_up(bytes, page_bytes()), kLeastApart), most, kWidestRedZone});
  const std::uint64_t address = round_up(top_ + red_zone, alignment);
  if (address + bytes + red_zone <= end) {
    top_ = address + bytes + red_zone;
    return address;
  }
  // No fresh room is left: forget the freed allocations and take the first gap that is large enough.
  for (auto it = allocations_.begin(); it != allocations_.end();) it = it->second.freed ? allocations_.erase(it) : ++it;
  // Not even then do two lie in one page: all of one may be given to a file.
  const std::uint64_t least = std::max(kRedZone, page_bytes());
  std::uint64_t gap = round_up(base_ + least, alignment);
  for (const auto& [begin, allocation] : allocations_) {
    if (begin >= gap + bytes + least) return gap;
    gap = round_up(begin + allocation.bytes + least, alignment);
  }
  if (gap + bytes + least > end) return std::nullopt;
  top_ = std::max(top_, gap + bytes + least);
  return gap;
}

std::uint64_t AddressSpace::allocate(std::uint64_t bytes, MemoryKind kind, std::string name) {
  if (bytes > capacity_ - used_) return 0;
  // What the host sees is opened page by page, so memory that the host may touch fills whole pages of its own.
  const bool host_visible = is_host_visible(kind);
  const std::uint64_t unit = host_visible ? page_bytes() : kAlignment;
  const std::uint64_t room = round_up(std::max<std::uint64_t>(bytes, 1), unit);
  const std::optional<std::uint64_t> address = find_room(room, unit);
  if (!address) return 0;
  if (host_visible && !share(*address, room)) return 0;
  allocations_[*address] = Allocation{*address, bytes, kind, false, std::move(name), 0, next_serial_++};
  used_ += bytes;
  ++generation_;
  if (!is_variable(kind) && bytes <= kLargestFill) std::memset(host(*address), kJunk, bytes);
  fill_red_zone(*address - kRedZone, *address);
  fill_red_zone(*address + bytes, round_up(*address + bytes, kAlignment) + kRedZone);
  return *address;
}

void AddressSpace::adopt(std::uint64_t address, std::uint64_t bytes, MemoryKind kind, std::string name,
                         std::uint32_t element_bytes) {
  Allocation adopted{address, bytes, kind, false, std::move(name), element_bytes, next_serial_++};
  adopted.lent = true;
  allocations_[address] = std::move(adopted);
  ++generation_;
  if (is_of_program()) return;
  used_ += bytes;
  if (bytes <= kLargestFill) std::memset(host(address), kJunk, bytes);
}

// What lies around an allocation is no use as data either. It differs from one allocation to the next, so that whoever
// makes stray writes of stray reads changes what they hit, also by copying; but neighbours are alike, so that what
// looks like the beginning and the end of a range is an empty one.
void AddressSpace::fill_red_zone(std::uint64_t begin, std::uint64_t end) {
  while (begin < end) {
    const std::uint64_t next = std::min(end, begin / kLeastApart * kLeastApart + kLeastApart);
    const auto shade =
        static_cast<int>(begin / kLeastApart * 0x9E3779B97F4A7C15 >> 58);  // leaves kJunk its highest bits
    std::memset(host(begin), kJunk ^ shade, next - begin);
    begin = next;
  }
}

bool AddressSpace::release(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || found->second.freed) return false;
  Allocation& allocation = found->second;
  allocation.freed = true;
  used_ -= allocation.bytes;
  ++generation_;
  // Memory that the host may touch fills whole pages of its own, however small it is.
  if (is_host_visible(allocation.kind)) {
    unshare(address, round_up(std::max<std::uint64_t>(allocation.bytes, 1), page_bytes()));
    return true;
  }
  if (allocation.between_processes) {  // what others still map stays where it is
    take_back(first_page(address), bytes_of_pages(address, allocation.bytes));
    return true;
  }
  const std::uint64_t first_whole = round_up(address, page_bytes());
  const std::uint64_t last_whole = first_page(address + allocation.bytes);
  if (last_whole > first_whole) {
    fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first_whole - base_),
              static_cast<off_t>(last_whole - first_whole));
  }
  return true;
}

const Allocation* AddressSpace::find(std::uint64_t address) const {
  auto it = allocations_.upper_bound(address);
  if (it == allocations_.begin()) return nullptr;
  --it;
  const Allocation& allocation = it->second;
  return !allocation.freed && address - allocation.address < allocation.bytes ? &allocation : nullptr;
}

const Allocation* AddressSpace::nearest(std::uint64_t address, std::uint64_t reach) const {
  const auto may_be_meant = [](const auto& entry) {
    return entry.second.kind != MemoryKind::kCode && entry.second.kind != MemoryKind::kArguments;
  };
  const auto at = allocations_.upper_bound(address);
  const auto after = std::find_if(at, allocations_.end(), may_be_meant);
  const auto before =
      std::find_if(std::make_reverse_iterator(at), std::make_reverse_iterator(allocations_.begin()), may_be_meant);
  const Allocation* best = nullptr;
  std::uint64_t best_distance = reach + 1;
  if (before != allocations_.rend()) {
    const std::uint64_t end = before->second.address + before->second.bytes;
    best_distance = address < end ? 0 : address - end + 1;
    if (best_distance <= reach) best = &before->second;
  }
  if (after != allocations_.end() && after->first - address < best_distance && after->first - address <= reach)
    best = &after->second;
  return best;
}

std::vector<AddressSpace::Range> AddressSpace::shared_with_host() const {
  std::vector<Range> shared;
  for (const auto& [begin, range] : host_ranges_)
    if (range.reach == Reach::kKernels) shared.push_back({begin, range.bytes});
  for (const auto& [address, allocation] : allocations_) {
    const bool is_shared =
        allocation.kind == MemoryKind::kManaged || (allocation.kind == MemoryKind::kPinned && allocation.name.empty());
    if (is_shared && !allocation.freed) shared.push_back({address, allocation.bytes});
  }
  for (const Peer& known : peers_) {
    if (!known.memory->is_of_program()) continue;
    const std::vector<Range> of_program = known.memory->shared_with_host();
    shared.insert(shared.end(), of_program.begin(), of_program.end());
  }
  return shared;
}

std::uint64_t AddressSpace::bytes_shared_with_host() const {
  std::uint64_t bytes = 0;
  for (const Range& range : shared_with_host()) {
    const AddressSpace& home = home_of(range.begin);
    if (&home == this || !home.is_of_program()) bytes += range.bytes;
  }
  return bytes;
}

const AddressSpace::HostRange* AddressSpace::host_range(std::uint64_t address, std::uint64_t bytes) const {
  auto it = host_ranges_.upper_bound(address);
  if (it == host_ranges_.begin()) return nullptr;
  const HostRange& range = (--it)->second;
  const std::uint64_t before = address - range.begin;
  return before <= range.bytes && bytes <= range.bytes - before ? &range : nullptr;
}

std::byte* AddressSpace::pinned_host(std::uint64_t address, std::uint64_t bytes) const {
  const HostRange* const range = host_range(address, bytes);
  return range != nullptr && range->reach == Reach::kKernels ? range->at + (address - range->begin) : nullptr;
}

const AddressSpace::Peer* AddressSpace::peer(const AddressSpace& memory) const {
  const auto found =
      std::find_if(peers_.begin(), peers_.end(), [&](const Peer& known) { return known.memory == &memory; });
  return found == peers_.end() ? nullptr : &*found;
}

void AddressSpace::set_peer(const AddressSpace& other, bool access) {
  const Peer* const known = peer(other);
  Peer changed{&other, access, known != nullptr ? known->pools : std::set<std::uint32_t>{}};
  forget_peer(other);
  peers_.push_back(std::move(changed));
}

void AddressSpace::set_pool_access(const AddressSpace& other, std::uint32_t pool, bool access) {
  for (Peer& known : peers_) {
    if (known.memory != &other) continue;
    if (access)
      known.pools.insert(pool);
    else
      known.pools.erase(pool);
  }
}

void AddressSpace::forget_peer(const AddressSpace& other) {
  peers_.erase(std::remove_if(peers_.begin(), peers_.end(), [&](const Peer& known) { return known.memory == &other; }),
               peers_.end());
}

bool AddressSpace::has_access_to(const AddressSpace& other) const {
  const Peer* const known = peer(other);
  return known != nullptr && known->access;
}

bool AddressSpace::may_use(const AddressSpace& other, const Allocation& allocation) const {
  const Peer* const known = peer(other);
  if (known == nullptr) return false;
  if (is_host_visible(allocation.kind)) return true;
  return allocation.pool != 0 ? known->pools.count(allocation.pool) != 0 : known->access;
}

std::vector<const AddressSpace*> AddressSpace::all_known() const {
  std::vector<const AddressSpace*> all{this};
  for (const Peer& known : peers_) all.push_back(known.memory);
  return all;
}

const AddressSpace& AddressSpace::home_of(std::uint64_t address) const {
  const auto found = std::find_if(peers_.begin(), peers_.end(),
                                  [&](const Peer& peer) { return peer.memory->in_reservation(address); });
  return found == peers_.end() ? *this : *found->memory;
}

bool AddressSpace::reaches(const AddressSpace& other, std::uint64_t address, std::uint64_t bytes) const {
  if (const Allocation* const allocation = other.find(address))
    return may_use(other, *allocation) &&
           (bytes <= allocation->address + allocation->bytes - address || has_access_to(other));
  return has_access_to(other) && address >= other.low() && address < other.high() && bytes <= other.high() - address;
}

bool AddressSpace::set_pool(std::uint64_t address, std::uint32_t pool) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  found->second.pool = pool;
  return true;
}

bool AddressSpace::set_site(std::uint64_t address, std::uint64_t site) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  found->second.site = site;
  return true;
}

bool AddressSpace::name(std::uint64_t address, std::string name, std::uint32_t element_bytes) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  found->second.name = std::move(name);
  found->second.element_bytes = element_bytes;
  return true;
}

bool AddressSpace::set_read_only(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  found->second.read_only = true;
  return true;
}

bool AddressSpace::lend(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  found->second.lent = true;
  return true;
}

}  // namespace vgpu
