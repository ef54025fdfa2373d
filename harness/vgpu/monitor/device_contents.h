// Which bytes of device memory hold what somebody wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/monitor/written_bytes.h"

namespace vgpu {

/// Of memory from cudaMalloc and from malloc() in kernels. Everything else counts as written: variables are
/// initialised, and memory that the host or another process reaches may be written unseen. Allocations are told apart
/// by their serial numbers, so that nobody has to say when one begins or ends. `memory` is that of any device which
/// knows the one that an address belongs to.
class DeviceContents {
 public:
  /// How kernels have used an allocation.
  struct Use {
    bool was_passed = false;          ///< a kernel that ran had a pointer into it among its arguments
    std::uint32_t element_bytes = 0;  ///< the narrowest of what was stored there; 0: nothing yet
    std::uint32_t widest_store = 0;   ///< of a thread, in bytes
  };

  /// Bytes [begin, end) belong together; all of them are written if `written` is null. Its bytes count from `begin`.
  struct Range {
    std::uint64_t begin = 1, end = 0;
    WrittenBytes* written = nullptr;
    Use* use = nullptr;  ///< null exactly if `written` is, or for shared memory

    bool holds(std::uint64_t low, std::uint64_t high) const { return low >= begin && high <= end; }
  };

  /// The range around `address`; empty where no allocation is. Holds until the next allocation begins or ends.
  Range range_at(const AddressSpace& memory, std::uint64_t address);

  /// What kernels have stored in an allocation, as Use; 0 where that is not known.
  std::uint32_t element_bytes_of(const AddressSpace& memory, const Allocation& allocation) const;

  /// Somebody wrote `bytes` bytes at `address`, which may be any address at all.
  void write(const AddressSpace& memory, std::uint64_t address, std::uint64_t bytes);
  /// They hold nothing of use any more.
  void forget(const AddressSpace& memory, std::uint64_t address, std::uint64_t bytes);
  /// They were copied from `from`.
  void copy(const AddressSpace& memory, std::uint64_t address, std::uint64_t from, std::uint64_t bytes);

  /// A kernel is about to run with these parameters.
  void pass(const AddressSpace& memory, const std::vector<std::byte>& parameters);

  /// Everything allocated on a device so far may have been written unseen, and counts as written.
  void trust(const AddressSpace& memory);
  /// The device ends.
  void forget_device(const AddressSpace& memory) { devices_.erase(&memory); }

 private:
  struct Known {
    std::uint32_t serial = 0;
    std::unique_ptr<WrittenBytes> written;
    Use use;
  };

  struct Device {
    std::map<std::uint64_t, Known> known;  ///< by the allocation's address
    std::uint32_t trusted_up_to = 0;       ///< serial number
    std::uint64_t generation = 0;          ///< of its memory when freed memory was last looked for
  };

  static Known* known(Device& device, const Allocation& allocation);

  std::map<const AddressSpace*, Device> devices_;
};

}  // namespace vgpu
