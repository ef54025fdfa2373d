// lanewise-call-task: calls a built submission with a few cases, without a runner, a lockdown or a judgement, so that
// counters, profilers, sanitizers and clocks can follow. For code that is trusted: steps of the ladders, peers.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "harness/worker/case_memory.h"
#include "harness/worker/runtime.h"
#include "harness/worker/sampling.h"
#include "harness/worker/submission.h"

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitNotPossible = 3;

struct Options {
  std::string runtime, submission, task, samples;
  struct Problem {
    std::string file;
    bool is_brief = false;
  };
  std::vector<Problem> problems;
  bool fetch = false;
};

int usage() {
  std::fputs(
      "lanewise-call-task calls a built submission with each case, on the GPU or the virtual GPU:\n"
      "  lanewise-call-task --runtime LIBCUDART --submission FILE.so --task NAME --problem FILE ... [--fetch]\n"
      "                     [--samples FILE] [--brief]\n"
      "`lanewise bench --write-calls DIR` makes what it needs. --fetch writes the outputs back into the problem's\n"
      "file; --samples calls again and again, and appends how long that took; problems after --brief are sampled for\n"
      "a tenth of a second.\n"
      "Exit code: 0, or 1 if the call left a CUDA error, 2 for the command line, 3 if there was nothing to call.\n",
      stderr);
  return kExitUsage;
}

int fail(int code, const std::string& sentence) {
  std::fprintf(stderr, "lanewise-call-task: %s\n", sentence.c_str());
  return code;
}

bool read_options(int argc, char** argv, Options& options) {
  bool is_brief = false;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--fetch") {
      options.fetch = true;
      continue;
    }
    if (name == "--brief") {
      is_brief = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const std::string value = argv[++i];
    if (name == "--runtime")
      options.runtime = value;
    else if (name == "--submission")
      options.submission = value;
    else if (name == "--task")
      options.task = value;
    else if (name == "--problem")
      options.problems.push_back({value, is_brief});
    else if (name == "--samples")
      options.samples = value;
    else
      return false;
  }
  return !options.runtime.empty() && !options.submission.empty() && !options.task.empty() && !options.problems.empty();
}

// The file is a worker's shared memory and, at its end, the message that would have come with it.
std::string prepare(const std::string& file, lanewise::CaseMemory& memory) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor == -1) return file + ": " + std::strerror(errno);
  auto message = lanewise::protocol::make_message<lanewise::protocol::Prepare>();
  const lanewise::protocol::Header expected = message.header;
  const off_t bytes = lseek(descriptor, 0, SEEK_END);
  const off_t begin = bytes - static_cast<off_t>(sizeof(message));
  const bool is_read = begin >= 0 && pread(descriptor, &message, sizeof(message), begin) == sizeof(message);
  if (!is_read || std::memcmp(&message.header, &expected, sizeof(expected)) != 0 ||
      message.memory_bytes != static_cast<std::uint64_t>(begin)) {
    close(descriptor);
    return file + " is no case of this version of lanewise";
  }
  return memory.prepare(message, descriptor);
}

int call_once(const lanewise::CudaRuntime& runtime, const Options& options, std::size_t number,
              const LanewiseTaskEntry& entry) {
  const Options::Problem& problem = options.problems[number];
  lanewise::CaseMemory memory(runtime);
  if (const std::string failure = prepare(problem.file, memory); !failure.empty())
    return fail(kExitNotPossible, failure);
  const LanewiseCall arguments = memory.call();
  runtime.take_last_error();
  if (runtime.is_virtual()) runtime.vgpu.time_anew();  // that the inputs were brought is not the call's doing
  entry.invoke(&arguments);
  const cudaError_t left = runtime.take_last_error();
  const cudaError_t running = runtime.synchronise();
  const cudaError_t error = left != cudaSuccess ? left : running;
  if (error != cudaSuccess) return fail(kExitFailed, describe_error(runtime, options.task.c_str(), error));
  if (!options.samples.empty()) {
    const lanewise::SamplingPlan plan = problem.is_brief ? lanewise::kBriefPlan : lanewise::SamplingPlan{};
    const std::string failure = take_samples(runtime, memory, entry, plan, number, options.samples);
    if (!failure.empty()) return fail(kExitFailed, failure);
  }
  if (options.fetch && !memory.fetch_outputs()) return fail(kExitFailed, "the outputs cannot be read from the device");
  return 0;
}

int call(const Options& options) {
  lanewise::CudaRuntime runtime;
  if (const std::string failure = load_runtime(options.runtime, runtime); !failure.empty())
    return fail(kExitNotPossible, failure);
  if (const std::string failure = warm_up(runtime); !failure.empty()) return fail(kExitNotPossible, failure);
  const lanewise::Submission submission = lanewise::load_submission(options.submission, options.task);
  if (!submission.failure.empty()) return fail(kExitNotPossible, submission.failure);
  if (submission.entry->contract == nullptr)
    return fail(kExitNotPossible, "the submission does not define " + options.task);
  for (std::size_t i = 0; i < options.problems.size(); ++i)
    if (const int code = call_once(runtime, options, i, *submission.entry); code != 0) return code;
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  if (!read_options(argc, argv, options)) return usage();
  return call(options);
} catch (const std::exception& error) {
  return fail(kExitFailed, std::string("an exception came out of the call: ") + error.what());
}
