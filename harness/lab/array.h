// Named arrays: the form in which all data passes from a lab to a submission and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace lanewise {

/// Element types a contract may use. The numeric values cross process boundaries: append, never reorder.
enum class DType : std::uint8_t {
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat32,
  kFloat64
};

/// The value of every output byte before a submission runs, so that elements never written are recognised.
inline constexpr std::byte kPoison{0xA5};

/// Bytes of one element.
std::size_t size_of(DType dtype);

/// "float32", "uint8", ... as NumPy spells them.
const char* name_of(DType dtype);

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, std::int8_t>)
    return DType::kInt8;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return DType::kUint8;
  else if constexpr (std::is_same_v<T, std::int16_t>)
    return DType::kInt16;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return DType::kUint16;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return DType::kInt32;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return DType::kUint32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return DType::kInt64;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return DType::kUint64;
  else if constexpr (std::is_same_v<T, float>)
    return DType::kFloat32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::kFloat64;
  else
    static_assert(sizeof(T) == 0, "no DType corresponds to this C++ type");
}

/// Name, type and extents of an array, without its contents. Row-major; an empty shape is a single element.
struct ArrayShape {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
};

/// Elements of the whole array: the product of its extents (0 if any extent is 0).
std::size_t element_count(const ArrayShape& shape);

/// Bytes of the whole array.
std::size_t byte_count(const ArrayShape& shape);

/// An array with contents; `bytes` holds exactly byte_count(*this) bytes in host byte order.
struct Array : ArrayShape {
  std::vector<std::byte> bytes;
};

/// A zero-filled array.
template <class T>
Array make_array(std::string name, std::vector<std::int64_t> shape) {
  Array array;
  array.name = std::move(name);
  array.dtype = dtype_of<T>();
  array.shape = std::move(shape);
  array.bytes.resize(byte_count(array));
  return array;
}

/// The elements of `array`, which must hold T (checked: std::invalid_argument otherwise). The pointer is valid as long
/// as the array keeps its size, and may be null if the array is empty.
template <class T>
const T* elements(const Array& array);
template <class T>
T* elements(Array& array);

namespace detail {
[[noreturn]] void throw_wrong_dtype(const Array& array, DType asked);
}

template <class T>
const T* elements(const Array& array) {
  if (array.dtype != dtype_of<T>()) detail::throw_wrong_dtype(array, dtype_of<T>());
  return reinterpret_cast<const T*>(array.bytes.data());
}

template <class T>
T* elements(Array& array) {
  if (array.dtype != dtype_of<T>()) detail::throw_wrong_dtype(array, dtype_of<T>());
  return reinterpret_cast<T*>(array.bytes.data());
}

}  // namespace lanewise
