// libFuzzer: hostile contents for the reader of pictures.
#include <cstddef>
#include <cstdint>

#include "datasets/fuzz/hostile_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lanewise::fuzz::decode_as_picture({reinterpret_cast<const char*>(data), size});
  return 0;
}
