// What initcheck says where values from memory that nobody wrote are used; and that it says nothing where they are not.
#include "harness/vgpu/monitor/initcheck.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/vgpu/machine/tensor_map.h"
#include "harness/vgpu/monitor/testing/watched_device.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr const char* kTile = ".shared .align 16 .b8 tile[256];\n";

/// A warp at work on %rd0: `fresh`, 100 elements of 4 bytes that nobody wrote; %rd1: `out`, which holds zeros, as does
/// %rd2: `in`. %rd3 is the thread's element of `fresh`, %rd4 that of `out`, %rd5 that of `in`. The body begins in
/// line 7.
class InitcheckTest : public ::testing::Test {
 protected:
  std::vector<Finding> findings_of(const std::string& body, const std::string& outside = kTile, U32 threads = 32) {
    device_.reset();  // every device has the same addresses
    device_ = std::make_unique<DeviceWatchedBy<Initcheck>>();
    const U64 fresh = array("fresh"), out = array("out"), in = array("in");
    fill(out);
    fill(in);
    const Fault fault = device_->launch(
        "mul.wide.u32 %rd6, %r0, 4;\nadd.s64 %rd3, %rd0, %rd6;\nadd.s64 %rd4, %rd1, %rd6;\nadd.s64 %rd5, %rd2, "
        "%rd6;\n" +
            body,
        {fresh, out, in}, threads, outside);
    EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.sentence;
    return device_->findings.all();
  }

  U64 array(const std::string& name) { return device_->array(name, 100, 4); }

  void fill(U64 address) {
    std::memset(device_->memory->host(address), 0, 400);
    device_->checker.contents().write(*device_->memory, address, 400);
  }

  void expect_silence(const char* what, const std::string& body, const std::string& outside = kTile) {
    const std::vector<Finding> findings = findings_of(body, outside);
    EXPECT_TRUE(findings.empty()) << what << ": " << findings[0].sentence;
  }

  /// One finding, at line 7, whose sentence ends in `use`.
  void expect_finding(const char* what, const std::string& body, const std::string& use,
                      const std::string& outside = kTile, const std::string& array = "fresh") {
    const std::vector<Finding> findings = findings_of(body, outside);
    ASSERT_EQ(findings.size(), 1u) << what;
    const Finding& finding = findings[0];
    EXPECT_EQ(finding.tool, "initcheck");
    EXPECT_EQ(finding.kind, "uninitialised read");
    EXPECT_EQ(finding.file, "kernel.cu") << what;
    EXPECT_EQ(finding.line, 7u) << what;
    EXPECT_EQ(finding.array, array) << what;
    EXPECT_FALSE(finding.advice.empty()) << what;
    const std::string& sentence = finding.sentence;
    EXPECT_TRUE(sentence.size() >= use.size() && sentence.substr(sentence.size() - use.size()) == use)
        << what << ": '" << sentence << "' does not end in '" << use << "'";
  }

  std::unique_ptr<DeviceWatchedBy<Initcheck>> device_;
};

constexpr const char* kLoad = "ld.global.u32 %r5, [%rd3];\n.loc 1 9 0\n";

TEST_F(InitcheckTest, UsesAreReportedWhereTheValueWasReadAndSayWhereItIsUsed) {
  const struct {
    const char *what, *body, *use;
  } rows[] = {
      {"a store", "st.global.u32 [%rd4], %r5;", "in line 9 stores the value in out[0]"},
      {"a store after arithmetic", "add.s32 %r6, %r5, 1;\nmul.lo.s32 %r6, %r6, %r6;\nst.global.u32 [%rd4], %r6;",
       "in line 9 stores the value in out[0]"},
      {"a branch", "setp.gt.s32 %p1, %r5, 0;\n@%p1 bra L;\nst.global.u32 [%rd4], 1;\nL:", "in line 9 branches on it"},
      {"a guard", "setp.gt.s32 %p1, %r5, 0;\n@!%p1 st.global.u32 [%rd4], 1;", "in line 9 uses it as a condition"},
      {"a selector", "setp.gt.s32 %p1, %r5, 0;\nselp.b32 %r6, 1, 2, %p1;\nst.global.u32 [%rd4], %r6;",
       "in line 9 stores the value in out[0]"},
      {"a sign that selects", "slct.u32.s32 %r6, 1, 2, %r5;\nst.global.u32 [%rd4], %r6;",
       "in line 9 stores the value in out[0]"},
      {"an address",
       "and.b32 %r6, %r5, 3;\nmul.wide.u32 %rd7, %r6, 4;\nadd.s64 %rd7, %rd2, %rd7;\n"
       "ld.global.u32 %r7, [%rd7];\nst.global.u32 [%rd4], %r7;",
       "in line 9 computes an address from it"},
      {"an address to store to",
       "and.b32 %r6, %r5, 3;\nmul.wide.u32 %rd7, %r6, 4;\nadd.s64 %rd7, %rd1, %rd7;\n"
       "st.global.u32 [%rd7], 1;",
       "in line 9 computes an address from it"},
      {"an atomic operation", "red.global.add.u32 [%rd4], %r5;", "in line 9 passes it to an atomic operation"},
      {"a vote", "setp.gt.s32 %p1, %r5, 0;\nvote.sync.any.pred %p2, %p1, -1;\n@%p2 st.global.u32 [%rd4], 1;",
       "in line 9 uses it as a condition"},
      {"a match", "match.any.sync.b32 %r6, %r5, -1;\nst.global.u32 [%rd4], %r6;",
       "in line 9 stores the value in out[0]"},
      {"a sum over the lanes", "redux.sync.add.u32 %r6, %r5, -1;\nst.global.u32 [%rd4], %r6;",
       "in line 9 stores the value in out[0]"},
      {"the lane of a shuffle", "shfl.sync.idx.b32 %r6, %r0, %r5, 31, -1;\nst.global.u32 [%rd4], %r6;",
       "in line 9 computes the lane of a shuffle from it"},
      {"a vote at a barrier",
       "setp.gt.s32 %p1, %r5, 0;\nbarrier.cta.red.popc.u32 %r6, 0, %p1;\nst.global.u32 [%rd4], %r6;",
       "in line 9 passes it to a barrier"},
      {"a carry", "add.cc.u32 %r6, %r5, 1;\naddc.u32 %r7, %r0, 0;\nst.global.u32 [%rd4], %r7;",
       "in line 9 stores the value in out[0]"},
  };
  for (const auto& row : rows) expect_finding(row.what, kLoad + std::string(row.body), row.use);
}

TEST_F(InitcheckTest, AdviceNamesAnAdditionToWhatWasNeverThere) {
  const std::string load = "ld.global.u32 %r5, [%rd3];\nadd.u32 %r5, %r5, 1;\n";
  const auto in_two_lines = findings_of(load + ".loc 1 9 0\nst.global.u32 [%rd3], %r5;\n");
  const auto in_place = findings_of(load + "st.global.u32 [%rd3], %r5;\n");
  const auto elsewhere = findings_of(load + "st.global.u32 [%rd4], %r5;\n");
  ASSERT_TRUE(in_place.size() == 1 && elsewhere.size() == 1 && in_two_lines.size() == 1);
  EXPECT_EQ(in_two_lines[0].advice, elsewhere[0].advice) << "a scan in place, say";
  EXPECT_NE(in_place[0].advice.find("+= where = belongs"), std::string::npos);
  EXPECT_NE(elsewhere[0].advice.find("a cudaMemcpy to the device is missing"), std::string::npos);
  EXPECT_NE(elsewhere[0].advice.find("return too early"), std::string::npos);
  EXPECT_NE(elsewhere[0].advice.find("more elements are read than were stored"), std::string::npos);
}

TEST_F(InitcheckTest, AdviceNamesThreadsThatReturnedBeforeABarrier) {
  const std::string fills_and_reads =
      "mov.u32 %r10, tile;\nmul.lo.u32 %r11, %r0, 4;\nadd.u32 %r11, %r10, %r11;\nst.shared.u32 [%r11], 1;\n"
      "bar.sync 0;\nld.shared.u32 %r12, [tile+80];\nst.global.u32 [%rd4], %r12;\n";
  EXPECT_TRUE(findings_of(fills_and_reads).empty());
  const std::vector<Finding> early = findings_of("setp.ge.u32 %p1, %r0, 16;\n@%p1 ret;\n" + fills_and_reads);
  ASSERT_EQ(early.size(), 1u);
  EXPECT_NE(early[0].advice.find("no thread returns before the last __syncthreads()"), std::string::npos);
  const std::string skips_and_reads =
      "setp.ge.u32 %p1, %r0, 16;\nmov.u32 %r10, tile;\nmul.lo.u32 %r11, %r0, 4;\nadd.u32 %r11, %r10, %r11;\n"
      "@!%p1 st.shared.u32 [%r11], 1;\nbar.sync 0;\n@%p1 ret;\nld.shared.u32 %r12, [tile+80];\n"
      "st.global.u32 [%rd4], %r12;\n";
  const std::vector<Finding> skipped = findings_of(skips_and_reads);
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_EQ(skipped[0].advice.find("returned"), std::string::npos) << "nobody had, at the barrier";
  const std::vector<Finding> missing = findings_of("ld.shared.u32 %r12, [tile+80];\nst.global.u32 [%rd4], %r12;\n");
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].advice.find("returned"), std::string::npos) << "all threads are still there";
}

TEST_F(InitcheckTest, ValuesAreFollowedOnTheirWay) {
  const std::string store = "st.global.u32 [%rd4], %r9;";
  const std::string use = "in line 9 stores the value in out[0]";
  const struct {
    const char *what, *body;
  } rows[] = {
      {"mov", "mov.b32 %r9, %r5;\n"},
      {"up and down", "shl.b32 %r6, %r5, 3;\nshr.s32 %r9, %r6, 3;\n"},
      {"pack and unpack", "mov.b64 %rd7, {%r0, %r5};\nmov.b64 {%r6, %r9}, %rd7;\n"},
      {"wide and narrow", "cvt.u64.u32 %rd7, %r5;\ncvt.u32.u64 %r9, %rd7;\n"},
      {"to float", "cvt.rn.f32.s32 %r9, %r5;\n"},
      {"the other operand of a logical operation", "or.b32 %r9, %r0, %r5;\n"},
      {"bytes in another order", "prmt.b32 %r9, %r5, 0, 0x0123;\n"},
      {"a chosen value", "setp.ge.s32 %p1, %r0, 0;\nselp.b32 %r9, %r5, 0, %p1;\n"},
      {"a shuffle", "shfl.sync.bfly.b32 %r9, %r5, 1, 31, -1;\n"},
      {"shared memory",
       "mul.lo.u32 %r6, %r0, 4;\nmov.u32 %r7, tile;\nadd.u32 %r6, %r6, %r7;\n"
       "st.shared.u32 [%r6], %r5;\nbar.sync 0;\nld.shared.u32 %r9, [%r6];\n"},
      {"local memory", ".local .align 4 .b8 kept[16];\nst.local.u32 [kept+4], %r5;\nld.local.u32 %r9, [kept+4];\n"},
      {"through a generic address",
       "mul.lo.u32 %r6, %r0, 4;\nmov.u32 %r7, tile;\nadd.u32 %r6, %r6, %r7;\n"
       "cvt.u64.u32 %rd7, %r6;\ncvta.shared.u64 %rd7, %rd7;\nst.u32 [%rd7], %r5;\nld.u32 %r9, [%rd7];\n"},
      {"an exchange",
       "mul.lo.u32 %r6, %r0, 4;\nmov.u32 %r7, tile;\nadd.u32 %r6, %r6, %r7;\n"
       "st.shared.u32 [%r6], %r5;\natom.shared.exch.b32 %r9, [%r6], 0;\n"},
  };
  for (const auto& row : rows) expect_finding(row.what, kLoad + std::string(row.body) + store, use);
}

TEST_F(InitcheckTest, NarrowValuesAreAllThatIsStoredWhenNothingButZerosOrTheirSignStandsAboveThem) {
  const std::string store = "\nst.global.u32 [%rd4], %r9;";
  for (const char* load : {"ld.global.u8 %r9, [%rd3];", "ld.global.s8 %r9, [%rd3];", "ld.global.u16 %r9, [%rd3];",
                           "ld.global.u8 %h2, [%rd3];\ncvt.u32.u16 %r9, %h2;"})
    expect_finding(load, load + store, "stores the value in out[0]");
  expect_silence("something above it", "ld.global.u8 %r9, [%rd3];\nor.b32 %r9, %r9, 256;" + store);
}

TEST_F(InitcheckTest, ValuesAreFollowedIntoFunctionsAndBack) {
  const std::string function =
      ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %a;\nld.param.u32 %a, [x];\nadd.s32 %a, %a, %a;\n"
      "st.param.b32 [r], %a;\nret;\n}\n";
  const auto call = [](const std::string& argument) {
    return "{\n.param .b32 x0;\n.param .b32 r0;\nst.param.b32 [x0], " + argument +
           ";\ncall (r0), twice, (x0);\nld.param.b32 %r9, [r0];\n}\nst.global.u32 [%rd4], %r9;";
  };
  expect_finding("called with it", kLoad + call("%r5"), "in line 9 stores the value in out[0]", function);
  expect_silence("called with another value", kLoad + call("%r0"), function);
  expect_silence("called with it and then with another",
                 kLoad + call("%r5").substr(0, call("%r5").find("st.global")) + call("%r0"), function);
}

TEST_F(InitcheckTest, ValuesAreFollowedThroughMathematicalFunctions) {
  const std::string function = ".extern .func (.param .b32 r) __nv_cbrtf(.param .b32 x);\n";
  const auto call = [](const std::string& argument) {
    return "{\n.param .b32 x0;\n.param .b32 r0;\nst.param.b32 [x0], " + argument +
           ";\ncall (r0), __nv_cbrtf, (x0);\nld.param.b32 %r9, [r0];\n}\nst.global.u32 [%rd4], %r9;";
  };
  expect_finding("called with it", kLoad + call("%r5"), "stores the value in out[0]", function);
  expect_silence("called with another value", kLoad + call("%r0"), function);
}

TEST_F(InitcheckTest, WhatDoesNotMatterIsNotReported) {
  const std::string compared = kLoad + std::string("setp.gt.s32 %p1, %r5, 0;\n");
  const struct {
    const char* what;
    std::string body;
  } rows[] = {
      {"nothing is done with it", kLoad},
      {"other lanes do nothing with theirs",
       "setp.ge.u32 %p3, %r0, 16;\n@%p3 ld.global.u32 %r5, [%rd3];\n@!%p3 st.global.u32 [%rd4], %r5;"},
      {"a mask leaves it out",
       kLoad + std::string("shl.b32 %r6, %r5, 8;\nor.b32 %r6, %r6, %r0;\nand.b32 %r6, %r6, 255;\n"
                           "st.global.u32 [%rd4], %r6;")},
      {"a field leaves it out", kLoad + std::string("shl.b32 %r6, %r5, 8;\nbfe.u32 %r6, %r6, 0, 8;\n"
                                                    "st.global.u32 [%rd4], %r6;")},
      {"the other half of a pair", kLoad + std::string("mov.b64 %rd7, {%r0, %r5};\nmov.b64 {%r6, %r7}, %rd7;\n"
                                                       "st.global.u32 [%rd4], %r6;")},
      {"the other operand decides", compared + "setp.lt.u32 %p2, %r0, 0;\nand.pred %p1, %p1, %p2;\n"
                                               "@%p1 st.global.u32 [%rd4], 1;"},
      {"the other operand decides, the other way",
       compared + "setp.ge.u32 %p2, %r0, 0;\nor.pred %p1, %p2, %p1;\n@%p1 st.global.u32 [%rd4], 1;"},
      {"a negated operand decides",
       compared + "setp.ge.u32 %p2, %r0, 0;\nand.pred %p1, %p1, !%p2;\n@%p1 st.global.u32 [%rd4], 1;"},
      {"a comparison that is false anyhow",
       kLoad +
           std::string("setp.lt.u32 %p2, %r0, 0;\nsetp.gt.and.s32 %p1, %r5, 0, %p2;\n@%p1 st.global.u32 [%rd4], 1;")},
      {"the value that is not chosen", kLoad + std::string("setp.ge.s32 %p1, %r0, 0;\nselp.b32 %r9, %r0, %r5, %p1;\n"
                                                           "st.global.u32 [%rd4], %r9;")},
      {"overwritten", kLoad + std::string("mov.b32 %r5, %r0;\nst.global.u32 [%rd4], %r5;")},
      {"loaded anew", kLoad + std::string("ld.global.u32 %r5, [%rd5];\nst.global.u32 [%rd4], %r5;")},
      {"a part of what is stored",
       kLoad + std::string("and.b32 %r7, %r0, 7;\nmul.wide.u32 %rd7, %r7, 8;\n"
                           "add.s64 %rd7, %rd1, %rd7;\nst.global.v2.u32 [%rd7], {%r0, %r5};")},
  };
  for (const auto& row : rows) expect_silence(row.what, row.body);
}

TEST_F(InitcheckTest, MemoryIsWrittenBy) {
  const std::string use = "\nld.global.u32 %r9, [%rd3];\nst.global.u32 [%rd4], %r9;";
  expect_silence("a store", "st.global.u32 [%rd3], %r0;" + use);
  expect_silence("a store of every second thread and one of the others",
                 "and.b32 %r6, %r0, 1;\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 st.global.u32 [%rd3], 1;\n"
                 "@!%p1 st.global.u32 [%rd3], 2;" +
                     use);
  expect_silence("bytes", "st.global.u8 [%rd3], %h1;\nst.global.u8 [%rd3+1], %h1;\nst.global.u16 [%rd3+2], %h1;" + use);
  expect_silence("an exchange", "atom.global.exch.b32 %r6, [%rd3], 1;" + use);
  expect_silence("a vector",
                 "and.b32 %r7, %r0, 7;\nmul.wide.u32 %rd7, %r7, 16;\nadd.s64 %rd7, %rd0, %rd7;\n"
                 "st.global.v4.u32 [%rd7], {%r0, %r0, %r0, %r0};" +
                     use);
  expect_finding("a store elsewhere", "st.global.u32 [%rd3+4], %r0;" + use, "stores the value in out[0]");
  expect_finding("a part",
                 "st.global.u16 [%rd3], %h1;\nld.global.u16 %h2, [%rd3+2];\ncvt.u32.u16 %r9, %h2;\n"
                 "st.global.u32 [%rd4], %r9;\n.loc 1 12 0",
                 "stores the value in out[0]");
}

TEST_F(InitcheckTest, AsynchronousCopiesWriteWhenTheyArrive) {
  const std::string place = "mul.lo.u32 %r6, %r0, 4;\nmov.u32 %r7, tile;\nadd.u32 %r6, %r6, %r7;\n";
  const std::string known = "cp.async.ca.shared.global [%r6+128], [%rd5], 4;\ncp.async.commit_group;\n";
  const std::string fresh = "cp.async.ca.shared.global [%r6], [%rd3], 4;\ncp.async.commit_group;\n";
  const std::string use_known = "ld.shared.u32 %r9, [%r6+128];\nst.global.u32 [%rd4], %r9;\n";
  const std::string use_fresh = "ld.shared.u32 %r9, [%r6];\nst.global.u32 [%rd4], %r9;\n";
  const char* const stored = "was never written, and stores the value in out[0]";
  expect_silence("a copy that is waited for", place + known + "cp.async.wait_all;\n" + use_known);
  expect_silence("a copy that others follow", place + known + fresh + fresh + "cp.async.wait_group 2;\n" + use_known);
  expect_finding("a copy that nobody waits for", place + known + use_known, stored, kTile, "tile");
  expect_finding("a wait for too little", place + known + fresh + "cp.async.wait_group 2;\n" + use_known, stored, kTile,
                 "tile");
  // What was read when the copy began goes with it, whatever is copied meanwhile.
  expect_finding("values that nobody wrote", place + fresh + known + "cp.async.wait_group 0;\n" + use_known + use_fresh,
                 stored);
  expect_finding("lanes that wait one after the other",
                 place + "setp.lt.u32 %p1, %r0, 7;\n" + fresh + "@%p1 cp.async.wait_all;\n@!%p1 cp.async.wait_all;\n" +
                     known + "cp.async.wait_all;\n" + use_known + use_fresh,
                 stored);
}

TEST_F(InitcheckTest, AtomicOperationsUseWhatTheyFind) {
  expect_finding("red", "red.global.add.u32 [%rd3], 1;", "changes it with an atomic operation");
  expect_finding("atom", "atom.global.max.u32 %r5, [%rd3], 1;", "changes it with an atomic operation");
  expect_finding("cas", "atom.global.cas.b32 %r5, [%rd3], 0, 1;", "changes it with an atomic operation");
  expect_silence("written before", "st.global.u32 [%rd3], 0;\nred.global.add.u32 [%rd3], 1;");
}

TEST_F(InitcheckTest, OneMistakeIsOneFindingWithACount) {
  const std::vector<Finding> findings = findings_of(
      "ld.global.u32 %r5, [%rd3];\n.loc 1 9 0\nsetp.gt.s32 %p1, %r5, 0;\n@%p1 bra L;\nL:\n@%p1 bra M;\nM:\n");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].count, 32u);
  EXPECT_EQ(findings[0].sentence,
            "thread (0,0,0) of block (0,0,0) reads fresh[0], which was never written, and in line 9 branches on it");
}

// More reads of one instruction, by 32 lanes, than origins are kept; `use` of the value has the round in %r8.
std::string many_reads(const std::string& use) {
  return "mov.u32 %r8, 0;\nagain:\nld.global.u32 %r5, [%rd3];\n.loc 1 9 0\n" + use +
         "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p4, %r8, 2100;\n@%p4 bra again;\n";
}

TEST_F(InitcheckTest, EveryUseIsCountedAmongThousands) {
  const std::vector<Finding> alike = findings_of(many_reads("st.global.u32 [%rd4], %r5;\n"));
  ASSERT_EQ(alike.size(), 1u);
  EXPECT_EQ(alike[0].count, 2100u * 32);
  const std::vector<Finding> last_differs =
      findings_of(many_reads("setp.eq.u32 %p3, %r8, 2099;\n@%p3 red.global.add.u32 [%rd4], %r5;\n"
                             "@!%p3 st.global.u32 [%rd4], %r5;\n"));
  ASSERT_EQ(last_differs.size(), 1u);
  EXPECT_EQ(last_differs[0].count, 2100u * 32);
  const std::vector<Finding> last_is_not_used =
      findings_of(many_reads("setp.ne.u32 %p3, %r8, 2099;\n@%p3 st.global.u32 [%rd4], %r5;\n"));
  ASSERT_EQ(last_is_not_used.size(), 1u);
  EXPECT_EQ(last_is_not_used[0].count, 2099u * 32);
}

TEST_F(InitcheckTest, AnotherMistakeBehindThousandsOfEqualOnesIsReported) {
  const std::vector<Finding> findings = findings_of(many_reads("st.global.u32 [%rd4], %r5;\n") +
                                                    ".loc 1 20 0\nld.global.u32 %r6, [%rd3+64];\n"
                                                    ".loc 1 21 0\nsetp.gt.s32 %p1, %r6, 0;\n@%p1 bra L;\nL:");
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[1].line, 20u);
  EXPECT_EQ(findings[1].count, 32u);
  EXPECT_EQ(findings[1].sentence,
            "thread (0,0,0) of block (0,0,0) reads fresh[16], which was never written, and in line 21 branches on it");
}

TEST_F(InitcheckTest, ThreadsAreNamedByTheirPlaceInTheBlock) {
  const std::vector<Finding> findings = findings_of(
      "setp.lt.u32 %p1, %r0, 41;\n@%p1 ret;\nld.global.u32 %r5, [%rd3];\nst.global.u32 [%rd4], %r5;\n", kTile, 64);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].count, 23u);
  EXPECT_EQ(findings[0].thread.x, 41u);
  EXPECT_EQ(findings[0].index, 41);
}

TEST_F(InitcheckTest, MarksThatLieInSharedMemoryAreForgottenWhenTheyAreWrittenOver) {
  const std::string stored = kLoad + std::string(
                                         "mul.lo.u32 %r6, %r0, 4;\nmov.u32 %r7, tile;\nadd.u32 %r6, %r6, %r7;\n"
                                         "st.shared.u32 [%r6], %r5;\n");
  const std::string use = "ld.shared.u32 %r9, [%r6];\nst.global.u32 [%rd4], %r9;";
  expect_finding("as a whole", stored + use, "in line 9 stores the value in out[0]");
  expect_silence("a part of them", stored + "st.shared.u16 [%r6+2], %h1;\n" + use);
  expect_finding("but not that one",
                 stored + "st.shared.u16 [%r6+2], %h1;\nld.shared.u16 %h2, [%r6];\nst.global.u16 [%rd4], %h2;",
                 "in line 9 stores the value in out[0]");
  expect_silence("all of them", stored + "st.shared.u32 [%r6], %r0;\n" + use);
}

TEST_F(InitcheckTest, ValuesOfEveryWidthAreFollowed) {
  const std::string wide =
      "shl.b32 %r6, %r0, 3;\nand.b32 %r6, %r6, 127;\ncvt.u64.u32 %rd7, %r6;\n"
      "add.s64 %rd8, %rd1, %rd7;\nadd.s64 %rd7, %rd0, %rd7;\n.loc 1 7 0\n";
  expect_finding("8 bytes", wide + "ld.global.u64 %rd9, [%rd7];\nst.global.u64 [%rd8], %rd9;",
                 "stores the value in out[0]");
  expect_finding("2 bytes", "ld.global.u16 %h2, [%rd3];\nst.global.u16 [%rd4], %h2;", "stores the value in out[0]");
  expect_finding("two of 4 bytes", wide + "ld.global.v2.u32 {%r8, %r9}, [%rd7];\nst.global.v2.u32 [%rd8], {%r8, %r9};",
                 "stores the value in out[0]");
  expect_silence("one of two", wide + "ld.global.v2.u32 {%r8, %r9}, [%rd7];\nst.global.v2.u32 [%rd8], {%r8, %r0};");
}

TEST_F(InitcheckTest, SharedMemoryIsFreshInEveryBlock) {
  const std::string address = "mul.lo.u32 %r6, %r0, 4;\nmov.u32 %r7, tile;\nadd.u32 %r6, %r6, %r7;\n";
  expect_finding("read first", address + "ld.shared.u32 %r9, [%r6];\nst.global.u32 [%rd4], %r9;",
                 "stores the value in out[0]", kTile, "tile");
  expect_silence("written first",
                 address + "st.shared.u32 [%r6], %r0;\nld.shared.u32 %r9, [%r6];\nst.global.u32 [%rd4], %r9;");
}

TEST_F(InitcheckTest, LanesThatPartedShuffleTheirMarks) {
  // The upper half waits at the shuffle of its own branch for the lower half, and the other way round.
  const std::string body =
      "setp.lt.u32 %p3, %r0, 16;\nmov.u32 %r5, 1;\n@%p3 ld.global.u32 %r5, [%rd3];\n.loc 1 9 0\n@%p3 bra L;\n"
      "shfl.sync.bfly.b32 %r9, %r5, 16, 31, -1;\nbra M;\nL:\nshfl.sync.bfly.b32 %r9, %r5, 16, 31, -1;\nM:\n";
  expect_finding("what came from the other half", body + "@!%p3 st.global.u32 [%rd4], %r9;",
                 "in line 9 stores the value in out[16]");
  expect_silence("what did not", body + "@%p3 st.global.u32 [%rd4], %r9;");
}

// Lanes 0 to 7 and 8 to 15 shuffle with each other from two places; to be completed by what the latter ask for.
const std::string kInHalves =
    "setp.lt.u32 %p3, %r0, 8;\nsetp.lt.u32 %p4, %r0, 16;\n@!%p4 bra M;\n@!%p3 bra L;\n.loc 1 7 0\n"
    "shfl.sync.bfly.b32 %r9, %r0, 8, 31, 0xFFFF;\nbra M;\nL:\nshfl.sync.bfly.b32 %r9, %r0, ";

TEST_F(InitcheckTest, WhatAShuffleTakesFromALaneThatTakesNoPartIsUndefined) {
  const std::string lost = "setp.ge.u32 %p3, %r0, 20;\n@%p3 ret;\n", use = ".loc 1 9 0\nst.global.u32 [%rd4], %r9;";
  const auto sentence_of = [&](const std::string& body) {
    const std::vector<Finding> findings = findings_of(body);
    return findings.size() == 1 && findings[0].kind == "value of an absent lane" ? findings[0].sentence : "";
  };
  const std::string rest = " takes no part in the shuffle, and in line 9 stores the value in out";
  EXPECT_EQ(sentence_of(lost + "shfl.sync.down.b32 %r9, %r0, 16, 31, -1;\n" + use),
            "thread (4,0,0) of block (0,0,0) takes the value of lane 20, which" + rest + "[4]");
  EXPECT_EQ(
      sentence_of("setp.ge.u32 %p3, %r0, 8;\n@%p3 bra L;\nshfl.sync.idx.b32 %r9, %r0, 9, 31, 0xFF;\n" + use + "\nL:"),
      "thread (0,0,0) of block (0,0,0) takes the value of lane 9, which" + rest + "[0]")
      << "the mask leaves it out";
  EXPECT_EQ(sentence_of(kInHalves + "16, 31, 0xFFFF;\nM:\n.loc 1 9 0\n@%p4 st.global.u32 [%rd4], %r9;"),
            "thread (8,0,0) of block (0,0,0) takes the value of lane 24, which" + rest + "[8]")
      << "lanes that come one after the other";
}

TEST_F(InitcheckTest, WhatNobodyNeedsOfAShuffleIsNotReported) {
  const std::string lost = "setp.ge.u32 %p3, %r0, 20;\n@%p3 ret;\n", use = "st.global.u32 [%rd4], %r9;";
  expect_silence("another lane's result",
                 lost + "shfl.sync.down.b32 %r9, %r0, 16, 31, -1;\nsetp.lt.u32 %p4, %r0, 4;\n@%p4 " + use);
  expect_silence("from lanes at another place", kInHalves + "8, 31, 0xFFFF;\nM:\n@%p4 " + use);
  expect_silence("beyond the segment", lost + "shfl.sync.down.b32 %r9, %r0, 16, 19, -1;\n" + use);
  expect_silence("a choice against it", lost +
                                            "shfl.sync.down.b32 %r9, %r0, 16, 31, -1;\nsetp.lt.u32 %p4, %r0, 4;\n"
                                            "selp.b32 %r9, %r9, 0, %p4;\n" +
                                            use);
}

TEST_F(InitcheckTest, WhatTheHostDoesIsTold) {
  const auto run = [](auto prepare) {
    DeviceWatchedBy<Initcheck> device;
    const U64 a = device.array("a", 100, 4), out = device.array("out", 100, 4);
    prepare(device.checker.contents(), *device.memory, a, out);
    device.launch("ld.global.u32 %r5, [%rd0];\nst.global.u32 [%rd1], %r5;", {a, out});
    return device.findings.all().size();
  };
  using Contents = DeviceContents;
  using Memory = AddressSpace;
  EXPECT_EQ(run([](Contents&, Memory&, U64, U64) {}), 1u);
  EXPECT_EQ(run([](Contents& c, Memory& m, U64 a, U64) { c.write(m, a, 4); }), 0u);
  EXPECT_EQ(run([](Contents& c, Memory& m, U64 a, U64) { c.write(m, a + 1, 399); }), 0u);  // only some bytes are not
  EXPECT_EQ(run([](Contents& c, Memory& m, U64 a, U64) { c.write(m, a + 4, 396); }), 1u);
  EXPECT_EQ(run([](Contents& c, Memory& m, U64, U64) { c.trust(m); }), 0u);
  EXPECT_EQ(run([](Contents& c, Memory& m, U64 a, U64) {
              c.write(m, a, 400);
              c.forget(m, a, 400);
            }),
            1u);
  EXPECT_EQ(run([](Contents& c, Memory& m, U64 a, U64 out) {
              c.write(m, out + 40, 4);
              c.copy(m, a, out + 40, 4);
            }),
            0u);
  EXPECT_EQ(run([](Contents& c, Memory& m, U64 a, U64 out) {
              c.write(m, a, 400);
              c.copy(m, a, out, 4);
            }),
            1u);
}

TEST(InitcheckMemory, VariablesAndWhatTheHostReachesCountAsWritten) {
  for (const MemoryKind kind : {MemoryKind::kManaged, MemoryKind::kPinned, MemoryKind::kVariable}) {
    DeviceWatchedBy<Initcheck> device;
    const U64 a = device.memory->allocate(400, kind), out = device.array("out", 100, 4);
    device.launch("ld.global.u32 %r5, [%rd0];\nst.global.u32 [%rd1], %r5;", {a, out});
    EXPECT_TRUE(device.findings.empty());
  }
}

TEST(InitcheckMemory, FreedMemoryIsForgotten) {
  DeviceWatchedBy<Initcheck> device;
  constexpr U64 kBytes = U64{32} << 20;
  const U64 out = device.array("out", 100, 4), a = device.memory->allocate(kBytes, MemoryKind::kDevice);
  device.checker.contents().write(*device.memory, a, 4);
  U64 again = 0;  // addresses come back when there are no fresh ones left
  for (int tries = 0; a - again >= kBytes && tries < 1000; ++tries) {
    if (again != 0) device.memory->release(again);
    if (tries == 0) device.memory->release(a);
    again = device.memory->allocate(kBytes, MemoryKind::kDevice);
  }
  ASSERT_LT(a - again, kBytes);
  device.launch("ld.global.u32 %r5, [%rd0];\nst.global.u32 [%rd1], %r5;", {a, out});
  EXPECT_EQ(device.findings.all().size(), 1u);
}

TEST(WrittenBytes, AgreeWithABitAByte) {
  constexpr U64 kBytes = 1000;
  WrittenBytes written(kBytes), other(kBytes);
  std::vector<bool> reference(kBytes), other_reference(kBytes);
  U64 random = 1;
  const auto next = [&](U64 below) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (random >> 33) % below;
  };
  for (int round = 0; round < 3000; ++round) {
    const U64 begin = round % 50 == 0 ? 0 : next(kBytes), length = begin == 0 ? kBytes : 1 + next(kBytes - begin);
    const U64 from = next(kBytes - length + 1);
    switch (next(4)) {
      case 0:
        written.set(begin, begin + length);
        std::fill_n(reference.begin() + static_cast<long>(begin), length, true);
        break;
      case 1:
        written.clear(begin, begin + length);
        std::fill_n(reference.begin() + static_cast<long>(begin), length, false);
        break;
      case 2:
        other.set(from, from + length / 2);
        std::fill_n(other_reference.begin() + static_cast<long>(from), length / 2, true);
        break;
      default:
        written.copy(begin, begin + length, other, from);
        std::copy_n(other_reference.begin() + static_cast<long>(from), length,
                    reference.begin() + static_cast<long>(begin));
    }
    const U64 low = next(kBytes), high = low + 1 + next(kBytes - low);
    bool all = true;
    for (U64 n = low; n < high; ++n) all = all && reference[n];
    ASSERT_EQ(written.all(low, high), all) << round;
    if (all) {
      U64 from = low, to = high;
      const U64 first = next(low + 1), end = high + next(kBytes - high + 1);
      while (from > first && reference[from - 1]) --from;
      while (to < end && reference[to]) ++to;
      ASSERT_EQ(written.around(low, high, first, end), std::make_pair(from, to)) << round;
    }
    const U64 at = low / 16 * 16;
    U32 missing = 0;
    for (U32 n = 0; n < 16 && at + n < kBytes; ++n) missing |= U32{!reference[at + n]} << n;
    if (at + 16 > kBytes) continue;
    ASSERT_EQ(written.missing(at, 16), missing) << round;
  }
}

// Rows of ten floats in 48 bytes, of which only the last one of row 2 was not written: it arrives behind a whole chunk.
TEST_F(InitcheckTest, BoxesOfTensorsCarryAlongWhatNobodyWrote) {
  for (const bool is_read : {true, false}) {
    device_.reset();
    device_ = std::make_unique<DeviceWatchedBy<Initcheck>>();
    const U64 fresh = array("fresh"), out = array("out"), in = array("in");
    fill(out);
    fill(in);
    device_->checker.contents().write(*device_->memory, fresh, 2 * 48 + 36);
    device_->checker.contents().write(*device_->memory, fresh + 2 * 48 + 40, 92);
    TensorMap map;
    map.mark = TensorMap::kMark;
    map.address = fresh;
    map.dimensions = 2;
    map.element_bytes = 4;
    map.length = {10, 4};
    map.stride = {48};
    map.box = {12, 4};
    map.step = {1, 1};
    std::memcpy(device_->memory->host(in), static_cast<const void*>(&map), sizeof map);
    const Fault fault = device_->launch(
        "mov.u32 %r9, tile;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra WAIT;\nmbarrier.init.shared.b64 [bar], 1;\n"
        "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 192;\n.loc 1 8 0\n"
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd2, {0, 0}], "
        "[bar];\nWAIT:\nbar.sync 0;\nTRY:\nmbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra TRY;\n"
        ".loc 1 9 0\nmad.lo.u32 %r5, %r0, 4, %r9;\nld.shared.u32 %r6, [%r5+" +
            std::string(is_read ? "96" : "64") +
            "];\nmul.wide.u32 %rd6, %r0, 4;\nadd.s64 %rd4, %rd1, %rd6;\n"
            "setp.lt.u32 %p3, %r0, 8;\n@%p3 st.global.u32 [%rd4], %r6;\n" +
            (is_read ? "add.u32 %r5, %r5, 32;\nld.shared.u32 %r6, [%r5+96];\nsetp.lt.u32 %p3, %r0, 4;\n"
                       "@%p3 st.global.u32 [%rd4+32], %r6;\n"
                     : ""),
        {fresh, out, in}, 32, ".shared .align 128 .b8 tile[512];\n.shared .align 8 .b64 bar;\n");
    EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.sentence;
    const std::vector<Finding> findings = device_->findings.all();
    ASSERT_EQ(findings.size(), is_read ? 1u : 0u);
    if (!is_read) continue;
    EXPECT_NE(findings[0].sentence.find("fresh[33]"), std::string::npos) << findings[0].sentence;
    EXPECT_NE(findings[0].sentence.find("out[9]"), std::string::npos) << findings[0].sentence;
  }
}

// A row of sixteen floats, of which fresh[4] to fresh[7] were not written: they arrive as the second of four chunks.
TEST_F(InitcheckTest, EveryReceiverOfABoxIsBroughtWhatNobodyWrote) {
  for (const U32 reader : {0, 1, 2, 3}) {
    device_.reset();
    device_ = std::make_unique<DeviceWatchedBy<Initcheck>>();
    const U64 fresh = array("fresh"), out = array("out"), in = array("in");
    fill(out);
    fill(in);
    device_->checker.contents().write(*device_->memory, fresh, 16);
    device_->checker.contents().write(*device_->memory, fresh + 32, 32);
    TensorMap map;
    map.mark = TensorMap::kMark;
    map.address = fresh;
    map.dimensions = 1;
    map.element_bytes = 4;
    map.length = {16};
    map.box = {16};
    map.step = {1};
    std::memcpy(device_->memory->host(in), static_cast<const void*>(&map), sizeof map);
    // Block 1 sends to blocks 0, 1 and 3, one of which stores elements 4 and 8.
    const Fault fault = device_->launch(
        "mov.u32 %r9, tile;\nmov.u32 %r20, %cluster_ctarank;\nmbarrier.init.shared.b64 [bar], 1;\n"
        "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
        "setp.ne.u32 %p1, %r20, 1;\n@%p1 bra TAKE;\nmov.u16 %h1, 11;\n.loc 1 8 0\n"
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [tile], "
        "[%rd2, {0}], [bar], %h1;\nTAKE:\nsetp.eq.u32 %p3, %r20, 2;\n@%p3 bra DONE;\nTRY:\n"
        "mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra TRY;\nsetp.ne.u32 %p3, %r20, " +
            std::to_string(reader) +
            ";\n@%p3 bra DONE;\n.loc 1 9 0\nld.shared.u32 %r6, [%r9+16];\nst.global.u32 [%rd1], %r6;\n"
            "ld.shared.u32 %r6, [%r9+32];\nst.global.u32 [%rd1+4], %r6;\nDONE:\nbarrier.cluster.arrive;\n"
            "barrier.cluster.wait;\n",
        {fresh, out, in}, 1, ".shared .align 128 .b8 tile[128];\n.shared .align 8 .b64 bar;\n", 0, 4);
    EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.sentence;
    const std::vector<Finding> findings = device_->findings.all();
    ASSERT_EQ(findings.size(), reader == 2 ? 0u : 1u) << reader;
    if (reader == 2) continue;
    EXPECT_NE(findings[0].sentence.find("fresh[4]"), std::string::npos) << findings[0].sentence;
    EXPECT_NE(findings[0].sentence.find("out[0]"), std::string::npos) << findings[0].sentence;
  }
}

}  // namespace
}  // namespace vgpu::test
