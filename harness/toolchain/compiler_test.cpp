// What a compiler says about a source is told from what befell the compiler.
#include "harness/toolchain/compiler.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

Expected<std::optional<CompilerRefusal>> run(const std::string& script) {
  return run_compiler("/tmp", {"/bin/sh", "-c", script});
}

std::string says(const std::string& words) { return "printf '%s\\n' \"" + words + "\"; exit 1"; }

TEST(RunCompiler, SuccessIsSilent) {
  const auto refusal = run("echo 'a warning'");
  ASSERT_TRUE(refusal);
  EXPECT_FALSE(refusal->has_value());
}

TEST(RunCompiler, WhatTheCompilerRefusesIsTheSourcesFault) {
  for (const std::string line :
       {"fill.cu(2): error: expected a ;", "fill.cu:1:10: fatal error: none.h: No such file",
        "ptxas fatal   : Ptx assembly aborted due to errors", "/usr/bin/ld: x.o: undefined reference to other()",
        // A line of the source is quoted.
        "    3 |   printf(no memory: Cannot allocate memory);",
        // The source has the words.
        "fill.cu(3): error: #error No space left on device", "fill.cu:3:2: error: #error died due to signal 9",
        "fill.cu:3:10: fatal error: No space left on device: No such file or directory",
        "as: No space left on device\nfill.cu:1:2: error: #error mine",
        // In clang's words.
        "fill.cu:3:10: fatal error: 'No space left on device' file not found",
        "clang:1:2: error: unable to execute command: Killed",
        "clang(1): error: #error unable to execute command: Killed",
        "clang++-19: error: unable to execute command: Killed\nfill.cu:1:2: error: mine"}) {
    const auto refusal = run(says(line));
    ASSERT_TRUE(refusal) << refusal.sentence();
    ASSERT_TRUE(refusal->has_value());
    EXPECT_EQ((*refusal)->words, line + "\n");
    EXPECT_FALSE((*refusal)->was_stopped);
  }
}

TEST(RunCompiler, WhatBefellTheCompilerIsAFailure) {
  for (const std::string line :
       {"nvcc error   : 'cicc' died due to signal 9 (Kill signal)",
        "g++: fatal error: Killed signal terminated program cc1plus",
        "cc1plus: fatal error: error writing to x.s: No space left on device",
        "g++: fatal error: cannot execute cc1plus: vfork: Cannot allocate memory",
        "/usr/bin/ld: final link failed: No space left on device\ncollect2: error: ld returned 1 exit status",
        "clang++-19: error: unable to execute command: Killed",
        "error: unable to open output file 'x.o': 'No space left on device'"}) {
    const auto refusal = run(says("fill.cu(1): warning\n" + line));
    ASSERT_FALSE(refusal) << line;
    EXPECT_NE(refusal.sentence().find(line.substr(0, line.find('\n'))), std::string::npos) << refusal.sentence();
  }
}

// Bombs, and what crashes a compiler: it does so whenever it is compiled.
TEST(RunCompiler, LimitsAndCrashesAreTheSourcesFault) {
  const std::pair<const char*, const char*> ends[] = {
      {"nvcc error   : 'cicc' died due to signal 24 (CPU time limit exceeded)", "processor time"},
      {"g++: fatal error: CPU time limit exceeded signal terminated program cc1plus", "processor time"},
      {"LLVM ERROR: out of memory", "more memory"},
      {"cc1plus: out of memory allocating 65536 bytes after a total of 1000 bytes", "more memory"},
      {"nvcc error   : 'cudafe++' died due to signal 11 (Invalid memory reference)", "crashed"},
      {"fill.cu:3:1: internal compiler error: Segmentation fault", "crashed"},
      {"clang++-19: error: unable to execute command: CPU time limit exceeded", "processor time"},
      {"clang++-19: error: unable to execute command: Segmentation fault", "crashed"},
      {"clang++-19: error: unable to execute command: Illegal instruction", "crashed"},
      {"clang++-19: error: clang frontend command failed with exit code 139 (use -v to see invocation)", "crashed"},
      {"Fatal error: x.o: File too large", "wrote more"}};
  for (const auto& [line, what] : ends) {
    const auto refusal = run(says(std::string("fill.cu(1): warning\n") + line));
    ASSERT_TRUE(refusal) << refusal.sentence();
    ASSERT_TRUE(refusal->has_value()) << line;
    EXPECT_TRUE((*refusal)->was_stopped) << line;
    EXPECT_NE((*refusal)->words.find(what), std::string::npos) << (*refusal)->words;
    EXPECT_NE((*refusal)->words.find(line), std::string::npos) << (*refusal)->words;
  }
}

TEST(RunCompiler, EndlessWorkIsStopped) {
  const Confinement one_second = [](ProcessOptions options, const Reach&) {
    options.limits.cpu_seconds = 1;
    return options;
  };
  const auto refusal = run_compiler("/tmp", {"/bin/sh", "-c", "while :; do :; done"}, one_second);
  ASSERT_TRUE(refusal) << refusal.sentence();
  ASSERT_TRUE(refusal->has_value());
  EXPECT_TRUE((*refusal)->was_stopped);
  EXPECT_EQ((*refusal)->words, "The compiler (sh) used more processor time than is allowed for compiling.");
}

TEST(RunCompiler, EndByTheSignalOfALimitIsARefusal) {
  // Also that of a stage, as nvcc exits then: like a shell.
  for (const char* script : {"kill -XFSZ $$", "echo File size limit exceeded; exit 153"}) {
    const auto refusal = run(script);
    ASSERT_TRUE(refusal) << refusal.sentence();
    ASSERT_TRUE(refusal->has_value());
    EXPECT_TRUE((*refusal)->was_stopped);
    EXPECT_NE((*refusal)->words.find("wrote more than is allowed for compiling"), std::string::npos)
        << (*refusal)->words;
  }
}

TEST(RunCompiler, EndByASignalAndMissingProgramAreFailures) {
  EXPECT_NE(run("kill -9 $$").sentence().find("signal 9"), std::string::npos);
  EXPECT_NE(run("echo Killed; exit 137").sentence().find("signal 9"), std::string::npos);
  EXPECT_NE(run_compiler("/tmp", {"/nonexistent/nvcc"}).sentence().find("could not be started"), std::string::npos);
}

}  // namespace
}  // namespace lanewise
