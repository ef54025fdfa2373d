// Streams that wait for a value in memory.
#include <chrono>
#include <cstring>
#include <thread>

#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/extensions.h"
#include "harness/vgpu/cudart/interruption.h"
#include "harness/vgpu/monitor/array_names.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

/// For the host to write a value that nothing pending will.
constexpr std::chrono::seconds kPatienceWithHost(20);
constexpr std::chrono::microseconds kBetweenGlances(200);

struct AwaitedValue {
  std::uint64_t address, value;
  unsigned bytes;
  int comparison;  ///< vgpuValueIsAtLeast and so on

  /// Null if the memory is not there any more.
  const Allocation* place(const Runtime& runtime) const {
    const AddressSpace* const memory = runtime.devices.memory_holding(address);
    const Allocation* const allocation = memory != nullptr ? memory->find(address) : nullptr;
    return allocation != nullptr && bytes <= allocation->address + allocation->bytes - address ? allocation : nullptr;
  }

  /// Of memory that is gone, nobody waits for anything.
  bool is_there(const Runtime& runtime) const {
    if (place(runtime) == nullptr) return true;
    std::uint64_t now = 0;
    std::memcpy(&now, runtime.devices.memory_holding(address)->host(address), bytes);
    const unsigned unused = 64 - 8 * bytes;
    switch (comparison) {
      case vgpuValueIsAtLeast:  // round the end of the numbers
        return static_cast<std::int64_t>((now - value) << unused) >= 0;
      case vgpuValueIsEqual:
        return now == value;
      case vgpuValueHasBits:
        return (now & value) != 0;
      default:
        return (~(now | value) << unused) != 0;
    }
  }
};

/// What is pending elsewhere may write the value, and the host may, if it can. Otherwise the device is stuck.
void wait_for_value(Runtime& runtime, DeviceState& device, const AwaitedValue& awaited) {
  const auto is_there = [&] { return awaited.is_there(runtime); };
  if (device.timeline.run_others_until(is_there)) return;
  const Allocation& place = *awaited.place(runtime);
  const auto deadline = std::chrono::steady_clock::now() + kPatienceWithHost;
  while (is_host_visible(place.kind) && !*interruption() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kBetweenGlances);
    if (is_there()) return;
  }
  runtime.note("endless wait",
               "a stream waits for a value in " + name_of(place) +
                   " that nothing that comes before writes, and nothing else that is pending",
               "Give the work that writes it to another stream before anything waits for this one.");
  device.sticky = cudaErrorLaunchTimeout;
}

}  // namespace

VGPU_API cudaError_t vgpuWaitForValue(cudaStream_t stream, const void* pointer, unsigned long long value,
                                      unsigned bytes, int comparison) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) -> cudaError_t {
    const AwaitedValue awaited{address_of(pointer), value, bytes, comparison};
    const bool is_known = comparison >= vgpuValueIsAtLeast && comparison <= vgpuValueLacksBits;
    if ((bytes != 4 && bytes != 8) || !is_known || address_of(pointer) % bytes != 0 ||
        awaited.place(runtime) == nullptr)
      return cudaErrorInvalidValue;
    if (state.capture) {
      runtime.note("not available", "a wait for a value cannot be captured into a graph on the virtual GPU", "");
      return cudaErrorStreamCaptureUnsupported;
    }
    device.timeline.takes(Busy::kLaunching, once(device.profile.rates.launch_host_nanoseconds), {"wait", 0});
    device.timeline.enqueue(state, [&runtime, &device, awaited] { wait_for_value(runtime, device, awaited); });
    return cudaSuccess;
  });
}
