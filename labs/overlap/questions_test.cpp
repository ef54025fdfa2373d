// The key to the questions of the lab overlap, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace lanewise::overlap_test {
namespace {

double numeric_answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "overlap/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0;
  }
  return std::get<double>(key->at(id));
}

// How long pieces take if each goes through three engines, one after another, and streams take turns.
double microseconds(int pieces, int streams, double of_piece) {
  std::array<double, 3> engine_free{};
  std::vector<double> stream_free(streams);
  for (int piece = 0; piece < pieces; ++piece)
    for (double& free : engine_free) {
      double& now = stream_free[piece % streams];
      now = free = std::max(now, free) + of_piece;
    }
  return engine_free[2];
}

TEST(OverlapQuestions, PiecesInThreeStreams) {
  EXPECT_DOUBLE_EQ(numeric_answer("pieces_in_three_streams"), microseconds(10, 3, 30));
}

TEST(OverlapQuestions, PiecesInTwoStreams) {
  EXPECT_DOUBLE_EQ(numeric_answer("pieces_in_two_streams"), microseconds(10, 2, 30));
}

// The kernel of a piece is shorter than its copies by the 8 microseconds, and hidden behind the next one's.
TEST(OverlapQuestions, BestNumberOfPieces) {
  const auto all = [](int pieces) {
    std::array<double, 3> engine_free{};
    const double whole = 400.0 / pieces;
    for (int piece = 0; piece < pieces; ++piece) {
      engine_free[0] += whole + 8;
      engine_free[1] = std::max(engine_free[0], engine_free[1]) + whole;
      engine_free[2] = std::max(engine_free[1], engine_free[2]) + whole + 8;
    }
    return engine_free[2];
  };
  int best = 1;
  for (int pieces = 2; pieces < 100; ++pieces)
    if (all(pieces) < all(best)) best = pieces;
  EXPECT_EQ(numeric_answer("best_number_of_pieces"), best);
}

TEST(OverlapQuestions, BytesOfMappedMemory) {
  EXPECT_EQ(numeric_answer("bytes_of_mapped_memory"), 3.0 * 1'000'000 * sizeof(float));
}

TEST(OverlapQuestions, RequestsWithAGraph) {
  int requests = 0;
  for (int done = 0; done < 1000; done += 40) ++requests;
  EXPECT_EQ(numeric_answer("requests_with_a_graph"), requests);
}

TEST(OverlapQuestions, WhoIsSlower) { EXPECT_EQ(numeric_answer("who_is_slower"), 1000 * std::max(2.5, 2.0)); }

}  // namespace
}  // namespace lanewise::overlap_test
