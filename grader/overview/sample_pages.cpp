// Usage: overview_sample_pages FOLDER
// Writes overviews of made-up classes for the test that opens them in a browser.
#include <cstdio>
#include <filesystem>
#include <tuple>

#include "grader/exports/student_page.h"
#include "grader/overview/overview_page.h"
#include "grader/overview/pair_page.h"
#include "grader/overview/sample_class_test.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/read_file.h"

namespace {

namespace fs = std::filesystem;
using namespace lanewise;

constexpr std::uintmax_t kLargestSample = 1 << 20;

bool write_page(const fs::path& file, const std::string& page) {
  const auto failure = write_report(file, page);
  if (failure) std::fprintf(stderr, "%s\n", failure->sentence.c_str());
  return !failure;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: overview_sample_pages FOLDER\n", stderr);
    return 2;
  }
  const fs::path folder = arguments[1];
  const fs::path samples = LANEWISE_OVERVIEW_SAMPLES;
  const auto first = read_file(samples / "honest.cu", kLargestSample);
  const auto second = read_file(samples / "disguised.cu", kLargestSample);
  if (!first || !second) return 1;

  Similarity similarity;
  SimilarPair pair;
  pair.lab = "scan";
  pair.first = "alan";
  pair.second = "barbara";
  pair.first_percent = 99;
  pair.second_percent = 94;
  pair.runs = {{20, 33, 27, 40, 145}, {37, 39, 19, 21, 57}, {44, 59, 45, 60, 154}};
  similarity.pairs = {pair};
  // With the pair a clique of three, whose pages are the pair's, and one more who resembles only one of them.
  for (const auto& [one, other, percent] :
       {std::tuple{"alan", "edsger", 91.0}, {"barbara", "edsger", 88.0}, {"edsger", "donald", 71.0}}) {
    SimilarPair& more = similarity.pairs.emplace_back(pair);
    more.first = one;
    more.second = other;
    more.first_percent = more.second_percent = percent;
  }
  const bool is_written =
      write_page(folder / "small.html", overview_page(small_class(), similarity)) &&
      write_page(folder / "large.html", overview_page(large_class(500, 10), {})) &&
      write_page(folder / "hostile.html", overview_page(hostile_class(), {})) &&
      write_page(folder / "student.html", student_page(small_class(), small_class().students[4])) &&
      write_page(folder / "empty.html", overview_page(class_without_students(), {})) &&
      write_page(folder / pair_file(0),
                 pair_page(pair, {"Alan Turing", "alan", *first}, {"Barbara Liskov", "barbara", *second})) &&
      write_page(folder / "hostile_pair.html", pair_page(pair, {hostile_text(), "alan", hostile_text()},
                                                         {hostile_text(), "barbara", hostile_text() + *second}));
  return is_written ? 0 : 1;
}
