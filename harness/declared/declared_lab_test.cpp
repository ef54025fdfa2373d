// A lab.toml, a contract and an oracle.cpp as a lab: what is made, what is right, what is judged, and what is refused.
#include "harness/declared/declared_lab.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "harness/declared/recognisable.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHead = R"toml([lab]
title = "Reduction"
contract = "reduction.cuh"
skeleton = "reduction.cu"
oracle = "oracle.cpp"
profile = "h200"
[[task]]
name = "reduce"
points = { correct = 100 }
)toml";
constexpr const char* kRest = R"toml(judge = { sum_of = "x" }
[task.arrays]
x = { shape = ["n"], values = "uniform(-1, 1)" }
sum = { shape = [1] }
[[task.case]]
name = "any"
group = "check"
make = { n = 1000 }
points = 1
why = "a reason"
[[task.misconception]]
name = "the first element alone"
hint = "A hint."
function = "first"
)toml";
constexpr const char* kContract =
    "#pragma once\n#include <cstddef>\nvoid reduce(const float* d_x, float* d_sum, std::size_t n);\n";
constexpr const char* kOracle =
    "#include \"reduction.cuh\"\n"
    "void reduce(const float* x, float* sum, std::size_t n) {\n"
    "  double all = 0;\n  for (std::size_t i = 0; i < n; ++i) all += x[i];\n  *sum = static_cast<float>(all);\n}\n"
    "void first(const float* x, float* sum, std::size_t) { *sum = x[0]; }\n";

class DeclaredLabTest : public ::testing::Test {
 protected:
  DeclaredLabTest() : root_(fs::temp_directory_path() / ("lanewise_declared_lab_test_" + std::to_string(getpid()))) {
    installation_ = find_installation("/proc/self/exe");
    installation_.cache = root_ / "cache";
    fs::create_directories(folder());
    write("lab.toml", std::string(kHead) + kRest);
    write("reduction.cuh", kContract);
    write("reduction.cu", "");
    write("oracle.cpp", kOracle);
  }
  ~DeclaredLabTest() override { fs::remove_all(root_); }

  fs::path folder() const { return root_ / "reduction"; }
  void write(const char* name, const std::string& text) const { std::ofstream(folder() / name) << text; }
  void rewrite(const std::string& part, const std::string& by) const {
    std::string text = std::string(kHead) + kRest;
    const std::size_t at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    write("lab.toml", text.replace(at, part.size(), by));
  }

  Expected<Lab> declared() const {
    const auto file = read_lab_file(folder());
    return file ? declare_lab(*file, installation_, false) : Expected<Lab>(file.failure());
  }
  std::string refusal() const {
    const auto lab = declared();
    if (lab) return "";
    const std::string sentence = lab.sentence();
    return sentence.substr(sentence.rfind('/') + 1);
  }
  static Problem problem_of(const Task& task, std::int64_t n) {
    Parameters parameters;
    parameters.set("n", n);
    return std::get<Problem>(task.make(parameters, 3));
  }
  static float sum_of(const std::vector<Array>& outputs) { return *elements<float>(outputs.at(0)); }

  fs::path root_;
  Installation installation_;
};

TEST_F(DeclaredLabTest, DataIsMadeAndTheOracleAsked) {
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  EXPECT_EQ(lab->id, "reduction");
  const Task& task = lab->tasks.at(0);
  const Problem problem = problem_of(task, 1000);
  EXPECT_EQ(problem.space, Space::kDevice);
  ASSERT_EQ(problem.inputs.size(), 1U);
  EXPECT_EQ(problem.inputs[0].shape, std::vector<std::int64_t>{1000});
  EXPECT_EQ(integer_scalar(problem, "n"), 1000);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += elements<float>(problem.inputs[0])[i];
  EXPECT_EQ(sum_of(task.oracle(problem)), static_cast<float>(sum));
  EXPECT_EQ(sum_of(task.misconceptions.at(0).outcome(problem)), elements<float>(problem.inputs[0])[0]);
  EXPECT_EQ(task.misconceptions[0].name, "the first element alone");
  EXPECT_FALSE(task.work) << "nobody said how much there is to do: a kernel may take what the time limit allows";
}

TEST_F(DeclaredLabTest, TasksMayShareANameAndMistakesAFunction) {
  const std::string head = std::string(kHead).substr(0, std::string(kHead).find("[[task]]"));
  const std::string first = std::string(kHead).substr(head.size()) + kRest;
  const std::string task =
      "[[task]]\nname = \"count\"\npoints = { correct = 1 }\njudge = \"exact\"\narrays.y = { shape = [1] "
      "}\n[[task.case]]\n"
      "name = \"c\"\ngroup = \"check\"\nmake = { k = 7 }\npoints = 1\nwhy = \"w\"\n";
  const std::string mistake = "[[task.misconception]]\nname = \"m\"\nhint = \"h\"\nfunction = \"first\"\n";
  write("lab.toml", head + first + mistake + task + mistake);
  write("reduction.cuh", std::string(kContract) + "void count(int* d_y, int k);\n");
  write("oracle.cpp",
        std::string(kOracle) + "void count(int* y, int k) { *y = k; }\nvoid first(int* y, int) { *y = -1; }\n");
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  Parameters parameters;
  parameters.set("k", std::int64_t{7});
  const Problem problem = std::get<Problem>(lab->tasks.at(1).make(parameters, 1));
  EXPECT_EQ(*elements<std::int32_t>(lab->tasks[1].oracle(problem).at(0)), 7);
  EXPECT_EQ(*elements<std::int32_t>(lab->tasks[1].misconceptions.at(0).outcome(problem).at(0)), -1);
  const Problem sum = problem_of(lab->tasks[0], 10);
  EXPECT_EQ(sum_of(lab->tasks[0].misconceptions.at(1).outcome(sum)), elements<float>(sum.inputs[0])[0]);
}

TEST_F(DeclaredLabTest, CaseMayHaveOtherValuesOfAnInput) {
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  Parameters parameters;
  parameters.set("n", std::int64_t{300});
  parameters.set("x", std::string("constant(2)"));
  const Problem problem = std::get<Problem>(lab->tasks[0].make(parameters, 1));
  EXPECT_EQ(sum_of(lab->tasks[0].oracle(problem)), 600);
}

TEST_F(DeclaredLabTest, SumOfFloatsIsRightInAnyOrderAndNotFarther) {
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  const Task& task = lab->tasks[0];
  const Problem problem = problem_of(task, 100000);
  const std::vector<Array> expected = task.oracle(problem);
  std::vector<Array> got = expected;
  float forwards = 0;
  for (int i = 0; i < 100000; ++i) forwards += elements<float>(problem.inputs[0])[i];
  *elements<float>(got[0]) = forwards;
  EXPECT_TRUE(task.judge(problem, expected, got).right);
  *elements<float>(got[0]) += 500;  // the bound is about 300 here
  EXPECT_FALSE(task.judge(problem, expected, got).right);
}

// Small integers, or multiples of 1/8: no sum of them is rounded, so none may be off at all, however many they are.
TEST_F(DeclaredLabTest, SumThatNeedsNoRoundingIsExact) {
  for (const double each : {3.0, -0.125}) {
    rewrite("uniform(-1, 1)", "constant(each)");
    const auto lab = declared();
    ASSERT_TRUE(lab) << lab.sentence();
    const Task& task = lab->tasks[0];
    Parameters parameters;
    parameters.set("n", std::int64_t{5'000'000});
    parameters.set("each", each);
    const Problem problem = std::get<Problem>(task.make(parameters, 1));
    const std::vector<Array> expected = task.oracle(problem);
    EXPECT_TRUE(task.judge(problem, expected, expected).right);
    std::vector<Array> got = expected;
    *elements<float>(got[0]) += static_cast<float>(each);
    EXPECT_FALSE(task.judge(problem, expected, got).right) << each;
  }
}

TEST_F(DeclaredLabTest, SumOfVeryManyFloatsIsJudgedOnlyIfItIsExact) {
  rewrite("uniform(-1, 1)", "constant(each)");
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  const Task& task = lab->tasks[0];
  Parameters parameters;
  parameters.set("n", std::int64_t{1} << 23);
  parameters.set("each", 2.0);
  Problem problem = std::get<Problem>(task.make(parameters, 1));
  EXPECT_TRUE(task.judge(problem, task.oracle(problem), task.oracle(problem)).right) << "2^24 is a float";
  *elements<float>(problem.inputs[0]) = 3;
  EXPECT_THROW(task.judge(problem, task.oracle(problem), task.oracle(problem)), std::invalid_argument);
}

TEST_F(DeclaredLabTest, NumbersThatValuesNameAreTheCases) {
  rewrite("uniform(-1, 1)", "constant(each)");
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  Parameters parameters;
  parameters.set("n", std::int64_t{300});
  parameters.set("each", 0.5);
  EXPECT_EQ(sum_of(lab->tasks[0].oracle(std::get<Problem>(lab->tasks[0].make(parameters, 1)))), 150);
}

TEST_F(DeclaredLabTest, FunctionOfTheOracleMayMakeTheInputs) {
  rewrite("make = { n = 1000 }", "make = { n = 1000, function = \"made\" }");
  write("oracle.cpp", std::string("#include <cstdint>\n") + kOracle +
                          "void made(float* x, std::size_t n, std::uint64_t seed) {\n"
                          "  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(seed >> 60);\n}\n");
  const auto file = read_lab_file(folder());
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  const CaseFile& made = file->tasks[0].cases.at(0);
  const auto problem = std::get<Problem>(lab->tasks[0].make(made.make, 0xF000000000000000));
  EXPECT_EQ(sum_of(lab->tasks[0].oracle(problem)), 15000);
  ASSERT_EQ(problem.inputs.size(), 1U);
  EXPECT_EQ(problem.inputs[0].name, "x");

  rewrite("make = { n = 1000 }", "make = { n = 1000, function = \"made(); int x\" }");
  EXPECT_EQ(refusal(),
            "lab.toml:7: 'made(); int x' is not the name of a function, with or without numbers, such as made(0, 1)");
}

TEST_F(DeclaredLabTest, FunctionThatMakesInputsMayTakeNumbers) {
  rewrite("make = { n = 1000 }", "make = { n = 1000, function = \"made(-2, top)\", top = 0.5 }");
  write("oracle.cpp", std::string("#include <stdexcept>\n#include \"datasets/random.h\"\n") + kOracle +
                          "void made(float* x, std::size_t n, std::uint64_t seed, std::int64_t low, float high) {\n"
                          "  if (high < low) throw std::invalid_argument(\"high is less than low\");\n"
                          "  lanewise::Random random(seed);\n"
                          "  for (std::size_t i = 0; i < n; ++i) x[i] = random.uniform(low, high);\n}\n");
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  const auto made = [&](const std::string& function) {
    Parameters parameters;
    parameters.set("n", std::int64_t{1000});
    parameters.set("top", 0.5);
    parameters.set("function", function);
    return std::get<Problem>(lab->tasks[0].make(parameters, 3)).inputs.at(0).bytes;
  };
  const auto trouble = [&](const std::string& function) {
    try {
      made(function);
      return std::string();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  Parameters parameters;
  parameters.set("n", std::int64_t{1000});
  parameters.set("x", std::string("uniform(-2, 0.5)"));
  EXPECT_EQ(made("made(-2, top)"), std::get<Problem>(lab->tasks[0].make(parameters, 3)).inputs.at(0).bytes);
  EXPECT_EQ(trouble("made(1, -1)"), "oracle.cpp: made() threw an exception: high is less than low");
  EXPECT_EQ(trouble("made(1)"), "no case in lab.toml has function = \"made(...)\" with as many numbers, 1");
  EXPECT_EQ(trouble("made(1, 2"),
            "'made(1, 2' is not the name of a function, with or without numbers, such as made(0, 1)");
}

TEST_F(DeclaredLabTest, InputsMayAllBeLeftToFunctions) {
  rewrite("uniform(-1, 1)", "function");
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  try {
    problem_of(lab->tasks[0], 10);
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "the values of x: this case has to name the function that makes them, such as function = \"made\"");
  }
}

TEST_F(DeclaredLabTest, ExtentsAndFactorsMayBeSums) {
  rewrite("shape = [1]", "shape = [\"n - 1\"]");
  write("oracle.cpp",
        "#include \"reduction.cuh\"\nvoid reduce(const float* x, float* sum, std::size_t n) {\n"
        "  for (std::size_t i = 1; i < n; ++i) sum[i - 1] = x[i] - x[i - 1];\n}\n"
        "void first(const float*, float*, std::size_t) {}\n");
  auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  const Problem problem = problem_of(lab->tasks[0], 10);
  EXPECT_EQ(problem.outputs.at(0).shape, std::vector<std::int64_t>{9});
  EXPECT_EQ(element_count(lab->tasks[0].oracle(problem).at(0)), 9U);
  EXPECT_THROW(problem_of(lab->tasks[0], 0), std::invalid_argument);
  rewrite("judge = ", "flops = [2, \"n + 1\"]\njudge = ");
  lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  EXPECT_EQ(lab->tasks[0].work(problem_of(lab->tasks[0], 1000)).flops, 2002);
}

TEST_F(DeclaredLabTest, InputsThatAreNotMadeWholeAreRefused) {
  rewrite("make = { n = 1000 }", "make = { n = 1000, function = \"made\" }");
  write("oracle.cpp", std::string("#include <cstdint>\n") + kOracle +
                          "void made(float* x, std::size_t n, std::uint64_t) {\n"
                          "  for (std::size_t i = 0; i + 1 < n; ++i) x[i] = 1;\n}\n");
  const auto file = read_lab_file(folder());
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  try {
    lab->tasks[0].make(file->tasks[0].cases.at(0).make, 1);
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "the oracle's made() does not write x[999]");
  }
}

// What tells memory that nobody wrote is a value like any other.
TEST_F(DeclaredLabTest, RightAnswerMayLookUnwritten) {
  const std::string oracle = std::string("#include <cstring>\n") + kOracle;
  const std::string write_sum = "*sum = static_cast<float>(all);";
  const std::string copy = "unsigned bits = 0xA5A5A5A5; std::memcpy(sum, &bits, 4);";
  write("oracle.cpp", std::string(oracle).replace(oracle.find(write_sum), write_sum.size(), copy));
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  const std::vector<Array> right = lab->tasks[0].oracle(problem_of(lab->tasks[0], 4));
  EXPECT_EQ(right.at(0).bytes, std::vector<std::byte>(4, kPoison));
}

// One byte is often what unwritten memory holds.
TEST_F(DeclaredLabTest, BytesThatAreNotWrittenAreFound) {
  rewrite("x = {", "y = { shape = [\"n\"] }\nx = {");
  write("reduction.cuh",
        "#include <cstddef>\n#include <cstdint>\n"
        "void reduce(const float* d_x, float* d_sum, std::uint8_t* d_y, std::size_t n);\n");
  const auto answer = [&](const std::string& loop) {
    write("oracle.cpp",
          "#include \"reduction.cuh\"\n"
          "void reduce(const float*, float* sum, std::uint8_t* y, std::size_t n) { *sum = 0; " +
              loop + " }\nvoid first(const float*, float*, std::uint8_t*, std::size_t) {}\n");
    const auto lab = declared();
    EXPECT_TRUE(lab) << lab.sentence();
    try {
      lab->tasks[0].oracle(problem_of(lab->tasks[0], 9));
      return std::string();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(answer("for (std::size_t i = 0; i < n; ++i) y[i] = 0xA5;"), "");
  EXPECT_EQ(answer("for (std::size_t i = 0; i + 1 < n; ++i) y[i] = 0xA5;"),
            "the oracle's reduce() does not write y[8]");
}

TEST_F(DeclaredLabTest, MistakeIsTriedWithEachNumberAndInEveryTask) {
  const std::string mistake =
      "[[misconception]]\nname = \"of all\"\nhint = \"h\"\nfunction = \"first\"\n"
      "with = [2, 5]\nseen_by = [\"racecheck\"]\n";
  write("lab.toml", std::string(kHead) + kRest + mistake);
  write("oracle.cpp", std::string(kOracle) +
                          "void first(const float* x, float* sum, std::size_t, int count) {\n"
                          "  *sum = 0;\n  for (int i = 0; i < count; ++i) *sum += x[i];\n}\n");
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  const Task& task = lab->tasks[0];
  ASSERT_EQ(task.misconceptions.size(), 3U);
  Parameters parameters;
  parameters.set("n", std::int64_t{10});
  parameters.set("x", std::string("constant(1)"));
  const Problem problem = std::get<Problem>(task.make(parameters, 1));
  EXPECT_EQ(sum_of(task.misconceptions[0].outcome(problem)), 1) << "the task's own";
  EXPECT_EQ(sum_of(task.misconceptions[1].outcome(problem)), 2);
  EXPECT_EQ(sum_of(task.misconceptions[2].outcome(problem)), 5);
  EXPECT_EQ(task.misconceptions[2].name, "of all");
  EXPECT_EQ(task.misconceptions[2].seen_by, std::set<std::string>{"racecheck"});
}

// On a GPU fresh memory is zeros, as a rule; on the virtual one it is not.
TEST_F(DeclaredLabTest, WhatAMistakeLeavesUnwrittenIsFreshMemoryOnlyIfTheCodeAllocatesIt) {
  write("oracle.cpp", std::string(kOracle).replace(std::string(kOracle).find("*sum = x[0];"), 12, ""));
  const auto left = [&](const std::string& keys, const std::string& memory) {
    write("lab.toml", std::string(kHead) + memory + kRest + keys);
    const auto lab = declared();
    EXPECT_TRUE(lab) << lab.sentence();
    std::vector<int> bytes;
    const Problem problem = problem_of(lab->tasks[0], 4);
    for (const Misconception& mistake : lab->tasks[0].misconceptions)
      bytes.push_back(std::to_integer<int>(mistake.outcome(problem).at(0).bytes.at(0)));
    return bytes;
  };
  const int poison = std::to_integer<int>(kPoison);
  EXPECT_EQ(left("", "memory = \"host\"\n"), std::vector<int>{poison});
  EXPECT_EQ(left("unwritten = \"device memory\"\n", "memory = \"host\"\n"), (std::vector<int>{0, 0xCB}));
  EXPECT_EQ(left("unwritten = \"device memory\"\n", ""), std::vector<int>{poison}) << "the harness allocated it";
}

// Memory is used again from call to call where there is much of it.
TEST_F(DeclaredLabTest, WhatAnEarlierCallWroteDoesNotShow) {
  rewrite("shape = [1]", "shape = [\"n\"]");
  write("oracle.cpp",
        "#include \"reduction.cuh\"\nvoid reduce(const float* x, float* sum, std::size_t n) {\n"
        "  for (std::size_t i = 0; i < n; ++i) sum[i] = x[i];\n}\n"
        "void first(const float* x, float* sum, std::size_t) { *sum = x[0]; }\n");
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  const Task& task = lab->tasks[0];
  const Problem problem = problem_of(task, 300'000);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(task.oracle(problem).at(0).bytes, problem.inputs[0].bytes);
    const std::vector<Array> left = task.misconceptions.at(0).outcome(problem);
    const auto& bytes = left.at(0).bytes;
    EXPECT_EQ(sum_of(left), elements<float>(problem.inputs[0])[0]);
    EXPECT_TRUE(std::all_of(bytes.begin() + 4, bytes.end(), [](std::byte b) { return b == kPoison; }));
  }
}

TEST_F(DeclaredLabTest, WorkIsWhatIsMovedAndTheDeclaredOperations) {
  rewrite("judge = ", "flops = [2, \"n\"]\njudge = ");
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  const Work work = lab->tasks[0].work(problem_of(lab->tasks[0], 1000));
  EXPECT_EQ(work.bytes, 4004);
  EXPECT_EQ(work.flops, 2000);
}

TEST_F(DeclaredLabTest, OracleThatChangedIsCompiledAnew) {
  auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  const Problem problem = problem_of(lab->tasks[0], 10);
  lab->tasks[0].oracle(problem);
  write("oracle.cpp",
        "#include \"reduction.cuh\"\nvoid reduce(const float*, float* sum, std::size_t) { *sum = 42; }\n"
        "void first(const float*, float*, std::size_t) {}\n");
  lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  EXPECT_EQ(sum_of(lab->tasks[0].oracle(problem)), 42);
}

TEST_F(DeclaredLabTest, FirstThingThatIsWrongWithAnOracleIsSaidInOneLine) {
  const auto trouble = [&](const std::string& oracle) {
    write("oracle.cpp", oracle);
    const auto lab = declare_lab(*read_lab_file(folder()), installation_, /*compile_ahead=*/true);
    const std::string sentence = lab ? lab->trouble() : lab.sentence();
    if (sentence.empty()) return sentence;
    EXPECT_EQ(sentence.rfind(folder().string() + ": ", 0), 0U) << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    return sentence.substr(folder().string().size() + 2);
  };
  EXPECT_EQ(trouble(kOracle), "");
  EXPECT_EQ(trouble(std::string("int i = ;\n") + kOracle),
            "oracle.cpp:1:9: error: expected primary-expression before ‘;’ token");
  EXPECT_EQ(trouble("#include \"reduction.cuh\"\nvoid first(const float*, float*, std::size_t) {}\n"),
            "oracle.cpp defines no reduce(float const*, float*, unsigned long)");
  const std::string without =
      trouble("#include \"reduction.cuh\"\nvoid reduce(const float*, float*, std::size_t) {}\n");
  EXPECT_EQ(without.rfind("oracle.cpp: ‘first’ was not declared in this scope", 0), 0U) << without;
}

TEST_F(DeclaredLabTest, FaultOfTheOracleIsToldAndTakesNothingWithIt) {
  const auto fault = [&](const std::string& body) {
    write("oracle.cpp",
          "#include \"reduction.cuh\"\n#include <cstdlib>\nvoid reduce(const float* x, float* sum, std::size_t n) "
          "{ (void)x; (void)n; (void)sum; " +
              body + " }\nvoid first(const float*, float*, std::size_t) {}\n");
    const auto lab = declared();
    EXPECT_TRUE(lab) << lab.sentence();
    try {
      lab->tasks[0].oracle(problem_of(lab->tasks[0], 8));
      return std::string();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(fault("*sum = 1;"), "");
  EXPECT_EQ(fault("volatile float* nothing = nullptr; *nothing = 1;"),
            "oracle.cpp: reduce() crashed (Segmentation fault)");
  EXPECT_EQ(fault("for (int i = 0; i < 100; ++i) sum[i] = 1;"), "oracle.cpp: reduce() crashed (Segmentation fault)");
  EXPECT_EQ(fault("*sum = 0; for (std::size_t i = 0; i <= n; ++i) *sum += x[i];"),
            "oracle.cpp: reduce() crashed (Segmentation fault)");
  EXPECT_EQ(fault("std::exit(0);"), "oracle.cpp: reduce() ended the program");
  EXPECT_EQ(fault("throw 1;"), "oracle.cpp: reduce() threw an exception");
  EXPECT_EQ(fault(""), "the oracle's reduce() does not write sum[0]");
}

TEST_F(DeclaredLabTest, CaseWhoseZerosAreRightIsNoted) {
  const auto file = read_lab_file(folder());
  ASSERT_TRUE(file);
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  TaskFile task = file->tasks[0];
  EXPECT_EQ(accepting_zeros("reduction", lab->tasks[0], task), std::vector<std::string>());
  task.cases[0].make.set("n", std::int64_t{1000000});
  EXPECT_EQ(accepting_zeros("reduction", lab->tasks[0], task), std::vector<std::string>{"any"});
  task.cases[0].make.set("x", std::string("uniform(0, 1)"));
  EXPECT_EQ(accepting_zeros("reduction", lab->tasks[0], task), std::vector<std::string>());
}

TEST_F(DeclaredLabTest, WhatDoesNotGoWithTheContractIsNamedWithItsLine) {
  EXPECT_EQ(refusal(), "");
  rewrite("name = \"reduce\"", "name = \"reduces\"");
  EXPECT_EQ(refusal(), "lab.toml:7: the contract declares no function 'void reduces(...)'");
  rewrite("x = { shape = [\"n\"], values = \"uniform(-1, 1)\" }\n", "");
  EXPECT_EQ(refusal(), "lab.toml:7: the contract's reduce takes the array x, which [task.arrays] does not describe");
  rewrite("sum = ", "total = { shape = [1] }\nsum = ");
  EXPECT_EQ(refusal(), "lab.toml:13: the contract's reduce takes no array total");
  rewrite(", values = \"uniform(-1, 1)\"", "");
  EXPECT_EQ(refusal(), "lab.toml:12: the input x needs values, such as \"uniform(-1, 1)\"");
  rewrite("[1] }", "[1], values = \"ascending\" }");
  EXPECT_EQ(refusal(),
            "lab.toml:13: sum is not const in the contract: an output, which has no values here. What is both read and "
            "written needs a lab in C++");
  rewrite("[\"n\"]", "[\"m\"]");
  EXPECT_EQ(refusal(), "lab.toml:12: the contract's reduce takes no number m, which the shape of x names");
  rewrite("[\"n\"]", "[\"n + m\"]");
  EXPECT_EQ(refusal(), "lab.toml:12: the contract's reduce takes no number m, which the shape of x names");
  rewrite("[\"n\"]", "[\"2 * n\"]");
  EXPECT_EQ(refusal(),
            "lab.toml:12: '2 * n', which the shape of x names, is neither a number nor the name of one, nor a sum such "
            "as \"n + 1\"");
  rewrite("judge = ", "flops = [\"m\"]\njudge = ");
  EXPECT_EQ(refusal(), "lab.toml:7: the contract's reduce takes no number m, which 'flops' names");
  rewrite("function = \"first\"", "function = \"first\"\nseen_by = [\"lint\"]");
  EXPECT_EQ(refusal(), "lab.toml:20: no checker is called 'lint'; they are memcheck, initcheck, racecheck, synccheck");
  rewrite("function = \"first\"", "function = \"first()\"");
  EXPECT_EQ(refusal(), "lab.toml:23: 'first()' is not the name of a function");
  rewrite("function = \"first\"", "function = \"first\"\nwith = [0.5]");
  EXPECT_EQ(refusal(), "lab.toml:24: the key 'with' must be a list of whole numbers");
  rewrite("sum_of = \"x\"", "sum_of = \"sum\"");
  EXPECT_EQ(refusal(), "lab.toml:7: 'sum', whose sum is judged, is no input of floats");
  rewrite("{ sum_of = \"x\" }", "\"exactly\"");
  EXPECT_EQ(refusal(),
            "lab.toml:10: the key 'judge' must be \"exact\", { ulps = N }, { levels = N } or { sum_of = \"ARRAY\" }");
  rewrite("oracle = \"oracle.cpp\"", "oracle = \"oracle.cpp\"\nentry = \"reduction.cu\"");
  EXPECT_NE(refusal().find("a lab has an entry or an oracle"), std::string::npos) << refusal();
}

TEST_F(DeclaredLabTest, MistakeInTheContractIsNamedWithItsLineThere) {
  write("reduction.cuh",
        "#pragma once\n#include <cstddef>\nvoid reduce(const float* d_x,\n            bool* d_sum);\n");
  EXPECT_EQ(refusal().rfind("reduction.cuh:4: the contract's reduce takes 'bool* d_sum'; ", 0), 0U) << refusal();
  write("reduction.cuh", "#include <cstddef>\nfloat reduce(const float* d_x, std::size_t n);\n");
  EXPECT_EQ(refusal(),
            "reduction.cuh:2: the contract declares no function 'void reduce(...)'; what is declared here is another "
            "kind");
}

TEST_F(DeclaredLabTest, ParametersOfACaseAreThoseOfTheContract) {
  const auto lab = declared();
  ASSERT_TRUE(lab) << lab.sentence();
  const auto trouble = [&](const char* key, const Parameters::Value& value) {
    Parameters parameters;
    parameters.set("n", std::int64_t{4});
    parameters.set(key, value);
    try {
      lab->tasks[0].make(parameters, 1);
      return std::string();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(trouble("m", std::int64_t{1}),
            "the contract's reduce takes neither a number nor an input called 'm', and no values here name it");
  EXPECT_EQ(trouble("sum", std::string("ascending")),
            "the contract's reduce takes neither a number nor an input called 'sum', and no values here name it");
  EXPECT_EQ(trouble("function", std::string("nobody")), "no case in lab.toml has function = \"nobody\"");
  EXPECT_EQ(trouble("x", std::string("constant(top)")), "the case's make table lacks the key 'top'; it has n, x");
  EXPECT_EQ(trouble("n", std::int64_t{-1}), "n is negative");
  EXPECT_NE(trouble("n", 0.5).find("must be an integer"), std::string::npos);
  EXPECT_NE(trouble("x", std::string("spiral")).find("the values of x: "), std::string::npos);
}

}  // namespace
}  // namespace lanewise
