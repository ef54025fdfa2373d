// Arrays as numpy.save writes them, of every type, order and version, and that what is written is read back.
#include "datasets/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "datasets/scratch_folder.h"

namespace lanewise {
namespace {

// A file with this header, padded to a multiple of 16 as early versions of NumPy did.
std::string npy(std::string header, const std::string& elements, int version = 1) {
  const std::size_t first = version == 1 ? 10 : 12;
  while ((first + header.size() + 1) % 16 != 0) header += ' ';
  header += '\n';
  std::string text = "\x93NUMPY";
  text +=
      {static_cast<char>(version), '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  if (version > 1) text += {'\0', '\0'};
  return text + header + elements;
}

std::string dictionary(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

NpyArray decoded_npy(const std::string& contents) {
  auto result = decode_npy(contents, "file");
  if (const auto* error = std::get_if<DataError>(&result)) {
    ADD_FAILURE() << error->sentence;
    return {};
  }
  return std::move(std::get<NpyArray>(result));
}

template <class T>
std::vector<T> values_of(const NpyArray& array) {
  std::vector<T> values(array.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

using Shape = std::vector<std::int64_t>;

TEST(Npy, EveryTypeIsRead) {
  const std::pair<const char*, NpyType> types[] = {
      {"|i1", NpyType::kInt8},    {"|u1", NpyType::kUint8},  {"<i2", NpyType::kInt16}, {"<u2", NpyType::kUint16},
      {"<i4", NpyType::kInt32},   {"<u4", NpyType::kUint32}, {"<i8", NpyType::kInt64}, {"<u8", NpyType::kUint64},
      {"<f4", NpyType::kFloat32}, {"<f8", NpyType::kFloat64}};
  for (const auto& [descr, type] : types) {
    const std::string elements(3 * npy_size_of(type), '\x05');
    const NpyArray array = decoded_npy(npy(dictionary(descr, "False", "(3,)"), elements));
    EXPECT_EQ(array.type, type) << descr;
    EXPECT_EQ(array.shape, (Shape{3})) << descr;
    EXPECT_EQ(bytes_of(array.bytes), elements) << descr;
  }
}

TEST(Npy, BigEndianElementsAreTurned) {
  const NpyArray ints = decoded_npy(npy(dictionary(">i4", "False", "(2,)"), {"\x00\x00\x01\x02\xFF\xFF\xFF\xFE", 8}));
  EXPECT_EQ(values_of<std::int32_t>(ints), (std::vector<std::int32_t>{258, -2}));
  const NpyArray doubles = decoded_npy(npy(dictionary(">f8", "False", "(1,)"), {"\x3F\xF8\0\0\0\0\0\0", 8}));
  EXPECT_EQ(values_of<double>(doubles), (std::vector<double>{1.5}));
}

TEST(Npy, FortranOrderIsTransposed) {
  const std::vector<std::int32_t> columns = {1, 4, 2, 5, 3, 6};
  const NpyArray flat = decoded_npy(npy(dictionary("<i4", "True", "(2, 3)"), bytes_of(columns)));
  EXPECT_EQ(flat.shape, (Shape{2, 3}));
  EXPECT_EQ(values_of<std::int32_t>(flat), (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}));

  std::vector<std::uint8_t> deep;  // element (i, j, k) of 2 x 3 x 4 is 100 i + 10 j + k
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) deep.push_back(static_cast<std::uint8_t>(100 * i + 10 * j + k));
  const auto values = values_of<std::uint8_t>(decoded_npy(npy(dictionary("|u1", "True", "(2, 3, 4)"), bytes_of(deep))));
  ASSERT_EQ(values.size(), 24u);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k)
        EXPECT_EQ(values[static_cast<std::size_t>((i * 3 + j) * 4 + k)], 100 * i + 10 * j + k);

  const std::vector<std::int32_t> line = {7, 8};
  EXPECT_EQ(values_of<std::int32_t>(decoded_npy(npy(dictionary("<i4", "True", "(2,)"), bytes_of(line)))), line);
}

TEST(Npy, VersionsTwoAndThreeHaveALongerLength) {
  for (const int version : {1, 2, 3}) {
    const NpyArray array = decoded_npy(npy(dictionary("|u1", "False", "(2, 1)"), "ab", version));
    EXPECT_EQ(array.shape, (Shape{2, 1})) << version;
    EXPECT_EQ(bytes_of(array.bytes), "ab") << version;
  }
}

TEST(Npy, HeadersMayBeWrittenInOtherWays) {
  for (const char* header : {"{'shape': (2, 1), 'fortran_order': False, 'descr': '|u1'}",
                             "{\"descr\":\"u1\",\"fortran_order\":False,\"shape\":(2,1)}",
                             " { 'descr' : '=u1' , 'fortran_order' : False , 'shape' : ( 2L , 1L , ) , } \n \n",
                             "{'descr': '<u1', 'fortran_order': False, 'shape': (2, 1), }"}) {
    EXPECT_EQ(decoded_npy(npy(header, "ab")).shape, (Shape{2, 1})) << header;
  }
}

TEST(Npy, SingleElementsAndEmptyArraysAreArrays) {
  EXPECT_EQ(decoded_npy(npy(dictionary("<f8", "False", "()"), std::string(8, '\0'))).shape, Shape{});
  EXPECT_TRUE(decoded_npy(npy(dictionary("<f8", "False", "(0,)"), "")).bytes.empty());
  EXPECT_EQ(
      decoded_npy(npy(dictionary("<f8", "True", "(9223372036854775807, 0, 9223372036854775807)"), "")).shape.size(),
      3u);
}

TEST(Npy, TheLayoutIsThatOfNumpySave) {
  const ScratchFolder folder;
  const auto file = folder.path() / "array.npy";
  NpyArray array{NpyType::kInt32, {3}, {}};
  const std::vector<std::int32_t> values = {1, 2, 3};
  array.bytes.resize(12);
  std::memcpy(array.bytes.data(), values.data(), 12);
  ASSERT_FALSE(write_npy(file, array));
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  // numpy.save(file, numpy.array([1, 2, 3], dtype=numpy.int32))
  const std::string expected = std::string("\x93NUMPY\x01\x00v\x00", 10) +
                               "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }" + std::string(60, ' ') +
                               "\n" + std::string("\x01\0\0\0\x02\0\0\0\x03\0\0\0", 12);
  EXPECT_EQ(text, expected);
}

TEST(Npy, WhatIsWrittenIsReadBack) {
  const ScratchFolder folder;
  const auto file = folder.path() / "array.npy";
  for (int type = 0; type < 10; ++type)
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{5}, Shape{3, 7}, Shape{2, 0, 9}, Shape(64, 1)}) {
      NpyArray array{static_cast<NpyType>(type), shape, {}};
      std::size_t count = npy_size_of(array.type);
      for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
      for (std::size_t i = 0; i < count; ++i) array.bytes.push_back(static_cast<std::byte>(i * 37 + 11));
      ASSERT_FALSE(write_npy(file, array));
      EXPECT_EQ((std::filesystem::file_size(file) - count) % 64, 0u);
      const auto back = read_npy(file);
      ASSERT_TRUE(std::holds_alternative<NpyArray>(back)) << std::get<DataError>(back).sentence;
      EXPECT_EQ(std::get<NpyArray>(back).type, array.type);
      EXPECT_EQ(std::get<NpyArray>(back).shape, array.shape);
      EXPECT_EQ(std::get<NpyArray>(back).bytes, array.bytes);
    }
}

TEST(Npy, WhatCannotBeWrittenIsSaid) {
  const ScratchFolder folder;
  const auto file = folder.path() / "array.npy";
  const std::vector<std::byte> four(4);
  EXPECT_TRUE(write_npy(file, {NpyType::kFloat32, {2}, four}));
  EXPECT_TRUE(write_npy(file, {NpyType::kFloat32, {-1}, four}));
  EXPECT_TRUE(write_npy(file, {NpyType::kFloat32, {-1, 0}, {}}));
  EXPECT_TRUE(write_npy(file, {NpyType::kUint8, {std::int64_t{1} << 62, 4}, {}}));
  EXPECT_TRUE(write_npy(file, {NpyType::kFloat32, Shape(65, 1), four}));
  EXPECT_TRUE(write_npy(folder.path() / "no_such_folder" / "array.npy", {NpyType::kFloat32, {1}, four}));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace lanewise
