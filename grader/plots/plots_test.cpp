// Figures are well-formed XML that shows what it was given; axes have round marks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "grader/plots/axis.h"
#include "grader/plots/ladder_bars.h"
#include "grader/plots/model_scatter.h"
#include "grader/plots/scaling_lines.h"
#include "grader/plots/svg.h"

namespace lanewise {
namespace {

// What is wrong with `xml`, as far as we write XML: tags nest, attributes are quoted, signs are escaped.
std::string mistake_in(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t at = 0;
  while (at < xml.size()) {
    const std::size_t begin = xml.find('<', at);
    const std::string words = xml.substr(at, begin == std::string::npos ? begin : begin - at);
    if (words.find('>') != std::string::npos) return "a '>' in words: " + words;
    for (std::size_t amp = words.find('&'); amp != std::string::npos; amp = words.find('&', amp + 1))
      if (words.find(';', amp) == std::string::npos) return "a bare '&': " + words;
    if (begin == std::string::npos) break;
    const std::size_t end = xml.find('>', begin);
    if (end == std::string::npos) return "a tag without an end";
    const std::string tag = xml.substr(begin + 1, end - begin - 1);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "an attribute without its end: " + tag;
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "ends what is not open: " + tag;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end + 1;
  }
  return open.empty() ? "" : "is never closed: " + open.back();
}

bool has_part(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

LadderBars scan_bars() {
  return {"scan <race> & \"more\"",
          "GB/s",
          {{"1_naive.cu", 958, "2.24 ms · 958 GB/s", false}, {"library_cub.cu", 3054, "0.703 ms", true}},
          4298,
          "copy"};
}

TEST(Plots, BarsAreWellFormedAndNameTheirSteps) {
  const std::string svg = ladder_bars_svg(scan_bars());
  EXPECT_EQ(mistake_in(svg), "");
  for (const char* part : {"scan &lt;race&gt; &amp; &quot;more&quot;", ">1_naive.cu<", ">2.24 ms · 958 GB/s<",
                           ">roof: copy<", ">peer<", "prefers-color-scheme: dark", "role=\"img\"", "<desc"})
    EXPECT_TRUE(has_part(svg, part)) << part << "\n" << svg;
  EXPECT_FALSE(has_part(svg, "logarithmic"));
}

TEST(Plots, BarsOfVeryDifferentRatesAreLogarithmic) {
  LadderBars figure = scan_bars();
  figure.bars[0].rate = 32;
  EXPECT_TRUE(has_part(ladder_bars_svg(figure), "GB/s, logarithmic"));
}

TEST(Plots, WithoutPeerAndRoofThereAreNoSuchLines) {
  LadderBars figure = scan_bars();
  figure.bars.pop_back();
  figure.roof = 0;
  const std::string svg = ladder_bars_svg(figure);
  EXPECT_EQ(mistake_in(svg), "");
  EXPECT_FALSE(has_part(svg, ">peer<"));
  EXPECT_FALSE(has_part(svg, "roof:"));
}

TEST(Plots, LinesAreWellFormedAndNameTheirEnds) {
  const ScalingLines figure{"scan · throughput against size",
                            "n",
                            "GB/s",
                            {{"7_look_back.cu", "own", {{4096, 2}, {1 << 20, 900}, {1 << 28, 2926}}},
                             {"library_cub.cu", "peer", {{4096, 1.5}, {1 << 20, 1000}, {1 << 28, 3054}}}},
                            4298,
                            "copy"};
  const std::string svg = scaling_lines_svg(figure);
  EXPECT_EQ(mistake_in(svg), "");
  for (const char* part : {">2¹²<", ">2²⁸<", ">7_look_back.cu<", ">library_cub.cu<", ">roof: copy<", ">n<"})
    EXPECT_TRUE(has_part(svg, part)) << part << "\n" << svg;
  EXPECT_EQ(mistake_in(scaling_lines_svg({"nothing", "n", "GB/s", {}, 0, ""})), "");
}

TEST(Plots, TheScatterNamesDotsThatAreFarOut) {
  const std::string svg =
      model_scatter_svg("Modelled against measured", {{"scan · 1.cu", 10, 11, false}, {"scan · 2.cu", 40, 90, true}});
  EXPECT_EQ(mistake_in(svg), "");
  EXPECT_TRUE(has_part(svg, ">scan · 2.cu<")) << svg;
  EXPECT_FALSE(has_part(svg, ">scan · 1.cu<")) << svg;
  EXPECT_TRUE(has_part(svg, "<title>scan · 1.cu: modelled 11.0 µs, measured 10.0 µs</title>")) << svg;
  EXPECT_EQ(mistake_in(model_scatter_svg("none", {})), "");
}

TEST(Plots, NamesOfDotsAtOnePlaceAreOnLinesOfTheirOwn) {
  std::vector<ScatterDot> dots(5, {"scan · 1.cu", 10, 100, false});
  const std::string svg = model_scatter_svg("Modelled against measured", dots);
  std::set<std::string> heights;
  for (std::size_t at = svg.find("scan · 1.cu</text>"); at != std::string::npos;
       at = svg.find("scan · 1.cu</text>", at + 1)) {
    const std::size_t y = svg.rfind(" y=\"", at);
    heights.insert(svg.substr(y, svg.find(' ', y + 1) - y));
  }
  EXPECT_EQ(heights.size(), dots.size()) << svg;
}

TEST(Plots, LinearAxesBeginAtZeroAndHaveRoundMarks) {
  const Axis axis = Axis::linear(4298, 100, 500);
  EXPECT_EQ(axis.ticks(), (std::vector<double>{0, 1000, 2000, 3000, 4000, 5000}));
  EXPECT_DOUBLE_EQ(axis.at(0), 100);
  EXPECT_DOUBLE_EQ(axis.at(5000), 500);
}

TEST(Plots, LogarithmicAxesHoldWhatTheyAreFor) {
  const Axis axis = Axis::logarithmic(32, 4298, 0, 100);
  EXPECT_LE(axis.ticks().front(), 32);
  EXPECT_GE(axis.ticks().back(), 4298);
  EXPECT_DOUBLE_EQ(axis.at(axis.ticks().front()), 0);
  EXPECT_NEAR(axis.at(axis.ticks().back()), 100, 1e-9);
  const Axis of_decades = Axis::logarithmic(3, 7e5, 0, 100);
  for (const double tick : of_decades.ticks())
    EXPECT_DOUBLE_EQ(std::log10(tick), std::round(std::log10(tick))) << "of many decades only powers are marked";
  EXPECT_GT(Axis::logarithmic(5, 5, 0, 100).ticks().size(), 1U);
}

TEST(Plots, SizesThatArePowersOfTwoReadAsSuch) {
  EXPECT_EQ(size_text(268435456), "2²⁸");
  EXPECT_EQ(size_text(512), "512");
  EXPECT_EQ(size_text(3000), "3,000");
}

}  // namespace
}  // namespace lanewise
