// A real program in the real sandbox tries what it must not succeed in, as a compiler and as a worker.
#include "grader/sandbox/sandbox.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <thread>

#include "harness/lab/read_file.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kGenerous(60);
constexpr std::size_t kKept = 1 << 16;
constexpr int kMostProcesses = 64;

// The parent of a process; 0 if there is none, or no such process.
int parent_of(int process) {
  const auto stat = read_file("/proc/" + std::to_string(process) + "/stat", 4096);
  const std::size_t name_ends = stat ? stat->rfind(") ") : std::string::npos;
  return name_ends != std::string::npos ? std::atoi(stat->c_str() + name_ends + 4) : 0;
}

// How many processes below this one have that name. Other tests have theirs, at the same time.
int processes_called(const std::string& name) {
  int count = 0;
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; it != end; it.increment(error)) {
    if (std::isdigit(static_cast<unsigned char>(it->path().filename().string()[0])) == 0) continue;
    const auto comm = read_file(it->path() / "comm", 256);
    if (!comm || *comm != name + "\n") continue;
    int above = std::atoi(it->path().filename().c_str());
    while (above > 1 && above != getpid()) above = parent_of(above);
    count += above == getpid() ? 1 : 0;
  }
  return count;
}

class SandboxTest : public ::testing::TestWithParam<ForeignWork> {
 protected:
  static void SetUpTestSuite() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // what is left behind becomes a child of this process, and is seen
    SandboxOptions options;
    options.most_processes = kMostProcesses;
    options.most_folder_bytes = 64 << 20;
    auto opened = open_sandbox(installation(), options);
    ASSERT_TRUE(opened) << opened.sentence();
    sandbox() = new Sandbox(std::move(*opened));
  }
  static void TearDownTestSuite() {
    delete sandbox();
    sandbox() = nullptr;
  }
  static Sandbox*& sandbox() {
    static Sandbox* instance = nullptr;
    return instance;
  }
  static Installation installation() { return find_installation(LANEWISE_EXECUTABLE); }

  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("lanewise_sandbox_test_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "hers");
    fs::create_directories(folder_ / "theirs");
    std::ofstream(folder_ / "theirs" / "vecadd.cu") << "secret\n";
    fs::create_directories(folder_ / "built");
    std::ofstream(folder_ / "hers" / "vecadd.cu") << "her own\n";
  }
  void TearDown() override {
    fs::remove_all(folder_);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "something is left running";
    EXPECT_EQ(processes_called("trespasser"), 0);
    EXPECT_EQ(processes_called("lw_trespasser"), 0);
  }

  Finished attempt(const std::string& deed, const std::string& with_what, milliseconds limit = kGenerous) {
    ProcessOptions options;
    options.command = {TRESPASSER, deed, with_what};
    options.environment = {"LANG=C.UTF-8"};
    options.folder = GetParam() == ForeignWork::kCompile ? folder_ / "built" : fs::path("/");
    options.limits = limits_;
    Reach reach{GetParam(), {}, {TRESPASSER, folder_ / "hers"}};
    if (GetParam() == ForeignWork::kCompile) reach.writable = folder_ / "built";
    const auto finished = run_to_end(confined(sandbox()->confinement, options, reach), limit, kKept);
    EXPECT_TRUE(finished) << finished.sentence();
    return finished ? *finished : Finished{};
  }
  std::string outcome(const std::string& deed, const std::string& with_what = "") {
    return attempt(deed, with_what).output;
  }
  int number(const std::string& deed, const std::string& with_what = "") {
    const std::string text = outcome(deed, with_what);
    EXPECT_FALSE(text.empty());
    return std::atoi(text.c_str());
  }

  fs::path folder_;
  ProcessLimits limits_;
};

INSTANTIATE_TEST_SUITE_P(Work, SandboxTest, ::testing::Values(ForeignWork::kCompile, ForeignWork::kRun),
                         [](const auto& work) { return work.param == ForeignWork::kCompile ? "Compile" : "Run"; });

TEST_P(SandboxTest, ReadsWhatItIsShownAndNothingElse) {
  EXPECT_EQ(outcome("read", (folder_ / "hers" / "vecadd.cu").string()), "her own\n\n");
  for (const fs::path& file :
       {folder_ / "theirs" / "vecadd.cu", fs::path("/etc/passwd"), fs::path("/etc/shadow"), fs::path("/proc/1/environ"),
        fs::path("/proc/1/root/etc/passwd"), fs::path("/proc/1/fd/4"), installation().labs / "vecadd" / "oracle.cpp"})
    EXPECT_EQ(outcome("read", file.string()), "refused\n") << file;
  EXPECT_EQ(outcome("list", folder_.string()), GetParam() == ForeignWork::kCompile ? "built hers \n" : "hers \n");
  for (const char* const folder : {"/home", "/root", "/var", "/mnt", "/run", "/sys"}) {
    // A checkout that lies there is on the way to what is shown; nothing beside the way is.
    const fs::path way = installation().root.lexically_relative(folder);
    const bool is_on_the_way = !way.empty() && *way.begin() != "..";
    EXPECT_EQ(outcome("list", folder), is_on_the_way ? way.begin()->string() + " \n" : "refused\n") << folder;
  }
}

TEST_P(SandboxTest, SeesNoProcessButItsOwn) {
  EXPECT_EQ(number("count_processes"), 2);  // itself and its launcher
  EXPECT_EQ(outcome("kill", std::to_string(getpid())), "refused\n");
}

TEST_P(SandboxTest, KillsNobody) {
  const Finished finished = attempt("kill_others", "");
  EXPECT_TRUE(finished.succeeded());
  EXPECT_EQ(finished.output, "still here\n");
}

TEST_P(SandboxTest, ReachesNoSocketOfThisMachine) {
  const Descriptor tcp(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(tcp.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(tcp.get(), 1), 0);
  ASSERT_EQ(getsockname(tcp.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_EQ(outcome("connect", std::to_string(ntohs(address.sin_port))), "refused\n");

  const std::string name = "lanewise_sandbox_test_" + std::to_string(getpid());
  const Descriptor local(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un named{};
  named.sun_family = AF_UNIX;
  std::strncpy(named.sun_path + 1, name.c_str(), sizeof(named.sun_path) - 2);
  const auto named_size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  ASSERT_EQ(bind(local.get(), reinterpret_cast<const sockaddr*>(&named), named_size), 0);
  ASSERT_EQ(listen(local.get(), 1), 0);
  EXPECT_EQ(outcome("connect_to_name", name), "refused\n");
}

TEST_P(SandboxTest, ChangesNothingOfTheSystem) {
  for (const char* const deed : {"make_namespace", "trace", "remount"}) EXPECT_EQ(outcome(deed), "refused\n") << deed;
  for (const char* const file :
       {"/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/etc/ld.so.cache", TRESPASSER, "/usr/bin/env"})
    EXPECT_EQ(outcome("write", file), "refused\n") << file;
  EXPECT_EQ(outcome("write", (folder_ / "hers" / "vecadd.cu").string()), "refused\n");
}

TEST_P(SandboxTest, FillsNoDisk) {
  for (const char* const folder : {"/", "/dev", "/dev/shm", "/usr", "/home", "/tmp", "/var/tmp", "/run"})
    EXPECT_EQ(number("fill", folder), 0) << folder;
}

TEST_P(SandboxTest, StartsAtMostAsManyProcessesAsItMay) {
  if (!sandbox()->limits_processes) GTEST_SKIP() << sandbox()->description;
  EXPECT_LT(number("fork"), kMostProcesses);
}

TEST_P(SandboxTest, FolderIsNotFilled) {
  if (GetParam() == ForeignWork::kRun) return;  // has none
  const Finished finished = attempt("fill", (folder_ / "built").string());
  ASSERT_TRUE(WIFSIGNALED(finished.status));
  EXPECT_EQ(WTERMSIG(finished.status), SIGXFSZ);
}

TEST_P(SandboxTest, EndsAreToldApart) {
  const Finished code = attempt("exit", "139");
  ASSERT_TRUE(WIFEXITED(code.status));
  EXPECT_EQ(WEXITSTATUS(code.status), 139);
  for (const int signal : {SIGSEGV, SIGKILL, SIGABRT, SIGTERM}) {
    const Finished killed = attempt("signal", std::to_string(signal));
    ASSERT_TRUE(WIFSIGNALED(killed.status)) << signal;
    EXPECT_EQ(WTERMSIG(killed.status), signal);
  }
}

TEST_P(SandboxTest, WhatIsLeftRunningEndsWithIt) { EXPECT_EQ(outcome("leave_daemon"), "left\n"); }

TEST_P(SandboxTest, TimeLimitEndsAllOfIt) {
  const Finished finished = attempt("flood", "", milliseconds(500));
  EXPECT_TRUE(finished.timed_out);
  EXPECT_LE(finished.output.size(), kKept);
  EXPECT_EQ(processes_called("lanewise-launch"), 0);
  EXPECT_EQ(processes_called("trespasser"), 0);
}

TEST_P(SandboxTest, FindsNoDescriptorButTheStandardOnes) { EXPECT_EQ(number("count_descriptors"), 3); }

TEST(Sandbox, IsRefusedWithoutBubblewrapAndWithoutItsOwnPrograms) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const auto without = open_sandbox(find_installation(LANEWISE_EXECUTABLE));
  setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(without);
  EXPECT_NE(without.sentence().find("install bubblewrap"), std::string::npos) << without.sentence();
  EXPECT_NE(without.sentence().find("--no-sandbox"), std::string::npos) << without.sentence();

  const auto elsewhere = open_sandbox(find_installation("/nonexistent/lanewise"));
  ASSERT_FALSE(elsewhere);
  EXPECT_NE(elsewhere.sentence().find("build the target lanewise-launcher"), std::string::npos) << elsewhere.sentence();
}

TEST_P(SandboxTest, ManyAtATimeAreStartedAndReapedEachByItself) {
  constexpr int kThreads = 8;
  constexpr int kStarts = 10;
  std::vector<int> right(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kStarts; ++i) {
        const Finished finished = attempt("exit", std::to_string(thread + 1));
        right[static_cast<std::size_t>(thread)] +=
            WIFEXITED(finished.status) && WEXITSTATUS(finished.status) == thread + 1 ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int count : right) EXPECT_EQ(count, kStarts);
}

TEST_P(SandboxTest, ProgramThatIsNotThereIsNoCrash) {
  ProcessOptions options;
  options.command = {"/nonexistent/program"};
  const auto finished = run_to_end(confined(sandbox()->confinement, options, {GetParam(), {}, {}}), kGenerous, kKept);
  ASSERT_TRUE(finished);
  ASSERT_TRUE(WIFEXITED(finished->status));
  EXPECT_EQ(WEXITSTATUS(finished->status), Process::kExitNotStarted);
  EXPECT_NE(finished->output.find("/nonexistent/program could not be started"), std::string::npos);
}

TEST_P(SandboxTest, EndOfTheGraderIsItsEnd) {
  // Stands for a grader that dies: the kernel signals the child when the thread that forked it is gone.
  std::optional<Process> process;
  std::thread([&] {
    ProcessOptions options;
    options.command = {"/bin/sleep", "1000"};
    auto started = Process::start(confined(sandbox()->confinement, options, {GetParam(), {}, {}}));
    if (!started || started->program_id() <= 0) return;
    process.emplace(std::move(*started));
  }).join();
  ASSERT_TRUE(process);
  EXPECT_TRUE(process->wait_until(Clock::now() + kGenerous));
  const pid_t program = process->program_id();
  process->end();
  // Its parents are gone: what is left of them comes to this process.
  const auto deadline = Clock::now() + kGenerous;
  while (waitpid(-1, nullptr, WNOHANG) >= 0 && Clock::now() < deadline) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(kill(program, 0), -1);
}

}  // namespace
}  // namespace lanewise
