// The program that uses the devices, as the runtime sees it: memory that only its host code reaches, functions of its
// own, and a place to print. It may be this process or another one.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "harness/vgpu/machine/host_view.h"

namespace vgpu::cudart {

/// Rows of bytes, each `pitch` bytes behind the one before.
struct RowShape {
  std::size_t width = 0, height = 1, pitch = 0;
};

class HostProcess {
 public:
  virtual ~HostProcess() = default;

  /// Copies rows out of the program's memory: as wide and as many as `shape` says, into rows `to_pitch` bytes apart.
  virtual void read(std::byte* to, std::size_t to_pitch, const void* from, const RowShape& shape) = 0;
  /// The other way.
  virtual void write(void* to, const std::byte* from, std::size_t from_pitch, const RowShape& shape) = 0;

  /// It has ended, or is not served any more: then nothing is read or written.
  virtual bool is_gone() const { return false; }

  /// Makes memory of the program's own one that kernels reach; returns where this process does, or null.
  virtual std::byte* share(void* begin, std::size_t bytes) = 0;
  /// Ends that; of what was not shared, nothing.
  virtual void unshare(void* begin) = 0;

  /// Calls a function of the program, which must not call the runtime in turn.
  void call(cudaHostFn_t function, void* data) {
    const InFunction in_function;
    make_call(function, data);
  }
  void call(cudaStreamCallback_t function, cudaStream_t stream, cudaError_t status, void* data) {
    const InFunction in_function;
    make_call(function, stream, status, data);
  }
  static bool is_in_function() { return functions_running != 0; }

  /// What kernels print, and what became of their assertions.
  virtual void print(const std::string& text) = 0;
  virtual void print_error(const std::string& text) = 0;
  /// Nothing printed is to be held back.
  virtual void flush() = 0;

  /// Device addresses as its host code sees them.
  virtual HostView& view() = 0;

  /// Reads or writes one piece of memory.
  void read(void* to, const void* from, std::size_t bytes) {
    read(static_cast<std::byte*>(to), bytes, from, {bytes, 1, bytes});
  }
  void write(void* to, const void* from, std::size_t bytes) {
    write(to, static_cast<const std::byte*>(from), bytes, {bytes, 1, bytes});
  }

 private:
  virtual void make_call(cudaHostFn_t function, void* data) = 0;
  virtual void make_call(cudaStreamCallback_t function, cudaStream_t stream, cudaError_t status, void* data) = 0;

  inline static int functions_running = 0;
  struct InFunction {
    InFunction() { ++functions_running; }
    ~InFunction() { --functions_running; }
    InFunction(const InFunction&) = delete;
    InFunction& operator=(const InFunction&) = delete;
  };
};

/// The program of the calls that are being answered: this process, unless another one was set.
HostProcess& host_process();
void set_host_process(HostProcess& process);

}  // namespace vgpu::cudart
