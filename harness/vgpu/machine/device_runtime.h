// What kernels ask of the CUDA runtime on the device: to launch other kernels (dynamic parallelism as CUDA 12 and later
// have it). The machine passes it on.
#pragma once

#include <cstdint>

namespace vgpu {

struct LaunchShape;

class DeviceRuntime {
 public:
  /// The thread that asks, by number: of its block in the grid, and its own in the block.
  struct Caller {
    std::uint64_t block = 0, thread = 0;
  };

  virtual ~DeviceRuntime() = default;

  // Errors are cudaError_t, as numbers. All calls but last_error() leave theirs for the caller to ask for.
  virtual int last_error(const Caller& caller, bool forgets) = 0;

  /// Device memory for the parameters of a launch of the kernel at that address; 0 if there can be no such launch.
  virtual std::uint64_t parameter_buffer(const Caller& caller, std::uint64_t kernel, const LaunchShape& shape) = 0;
  /// Launches the kernel that the buffer was made for, with the parameters that are now in it.
  virtual int launch(const Caller& caller, std::uint64_t buffer, std::uint64_t stream) = 0;

  // Streams and events belong to the grid that makes them.
  virtual int create_stream(const Caller& caller, std::uint32_t flags, std::uint64_t& stream) = 0;
  virtual int destroy_stream(const Caller& caller, std::uint64_t stream) = 0;
  virtual int create_event(const Caller& caller, std::uint32_t flags, std::uint64_t& event) = 0;
  virtual int destroy_event(const Caller& caller, std::uint64_t event) = 0;
  /// Of recording an event in a stream, and of a stream that waits for one.
  virtual int use_event(const Caller& caller, std::uint64_t event, std::uint64_t stream) = 0;

  /// Sets what a graph's conditional node decides by; false if there is no such handle.
  virtual bool set_conditional(std::uint64_t handle, std::uint32_t value) = 0;

  virtual int device_number() const = 0;
  virtual int device_count() const = 0;
};

}  // namespace vgpu
