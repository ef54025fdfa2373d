// The key to the questions of the lab transpose, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace lanewise::transpose_test {
namespace {

std::variant<double, std::string> answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "transpose/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0.0;
  }
  return key->at(id);
}

double number(const std::string& id) { return std::get<double>(answer(id)); }

// Sectors that 32 lanes touch with one float each.
std::size_t sectors(int first, int stride) {
  std::set<int> touched;
  for (int lane = 0; lane < 32; ++lane) touched.insert((first + lane * stride) * static_cast<int>(sizeof(float)) / 32);
  return touched.size();
}

// In how many turns `lanes` lanes get `words` words each, when their elements are `stride` words apart.
int turns(int lanes, int stride, int words = 1) {
  std::vector<int> of_bank(32);
  for (int lane = 0; lane < lanes; ++lane)
    for (int word = 0; word < words; ++word) ++of_bank[static_cast<std::size_t>((lane * stride + word) % 32)];
  return *std::max_element(of_bank.begin(), of_bank.end());
}

TEST(TransposeQuestions, WhereItGoes) { EXPECT_EQ(number("where_it_goes"), 11 * 300 + 7); }

TEST(TransposeQuestions, SectorsOfAStride) { EXPECT_EQ(number("sectors_of_a_stride"), sectors(0, 3)); }

TEST(TransposeQuestions, SectorsOfAnOffset) { EXPECT_EQ(number("sectors_of_an_offset"), sectors(5, 1)); }

TEST(TransposeQuestions, BytesWrittenInVain) {
  EXPECT_EQ(number("bytes_written_in_vain"), 32.0 * 32 / (32 * sizeof(float)));
}

TEST(TransposeQuestions, TurnsOfAColumn) {
  EXPECT_EQ(turns(32, 32), 32);
  EXPECT_EQ(turns(32, 33), 1);
  EXPECT_EQ(number("turns_of_a_column"), turns(32, 34));
}

TEST(TransposeQuestions, BankOfAnElement) { EXPECT_EQ(number("bank_of_an_element"), (13 * 32 + (13 ^ 6)) % 32); }

TEST(TransposeQuestions, Doubles) {
  EXPECT_EQ(turns(16, 2 * 32, 2), 16);
  EXPECT_EQ(turns(16, 2 * 33, 2), 1);
  EXPECT_EQ(turns(16, 2 * 34, 2), 2);
  EXPECT_EQ(std::get<std::string>(answer("doubles")), "b");
}

// Lanes differ in threadIdx.x: to fill sectors, it counts columns; the block's place is mirrored.
TEST(TransposeQuestions, WhereTheIndicesSwap) {
  EXPECT_EQ(std::get<std::string>(answer("where_the_indices_swap")), "c");
}

TEST(TransposeQuestions, FloorOfATranspose) {
  EXPECT_NEAR(number("floor_of_a_transpose"), 8 * 6000.0 * 10000 / 2.5e12 * 1e3, 0.001);
}

}  // namespace
}  // namespace lanewise::transpose_test
