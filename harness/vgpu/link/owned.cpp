#include "harness/vgpu/link/owned.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <mutex>

#include "harness/vgpu/cudart/extensions.h"
#include "harness/vgpu/cudart/pointer_description.h"
#include "harness/vgpu/cudart/runtime.h"
#include "harness/vgpu/link/sealed_file.h"

namespace vgpu::link {
namespace {

using cudart::Runtime;

/// Stands in for the program while it is not its turn.
class Nobody : public cudart::HostProcess {
 public:
  explicit Nobody(HostView& view) : view_(view) {}
  void read(std::byte* to, std::size_t to_pitch, const void*, const cudart::RowShape& shape) override {
    for (std::size_t row = 0; row < shape.height; ++row) std::memset(to + row * to_pitch, 0, shape.width);
  }
  void write(void*, const std::byte*, std::size_t, const cudart::RowShape&) override {}
  std::byte* share(void*, std::size_t) override { return nullptr; }
  void unshare(void*) override {}
  void make_call(cudaHostFn_t, void*) override {}
  void make_call(cudaStreamCallback_t, cudaStream_t, cudaError_t, void*) override {}
  void print(const std::string&) override {}
  void print_error(const std::string&) override {}
  void flush() override {}
  HostView& view() override { return view_; }

 private:
  HostView& view_;
};

const void* pointer(std::uint64_t address) { return reinterpret_cast<const void*>(address); }

/// The device that the owner's arrays are on, if the program has made it and no kernel has broken it.
cudart::DeviceState* device(Runtime& runtime) {
  cudart::DeviceState* const made = runtime.devices.if_made(0);
  return made != nullptr && made->sticky == cudaSuccess ? made : nullptr;
}

/// The bytes of a range that lies in one allocation; null if it does not.
std::byte* bytes_of(const cudart::DeviceState& device, const OwnedRange& range) {
  const Allocation* const allocation = device.memory->find(range.address);
  const bool fits = allocation != nullptr && range.bytes <= allocation->bytes - (range.address - allocation->address);
  return fits ? device.memory->host(range.address) : nullptr;
}

int allocate(Runtime& runtime, Reader& from, Writer& to) {
  const auto array = from.get<OwnedArray>();
  std::string name;
  if (!from.get_text(name)) return EINVAL;
  cudart::DeviceState* const made = device(runtime);
  const std::uint64_t address = made != nullptr ? made->memory->allocate(array.bytes, MemoryKind::kDevice) : 0;
  if (address == 0) return ENOMEM;
  made->memory->name(address, name, array.element_bytes);
  made->memory->lend(address);
  if (array.is_read_only != 0) made->memory->set_read_only(address);
  to.put(address);
  return 0;
}

int release(Runtime& runtime, Reader& from) {
  cudart::DeviceState* const made = runtime.devices.if_made(0);
  const auto address = from.get<std::uint64_t>();
  if (made == nullptr) return EINVAL;
  runtime.devices.finish_all();
  return runtime.release(*made, address) ? 0 : EINVAL;
}

int write(Runtime& runtime, const OwnedRange& range, const std::byte* staging) {
  cudart::DeviceState* const made = device(runtime);
  std::byte* const at = made != nullptr && range.bytes <= kStagingBytes ? bytes_of(*made, range) : nullptr;
  if (at == nullptr) return EINVAL;
  std::memcpy(at, staging, range.bytes);
  if (DeviceContents* const contents = runtime.contents()) contents->write(*made->memory, range.address, range.bytes);
  return 0;
}

int fill(Runtime& runtime, const OwnedRange& range, std::uint8_t value) {
  cudart::DeviceState* const made = device(runtime);
  std::byte* const at = made != nullptr ? bytes_of(*made, range) : nullptr;
  if (at == nullptr) return EINVAL;
  std::memset(at, value, range.bytes);
  vgpuForgetContents(pointer(range.address));
  return 0;
}

int read(Runtime& runtime, const OwnedRange& range, std::byte* staging) {
  runtime.devices.finish_all();
  if (device(runtime) == nullptr || range.bytes > kStagingBytes) return EINVAL;
  return vgpuReadMemory(staging, pointer(range.address), range.bytes) == 0 ? 0 : EINVAL;
}

}  // namespace

Owned::Owned(int socket) : socket_(socket), staging_file_(sealed_file("vgpu-staging", kStagingBytes)) {
  if (staging_file_ == -1) return;
  void* const mapped = mmap(nullptr, kStagingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, staging_file_, 0);
  if (mapped == MAP_FAILED) return;
  staging_ = static_cast<std::byte*>(mapped);
  if (!say_hello()) program_ = -1;
}

Owned::~Owned() {
  if (staging_ != nullptr) munmap(staging_, kStagingBytes);
  if (staging_file_ != -1) close(staging_file_);
  close(socket_);
}

bool Owned::say_hello() {
  Packet packet;
  if (!receive_packet(socket_, packet)) return false;
  program_ = packet.descriptor;
  Reader from = packet.reader();
  if (packet.header.call != static_cast<std::uint16_t>(OwnerCall::kHello) || from.get<std::uint32_t>() != kVersion)
    return false;
  Writer reply;
  reply.put(0);
  return send_packet(socket_, {Kind::kReply}, reply, staging_file_);
}

bool Owned::serve_one(HostView& view) {
  Packet packet;
  if (!receive_packet(socket_, packet) || packet.header.kind != Kind::kCall) return false;
  Nobody nobody(view);
  cudart::HostProcess& before = cudart::host_process();
  cudart::set_host_process(nobody);
  Reader from = packet.reader();
  Writer result;
  int error = 0;
  {
    Runtime& runtime = Runtime::get();
    const std::lock_guard<std::recursive_mutex> lock(runtime.mutex);
    try {
      error = answer(static_cast<OwnerCall>(packet.header.call), from, result);
    } catch (const std::exception&) {
      error = ENOMEM;
    }
  }
  cudart::set_host_process(before);
  Writer reply;
  reply.put(from.is_whole() ? error : EINVAL);
  reply.put_bytes(result.bytes().data(), result.bytes().size());
  return send_packet(socket_, {Kind::kReply}, reply);
}

int Owned::answer(OwnerCall call, Reader& from, Writer& to) {
  Runtime& runtime = Runtime::get();
  switch (call) {
    case OwnerCall::kMonitors: {
      std::string list;
      return from.get_text(list) && runtime.set_monitors(list) ? 0 : EINVAL;
    }
    case OwnerCall::kAllocate:
      return allocate(runtime, from, to);
    case OwnerCall::kRelease:
      return release(runtime, from);
    case OwnerCall::kWrite:
      return write(runtime, from.get<OwnedRange>(), staging_);
    case OwnerCall::kFill: {
      const auto range = from.get<OwnedRange>();
      return fill(runtime, range, from.get<std::uint8_t>());
    }
    case OwnerCall::kRead:
      return read(runtime, from.get<OwnedRange>(), staging_);
    case OwnerCall::kBegin: {
      const auto beginning = from.get<Beginning>();
      runtime.devices.finish_all();
      runtime.options.instruction_budget = beginning.instruction_budget;
      runtime.options.schedule_seed = beginning.schedule_seed;
      runtime.options.starts_in_order = true;
      runtime.devices.set_schedule_seed(beginning.schedule_seed);
      if (beginning.counts_anew != 0) runtime.count_anew(true);
      is_frozen_ = false;
      return 0;
    }
    case OwnerCall::kFreeze:
      is_frozen_ = true;
      return 0;
    case OwnerCall::kCounts: {
      const std::string text = runtime.counts_as_json();
      runtime.count_anew(false);
      return hand_out(text, to);
    }
    case OwnerCall::kFindings: {
      runtime.devices.finish_all();
      runtime.report_leaks();
      const std::vector<Finding> found = runtime.found();
      const std::string text = found.empty() ? std::string() : cudart::findings_as_json(found, runtime.call_places());
      runtime.forget_found();
      return hand_out(text, to);
    }
    case OwnerCall::kDependsOnOrder:
      to.put(static_cast<std::uint8_t>(
          runtime.racecheck().depends_on_order() || runtime.devices.have_unordered_work() ? 1 : 0));
      return 0;
    case OwnerCall::kDescribe: {
      const cudart::PointerDescription described = cudart::describe_pointer(from.get<std::uint64_t>());
      const cudart::LoadedObjects::Place place = runtime.loaded_objects.place_of(described.made_at);
      to.put_text(described.text);
      to.put_text(described.allocation);
      to.put_text(place.object.c_str());
      to.put(place.offset);
      return 0;
    }
    default:
      return ENOSYS;
  }
}

/// A text that is too long is not handed out, but its length is.
int Owned::hand_out(const std::string& text, Writer& to) const {
  if (text.size() <= kStagingBytes) std::memcpy(staging_, text.data(), text.size());
  to.put(std::uint64_t{text.size()});
  return 0;
}

}  // namespace vgpu::link
