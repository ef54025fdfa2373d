// The whole way: the real `lanewise check`, the real nvcc, a real worker on the virtual GPU, and submissions that break
// one task. Each gets a clear verdict, the other task is still graded, and nothing is left running.
#include <algorithm>
#include <map>

#include "grader/commands/check_flow_fixture_test.h"

namespace lanewise::check_flow_test {
namespace {

TEST_F(CheckFlow, RightWorkGetsFullMarksAndIsNotRunTwice) {
  const std::string source = with_device_body("add_fours(d_a, d_b, d_c, n);");
  const Outcome first = check(source, {"--require-full", "--fresh"});
  EXPECT_EQ(first.exit_code, 0) << first.text;
  ASSERT_EQ(first.verdicts.size(), 1U) << first.text;
  EXPECT_EQ(first.verdicts[0].points, first.verdicts[0].max_points) << first.text;
  EXPECT_GT(first.verdicts[0].points, 0);
  EXPECT_TRUE(fs::exists(folder_ / "html" / "vecadd" / "report.html"));
  check(source);  // now it is known
  const Outcome again = check(source, {"--require-full"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_TRUE(contains(again.text, "unchanged since")) << again.text;
}

TEST_F(CheckFlow, SecondCheckSaysWhatIsFixedAndEndsWithWhatComesNext) {
  check(with_device_body("add_fours(d_a, d_b, d_c, n == 1000 ? n - 1 : n);"), {"--fresh"});
  const Outcome second = check(with_device_body("add(d_a, d_b, d_c, n);"), {"--fresh"});
  EXPECT_TRUE(contains(second.text, ": fixed: 1000; new: none\n")) << second.text;
  EXPECT_LE(std::count(second.text.begin(), second.text.end(), '\n'), 24) << second.text;
  const std::size_t next = second.text.rfind("\nNext: vecadd.cu:");
  ASSERT_NE(next, std::string::npos) << second.text;
  EXPECT_LE(std::count(second.text.begin() + static_cast<std::ptrdiff_t>(next), second.text.end(), '\n'), 3);
}

TEST_F(CheckFlow, HeaderOfTheLabIsPartOfTheWork) {
  const fs::path header = labs() / "vecadd" / "length.cuh";
  const std::string source = "#include \"length.cuh\"\n" + with_device_body("add_fours(d_a, d_b, d_c, length(n));");
  std::ofstream(header) << "inline std::size_t length(std::size_t n) { return n; }\n";
  const Outcome right = check(source, {"--require-full"});
  EXPECT_EQ(right.exit_code, 0) << right.text;
  std::ofstream(header) << "inline std::size_t length(std::size_t n) { return n / 2; }\n";
  const Outcome wrong = check(source, {"--require-full"});
  EXPECT_EQ(wrong.exit_code, 1) << wrong.text;
  fs::remove(header);
}

TEST_F(CheckFlow, WrongValuesComeWithWhatTheCompilerHasNoticed) {
  const TaskVerdict task =
      check_broken("int seen;\n++seen;\nadd_fours(d_a, d_b, d_c, n > 1000 ? n - 1 + 0 * seen : n);");
  const CaseVerdict wrong = first(task, CaseOutcome::kWrong);
  EXPECT_TRUE(std::regex_search(wrong.hint, std::regex("^The compiler warns of line [0-9]+: variable .seen. is ")))
      << wrong.hint;
  EXPECT_TRUE(contains(text_, "The compiler warns of line")) << text_;
  for (const CaseVerdict& verdict : task.cases)
    EXPECT_EQ(verdict.outcome == CaseOutcome::kWrong, !verdict.hint.empty()) << verdict.name;
}

TEST_F(CheckFlow, RightWorkThatCostsTooMuchIsToldWhere) {
  const TaskVerdict task = check_broken("add(d_a, d_b, d_c, n);");
  ASSERT_EQ(task.goals.size(), 2U) << text_;
  EXPECT_TRUE(task.goals[0].is_met) << "every element is read once";
  const GoalVerdict& goal = task.goals[1];
  EXPECT_TRUE(goal.is_measured);
  EXPECT_FALSE(goal.is_met);
  EXPECT_EQ(goal.place.file, "vecadd.cu");
  EXPECT_EQ(goal.value, "125,000");
  EXPECT_TRUE(contains(text_, "requests, global reads: 125,000, goal ≤ 40,000; all of it here")) << text_;
  EXPECT_TRUE(contains(text_, "1 of 2 goals met")) << text_;
  for (const PartScore& part : task.parts)
    if (part.name == "efficient") {
      EXPECT_EQ(part.points, 4);
    }
}

TEST_F(CheckFlow, WorkDoneByTheHostMeetsNoGoal) {
  const TaskVerdict task = check_broken(
      "if (n == 0) return; std::string a(4 * n, 0), b(4 * n, 0); auto* x = reinterpret_cast<float*>(&a[0]);"
      "auto* y = reinterpret_cast<float*>(&b[0]); cudaMemcpy(x, d_a, 4 * n, cudaMemcpyDeviceToHost);"
      "cudaMemcpy(y, d_b, 4 * n, cudaMemcpyDeviceToHost); for (std::size_t i = 0; i < n; ++i) x[i] += y[i];"
      "cudaMemcpy(d_c, x, 4 * n, cudaMemcpyHostToDevice);");
  EXPECT_TRUE(contains(text_, "no kernel ran in the case 'two million'")) << text_;
  for (const GoalVerdict& goal : task.goals) EXPECT_FALSE(goal.is_met);
}

TEST_F(CheckFlow, SpeedIsSaidToBeModelledAndEarnsItsPoints) {
  const TaskVerdict task = check_broken("add(d_a, d_b, d_c, n);");  // of a goal
  EXPECT_TRUE(task.speed.is_known && task.speed.is_gradable && task.speed.is_modelled) << text_;
  EXPECT_TRUE(contains(text_, "modelled ")) << text_;
  EXPECT_TRUE(contains(text_, "bound by: ")) << text_;
  for (const PartScore& part : task.parts)
    if (part.name == "fast") {
      EXPECT_EQ(part.points, 15) << part.evidence;
    }
}

TEST_F(CheckFlow, AnEmptyKernelBesideTheHostsWorkIsNotFast) {
  std::string source = with_device_body(
      "if (n == 0) return; std::string a(4 * n, 0), b(4 * n, 0); auto* x = reinterpret_cast<float*>(&a[0]);"
      "auto* y = reinterpret_cast<float*>(&b[0]); cudaMemcpy(x, d_a, 4 * n, cudaMemcpyDeviceToHost);"
      "cudaMemcpy(y, d_b, 4 * n, cudaMemcpyDeviceToHost); for (std::size_t i = 0; i < n; ++i) x[i] += y[i];"
      "cudaMemcpy(d_c, x, 4 * n, cudaMemcpyHostToDevice); nothing<<<1, 1>>>();");
  source.insert(source.find("void vec_add("), "__global__ void nothing() {}\n\n");
  const Outcome outcome = check(source);
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  const TaskVerdict& task = outcome.verdicts[0].tasks.at(1);
  EXPECT_TRUE(contains(task.speed.review, "is the work done elsewhere?")) << outcome.text;
  for (const PartScore& part : task.parts)
    if (part.name == "fast") {
      EXPECT_EQ(part.points, 0) << part.evidence;
    }
}

TEST_F(CheckFlow, WhatAWrongAnswerCostsSaysNothing) {
  const TaskVerdict task = check_broken("add_fours(d_a, d_b, d_c, n > 1000 ? n - 1 : n);");
  ASSERT_EQ(task.goals.size(), 2U) << text_;
  EXPECT_FALSE(task.goals[1].is_measured);
  EXPECT_TRUE(contains(text_, "counts once the case 'two million' is right")) << text_;
}

TEST_F(CheckFlow, UntouchedSkeletonIsNotStartedAndNoError) {
  const Outcome outcome = run({"vecadd"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(contains(outcome.text, "vecadd · vec_add, vec_add_device   not started")) << outcome.text;
  ASSERT_EQ(outcome.verdicts.size(), 1U);
  EXPECT_EQ(outcome.verdicts[0].points, 0);
  EXPECT_EQ(run({"vecadd", "--require-full"}).exit_code, 1);
}

TEST_F(CheckFlow, OneTaskDoneTheOtherNotStarted) {
  const TaskVerdict task = check_broken("");
  EXPECT_EQ(task.state, TaskState::kNotStarted);
}

TEST_F(CheckFlow, CompilerSpeaksForBothTasks) {
  const Outcome outcome = check(with_device_body("add(d_a, d_b, d_c, n)"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(contains(outcome.text, "does not compile")) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "\n  vecadd.cu")) << outcome.text;
  ASSERT_EQ(outcome.verdicts.size(), 1U);
  for (const TaskVerdict& task : outcome.verdicts[0].tasks) EXPECT_EQ(task.state, TaskState::kCompileError);
  EXPECT_EQ(outcome.verdicts[0].points, 0);
}

TEST_F(CheckFlow, FunctionMissing) {
  const Outcome outcome = check(kGoodHalf);
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  EXPECT_EQ(outcome.verdicts[0].tasks.at(1).state, TaskState::kMissing);
}

TEST_F(CheckFlow, NullPointerOnTheHost) {
  const TaskVerdict task = check_broken("volatile float* p = nullptr; p[3] = d_c == nullptr ? 1 : 2;");
  EXPECT_TRUE(contains(first(task, CaseOutcome::kCrashed).sentence, "wrote through a null pointer"));
  EXPECT_GT(first(task, CaseOutcome::kCrashed).place.line, 50) << "behind the half that is right";
}

TEST_F(CheckFlow, DevicePointerReadOnTheHost) {
  const TaskVerdict task = check_broken("if (n > 12) std::printf(\"%f\\n\", d_a[12]); add(d_a, d_b, d_c, n);");
  const CaseVerdict crashed = first(task, CaseOutcome::kCrashed);
  EXPECT_GT(crashed.place.line, 50);
  EXPECT_EQ(crashed.sentence, "host code in line " + std::to_string(crashed.place.line) +
                                  " read d_a[12]: that memory belongs to the device; copy it with cudaMemcpy first");
}

TEST_F(CheckFlow, MemoryOfItsOwnThatTheHostReadsIsCalledByItsVariable) {
  const TaskVerdict task = check_broken(
      "\n  float* d_own = nullptr;\n"
      "  cudaMalloc((void**)&d_own, 400);\n"
      "  std::printf(\"%f\\n\", d_own[5]);\n"
      "  add(d_a, d_b, d_c, n);");
  const CaseVerdict crashed = first(task, CaseOutcome::kCrashed);
  EXPECT_GT(crashed.place.line, 50) << crashed.sentence;
  EXPECT_EQ(crashed.sentence,
            "host code in line " + std::to_string(crashed.place.line) +
                " read byte 20 of d_own: that memory belongs to the device; copy it with cudaMemcpy first; d_own was "
                "allocated in line " +
                std::to_string(crashed.place.line - 1));
}

// The runtime knows addresses, PTX bytes: the verdict knows lines, variables, rows and columns.
TEST_F(CheckFlow, FindingsSpeakOfTheSourcesOwnLinesAndNames) {
  const std::string kernel =
      "__global__ void transpose(const float* in, float* out) {\n"
      "  __shared__ float tile[kSide][kSide + 1];\n"
      "  tile[threadIdx.y][threadIdx.x] = in[0];\n"
      "  out[0] = tile[threadIdx.x][threadIdx.y];\n}\n\n";
  std::string source = with_device_body(
      "  if (n < 2) return;\n"
      "  float* d_own = nullptr;\n"
      "  cudaMalloc((void**)&d_own, 4);\n"
      "  cudaMemcpy(d_own, d_a, 8, cudaMemcpyDeviceToDevice);  // allocated too short\n"
      "  transpose<<<1, dim3(kSide, kSide)>>>(d_own + 1, d_c);\n");
  source.insert(source.find("void vec_add("), "constexpr int kSide = 16;\n" + kernel);
  const Outcome outcome = check(source);
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  const auto line_of = [&](const std::string& part) {
    return static_cast<int>(std::count(source.begin(), source.begin() + static_cast<long>(source.find(part)), '\n')) +
           1;
  };
  std::map<std::string, const Finding*> found;
  for (const Finding& finding : outcome.verdicts[0].tasks.at(1).findings) found[finding.kind] = &finding;
  ASSERT_EQ(found.count("invalid argument"), 1U) << outcome.text;
  EXPECT_EQ(found["invalid argument"]->place.line, line_of("cudaMemcpy(d_own")) << outcome.text;
  EXPECT_EQ(found["invalid argument"]->sentence,
            "a copy of 8 bytes runs past the end of its target, d_own, which has 4 bytes");
  ASSERT_EQ(found.count("leak"), 1U) << outcome.text;
  EXPECT_EQ(found["leak"]->place.line, line_of("cudaMalloc((void**)&d_own")) << outcome.text;
  EXPECT_EQ(found["leak"]->sentence, "d_own, 4 bytes of device memory, was never freed");
  ASSERT_EQ(found.count("out-of-bounds read"), 1U) << outcome.text;
  EXPECT_EQ(found["out-of-bounds read"]->array, "d_own");
  EXPECT_TRUE(contains(found["out-of-bounds read"]->sentence,
                       "; d_own was allocated in line " + std::to_string(line_of("cudaMalloc((void**)&d_own"))))
      << found["out-of-bounds read"]->sentence;
  EXPECT_EQ(found["out-of-bounds read"]->kernel, "transpose(const float*, float*)");
  const std::string race = "read after write in line " + std::to_string(line_of("  tile[threadIdx.y]"));
  ASSERT_EQ(found.count(race), 1U) << outcome.text;
  EXPECT_TRUE(contains(found[race]->sentence, " tile[1][0], which ")) << found[race]->sentence;
}

TEST_F(CheckFlow, Abort) {
  EXPECT_TRUE(contains(first(check_broken("std::abort();"), CaseOutcome::kCrashed).sentence, "SIGABRT"));
}

TEST_F(CheckFlow, StackOverflowOnTheHost) {
  // Something to do after the call, or the compiler makes a loop of it.
  const TaskVerdict task = check_broken(
      "volatile char big[1 << 16]; big[0] = 1; vec_add_device(d_a, d_b, d_c, n + big[0]); if (big[0] == 2) "
      "std::abort();");
  EXPECT_TRUE(contains(first(task, CaseOutcome::kCrashed).sentence, "overflowed its stack"));
}

TEST_F(CheckFlow, EndlessLoopOnTheHost) {
  const TaskVerdict task = check_broken("for (volatile int i = 0;; i = i + 1) {}");
  EXPECT_EQ(first(task, CaseOutcome::kTimedOut).sentence, "host code had run for 2 seconds and was stopped");
  EXPECT_TRUE(contains(first(task, CaseOutcome::kNotRun).sentence, "2 cases had hung already"));
}

TEST_F(CheckFlow, Exit) {
  EXPECT_TRUE(contains(first(check_broken("std::exit(0);"), CaseOutcome::kExited).sentence, "exit code 0"));
  EXPECT_TRUE(contains(first(check_broken("_exit(3);"), CaseOutcome::kExited).sentence, "exit code 3"));
}

TEST_F(CheckFlow, CudaErrorLeftBehind) {
  const TaskVerdict task = check_broken("add_kernel<<<1, 2048>>>(d_a, d_b, d_c, n);");
  EXPECT_TRUE(
      contains(first(task, CaseOutcome::kCudaError).sentence, "left a CUDA error behind: cudaErrorInvalidValue"));
}

TEST_F(CheckFlow, GigabyteOfOutput) {
  const TaskVerdict task = check_broken(
      "if (n == 100) { const std::string line(1 << 20, 'x'); for (int i = 0; i < 1024; ++i) std::fwrite(line.data(), "
      "1, line.size(), "
      "stdout); }");
  // On a busy machine the time limit may come first; what was printed until then is counted all the same.
  EXPECT_GT(task.output_bytes, std::uint64_t{1} << 25);
  EXPECT_LE(task.output_bytes, std::uint64_t{1} << 30);
  EXPECT_LE(task.output.size(), std::size_t{16} << 10);
}

TEST_F(CheckFlow, ForkIsFound) {
  const TaskVerdict task = check_broken("if (fork() == 0) for (;;) pause(); add(d_a, d_b, d_c, n);");
  EXPECT_TRUE(has_finding(task, "lockdown")) << text_;
}

TEST_F(CheckFlow, ThreadIsFound) {
  const TaskVerdict task = check_broken("std::thread([] {}).join(); add(d_a, d_b, d_c, n);");
  EXPECT_TRUE(has_finding(task, "lockdown")) << text_;
  first(task, CaseOutcome::kCrashed);
}

TEST_F(CheckFlow, KillingTheParentIsFound) {
  const TaskVerdict task = check_broken("kill(getppid(), SIGKILL); add(d_a, d_b, d_c, n);");
  EXPECT_TRUE(has_finding(task, "lockdown")) << text_;
}

TEST_F(CheckFlow, ClosingEveryDescriptor) {
  const TaskVerdict task =
      check_broken("add(d_a, d_b, d_c, n); cudaDeviceSynchronize(); for (int i = 0; i < 4096; ++i) close(i);");
  EXPECT_TRUE(contains(first(task, CaseOutcome::kExited).sentence, "file descriptors"));
}

TEST_F(CheckFlow, WritingIntoTheChannel) {
  const TaskVerdict task = check_broken("for (int i = 3; i < 4096; ++i) send(i, \"rubbish\", 7, MSG_NOSIGNAL);");
  EXPECT_TRUE(contains(first(task, CaseOutcome::kExited).sentence, "file descriptors"));
}

TEST_F(CheckFlow, WritePastTheEndIsWrongAndFound) {
  std::string source = with_device_body("if (n > 0) one_too_many<<<(n + 256) / 256, 256>>>(d_a, d_b, d_c, n);");
  source.insert(source.find("void vec_add("),
                "__global__ void one_too_many(const float* a, const float* b, float* c, std::size_t n) {\n"
                "  const std::size_t i = blockIdx.x * 256ull + threadIdx.x;\n"
                "  if (i <= n) c[i] = i < n ? a[i] + b[i] : 1.0f;\n}\n\n");
  const Outcome outcome = check(source);
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  text_ = outcome.text;
  const TaskVerdict& task = outcome.verdicts[0].tasks.at(1);
  EXPECT_EQ(first(task, CaseOutcome::kWrong).sentence, "wrote 4 bytes past the end of d_c, nearest at d_c[100]");
  EXPECT_TRUE(has_finding(task, "memcheck")) << text_;
}

TEST_F(CheckFlow, ReturningBeforeTheResultsAreThereIsWrong) {
  std::string source = with_device_body("add(d_a, d_b, d_c, n);");
  const std::size_t begin = source.find("  float *d_a, *d_b, *d_c;\n");
  const std::string in_a_stream = R"(  float *d_a, *d_b, *d_c;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (float** array : {&d_a, &d_b, &d_c}) cudaMallocAsync(array, bytes, stream);
  cudaMemcpyAsync(d_a, a_h, bytes, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(d_b, b_h, bytes, cudaMemcpyHostToDevice, stream);
  add_fours_kernel<<<static_cast<unsigned>((n + 1023) / 1024), 256, 0, stream>>>(d_a, d_b, d_c, n);
  cudaMemcpyAsync(c_h, d_c, bytes, cudaMemcpyDeviceToHost, stream);
  for (float* array : {d_a, d_b, d_c}) cudaFreeAsync(array, stream);
)";
  const std::string end = "  cudaStreamDestroy(stream);\n}\n";
  const std::size_t rest = source.find("}\n", source.find("  cudaFree(d_c);\n"));
  for (const bool waits : {true, false}) {
    std::string changed = source;
    changed.replace(begin, rest + 2 - begin, in_a_stream + (waits ? "  cudaStreamSynchronize(stream);\n" : "") + end);
    const Outcome outcome = check(changed);
    ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
    text_ = outcome.text;
    const TaskVerdict& task = outcome.verdicts[0].tasks.at(0);
    const auto wrong = std::count_if(task.cases.begin(), task.cases.end(), [](const CaseVerdict& each) {
      return each.max_points > 0 && each.outcome == CaseOutcome::kWrong;
    });
    EXPECT_EQ(wrong == 0, waits) << text_;
  }
}

TEST_F(CheckFlow, EndlessLoopOnTheDevice) {
  std::string source = with_device_body("if (n > 0) spin<<<1, 32>>>(d_c);");
  source.insert(source.find("void vec_add("),
                "__global__ void spin(float* c) { while (*(volatile float*)c != 7.0f) {} }\n\n");
  const Outcome outcome = check(source);
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  text_ = outcome.text;
  first(outcome.verdicts[0].tasks.at(1), CaseOutcome::kTimedOut);
  EXPECT_EQ(outcome.verdicts[0].tasks[0].points, outcome.verdicts[0].tasks[0].max_points) << outcome.text;
}

TEST_F(CheckFlow, AnEndlessLoopCostsNoCaseThatItDoesNotConcern) {
  std::string source = with_device_body("if (n > 0) stuck<<<1, 32>>>(d_a, d_b, d_c, n);");
  source.insert(source.find("void vec_add("),
                "__global__ void stuck(const float* a, const float* b, float* c, std::size_t n) {\n"
                "  for (std::size_t i = threadIdx.x; i < n; i += n % 2 != 0 && n > 1 ? 0 : 32)\n"
                "    c[i] = a[i] + b[i];\n}\n\n");
  const Outcome outcome = check(source);
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  int endless = 0, right = 0;
  for (const CaseVerdict& each : outcome.verdicts[0].tasks.at(1).cases) {
    if (each.max_points == 0) continue;
    endless += static_cast<int>(each.outcome == CaseOutcome::kTimedOut);
    right += static_cast<int>(each.outcome == CaseOutcome::kRight);
    EXPECT_NE(each.outcome, CaseOutcome::kNotRun) << each.name << ": " << each.sentence;
  }
  EXPECT_GE(endless, 3) << outcome.text;
  EXPECT_GE(right, 3) << outcome.text;
  const std::vector<Finding>& findings = outcome.verdicts[0].tasks[1].findings;
  const auto stopped = std::find_if(findings.begin(), findings.end(),
                                    [](const Finding& finding) { return finding.kind == "endless loop"; });
  ASSERT_NE(stopped, findings.end()) << outcome.text;
  EXPECT_TRUE(contains(stopped->advice, "must read anew each time")) << stopped->advice;
}

// A case of a few elements is stopped after as many instructions as it could need, not after those of the time limit.
TEST_F(CheckFlow, EndlessKernelsOfBothTasksAreStoppedSoonAndNamed) {
  const Outcome outcome = check(
      "#include \"vecadd.cuh\"\n__global__ void spin() {\n  const auto from = clock64();\n  while (clock64() >= "
      "from);\n}\n__global__ void "
      "wait(volatile float* c) "
      "{\n  while (c[0] != 7.0f) {}\n}\nvoid vec_add(const float*, const float*, float*, int) { spin<<<4, 256>>>(); "
      "}\nvoid vec_add_device(const float*, const float*, float* d_c, std::size_t n) { if (n) wait<<<4, 256>>>(d_c); "
      "}\n");
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "vecadd.cu:4   endless kernel")) << outcome.text;
  std::string reasons;
  for (const TaskVerdict& task : outcome.verdicts[0].tasks) {
    text_ = outcome.text;
    first(task, CaseOutcome::kTimedOut);
    first(task, CaseOutcome::kNotRun);
    for (const Finding& finding : task.findings)
      reasons += "line " + std::to_string(finding.place.line) + ": " + finding.sentence + "\n";
  }
  EXPECT_TRUE(contains(reasons, "(the limit here is 4000000 ")) << reasons;
  EXPECT_TRUE(contains(reasons, "line 7: the kernel was stopped")) << reasons;
  EXPECT_TRUE(contains(reasons, "have waited for a value that none of them has written")) << reasons;
}

TEST_F(CheckFlow, LongNamesDoNotCrowdFindingsOut) {
  // Forty findings, each with a name that forty times over would be more than a report may hold.
  const std::string name(30'000, 'k');
  std::string kernel = "__global__ void " + name + "(float* c, std::size_t n) {\n";
  for (int i = 0; i < 40; ++i) kernel += "  c[n + " + std::to_string(64 * i) + "] = 1;\n";
  std::string source = with_device_body("if (n > 0) " + name + "<<<1, 1>>>(d_c, n);");
  source.insert(source.find("void vec_add("), kernel + "}\n\n");
  const Outcome outcome = check(source);
  ASSERT_EQ(outcome.verdicts.size(), 1U) << outcome.text;
  const TaskVerdict& task = outcome.verdicts[0].tasks.at(1);
  EXPECT_EQ(task.findings.size(), 40U);
  EXPECT_TRUE(has_finding(task, "memcheck"));
}

}  // namespace
}  // namespace lanewise::check_flow_test
