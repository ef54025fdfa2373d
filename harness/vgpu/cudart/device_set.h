// The devices of this process: all of the same make, each made when it is first used.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/vgpu/cudart/device_state.h"

namespace vgpu::cudart {

class DeviceSet {
 public:
  static constexpr int kMost = 16;

  /// `profile` is a profile's name, file or text.
  DeviceSet(int count, std::string profile) : profile_(std::move(profile)), places_(static_cast<std::size_t>(count)) {}

  int count() const { return static_cast<int>(places_.size()); }
  bool has(int number) const { return number >= 0 && number < count(); }

  /// A device that there is, made on first use; null with `error` if that failed, and it is not tried again.
  DeviceState* get(int number, cudaError_t& error);
  /// Null if there is none of that number or nobody has used it yet.
  DeviceState* if_made(int number) const;
  std::vector<DeviceState*> all_made() const;
  /// By number: of all that are made, or were before they were reset.
  std::map<int, Timeline*> timelines() const;

  /// The device in whose range of addresses `address` lies, or the first one for memory of the program's own; null if
  /// it is no device's.
  DeviceState* holding(std::uint64_t address) const;
  /// The memory in whose range `address` lies; null if it is in none.
  const AddressSpace* memory_holding(std::uint64_t address) const;

  /// Memory of the program's own, `bytes` from `begin`, which this process reaches at `at`: from now on all devices use
  /// it at these addresses. False if they are not the program's to give.
  bool add_program_memory(std::uint64_t begin, std::uint64_t bytes, std::byte* at);
  /// That of which `address` is a part; null if it is part of none.
  AddressSpace* program_memory(std::uint64_t address) const;
  /// Bytes of it that hold managed variables.
  std::uint64_t program_bytes_shared() const;
  /// Ends all of it for which `is_over` holds.
  void remove_program_memory(const std::function<bool(const AddressSpace&)>& is_over);
  /// The device that a stream belongs to; null if it is none's.
  DeviceState* owning(const StreamState* stream) const;

  /// For all devices: see Timeline.
  void set_schedule_seed(std::uint64_t seed);
  bool have_unordered_work() const;
  /// Runs all that is pending anywhere.
  void finish_all();

  /// Ends a device; the next use makes it anew. Nothing may be pending anywhere.
  void remove(int number);

 private:
  struct Place {
    std::unique_ptr<DeviceState> device;
    cudaError_t error = cudaSuccess;         ///< why it could not be made
    std::unique_ptr<Timeline> before_reset;  ///< until it is made anew
  };

  cudaError_t make(int number, std::unique_ptr<DeviceState>& device);

  std::string profile_;
  std::uint64_t schedule_seed_ = 0;
  std::vector<Place> places_;
  std::vector<std::unique_ptr<AddressSpace>> program_memory_;
};

}  // namespace vgpu::cudart
