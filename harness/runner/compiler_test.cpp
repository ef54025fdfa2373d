// What a compiler says about a source is told from what befell the compiler.
#include "harness/runner/compiler.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

Expected<std::optional<std::string>> run(const std::string& script) {
  return run_compiler("/tmp", {"/bin/sh", "-c", script});
}

std::string says(const std::string& words) { return "printf '%s\\n' \"" + words + "\"; exit 1"; }

TEST(RunCompiler, SuccessIsSilent) {
  const auto words = run("echo 'a warning'");
  ASSERT_TRUE(words);
  EXPECT_FALSE(words->has_value());
}

TEST(RunCompiler, WhatTheCompilerRefusesIsTheSourcesFault) {
  for (const std::string line :
       {"fill.cu(2): error: expected a ;", "fill.cu:1:10: fatal error: none.h: No such file",
        "ptxas fatal   : Ptx assembly aborted due to errors", "/usr/bin/ld: x.o: undefined reference to other()",
        // A line of the source is quoted.
        "    3 |   printf(no memory: Cannot allocate memory);"}) {
    const auto words = run(says(line));
    ASSERT_TRUE(words) << words.sentence();
    EXPECT_EQ(words->value_or(""), line + "\n");
  }
}

TEST(RunCompiler, WhatBefellTheCompilerIsAFailure) {
  for (const std::string line : {"nvcc error   : 'cicc' died due to signal 9 (Kill signal)",
                                 "g++: fatal error: Killed signal terminated program cc1plus",
                                 "cc1plus: fatal error: error writing to x.s: No space left on device",
                                 "fill.cu:3:1: internal compiler error: Segmentation fault",
                                 "cc1plus: out of memory allocating 65536 bytes after a total of 1000 bytes",
                                 "Fatal error: x.o: File too large"}) {
    const auto words = run(says("fill.cu(1): warning\n" + line));
    ASSERT_FALSE(words) << line;
    EXPECT_NE(words.sentence().find(line), std::string::npos) << words.sentence();
  }
}

TEST(RunCompiler, EndByASignalAndMissingProgramAreFailures) {
  EXPECT_NE(run("kill -9 $$").sentence().find("signal 9"), std::string::npos);
  EXPECT_NE(run("kill -XFSZ $$").sentence().find("wrote more than it may"), std::string::npos);
  EXPECT_NE(run_compiler("/tmp", {"/nonexistent/nvcc"}).sentence().find("could not be started"), std::string::npos);
}

}  // namespace
}  // namespace lanewise
