// What the kernels of one grid launch in turn, and what they know of it: streams, events, errors.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/vgpu/cudart/graph.h"
#include "harness/vgpu/cudart/runtime.h"
#include "harness/vgpu/machine/device_runtime.h"

namespace vgpu::cudart {

/// A grid's launches begin once it has ended, one after another and each with all that it launches itself; those in the
/// stream of tail launches come last. CUDA promises no more: neither do parents see their children begin, nor children
/// their parents go on. So whatever streams and events ask for is kept, and each run is like the others.
class DeviceLaunches final : public DeviceRuntime {
 public:
  /// As many grids within each other, not counting what the host launches.
  static constexpr int kDeepest = 24;
  /// What a launch counts for in a family's budget, beside what the grid executes: grids that only launch others end,
  /// too.
  static constexpr std::uint64_t kInstructionsOfLaunch = 10'000;
  /// Threads whose last error is remembered; of more, those of the others are forgotten.
  static constexpr std::size_t kMostErrors = 1 << 20;

  /// What a grid that the host has launched has in common with all grids below it.
  struct Family {
    std::uint64_t pending = 0;       ///< launches that have not begun
    bool was_full = false;           ///< there were too many of these
    std::uint64_t instructions = 0;  ///< executed by all of these grids, and for each a launch's worth
    bool was_stopped = false;        ///< when these were too many
    /// Buffers of arguments that are free again, by what they are for: a grid takes those of grids that have ended.
    std::map<std::pair<std::string, std::size_t>, std::vector<std::uint64_t>> spare;
    std::map<std::string, cudaError_t> refused;  ///< other launches, so that each is refused once
  };

  /// Of a grid at this depth (0: launched by the host) of the program.
  DeviceLaunches(Runtime& runtime, DeviceState& device, Program& program, int depth, Family& family)
      : runtime_(runtime), device_(device), program_(program), depth_(depth), family_(family) {}
  ~DeviceLaunches() override;
  /// After the last grid of a family.
  static void release_buffers(DeviceState& device, Family& family);
  DeviceLaunches(const DeviceLaunches&) = delete;
  DeviceLaunches& operator=(const DeviceLaunches&) = delete;

  /// In the order in which they are to run.
  std::vector<KernelWork> take();

  int last_error(const Caller& caller, bool forgets) override;
  std::uint64_t parameter_buffer(const Caller& caller, std::uint64_t kernel, const LaunchShape& shape) override;
  int launch(const Caller& caller, std::uint64_t buffer, std::uint64_t stream) override;
  int create_stream(const Caller& caller, std::uint32_t flags, std::uint64_t& stream) override;
  int destroy_stream(const Caller& caller, std::uint64_t stream) override;
  int create_event(const Caller& caller, std::uint32_t flags, std::uint64_t& event) override;
  int destroy_event(const Caller& caller, std::uint64_t event) override;
  int use_event(const Caller& caller, std::uint64_t event, std::uint64_t stream) override;
  bool set_conditional(std::uint64_t handle, std::uint32_t value) override;
  int device_number() const override { return device_.number; }
  int device_count() const override { return runtime_.options.devices; }

 private:
  cudaError_t prepare(std::uint64_t kernel, const LaunchShape& shape, std::uint64_t& buffer);
  bool has_room(const std::string& kernel);
  cudaError_t check(KernelHandle& handle, const LaunchShape& shape, KernelWork& work);
  bool is_stream(std::uint64_t stream) const;
  int note_error(const Caller& caller, cudaError_t error);

  Runtime& runtime_;
  DeviceState& device_;
  Program& program_;
  int depth_;
  Family& family_;
  std::map<std::uint64_t, KernelWork> prepared_;  ///< by their buffers
  std::vector<KernelWork> launched_, tail_;
  std::vector<std::pair<std::pair<std::string, std::size_t>, std::uint64_t>>
      used_;  ///< buffers that are spare once this grid has ended
  std::uint64_t next_handle_ = 1;
  std::set<std::uint64_t> streams_, events_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, cudaError_t> errors_;  ///< by block and thread
};

}  // namespace vgpu::cudart
