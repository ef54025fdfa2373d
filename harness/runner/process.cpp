// fork and exec with everything prepared before the fork: between the two only async-signal-safe calls are made.
#include "harness/runner/process.h"

#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "harness/runner/interruption.h"

namespace lanewise {
namespace {

constexpr std::size_t kMostBytesARead = 4 << 20;

Failure system_failure(const std::string& what) { return Failure{fmt::format("{} ({})", what, std::strerror(errno))}; }

// Moves a descriptor out of the range that the child rearranges.
Descriptor out_of_the_way(int number) {
  Descriptor low(number);
  return Descriptor(fcntl(number, F_DUPFD_CLOEXEC, Process::kChannelNumber + 1));
}

void limit(__rlimit_resource resource, std::uint64_t most) {
  rlimit limits{};
  getrlimit(resource, &limits);
  limits.rlim_cur = std::min<rlim_t>(most, limits.rlim_max);
  limits.rlim_max = limits.rlim_cur;
  setrlimit(resource, &limits);
}

struct ChildPlan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* folder;
  const ProcessLimits* limits;
  int input;
  int output;
  int channel;  // -1: none
  pid_t parent;
};

[[noreturn]] void become(const ChildPlan& plan) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(Process::kExitNotStarted);  // the parent ended before the line above
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);

  dup2(plan.input, STDIN_FILENO);
  dup2(plan.output, STDOUT_FILENO);
  dup2(plan.output, STDERR_FILENO);
  if (plan.channel != -1) dup2(plan.channel, Process::kChannelNumber);
  const unsigned first_to_close = plan.channel != -1 ? Process::kChannelNumber + 1 : Process::kChannelNumber;
  syscall(SYS_close_range, first_to_close, ~0U, CLOSE_RANGE_CLOEXEC);

  limit(RLIMIT_CORE, 0);
  if (plan.limits->cpu_seconds != 0) limit(RLIMIT_CPU, plan.limits->cpu_seconds);
  if (plan.limits->data_bytes != 0) limit(RLIMIT_DATA, plan.limits->data_bytes);
  if (plan.limits->file_bytes != 0) limit(RLIMIT_FSIZE, plan.limits->file_bytes);
  if (chdir(plan.folder) == 0) execve(plan.program, plan.arguments, plan.environment);
  constexpr char kSentence[] = "the program could not be started\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kSentence, sizeof(kSentence) - 1);
  _exit(Process::kExitNotStarted);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  // execve's signature predates const; it does not write through these.
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));  // NOLINT
  result.push_back(nullptr);
  return result;
}

}  // namespace

bool CapturedOutput::read_from(int descriptor) {
  std::array<char, 1 << 16> buffer;
  for (std::size_t total = 0; total < kMostBytesARead;) {
    const ssize_t bytes = read(descriptor, buffer.data(), buffer.size());
    if (bytes == 0) return false;
    if (bytes < 0) return errno == EAGAIN || errno == EINTR;
    const auto count = static_cast<std::size_t>(bytes);
    text_.append(buffer.data(), std::min(count, most_bytes_ - text_.size()));
    total_bytes_ += count;
    total += count;
  }
  return true;
}

Process::Process(pid_t id, Descriptor handle, Descriptor output)
    : id_(id), handle_(std::move(handle)), output_(std::move(output)) {}

Process::Process(Process&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      handle_(std::move(other.handle_)),
      output_(std::move(other.output_)),
      status_(other.status_) {}

Expected<Process> Process::start(const ProcessOptions& options, const Descriptor* channel) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_failure("no pipe could be made");
  const Descriptor write_end = out_of_the_way(ends[1]);
  Descriptor read_end = out_of_the_way(ends[0]);
  const Descriptor input = out_of_the_way(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor moved_channel =
      channel ? Descriptor(fcntl(channel->get(), F_DUPFD_CLOEXEC, kChannelNumber + 1)) : Descriptor();
  if (!write_end || !read_end || !input || (channel && !moved_channel))
    return system_failure("no descriptors are left");
  fcntl(read_end.get(), F_SETFL, O_NONBLOCK);

  const std::vector<char*> arguments = pointers(options.command);
  const std::vector<char*> environment = pointers(options.environment);
  const ChildPlan plan{arguments[0],    arguments.data(), environment.data(), options.folder.c_str(),
                       &options.limits, input.get(),      write_end.get(),    channel ? moved_channel.get() : -1,
                       getpid()};
  const pid_t id = fork();
  if (id == 0) become(plan);
  if (id < 0) return system_failure(fmt::format("{} could not be started", options.command[0]));
  register_leader(id);
  Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, id, 0)));
  Process process(id, std::move(handle), std::move(read_end));
  if (!process.handle_) return system_failure("a child process cannot be waited for");
  return process;
}

int Process::end() {
  if (id_ == -1) return status_;
  // While the child is not reaped its number cannot be given to another process, nor can that of its group.
  kill(-id_, SIGKILL);
  kill(id_, SIGKILL);
  release_leader(id_);
  while (waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  return status_;
}

bool Process::wait_until(Clock::time_point deadline) const {
  for (;;) {
    pollfd wanted{handle_.get(), POLLIN, 0};
    const int ready = poll(&wanted, 1, milliseconds_until(deadline));
    if (ready > 0) return true;
    if (ready == 0 && Clock::now() >= deadline) return false;
  }
}

bool Finished::succeeded() const { return !timed_out && WIFEXITED(status) && WEXITSTATUS(status) == 0; }

Expected<Finished> run_to_end(const ProcessOptions& options, std::chrono::milliseconds limit, std::size_t most_output) {
  auto process = Process::start(options);
  if (!process) return process.failure();
  const Clock::time_point deadline = Clock::now() + limit;
  CapturedOutput output(most_output);
  Finished finished;
  bool is_open = true;
  for (;;) {
    pollfd wanted[] = {{process->ended(), POLLIN, 0}, {is_open ? process->output() : -1, POLLIN, 0}};
    poll(wanted, 2, milliseconds_until(deadline));
    if ((wanted[1].revents & (POLLIN | POLLHUP)) != 0) is_open = output.read_from(process->output());
    if ((wanted[0].revents & POLLIN) != 0) break;
    if (Clock::now() >= deadline) {
      finished.timed_out = true;
      break;
    }
  }
  // A child that ended by itself keeps its own status: killing what is left of its session does not change that.
  finished.status = process->end();
  if (is_open) output.read_from(process->output());
  finished.output = output.text();
  finished.output_bytes = output.total_bytes();
  return finished;
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace lanewise
