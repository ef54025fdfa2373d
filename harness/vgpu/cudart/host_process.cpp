#include "harness/vgpu/cudart/host_process.h"

#include <cstdio>
#include <cstring>

namespace vgpu::cudart {
namespace {

class OwnProcess : public HostProcess {
 public:
  void read(std::byte* to, std::size_t to_pitch, const void* from, const RowShape& shape) override {
    for (std::size_t row = 0; row < shape.height; ++row)
      std::memmove(to + row * to_pitch, static_cast<const std::byte*>(from) + row * shape.pitch, shape.width);
  }
  void write(void* to, const std::byte* from, std::size_t from_pitch, const RowShape& shape) override {
    for (std::size_t row = 0; row < shape.height; ++row)
      std::memmove(static_cast<std::byte*>(to) + row * shape.pitch, from + row * from_pitch, shape.width);
  }
  std::byte* share(void* begin, std::size_t) override { return static_cast<std::byte*>(begin); }
  void unshare(void*) override {}
  void make_call(cudaHostFn_t function, void* data) override { function(data); }
  void make_call(cudaStreamCallback_t function, cudaStream_t stream, cudaError_t status, void* data) override {
    function(stream, status, data);
  }
  void print(const std::string& text) override { std::fwrite(text.data(), 1, text.size(), stdout); }
  void print_error(const std::string& text) override { std::fwrite(text.data(), 1, text.size(), stderr); }
  void flush() override { std::fflush(stdout); }
  HostView& view() override { return HostView::own(); }
};

HostProcess*& current() {
  static HostProcess* process = new OwnProcess();  // never destroyed: a program ends in any order
  return process;
}

}  // namespace

HostProcess& host_process() { return *current(); }
void set_host_process(HostProcess& process) { current() = &process; }

}  // namespace vgpu::cudart
