// Grades are those of an undisturbed run on one machine, whichever workers there were and whatever happened to them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <thread>

#include "grader/executors/testing/same_grades.h"
#include "grader/executors/testing/slurm_site.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"
#include "harness/runner/process.h"

namespace lanewise::executors_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kGenerous(3);
constexpr int kStudents = 6;

// Right, wrong, or not compiling; `mark` makes it another source.
std::string source(int mark) {
  const char* const index = mark % 3 == 1 ? "i + 1 < n" : "i < n";
  return "#include \"vecadd.cuh\"\n// " + std::to_string(mark) +
         "\n__global__ void add(const float* a, const float* b, float* c, std::size_t n) {\n"
         "  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;\n"
         "  if (" +
         index + ") c[i] = a[i] + b[i];\n}\n" + (mark % 3 == 2 ? "nothing that compiles\n" : "") +
         "void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {\n"
         "  if (n > 0) add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);\n}\n";
}

class ExecutorsFlow : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new TemporaryFolder(std::move(*TemporaryFolder::create()));
    site = new SlurmSite;
    for (int i = 0; i < kStudents; ++i) put("in/s" + std::to_string(i) + "/vecadd.cu", source(i));
    put("seed.toml", "seed = 42\n");
    put("course.toml", "[slurm]\nchunk = 2\ncpus = 1\n");
    const auto local = run_to_end(grade("local", "local"), kGenerous, 1 << 20);
    ASSERT_TRUE(local && local->succeeded()) << (local ? local->output : local.sentence());
    expected = grades_in(root() / "local");
    ASSERT_EQ(expected.count("grades.csv"), 1U);
    ASSERT_EQ(expected.count("students/s5/results.json"), 1U);
  }
  static void TearDownTestSuite() {
    delete site;
    delete folder;
  }

  void SetUp() override { ASSERT_TRUE(site->is_up()) << site->says(); }

  static fs::path root() { return folder->path(); }

  static void put(const fs::path& name, const std::string& content) {
    fs::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << content;
  }

  static ProcessOptions lanewise(const std::vector<std::string>& arguments) {
    ProcessOptions options;
    options.command = {LANEWISE_EXECUTABLE};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
                           "SLURM_CONF=" + (site->folder() / "slurm.conf").string()};
    if (const char* cache = std::getenv("LANEWISE_CACHE"))
      options.environment.push_back(std::string("LANEWISE_CACHE=") + cache);
    return options;
  }

  static ProcessOptions grade(const std::string& executor, const fs::path& out) {
    return lanewise({"grade", "vec_add_device", "--submissions", (root() / "in").string(), "--out",
                     (root() / out).string(), "--backend", "vgpu", "--toolchain", "clang", "--seed-file",
                     (root() / "seed.toml").string(), "--course", (root() / "course.toml").string(), "--executor",
                     executor, "--patience", "10"});
  }

  static std::vector<fs::path> chunks(const fs::path& out, const std::string& state) {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root() / out / "work" / state, error))
      if (fs::exists(entry.path() / "chunk.toml", error)) found.push_back(entry.path());
    return found;
  }

  static bool comes_to(const std::function<bool()>& what) {
    for (const auto deadline = Clock::now() + kGenerous; Clock::now() < deadline;) {
      if (what()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  // The worker that has claimed a chunk.
  static pid_t worker_of(const fs::path& claimed) {
    std::smatch parts;
    const std::string name = claimed.filename();
    return std::regex_search(name, parts, std::regex("-([0-9]+)-[0-9]+$")) ? std::stoi(parts[1])
                                                                           : 0x7FFFFFFF;  // nobody
  }

  // Grades with Slurm, and lets `fault` happen once a job works on a chunk.
  static void expect_the_same_grades_despite(const fs::path& out, const std::function<void()>& fault) {
    auto process = Process::start(grade("slurm", out));
    ASSERT_TRUE(process) << process.sentence();
    ASSERT_TRUE(comes_to([&] { return !chunks(out, "claimed").empty(); }));
    fault();
    EXPECT_TRUE(process->wait_until(Clock::now() + kGenerous));
    EXPECT_EQ(process->end(), 0);
    EXPECT_EQ(grades_in(root() / out), expected);
    EXPECT_FALSE(fs::exists(root() / out / "work"));
  }

  static TemporaryFolder* folder;
  static SlurmSite* site;
  static std::map<std::string, std::string> expected;
};

TemporaryFolder* ExecutorsFlow::folder = nullptr;
SlurmSite* ExecutorsFlow::site = nullptr;
std::map<std::string, std::string> ExecutorsFlow::expected;

TEST_F(ExecutorsFlow, SlurmGradesAsThisProcessDoes) {
  expect_the_same_grades_despite("undisturbed", [] {});
}

TEST_F(ExecutorsFlow, AKilledWorkerCostsNothingButTime) {
  expect_the_same_grades_despite("killed", [] {
    for (const fs::path& chunk : chunks("killed", "claimed")) EXPECT_EQ(kill(worker_of(chunk), SIGKILL), 0);
  });
}

TEST_F(ExecutorsFlow, ALostNodeCostsNothingButTime) {
  expect_the_same_grades_despite("lost", [] { EXPECT_EQ(site->cut_power_of("n1").exit_code, 0); });
  EXPECT_EQ(site->run_again("n1").exit_code, 0);
}

TEST_F(ExecutorsFlow, ARestartedControllerCostsNothingButTime) {
  expect_the_same_grades_despite("controller", [] {
    EXPECT_EQ(site->crash("slurmctld").exit_code, 0);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_EQ(site->run_again("slurmctld").exit_code, 0);
  });
}

TEST_F(ExecutorsFlow, JobsThatSomebodyCancelsAreSubmittedAgain) {
  expect_the_same_grades_despite("cancelled", [] { EXPECT_EQ(site->shell("scancel --user=$(id -un)").exit_code, 0); });
}

TEST_F(ExecutorsFlow, WhenTheSubmittingProcessIsKilledItsJobsGoOnAndTheNextOneTakesTheirResults) {
  auto process = Process::start(grade("slurm", "resumed"));
  ASSERT_TRUE(process) << process.sentence();
  ASSERT_TRUE(comes_to([] { return !chunks("resumed", "claimed").empty(); }));
  kill(process->id(), SIGKILL);
  process->end();
  ASSERT_TRUE(comes_to([] { return chunks("resumed", "finished").size() == 3; })) << "the jobs do not need it";
  const auto again = run_to_end(grade("external", "resumed"), kGenerous, 1 << 20);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->succeeded()) << again->output;
  EXPECT_EQ(grades_in(root() / "resumed"), expected) << "nobody works for this executor, and nobody had to";
}

TEST_F(ExecutorsFlow, JobsThatCannotGradeAreNotSubmittedForEver) {
  put("bad.toml", "[slurm]\noptions = [\"--export=NONE,LANEWISE_LABS=/nowhere\"]\n");
  ProcessOptions options = grade("slurm", "bad");
  for (std::string& argument : options.command)
    if (argument == (root() / "course.toml").string()) argument = (root() / "bad.toml").string();
  const auto finished = run_to_end(options, kGenerous, 1 << 20);
  ASSERT_TRUE(finished);
  EXPECT_EQ(WEXITSTATUS(finished->status), 3) << finished->output;
  EXPECT_NE(finished->output.find("jobs ended without taking a chunk; the last one said: lanewise worker: "),
            std::string::npos)
      << finished->output;
}

// Workers started by hand: one whose result is cut short, one that did what another one does again, and then the rest.
TEST_F(ExecutorsFlow, ADamagedResultIsGradedAgainAndWorkDoneTwiceCountsOnce) {
  auto process = Process::start(grade("external", "damaged"));
  ASSERT_TRUE(process) << process.sentence();
  ASSERT_TRUE(comes_to([] { return chunks("damaged", "waiting").size() == 3; }));
  kill(process->id(), SIGSTOP);
  const fs::path waiting = root() / "damaged/work/waiting";
  fs::copy(waiting / "1-0001.1", waiting / "twice.1", fs::copy_options::recursive);
  const std::string work = (root() / "damaged/work").string();
  const auto worked = run_to_end(lanewise({"worker", work, "--jobs", "2"}), kGenerous, 1 << 20);
  ASSERT_TRUE(worked);
  EXPECT_NE(worked->output.find("4 chunks finished, 8 submissions graded"), std::string::npos) << worked->output;
  ASSERT_EQ(chunks("damaged", "finished").size(), 4U);
  for (const auto& entry : fs::directory_iterator(root() / "damaged/work/finished/1-0002.1/results"))
    if (entry.path().extension() == ".json") fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  kill(process->id(), SIGCONT);
  ASSERT_TRUE(comes_to([] { return !chunks("damaged", "waiting").empty(); }));
  const auto rest = run_to_end(lanewise({"worker", work}), kGenerous, 1 << 20);
  ASSERT_TRUE(rest);
  EXPECT_NE(rest->output.find("2 submissions graded"), std::string::npos) << rest->output;
  EXPECT_TRUE(process->wait_until(Clock::now() + kGenerous));
  EXPECT_EQ(process->end(), 0);
  EXPECT_EQ(grades_in(root() / "damaged"), expected);
}

// On a disk of its own, which only these processes see.
TEST_F(ExecutorsFlow, AFullDiskStopsAWorkerAndNothingIsLost) {
  const std::string disk = (root() / "disk").string();
  fs::create_directories(disk);
  if (site->shell("unshare -rm mount -t tmpfs none " + disk).exit_code != 0)
    GTEST_SKIP() << "no disk can be mounted here";
  std::string script = R"sh(set -eu
mount -t tmpfs -o size=30m none DISK
GRADE > DISK.grade 2>&1 &
until [ "$(ls DISK/out/work/waiting 2> /dev/null | wc -l)" = 3 ]; do sleep 0.01; done
dd if=/dev/zero of=DISK/filler bs=4k 2> /dev/null || true
WORKER > DISK.worker 2>&1 && exit 10 || [ $? = 3 ]
grep -q 'No space left on device' DISK.worker
[ -z "$(ls DISK/out/work/claimed)" ]
rm DISK/filler
WORKER > DISK.worker 2>&1
wait %1 || GRADE
rm -rf DISK/out/hand-ins
cp -r DISK/out DISK.out
)sh";
  const auto line = [](const ProcessOptions& options) {
    std::string text = "env -i";
    for (const auto& words : {options.environment, options.command})
      for (const std::string& word : words) text += " '" + word + "'";
    return text;
  };
  for (const auto& [name, value] : {std::pair<std::string, std::string>("GRADE", line(grade("external", "disk/out"))),
                                    {"WORKER", line(lanewise({"worker", disk + "/out/work"}))},
                                    {"DISK", disk}})
    script = std::regex_replace(script, std::regex("\\b" + name + "\\b"), value);
  put("full.sh", script);
  const auto answer = site->shell("unshare -rm bash -x " + (root() / "full.sh").string(), kGenerous);
  EXPECT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_EQ(grades_in(disk + ".out"), expected);
}

}  // namespace
}  // namespace lanewise::executors_flow_test
