// Sound files with many thousand small damages, the same in every run: a fuzzer's work in small, for every build.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/fuzz/hostile_files.h"
#include "datasets/random.h"

namespace lanewise::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> seeds_of(const std::string& kind) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(LANEWISE_DATASETS_FOLDER) / "fuzz" / "seeds" / kind))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());  // the order of a folder is anybody's
  std::vector<std::string> seeds;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return seeds;
}

// What stands in hostile files where something else should be.
const std::vector<std::string_view>& strange_words() {
  static const std::vector<std::string_view> kWords = {"",
                                                       "0",
                                                       "1",
                                                       "-1",
                                                       "2",
                                                       "+",
                                                       "-0",
                                                       "1e39",
                                                       "1e-400",
                                                       "nan",
                                                       "-inf",
                                                       "0x1p-3",
                                                       "1.5",
                                                       "2147483647",
                                                       "2147483648",
                                                       "4294967297",
                                                       "268435456",
                                                       "268435457",
                                                       "9223372036854775807",
                                                       "9223372036854775808",
                                                       "18446744073709551617",
                                                       "99999999999999999999999999999999",
                                                       "%",
                                                       "#",
                                                       "# Nodes: 3 Edges: 2",
                                                       "\n",
                                                       "\r\n",
                                                       "\t",
                                                       ",",
                                                       " , ",
                                                       "\\",
                                                       "'",
                                                       "(",
                                                       ")",
                                                       "(1,)",
                                                       "{",
                                                       "}",
                                                       "True",
                                                       "|O",
                                                       "<f2",
                                                       ">f8",
                                                       "symmetric",
                                                       "pattern",
                                                       "complex",
                                                       "array",
                                                       "hermitian",
                                                       "\xFF\xFE",
                                                       "\xEF\xBB\xBF"};
  return kWords;
}

struct Piece {
  std::size_t at;
  std::size_t bytes;
};

// A word, number or sign of the text; of bytes that are no text, just any few.
Piece piece_of(const std::string& text, Random& random) {
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::size_t at = random.below(text.size() + 1);
  std::size_t end = at;
  while (at > 0 && is_word(text[at - 1])) --at;
  while (end < text.size() && is_word(text[end])) ++end;
  if (at == end && end < text.size()) ++end;
  return {at, end - at};
}

std::string damaged(std::string text, const std::vector<std::string>& seeds, Random& random) {
  const Piece piece = piece_of(text, random);
  switch (random.below(8)) {
    case 0:
      return text.substr(0, piece.at);
    case 1:
      return text.replace(piece.at, piece.bytes, strange_words()[random.below(strange_words().size())]);
    case 2: {
      const std::string& other = seeds[random.below(seeds.size())];
      const Piece taken = piece_of(other, random);
      return text.replace(piece.at, piece.bytes, other, taken.at, taken.bytes);
    }
    case 3:
      return text.erase(piece.at, random.below(30));
    case 4:
      return text.insert(piece.at, text.substr(random.below(text.size() + 1), random.below(60)));
    case 5:
      if (!text.empty()) text[random.below(text.size())] = static_cast<char>(random.next());
      return text;
    case 6:  // a number that is one off
      if (piece.bytes > 0 && piece.at < text.size()) text[piece.at + piece.bytes - 1] ^= 1;
      return text;
    default:
      return text.insert(piece.at, 1, static_cast<char>(random.next()));
  }
}

// Both outcomes must be frequent, else this would test the first line of a reader alone.
void mutate(const std::string& kind, bool (*decode)(std::string_view), int rounds) {
  const std::vector<std::string> seeds = seeds_of(kind);
  ASSERT_FALSE(seeds.empty());
  for (const std::string& seed : seeds) EXPECT_TRUE(decode(seed)) << seed;
  Random random(7);
  int read = 0;
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string text = seeds[random.below(seeds.size())];
    do text = damaged(text, seeds, random);
    while (random.below(3) == 0 && text.size() < 4000);
    ++(decode(text) ? read : refused);
  }
  EXPECT_GT(read, rounds / 50);
  EXPECT_GT(refused, rounds / 50);
}

TEST(Mutations, OfMatrixMarketFilesAreReadOrRefusedInWords) { mutate("matrix", decode_as_matrix, 60000); }
TEST(Mutations, OfEdgeListsAreReadOrRefusedInWords) { mutate("graph", decode_as_graph, 60000); }
TEST(Mutations, OfArraysAreReadOrRefusedInWords) { mutate("array", decode_as_array, 60000); }
TEST(Mutations, OfPicturesAreReadOrRefusedInWords) { mutate("picture", decode_as_picture, 20000); }

}  // namespace
}  // namespace lanewise::fuzz
