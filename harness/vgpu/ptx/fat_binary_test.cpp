// The fat binary reader: containers made up here, right and wrong in every way, and real ones from nvcc.
#include "harness/vgpu/ptx/fat_binary.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#ifdef VGPU_HAVE_ZSTD
#include <zstd.h>
#endif

namespace vgpu::ptx {
namespace {

using Entries = std::vector<FatBinaryEntry>;
constexpr std::uint64_t kZstd = 0x8000, kLz4 = 0x2000;

// Where the fields lie in a header of 16 bytes and an entry's header of 64 (read from nvcc 13's output).
constexpr std::size_t kMagicAt = 0, kHeaderBytesAt = 6, kPayloadBytesAt = 8;
constexpr std::size_t kEntryHeaderBytesAt = 16 + 4, kPaddedBytesAt = 16 + 8, kCompressedBytesAt = 16 + 16,
                      kDecompressedBytesAt = 16 + 56;

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  if (bytes.size() < at + sizeof value) bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

struct Made {
  std::uint16_t kind = 1;  ///< 1 PTX, 2 machine code
  std::uint32_t architecture = 90;
  std::string payload;
  std::uint64_t flags = 0;
  std::uint64_t decompressed = 0;
};

std::string container(const std::vector<Made>& entries) {
  std::string all(16, '\0');
  put<std::uint32_t>(all, 0, 0xBA55ED50);
  put<std::uint16_t>(all, 4, 1);
  put<std::uint16_t>(all, 6, 16);
  for (const Made& made : entries) {
    std::string header(64, '\0');
    put<std::uint16_t>(header, 0, made.kind);
    put<std::uint32_t>(header, 4, 64);
    put<std::uint64_t>(header, 8, (made.payload.size() + 7) / 8 * 8);
    put<std::uint32_t>(header, 16, made.flags != 0 ? static_cast<std::uint32_t>(made.payload.size()) : 0);
    put<std::uint32_t>(header, 28, made.architecture);
    put<std::uint64_t>(header, 40, made.flags);
    put<std::uint64_t>(header, 56, made.decompressed);
    all += header + made.payload + std::string((8 - made.payload.size() % 8) % 8, '\0');
  }
  put<std::uint64_t>(all, kPayloadBytesAt, all.size() - 16);
  return all;
}

/// Reads from a copy that ends where the bytes end, so that a sanitizer sees every byte too many.
std::variant<Entries, std::string> read(const std::string& bytes) {
  const std::vector<std::byte> copy(reinterpret_cast<const std::byte*>(bytes.data()),
                                    reinterpret_cast<const std::byte*>(bytes.data()) + bytes.size());
  return read_fat_binary(copy.data(), copy.size());
}

std::string problem_of(const std::string& bytes) {
  const auto result = read(bytes);
  const auto* problem = std::get_if<std::string>(&result);
  return problem != nullptr ? *problem : "nothing is wrong";
}

Entries entries_of(const std::string& bytes) {
  auto result = read(bytes);
  if (const auto* problem = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *problem;
    return {};
  }
  return std::get<Entries>(result);
}

std::string without_padding(std::string text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

TEST(FatBinary, EntriesComeInOrderWithTheirArchitectures) {
  const Entries entries = entries_of(container({{1, 80, "old PTX"},
                                                {2, 90,
                                                 "\x7F"
                                                 "ELF"},
                                                {7, 90, "who knows"},
                                                {1, 120, ""}}));
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].kind, FatBinaryEntry::Kind::kPtx);
  EXPECT_EQ(entries[0].architecture, 80u);
  EXPECT_EQ(without_padding(entries[0].contents), "old PTX");
  EXPECT_EQ(entries[1].kind, FatBinaryEntry::Kind::kMachineCode);
  EXPECT_EQ(without_padding(entries[1].contents),
            "\x7F"
            "ELF");
  EXPECT_EQ(entries[2].architecture,
            120u);  // newer than any device here: whether it can be used is the caller's question
  EXPECT_EQ(entries[2].contents, "");
}

TEST(FatBinary, NoEntriesAreFine) { EXPECT_TRUE(entries_of(container({})).empty()); }

TEST(FatBinary, WhatLiesBehindItIsNotRead) {
  const std::string bytes = container({{1, 90, "text"}});
  EXPECT_EQ(entries_of(bytes + std::string(100, 'x')).size(), 1u);
}

TEST(FatBinary, ItsOwnHeaderSaysHowLongItIs) {
  const std::string bytes = container({{1, 90, "text"}});
  EXPECT_EQ(fat_binary_bytes(reinterpret_cast<const std::byte*>(bytes.data())), bytes.size());
  EXPECT_EQ(fat_binary_bytes(reinterpret_cast<const std::byte*>("0123456789abcdef")), 0u);
  EXPECT_EQ(fat_binary_bytes(nullptr), 0u);
}

TEST(FatBinary, CutShortAtEveryLengthItIsRefused) {
  const std::string bytes = container({{1, 80, "some PTX"}, {2, 90, "some machine code"}});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(problem_of(bytes.substr(0, length)),
              length < 16 ? "this is not a fat binary" : "the fat binary is cut short");
    // The same with a header that does not admit to it.
    if (length < 16) continue;
    std::string admitted = bytes.substr(0, length);
    put<std::uint64_t>(admitted, kPayloadBytesAt, length - 16);
    const auto result = read(admitted);
    if (const auto* entries = std::get_if<Entries>(&result)) {
      for (std::size_t i = 0; i < entries->size(); ++i)
        EXPECT_EQ((*entries)[i].contents.size(), i == 0 ? 8u : 24u) << length;
    }
  }
}

template <class T>
struct Field {
  std::size_t at;
  T value;
  const char* problem;
};

template <class T, std::size_t kCount>
void expect_refused(const std::string& bytes, const Field<T> (&fields)[kCount]) {
  for (const Field<T>& field : fields) {
    std::string wrong = bytes;
    put<T>(wrong, field.at, field.value);
    EXPECT_EQ(problem_of(wrong), field.problem) << "byte " << field.at << " = " << field.value;
  }
}

TEST(FatBinary, SizesThatCannotBeAreRefused) {
  const std::string bytes = container({{1, 90, "text"}});
  constexpr auto kHuge = std::numeric_limits<std::uint64_t>::max();
  const Field<std::uint64_t> wide[] = {
      {kPayloadBytesAt, bytes.size() - 15, "the fat binary is cut short"},
      {kPayloadBytesAt, kHuge, "the fat binary is cut short"},
      {kPayloadBytesAt, kHuge - 16, "the fat binary is cut short"},
      {kPayloadBytesAt, kHuge - 15, "this is not a fat binary"},  // with the header 2^64, which is 0
      {kPaddedBytesAt, 9, "the fat binary's entries run past its end"},
      {kPaddedBytesAt, kHuge, "the fat binary's entries run past its end"},
      {kPaddedBytesAt, kHuge - 63, "the fat binary's entries run past its end"},
  };
  expect_refused(bytes, wide);
  const Field<std::uint32_t> medium[] = {
      {kMagicAt, 0xBA55ED51, "this is not a fat binary"},
      {kMagicAt, 0x50ED55BA, "this is not a fat binary"},
      {kEntryHeaderBytesAt, 0, "the fat binary's entries run past its end"},
      {kEntryHeaderBytesAt, 63, "the fat binary's entries run past its end"},
      {kEntryHeaderBytesAt, 65, "the fat binary's entries run past its end"},
      {kEntryHeaderBytesAt, 0xFFFFFFFF, "the fat binary's entries run past its end"},
  };
  expect_refused(bytes, medium);
  const Field<std::uint16_t> narrow[] = {
      {kHeaderBytesAt, 0, "this is not a fat binary"},
      {kHeaderBytesAt, 15, "this is not a fat binary"},
      {kHeaderBytesAt, 17, "the fat binary is cut short"},
      {kHeaderBytesAt, 0xFFFF, "the fat binary is cut short"},
  };
  expect_refused(bytes, narrow);
}

// Literals and a match that overlaps itself, lengths that take further bytes, and the literals at the end.
constexpr char kLz4Bytes[] =
    "\x35"
    "abc\x03\0\xFF\x05"
    "0123456789ABCDEFGHIJ\x01\0\xFF\x01\x40tail";
const std::string kLz4Block(kLz4Bytes, sizeof kLz4Bytes - 1);

std::string contents_of_lz4_block() { return "abcabcabcabc0123456789ABCDEFGHIJ" + std::string(275, 'J') + "tail"; }

TEST(FatBinary, CompressionOfCuda12IsRead) {
  const std::string text = contents_of_lz4_block();
  const Entries entries = entries_of(container({{1, 90, kLz4Block, kLz4, text.size()}}));
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].contents, text);
}

TEST(FatBinary, DamagedCompressionOfCuda12IsRefusedForPtxAndNotNeededForMachineCode) {
  constexpr const char* kDamaged = "the fat binary's compressed entry is damaged";
  const std::size_t bytes = contents_of_lz4_block().size();
  for (std::size_t length = 0; length < kLz4Block.size(); ++length)
    EXPECT_EQ(problem_of(container({{1, 90, kLz4Block.substr(0, length), kLz4, bytes}})), kDamaged) << length;
  for (const std::size_t wrong : {bytes - 1, bytes + 1, kLz4Block.size() * 256})
    EXPECT_EQ(problem_of(container({{1, 90, kLz4Block, kLz4, wrong}})), kDamaged) << wrong;
  for (const char distance : {0, 4}) {
    std::string wrong = kLz4Block;
    wrong[4] = distance;
    EXPECT_EQ(problem_of(container({{1, 90, wrong, kLz4, bytes}})), kDamaged);
  }
  EXPECT_EQ(entries_of(container({{2, 90, "LZ4", kLz4, 100}, {1, 90, "text"}})).size(), 1u);
}

#ifdef VGPU_HAVE_ZSTD

std::string compressed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t got = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
  EXPECT_EQ(ZSTD_isError(got), 0u);
  out.resize(got);
  return out;
}

constexpr const char* kDamaged = "the fat binary's compressed entry is damaged";

TEST(FatBinary, CompressedEntriesComeOutAsTheyWere) {
  for (const std::size_t size : {0u, 1u, 1000u, 1000000u}) {
    const std::string text(size, 'p');
    const Entries entries =
        entries_of(container({{1, 90, compressed(text), kZstd, size}, {1, 80, compressed("x"), kZstd, 1}}));
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].contents, text);
    EXPECT_EQ(entries[1].contents, "x");
  }
}

TEST(FatBinary, DamagedCompressionIsRefused) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += std::to_string(i * i);
  const std::string frame = compressed(text);
  const auto with = [&](const std::string& payload, std::uint64_t size) {
    return container({{1, 90, payload, kZstd, size}});
  };
  for (std::size_t length = 0; length < frame.size(); ++length)
    EXPECT_EQ(problem_of(with(frame.substr(0, length), text.size())), kDamaged) << length;
  EXPECT_EQ(problem_of(with(frame, text.size() - 1)), kDamaged);
  EXPECT_EQ(problem_of(with(frame, text.size() + 1)), kDamaged);
  EXPECT_EQ(problem_of(with("this is no frame", text.size())), kDamaged);

  std::string longer = with(frame, text.size());
  put<std::uint32_t>(longer, kCompressedBytesAt, 0xFFFFFFFF);
  EXPECT_EQ(problem_of(longer), kDamaged);
}

// A header that promises half a gigabyte and brings ten bytes must not cost half a gigabyte.
TEST(FatBinary, WhatIsPromisedIsNotAllocatedBeforeTheFrameAgrees) {
  const std::string frame = compressed("x");
  for (const std::uint64_t size : {std::uint64_t{1} << 28, std::uint64_t{1} << 29})
    EXPECT_EQ(problem_of(container({{1, 90, frame, kZstd, size}})), kDamaged);
  std::string bytes = container({{1, 90, frame, kZstd, 1}});
  for (const std::uint64_t size : {(std::uint64_t{1} << 29) + 1, std::numeric_limits<std::uint64_t>::max()}) {
    put<std::uint64_t>(bytes, kDecompressedBytesAt, size);
    EXPECT_EQ(problem_of(bytes), "the fat binary's compressed entries hold more than 512 MiB");
  }
}

// What has been decompressed counts for those that follow: a bomb may come in pieces.
TEST(FatBinary, AllCompressedEntriesTogetherHaveALimit) {
  const std::uint64_t rest = (std::uint64_t{1} << 29) - 999;
  EXPECT_EQ(problem_of(container(
                {{1, 90, compressed(std::string(1000, 'x')), kZstd, 1000}, {1, 90, compressed("x"), kZstd, rest}})),
            "the fat binary's compressed entries hold more than 512 MiB");
}

TEST(FatBinary, DamagedMachineCodeDoesNotHidePtx) {
  const Entries entries = entries_of(container({{2, 90, "no frame", kZstd, 100}, {1, 90, "text"}}));
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].kind, FatBinaryEntry::Kind::kPtx);
}

#endif

std::string file_at(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const FatBinaryEntry* entry_of(const Entries& entries, FatBinaryEntry::Kind kind) {
  for (const FatBinaryEntry& entry : entries)
    if (entry.kind == kind) return &entry;
  return nullptr;
}

TEST(RealFatBinary, HoldsPtxAndMachineCode) {
  const std::string bytes = file_at(VGPU_REAL_CODE "/plain.fatbin");
  const Entries entries = entries_of(bytes);
  const FatBinaryEntry* const ptx = entry_of(entries, FatBinaryEntry::Kind::kPtx);
  const FatBinaryEntry* const machine_code = entry_of(entries, FatBinaryEntry::Kind::kMachineCode);
  ASSERT_NE(ptx, nullptr);
  ASSERT_NE(machine_code, nullptr);
  EXPECT_EQ(ptx->architecture, 90u);
  EXPECT_EQ(machine_code->architecture, 90u);
  EXPECT_NE(ptx->contents.find(".entry sum_of_tile("), std::string::npos);
  EXPECT_EQ(machine_code->contents.substr(0, 4),
            "\x7F"
            "ELF");
}

void expect_to_hold_the_same_as_plain(const std::string& file) {
  const std::string plain_bytes = file_at(VGPU_REAL_CODE "/plain.fatbin");
  const std::string compressed_bytes = file_at(VGPU_REAL_CODE "/" + file);
  EXPECT_LT(compressed_bytes.size(), plain_bytes.size()) << "nvcc did not compress";
  const Entries plain = entries_of(plain_bytes);
  const Entries compressed = entries_of(compressed_bytes);
  ASSERT_EQ(plain.size(), compressed.size());
  for (const FatBinaryEntry::Kind kind : {FatBinaryEntry::Kind::kPtx, FatBinaryEntry::Kind::kMachineCode}) {
    const FatBinaryEntry* const a = entry_of(plain, kind);
    const FatBinaryEntry* const b = entry_of(compressed, kind);
    EXPECT_TRUE(a != nullptr && b != nullptr);
    if (a != nullptr && b != nullptr) {
      EXPECT_EQ(without_padding(a->contents), without_padding(b->contents));
    }
  }
}

TEST(RealFatBinary, CompressedForSpeedAsCuda12DoesItHoldsTheSame) {
  expect_to_hold_the_same_as_plain("compressed_12.fatbin");
}

#ifdef VGPU_HAVE_ZSTD
TEST(RealFatBinary, CompressedAndUncompressedHoldTheSame) { expect_to_hold_the_same_as_plain("compressed.fatbin"); }
#else
TEST(RealFatBinary, WithoutZstdTheWayOutIsNamed) {
  EXPECT_NE(problem_of(file_at(VGPU_REAL_CODE "/compressed.fatbin")).find("--no-compress"), std::string::npos);
}
#endif

TEST(RealFatBinary, CutShortAtEveryLengthItIsRefused) {
  const std::string bytes = file_at(VGPU_REAL_CODE "/compressed.fatbin");
  ASSERT_GT(bytes.size(), 1000u);
  for (std::size_t length = 0; length < bytes.size(); length += length < 300 ? 1 : 97)
    EXPECT_TRUE(std::holds_alternative<std::string>(read(bytes.substr(0, length)))) << length;
}

}  // namespace
}  // namespace vgpu::ptx
