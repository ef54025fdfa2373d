// The page as text: what it must hold, how large it may be, and what must not get out of its data.
#include "harness/vgpu/report/html_page.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/vgpu/report/testing/sample_documents.h"

namespace vgpu::report {
namespace {

namespace fs = std::filesystem;

class HtmlPage : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string source(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  static std::string page(const nlohmann::json& json) {
    return html_page(std::get<Document>(parse_document(json.dump())));
  }
  // What the page's scripts read.
  static nlohmann::json data_of(const std::string& page) {
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const std::size_t from = page.find(begin) + begin.size();
    return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
  }

  fs::path folder_ = fs::temp_directory_path() / ("vgpu_html_page_test_" + std::to_string(getpid()));
};

TEST_F(HtmlPage, HoldsSourceRemarksAndPatterns) {
  const auto data = data_of(page(transpose_document(source("transpose.cu", kTransposeSource))));
  EXPECT_EQ(data["files"][0]["name"], "transpose.cu");
  EXPECT_EQ(data["files"][0]["pieces"][0][1][5], "    out[x * n + y] = in[y * n + x];");
  const auto& kernel = data["kernels"][0];
  EXPECT_EQ(kernel["remarks"][0]["line"], 6);
  EXPECT_EQ(kernel["patterns"][1]["offsets"][31], 31 * 4096);
}

TEST_F(HtmlPage, ASourceThatIsGoneIsSaidToBe) {
  const auto data = data_of(page(transpose_document("/nowhere/transpose.cu")));
  EXPECT_EQ(data["files"][0]["note"],
            "the file is not where it was when the program was compiled, so only line numbers are shown");
  EXPECT_TRUE(data["files"][0]["pieces"].empty());
}

TEST_F(HtmlPage, ASourceThatHasShrunkIsDoubted) {
  const auto data = data_of(page(transpose_document(source("transpose.cu", "one line\n"))));
  EXPECT_EQ(data["files"][0]["note"].get<std::string>().find("the file is shorter than it was"), 0u);
}

TEST_F(HtmlPage, WhatIsNoPlainFileIsNotRead) {
  EXPECT_EQ(data_of(page(transpose_document("/dev/zero")))["files"][0]["pieces"].size(), 0u);
}

TEST_F(HtmlPage, OfALongFileOnlyWhatIsAroundTheLinesIsShown) {
  std::string text;
  for (int line = 1; line <= 5000; ++line) text += "line " + std::to_string(line) + "\n";
  nlohmann::json json = transpose_document(source("long.cu", text));
  json["kernels"][0]["lines"][3]["line"] = 3000;
  const auto pieces = data_of(page(json))["files"][0]["pieces"];
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[1][0], 2990);
  EXPECT_EQ(pieces[1][1].size(), 21u);
}

TEST_F(HtmlPage, NothingFromTheProgramBecomesMarkup) {
  const std::string text = page(hostile_document(source("hostile.cu", hostile_source())));
  EXPECT_EQ(text.find("<img"), std::string::npos);
  EXPECT_NE(text.find("\\u003cimg src=x onerror=window"), std::string::npos);
  const std::size_t data = text.find("id=\"data\">") + 10;
  const std::string embedded = text.substr(data, text.find("</script>", data) - data);
  EXPECT_EQ(embedded.find_first_of("<>&"), std::string::npos);
  EXPECT_NE(embedded.find("\\u2028"), std::string::npos);
  EXPECT_EQ(text.find("\xe2\x80\xa8"), std::string::npos);
  EXPECT_EQ(data_of(text)["files"][0]["pieces"][0][1][0], "</script><script>window.broken = true</script>");
}

TEST_F(HtmlPage, HoldsTheHostAndTheStreamsOverTime) {
  nlohmann::json json = streams_document(source("transpose.cu", kTransposeSource));
  json["activities_left_out"] = 5;
  const auto run = data_of(page(json))["run"];
  EXPECT_EQ(run["nanoseconds"], 270000);
  std::uint64_t sum = 0;
  for (const auto& row : run["shares"]) sum += row[2].get<std::uint64_t>();
  EXPECT_EQ(sum, 270000U);
  EXPECT_EQ(run["activities"][3], nlohmann::json::parse(R"(["kernel", 0, 1, 85000, 92410, 3, 0])"));
  EXPECT_EQ(run["names"][3], "transpose");
  EXPECT_EQ(run["left_out"], 5);
  EXPECT_EQ(data_of(page(transpose_document("/nowhere/transpose.cu")))["run"], nullptr);
}

TEST_F(HtmlPage, WhatCheckersCouldNotLookAtIsSaid) {
  nlohmann::json json = transpose_document("/nowhere/transpose.cu");
  EXPECT_TRUE(data_of(page(json))["unchecked"].empty());
  json["unchecked"] = {"racecheck did not see all of transpose: it makes too many accesses"};
  EXPECT_EQ(data_of(page(json))["unchecked"][0], json["unchecked"][0]);
}

TEST_F(HtmlPage, WhatMayBeRightIsNotAmongWhatIsWrong) {
  nlohmann::json json = transpose_document("/nowhere/transpose.cu");
  const auto add = [&](const char* list, const char* kind, const char* severity) {
    json[list].push_back({{"tool", "a tool"}, {"kind", kind}, {"severity", severity}, {"sentence", "so"}});
  };
  add("findings", "race", "error");
  add("findings", "same value", "note");
  add("findings", "order of lanes", "warning");
  add("notes", "leak", "error");
  const auto data = data_of(page(json));
  const auto kinds = [&](const char* list) {
    std::vector<std::string> all;
    for (const auto& finding : data[list]) all.push_back(finding["kind"]);
    return all;
  };
  EXPECT_EQ(kinds("findings"), (std::vector<std::string>{"race", "order of lanes"}));
  EXPECT_EQ(kinds("notes"), (std::vector<std::string>{"same value", "leak"}));
  EXPECT_EQ(data["findings_left_out"], 0);
}

TEST_F(HtmlPage, StaysBelowTwoMegabytesWhateverTheDocumentHolds) {
  constexpr std::size_t kMost = 2 << 20;
  // Source that has to be escaped throughout, several kernels with an access at every line, long names.
  const std::string path = source("flood.cu", std::string(300, '<') + "\n" + flood_source(400));
  nlohmann::json json = flood_document(path, 400);
  json["kernels"][0]["timeline"] = nullptr;
  nlohmann::json kernel = json["kernels"][0];
  kernel["name"] = std::string(3000, '<') + "(int)";
  for (auto& finding : json["findings"]) finding["sentence"] = std::string(5000, '&');
  for (int i = 0; i < 2; ++i) json["kernels"].push_back(kernel);
  const nlohmann::json streams = streams_document(path);
  json["modelled"] = streams["modelled"];
  for (int i = 0; i < 20000; ++i) {
    json["activities"].push_back(streams["activities"][i % 8]);
    json["activities"][i]["name"] = std::string(100, '<') + std::to_string(i);
  }
  const std::string text = page(json);
  EXPECT_LT(text.size(), kMost);
  EXPECT_GT(data_of(text)["kernels_left_out"], 0);
  EXPECT_GT(data_of(text)["kernels"].size(), 0u);
  EXPECT_GT(data_of(text)["run"]["left_out"], 0);
}

TEST_F(HtmlPage, AKernelTooLargeForThePageKeepsItsRemarks) {
  nlohmann::json json = flood_document("/nowhere/flood.cu", 1100);
  json["kernels"][0]["timeline"] = nullptr;
  const auto data = data_of(page(json));
  ASSERT_EQ(data["kernels"].size(), 1u);
  EXPECT_EQ(data["kernels"][0]["brief"], true);
  EXPECT_GT(data["kernels"][0]["remarks"].size(), 0u);
}

}  // namespace
}  // namespace vgpu::report
