// Real device code with a few thousand small damages, the same in every run: a fuzzer's work in small, for every build.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/vgpu/fuzz/hostile_input.h"
#include "harness/vgpu/ptx/fat_binary.h"
#include "harness/vgpu/ptx/lexer.h"
#include "harness/vgpu/ptx/machine_code.h"

namespace vgpu::fuzz {
namespace {

/// splitmix64 (Steele et al., 2014).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % bound;
  }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

 private:
  std::uint64_t state_;
};

std::string file_at(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Piece {
  std::size_t at, bytes;
  ptx::TokenKind kind;
};

/// The tokens of a PTX text, with the dot or the quotes that belong to them.
std::vector<Piece> pieces_of(const std::string& text) {
  std::vector<Piece> pieces;
  ptx::Lexer lexer(text);
  for (ptx::Token token = lexer.next(); token.kind != ptx::TokenKind::kEnd; token = lexer.next()) {
    Piece piece{static_cast<std::size_t>(token.text.data() - text.data()), token.text.size(), token.kind};
    if (token.kind == ptx::TokenKind::kDotted || token.kind == ptx::TokenKind::kString) --piece.at, ++piece.bytes;
    if (token.kind == ptx::TokenKind::kString) ++piece.bytes;
    pieces.push_back(piece);
  }
  return pieces;
}

/// What a damaged or malicious text holds where something else should be.
const std::vector<std::string>& strange_words() {
  static const std::vector<std::string> kWords{"",           "0",
                                               "-1",         "18446744073709551615",
                                               "4294967296", "9223372036854775808",
                                               "0f7FC00000", "{",
                                               "}",          "(",
                                               ")",          "[",
                                               "]",          ";",
                                               ",",          ":",
                                               "@",          "!",
                                               "<",          ">",
                                               "|",          "_",
                                               ".b128",      ".pred",
                                               ".f16",       ".v4",
                                               ".global",    ".shared",
                                               ".param",     ".align",
                                               ".entry",     ".func",
                                               ".extern",    "%tid.x",
                                               "%r1",        "%p1",
                                               "%rd1",       "%f1",
                                               "vprintf",    "ret",
                                               "bra",        "brx.idx",
                                               "call",       "\"",
                                               "/*",         std::string(1, '\0')};
  return kWords;
}

std::string damaged_text(const std::string& text, const std::vector<Piece>& pieces, Numbers& numbers) {
  std::string damaged = text;
  Piece piece = numbers.one_of(pieces);
  Piece other = numbers.one_of(pieces);
  const std::uint64_t way = numbers.below(12);
  // Most damage is one word in the place of another of its kind: what gets past the parser is for the decoder.
  while (way >= 6 && other.kind != piece.kind) other = numbers.one_of(pieces);
  piece.at = std::min(piece.at, text.size());  // the pieces are those of the sound text, which may have been longer
  other.at = std::min(other.at, text.size());
  switch (way) {
    case 0:
      return damaged.substr(0, piece.at);
    case 1:
      return damaged.replace(piece.at, piece.bytes, " " + numbers.one_of(strange_words()) + " ");
    case 2:
      return damaged.insert(piece.at, text.substr(other.at, other.bytes) + " ");
    case 3:
      return damaged.erase(piece.at, numbers.below(200));
    case 4:
      return damaged.insert(piece.at, text, other.at, numbers.below(400));
    case 5:
      damaged[numbers.below(damaged.size())] = static_cast<char>(numbers.below(256));
      return damaged;
    default:
      return damaged.replace(piece.at, piece.bytes, text, other.at, other.bytes);
  }
}

/// Numbers that sizes and offsets are compared with, give or take a little.
std::string damaged_bytes(const std::string& bytes, Numbers& numbers) {
  static const std::vector<std::uint64_t> kSizes{0,
                                                 1,
                                                 16,
                                                 63,
                                                 64,
                                                 65,
                                                 0x7F,
                                                 0xFF,
                                                 0x7FFF,
                                                 0xFFFF,
                                                 0x8000,
                                                 0x7FFFFFFF,
                                                 0xFFFFFFFF,
                                                 std::uint64_t{1} << 29,
                                                 std::uint64_t{1} << 63,
                                                 ~std::uint64_t{0},
                                                 ~std::uint64_t{63}};
  std::string damaged = bytes;
  for (std::uint64_t i = 0; i <= numbers.below(3); ++i) {
    // Mostly where the headers are.
    const std::size_t at = numbers.below(numbers.below(4) == 0 ? bytes.size() : 400);
    const std::uint64_t value = numbers.one_of(kSizes) + numbers.below(3) - 1;
    const std::size_t width = std::size_t{1} << numbers.below(4);
    if (at + width <= damaged.size()) std::memcpy(damaged.data() + at, &value, width);
  }
  if (numbers.below(10) == 0) damaged.resize(numbers.below(damaged.size()));
  return damaged;
}

TEST(Mutations, OfRealPtxEndInWords) {
  const std::string text = file_at(VGPU_REAL_CODE "/code.ptx");
  ASSERT_EQ(load_ptx(text), Outcome::kDecoded);
  const std::vector<Piece> pieces = pieces_of(text);
  Numbers numbers(1);
  std::map<Outcome, int> outcomes;
  for (int i = 0; i < 2500; ++i) {
    std::string damaged = damaged_text(text, pieces, numbers);
    while (numbers.below(3) == 0 && damaged.size() + 200 > text.size())
      damaged = damaged_text(damaged, pieces, numbers);
    ++outcomes[load_ptx(damaged)];
  }
  // Every stage was reached: else this would test the lexer alone.
  EXPECT_GT(outcomes[Outcome::kNotLoadable], 300);
  EXPECT_GT(outcomes[Outcome::kRefused], 300);
  EXPECT_GT(outcomes[Outcome::kDecoded], 300);
}

TEST(Mutations, OfRealFatBinariesEndInWords) {
  for (const char* name : {"plain", "compressed"}) {
    const std::string bytes = file_at(std::string(VGPU_REAL_CODE "/") + name + ".fatbin");
    ASSERT_TRUE(read_fat_binary(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size())) << name;
    Numbers numbers(2);
    int read = 0, refused = 0;
    for (int i = 0; i < 2000; ++i) {
      const std::string damaged = damaged_bytes(bytes, numbers);
      const std::vector<std::byte> copy(reinterpret_cast<const std::byte*>(damaged.data()),
                                        reinterpret_cast<const std::byte*>(damaged.data()) + damaged.size());
      ++(read_fat_binary(copy.data(), copy.size()) ? read : refused);
    }
    EXPECT_GT(read, 100) << name;
    EXPECT_GT(refused, 100) << name;
  }
}

TEST(Mutations, OfRealMachineCodeNeverCrash) {
  const std::string bytes = file_at(VGPU_REAL_CODE "/plain.fatbin");
  const auto parsed = ptx::read_fat_binary(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
  ASSERT_TRUE(std::holds_alternative<std::vector<ptx::FatBinaryEntry>>(parsed));
  std::string image;
  for (const ptx::FatBinaryEntry& entry : std::get<std::vector<ptx::FatBinaryEntry>>(parsed))
    if (entry.kind == ptx::FatBinaryEntry::Kind::kMachineCode) image = entry.contents;
  ASSERT_EQ(ptx::read_kernel_resources(image).count("sum_of_tile"), 1u);
  Numbers numbers(3);
  int with_kernels = 0, without = 0;
  for (int i = 0; i < 3000; ++i)
    ++(ptx::read_kernel_resources(damaged_bytes(image, numbers)).empty() ? without : with_kernels);
  EXPECT_GT(with_kernels, 100);
  EXPECT_GT(without, 100);
}

}  // namespace
}  // namespace vgpu::fuzz
