// A document that is not what it should be is refused with a sentence that says what is wrong.
#include "harness/vgpu/report/document.h"

#include <gtest/gtest.h>

#include "harness/vgpu/report/testing/sample_documents.h"

namespace vgpu::report {
namespace {

std::string problem_of(const std::string& json) {
  const auto read = parse_document(json);
  const auto* const problem = std::get_if<std::string>(&read);
  return problem != nullptr ? *problem : "";
}

Document parsed(const nlohmann::json& json) { return std::get<Document>(parse_document(json.dump())); }

TEST(ReportDocument, HoldsWhatWasCounted) {
  const Document document = parsed(transpose_document("/tmp/transpose.cu"));
  ASSERT_EQ(document.kernels.size(), 1u);
  const KernelReport& kernel = document.kernels[0];
  EXPECT_EQ(document.device.name, "NVIDIA H200");
  EXPECT_EQ(document.device.l2_bytes_per_second, std::nullopt);
  EXPECT_EQ(document.nanoseconds, 14820u);
  EXPECT_EQ(kernel.block.count(), 256u);
  ASSERT_EQ(kernel.lines.size(), 5u);
  EXPECT_EQ(kernel.lines[3].line, 6u);
  EXPECT_EQ(kernel.lines[3].counters.global_store_sectors, 1048576u);
  EXPECT_EQ(kernel.lines[3].counters.shared_load_requests, 0u) << "counters that are left out are 0";
  ASSERT_EQ(kernel.patterns.size(), 2u);
  EXPECT_EQ(*kernel.patterns[1].addresses[2] - *kernel.patterns[1].addresses[1], 4096u);
  ASSERT_TRUE(kernel.timeline);
  EXPECT_EQ(kernel.timeline->warps[7].spans[0].end, 18u);
}

TEST(ReportDocument, LanesThatTakeNoPartHaveNoAddress) {
  nlohmann::json json = transpose_document("/tmp/transpose.cu");
  json["kernels"][0]["patterns"] = nlohmann::json::array(
      {pattern("a.cu", 1, "global", "load", 4, [](int lane) { return lane % 2 == 0 ? lane * 4 : -1; })});
  const Document document = parsed(json);
  EXPECT_TRUE(document.kernels[0].patterns[0].addresses[0]);
  EXPECT_FALSE(document.kernels[0].patterns[0].addresses[1]);
}

TEST(ReportDocument, FindingsAloneAreEnough) {
  nlohmann::json json = empty_document();
  json.erase("kernels");
  json["findings"].push_back({{"tool", "memcheck"}, {"kind", "leak"}, {"count", 2}});
  const Document document = parsed(json);
  ASSERT_EQ(document.findings.size(), 1u);
  EXPECT_EQ(document.findings[0].count, 2u);
  EXPECT_TRUE(document.kernels.empty());
}

TEST(ReportDocument, NotesAreNoFindings) {
  nlohmann::json json = empty_document();
  json["notes"].push_back({{"tool", "memcheck"}, {"kind", "leak"}, {"file", "a.cu"}, {"line", 3}, {"sentence", "so"}});
  const Document document = parsed(json);
  EXPECT_TRUE(document.findings.empty());
  ASSERT_EQ(document.notes.size(), 1u);
  EXPECT_EQ(document.notes[0].line, 3u);
  EXPECT_EQ(document.notes[0].sentence, "so");
}

TEST(ReportDocument, AProgramWithoutADeviceHasNone) {
  nlohmann::json json = empty_document();
  json["device"] = nullptr;
  EXPECT_EQ(parsed(json).device.name, "");
}

TEST(ReportDocument, KeysOfTheFutureArePassedOver) {
  nlohmann::json json = transpose_document("/tmp/transpose.cu");
  json["more"] = {1, 2, 3};
  json["kernels"][0]["totals"]["more"] = "text";
  EXPECT_EQ(problem_of(json.dump()), "");
}

TEST(ReportDocument, WhatIsCountedOnceAddsUpToTheWhole) {
  const Document document = parsed(streams_document("/tmp/transpose.cu"));
  const TimeShares& shares = document.shares.value();
  EXPECT_EQ(shares.copies.busy, 60000U);
  EXPECT_EQ(shares.kernels.alone + shares.copies.alone + shares.fills.alone + shares.allocating.alone +
                shares.requesting.alone + shares.idle,
            document.nanoseconds);
  ASSERT_EQ(document.activities.size(), 8U);
  EXPECT_FALSE(document.activities[0].stream) << "the host";
  EXPECT_EQ(document.activities[4].stream, 2U);
  EXPECT_FALSE(parsed(transpose_document("/tmp/transpose.cu")).shares) << "of a report that has none";
}

TEST(ReportDocument, AnActivityOfAnUnknownKindIsNamed) {
  nlohmann::json json = streams_document("/tmp/transpose.cu");
  json["activities"][3]["kind"] = "<script>";
  const auto read = parse_document(json.dump());
  ASSERT_TRUE(std::holds_alternative<std::string>(read));
  EXPECT_NE(std::get<std::string>(read).find("activities[3].kind"), std::string::npos) << std::get<std::string>(read);
}

TEST(ReportDocument, TextThatIsCutShortIsSaidToBe) {
  const std::string json = transpose_document("/tmp/transpose.cu").dump();
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, json.size() / 2, json.size() - 1})
    EXPECT_EQ(problem_of(json.substr(0, length)).find("the report is damaged or cut short"), 0u) << length;
}

TEST(ReportDocument, NumbersBeyondAllRangeAreNoCrash) {
  EXPECT_EQ(problem_of(R"({"schema": "lanewise-vgpu-report", "version": 1e999})"),
            "the report is damaged: a number is out of range");
}

TEST(ReportDocument, OtherSchemasAndVersionsAreRefused) {
  EXPECT_EQ(problem_of("[]"),
            "this is not a report of the virtual GPU: it does not begin with \"schema\": "
            "\"lanewise-vgpu-report\"");
  nlohmann::json json = empty_document();
  json["version"] = 1;
  EXPECT_EQ(problem_of(json.dump()),
            "the report is of version 1; this program reads version 2: use the same Lanewise for both");
  json.erase("version");
  EXPECT_EQ(problem_of(json.dump()), "the report's version is missing");
  json["schema"] = "another";
  EXPECT_EQ(problem_of(json.dump()).find("this is not a report"), 0u);
}

TEST(ReportDocument, WhatIsMissingOrWrongIsNamedWithItsPlace) {
  const nlohmann::json good = transpose_document("/tmp/transpose.cu");
  nlohmann::json json = good;
  json["kernels"][0]["lines"][2].erase("line");
  EXPECT_EQ(problem_of(json.dump()), "the report's kernels[0].lines[2].line is missing");
  json = good;
  json["kernels"][0]["lines"][2]["executions"] = -1;
  EXPECT_EQ(problem_of(json.dump()), "the report's kernels[0].lines[2].executions is not a whole number in its range");
  json = good;
  json["kernels"][0]["patterns"][0]["addresses"] = {1, 2, 3};
  EXPECT_EQ(problem_of(json.dump()), "the report's kernels[0].patterns[0].addresses is not a list of 32 addresses");
  json = good;
  json["kernels"][0]["timeline"]["warps"][0]["spans"][0][4] = "sleeps";
  EXPECT_EQ(problem_of(json.dump()),
            "the report's kernels[0].timeline.warps[0].spans is not a list of [begin, end, lanes, line, state]");
  json = good;
  json["kernels"][0]["block"] = {32, 8};
  EXPECT_EQ(problem_of(json.dump()), "the report's kernels[0].block is not a list of three numbers");
  json = good;
  json["kernels"][0]["grid"] = {1ull << 40, 1, 1};
  EXPECT_EQ(problem_of(json.dump()), "the report's kernels[0].grid[0] is not a whole number in its range");
}

}  // namespace
}  // namespace vgpu::report
