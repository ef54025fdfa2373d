// vfork and exec with everything prepared before the fork: between the two only async-signal-safe calls are made, and
// nothing is written that the parent reads.
#include "harness/runner/process.h"

#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "harness/runner/interruption.h"
#include "harness/runner/launcher_message.h"

namespace lanewise {
namespace {

constexpr std::size_t kMostBytesARead = 4 << 20;
// A launcher sets up namespaces first, beside everything else that the machine does.
constexpr std::chrono::seconds kLauncherStartLimit(20);
// From the wish that it ends to its end with all that it started; then it is killed.
constexpr std::chrono::seconds kLauncherEndLimit(2);

Failure system_failure(const std::string& what) { return Failure{fmt::format("{} ({})", what, std::strerror(errno))}; }

// Moves a descriptor beyond the numbers that the child rearranges.
Descriptor out_of_the_way(int number, int first_free) {
  Descriptor low(number);
  return Descriptor(fcntl(number, F_DUPFD_CLOEXEC, first_free));
}

struct Placed {
  Descriptor descriptor;
  int number;  // in the child
};

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
  const Placed* placed;
  std::size_t placed_count;
  const char* const* groups;  // ends with a null pointer
  pid_t parent;
};

[[noreturn]] void give_up(const char* sentence) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, sentence, std::strlen(sentence));
  _exit(Process::kExitNotStarted);
}

// 0 stands for the process that writes it.
bool join(const char* group) {
  const int descriptor = open(group, O_WRONLY | O_CLOEXEC);
  if (descriptor == -1) return false;
  const bool is_in = write(descriptor, "0", 1) == 1;
  close(descriptor);
  return is_in;
}

// First a signal that says what for; the one that cannot be ignored comes later.
void limit_cpu(std::uint64_t seconds) {
  constexpr std::uint64_t kGrace = 2;
  limit(RLIMIT_CPU, seconds + kGrace);
  rlimit limits{};
  getrlimit(RLIMIT_CPU, &limits);
  limits.rlim_cur = std::min<rlim_t>(seconds, limits.rlim_max);
  setrlimit(RLIMIT_CPU, &limits);
}

[[noreturn]] void become(const ChildPlan& plan) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(Process::kExitNotStarted);  // the parent ended before the line above
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);

  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  for (std::size_t i = 0; i < plan.placed_count; ++i)
    dup2(plan.placed[i].descriptor.get(), plan.placed[i].number);  // a copy stays open in the new program

  for (const char* const* group = plan.groups; *group; ++group)
    if (!join(*group)) give_up("the program's limits could not be set\n");
  limit(RLIMIT_CORE, 0);
  if (plan.limits->cpu_seconds != 0) limit_cpu(plan.limits->cpu_seconds);
  if (plan.limits->data_bytes != 0) limit(RLIMIT_DATA, plan.limits->data_bytes);
  if (plan.limits->file_bytes != 0) limit(RLIMIT_FSIZE, plan.limits->file_bytes);
  if (chdir(plan.folder) == 0) execve(plan.program, plan.arguments, plan.environment);
  give_up("the program could not be started\n");
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

Process::Process(pid_t id, Descriptor handle, Descriptor output, Descriptor launcher)
    : id_(id), handle_(std::move(handle)), output_(std::move(output)), launcher_(std::move(launcher)) {}

Process::Process(Process&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      handle_(std::move(other.handle_)),
      output_(std::move(other.output_)),
      launcher_(std::move(other.launcher_)),
      program_id_(other.program_id_),
      launched_status_(other.launched_status_),
      status_(other.status_) {}

Expected<Process> Process::start(const ProcessOptions& options, const Descriptor* channel) {
  const int first_free = kFirstInput + static_cast<int>(options.inputs.size());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_failure("no pipe could be created");
  Descriptor write_end = out_of_the_way(ends[1], first_free);
  Descriptor read_end = out_of_the_way(ends[0], first_free);
  Descriptor second_output(fcntl(write_end.get(), F_DUPFD_CLOEXEC, first_free));
  std::vector<Placed> placed;
  placed.push_back({out_of_the_way(open("/dev/null", O_RDONLY | O_CLOEXEC), first_free), STDIN_FILENO});
  placed.push_back({std::move(write_end), STDOUT_FILENO});
  placed.push_back({std::move(second_output), STDERR_FILENO});
  if (channel) placed.push_back({Descriptor(fcntl(channel->get(), F_DUPFD_CLOEXEC, first_free)), kChannelNumber});
  Descriptor launcher;
  if (options.is_launcher) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      return system_failure("no socket to a launcher could be created");
    launcher.reset(ends[0]);
    placed.push_back({out_of_the_way(ends[1], first_free), kLauncherNumber});
    const int on = 1;
    setsockopt(launcher.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
  }
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    Descriptor input = out_of_the_way(open(options.inputs[i].c_str(), O_RDONLY | O_CLOEXEC), first_free);
    if (!input) return system_failure(fmt::format("{} cannot be read", options.inputs[i].string()));
    placed.push_back({std::move(input), kFirstInput + static_cast<int>(i)});
  }
  const auto is_missing = [](const Placed& each) { return !each.descriptor; };
  if (!read_end || std::any_of(placed.begin(), placed.end(), is_missing))
    return system_failure("no file descriptors are left");
  fcntl(read_end.get(), F_SETFL, O_NONBLOCK);

  const std::vector<char*> arguments = pointers(options.command);
  const std::vector<char*> environment = pointers(options.environment);
  std::vector<const char*> groups;
  for (const std::filesystem::path& group : options.groups) groups.push_back(group.c_str());
  groups.push_back(nullptr);
  const ChildPlan plan{arguments[0],           arguments.data(), environment.data(),
                       options.folder.c_str(), &options.limits,  placed.data(),
                       placed.size(),          groups.data(),    getpid()};
  // Not fork(), which copies the page tables of all inputs and right answers that this process holds. This thread waits
  // until the child has its own memory.
  const pid_t id = vfork();
  if (id == 0) become(plan);
  if (id < 0) return system_failure(fmt::format("{} could not be started", options.command[0]));
  register_leader(id);
  Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, id, 0)));
  Process process(id, std::move(handle), std::move(read_end), std::move(launcher));
  if (!process.handle_) return system_failure("cannot wait for a child process");
  return process;
}

// Takes what the launcher has said so far; waits up to `patience` for its first word.
void Process::hear_launcher(std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  for (;;) {
    LauncherMessage message;
    iovec part{&message, sizeof(message)};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t bytes = recvmsg(launcher_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0 && errno == EAGAIN && program_id_ == -1 && Clock::now() < deadline) {
      pollfd wanted{launcher_.get(), POLLIN, 0};
      poll(&wanted, 1, milliseconds_until(deadline));
      continue;
    }
    if (bytes != sizeof(message)) return;
    if (message.kind == LauncherMessage::Kind::kEnded) launched_status_ = message.status;
    const cmsghdr* const sender = CMSG_FIRSTHDR(&header);
    if (message.kind != LauncherMessage::Kind::kStarted || !sender || sender->cmsg_type != SCM_CREDENTIALS) continue;
    ucred credentials{};
    std::memcpy(&credentials, CMSG_DATA(sender), sizeof(credentials));
    program_id_ = credentials.pid;
  }
}

pid_t Process::program_id() {
  if (!launcher_) return id_;
  if (program_id_ == -1) hear_launcher(kLauncherStartLimit);
  return program_id_;
}

// Killed like any process it might be gone before what it started is; asked, it ends last.
void Process::let_launcher_end() {
  shutdown(launcher_.get(), SHUT_WR);
  wait_until(Clock::now() + kLauncherEndLimit);
  hear_launcher(std::chrono::milliseconds(0));
}

int Process::status_by_launcher() const {
  if (launched_status_) return *launched_status_;
  if (!WIFEXITED(status_)) return status_;
  // It ended when it was asked to, and the program with it; or it could not do its work.
  return WEXITSTATUS(status_) == 0 ? W_EXITCODE(0, SIGKILL) : W_EXITCODE(kExitNotStarted, 0);
}

int Process::end() {
  if (id_ == -1) return status_;
  if (launcher_) let_launcher_end();
  // While the child is not reaped its number cannot be given to another process, nor can that of its group.
  kill(-id_, SIGKILL);
  kill(id_, SIGKILL);
  release_leader(id_);
  while (waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  if (launcher_) status_ = status_by_launcher();
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

bool make_channel(Descriptor& ours, Descriptor& theirs) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  ours.reset(ends[0]);
  theirs.reset(ends[1]);
  return true;
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

std::optional<std::chrono::nanoseconds> processor_time(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (process <= 0 || clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return std::nullopt;
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace lanewise
