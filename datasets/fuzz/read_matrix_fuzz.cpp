// libFuzzer: hostile contents for the reader of Matrix Market files.
#include <cstddef>
#include <cstdint>

#include "datasets/fuzz/hostile_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lanewise::fuzz::decode_as_matrix({reinterpret_cast<const char*>(data), size});
  return 0;
}
