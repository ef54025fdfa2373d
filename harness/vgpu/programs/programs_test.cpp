// Whole programs on the virtual GPU print, to the last byte, what they print on an H200 (NAME.expected, recorded there
// by scripts/gpu_check.sh --record), with any schedule, wherever the devices are, and no checker has anything to say
// about them.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace vgpu::programs_test {
namespace {

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Outcome {
  std::string output;
  std::string errors;
  std::string findings;
  int exit_code = -1;
};

/// Devices in a process of their own write their report after the program has ended; they hold a lock until then.
void wait_for(const std::string& report) {
  const int file = open(report.c_str(), O_RDONLY | O_CLOEXEC);
  if (file == -1) return;
  flock(file, LOCK_EX);
  close(file);
}

constexpr const char* kDevicesWithin = "LD_PRELOAD=" VGPU_RUNTIME;
constexpr const char* kDevicesApart = "LANEWISE_VGPU_DEVICE_PROGRAM=" VGPU_DEVICES " LD_PRELOAD=" VGPU_PROGRAM_RUNTIME;

Outcome run(const std::string& name, const std::string& environment, const char* runtime = kDevicesWithin) {
  const std::string report = testing::TempDir() + name + ".findings", errors = testing::TempDir() + name + ".errors";
  const std::string devices = name == "devices" ? " LANEWISE_VGPU_DEVICES=2" : "";
  const std::string command = environment + devices + " LANEWISE_VGPU_REPORT=" + report + " " + runtime +
                              " " VGPU_PROGRAMS_BINARY "/" + name + " 2>" + errors;
  Outcome outcome;
  FILE* const pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (std::size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.output.append(buffer, got);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  wait_for(report);
  outcome.errors = contents_of(errors);
  auto document = nlohmann::json::parse(contents_of(report), nullptr, /*allow_exceptions=*/false);
  if (document.is_object())
    for (auto& finding : document["findings"])
      for (const char* key : {"site", "allocations"}) finding.erase(key);  // not known where devices are within
  outcome.findings = document.is_object() ? document["findings"].dump() : "no report";
  return outcome;
}

/// As anybody would run it; once for all tests.
const Outcome& run_naturally(const char* name) {
  static std::map<std::string, Outcome> known;
  const auto [found, is_new] = known.try_emplace(name);
  if (is_new) found->second = run(name, "");
  return found->second;
}

/// A program that makes no mistakes on purpose has no findings.
void expect_no_findings(const std::string& name, const Outcome& outcome) {
  static const std::set<std::string> kMistaken = {"calls",        "captures", "devices",       "errors",
                                                  "graph_errors", "graphs",   "texture_errors"};
  if (kMistaken.count(name) != 0) return;
  EXPECT_EQ(outcome.findings, "[]");
}

class Program : public testing::TestWithParam<const char*> {};

TEST_P(Program, PrintsWhatItPrintsOnAGpu) {
  const std::string expected = contents_of(std::string(VGPU_PROGRAMS_SOURCE "/") + GetParam() + ".expected");
  ASSERT_FALSE(expected.empty());
  const Outcome& outcome = run_naturally(GetParam());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, expected);
}

TEST_P(Program, GivesTheSameWithoutMonitorsAndWithOtherSchedules) {
  const Outcome& natural = run_naturally(GetParam());
  EXPECT_EQ(run(GetParam(), "LANEWISE_VGPU_MONITORS=none").output, natural.output);
  for (const char* seed : {"1", "77"}) {
    const Outcome outcome = run(GetParam(), std::string("LANEWISE_VGPU_SEED=") + seed);
    EXPECT_EQ(outcome.output, natural.output);
    expect_no_findings(GetParam(), outcome);
  }
}

TEST_P(Program, DoesTheSameWithItsDevicesInAnotherProcess) {
  const Outcome& within = run_naturally(GetParam());
  const Outcome apart = run(GetParam(), "", kDevicesApart);
  EXPECT_EQ(apart.exit_code, within.exit_code);
  EXPECT_EQ(apart.output, within.output);
  EXPECT_EQ(apart.findings, within.findings);
}

TEST_P(Program, HasNoFindings) { expect_no_findings(GetParam(), run_naturally(GetParam())); }

TEST(HostThatWaitsWithoutACall, HasItsWorkDone) {
  const std::string expected =
      "spinning: 7\nhost functions: 1\nasking: 121\nasking: 144\nasking: 169\nsleeping: 9\n"
      "computing: 0\nat last: 1\n";  // on a GPU, the last but one says 1
  const Outcome first = run("host_waits", "timeout 60 env", kDevicesApart);
  EXPECT_EQ(first.output, expected);
  EXPECT_EQ(first.findings, "[]");
}

TEST(MisspeltSettings, AreSaidAndWhatIsDoneInstead) {
  const Outcome outcome =
      run("half", "LANEWISE_VGPU_DEVICES=17 LANEWISE_VGPU_MONITORS=racechek LANEWISE_VGPU_TRANSLATE=no");
  EXPECT_EQ(outcome.errors,
            "lanewise vgpu: LANEWISE_VGPU_DEVICES=17 is not a number from 1 to 16; 16 devices are used\n"
            "lanewise vgpu: LANEWISE_VGPU_MONITORS=racechek names an unknown checker; all are used\n"
            "lanewise vgpu: LANEWISE_VGPU_TRANSLATE=no is neither never nor always, and is ignored\n");
  EXPECT_EQ(outcome.exit_code, 0);
}

constexpr const char* kInterprocess =
    "what the other has added is there: yes\nboth have counted to 2621440, and in turns to 200\n"
    "opened twice, it is at one address: yes\nclosed once, it is still open: 11\n"
    "a variable is each process's own: 101\nanother program that dies ends with 0\n"
    "another program that fills ends with 0\nit has filled in 7 to 38\n";

TEST(ProcessesThatShareMemory, SeeTheSameBytesAndTakeTurns) {
  for (const char* const runtime : {kDevicesApart, kDevicesWithin})
    for (const char* const settings : {"timeout 100 env", "timeout 100 env LANEWISE_VGPU_SEED=5"}) {
      const Outcome outcome = run("interprocess", settings, runtime);
      EXPECT_EQ(outcome.output, kInterprocess) << runtime << settings;
      EXPECT_EQ(outcome.exit_code, 0);
    }
}

/// Of each process that used CUDA.
std::vector<nlohmann::json> reports_of(const std::string& name, const std::string& argument = "",
                                       const std::string& setting = "") {
  std::string folder = testing::TempDir() + name + "-XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  const std::string command = "LANEWISE_VGPU_REPORT=" + folder + "/%p.json timeout 100 env " + setting + " " +
                              kDevicesApart + " " VGPU_PROGRAMS_BINARY "/" + name + " " + argument + " >/dev/null 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::vector<nlohmann::json> reports;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    wait_for(entry.path());
    reports.push_back(nlohmann::json::parse(contents_of(entry.path()), nullptr, /*allow_exceptions=*/false));
  }
  std::filesystem::remove_all(folder);
  return reports;
}

TEST(ProcessesThatShareMemory, HaveReportsOfTheirOwnWithoutFindings) {
  const std::vector<nlohmann::json> reports = reports_of("interprocess");
  EXPECT_EQ(reports.size(), 6u) << "a parent, three children, and two other programs";
  std::multiset<std::string> kernels;
  for (const nlohmann::json& report : reports) {
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report["findings"].dump(), "[]") << "what another process has written counts as written";
    for (const auto& kernel : report["kernels"]) kernels.insert(kernel["name"].get<std::string>());
  }
  EXPECT_EQ(kernels.size(), 8u) << "fill, count, ping_pong, count_own; add, count, ping_pong; fill";
}

TEST(Processes, ThatBecomeAnotherProgramReportTwice) {
  const std::vector<nlohmann::json> reports = reports_of("interprocess", "'becomes another'");
  ASSERT_EQ(reports.size(), 2u);
  for (const nlohmann::json& report : reports) EXPECT_EQ(report["kernels"].size(), 1u);
}

TEST(ProcessesThatShareMemory, MayEachHaveADeviceAndSignalTheOther) {
  const Outcome outcome = run("interprocess", "timeout 100 env LANEWISE_VGPU_DEVICES=2", kDevicesApart);
  EXPECT_EQ(outcome.output,
            "device 0 was told 101 by the other, which is on device 1\n"
            "device 1 was told 100 by the other, which is on device 0\n");
}

TEST(ProcessesThatShareMemory, AreNotStoppedAtOnceButInTheEnd) {
  constexpr unsigned long kBudget = 200'000'000;  // more than it executes in the time for which it may wait
  const std::vector<nlohmann::json> reports =
      reports_of("interprocess", "waits", "LANEWISE_VGPU_BUDGET=" + std::to_string(kBudget));
  ASSERT_EQ(reports.size(), 1u);
  ASSERT_EQ(reports[0]["findings"].size(), 1u) << reports[0].dump(1);
  const auto sentence = reports[0]["findings"][0]["sentence"].get<std::string>();
  unsigned long instructions = 0;
  ASSERT_EQ(std::sscanf(sentence.c_str(), "the kernel was stopped: for %lu warp instructions all of its threads have",
                        &instructions),
            1)
      << "no other thread of this process writes it, but one of another might: " << sentence;
  EXPECT_LT(instructions, kBudget / 8) << "no others had a turn";
}

TEST(ProcessesThatShareMemory, AreToldWhatTheyMayNotDo) {
  const std::string expected = contents_of(VGPU_PROGRAMS_SOURCE "/interprocess_misuse.errors");
  ASSERT_FALSE(expected.empty());
  for (const char* const runtime : {kDevicesApart, kDevicesWithin})
    EXPECT_EQ(run("interprocess_misuse", "timeout 100 env", runtime).output, expected) << runtime;
  std::multiset<std::string> sentences;
  for (const nlohmann::json& report : reports_of("interprocess_misuse"))
    for (const auto& finding : report["findings"])
      if (finding["kind"] == "invalid free") sentences.insert(finding["sentence"].get<std::string>());
  const std::string not_open =
      "cudaIpcCloseMemHandle was given a pointer that cudaIpcOpenMemHandle has not returned, or that has been closed "
      "already";
  EXPECT_EQ(sentences, (std::multiset<std::string>{
                           not_open, not_open, "cudaFree was given a pointer that cudaIpcOpenMemHandle has returned"}));
}

INSTANTIATE_TEST_SUITE_P(All, Program,
                         testing::Values("calls", "captures", "clusters", "communication", "counter_control",
                                         "counter_global", "counter_matrix", "counter_shared", "counter_whole",
                                         "devices", "dynamic_parallelism", "errors", "features", "graph_conditions",
                                         "graph_errors", "graph_memory", "graphs", "half", "language",
                                         "managed_variables", "mathematical_functions", "mipmaps", "narrow_types",
                                         "separate_compilation", "streams", "surfaces", "tensor_fragments",
                                         "tensor_matmul", "tensor_probe", "texture_errors", "textures"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(OfLibraries, Program,
                         testing::Values("atomics", "cooperative", "cub_scan_reduce", "cub_segments",
                                         "cub_select_histogram", "cub_sort", "thrust_algorithms"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace vgpu::programs_test
