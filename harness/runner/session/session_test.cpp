// Whatever a submission does to its process, the runner gets an answer, says what happened, and nothing is left
// running.
#include "harness/runner/session/session.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <initializer_list>
#include <numeric>
#include <sstream>

#include "harness/runner/session/explain.h"

namespace lanewise {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLimit(20'000);  // generous: the machine may be busy
constexpr milliseconds kShort(500);     // for what never ends, and for an idle worker's own work
constexpr std::int64_t kElements = 1000;

Problem copy_problem(Space space = Space::kHost, std::int64_t n = kElements) {
  Problem problem;
  problem.space = space;
  Array a = make_array<float>("a", {n});
  std::iota(elements<float>(a), elements<float>(a) + n, 1.0F);
  problem.inputs = {a};
  problem.outputs = {ArrayShape{"b", DType::kFloat32, {n}}};
  problem.scalars = {{"n", n}};
  return problem;
}

// Processes whose session is `session`, from /proc: the sixth field of stat.
int processes_of_session(pid_t session) {
  int count = 0;
  DIR* const folder = opendir("/proc");
  while (const dirent* entry = readdir(folder)) {
    std::ifstream stream(std::string("/proc/") + entry->d_name + "/stat");
    std::string line;
    if (!std::getline(stream, line)) continue;
    std::istringstream fields(line.substr(line.rfind(')') + 1));
    std::string state;
    pid_t parent = 0;
    pid_t group = 0;
    pid_t found = 0;
    fields >> state >> parent >> group >> found;
    count += found == session ? 1 : 0;
  }
  closedir(folder);
  return count;
}

class SessionTest : public ::testing::Test {
 protected:
  static SessionOptions options(const char* worker, const char* runtime) {
    SessionOptions options;
    options.worker = worker;
    options.runtime = runtime;
    options.monitors = "none";
    options.patience = kShort;
    return options;
  }

  void start() {
    auto started = Session::start(options(LANEWISE_WORKER, HOST_CUDART));
    ASSERT_TRUE(started) << started.sentence();
    session_ = std::move(*started);
  }

  LoadObservation load(const std::string& task, const char* object = MISBEHAVING) {
    start();
    return session_->load(object, task, kLimit);
  }

  CaseObservation run(const std::string& task, milliseconds limit = kLimit, Space space = Space::kHost) {
    const LoadObservation loaded = load(task);
    EXPECT_TRUE(loaded.is_loaded) << explain_ending(loaded.trouble, 1).sentence;
    problem_ = copy_problem(space);
    return session_->run(problem_, "case", limit, {});
  }

  bool is_right(const CaseObservation& observation) const {
    return observation.outputs.size() == 1 && observation.outputs[0].bytes == problem_.inputs[0].bytes;
  }

  // Of cases in one session, with so many elements each.
  void expect_all_right(Space space, std::initializer_list<std::int64_t> sizes) {
    for (const std::int64_t n : sizes) {
      problem_ = copy_problem(space, n);
      const CaseObservation observation = session_->run(problem_, "case", kLimit, {});
      EXPECT_EQ(observation.ending, RunEnding::kReturned) << n;
      EXPECT_TRUE(is_right(observation)) << n;
      EXPECT_TRUE(observation.guards.empty()) << n;
    }
  }

  static std::string sentence(const CaseObservation& observation) { return explain_ending(observation, 0.5).sentence; }

  std::unique_ptr<Session> session_;
  Problem problem_;
};

TEST_F(SessionTest, WorkDoneArrivesWithWhatWasPrinted) {
  const CaseObservation observation = run("copies");
  EXPECT_EQ(observation.ending, RunEnding::kReturned);
  EXPECT_TRUE(is_right(observation));
  EXPECT_TRUE(observation.guards.empty());
  EXPECT_TRUE(observation.changed_inputs.empty());
  EXPECT_TRUE(observation.refused.empty());
  EXPECT_EQ(session_->printed().text(), "copying 1000\n");
  EXPECT_EQ(session_->device().name, "host memory");
  EXPECT_EQ(session_->device().runtime_version, "13.0");
}

TEST_F(SessionTest, OneWorkerServesManyCases) {
  ASSERT_TRUE(load("copies").is_loaded);
  expect_all_right(Space::kHost, {0, 1, 31, 4096, 100'000});
}

// What needs more than the case before gets other device memory, and the worker has to follow.
TEST_F(SessionTest, DeviceMemoryGrowsWithTheCases) {
  ASSERT_TRUE(load("copies").is_loaded);
  expect_all_right(Space::kDevice, {0, 1000, 3'000'000, 31, 1'000'000, 5'000'000});
}

TEST_F(SessionTest, DeviceArraysAreGuardedToo) {
  EXPECT_TRUE(is_right(run("copies", kLimit, Space::kDevice)));
  const CaseObservation observation = run("writes_past_the_end", kLimit, Space::kDevice);
  ASSERT_EQ(observation.guards.size(), 1U);
  EXPECT_EQ(observation.guards[0].array, "d_b");
}

TEST_F(SessionTest, UntouchedOutputIsPoison) {
  const CaseObservation observation = run("does_nothing");
  ASSERT_EQ(observation.outputs.size(), 1U);
  for (const std::byte byte : observation.outputs[0].bytes) ASSERT_EQ(byte, kPoison);
}

TEST_F(SessionTest, OutputsAreWhatTheDeviceHeldWhenTheCallWasSaidToBeOver) {
  const CaseObservation observation = run("answers_long_before_it_works", kLimit, Space::kDevice);
  ASSERT_EQ(observation.outputs.size(), 1U);
  for (const std::byte byte : observation.outputs[0].bytes) ASSERT_EQ(byte, kPoison);
}

TEST_F(SessionTest, EmptyAndMissingFunctionsAreTold) {
  LoadObservation loaded = load("does_nothing");
  EXPECT_TRUE(loaded.is_defined);
  EXPECT_TRUE(loaded.is_empty);
  loaded = load("is_not_defined");
  EXPECT_TRUE(loaded.is_loaded);
  EXPECT_FALSE(loaded.is_defined);
  loaded = load("copies");
  EXPECT_TRUE(loaded.is_defined);
  EXPECT_FALSE(loaded.is_empty);
}

TEST_F(SessionTest, NullPointerIsNamed) {
  const CaseObservation observation = run("reads_null");
  EXPECT_EQ(observation.ending, RunEnding::kCrashed);
  EXPECT_EQ(sentence(observation), "host code read through a null pointer");
}

TEST_F(SessionTest, StrayHostWriteGivesItsAddress) {
  const CaseObservation observation = run("writes_to_an_array_after_it_faulted");
  EXPECT_EQ(observation.ending, RunEnding::kCrashed);
  EXPECT_NE(sentence(observation).find("host code wrote an address outside its own memory"), std::string::npos);
}

TEST_F(SessionTest, AbortIsACrash) {
  const CaseObservation observation = run("aborts");
  EXPECT_EQ(observation.ending, RunEnding::kCrashed);
  EXPECT_NE(sentence(observation).find("SIGABRT"), std::string::npos);
}

TEST_F(SessionTest, StackOverflowIsToldFromOtherCrashes) {
  const CaseObservation observation = run("overflows_the_stack");
  EXPECT_EQ(observation.ending, RunEnding::kCrashed);
  EXPECT_NE(sentence(observation).find("overflowed its stack"), std::string::npos) << sentence(observation);
}

TEST_F(SessionTest, EndOfTheMainThreadIsACrash) { EXPECT_EQ(run("ends_its_thread").ending, RunEnding::kCrashed); }

TEST_F(SessionTest, DivisionByZeroIsNamed) {
  EXPECT_NE(sentence(run("divides_by_zero")).find("division by zero"), std::string::npos);
}

TEST_F(SessionTest, EndlessLoopEndsAtTheLimit) {
  const CaseObservation observation = run("loops", kShort);
  EXPECT_EQ(observation.ending, RunEnding::kTimedOut);
  EXPECT_EQ(sentence(observation), "had not finished after 0.5 seconds and was stopped");
  EXPECT_FALSE(session_->is_usable());
}

TEST_F(SessionTest, GigabyteOfOutputIsCountedAndNotKept) {
  const CaseObservation observation = run("prints_a_gigabyte", milliseconds(60'000));
  EXPECT_EQ(observation.ending, RunEnding::kReturned);
  EXPECT_TRUE(is_right(observation));
  EXPECT_EQ(session_->printed().total_bytes(), std::uint64_t{1} << 30);
  EXPECT_LE(session_->printed().text().size(), std::size_t{16} << 10);
}

TEST_F(SessionTest, LastWordsBeforeACrashAreKept) {
  run("prints_and_crashes");
  EXPECT_EQ(session_->printed().text(), "last words\n");
}

TEST_F(SessionTest, EndingTheProgramIsNoPass) {
  CaseObservation observation = run("calls_exit");
  EXPECT_EQ(observation.ending, RunEnding::kExited);
  EXPECT_EQ(observation.exit_code, 0);
  EXPECT_FALSE(observation.has_outputs);
  observation = run("calls_exit_at_once");
  EXPECT_EQ(observation.ending, RunEnding::kExited);
  EXPECT_EQ(observation.exit_code, 7);
}

TEST_F(SessionTest, EndingTheProgramWhileLoadingIsNoPass) {
  const LoadObservation loaded = load("copies", EXITS_WHEN_LOADED);
  EXPECT_FALSE(loaded.is_loaded);
  EXPECT_EQ(loaded.trouble.ending, RunEnding::kExited);
  EXPECT_EQ(session_->printed().text(), "PASS 100/100\n");
}

TEST_F(SessionTest, CudaErrorLeftBehindIsReported) {
  const CaseObservation observation = run("leaves_an_error");
  EXPECT_EQ(observation.ending, RunEnding::kCudaError);
  EXPECT_EQ(sentence(observation),
            "left a CUDA error behind: cudaErrorInvalidConfiguration (invalid configuration argument, code 9)");
}

TEST_F(SessionTest, ExceptionSaysWhatItSays) {
  EXPECT_EQ(sentence(run("throws")), "host code threw an exception: no such bin");
}

TEST_F(SessionTest, MemoryWithoutEndEndsAsAnException) {
  const CaseObservation observation = run("allocates_everything");
  EXPECT_EQ(observation.ending, RunEnding::kThrew);
  EXPECT_NE(observation.sentence.find("bad_alloc"), std::string::npos);
}

TEST_F(SessionTest, ForkIsRefusedAndNamed) {
  const CaseObservation observation = run("forks");
  EXPECT_TRUE(is_right(observation));
  ASSERT_EQ(observation.refused.size(), 1U);
  EXPECT_EQ(observation.refused[0].purpose, "start another process");
}

TEST_F(SessionTest, ThreadIsRefusedAndNamed) {
  const CaseObservation observation = run("starts_a_thread");
  EXPECT_EQ(observation.ending, RunEnding::kThrew);
  ASSERT_EQ(observation.refused.size(), 1U);
  EXPECT_EQ(observation.refused[0].purpose, "start a thread");
}

TEST_F(SessionTest, OtherRefusedCallsAreNamed) {
  const auto refused_by = [this](const char* task) {
    const CaseObservation observation = run(task);
    EXPECT_TRUE(is_right(observation)) << task;
    return observation.refused.empty() ? "nothing" : observation.refused[0].purpose;
  };
  EXPECT_EQ(refused_by("kills_its_parent"), "signal another process");
  EXPECT_EQ(refused_by("kills_its_group"), "signal another process");
  EXPECT_EQ(refused_by("sets_an_alarm"), "set a timer");
  EXPECT_EQ(refused_by("opens_a_socket"), "open a socket");
}

TEST_F(SessionTest, ProgramCannotBeStarted) {
  const CaseObservation observation = run("starts_a_program");
  EXPECT_TRUE(is_right(observation));
  EXPECT_FALSE(observation.refused.empty());
}

TEST_F(SessionTest, RunnersMemoryIsOutOfReach) {
  prctl(PR_SET_DUMPABLE, 1);  // as it is when a program starts
  run("reaches_into_the_runner");
  EXPECT_EQ(prctl(PR_GET_DUMPABLE), 0);
  // From root nothing is kept out of reach.
  if (geteuid() != 0) {
    EXPECT_EQ(session_->printed().text(), "refused\n");
  }
}

TEST_F(SessionTest, FindingsThatDoNotFitAreAFinding) {
  SessionOptions with_devices = options(LANEWISE_WORKER, HOST_CUDART);
  with_devices.devices = FLOODING_DEVICES;
  auto started = Session::start(with_devices);
  ASSERT_TRUE(started) << started.sentence();
  session_ = std::move(*started);
  ASSERT_TRUE(session_->load(MISBEHAVING, "copies", kLimit).is_loaded);
  problem_ = copy_problem();
  const CaseObservation observation = session_->run(problem_, "case", kLimit, {});
  EXPECT_TRUE(is_right(observation));
  ASSERT_EQ(observation.findings.size(), 1U);
  EXPECT_EQ(observation.findings[0].kind, "too many findings");
  EXPECT_EQ(observation.findings[0].case_name, "case");
}

TEST_F(SessionTest, ClosedChannelIsToldFromACrash) {
  const CaseObservation observation = run("closes_descriptors");
  EXPECT_EQ(observation.ending, RunEnding::kBrokeChannel);
  EXPECT_FALSE(session_->is_usable());
}

TEST_F(SessionTest, RubbishInTheChannelIsNotBelieved) {
  EXPECT_EQ(run("writes_to_descriptors").ending, RunEnding::kBrokeChannel);
}

TEST_F(SessionTest, ForgedAnswerGainsNothing) {
  const CaseObservation observation = run("forges_an_answer", kShort);
  EXPECT_FALSE(is_right(observation));
}

TEST_F(SessionTest, ForgedCrashesDoNotKeepTheRunnerListening) {
  const CaseObservation observation = run("forges_crashes_without_end", milliseconds(60'000));
  EXPECT_NE(observation.ending, RunEnding::kReturned);
  EXPECT_LT(observation.seconds, 30.0);
}

TEST_F(SessionTest, ClaimThatTheWorkerFailedIsToldFromAFailureOfTheRunner) {
  EXPECT_EQ(run("claims_that_the_worker_failed").ending, RunEnding::kSetupFailed);
}

TEST_F(SessionTest, WritesOutsideTheArrayAreLocated) {
  CaseObservation observation = run("writes_past_the_end");
  EXPECT_TRUE(is_right(observation));
  ASSERT_EQ(observation.guards.size(), 1U);
  EXPECT_EQ(explain_stray_writes(observation), "wrote 24 bytes past the end of b_h, nearest at b_h[1000]");
  observation = run("writes_before_the_beginning");
  ASSERT_EQ(observation.guards.size(), 1U);
  EXPECT_EQ(explain_stray_writes(observation), "wrote 4 bytes before the beginning of b_h, nearest at b_h[-1]");
}

TEST_F(SessionTest, ChangedInputIsNoticed) {
  const CaseObservation observation = run("changes_its_input");
  EXPECT_EQ(observation.changed_inputs, std::vector<std::string>{"a_h"});
}

TEST_F(SessionTest, NothingIsLeftRunning) {
  for (const char* task : {"copies", "loops", "forks", "calls_exit", "reads_null", "closes_descriptors"}) {
    run(task, kShort);
    const pid_t worker = session_->worker_id();
    session_.reset();
    EXPECT_EQ(processes_of_session(worker), 0) << task;
  }
}

TEST_F(SessionTest, NoDescriptorIsLeaked) {
  const auto open_descriptors = [] {
    int count = 0;
    DIR* const folder = opendir("/proc/self/fd");
    while (readdir(folder)) ++count;
    closedir(folder);
    return count;
  };
  const int before = open_descriptors();
  for (const char* task : {"copies", "calls_exit", "writes_to_descriptors", "forges_an_answer"}) {
    run(task, kShort);
    session_.reset();
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(SessionTest, RuntimeThatCannotBeLoadedIsSaid) {
  const auto started = Session::start(options(LANEWISE_WORKER, "/nonexistent/libcudart.so.13"));
  ASSERT_FALSE(started);
  EXPECT_NE(started.sentence().find("the CUDA runtime cannot be loaded"), std::string::npos);
}

TEST_F(SessionTest, WorkerThatCannotBeStartedIsSaid) {
  const auto started = Session::start(options("/nonexistent/worker", HOST_CUDART));
  ASSERT_FALSE(started);
  EXPECT_NE(started.sentence().find("did not start"), std::string::npos);
}

TEST_F(SessionTest, TooManyArraysAreAMistakeOfTheLab) {
  ASSERT_TRUE(load("copies").is_loaded);
  problem_ = copy_problem();
  problem_.inputs.resize(protocol::kMostArrays, problem_.inputs[0]);
  const CaseObservation observation = session_->run(problem_, "case", kLimit, {});
  EXPECT_EQ(observation.ending, RunEnding::kNotTried);
  EXPECT_NE(observation.sentence.find("16 arrays"), std::string::npos);
}

}  // namespace
}  // namespace lanewise
