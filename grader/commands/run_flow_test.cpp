// `lanewise run` as a user meets it: the real command, programs compiled by the real nvcc.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <utility>

#include "harness/runner/content_hash.h"
#include "harness/runner/process.h"

namespace lanewise::run_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kGenerous(120);

constexpr const char* kProgram = R"cuda(#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void twice(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] *= 2;
}

__global__ void column(const int* in, int* out) {
  out[threadIdx.x * 32 + threadIdx.y] = in[threadIdx.y * 32 + threadIdx.x];
}

__global__ void for_ever(int* data, int* started) {
  *started = 1;
  while (*reinterpret_cast<volatile int*>(data) == 0) ++*(volatile int*)(data + 1);
}

__global__ void unknown_instruction(unsigned* data) {
  asm("vavrg4.u32.u32.u32 %0, %0, %0, %0;" : "+r"(data[0]));
}

__global__ void scattered(unsigned char* bytes, unsigned mask) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  bytes[i * 7919 & mask] = 1;
}

__global__ void places(int* data, int* used) {
  data[atomicAdd(used, 1)] = blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void sum(float* data) { atomicAdd(data, 1.0f / (1 + blockIdx.x * blockDim.x + threadIdx.x)); }

__global__ void each_for_the_other(int* flags) {
  while (*(volatile int*)(flags + 1 - blockIdx.x) == 0) {
  }
  flags[blockIdx.x] = 1;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int* data;
  if (strcmp(what, "workers") == 0) {  // before it uses CUDA
    for (const char* work : {"beyond", "column"}) {
      if (fork() == 0) {
        what = work;
        break;
      }
      wait(nullptr);
    }
    if (strcmp(what, "workers") == 0) return 0;
  }
  cudaMalloc(&data, 100 * sizeof(int));
  cudaMemset(data, 0, 100 * sizeof(int));
  if (strcmp(what, "right") == 0) twice<<<1, 100>>>(data, 100);
  if (strcmp(what, "blocks") == 0) twice<<<dim3(3, 2), 33>>>(data, 100);
  if (strcmp(what, "places") == 0) places<<<3, 32>>>(data, data + 99);
  if (strcmp(what, "sum") == 0) sum<<<8, 64>>>(reinterpret_cast<float*>(data));
  if (strcmp(what, "print") == 0) {
    places<<<3, 32>>>(data, data + 99);
    int first;
    cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost);
    printf("the first is %d\n", first);
    if (first != 0) return 3;
  }
  if (strcmp(what, "wait") == 0) {
    each_for_the_other<<<2, 1>>>(data);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  }
  if (strcmp(what, "beyond") == 0) twice<<<11, 128>>>(data, 100);
  if (strcmp(what, "crash") == 0) {
    twice<<<1, 128>>>(data, 100);
    cudaDeviceSynchronize();
    abort();
  }
  if (strcmp(what, "children") == 0) {
    if (fork() == 0) _exit(cudaDeviceSynchronize() == cudaSuccess ? 1 : 0);  // its parent's devices are not its own
    int status, count = 0;
    for (; wait(&status) > 0; ++count) printf("a child, %d\n", WEXITSTATUS(status));
    printf("%d children\n", count);
  }
  if (strcmp(what, "another") == 0) system("./program right");
  if (strcmp(what, "host") == 0) return data[5];
  if (strcmp(what, "copy") == 0) cudaMemcpy(data, argv, 404, cudaMemcpyHostToDevice);
  if (strcmp(what, "column") == 0) {
    int *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMemset(in, 0, 4096);
    column<<<1, dim3(32, 32)>>>(in, out);
    cudaFree(in);
    cudaFree(out);
  }
  if (strcmp(what, "scattered") == 0) {
    const unsigned n = 1 << 22;
    unsigned char* bytes;
    cudaMalloc(&bytes, n);
    scattered<<<n / 256, 256>>>(bytes, n - 1);
    cudaFree(bytes);
  }
  if (strcmp(what, "forever") == 0) {
    twice<<<1, 32>>>(data, 100);
    cudaDeviceSynchronize();
    int* started;
    cudaMallocHost(&started, sizeof(int));
    *started = argc > 2;
    std::thread([started] {  // tells that it is under way
      while (*const_cast<volatile int*>(started) == 0) usleep(1000);
      printf("%d\n", getpid());
      fflush(stdout);
    }).detach();
    if (argc > 2) sleep(300);
    for_ever<<<1, 1>>>(data, started);
  }
  if (strcmp(what, "share") == 0) {
    cudaMemPoolPtrExportData exported;
    printf("%s\n", cudaGetErrorName(cudaMemPoolExportPointer(&exported, data)));
  }
  if (strcmp(what, "open") == 0) printf("%s\n", dlopen(argv[2], RTLD_LAZY) != nullptr ? "opened" : "not there");
  if (strcmp(what, "devices") == 0) {
    int count;
    cudaGetDeviceCount(&count);
    printf("%d devices\n", count);
  }
  if (strcmp(what, "instruction") == 0) {
    unknown_instruction<<<1, 1>>>(reinterpret_cast<unsigned*>(data));
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  }
  cudaDeviceSynchronize();
  if (strcmp(what, "leak") != 0) cudaFree(data);
  printf("end of %s\n", what);
  return strcmp(what, "seven") == 0 ? 7 : 0;
}
)cuda";

class RunFlow : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::temp_directory_path() / ("lanewise_run_flow_test_" + std::to_string(getpid()));
    fs::create_directories(folder());
    std::ofstream(folder() / "program.cu") << kProgram;
    compile({"-cudart", "shared", "-lineinfo", "-O2", "-Xcompiler", "-g1", "-o", "program"});
    compile({"-cudart", "static", "-o", "static_program"});
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }

  static void compile(const std::vector<std::string>& arguments) {
    ProcessOptions options;
    options.command = {LANEWISE_NVCC, "-std=c++17", "-gencode", "arch=compute_90,code=compute_90", "program.cu"};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.environment = {"PATH=/usr/bin:/bin"};
    options.folder = folder();
    const auto finished = run_to_end(options, kGenerous, 1 << 20);
    ASSERT_TRUE(finished && finished->succeeded()) << (finished ? finished->output : finished.sentence());
  }

  static fs::path& folder() {
    static fs::path path;
    return path;
  }

  static Finished run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {LANEWISE_EXECUTABLE, "run"});
    return run_command(std::move(arguments));
  }

  static Finished run_command(std::vector<std::string> command) {
    ProcessOptions options;
    options.command = std::move(command);
    options.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
    options.folder = folder();
    auto finished = run_to_end(options, kGenerous, 1 << 20);
    EXPECT_TRUE(finished) << finished.sentence();
    return *finished;
  }

  static  // The number of the program's line that holds this.
      std::string
      line(const char* part) {
    const std::string program = kProgram;
    return std::to_string(1 +
                          std::count(program.begin(), program.begin() + static_cast<long>(program.find(part)), '\n'));
  }

  bool says(const Finished& finished, const std::string& text) {
    return finished.output.find(text) != std::string::npos;
  }
  static int exit_code(const Finished& finished) {
    return WIFEXITED(finished.status) ? WEXITSTATUS(finished.status) : -1;
  }
};

TEST_F(RunFlow, ACorrectProgramRunsAsIfAloneAndKeepsItsExitCode) {
  const Finished right = run({"--", "./program", "right"});
  EXPECT_EQ(
      right.output.find("end of right\n\nlanewise: what costs most in twice, 1 launch of 1 block of 100 threads\n"), 0u)
      << right.output;
  EXPECT_EQ(exit_code(right), 0);
  EXPECT_EQ(exit_code(run({"--", "./program", "seven"})), 7);
}

TEST_F(RunFlow, AFindingNamesLineAndElementAndGoesIntoTheReport) {
  const Finished beyond = run({"--report", "findings.json", "--error-exitcode", "9", "--", "./program", "beyond"});
  EXPECT_TRUE(says(beyond, "memcheck  program.cu:" + line("data[i] *= 2") + "  out-of-bounds write")) << beyond.output;
  EXPECT_TRUE(says(beyond, "[100], just past its end")) << beyond.output;
  EXPECT_TRUE(says(beyond, "(1,308 times)")) << beyond.output;
  EXPECT_EQ(exit_code(beyond), 9);
  const auto report = read_file(folder() / "findings.json", 1 << 20);
  ASSERT_TRUE(report);
  EXPECT_NE(report->find("\"index\":100"), std::string::npos) << *report;
}

TEST_F(RunFlow, HostCallsHaveLinesAndAllocationsTheProgramsNames) {
  const Finished copy = run({"--", "./program", "copy"});
  EXPECT_TRUE(says(copy, "program.cu:" + line("cudaMemcpy(data, argv") + "  invalid argument")) << copy.output;
  const Finished beyond = run({"--html", "page.html", "--", "./program", "beyond"});
  EXPECT_TRUE(says(beyond, "at data[100], just past its end (data has")) << beyond.output;
  const auto page = read_file(folder() / "page.html", 1 << 24);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->find("allocation#1"), std::string::npos);
}

TEST_F(RunFlow, WhatIsNotFreedIsANoteThatChangesNoExitCode) {
  const Finished leak = run({"--error-exitcode", "9", "--report", "leak.json", "--", "./program", "leak"});
  EXPECT_TRUE(says(leak, "\nlanewise: 1 note\n  · program.cu:")) << leak.output;
  EXPECT_TRUE(says(leak, "data, 400 bytes of device memory, was never freed. Every cudaMalloc needs")) << leak.output;
  EXPECT_EQ(exit_code(leak), 0);
  const auto report = read_file(folder() / "leak.json", 1 << 20);
  ASSERT_TRUE(report);
  EXPECT_NE(report->find("\"notes\":[{\"tool\":\"memcheck\",\"kind\":\"leak\""), std::string::npos) << *report;
  EXPECT_FALSE(says(run({"--", "./program", "right"}), "note"));
}

TEST_F(RunFlow, AProgramThatCrashesStillHasItsFindings) {
  const Finished crash = run({"--", "./program", "crash"});
  EXPECT_TRUE(says(crash, "memcheck  program.cu:" + line("data[i] *= 2") + "  out-of-bounds write")) << crash.output;
  EXPECT_EQ(exit_code(crash), 128 + SIGABRT);
}

TEST_F(RunFlow, TheDevicesAreNoChildOfTheProgram) {
  const Finished children = run({"--monitor", "none", "--", "./program", "children"});
  EXPECT_EQ(children.output, "a child, 0\n1 children\nend of children\n");
}

TEST_F(RunFlow, EveryProgramOfAScriptHasDevicesOfItsOwn) {
  const Finished script = run({"--monitor", "none", "--", "/bin/sh", "-c", "./program right; ./program seven"});
  EXPECT_EQ(script.output, "end of right\nend of seven\n");
  EXPECT_EQ(exit_code(script), 7);
}

TEST_F(RunFlow, AProgramMayWaitForAnotherThatItHasStarted) {
  const Finished another = run({"--monitor", "none", "--", "./program", "another"});
  EXPECT_EQ(another.output, "end of right\nend of another\n");
}

TEST_F(RunFlow, EachProcessHasAReportOfItsOwn) {
  const Finished workers = run({"--report", "of.json", "--error-exitcode", "9", "--", "./program", "workers"});
  EXPECT_TRUE(says(workers, "\nlanewise: process 1 of 2 that used CUDA, number ")) << workers.output;
  EXPECT_TRUE(says(workers, "\nlanewise: process 2 of 2 that used CUDA, number ")) << workers.output;
  EXPECT_TRUE(says(workers, "out-of-bounds write")) << workers.output;
  EXPECT_TRUE(says(workers, "what costs most in column, 1 launch of 1 block")) << workers.output;
  EXPECT_EQ(exit_code(workers), 9);
  for (const auto& [name, kernel, other] :
       {std::tuple("of.json", "twice", "column"), std::tuple("of.2.json", "column", "twice")}) {
    const auto report = read_file(folder() / name, 1 << 24);
    ASSERT_TRUE(report) << report.sentence();
    EXPECT_NE(report->find(std::string("\"name\":\"") + kernel), std::string::npos) << name;
    EXPECT_EQ(report->find(std::string("\"name\":\"") + other), std::string::npos) << name;
  }
  EXPECT_FALSE(fs::exists(folder() / "of.3.json")) << "the parent did nothing";
  run_command({"/bin/sh", "-c", LANEWISE_EXECUTABLE " run --report /dev/stdout -- ./program workers > all.txt"});
  const auto all = read_file(folder() / "all.txt", 1 << 24);
  ASSERT_TRUE(all) << all.sentence();
  for (const char* const part : {"\"name\":\"twice", "\"name\":\"column"})
    EXPECT_NE(all->find(part), std::string::npos) << part;
}

TEST_F(RunFlow, WithoutMonitorsNothingIsFoundAndTheProgramGoesOnAsOnAGpu) {
  const Finished beyond = run({"--monitor", "none", "--", "./program", "beyond"});
  EXPECT_EQ(beyond.output, "end of beyond\n");
}

TEST_F(RunFlow, TheSummaryTellsWhichLineCostsMostAndWhy) {
  const Finished column = run({"--", "./program", "column"});
  EXPECT_TRUE(says(column, "program.cu:" + line("out[threadIdx.x * 32") +
                               "  32 sectors per request, where 4 would do: neighbouring threads write addresses"))
      << column.output;
  EXPECT_TRUE(says(column, "\n  where it went: ")) << column.output;
  const auto lines = [](const Finished& f) { return std::count(f.output.begin(), f.output.end(), '\n'); };
  EXPECT_LE(lines(column), 12) << column.output;
  EXPECT_GT(lines(run({"--details", "--", "./program", "column"})), lines(column));
}

TEST_F(RunFlow, ThePageIsAFileOrAFolder) {
  run({"--html", "page.html", "--", "./program", "column"});
  run({"--html", "some/folder", "--", "./program", "column"});
  for (const char* page : {"page.html", "some/folder/index.html"}) {
    const auto text = read_file(folder() / page, 1 << 21);
    ASSERT_TRUE(text) << text.sentence();
    EXPECT_NE(text->find("out[threadIdx.x * 32 + threadIdx.y]"), std::string::npos) << "the source is in it";
  }
  const Finished nowhere = run({"--html", "/proc/page.html", "--", "./program", "column"});
  EXPECT_EQ(exit_code(nowhere), 3) << nowhere.output;
}

TEST_F(RunFlow, ThereAreAsManyDevicesAsOneAsksFor) {
  EXPECT_EQ(run({"--", "./program", "devices"}).output, "1 devices\nend of devices\n");
  EXPECT_EQ(run({"--devices", "3", "--", "./program", "devices"}).output, "3 devices\nend of devices\n");
  for (const char* count : {"0", "17", "two"})
    EXPECT_EQ(exit_code(run({"--devices", count, "--", "./program", "devices"})), 2) << count;
}

TEST_F(RunFlow, HostCodeThatReadsDeviceMemoryIsToldWhichElement) {
  const Finished host = run({"--", "./program", "host"});
  EXPECT_TRUE(says(host, "host code touched byte 20 of a device allocation of 400 bytes")) << host.output;
  EXPECT_EQ(exit_code(host), 128 + SIGSEGV);
}

TEST_F(RunFlow, ACallThatIsNotThereIsRefusedByName) {
  const Finished share = run({"--", "./program", "share"});
  EXPECT_TRUE(says(share, "cudaMemPoolExportPointer is not available on the virtual GPU")) << share.output;
  EXPECT_TRUE(says(share, "cudaErrorNotSupported")) << share.output;
}

TEST_F(RunFlow, AnInstructionThatIsNotThereIsRefusedWithItsPtxAndCudaLine) {
  const Finished refused = run({"--", "./program", "instruction"});
  EXPECT_TRUE(
      says(refused, "program.cu:" + line("vavrg4") +
                        ": the kernel unknown_instruction(unsigned int*) uses the instruction vavrg4.u32.u32.u32"))
      << refused.output;
  EXPECT_TRUE(says(refused, "(PTX line ")) << refused.output;
  EXPECT_TRUE(says(refused, "cudaErrorNotSupported")) << refused.output;
}

TEST_F(RunFlow, AProgramThatCannotUseTheVirtualGpuIsTold) {
  const Finished statically = run({"--", "./static_program", "right"});
  EXPECT_TRUE(says(statically, "link it with nvcc -cudart shared")) << statically.output;
}

TEST_F(RunFlow, AProgramThatOpensALibraryWithoutPtxIsToldWhich) {
  const Finished opens = run({"--", "./program", "open", "libcusolver.so.12"});
  EXPECT_TRUE(says(opens, "lanewise: ./program uses cuSOLVER, which needs NVIDIA's driver and a GPU")) << opens.output;
  EXPECT_FALSE(says(opens, "end of open")) << opens.output;
  EXPECT_FALSE(says(opens, "link it with nvcc -cudart shared")) << opens.output;
  EXPECT_EQ(exit_code(opens), 4);
  EXPECT_TRUE(says(run({"--", "./program", "open", "libcublas.so.13"}), "opened\nend of open\n"));
  EXPECT_TRUE(says(run({"--", "./program", "open", "libm.so.6"}), "opened\nend of open\n"));
}

TEST_F(RunFlow, AProgramWithSuchALibraryInItDoesNotBegin) {
  std::ofstream source(folder() / "with_nccl.cpp");
  for (const char* name : {"CommInitRank", "AllReduce", "Send", "Recv", "CommDestroy"})
    source << "extern \"C\" int nccl" << name << "() { return 0; }\n";
  source << "int main() { return ncclCommInitRank(); }\n";
  source.close();
  ProcessOptions options;
  options.command = {LANEWISE_CXX, "-o", "with_nccl", "with_nccl.cpp"};
  options.environment = {"PATH=/usr/bin:/bin"};
  options.folder = folder();
  const auto compiled = run_to_end(options, kGenerous, 1 << 20);
  ASSERT_TRUE(compiled && compiled->succeeded()) << (compiled ? compiled->output : compiled.sentence());
  const Finished refused = run({"--", "./with_nccl"});
  EXPECT_TRUE(says(refused, "./with_nccl uses NCCL, which needs NVIDIA's driver")) << refused.output;
  EXPECT_EQ(exit_code(refused), 4);
}

// `lanewise run` of a shell script, or a program, that has printed its process id; the folder for temporary files is
// its own.
class RunningScript {
 public:
  RunningScript(const fs::path& folder, const std::string& script) : RunningScript(folder, {"/bin/sh", "-c", script}) {}
  RunningScript(const fs::path& folder, const std::vector<std::string>& command) : temporary_(folder / "temporary") {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // a script that outlives lanewise becomes a child of this process
    fs::create_directories(temporary_);
    ProcessOptions options;
    options.command = {LANEWISE_EXECUTABLE, "run", "--"};
    options.command.insert(options.command.end(), command.begin(), command.end());
    options.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TMPDIR=" + temporary_.string()};
    options.folder = folder;
    auto started = Process::start(options);
    if (!started) return;
    process_.emplace(std::move(*started));
    for (const auto deadline = Clock::now() + kGenerous; Clock::now() < deadline; usleep(10000)) {
      printed_.read_from(process_->output());
      if (printed_.text().find('\n') != std::string::npos) break;
    }
    script_ = std::atoi(printed_.text().c_str());
  }

  pid_t script() const { return script_; }
  pid_t lanewise() const { return process_ ? process_->id() : -1; }
  bool is_running() const { return script_ > 0 && kill(script_, 0) == 0; }

  // Whether the script, whose parent is gone, ends too.
  bool ends() const {
    for (const auto deadline = Clock::now() + std::chrono::seconds(20); Clock::now() < deadline; usleep(10000))
      if (waitpid(script_, nullptr, WNOHANG) == script_) return true;
    return false;
  }
  int wait_for_lanewise() {
    process_->wait_until(Clock::now() + std::chrono::seconds(20));
    printed_.read_from(process_->output());
    return process_->end();
  }
  const std::string& printed() const { return printed_.text(); }
  bool left_nothing() const { return fs::is_empty(temporary_); }

 private:
  fs::path temporary_;
  std::optional<Process> process_;
  CapturedOutput printed_{1 << 16};
  pid_t script_ = -1;
};

TEST_F(RunFlow, TheProgramGoesWithLanewise) {
  const RunningScript script(folder(), "echo $$; exec sleep 300");
  ASSERT_TRUE(script.is_running());
  kill(script.lanewise(), SIGKILL);
  EXPECT_TRUE(script.ends());
}

TEST_F(RunFlow, SignalsArePassedOnAndNothingIsLeftBehind) {
  for (const int number : {SIGTERM, SIGHUP}) {
    fs::remove_all(folder() / "temporary");
    RunningScript script(folder(), "trap 'echo told; exit 5' TERM HUP; echo $$; while :; do sleep 0.05; done");
    ASSERT_TRUE(script.is_running());
    EXPECT_FALSE(script.left_nothing());
    kill(script.lanewise(), number);
    const int status = script.wait_for_lanewise();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5) << status;
    EXPECT_NE(script.printed().find("told"), std::string::npos) << script.printed();
    EXPECT_TRUE(script.left_nothing());
  }
}

TEST_F(RunFlow, CtrlCStillGivesTheSummaryOfWhatHappenedSoFar) {
  // In a kernel that would run for minutes, and in host code that does something else.
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"./program", "forever"}, {"./program", "forever", "host"}}) {
    RunningScript program(folder(), command);
    ASSERT_TRUE(program.is_running());
    kill(program.script(), SIGINT);
    const int status = program.wait_for_lanewise();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGINT) << status;
    const bool in_kernel = command.size() == 2;
    EXPECT_NE(
        program.printed().find(in_kernel ? "what costs most in 2 kernels, 2 launches" : "what costs most in twice"),
        std::string::npos)
        << program.printed();
    EXPECT_EQ(
        program.printed().find("for_ever(int*, int*) was still running: 1 thread of block (0,0,0) is in a loop") !=
            std::string::npos,
        in_kernel)
        << program.printed();
    EXPECT_TRUE(program.left_nothing());
  }
}

TEST_F(RunFlow, AKernelWhoseThreadsWaitForEachOtherIsStoppedSoon) {
  const Finished waits = run({"--", "./program", "wait"});
  EXPECT_TRUE(says(waits, "cudaErrorLaunchTimeout")) << waits.output;
  EXPECT_TRUE(says(waits, "endless wait")) << waits.output;
  EXPECT_TRUE(says(waits, "2 threads of 2 blocks are in a loop")) << waits.output;
}

TEST_F(RunFlow, WhatDependsOnTheScheduleIsAFinding) {
  const Finished places = run({"--schedules", "3", "--monitor", "none", "--report", "schedules.json",
                               "--error-exitcode", "9", "--", "./program", "places"});
  EXPECT_TRUE(says(places, "end of places\n")) << places.output;
  EXPECT_TRUE(says(places, "under 3 schedules, seeds 0 to 2")) << places.output;
  EXPECT_TRUE(says(places, "result depends on the schedule")) << places.output;
  EXPECT_TRUE(says(places, "data[0] is ")) << places.output;
  EXPECT_TRUE(says(places, "0 under seed 0; 96 words")) << places.output;
  EXPECT_EQ(exit_code(places), 9);
  const auto report = read_file(folder() / "schedules.json", 1 << 20);
  ASSERT_TRUE(report);
  EXPECT_NE(report->find("\"tool\":\"schedules\""), std::string::npos) << *report;

  const Finished sum = run({"--schedules", "3", "--monitor", "none", "--", "./program", "sum"});
  EXPECT_TRUE(says(sum, "rounding depends on the schedule")) << sum.output;
  EXPECT_EQ(exit_code(sum), 0);

  const Finished print = run({"--schedules", "4", "--monitor", "none", "--", "./program", "print"});
  EXPECT_TRUE(says(print, "line 1 of what the program prints is")) << print.output;
  EXPECT_TRUE(says(print, "the program exits with 3")) << print.output;
}

TEST_F(RunFlow, NothingIsFoundInWhatDoesNotDependOnTheSchedule) {
  const Finished right = run({"--schedules", "4", "--", "./program", "right"});
  EXPECT_EQ(right.output.find("end of right\n"), 0u) << right.output;
  EXPECT_FALSE(says(right, "finding")) << right.output;
  EXPECT_EQ(exit_code(right), 0);
  EXPECT_EQ(exit_code(run({"--schedules", "3", "--", "./program", "seven"})), 7);
  EXPECT_EQ(exit_code(run({"--schedules", "3", "--schedule-seed", "1", "--", "./program", "right"})), 2);
}

TEST_F(RunFlow, TheTimelineIsThatOfTheBlockAskedFor) {
  run({"--timeline-block", "2,1", "--report", "report.json", "--", "./program", "blocks"});
  const auto report = read_file(folder() / "report.json", 1 << 20);
  ASSERT_TRUE(report);
  EXPECT_NE(report->find("\"timeline\":{\"block\":[2,1,0]"), std::string::npos) << *report;
  for (const char* block : {"", "-1", "1,", "1,2,3,4", "one"})
    EXPECT_EQ(exit_code(run({"--timeline-block", block, "--", "./program", "blocks"})), 2) << block;
}

TEST_F(RunFlow, WhatRacecheckHadToForgetIsSaid) {
  const Finished little = run({"--monitor", "racecheck", "--race-memory", "1", "--", "./program", "scattered"});
  EXPECT_TRUE(says(little, "racecheck did not see all of scattered")) << little.output;
  EXPECT_TRUE(says(little, "--race-memory")) << little.output;
  const Finished enough = run({"--monitor", "racecheck", "--", "./program", "scattered"});
  EXPECT_FALSE(says(enough, "racecheck")) << enough.output;
}

TEST_F(RunFlow, NumbersBelowZeroAreRefused) {
  for (const char* option : {"--schedule-seed", "--budget"})
    EXPECT_EQ(exit_code(run({option, "-1", "--", "./program", "right"})), 2) << option;
}

TEST_F(RunFlow, WhatCannotBeStartedIsAUsageError) {
  const Finished missing = run({"--", "./no_such_program"});
  EXPECT_TRUE(says(missing, "./no_such_program cannot be run: No such file or directory")) << missing.output;
  EXPECT_EQ(exit_code(missing), 2);
  EXPECT_EQ(exit_code(run({"--monitor", "everything", "--", "./program"})), 2);
  EXPECT_EQ(exit_code(run({})), 2);
}

}  // namespace
}  // namespace lanewise::run_flow_test
