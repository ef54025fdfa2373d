// The few lines for the terminal.
#include "harness/vgpu/report/text_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/vgpu/report/testing/sample_documents.h"
#include "harness/vgpu/report/wording.h"

namespace vgpu::report {
namespace {

std::string summary(const nlohmann::json& json, const SummaryStyle& style = {}) {
  return text_summary(std::get<Document>(parse_document(json.dump())), style);
}

nlohmann::json all_samples() {
  nlohmann::json json = flood_document("flood.cu", 50);
  json["kernels"][0]["timeline"] = nullptr;
  for (const auto& other : {transpose_document("a.cu"), matmul_document("b.cu"), sum_document("c.cu")})
    json["kernels"].push_back(other["kernels"][0]);
  return json;
}

TEST(TextSummary, SaysWhichLineWhatAndWhatHelps) {
  EXPECT_EQ(summary(transpose_document("/home/somebody/transpose.cu")), R"(
lanewise: what costs most in transpose, 1 launch of 32 × 128 blocks of 32 × 8 threads
  modelled on NVIDIA H200: 14.8 µs, bound by L2 cache
  ▲ transpose.cu:6  32 sectors per request, where 4 would do: neighbouring threads write addresses
    4,096 bytes apart
      Let threadIdx.x run along a row, so that neighbouring threads write neighbouring elements:
      a[row * width + threadIdx.x]. If another line then has the same problem (a transpose), use a
      tile in shared memory.
)");
}

TEST(TextSummary, SaysWhereTheRestOfTheTimeWent) {
  SummaryStyle wide;
  wide.width = 200;
  const std::string text = summary(streams_document("/home/somebody/transpose.cu"), wide);
  EXPECT_NE(text.find("270 µs, 14.8 µs of it in transpose"), std::string::npos) << text;
  EXPECT_NE(
      text.find("  where it went: 14.8 µs in kernels + 52.6 µs in copies + 95.0 µs allocating and freeing memory + "
                "5.00 µs in requests by the host + 103 µs idle\n"
                "  hidden behind these: 7.41 µs of copies, 5.00 µs of requests by the host\n"),
      std::string::npos)
      << text;
}

TEST(TextSummary, RoundingHidesNothing) {
  nlohmann::json json = streams_document("a.cu");
  auto& modelled = json["modelled"];
  modelled["launching"] = modelled["shares"]["requesting"];
  modelled["copies_in"] = modelled["shares"]["copies"].get<std::uint64_t>() + 2;
  modelled["copies_within"] = modelled["copies_out"] = 0;
  EXPECT_EQ(summary(json).find("hidden"), std::string::npos) << summary(json);
  modelled["copies_in"] = modelled["shares"]["copies"].get<std::uint64_t>() + 10;
  EXPECT_NE(summary(json).find("\n  hidden behind these: 10 ns of copies\n"), std::string::npos) << summary(json);
}

TEST(TextSummary, CopiesWithoutAKernelAreTimedToo) {
  nlohmann::json json = streams_document("a.cu");
  json["kernels"] = nlohmann::json::array();
  const std::string libraries = summary(json);
  EXPECT_EQ(libraries.find("\nlanewise: none of the program's own kernels ran\n"), 0u) << libraries;
  json["modelled"]["kernels"] = json["modelled"]["shares"]["kernels"] = 0;
  const std::string text = summary(json);
  EXPECT_EQ(text.find("\nlanewise: no kernel ran\n  modelled on NVIDIA H200: 270 µs\n  where it went: "), 0u) << text;
}

TEST(TextSummary, CountsHaveSeparators) {
  nlohmann::json json = transpose_document("a.cu");
  for (int more = 1; more < 1200; ++more) json["kernels"].push_back(json["kernels"][0]);
  EXPECT_NE(summary(json).find("what costs most in 1,200 kernels, 1,200 launches\n"), std::string::npos)
      << summary(json);
}

TEST(TextSummary, StaysShortUnlessDetailsAreAskedFor) {
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_LE(lines(summary(all_samples())), 14);
  SummaryStyle details;
  details.details = true;
  EXPECT_GT(lines(summary(all_samples(), details)), 40);
}

TEST(TextSummary, PraisesNothingWhereSomethingIsWrong) {
  nlohmann::json json = transpose_document("a.cu");
  json["kernels"][0]["lines"] = nlohmann::json::array();
  json["kernels"][0]["totals"] = {{"executions", 1000}, {"thread_executions", 32000}};
  EXPECT_NE(summary(json).find("nothing stands out"), std::string::npos) << summary(json);
  json["findings"].push_back(flood_document("a.cu", 50)["findings"][0]);
  EXPECT_EQ(summary(json).find("nothing stands out"), std::string::npos) << summary(json);
}

TEST(TextSummary, KeepsToTheTerminalsWidth) {
  for (const std::size_t width : {60, 80, 120}) {
    SummaryStyle style;
    style.width = width;
    style.utf8 = false;  // one byte a column
    std::istringstream lines(summary(all_samples(), style));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
}

TEST(TextSummary, IsAsciiAndWithoutColourWhereThatIsWanted) {
  SummaryStyle style;
  style.utf8 = false;
  const std::string plain = summary(all_samples(), style);
  EXPECT_TRUE(std::all_of(plain.begin(), plain.end(), [](char c) { return c == '\n' || (c >= ' ' && c < 0x7F); }));
  style.colour = true;
  EXPECT_NE(summary(all_samples(), style).find("\x1b[1m"), std::string::npos);
}

TEST(TextSummary, NamesFromTheProgramDoNothingToTheTerminal) {
  const std::string text = summary(hostile_document("/tmp/hostile\x1b]0;.cu"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_EQ(text.find("\xe2\x80\xa8"), std::string::npos) << text;
}

TEST(TextSummary, NothingIsSaidWhereNothingWasCounted) { EXPECT_EQ(summary(empty_document()), ""); }

TEST(Wording, NumbersReadWell) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(rounded(17.46), "17.5");
  EXPECT_EQ(rounded(31.98), "32");
  EXPECT_EQ(rounded(1234.5), "1,235");
  EXPECT_EQ(bytes_text(512), "512 bytes");
  EXPECT_EQ(bytes_text(33554432), "33.6 MB");
  EXPECT_EQ(bytes_text(999999), "1.00 MB");
  EXPECT_EQ(bytes_text(2.5e15), "2,500 TB");
  EXPECT_EQ(time_text(840), "840 ns");
  EXPECT_EQ(time_text(999'600), "1.00 ms");
  EXPECT_EQ(time_text(2'500'000'000), "2.50 s");
  EXPECT_EQ(time_text(1'234'000'000'000), "1,234 s");
  EXPECT_EQ(percent_text(0.004), "less than 1 %");
  EXPECT_EQ(percent_text(0.777), "78 %");
}

TEST(Wording, KernelsAreCalledByTheirNamesAlone) {
  EXPECT_EQ(short_kernel_name("matmul(float const*, int)"), "matmul");
  EXPECT_EQ(short_kernel_name("(anonymous namespace)::scan<int (*)(int)>(int*)"), "scan<int (*)(int)>");
  EXPECT_EQ(short_kernel_name(
                "void cub::detail::radix_sort::DeviceRadixSortKernel<cub::Policy<(cub::Order)0, int>, int>(int)"),
            "DeviceRadixSortKernel<…>");
  EXPECT_EQ(short_kernel_name("void tiles<16>(int)"), "tiles<16>");
  EXPECT_EQ(short_kernel_name(std::string(200, 'k') + "(int)"), std::string(60, 'k') + "…");
}

}  // namespace
}  // namespace vgpu::report
