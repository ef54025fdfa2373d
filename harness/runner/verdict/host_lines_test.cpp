#include "harness/runner/verdict/host_lines.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

constexpr const char* kObject = "submission.so";

const HostSource kSource{"vecadd.cu",
                         "void vec_add(int bytes) {\n"
                         "  cudaMalloc(&d_a, bytes);\n"
                         "  CHECK(cudaMalloc((void**)&d_b,\n"
                         "                   bytes));\n"
                         "  allocate(d_c);\n"
                         "}\n",
                         kObject};
const HostLines kLines{{16, 2}, {32, 4}, {48, 5}};

Finding read_past(const std::string& array, std::uint64_t offset) {
  Finding finding;
  finding.tool = "memcheck";
  finding.kind = "out-of-bounds read";
  finding.place = {"vecadd.cu", 9};
  finding.array = array;
  finding.sentence = "reads 4 bytes at " + array + "[10], just past its end (" + array + " has 10 elements)";
  finding.allocations = {{array, {kObject, offset}}};
  return finding;
}

TEST(HostLinesTest, OwnAllocationsAreNamedAfterTheirVariables) {
  TaskVerdict verdict;
  verdict.findings = {read_past("allocation#3", 16), read_past("allocation#31", 32)};
  EXPECT_EQ(host_offsets(verdict, kSource), (std::set<std::uint64_t>{16, 32}));
  locate_host_code(verdict, kSource, kLines);
  ASSERT_EQ(verdict.findings.size(), 2U);
  EXPECT_EQ(verdict.findings[0].array, "d_a");
  EXPECT_EQ(verdict.findings[0].sentence,
            "reads 4 bytes at d_a[10], just past its end (d_a has 10 elements); d_a was allocated in line 2");
  EXPECT_EQ(verdict.findings[1].array, "d_b") << "the call's line is the one that it ends in";
}

TEST(HostLinesTest, AnAccessPastTheEndOfAnOwnAllocationAsksForItsSize) {
  Finding uninitialised = read_past("allocation#3", 16);
  uninitialised.kind = "uninitialised read";
  Finding before = read_past("allocation#3", 16);
  before.index = -1;
  before.place.line = 10;
  TaskVerdict verdict;
  verdict.findings = {read_past("allocation#3", 16), uninitialised, before};
  for (Finding& finding : verdict.findings) finding.advice = "Guard it.";
  locate_host_code(verdict, kSource, kLines);
  ASSERT_EQ(verdict.findings.size(), 3U);
  EXPECT_EQ(verdict.findings[0].advice,
            "Guard it. If the index is right, line 2 allocates too little: cudaMalloc counts in bytes.");
  EXPECT_EQ(verdict.findings[1].advice, "Guard it.");
  EXPECT_EQ(verdict.findings[2].advice, "Guard it.");
}

TEST(HostLinesTest, AllocationsOfOneVariableKeepTheirNumbers) {
  Finding both = read_past("allocation#3", 16);
  both.sentence = "reads allocation#3[0], which was never written, and stores the value in allocation#4[0]";
  both.allocations.push_back({"allocation#4", {kObject, 16}});
  TaskVerdict verdict;
  verdict.findings = {both};
  locate_host_code(verdict, kSource, kLines);
  EXPECT_EQ(verdict.findings[0].sentence,
            "reads d_a#3[0], which was never written, and stores the value in d_a#4[0]; d_a#3 was allocated in line 2");
}

TEST(HostLinesTest, WhereNoVariableIsKnownTheLineIs) {
  TaskVerdict verdict;
  verdict.findings = {read_past("allocation#3", 48)};
  locate_host_code(verdict, kSource, kLines);
  EXPECT_EQ(verdict.findings[0].array, "allocation#3");
  EXPECT_NE(verdict.findings[0].sentence.find("; allocation#3 was allocated in line 5"), std::string::npos);
}

TEST(HostLinesTest, HostCallsGetTheirLines) {
  Finding copy;
  copy.tool = "runtime";
  copy.kind = "invalid argument";
  copy.site = {kObject, 48};
  Finding elsewhere = copy;
  elsewhere.site.object = "lanewise-worker";
  TaskVerdict verdict;
  verdict.findings = {copy, elsewhere};
  EXPECT_EQ(host_offsets(verdict, kSource), std::set<std::uint64_t>{48});
  locate_host_code(verdict, kSource, kLines);
  EXPECT_EQ(verdict.findings[0].place.line, 5);
  EXPECT_EQ(verdict.findings[0].place.file, "vecadd.cu");
  EXPECT_EQ(verdict.findings[1].place.line, 0) << "of another object";
}

TEST(HostLinesTest, FindingsThatDifferedInASerialNumberBecomeOne) {
  TaskVerdict verdict;
  verdict.findings = {read_past("allocation#3", 16), read_past("allocation#6", 16)};
  locate_host_code(verdict, kSource, kLines);
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].count, 2);
}

TEST(HostLinesTest, ACrashSaysItsLine) {
  CaseVerdict crashed;
  crashed.outcome = CaseOutcome::kCrashed;
  crashed.sentence = "host code read through a null pointer";
  crashed.crash_site = {kObject, 16};
  TaskVerdict verdict;
  verdict.cases = {crashed};
  locate_host_code(verdict, kSource, kLines);
  EXPECT_EQ(verdict.cases[0].sentence, "host code in line 2 read through a null pointer");
  EXPECT_EQ(verdict.cases[0].place.line, 2);
}

TEST(HostLinesTest, ACrashOnMemoryOfItsOwnNamesTheVariable) {
  const auto crash_on = [](const CodeSite& made_at) {
    CaseVerdict crashed;
    crashed.outcome = CaseOutcome::kCrashed;
    crashed.sentence = "host code read byte 20 of a device allocation of 400 bytes: that memory belongs to the device";
    crashed.touched = {"a device allocation of 400 bytes", made_at};
    TaskVerdict verdict;
    verdict.cases = {crashed};
    const bool is_own = made_at.object == kObject;
    EXPECT_EQ(host_offsets(verdict, kSource).count(made_at.offset), is_own ? 1U : 0U);
    locate_host_code(verdict, kSource, kLines);
    return verdict.cases[0].sentence;
  };
  EXPECT_EQ(crash_on({kObject, 16}),
            "host code read byte 20 of d_a: that memory belongs to the device; d_a was allocated in line 2");
  EXPECT_EQ(crash_on({kObject, 48}),
            "host code read byte 20 of a device allocation of 400 bytes: that memory belongs to the device; it was "
            "allocated in line 5");
  EXPECT_EQ(crash_on({"lanewise-worker", 16}),
            "host code read byte 20 of a device allocation of 400 bytes: that memory belongs to the device");
}

}  // namespace
}  // namespace lanewise
