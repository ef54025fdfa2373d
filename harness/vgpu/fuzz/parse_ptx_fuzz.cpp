// libFuzzer: hostile PTX through the parser, the loader and the decoder.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/vgpu/fuzz/hostile_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  vgpu::fuzz::load_ptx({reinterpret_cast<const char*>(data), size});
  return 0;
}
