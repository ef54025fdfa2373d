// Pages say what was measured, what was not, which steps lose, and how far the model is off.
#include "grader/bench/bench_page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "grader/bench/model_page.h"

namespace lanewise {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
bool has_line(const std::string& text, const std::string& line) { return has("\n" + text, "\n" + line + "\n"); }

// Without the line breaks of paragraphs.
std::string flat(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

class BenchPage : public ::testing::Test {
 protected:
  BenchPage() {
    file_.name = "scan";
    file_.baseline = "1_naive.cu";
    file_.reference = "2_tree.cu";
    file_.cases.resize(2);
    file_.cases[0].name = "race";
    file_.cases[0].group = "race";
    file_.cases[1].name = "small";
    file_.cases[1].group = "check";
    file_.scaling = {"race", {"n"}, {4096, 65536}};
    file_.ladder.case_name = "small";
    for (const char* name : {"1_naive.cu", "2_tree.cu", "3_fast.cu"}) add_step(name, false);
    add_step("library_cub.cu", true);
    race_.name = "scan";
    race_.gpu = "NVIDIA H200";
    race_.driver = "580.1";
    race_.cuda = "13.0";
    race_.cccl = "3.0.1";
    race_.sm_clock = 1980;
    race_.date = "2026-11-22";
    race_.times = {time("1_naive.cu", 8), time("2_tree.cu", 2), time("3_fast.cu", 1), time("library_cub.cu", 0.8)};
    roofs_ = {{"NVIDIA H200", "580.1", "13.0", "2026-11-22", 4.5e12, 4e12, 4.1e12, 60e12}};
  }

  void add_step(const std::string& name, bool is_peer) {
    steps_.push_back({name, "scan/" + name, "hash of " + name, is_peer});
  }

  static MeasuredTime time(const std::string& step, double milliseconds) {
    MeasuredTime one{step, "race", milliseconds, 15, 2e9, 0, true, "hash of " + step};
    one.low = milliseconds * 0.99;
    one.high = milliseconds * 1.01;
    one.written = one.bytes / 2;
    return one;
  }

  GeneratedPage page() const {
    return bench_page({{"scan", "Prefix sum", &file_, steps_, &race_, scaling_.times.empty() ? nullptr : &scaling_}},
                      roofs_);
  }

  TaskFile file_;
  std::vector<PageStep> steps_;
  MeasuredTask race_;
  MeasuredTask scaling_;
  std::vector<MeasuredRoofs> roofs_;
};

TEST_F(BenchPage, HasARowForEachStep) {
  const GeneratedPage made = page();
  EXPECT_TRUE(has_line(made.markdown,
                       "| [`1_naive.cu`](scan/1_naive.cu) | baseline | 8.00 ± 0.08 ms | 250 GB/s | 1.00 × | 0.10 × | "
                       "6.2 % |"))
      << made.markdown;
  EXPECT_TRUE(has_line(made.markdown,
                       "| [`3_fast.cu`](scan/3_fast.cu) |  | 1.00 ± 0.01 ms | 2,000 GB/s | 8.00 × | 0.80 × | 50 % |"))
      << made.markdown;
  EXPECT_TRUE(has_line(made.markdown,
                       "| [`library_cub.cu`](scan/library_cub.cu) | peer | 0.800 ± 0.008 ms | 2,500 GB/s | 10.0 × | "
                       "1.00 × | 62 % |"))
      << made.markdown;
  EXPECT_TRUE(has_line(
      made.markdown, "| [scan](#scan-prefix-sum) | `3_fast.cu` | race | 1.00 ± 0.01 ms | 8.00 × | 0.80 × | 50 % | – |"))
      << made.markdown;
  EXPECT_TRUE(has_line(made.markdown, "## scan (Prefix sum)")) << made.markdown;
  EXPECT_TRUE(has(made.markdown, "NVIDIA H200, driver 580.1, CUDA 13.0, CCCL 3.0.1, SMs at 1980 MHz, 2026-11-22."));
  EXPECT_TRUE(has_line(made.markdown,
                       "| NVIDIA H200 | driver 580.1, CUDA 13.0, 2026-11-22 | 4,500 GB/s | 4,000 GB/s | "
                       "4,100 GB/s | 60.0 TFLOP/s |"))
      << made.markdown;
  ASSERT_EQ(made.figures.size(), 1U);
  EXPECT_EQ(made.figures[0].name, "figures/scan_race.svg");
  EXPECT_TRUE(has(made.markdown, "](figures/scan_race.svg)"));
  EXPECT_TRUE(has(made.figures[0].svg, ">roof: memory<"));
}

TEST_F(BenchPage, StepsThatLoseAreNamedDeclaredOrNot) {
  EXPECT_TRUE(has(flat(page().markdown), "every step is at least as fast as the previous one.")) << page().markdown;
  race_.times[1].milliseconds = 10;
  EXPECT_TRUE(
      has(flat(page().markdown), "except for `2_tree.cu` (0.80 ×), which `lab.toml` does not declare as a loss."))
      << page().markdown;
  file_.ladder.losses = {"2_tree.cu"};
  EXPECT_TRUE(has(flat(page().markdown), "except for the declared loss `2_tree.cu` (0.80 ×).")) << page().markdown;
  race_.times[2].milliseconds = 20;
  EXPECT_TRUE(has(flat(page().markdown), "loss `2_tree.cu` (0.80 ×), and for `3_fast.cu` (0.50 ×), which"))
      << page().markdown;
  race_.times[1].milliseconds = 8.01;
  race_.times[2].milliseconds = 8;
  EXPECT_TRUE(has(flat(page().markdown), "every step is at least")) << "a thousandth is no loss\n" << page().markdown;
}

TEST_F(BenchPage, BeingBehindAPeerIsExplained) {
  file_.ladder.note = "It hides more.";
  EXPECT_TRUE(has(page().markdown,
                  "Behind its peer: `3_fast.cu` reaches 0.80 of the rate of `library_cub.cu` (race). It hides more."))
      << page().markdown;
  race_.times[2].milliseconds = 0.7;
  EXPECT_FALSE(has(page().markdown, "Behind its peer")) << page().markdown;
}

TEST_F(BenchPage, WhatIsNotMeasuredIsSaid) {
  race_.times.pop_back();
  race_.times.erase(race_.times.begin());
  race_.times[0].source = "hash of another";
  race_.times[1].right = false;
  roofs_.clear();
  const std::string text = page().markdown;
  EXPECT_TRUE(has(text, "| [`1_naive.cu`](scan/1_naive.cu) | baseline, not measured | – | – | – | – | – |")) << text;
  EXPECT_TRUE(has(text, "| reference, earlier version | 2.00 ± 0.02 ms | 1,000 GB/s | – | – | – |")) << text;
  EXPECT_TRUE(has(text, "| different result |")) << text;
  EXPECT_FALSE(has(text, "## Roofs")) << text;
  const GeneratedPage none = bench_page({{"scan", "Prefix sum", &file_, steps_, nullptr, nullptr}}, {});
  EXPECT_TRUE(has_line(none.markdown, "Not measured yet.")) << none.markdown;
  EXPECT_TRUE(none.figures.empty());
}

// 0.25 · 10⁹ numbers of 8 bytes, at 4 · 10¹² bytes and 30 · 10¹² instructions a second.
TEST_F(BenchPage, TheFloorIsWhateverTakesLonger) {
  file_.floor = {"number", 8, 12, 60, "Each is read twice."};
  std::string text = page().markdown;
  EXPECT_TRUE(has_line(text,
                       "| [`3_fast.cu`](scan/3_fast.cu) |  | 1.00 ± 0.01 ms | 2,000 GB/s | 8.00 × | 0.80 × | 50 % | "
                       "75 % |"))
      << text;
  EXPECT_TRUE(has(flat(text),
                  "Floor, for each number: 12 bytes moved, or 60 instructions executed (of which all lanes together "
                  "start 30.0 · 10¹² a second), whichever takes longer. Each is read twice."))
      << text;
  file_.floor.instructions = 108;
  text = page().markdown;
  EXPECT_TRUE(has_line(text,
                       "| [scan](#scan-prefix-sum) | `3_fast.cu` | race | 1.00 ± 0.01 ms | 8.00 × | 0.80 × | "
                       "50 % | 90 % |"))
      << text;
}

TEST_F(BenchPage, SizesAtWhichTheLibraryIsFarAheadAreNamed) {
  scaling_ = race_;
  scaling_.group = kScalingTimes;
  scaling_.times.clear();
  const auto add = [this](const char* step, double size, double milliseconds) {
    scaling_.times.push_back(time(step, milliseconds));
    scaling_.times.back().size = size;
  };
  add("3_fast.cu", 65536, 1), add("library_cub.cu", 65536, 0.95);
  add("3_fast.cu", 1048576, 2), add("library_cub.cu", 1048576, 3);
  EXPECT_TRUE(has(flat(page().markdown),
                  "At every size measured, `3_fast.cu` reaches at least 0.95 of the library's rate (at n = 65,536)."))
      << page().markdown;
  scaling_.times[1].milliseconds = 0.85;
  EXPECT_TRUE(has(flat(page().markdown),
                  "`3_fast.cu` reaches less than 0.9 of the library's rate at some sizes: 0.85 at n = 65,536."))
      << page().markdown;
}

TEST_F(BenchPage, SizesHaveAFigureOnceMeasured) {
  scaling_ = race_;
  scaling_.group = kScalingTimes;
  scaling_.times.clear();
  for (const char* step : {"2_tree.cu", "3_fast.cu", "library_cub.cu"}) {
    for (const double size : {4096.0, 65536.0}) {
      scaling_.times.push_back(time(step, size / 1e6));
      scaling_.times.back().size = size;
    }
  }
  const GeneratedPage made = page();
  ASSERT_EQ(made.figures.size(), 2U);
  EXPECT_EQ(made.figures[1].name, "figures/scan_sizes.svg");
  for (const char* part : {">3_fast.cu<", ">2_tree.cu<", ">library_cub.cu<", ">2¹²<", ">2¹⁶<"})
    EXPECT_TRUE(has(made.figures[1].svg, part)) << part;
}

class ModelPage : public BenchPage {
 protected:
  ModelPage() {
    check_ = race_;
    check_.group = kCheckTimes;
    check_.times = {time("1_naive.cu", 0.040), time("2_tree.cu", 0.020), time("3_fast.cu", 0.010),
                    time("library_cub.cu", 0.009)};
    for (MeasuredTime& each : check_.times) each.case_name = "small";
    modelled_ = {"scan",
                 "small",
                 "h200",
                 "13.0.88",
                 {{"1_naive.cu", 44000, 44000, "memory", 0, {}},
                  {"2_tree.cu", 9000, 9000, "launches", 0, {}},
                  {"3_fast.cu", 10000, 10000, "", 0, {}}},
                 "small"};
  }

  GeneratedPage page() const { return model_page({{"scan", &file_, steps_, &check_, &modelled_, order_}}); }

  MeasuredTask check_;
  ModelledTask modelled_;
  LadderOrder order_;
};

TEST_F(ModelPage, ComparesWhatIsBothModelledAndMeasured) {
  const GeneratedPage made = page();
  EXPECT_TRUE(has_line(made.markdown, "| `1_naive.cu` | memory | 44.0 µs | 40.0 ± 0.4 µs | 1.10 |")) << made.markdown;
  EXPECT_TRUE(has_line(made.markdown, "| `2_tree.cu` | launches | 9.0 µs | 20.0 ± 0.2 µs | 0.45 |")) << made.markdown;
  EXPECT_FALSE(has(made.markdown, "library_cub.cu")) << "it was not modelled\n" << made.markdown;
  EXPECT_TRUE(has(made.markdown,
                  "Over 3 pairs, the median ratio of modelled to measured time is 1.00; 67 % are within a factor "
                  "of 1.5, 67 %"))
      << made.markdown;
  EXPECT_TRUE(has(made.markdown, "Farthest off: `2_tree.cu` of scan (0.45).")) << made.markdown;
  EXPECT_TRUE(has_line(made.markdown, "| scan | 3 | 0.50 | – | 1.00 |")) << made.markdown;
  ASSERT_EQ(made.figures.size(), 1U);
  EXPECT_EQ(made.figures[0].name, "figures/model.svg");
}

TEST_F(ModelPage, ShowsWhatEachStepEarns) {
  file_.points.fast = 15;
  file_.speed.modelled_case = "small";
  file_.speed.race_case = "race";
  order_.steps = {
      {"1_naive.cu", 44000, 0, 1.5, false}, {"2_tree.cu", 9000, 12.25, 2.5, true}, {"3_fast.cu", 0, 0, 0, false}};
  order_.correlation = 0.95;
  const GeneratedPage made = page();
  EXPECT_TRUE(has_line(made.markdown, "| step | modelled | points | measured, `race` |")) << made.markdown;
  EXPECT_TRUE(has_line(made.markdown, "| `1_naive.cu` | 44.0 µs | 0.0 | 1.50 ms |")) << made.markdown;
  EXPECT_TRUE(has_line(made.markdown, "| `2_tree.cu` (a loss) | 9.0 µs | 12.2 | 2.50 ms |")) << made.markdown;
  EXPECT_TRUE(has_line(made.markdown, "| `3_fast.cu` | – | – | – |")) << made.markdown;
  EXPECT_TRUE(has_line(made.markdown, "| scan | 3 | 0.50 | 0.95 | 1.00 |")) << made.markdown;
}

TEST_F(ModelPage, ModelledTimesFarFromMeasuredOnesAreSaid) {
  const auto sentence = [this] { return disagreement({{"scan", &file_, steps_, &check_, &modelled_, order_}}); };
  EXPECT_EQ(sentence(), "only 67 % of the modelled times are within a factor of 2 of the measured ones, 90 % must be");
  modelled_.steps[1].nanoseconds = 11000;
  EXPECT_EQ(sentence(), "");
  modelled_.steps.clear();
  EXPECT_EQ(sentence(), "") << "nothing is modelled";
}

TEST_F(ModelPage, SaysWhenThereIsNothingToCompare) {
  modelled_.case_name = "another";
  const GeneratedPage made = page();
  EXPECT_TRUE(has(made.markdown, "No step is both modelled and measured yet")) << made.markdown;
  EXPECT_TRUE(made.figures.empty());
}

TEST(Agreement, CountsBothSidesOfTheFactor) {
  const ModelAgreement agreement = agreement_of({1, 0.55, 1.45, 2.5});
  EXPECT_EQ(agreement.pairs, 4U);
  EXPECT_DOUBLE_EQ(agreement.median_ratio, 1.225);
  EXPECT_DOUBLE_EQ(agreement.within_half, 0.5);
  EXPECT_DOUBLE_EQ(agreement.within_two, 0.75);
  EXPECT_EQ(agreement_of({}).pairs, 0U);
}

}  // namespace
}  // namespace lanewise
