// Work that a library of ours does on the host in the device's place: ordered, checked and timed as a kernel is.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "harness/vgpu/cudart/device_clock.h"
#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/graph_memory.h"
#include "harness/vgpu/cudart/library_work.h"
#include "harness/vgpu/machine/number_text.h"
#include "harness/vgpu/monitor/array_names.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

constexpr std::size_t kComplaintBytes = 256;

/// One operand: where this process reaches it, and whether initcheck knows what it holds.
struct Reached {
  vgpuOperand operand;
  std::byte* at = nullptr;
};

/// For as long as it lives, findings are about the call that returns to `site`.
class AboutCall {
 public:
  explicit AboutCall(std::uint64_t site) : before_(std::exchange(this_thread().site, site)) {}
  ~AboutCall() { this_thread().site = before_; }
  AboutCall(const AboutCall&) = delete;
  AboutCall& operator=(const AboutCall&) = delete;

 private:
  std::uint64_t before_;
};

/// Bytes [begin, end) of a row: those that are read and written.
struct PartOfRow {
  std::size_t begin, end;
};
bool is_triangle(const vgpuOperand& operand) { return (operand.access & (kVgpuUpper | kVgpuLower)) != 0; }
PartOfRow part_of_row(const vgpuOperand& operand, std::size_t row) {
  const std::size_t element = operand.width / operand.height;
  if ((operand.access & kVgpuUpper) != 0) return {0, (row + 1) * element};
  if ((operand.access & kVgpuLower) != 0) return {row * element, operand.width};
  return {0, operand.width};
}

template <std::size_t length>
std::string text_of(const char (&text)[length]) {
  return {text, strnlen(text, length)};
}

bool reach(Runtime& runtime, const DeviceState& device, const std::string& who, Reached& to) {
  const vgpuOperand& operand = to.operand;
  const std::uint64_t begin = address_of(operand.device);
  const auto bytes = bytes_of_rows(operand.width, operand.height, operand.pitch);
  const AddressSpace* const memory = runtime.devices.memory_holding(begin);
  const Allocation* const allocation =
      memory != nullptr ? allocation_for_later(runtime, *memory, begin, /*for_graph=*/false) : nullptr;
  if (bytes && allocation != nullptr && *bytes <= allocation->address + allocation->bytes - begin) {
    to.at = memory->host(begin);
    return true;
  }
  if (bytes && allocation == nullptr) to.at = device.memory->pinned_host(begin, *bytes);
  if (to.at != nullptr) return true;
  const std::string does = (operand.access & kVgpuWrites) != 0 ? " writes " : " reads ";
  if (allocation != nullptr && bytes)
    runtime.note("invalid argument",
                 who + does + with_commas(*bytes) + " bytes from byte " + with_commas(begin - allocation->address) +
                     " of " + name_of(*allocation) + ", which has " + with_commas(allocation->bytes) + " bytes",
                 "Do the sizes, the leading dimension and the increments fit the array?");
  else if (!bytes)
    runtime.note("invalid argument", who + does + "more bytes than there are addresses",
                 "Do the sizes, the leading dimension and the increments fit the array?");
  else
    runtime.note("invalid argument",
                 who + " was given " + (operand.device == nullptr ? "a null pointer" : "a pointer to host memory") +
                     (runtime.devices.holding(begin) != nullptr ? ", or to memory that is no longer allocated" : "") +
                     ", where it" + does + "device memory",
                 "Allocate the array with cudaMalloc, and pass that pointer.");
  return false;
}

/// What it reads must have been written.
void check_written(Runtime& runtime, DeviceState& device, const std::string& who, const Reached& read) {
  DeviceContents* const contents = runtime.contents();
  if (contents == nullptr) return;
  for (std::size_t row = 0; row < read.operand.height; ++row) {
    const PartOfRow part = part_of_row(read.operand, row);
    const std::size_t bytes = part.end - part.begin;
    const std::uint64_t begin = address_of(read.operand.device) + row * read.operand.pitch + part.begin;
    const DeviceContents::Range range = contents->range_at(*device.memory, begin);
    if (bytes == 0 || range.written == nullptr || !range.holds(begin, begin + bytes)) continue;
    std::uint64_t at = begin - range.begin;
    const std::uint64_t end = at + bytes;
    if (range.written->all(at, end)) continue;
    while (range.written->all(at, at + 1)) ++at;
    const AddressSpace* const memory = runtime.devices.memory_holding(begin);
    const Allocation* const allocation = memory != nullptr ? memory->find(begin) : nullptr;
    if (allocation == nullptr) return;
    const std::string array = name_of(*allocation);
    const std::uint64_t site = this_thread().site;
    const std::string key = std::string(who).append(array).append(std::to_string(site));
    if (!runtime.findings.is_new("uninitialised read", "", 0, key, 1)) return;
    Finding finding;
    finding.tool = "initcheck";
    finding.kind = "uninitialised read";
    finding.array = array;
    finding.site = site;
    finding.sentence.append(who).append(" reads ").append(array);
    finding.sentence.append(", of which byte ").append(with_commas(at)).append(" was never written");
    finding.advice = "Copy the input there, or set it with cudaMemset, before the call.";
    runtime.findings.add(std::move(finding));
    return;
  }
}

/// Between the device and the program's copy of an operand.
void fetch(HostProcess& process, const Reached& from) {
  const vgpuOperand& o = from.operand;
  const std::byte* at = from.at;
  std::byte* to = static_cast<std::byte*>(o.host);
  process.write(to, at, o.pitch, {o.width, o.height, o.width});
}
void put_back(HostProcess& process, Runtime& runtime, const DeviceState& device, const Reached& to) {
  const vgpuOperand& o = to.operand;
  DeviceContents* const contents = runtime.contents();
  if (!is_triangle(o)) process.read(to.at, o.pitch, o.host, {o.width, o.height, o.width});
  for (std::size_t row = 0; row < o.height && (is_triangle(o) || contents != nullptr); ++row) {
    const PartOfRow part = part_of_row(o, row);
    const std::size_t at = row * o.pitch + part.begin, bytes = part.end - part.begin;
    if (is_triangle(o)) process.read(to.at + at, static_cast<std::byte*>(o.host) + row * o.width + part.begin, bytes);
    if (contents != nullptr) contents->write(*device.memory, address_of(o.device) + at, bytes);
  }
}

cudaError_t refuse_without_copy(Runtime& runtime, const std::string& who, const std::string& library,
                                const vgpuOperand& operand) {
  runtime.note("not available",
               who + " needs more memory on the host than there is: Lanewise's " + library +
                   " computes with a copy of " + with_commas(operand.width * operand.height) + " bytes",
               "Use smaller arrays, or run the program on an NVIDIA GPU.");
  return cudaErrorMemoryAllocation;
}

void run(Runtime& runtime, DeviceState& device, const vgpuLibraryWork& work, const std::vector<Reached>& operands,
         cudaHostFn_t compute, void* data, HostProcess& process) {
  if (device.sticky != cudaSuccess || process.is_gone()) return;
  for (const Reached& operand : operands)
    if (!is_still_allocated(runtime, device, operand.operand.device)) return;
  const std::string name = text_of(work.name), library = text_of(work.library);
  device.timeline.takes(Busy::kKernel, library_time(device.profile, work.bytes, work.fp32, work.fp64),
                        {name + " (computed on the host by Lanewise's " + library + ")", work.bytes});
  for (const Reached& operand : operands) {
    if ((operand.operand.access & kVgpuReads) != 0) check_written(runtime, device, name, operand);
    if ((operand.operand.access & (kVgpuReads | kVgpuKeeps)) != 0) fetch(process, operand);
  }
  process.call(compute, data);
  std::array<char, kComplaintBytes> complaint{};
  if (work.complaint != nullptr) process.read(complaint.data(), work.complaint, complaint.size() - 1);
  if (complaint[0] != '\0') {
    runtime.note("invalid memory access", name + ": " + complaint.data(), "");
    device.sticky = cudaErrorIllegalAddress;
    return;
  }
  for (const Reached& operand : operands)
    if ((operand.operand.access & kVgpuWrites) != 0) put_back(process, runtime, device, operand);
  runtime.write_report();
}

}  // namespace

VGPU_API cudaError_t vgpuRunLibrary(const vgpuLibraryWork* work, const vgpuOperand* operands, size_t count,
                                    cudaHostFn_t compute, void* data, cudaStream_t stream) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) -> cudaError_t {
    if (work == nullptr || compute == nullptr || (operands == nullptr && count != 0)) return cudaErrorInvalidValue;
    const std::string name = text_of(work->name), library = text_of(work->library);
    const std::uint64_t site = work->site != nullptr ? address_of(work->site) : this_thread().site;
    const AboutCall about_call(site);
    if (state.capture) {
      runtime.note("not available",
                   name + " was called during stream capture, which Lanewise's " + library + " does not support",
                   "Call it outside the capture.");
      return refuse_if_captured(state);
    }
    std::vector<Reached> reached;
    for (size_t i = 0; i < count; ++i) {
      if (operands[i].width == 0 || operands[i].height == 0) continue;
      if (!reach(runtime, device, name, reached.emplace_back(Reached{operands[i]}))) return cudaErrorInvalidValue;
      if (operands[i].host == nullptr) return refuse_without_copy(runtime, name, library, operands[i]);
    }
    device.timeline.takes(Busy::kLaunching, once(device.profile.rates.launch_host_nanoseconds), {name, 0});
    device.timeline.enqueue(state,
                            [&runtime, &device, work = *work, reached, compute, data, process = &host_process(), site] {
                              // What is found is about this call, not about the one that waits for it.
                              const AboutCall about(site);
                              run(runtime, device, work, reached, compute, data, *process);
                            });
    return cudaSuccess;
  });
}
