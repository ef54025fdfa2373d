// `lanewise bench` writes the table of a ladder, writes the same again, and notices one that is stale.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "grader/bench/bench_times.h"
#include "grader/bench/gpu_times.h"
#include "grader/bench/ready_cases.h"
#include "grader/workplace/workplace.h"
#include "harness/declared/known_labs.h"
#include "harness/lab/lab.h"
#include "harness/lab/measured.h"
#include "harness/runner/process.h"
#include "harness/runner/session/backend.h"

namespace lanewise::bench_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRight =
    "#include \"vecadd.cuh\"\n"
    "__global__ void add(const float* a, const float* b, float* c, std::size_t n) {\n"
    "  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i] + b[i];\n}\n"
    "void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {\n"
    "  if (n > 0) add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);\n}\n";

class BenchFlow : public ::testing::Test {
 protected:
  BenchFlow() : root_(fs::temp_directory_path() / ("lanewise_bench_flow_test_" + std::to_string(getpid()))) {
    folder_ = root_ / "solutions" / "vecadd" / "vec_add_device";
    fs::create_directories(folder_ / "wrong");
    std::ofstream(readme()) << "# Solutions\n\nA word.\n";
    put("1_plain.cu", kRight);
  }
  ~BenchFlow() override { fs::remove_all(root_); }

  fs::path readme() const { return root_ / "solutions" / "vecadd" / "README.md"; }

  void put(const std::string& name, const std::string& source) { std::ofstream(folder_ / name) << source; }

  std::string table() const {
    std::ifstream stream(readme());
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  int run(std::vector<std::string> arguments = {}) {
    ProcessOptions options;
    options.command = {LANEWISE_EXECUTABLE, "bench", "vec_add_device"};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.environment = {"LANEWISE_SOLUTIONS=" + (root_ / "solutions").string(), "PATH=/usr/bin:/bin",
                           "LANG=C.UTF-8"};
    const auto finished = run_to_end(options, std::chrono::seconds(120), 1 << 20);
    EXPECT_TRUE(finished && !finished->timed_out && WIFEXITED(finished->status));
    if (!finished) return -1;
    text_ = finished->output;
    return WEXITSTATUS(finished->status);
  }

  bool says(const std::string& part) const { return text_.find(part) != std::string::npos; }

  fs::path root_;
  fs::path folder_;
  std::string text_;
};

TEST_F(BenchFlow, WritesATableAndNoticesOneThatIsStale) {
  put("library_x.cu", std::string("// peer: x; needs: nvidia gpu\n") + kRight);
  EXPECT_EQ(run({"--check"}), 1);
  EXPECT_TRUE(says("the table of vec_add_device is stale")) << text_;
  EXPECT_EQ(table(), "# Solutions\n\nA word.\n") << "--check writes nothing";

  EXPECT_EQ(run(), 0) << text_;
  EXPECT_TRUE(says("README.md  written: vec_add_device")) << text_;
  EXPECT_EQ(table().rfind("# Solutions\n\nA word.\n\n<!-- ladder of vec_add_device -->\n", 0), 0U) << table();
  EXPECT_NE(table().find("| [`1_plain.cu`](vec_add_device/1_plain.cu) | 15 of 15 | none | "), std::string::npos);
  EXPECT_NE(table().find(" | 125,000 | 4.00 | "), std::string::npos) << "2,000,000 loads twice, 32 a request\n"
                                                                     << table();
  EXPECT_NE(table().find("| [`library_x.cu`](vec_add_device/library_x.cu) | – | – | – |"), std::string::npos);

  EXPECT_EQ(run({"--check"}), 0) << text_;
  EXPECT_EQ(run(), 0) << text_;
  EXPECT_TRUE(says("README.md  unchanged")) << text_;

  std::string text = table();
  text.replace(text.find("15 of 15"), 8, "14 of 15");
  std::ofstream(readme()) << text;
  EXPECT_EQ(run({"--check"}), 1) << text_;
  EXPECT_TRUE(says("README.md: the table of vec_add_device is stale; run 'lanewise bench vec_add_device'")) << text_;

  text.replace(text.find("nvcc 1"), 6, "nvcc 9");
  std::ofstream(readme()) << text;
  EXPECT_EQ(run({"--check"}), 0) << "another compiler, other numbers\n" << text_;
  EXPECT_TRUE(says("not compared")) << text_;
}

TEST_F(BenchFlow, TimesComeFromWhatWasMeasured) {
  std::ofstream(root_ / "solutions" / "vecadd" / "measured.toml")
      << "[[task]]\nname = \"vec_add_device\"\ngpu = \"NVIDIA H200\"\ndriver = \"1.2\"\ncuda = \"13.0\"\nsm_clock = "
         "1980\n"
         "date = \"2026-11-22\"\n[[task.time]]\nstep = \"1_plain.cu\"\ncase = \"race\"\nmilliseconds = 0.75\n"
         "samples = 15\nbytes = 3000000000\nwritten = 1000000000\nflops = 1\nright = true\nsource = \"" +
             code_hash(kRight) + "\"\n";
  EXPECT_EQ(run(), 0) << text_;
  EXPECT_NE(table().find("| H200, race |"), std::string::npos) << table();
  EXPECT_NE(table().find("| 0.750 ms · 4,000 GB/s |"), std::string::npos) << table();
}

TEST_F(BenchFlow, TimesOfAnEarlierVersionAreSaidToBe) {
  std::ofstream(root_ / "solutions" / "vecadd" / "measured.toml")
      << measured_text({{"vec_add_device",
                         "NVIDIA H200",
                         "1.2",
                         "13.0",
                         1980,
                         "2026-11-22",
                         {{"1_plain.cu", "race", 0.75, 15, 3e9, 1, true, code_hash(kRight)}}}});
  put("1_plain.cu", std::string("// A new header.\n") + kRight);
  EXPECT_EQ(run(), 0) << text_;
  EXPECT_NE(table().find("| 0.750 ms · 4,000 GB/s |"), std::string::npos) << table();
  put("1_plain.cu", std::string(kRight) + "static int more;\n");
  EXPECT_EQ(run({"--check"}), 1) << text_;
  EXPECT_EQ(run(), 0) << text_;
  EXPECT_NE(table().find("| 0.750 ms · 4,000 GB/s (earlier version) |"), std::string::npos) << table();
}

TEST_F(BenchFlow, StepsThatAreNotRightAreShownAndFail) {
  put("2_nothing.cu",
      "#include \"vecadd.cuh\"\nvoid vec_add_device(const float*, const float*, float*, std::size_t) {}\n");
  EXPECT_EQ(run(), 1) << text_;
  EXPECT_TRUE(says("vec_add_device · 2_nothing.cu: ")) << text_;
  EXPECT_NE(table().find("| [`2_nothing.cu`](vec_add_device/2_nothing.cu) | no: "), std::string::npos) << table();
}

TEST_F(BenchFlow, MarkersThatDoNotFitAreLeftAlone) {
  std::ofstream(readme()) << "<!-- ladder of vec_add_device -->\n";
  EXPECT_EQ(run(), 3) << text_;
  EXPECT_TRUE(says("has no '<!-- end of ladder of vec_add_device -->' after it")) << text_;
  EXPECT_EQ(table(), "<!-- ladder of vec_add_device -->\n");
}

TEST_F(BenchFlow, CommandLinesThatMakeNoSenseAreSaid) {
  EXPECT_EQ(run({"--check", "--backend", "gpu"}), 2);
  EXPECT_TRUE(says("--check compares the tables")) << text_;
  EXPECT_EQ(run({"--check", "--write-calls", (root_ / "calls").string()}), 2);
  EXPECT_TRUE(says("--check writes nothing")) << text_;
  EXPECT_FALSE(fs::exists(root_ / "calls"));
  EXPECT_EQ(run({"--check", "--only", "race"}), 2) << text_;
  EXPECT_EQ(run({"--backend", "vgpu", "--only", "scaling"}), 2);
  EXPECT_TRUE(says("--only scaling measures times, which needs a GPU")) << text_;
}

TEST_F(BenchFlow, WithoutAGpuThereAreNoTimesAndNoOtherBackendIsAdvised) {
  if (probe_gpu(this_installation())) GTEST_SKIP() << "here is a GPU";
  EXPECT_EQ(run({"--only", "race"}), 3);
  EXPECT_TRUE(says("--only race measures times on a GPU, and none responds")) << text_;
  EXPECT_FALSE(says("--backend")) << text_;
}

TEST_F(BenchFlow, CallsCanBeMadeByAnyone) {
  const fs::path calls = root_ / "calls";
  put("library_x.cu", std::string("// peer: x; needs: nvidia gpu\n") + kRight);
  EXPECT_EQ(run({"--write-calls", calls.string(), "--backend", "vgpu"}), 0) << text_;
  std::ifstream stream(calls / "calls");
  std::string name;
  std::string command;
  std::getline(stream, name, '\t');
  std::getline(stream, command);
  EXPECT_EQ(name, "vecadd.vec_add_device.1_plain");
  EXPECT_NE(command.find("vec_add_device.2.problem"), std::string::npos)
      << "a second case, of an odd size: " << command;
  ProcessOptions process;
  process.command = {"/bin/sh", "-c", command};
  const auto finished = run_to_end(process, std::chrono::seconds(60), 1 << 16);
  ASSERT_TRUE(finished);
  EXPECT_TRUE(finished->succeeded()) << finished->output;
  EXPECT_FALSE(std::getline(stream, name)) << "the peer needs a GPU: " << name;
}

TEST_F(BenchFlow, CallsOfWhatDoesNotCompileAreLeftOutAndSaid) {
  const fs::path calls = root_ / "calls";
  put("0_broken.cu", "#include \"vecadd.cuh\"\nvoid vec_add_device(\n");
  EXPECT_EQ(run({"--write-calls", calls.string(), "--backend", "vgpu"}), 1) << text_;
  EXPECT_TRUE(says("0_broken.cu does not compile")) << text_;
  std::ifstream stream(calls / "calls");
  std::string name;
  std::getline(stream, name, '\t');
  EXPECT_EQ(name, "vecadd.vec_add_device.1_plain");
}

TEST_F(BenchFlow, AStepFarFromTheOneBeforeSaysWhyInItsHeader) {
  std::string far = kRight;
  for (int line = 0; line < 121; ++line) far += "static int number_" + std::to_string(line) + ";\n";
  put("2_far.cu", far);
  EXPECT_EQ(run({"--only", "pages"}), 1);
  EXPECT_TRUE(says("2_far.cu: 121 lines of code differ from the step before, more than 120")) << text_;
  put("2_far.cu", "// Leap      all or nothing.\n" + far);
  EXPECT_EQ(run({"--only", "pages"}), 0) << text_;
  put("2_far.cu", far.substr(0, far.rfind("static")));
  EXPECT_EQ(run({"--only", "pages"}), 0) << text_;
}

TEST_F(BenchFlow, OnlySolutionsThatCanBeComparedNeedATable) {
  const fs::path warm_up = root_ / "solutions" / "puzzles" / "map";
  fs::create_directories(warm_up);
  std::ofstream(warm_up / "1_map.cu") << "// The only step.\n";
  EXPECT_EQ(run(), 0) << text_;
  EXPECT_EQ(run({"map", "--check"}), 0) << text_;
  std::ofstream(warm_up / "2_map.cu") << "// Another one.\n";
  EXPECT_EQ(run({"map", "--check"}), 1) << text_;
  EXPECT_TRUE(says("the task map has no [task.ladder], so its solutions have no table")) << text_;
}

TEST_F(BenchFlow, PagesAreMadeOfFilesAlone) {
  const fs::path solutions = root_ / "solutions";
  const fs::path figure = solutions / "figures" / "vec_add_device_race.svg";
  std::ofstream(solutions / "vecadd" / "measured.toml")
      << measured_text({{"vec_add_device",
                         "NVIDIA H200",
                         "1.2",
                         "13.0",
                         1980,
                         "2026-11-22",
                         {{"1_plain.cu", "race", 0.75, 15, 3e9, 1, true, code_hash(kRight)}}}});
  EXPECT_EQ(run({"--only", "pages", "--check"}), 1) << text_;
  EXPECT_TRUE(says("README.md and 2 more are stale")) << text_;
  EXPECT_FALSE(fs::exists(figure)) << "--check writes nothing";
  fs::create_directories(solutions / "figures");
  std::ofstream(solutions / "figures" / "of_an_old_task.svg") << "<svg/>\n";

  EXPECT_EQ(run({"--only", "pages"}), 0) << text_;
  EXPECT_TRUE(fs::exists(figure));
  EXPECT_FALSE(fs::exists(solutions / "figures" / "of_an_old_task.svg"));
  std::ifstream stream(solutions / "README.md");
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  EXPECT_NE(page.find("| [`1_plain.cu`](vecadd/vec_add_device/1_plain.cu) |  | 0.750 ms | 4,000 GB/s |"),
            std::string::npos)
      << page;
  EXPECT_EQ(table(), "# Solutions\n\nA word.\n") << "tables are not pages";
  EXPECT_EQ(run({"--only", "pages", "--check"}), 0) << text_;

  put("1_plain.cu", std::string(kRight) + "static int more;\n");
  EXPECT_EQ(run({"--only", "pages", "--check"}), 1) << "the time is of an earlier version now\n" << text_;
}

// What a GPU is timed with, on the virtual one: the numbers mean nothing, the way they take is the same.
class BenchTiming : public BenchFlow {
 protected:
  BenchTiming() : installation_(find_installation(LANEWISE_EXECUTABLE)) {}

  void find() {
    const auto all = known_labs(installation_);
    if (!all) ADD_FAILURE() << all.sentence();
    selected_ = *select_labs(*all, {"vec_add_device"});
    for (TaskFile& task : selected_.front().file.tasks) {
      for (CaseFile& each : task.cases) {
        each.group = each.name == "a hundred" ? "timed" : "other";
        if (each.name == "a hundred") each.backend = "";
      }
      task.ladder.case_name = "one";
      task.scaling = {"a hundred", {"n"}, {32, 1000}};
    }
    ladders_ = find_ladders(selected_, root_ / "solutions");
  }

  std::vector<MeasuredTask> time(const TimedParts& parts) {
    find();
    const auto workplace = open_workplace(installation_, BackendChoice::kVgpu);
    if (!workplace) ADD_FAILURE() << workplace.sentence();
    TimingOptions options;
    options.scratch = root_;
    options.date = "2026-11-22";
    options.cccl = "3.0.1";
    options.progress = [](const std::string&) {};
    options.trouble = [this](const std::string& sentence) { text_ += sentence + "\n"; };
    const auto cases = make_ready(ladders_.at(0), parts, "timed", root_);
    return time_ladder(ladders_[0], cases, *workplace, options);
  }

  Installation installation_;
  std::vector<LabSelection> selected_;
  std::vector<Ladder> ladders_;
};

TEST_F(BenchTiming, StepsAreTimedAndJudged) {
  std::string wrong = kRight;
  wrong.replace(wrong.find("a[i] + b[i]"), 11, "a[i] - b[i]");
  put("2_wrong.cu", wrong);
  const auto tasks = time({true, false, false});
  ASSERT_EQ(tasks.size(), 1U);
  const MeasuredTask& measured = tasks[0];
  EXPECT_EQ(measured.group, kRaceTimes);
  ASSERT_EQ(measured.times.size(), 2U) << text_;
  EXPECT_EQ(measured.times[0].step, "1_plain.cu");
  EXPECT_EQ(measured.times[0].case_name, "a hundred");
  EXPECT_TRUE(measured.times[0].right);
  EXPECT_GE(measured.times[0].samples, 3);
  EXPECT_GT(measured.times[0].milliseconds, 0);
  EXPECT_LE(measured.times[0].low, measured.times[0].milliseconds);
  EXPECT_GE(measured.times[0].high, measured.times[0].milliseconds);
  EXPECT_EQ(measured.times[0].bytes, 1200);
  EXPECT_EQ(measured.times[0].source, code_hash(kRight));
  EXPECT_FALSE(measured.times[1].right);
  EXPECT_TRUE(says("vec_add_device · 2_wrong.cu · a hundred: wrong result: ")) << text_;
  EXPECT_EQ(measured.date, "2026-11-22");
  EXPECT_EQ(measured.cccl, "3.0.1");
}

TEST_F(BenchTiming, AProcessAStepTakesAllPartsAndTheLastStepAllSizes) {
  put("2_same.cu", kRight);
  const auto tasks = time({true, true, true});
  ASSERT_EQ(tasks.size(), 3U) << text_;
  const MeasuredTask* const check = find_measured(tasks, "vec_add_device", kCheckTimes);
  ASSERT_NE(check, nullptr);
  ASSERT_EQ(check->times.size(), 2U);
  EXPECT_EQ(check->times[1].case_name, "one");
  EXPECT_TRUE(check->times[1].right);
  const MeasuredTask* const scaling = find_measured(tasks, "vec_add_device", kScalingTimes);
  ASSERT_NE(scaling, nullptr);
  ASSERT_EQ(scaling->times.size(), 2U) << "the first step is neither the last nor the reference";
  EXPECT_EQ(scaling->times[0].step, "2_same.cu");
  EXPECT_EQ(scaling->times[0].size, 32);
  EXPECT_EQ(scaling->times[1].size, 1000);
  EXPECT_EQ(scaling->times[1].bytes, 12000);
  EXPECT_TRUE(scaling->times[1].right);
}

TEST_F(BenchTiming, ACaseThatBreaksAStepLeavesTheOthers) {
  std::string breaking = kRight;
  breaking.replace(breaking.find("  if (n > 0)"), 12, "  if (n == 32) __builtin_trap();\n  if (n > 0)");
  put("1_plain.cu", breaking);
  const auto tasks = time({true, true, true});
  const MeasuredTask* const scaling = find_measured(tasks, "vec_add_device", kScalingTimes);
  ASSERT_NE(scaling, nullptr) << text_;
  ASSERT_EQ(scaling->times.size(), 1U);
  EXPECT_EQ(scaling->times[0].size, 1000) << "which comes after the one that broke it";
  EXPECT_NE(find_measured(tasks, "vec_add_device", kRaceTimes), nullptr) << "which came before";
  EXPECT_TRUE(says("1_plain.cu · a hundred, n = 32: it could not be timed")) << text_;
}

// Each part may come from a run of its own, and an interrupted run leaves what the one before it measured.
TEST_F(BenchTiming, PartsAreKeptBesideOneAnother) {
  find();
  installation_.solutions = root_ / "solutions";
  const auto workplace = open_workplace(installation_, BackendChoice::kVgpu);
  ASSERT_TRUE(workplace) << workplace.sentence();
  Progress progress(STDERR_FILENO, 80);
  BenchTimesRequest request;
  request.ladders = &ladders_;
  request.workplace = &*workplace;
  request.roofs = false;
  request.progress = &progress;
  request.note = [this](const std::string& sentence) { text_ += sentence + "\n"; };
  const auto keep = [&](const TimedParts& parts) {
    request.parts = parts;
    return measure_ladders(request);
  };
  const fs::path file = root_ / "solutions" / "vecadd" / "measured.toml";
  EXPECT_EQ(keep({false, true, false}), 0) << text_;
  EXPECT_EQ(keep({false, false, true}), 0) << text_;
  auto kept = read_measured(file);
  ASSERT_TRUE(kept) << kept.sentence();
  EXPECT_EQ(kept->size(), 2U);
  const MeasuredTask* const check = find_measured(*kept, "vec_add_device", kCheckTimes);
  ASSERT_NE(check, nullptr);
  const double before = check->times.at(0).milliseconds;

  put("1_plain.cu", "#include \"vecadd.cuh\"\nvoid vec_add_device(\n");
  EXPECT_EQ(keep({false, true, false}), 0);
  EXPECT_TRUE(says("1_plain.cu · one: it does not compile")) << text_;
  kept = read_measured(file);
  ASSERT_TRUE(kept) << kept.sentence();
  ASSERT_EQ(kept->size(), 2U) << "what could not be timed anew stays as it was";
  EXPECT_EQ(find_measured(*kept, "vec_add_device", kCheckTimes)->times.at(0).milliseconds, before);
}

}  // namespace
}  // namespace lanewise::bench_flow_test
