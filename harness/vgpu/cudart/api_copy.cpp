// Copies: between host and device, whole or in rows, at once or in a stream, and to and from variables.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "harness/vgpu/cudart/device_clock.h"
#include "harness/vgpu/cudart/entry.h"
#include "harness/vgpu/cudart/graph_launch.h"
#include "harness/vgpu/cudart/graph_memory.h"
#include "harness/vgpu/cudart/host_process.h"
#include "harness/vgpu/machine/number_text.h"
#include "harness/vgpu/monitor/array_names.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

/// One side of a copy: where the bytes are, and what that place is.
struct Side {
  void* address = nullptr;  ///< as the program names them
  std::byte* at = nullptr;  ///< as this process reaches them; null for memory that only the program's host code does
  DeviceState* home = nullptr;             ///< the device they belong to; null for the host's own
  bool on_device = false;                  ///< kernels reach them
  bool on_host = false;                    ///< the program's host code reaches them
  bool pageable = false;                   ///< ordinary host memory: the copy cannot be left for later
  HostProcess* process = &host_process();  ///< whose it is, if it is the host's own
};

/// `bytes` at `pointer`, seen from `device`; false, with a note, if that runs past an allocation (see
/// allocation_for_later).
bool find_side(Runtime& runtime, const DeviceState& device, const void* pointer, size_t bytes, const char* role,
               bool for_graph, Side& side) {
  DeviceState* const home = runtime.devices.holding(address_of(pointer));
  const AddressSpace* const memory = runtime.devices.memory_holding(address_of(pointer));
  const Allocation* const allocation =
      memory != nullptr ? allocation_for_later(runtime, *memory, address_of(pointer), for_graph) : nullptr;
  if (allocation == nullptr) {
    if (home != nullptr) {
      runtime.note("invalid argument",
                   std::string("a copy's ") + role + " is device memory that is not (or no longer) allocated", "");
      return false;
    }
    side = {const_cast<void*>(pointer), device.memory->pinned_host(address_of(pointer), bytes), nullptr, false, true};
    side.on_device = side.at != nullptr;
    side.pageable = !device.memory->is_pinned_host(address_of(pointer), bytes, AddressSpace::Reach::kCopies);
    return true;
  }
  if (bytes > allocation->address + allocation->bytes - address_of(pointer)) {
    runtime.note("invalid argument",
                 "a copy of " + with_commas(bytes) + " bytes runs past the end of its " + role + ", " +
                     name_of(*allocation) + ", which has " + with_commas(allocation->bytes) + " bytes",
                 "Sizes are in bytes: count * sizeof(element).");
    return false;
  }
  side = {const_cast<void*>(pointer), memory->host(address_of(pointer)), home, true, is_host_visible(allocation->kind)};
  return true;
}

bool direction_fits(cudaMemcpyKind kind, const Side& to, const Side& from) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return to.on_host && from.on_host;
    case cudaMemcpyHostToDevice:
      return to.on_device && from.on_host;
    case cudaMemcpyDeviceToHost:
      return to.on_host && from.on_device;
    case cudaMemcpyDeviceToDevice:
      return to.on_device && from.on_device;
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

struct Rows {
  size_t width, height, to_pitch, from_pitch;
};

/// How a copy is called for: that decides when the bytes are read, whether the call waits for them, or whether it only
/// looks whether they could be copied.
enum class Calling : std::uint8_t { kWaiting, kAsynchronously, kFromGraph, kForChecking };

/// A copy of rows in the terms of a graph's node.
cudaMemcpy3DParms as_parameters(void* to, const void* from, const Rows& rows, cudaMemcpyKind kind) {
  cudaMemcpy3DParms p{};
  p.srcPtr = {const_cast<void*>(from), rows.from_pitch, rows.width, rows.height};
  p.dstPtr = {to, rows.to_pitch, rows.width, rows.height};
  p.extent = {rows.width, rows.height, 1};
  p.kind = kind;
  return p;
}

/// An address of the program's, so many bytes further.
void* moved(const void* pointer, size_t bytes) { return reinterpret_cast<void*>(address_of(pointer) + bytes); }

void move_rows(std::byte* to, const std::byte* from, const Rows& rows) {
  for (size_t row = 0; row < rows.height; ++row)
    std::memmove(to + row * rows.to_pitch, from + row * rows.from_pitch, rows.width);
}

/// What the rows hold, without gaps.
std::unique_ptr<std::byte[]> gathered(const Side& source, const Rows& rows) {
  std::unique_ptr<std::byte[]> bytes(new std::byte[rows.width * rows.height]);
  if (source.at != nullptr)
    move_rows(bytes.get(), source.at, {rows.width, rows.height, rows.width, rows.from_pitch});
  else
    source.process->read(bytes.get(), rows.width, source.address, {rows.width, rows.height, rows.from_pitch});
  return bytes;
}

/// From memory that only the program reaches to such memory, piece by piece: there may be more than fits in here.
void move_between_hosts(const Side& target, const Side& source, const Rows& rows) {
  constexpr size_t kPiece = size_t{1} << 20;
  std::vector<std::byte> piece(std::min(rows.width, kPiece));
  for (size_t row = 0; row < rows.height; ++row)
    for (size_t x = 0; x < rows.width; x += kPiece) {
      if (source.process->is_gone()) return;
      const size_t bytes = std::min(kPiece, rows.width - x);
      source.process->read(piece.data(), moved(source.address, row * rows.from_pitch + x), bytes);
      target.process->write(moved(target.address, row * rows.to_pitch + x), piece.data(), bytes);
    }
}

void move_rows(const Side& target, const Side& source, const Rows& rows) {
  if (target.at != nullptr && source.at != nullptr) return move_rows(target.at, source.at, rows);
  if (target.at != nullptr)
    return source.process->read(target.at, rows.to_pitch, source.address, {rows.width, rows.height, rows.from_pitch});
  const RowShape shape{rows.width, rows.height, rows.to_pitch};
  if (source.at != nullptr) return target.process->write(target.address, source.at, rows.from_pitch, shape);
  move_between_hosts(target, source, rows);
}

/// The sectors of device memory that rows at this address lie in. Rows that share one count it for themselves: a copy
/// goes through them one by one.
std::uint64_t sectors_of_rows(const void* at, const Rows& rows, size_t pitch) {
  std::uint64_t sectors = 0;
  for (size_t row = 0; row < rows.height; ++row) {
    const std::uint64_t begin = address_of(at) + row * pitch;
    sectors += (begin + rows.width - 1) / kSectorBytes - begin / kSectorBytes + 1;
  }
  return sectors;
}

/// Tells initcheck of a copy that has taken place.
void move_contents(DeviceContents& contents, const DeviceState& device, const void* to, const void* from,
                   const Rows& rows) {
  for (size_t row = 0; row < rows.height; ++row)
    contents.copy(*device.memory, address_of(to) + row * rows.to_pitch, address_of(from) + row * rows.from_pitch,
                  rows.width);
}

/// Whether what is copied there is for host code to use: managed memory may be for kernels as well.
bool is_for_host(const Runtime& runtime, const Side& target, cudaMemcpyKind kind) {
  if (!target.on_host || kind == cudaMemcpyDeviceToDevice) return false;
  const AddressSpace* const memory = runtime.devices.memory_holding(address_of(target.address));
  const Allocation* const allocation = memory != nullptr ? memory->find(address_of(target.address)) : nullptr;
  return allocation == nullptr || allocation->kind != MemoryKind::kManaged;
}

/// Tells initcheck of a copy to the host that is about to take place.
void look_at_copy_to_host(Runtime& runtime, const void* from, const Rows& rows, std::uint64_t site) {
  const AddressSpace* const memory = runtime.devices.memory_holding(address_of(from));
  if (memory == nullptr) return;
  runtime.host_copies.look(*runtime.contents(), *memory, {address_of(from), rows.width, rows.height, rows.from_pitch},
                           site);
}

constexpr const char* kDirectionAdvice =
    "cudaMemcpy(target, source, bytes, direction): are the pointers in that order, and is the direction right?";
constexpr const char* kSymbolDirectionAdvice =
    "cudaMemcpyToSymbol and cudaMemcpyFromSymbol take the other side to be host memory unless the call says otherwise: "
    "pass cudaMemcpyDeviceToDevice as the direction if it is device memory.";
constexpr const char* kVariableAdvice =
    "In host code, the name of a __constant__ or __device__ variable is not its address on the device: copy with "
    "cudaMemcpyToSymbol or cudaMemcpyFromSymbol.";

/// Checks, queues, and waits where the API says so: a copy that is not asynchronous, and one into ordinary host memory.
cudaError_t copy(Runtime& runtime, DeviceState& device, StreamState& stream, void* to, const void* from,
                 const Rows& rows, cudaMemcpyKind kind, Calling calling,
                 const char* direction_advice = kDirectionAdvice) {
  if (calling == Calling::kWaiting) {
    cudaError_t refused = refuse_if_captured(stream);
    if (refused == cudaSuccess) refused = refuse_if_unsafe(runtime);
    if (refused != cudaSuccess) return refused;
  }
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (rows.width == 0 || rows.height == 0) return cudaSuccess;
  if (rows.height > 1 && (rows.width > rows.to_pitch || rows.width > rows.from_pitch))
    return cudaErrorInvalidPitchValue;
  const auto to_bytes = bytes_of_rows(rows.width, rows.height, rows.to_pitch);
  const auto from_bytes = bytes_of_rows(rows.width, rows.height, rows.from_pitch);
  if (to == nullptr || from == nullptr || !to_bytes || !from_bytes) return cudaErrorInvalidValue;
  Side target, source;
  const bool for_graph = calling == Calling::kForChecking || stream.capture != nullptr;
  if (!find_side(runtime, device, to, *to_bytes, "target", for_graph, target) ||
      !find_side(runtime, device, from, *from_bytes, "source", for_graph, source))
    return cudaErrorInvalidValue;
  if (!direction_fits(kind, target, source)) {
    const bool is_of_name = (!target.on_device && runtime.variable(to) != nullptr) ||
                            (!source.on_device && runtime.variable(from) != nullptr);
    runtime.note("invalid argument",
                 std::string("a copy was said to go ") +
                     (kind == cudaMemcpyHostToDevice   ? "from host to device"
                      : kind == cudaMemcpyDeviceToHost ? "from device to host"
                      : kind == cudaMemcpyHostToHost   ? "from host to host"
                                                       : "from device to device") +
                     ", but its " + (target.on_host ? "target is host memory" : "target is device memory") +
                     " and its " + (source.on_host ? "source is host memory" : "source is device memory"),
                 is_of_name ? kVariableAdvice : direction_advice);
    return cudaErrorInvalidValue;
  }

  if (calling == Calling::kForChecking) return cudaSuccess;
  if (stream.capture) return capture_work(stream, CopyWork{as_parameters(to, from, rows, kind)});

  const size_t bytes = rows.width * rows.height;
  const bool on_device_only = !target.pageable && !source.pageable && target.on_device && source.on_device &&
                              !target.on_host && !source.on_host;
  const bool between_devices = on_device_only && target.home != source.home;
  // In the default stream, such a copy waits for everything on both devices, and everything there waits for it.
  const bool waits_for_devices = between_devices && &stream == &device.timeline.legacy();
  if (waits_for_devices) target.home->timeline.finish_all(), source.home->timeline.finish_all();
  // Ordinary host memory may change or vanish once the call has returned: what is sent is what it holds now.
  std::shared_ptr<std::byte[]> staged;
  Rows staged_rows = rows;
  if (calling == Calling::kAsynchronously && source.pageable && target.on_device) {
    staged = gathered(source, rows);
    source.at = staged.get();
    staged_rows.from_pitch = rows.width;
  }
  const bool for_host = source.on_device && is_for_host(runtime, target, kind);
  if (calling != Calling::kFromGraph)
    device.timeline.takes(Busy::kLaunching, once(device.profile.rates.launch_host_nanoseconds), {"copy", bytes});
  const auto operation = device.timeline.enqueue(stream, [&runtime, &device, target, source, to, from, rows, staged,
                                                          staged_rows, bytes, on_device_only, between_devices, for_host,
                                                          site = this_thread().site] {
    if (!is_still_allocated(runtime, device, to) || !is_still_allocated(runtime, device, from)) return;
    move_rows(target, source, staged_rows);
    DeviceContents* const contents = runtime.contents();
    if (contents != nullptr && for_host) look_at_copy_to_host(runtime, from, rows, site);
    const bool is_within_host = target.at == nullptr && source.at == nullptr;
    if (contents != nullptr && !is_within_host) move_contents(*contents, device, to, from, rows);
    const std::uint64_t sectors =
        on_device_only ? sectors_of_rows(from, rows, rows.from_pitch) + sectors_of_rows(to, rows, rows.to_pitch) : 0;
    device.timeline.copies_on_device(sectors);
    if (between_devices)
      device.timeline.takes(Busy::kCopyOut, peer_time(device.profile, bytes), {"", bytes});
    else if (on_device_only)
      device.timeline.takes(Busy::kCopyWithin, memory_time(device.profile, sectors * kSectorBytes), {"", bytes});
    else {
      device.timeline.takes(target.on_device && !target.on_host ? Busy::kCopyIn : Busy::kCopyOut,
                            transfer_time(device.profile, bytes, target.pageable || source.pageable),
                            {target.pageable || source.pageable ? "pageable" : "", bytes});
      device.timeline.passes_to_or_from_host(bytes);
    }
  });
  if (calling == Calling::kFromGraph) return cudaSuccess;  // its nodes all happen when their turn comes
  const bool reads_host_later = source.pageable && !target.on_device;
  if (target.pageable || reads_host_later || waits_for_devices || (calling == Calling::kWaiting && !on_device_only))
    device.timeline.finish(operation);
  return cudaSuccess;
}

cudaError_t copy_in_stream(void* to, const void* from, const Rows& rows, cudaMemcpyKind kind, cudaStream_t stream,
                           bool asynchronous) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) {
    return copy(runtime, device, state, to, from, rows, kind,
                asynchronous ? Calling::kAsynchronously : Calling::kWaiting);
  });
}

Rows one_row(size_t bytes) { return {bytes, 1, bytes, bytes}; }

/// A copy whose caller says which devices the pointers belong to.
cudaError_t copy_between(void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream,
                         bool asynchronous) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) -> cudaError_t {
    if (!runtime.devices.has(to_device) || !runtime.devices.has(from_device)) return cudaErrorInvalidDevice;
    if (const cudaError_t refused = refuse_if_captured(state); refused != cudaSuccess) return refused;
    const auto belongs = [&](const void* pointer, int number) {
      const DeviceState* const home = runtime.devices.holding(address_of(pointer));
      const Allocation* const allocation = home != nullptr ? home->memory->find(address_of(pointer)) : nullptr;
      return allocation == nullptr || is_host_visible(allocation->kind) || home->number == number;
    };
    if (!belongs(to, to_device) || !belongs(from, from_device)) {
      runtime.note("invalid argument",
                   "cudaMemcpyPeer was given a pointer to memory of another device than it was told",
                   "cudaMemcpyPeer(target, its device, source, its device, bytes): are they in that order?");
      return cudaErrorInvalidValue;
    }
    return copy(runtime, device, state, to, from, one_row(bytes), cudaMemcpyDefault,
                asynchronous ? Calling::kAsynchronously : Calling::kWaiting);
  });
}

/// A 3-D copy: slice after slice. What is captured is the copy of the memory that arrays lie in.
cudaError_t copy_volume(Runtime& runtime, DeviceState& device, StreamState& stream, cudaMemcpy3DParms p,
                        Calling calling) {
  if (const cudaError_t error = resolve_arrays(device.images, p); error != cudaSuccess) return error;
  if (stream.capture && calling == Calling::kAsynchronously) return capture_work(stream, CopyWork{p});
  const auto at = [](const cudaPitchedPtr& memory, const cudaPos& position, size_t slice) {
    return moved(memory.ptr, ((position.z + slice) * memory.ysize + position.y) * memory.pitch + position.x);
  };
  if (p.extent.width == 0 || p.extent.height == 0) return cudaSuccess;
  for (size_t slice = 0; slice < p.extent.depth; ++slice) {
    const cudaError_t error =
        copy(runtime, device, stream, at(p.dstPtr, p.dstPos, slice), at(p.srcPtr, p.srcPos, slice),
             {p.extent.width, p.extent.height, p.dstPtr.pitch, p.srcPtr.pitch}, p.kind, calling);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t copy_volume_in_stream(const cudaMemcpy3DParms* p, cudaStream_t stream, Calling calling) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) {
    return p != nullptr ? copy_volume(runtime, device, state, *p, calling) : cudaErrorInvalidValue;
  });
}

/// The device address of `bytes` at `offset` of a variable; 0 with `error`.
std::uint64_t symbol_address(Runtime& runtime, DeviceState& device, const void* symbol, size_t offset, size_t bytes,
                             cudaError_t& error) {
  const VariableHandle* const variable = runtime.variable(symbol);
  if (variable == nullptr) {
    error = cudaErrorInvalidSymbol;
    return 0;
  }
  LoadedModule* const module = runtime.module(*variable->program, device, error);
  if (module == nullptr) return 0;
  const LoadedModule::VariablePlace* const place = module->variable(variable->name);
  if (place == nullptr) {
    error = cudaErrorInvalidSymbol;
    return 0;
  }
  if (offset > place->bytes || bytes > place->bytes - offset) {
    runtime.note("invalid argument",
                 "a copy of " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                     " runs past the end of a variable of " + std::to_string(place->bytes) + " bytes",
                 "Sizes are in bytes: count * sizeof(element).");
    error = cudaErrorInvalidValue;
    return 0;
  }
  return place->address + offset;
}

cudaError_t copy_symbol(const void* symbol, size_t offset, const void* other, size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream, bool to_symbol, bool asynchronous) {
  return stream_call(stream, [&](Runtime& runtime, DeviceState& device, StreamState& state) -> cudaError_t {
    cudaError_t error = cudaSuccess;
    const std::uint64_t address = symbol_address(runtime, device, symbol, offset, bytes, error);
    if (address == 0) return error;
    void* const own = reinterpret_cast<void*>(address);
    const Calling calling = asynchronous ? Calling::kAsynchronously : Calling::kWaiting;
    void* const target = to_symbol ? own : const_cast<void*>(other);
    const void* const source = to_symbol ? other : own;
    return copy(runtime, device, state, target, source, one_row(bytes), kind, calling, kSymbolDirectionAdvice);
  });
}

}  // namespace

cudaError_t vgpu::cudart::enqueue_copy(Runtime& runtime, DeviceState& device, StreamState& stream,
                                       const cudaMemcpy3DParms& work) {
  return copy_volume(runtime, device, stream, work, Calling::kFromGraph);
}

cudaError_t vgpu::cudart::check_copy(Runtime& runtime, DeviceState& device, const cudaMemcpy3DParms& work) {
  return copy_volume(runtime, device, device.timeline.legacy(), work, Calling::kForChecking);
}

cudaError_t vgpu::cudart::find_symbol(Runtime& runtime, DeviceState& device, const void* symbol, size_t offset,
                                      size_t bytes, void*& pointer) {
  cudaError_t error = cudaSuccess;
  pointer = reinterpret_cast<void*>(symbol_address(runtime, device, symbol, offset, bytes, error));
  return error;
}

VGPU_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy_in_stream(to, from, one_row(bytes), kind, nullptr, false);
}
VGPU_API cudaError_t cudaMemcpy_ptds(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy_in_stream(to, from, one_row(bytes), kind, cudaStreamPerThread, false);
}
VGPU_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return copy_in_stream(to, from, one_row(bytes), kind, stream, true);
}
VGPU_API cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                          cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, kind, per_thread(stream));
}
VGPU_API cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return copy_between(to, to_device, from, from_device, bytes, nullptr, false);
}
VGPU_API cudaError_t cudaMemcpyPeer_ptds(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return copy_between(to, to_device, from, from_device, bytes, cudaStreamPerThread, false);
}
VGPU_API cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                         cudaStream_t stream) {
  return copy_between(to, to_device, from, from_device, bytes, stream, true);
}
VGPU_API cudaError_t cudaMemcpyPeerAsync_ptsz(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                              cudaStream_t stream) {
  return copy_between(to, to_device, from, from_device, bytes, per_thread(stream), true);
}

VGPU_API cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
  return copy_in_stream(to, from, {width, height, to_pitch, from_pitch}, kind, nullptr, false);
}
VGPU_API cudaError_t cudaMemcpy2D_ptds(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                       size_t height, cudaMemcpyKind kind) {
  return copy_in_stream(to, from, {width, height, to_pitch, from_pitch}, kind, cudaStreamPerThread, false);
}
VGPU_API cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_in_stream(to, from, {width, height, to_pitch, from_pitch}, kind, stream, true);
}
VGPU_API cudaError_t cudaMemcpy2DAsync_ptsz(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, per_thread(stream));
}
VGPU_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return copy_volume_in_stream(parameters, nullptr, Calling::kWaiting);
}
VGPU_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return copy_volume_in_stream(parameters, stream, Calling::kAsynchronously);
}
VGPU_API cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms* parameters) {
  return copy_volume_in_stream(parameters, cudaStreamPerThread, Calling::kWaiting);
}
VGPU_API cudaError_t cudaMemcpy3DAsync_ptsz(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return cudaMemcpy3DAsync(parameters, per_thread(stream));
}

// --- variables ---

VGPU_API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                                        cudaMemcpyKind kind) {
  return copy_symbol(symbol, offset, from, bytes, kind, nullptr, true, false);
}
VGPU_API cudaError_t cudaMemcpyToSymbol_ptds(const void* symbol, const void* from, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
  return copy_symbol(symbol, offset, from, bytes, kind, cudaStreamPerThread, true, false);
}
VGPU_API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol(symbol, offset, from, bytes, kind, stream, true, true);
}
VGPU_API cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void* symbol, const void* from, size_t bytes, size_t offset,
                                                  cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, per_thread(stream));
}
VGPU_API cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                          cudaMemcpyKind kind) {
  return copy_symbol(symbol, offset, to, bytes, kind, nullptr, false, false);
}
VGPU_API cudaError_t cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, size_t bytes, size_t offset,
                                               cudaMemcpyKind kind) {
  return copy_symbol(symbol, offset, to, bytes, kind, cudaStreamPerThread, false, false);
}
VGPU_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                               cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol(symbol, offset, to, bytes, kind, stream, false, true);
}
VGPU_API cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void* to, const void* symbol, size_t bytes, size_t offset,
                                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, per_thread(stream));
}

VGPU_API cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    const std::uint64_t address = symbol_address(runtime, device, symbol, 0, 0, error);
    if (address != 0) *pointer = reinterpret_cast<void*>(address);
    return error;
  });
}
VGPU_API cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return device_call([&](Runtime& runtime, DeviceState&) -> cudaError_t {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    const VariableHandle* const variable = runtime.variable(symbol);
    if (variable == nullptr) return cudaErrorInvalidSymbol;
    *bytes = variable->bytes;
    return cudaSuccess;
  });
}
