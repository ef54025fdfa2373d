// Work that a library of ours does on the host in the device's place: ordered, checked and timed as a kernel is.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "harness/vgpu/cudart/device_clock.h"
#include "harness/vgpu/cudart/entry.h"
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

template <std::size_t length>
std::string text_of(const char (&text)[length]) {
  return {text, strnlen(text, length)};
}

bool reach(Runtime& runtime, const DeviceState& device, const std::string& who, Reached& to) {
  const vgpuOperand& operand = to.operand;
  const std::uint64_t begin = address_of(operand.device);
  const auto bytes = bytes_of_rows(operand.width, operand.height, operand.pitch);
  const AddressSpace* const memory = runtime.devices.memory_holding(begin);
  const Allocation* const allocation = memory != nullptr ? memory->find(begin) : nullptr;
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
  else
    runtime.note(
        "invalid argument",
        who + " was given " + (operand.device == nullptr ? "a null pointer" : "a pointer to host memory") +
            (runtime.devices.holding(begin) != nullptr ? ", or to memory that is not allocated any more" : "") +
            ", where it" + does + "device memory",
        "Allocate the array with cudaMalloc, and pass that pointer.");
  return false;
}

/// What it reads must have been written.
void check_written(Runtime& runtime, DeviceState& device, const std::string& who, const Reached& read) {
  DeviceContents* const contents = runtime.contents();
  if (contents == nullptr) return;
  for (std::size_t row = 0; row < read.operand.height; ++row) {
    const std::uint64_t begin = address_of(read.operand.device) + row * read.operand.pitch;
    const DeviceContents::Range range = contents->range_at(*device.memory, begin);
    if (range.written == nullptr || !range.holds(begin, begin + read.operand.width)) continue;
    std::uint64_t at = begin - range.begin;
    const std::uint64_t end = at + read.operand.width;
    if (range.written->all(at, end)) continue;
    while (range.written->all(at, at + 1)) ++at;
    const AddressSpace* const memory = runtime.devices.memory_holding(begin);
    const Allocation* const allocation = memory != nullptr ? memory->find(begin) : nullptr;
    if (allocation == nullptr) return;
    const std::string array = name_of(*allocation);
    const std::uint64_t site = this_thread().site;
    if (!runtime.findings.is_new("uninitialised read", "", 0, who + array + std::to_string(site), 1)) return;
    Finding finding;
    finding.tool = "initcheck";
    finding.kind = "uninitialised read";
    finding.array = array;
    finding.site = site;
    finding.sentence = who + " reads " + array + ", of which byte " + with_commas(at) + " was never written";
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
  process.read(to.at, o.pitch, o.host, {o.width, o.height, o.width});
  if (DeviceContents* const contents = runtime.contents())
    for (std::size_t row = 0; row < o.height; ++row)
      contents->write(*device.memory, address_of(o.device) + row * o.pitch, o.width);
}

void run(Runtime& runtime, DeviceState& device, const vgpuLibraryWork& work, const std::vector<Reached>& operands,
         cudaHostFn_t compute, void* data, HostProcess& process) {
  if (device.sticky != cudaSuccess || process.is_gone()) return;
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
    const std::string name = text_of(work->name);
    if (state.capture) {
      runtime.note("not available",
                   name + " was captured into a graph, which Lanewise's " + text_of(work->library) + " cannot be",
                   "Call it outside of the capture.");
      return refuse_if_captured(state);
    }
    std::vector<Reached> reached;
    for (size_t i = 0; i < count; ++i) {
      if (operands[i].width == 0 || operands[i].height == 0) continue;
      if (!reach(runtime, device, name, reached.emplace_back(Reached{operands[i]}))) return cudaErrorInvalidValue;
    }
    device.timeline.takes(Busy::kLaunching, once(device.profile.rates.launch_host_nanoseconds), {name, 0});
    device.timeline.enqueue(state, [&runtime, &device, work = *work, reached, compute, data, process = &host_process(),
                                    site = this_thread().site] {
      // What is found is about this call, not about the one that waits for it.
      const std::uint64_t site_before = std::exchange(this_thread().site, site);
      run(runtime, device, work, reached, compute, data, *process);
      this_thread().site = site_before;
    });
    return cudaSuccess;
  });
}
