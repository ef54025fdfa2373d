// Sizes and names of element types, and the check behind elements<T>().
#include "harness/lab/array.h"

#include <limits>
#include <stdexcept>

namespace lanewise {

std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kUint8:
      return 1;
    case DType::kInt16:
    case DType::kUint16:
      return 2;
    case DType::kInt32:
    case DType::kUint32:
    case DType::kFloat32:
      return 4;
    case DType::kInt64:
    case DType::kUint64:
    case DType::kFloat64:
      return 8;
  }
  throw std::invalid_argument("there is no element type number " + std::to_string(static_cast<int>(dtype)));
}

const char* name_of(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return "int8";
    case DType::kUint8:
      return "uint8";
    case DType::kInt16:
      return "int16";
    case DType::kUint16:
      return "uint16";
    case DType::kInt32:
      return "int32";
    case DType::kUint32:
      return "uint32";
    case DType::kInt64:
      return "int64";
    case DType::kUint64:
      return "uint64";
    case DType::kFloat32:
      return "float32";
    case DType::kFloat64:
      return "float64";
  }
  throw std::invalid_argument("there is no element type number " + std::to_string(static_cast<int>(dtype)));
}

std::size_t element_count(const ArrayShape& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape.shape) {
    if (extent < 0)
      throw std::invalid_argument("array '" + shape.name + "' has the negative extent " + std::to_string(extent));
    if (extent == 0) return 0;
    if (count > std::numeric_limits<std::size_t>::max() / 16 / static_cast<std::size_t>(extent))
      throw std::invalid_argument("array '" + shape.name + "' has more elements than memory can hold");
    count *= static_cast<std::size_t>(extent);
  }
  return count;
}

std::size_t byte_count(const ArrayShape& shape) { return element_count(shape) * size_of(shape.dtype); }

namespace detail {
void throw_wrong_dtype(const Array& array, DType asked) {
  throw std::invalid_argument("array '" + array.name + "' holds " + name_of(array.dtype) + ", not " + name_of(asked));
}
}  // namespace detail

}  // namespace lanewise
