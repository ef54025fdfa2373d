#include "harness/vgpu/cudart/extensions.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/pointer_description.h"

using namespace vgpu;
using namespace vgpu::cudart;

VGPU_API void vgpuNameAllocation(const void* pointer, const char* name, unsigned element_bytes) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  if (DeviceState* const device = runtime.devices.holding(address_of(pointer)))
    device->memory->name(address_of(pointer), name, element_bytes);
}

VGPU_API void vgpuSetReadOnly(const void* pointer) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  if (DeviceState* const device = runtime.devices.holding(address_of(pointer)))
    device->memory->set_read_only(address_of(pointer));
}

VGPU_API void vgpuForgetContents(const void* pointer) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  DeviceState* const device = runtime.devices.holding(address_of(pointer));
  DeviceContents* const contents = runtime.contents();
  if (device == nullptr || contents == nullptr) return;
  device->timeline.finish_all();
  const Allocation* const allocation = device->memory->find(address_of(pointer));
  if (allocation != nullptr && allocation->address == address_of(pointer))
    contents->forget(*device->memory, allocation->address, allocation->bytes);
}

VGPU_API void vgpuPinForCopies(void* pointer, size_t bytes) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  for (int number = 0; number < runtime.devices.count(); ++number) {
    cudaError_t error = cudaSuccess;
    if (DeviceState* const device = runtime.devices.get(number, error))
      device->memory->pin_host(address_of(pointer), bytes, AddressSpace::Reach::kCopies, nullptr);
  }
}

VGPU_API int vgpuSetMonitors(const char* list) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  return runtime.set_monitors(list != nullptr ? list : "") ? 0 : 1;
}

VGPU_API void vgpuCountAnew(int on) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.count_anew(on != 0);
}

VGPU_API void vgpuTimeAnew(void) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.time_anew();
}

VGPU_API size_t vgpuCopyCounts(char* buffer, size_t capacity) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  const std::string json = runtime.counts_as_json();
  if (json.size() <= capacity && buffer != nullptr) std::copy(json.begin(), json.end(), buffer);
  return json.size();
}

VGPU_API void vgpuSetInstructionBudget(unsigned long long warp_instructions) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.options.instruction_budget = warp_instructions;
}

VGPU_API size_t vgpuTakeReport(char* buffer, size_t capacity) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  const std::vector<Finding> found = runtime.found();
  if (found.empty()) return 0;
  const std::string json = findings_as_json(found, runtime.call_places());
  if (json.size() > capacity || buffer == nullptr) return json.size();
  std::copy(json.begin(), json.end(), buffer);
  runtime.forget_found();
  return json.size();
}

VGPU_API void vgpuReportLeaks() {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  runtime.report_leaks();
}

VGPU_API void vgpuRunPending(int in_any_order) {
  call([&](Runtime& runtime) {
    std::vector<DeviceState*> busy;
    for (DeviceState* const device : runtime.devices.all_made())
      if (!device->timeline.is_idle()) busy.push_back(device);
    if (in_any_order == 0 && (busy.size() > 1 || (busy.size() == 1 && !busy.front()->timeline.has_one_order())))
      return cudaSuccess;
    for (DeviceState* const device : busy) device->timeline.run_all();
    return cudaSuccess;
  });
}

VGPU_API size_t vgpuRedZoneBytes() { return AddressSpace::kRedZone; }

VGPU_API int vgpuReadMemory(void* to, const void* from, size_t bytes) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
  const DeviceState* const device = runtime.devices.holding(address_of(from));
  if (device == nullptr) return 1;
  const std::uint64_t begin = address_of(from);
  if (begin < device->memory->low() || bytes > device->memory->high() - begin || begin > device->memory->high())
    return 1;
  std::memcpy(to, device->memory->host(begin), bytes);
  return 0;
}

VGPU_API int vgpuDescribePointer(const void* pointer, char* buffer, size_t capacity) {
  const PointerDescription described = describe_pointer(address_of(pointer));
  if (described.text[0] == '\0' || capacity == 0) return 0;
  std::snprintf(buffer, capacity, "%s", described.text);
  return 1;
}
