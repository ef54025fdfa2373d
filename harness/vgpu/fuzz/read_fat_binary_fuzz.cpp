// libFuzzer: hostile fat binaries, and hostile machine code: bytes that begin as an ELF image are read as one.
#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/vgpu/fuzz/hostile_input.h"
#include "harness/vgpu/ptx/machine_code.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0 && data[0] == 0x7f) {
    vgpu::ptx::read_kernel_resources(std::string(reinterpret_cast<const char*>(data), size));
  } else {
    vgpu::fuzz::read_fat_binary(reinterpret_cast<const std::byte*>(data), size);
  }
  return 0;
}
