#include "harness/vgpu/monitor/host_copies.h"

#include <algorithm>

#include "harness/vgpu/machine/number_text.h"
#include "harness/vgpu/monitor/array_names.h"

namespace vgpu {
namespace {

/// As many bytes as the length of a list takes.
constexpr std::uint64_t kSingleNumber = 8;

/// Missing bytes of some rows.
struct Gaps {
  std::uint64_t missing = 0;   ///< all of them
  std::uint64_t left_out = 0;  ///< those in gaps of at least a padding's size
  std::uint64_t first = 0;     ///< of these, from the begin of the range
};

/// A gap that is shorter than what threads store at once may lie between the members of a structure.
Gaps gaps_of(const DeviceContents::Range& range, const HostCopies::Rows& rows) {
  Gaps gaps;
  for (std::uint64_t row = 0; row < rows.height; ++row) {
    const std::uint64_t begin = rows.address - range.begin + row * rows.pitch, end = begin + rows.width;
    for (std::uint64_t at = range.written->next_missing(begin, end); at < end;) {
      const std::uint64_t stop = range.written->next_written(at, end);
      gaps.missing += stop - at;
      const bool is_padding = stop - at < range.use->widest_store && stop - at < rows.width;
      if (!is_padding && gaps.left_out == 0) gaps.first = at;
      if (!is_padding) gaps.left_out += stop - at;
      at = range.written->next_missing(stop, end);
    }
  }
  return gaps;
}

/// "12 elements", "1 byte"
std::string amount(std::uint64_t bytes, std::uint32_t element_bytes) {
  const std::uint64_t count = element_bytes != 0 ? bytes / element_bytes : bytes;
  return with_commas(count) + (element_bytes != 0 ? " element" : " byte") + (count == 1 ? "" : "s");
}

/// "d_c[7]", "byte 28 of d_c"
std::string place(const std::string& name, std::uint64_t offset, std::uint32_t element_bytes) {
  return element_bytes != 0 ? name + "[" + std::to_string(offset / element_bytes) + "]"
                            : "byte " + with_commas(offset) + " of " + name;
}

}  // namespace

HostCopies::Seen* HostCopies::record(const Array& array, std::uint64_t site) {
  const auto found =
      std::find_if(seen_.begin(), seen_.end(), [&](const Seen& s) { return s.array == array && s.site == site; });
  if (found != seen_.end()) return &*found;
  if (seen_.size() == kMost) return nullptr;
  Seen& seen = seen_.emplace_back();
  seen.array = array;
  seen.site = site;
  return &seen;
}

void HostCopies::look(DeviceContents& contents, const AddressSpace& memory, const Rows& rows, std::uint64_t site) {
  const Allocation* const allocation = memory.find(rows.address);
  if (allocation == nullptr || rows.width == 0 || rows.height == 0) return;
  const DeviceContents::Range range = contents.range_at(memory, rows.address);
  // When it was queued, the copy lay in an allocation; that may have been freed since, and another one be there.
  const std::uint64_t end = rows.address + (rows.height - 1) * rows.pitch + rows.width;
  if (range.written != nullptr && !range.holds(rows.address, end)) return;
  const Gaps gaps = range.written != nullptr ? gaps_of(range, rows) : Gaps{};
  const std::uint64_t bytes = rows.width * rows.height;
  const Array array{&memory, allocation->serial};
  if (gaps.missing == 0 && bytes <= kSingleNumber && single_numbers_.size() < 2 &&
      std::find(single_numbers_.begin(), single_numbers_.end(), array) == single_numbers_.end())
    single_numbers_.push_back(array);
  if (gaps.missing == bytes && !host_reaches_memory_) host_reaches_memory_ = !memory.shared_with_host().empty();
  if (range.written == nullptr) return;

  Seen* const seen = record(array, site);
  if (seen == nullptr) return;
  seen->was_passed = range.use->was_passed;
  seen->bytes += bytes;
  seen->missing += gaps.missing;
  if (gaps.left_out == 0 || seen->count++ != 0) return;
  seen->name = name_of(*allocation);
  seen->element_bytes = allocation->element_bytes != 0 ? allocation->element_bytes : range.use->element_bytes;
  seen->copied = bytes;
  seen->left_out = gaps.left_out;
  seen->begin = rows.address - allocation->address;
  seen->first_missing = gaps.first;
}

bool HostCopies::may_be_empty_list(const Seen& seen) const {
  const bool has_length = host_reaches_memory_ || std::any_of(single_numbers_.begin(), single_numbers_.end(),
                                                              [&](const Array& array) { return array != seen.array; });
  return seen.was_passed && has_length;
}

Finding HostCopies::as_finding(const Seen& seen) const {
  const bool has_nothing = seen.missing == seen.bytes;
  // Without a whole number of elements it is better to speak of bytes.
  const auto is_whole = [&](std::uint32_t size) {
    return seen.begin % size == 0 && seen.first_missing % size == 0 && seen.left_out % size == 0 &&
           seen.copied % size == 0;
  };
  const std::uint32_t element = seen.element_bytes != 0 && is_whole(seen.element_bytes) ? seen.element_bytes : 0;
  Finding finding;
  finding.tool = "initcheck";
  finding.kind = has_nothing ? "uninitialised copy to the host" : "partly uninitialised copy to the host";
  finding.array = seen.name;
  finding.index = static_cast<std::int64_t>(seen.first_missing / std::max(element, 1u));
  finding.site = seen.site;
  finding.count = seen.count;
  const std::string what = amount(seen.copied, element);
  const char* const are = what.back() == 's' ? " are" : " is";
  finding.sentence = what + " of " + seen.name +
                     (seen.begin == 0 ? "" : ", from " + place(seen.name, seen.begin, element) + " on,") + are +
                     " copied to the host, ";
  if (has_nothing) {
    finding.sentence += "and none of them was ever written";
    finding.sentence += seen.was_passed
                            ? ", though a kernel was passed the array"
                            : ": no kernel that was passed the array has run, and no copy or memset has filled it";
    finding.advice =
        seen.was_passed
            ? "Does the guard in the kernel let any thread write, and does it write to this array? If this is a list "
              "that may stay empty, copy as much as its length says."
            : "What should be in it? An input: a cudaMemcpy to the device is missing. A result: the kernel that is to "
              "compute it did not run, runs in a stream for which the copy does not wait, or was passed another "
              "pointer.";
    return finding;
  }
  const std::uint64_t left_out = seen.left_out / std::max(element, 1u);
  finding.sentence += "and " + with_commas(left_out) + " of them " + (left_out == 1 ? "was" : "were") +
                      " never written" + (left_out == 1 ? ": " : "; the first is ") +
                      place(seen.name, seen.first_missing, element);
  finding.advice =
      "That is fine if the host does not use them: padding, say, or room that a list did not need. Otherwise some "
      "thread did not store its result.";
  return finding;
}

std::vector<Finding> HostCopies::findings() const {
  std::vector<Finding> list;
  for (const Seen& seen : seen_)
    if (seen.count != 0 && is_mistake(seen)) list.push_back(as_finding(seen));
  return list;
}

std::vector<Finding> HostCopies::notes() const {
  std::vector<Finding> list;
  for (const Seen& seen : seen_)
    if (seen.count != 0 && !is_mistake(seen)) list.push_back(as_finding(seen));
  return list;
}

}  // namespace vgpu
