// Copies to the host of device memory that nobody wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/monitor/device_contents.h"
#include "harness/vgpu/monitor/finding.h"

namespace vgpu {

/// What initcheck says about them. Whether the host uses a byte is out of sight, and right programs copy buffers of
/// which they use a part. So a copy counts as a mistake only if nothing of what one call takes from one array was ever
/// written; all else is worth a note. An array that a kernel was passed and did not write to may be a list that has
/// stayed empty: that is no mistake if the host can know how long the list is, from another copy of a single number or
/// from memory that both can reach. That copy may come later, so findings() is for when the program has ended.
class HostCopies {
 public:
  /// Calls and arrays beyond these are not looked at.
  static constexpr std::size_t kMost = 100;

  /// Rows of device memory, `pitch` bytes apart.
  struct Rows {
    std::uint64_t address, width, height, pitch;
  };

  /// Rows that all lie in one allocation, of `memory`, are about to be copied, by a call made at `site` (as
  /// Finding::site).
  void look(DeviceContents& contents, const AddressSpace& memory, const Rows& rows, std::uint64_t site);

  std::vector<Finding> findings() const;
  std::vector<Finding> notes() const;
  /// How many there are to look through: grows when there may be another one.
  std::size_t size() const { return seen_.size(); }
  void clear() { seen_.clear(); }

 private:
  using Array = std::pair<const AddressSpace*, std::uint32_t>;  ///< the serial number of an allocation of a memory
  /// All copies of one array by one call in the source.
  struct Seen {
    Array array;
    std::uint64_t site = 0;
    std::string name;
    std::uint32_t element_bytes = 0;  ///< 0: unknown
    bool was_passed = false;          ///< as DeviceContents::Use
    std::uint64_t bytes = 0, missing = 0;
    std::uint64_t count = 0;  ///< of copies with missing bytes that are no padding
    // Of the first of those, in bytes:
    std::uint64_t copied = 0, left_out = 0;
    std::uint64_t begin = 0, first_missing = 0;  ///< from where the array begins
  };

  Seen* record(const Array& array, std::uint64_t site);
  bool may_be_empty_list(const Seen& seen) const;
  bool is_mistake(const Seen& seen) const { return seen.missing == seen.bytes && !may_be_empty_list(seen); }
  Finding as_finding(const Seen& seen) const;

  std::vector<Seen> seen_;             ///< in the order of their first copies
  std::vector<Array> single_numbers_;  ///< arrays of which a written number was copied; two are enough
  bool host_reaches_memory_ = false;   ///< of the device, without a copy
};

}  // namespace vgpu
