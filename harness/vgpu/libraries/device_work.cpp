#include "harness/vgpu/libraries/device_work.h"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <list>
#include <mutex>
#include <new>

#include "harness/vgpu/libraries/end_program.h"
#include "harness/vgpu/libraries/runtime_functions.h"

namespace vgpu::libraries {
namespace {

/// The addresses [begin, end) of this library.
struct Place {
  std::uintptr_t begin = 0, end = 0;

  bool holds(std::uintptr_t address) const { return address >= begin && address < end; }
};
Place find_own_place() {
  Place place;
  const auto look = [](dl_phdr_info* object, std::size_t, void* data) {
    Place around{~std::uintptr_t{0}, 0};
    for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = object->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      around.begin = std::min(around.begin, static_cast<std::uintptr_t>(object->dlpi_addr + part.p_vaddr));
      around.end = std::max(around.end, static_cast<std::uintptr_t>(object->dlpi_addr + part.p_vaddr + part.p_memsz));
    }
    if (!around.holds(reinterpret_cast<std::uintptr_t>(&find_own_place))) return 0;
    *static_cast<Place*>(data) = around;
    return 1;
  };
  dl_iterate_phdr(look, &place);
  return place;
}

/// Where the program called this library: the innermost return address outside of it.
const void* call_site() {
  static const Place kOwn = find_own_place();
  const void* found = nullptr;
  const auto look = [](_Unwind_Context* frame, void* data) -> _Unwind_Reason_Code {
    const std::uintptr_t address = _Unwind_GetIP(frame);
    if (kOwn.holds(address)) return _URC_NO_REASON;
    *static_cast<const void**>(data) = reinterpret_cast<const void*>(address);
    return _URC_NORMAL_STOP;
  };
  _Unwind_Backtrace(look, &found);
  return found;
}

struct Queue {
  std::mutex mutex;
  std::list<std::unique_ptr<DeviceWork>> works;
};
Queue& queued() {
  static auto* const kQueue = new Queue();  // never destroyed: what is left to do is done when the program ends
  return *kQueue;
}

}  // namespace

DeviceWork::DeviceWork(const char* library, const std::string& name) {
  std::snprintf(work_.name, sizeof work_.name, "%s", name.c_str());
  std::snprintf(work_.library, sizeof work_.library, "%s", library);
  work_.site = call_site();
}

void* DeviceWork::add(const void* device, std::size_t width, std::size_t height, std::size_t pitch,
                      const std::vector<std::size_t>& offsets, unsigned access) {
  if (width == 0 || height == 0) return nullptr;
  std::size_t piece = 0, bytes = 0;
  // More than there can be is refused as such, and not computed.
  if (!__builtin_mul_overflow(width, height, &piece) && !__builtin_mul_overflow(piece, offsets.size(), &bytes) &&
      bytes <= (std::size_t{1} << 40))
    copies_.emplace_back(new (std::nothrow) std::byte[bytes]);
  else
    copies_.emplace_back();
  std::byte* const copy = copies_.back().get();
  for (std::size_t i = 0; i < offsets.size(); ++i)
    operands_.push_back({static_cast<const std::byte*>(device) + offsets[i],
                         copy != nullptr ? copy + i * piece : nullptr, width, height, pitch, access});
  const int times = ((access & (kVgpuReads | kVgpuKeeps)) != 0 ? 1 : 0) + ((access & kVgpuWrites) != 0 ? 1 : 0);
  moves(static_cast<double>(bytes) * times);
  return copy;
}

void DeviceWork::complain(const std::string& sentence) {
  if (complaint_[0] == '\0') std::snprintf(complaint_, sizeof complaint_, "%s", sentence.c_str());
}

void DeviceWork::compute(void* work) {
  auto& self = *static_cast<DeviceWork*>(work);
  try {
    self.compute_();
  } catch (const std::bad_alloc&) {
    end_program(
        std::string(self.work_.name) +
        " needs more memory on the host than there is: use smaller arrays, or run the program on an NVIDIA GPU");
  }
  const std::lock_guard<std::mutex> lock(queued().mutex);
  self.is_done_ = true;
}

cudaError_t DeviceWork::queue(std::unique_ptr<DeviceWork> work, cudaStream_t stream, std::function<void()> compute) {
  Queue& queue = queued();
  DeviceWork& self = *work;
  self.compute_ = std::move(compute);
  self.work_.complaint = self.complaint_;
  std::list<std::unique_ptr<DeviceWork>> done;
  {
    const std::lock_guard<std::mutex> lock(queue.mutex);
    for (auto it = queue.works.begin(); it != queue.works.end();) {
      const auto here = it++;
      if ((*here)->is_done_) done.splice(done.end(), queue.works, here);
    }
    queue.works.push_back(std::move(work));
  }
  static auto* const kRun = in_runtime<decltype(vgpuRunLibrary)>("vgpuRunLibrary");
  const cudaError_t error =
      kRun(&self.work_, self.operands_.data(), self.operands_.size(), &DeviceWork::compute, &self, stream);
  // The devices answer one call after the other, so by now they have taken the results of what was done before this
  // one.
  done.clear();
  if (error != cudaSuccess) {
    const std::lock_guard<std::mutex> lock(queue.mutex);
    queue.works.remove_if([&](const auto& each) { return each.get() == &self; });
  }
  return error;
}

cudaError_t wait_for(cudaStream_t stream) {
  static auto* const kWait = in_runtime<cudaError_t(cudaStream_t)>("cudaStreamSynchronize");
  return kWait(stream);
}
cudaError_t wait_for_device() {
  static auto* const kWait = in_runtime<cudaError_t()>("cudaDeviceSynchronize");
  return kWait();
}

cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                      std::size_t height, cudaMemcpyKind kind) {
  static auto* const kCopy =
      in_runtime<cudaError_t(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind)>("cudaMemcpy2D");
  return kCopy(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t copy_rows_in(cudaStream_t stream, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  static auto* const kCopy =
      in_runtime<cudaError_t(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind, cudaStream_t)>(
          "cudaMemcpy2DAsync");
  return kCopy(to, to_pitch, from, from_pitch, width, height, kind, stream);
}

void refuse_function(const char* library, const char* function, const char* why) {
  std::fflush(stdout);
  end_program(std::string(function) + why + " is not in Lanewise's " + library +
              ", which stands in for NVIDIA's on the virtual GPU; run the program on an NVIDIA GPU");
}

}  // namespace vgpu::libraries
