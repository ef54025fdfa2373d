// Child processes that leave nothing behind: own session, limits, one output pipe, and termination on every path.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/runner/descriptor.h"

namespace lanewise {

using Clock = std::chrono::steady_clock;

/// From the start of a program of ours until it says that it is ready: the machine may be busy, and a GPU's context can
/// take seconds where there are many of them.
constexpr std::chrono::seconds kStartLimit(60);

/// What a child may use; 0: not limited by us.
struct ProcessLimits {
  std::uint64_t cpu_seconds = 0;
  std::uint64_t data_bytes = 0;  ///< private writable memory
  std::uint64_t file_bytes = 0;  ///< largest file it may write
};

/// ProcessLimits::data_bytes where foreign work is run.
constexpr std::uint64_t kMostPrivateMemory = std::uint64_t{16} << 30;

struct ProcessOptions {
  std::vector<std::string> command;  ///< the first entry is the program's path
  std::vector<std::string> environment;
  std::filesystem::path folder = "/";  ///< its working folder
  ProcessLimits limits;
  /// The program starts another one and reports on it (launcher_message.h), whose end then counts as the process's.
  bool is_launcher = false;
  std::vector<std::filesystem::path> inputs;  ///< opened for reading: descriptors Process::kFirstInput and following
  /// Files of control groups, to which it writes its id before it starts. If it cannot, it does not start.
  std::vector<std::filesystem::path> groups;
};

/// What a process printed on both outputs, in order: the beginning is kept, all of it is counted.
class CapturedOutput {
 public:
  explicit CapturedOutput(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Reads what is available from a non-blocking descriptor, at most a few megabytes so that a flood cannot block its
  /// reader. False at the end of the stream.
  bool read_from(int descriptor);

  const std::string& text() const { return text_; }
  std::uint64_t total_bytes() const { return total_bytes_; }

 private:
  std::size_t most_bytes_;
  std::string text_;
  std::uint64_t total_bytes_ = 0;
};

/// A running child. The destructor kills its session and reaps it; its session is also killed if a signal ends this
/// process, and the child itself if the thread that started it ends first.
class Process {
 public:
  /// Descriptor number of the `channel` in the child.
  static constexpr int kChannelNumber = 3;
  /// Descriptor number of the socket that a launcher reports to.
  static constexpr int kLauncherNumber = 4;
  static constexpr int kFirstInput = 5;
  /// Exit code of a child whose program could not be started.
  static constexpr int kExitNotStarted = 127;

  static Expected<Process> start(const ProcessOptions& options, const Descriptor* channel = nullptr);

  ~Process() { end(); }
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }
  /// Id of the program: id(), or that of the one a launcher started, for which this waits; -1 if it started none.
  pid_t program_id();
  /// Readable once something is printed; non-blocking.
  int output() const { return output_.get(); }
  /// Readable once the process has ended.
  int ended() const { return handle_.get(); }

  /// Waits for the end until `deadline`.
  bool wait_until(Clock::time_point deadline) const;

  /// Kills what still runs in the process's session and reaps it. Returns the wait status, also in further calls.
  int end();

 private:
  Process(pid_t id, Descriptor handle, Descriptor output, Descriptor launcher);
  void hear_launcher(std::chrono::milliseconds patience);
  void let_launcher_end();
  int status_by_launcher() const;

  pid_t id_ = -1;
  Descriptor handle_;
  Descriptor output_;
  Descriptor launcher_;  // empty without a launcher
  pid_t program_id_ = -1;
  std::optional<int> launched_status_;
  int status_ = 0;
};

/// The outcome of a process that ran to its end.
struct Finished {
  int status = 0;  ///< as returned by waitpid; meaningless after a time-out
  bool timed_out = false;
  std::string output;
  std::uint64_t output_bytes = 0;
  bool succeeded() const;
};

/// Runs a command to its end, but for at most `limit`.
Expected<Finished> run_to_end(const ProcessOptions& options, std::chrono::milliseconds limit, std::size_t most_output);

/// Two connected sockets that carry packets: one for this process, one for a child. False, with errno, if there are
/// none.
bool make_channel(Descriptor& ours, Descriptor& theirs);

/// Processor time that a process has used so far, in all its threads; nothing if there is no such process.
std::optional<std::chrono::nanoseconds> processor_time(pid_t process);

/// Milliseconds from now until `deadline` for poll(2), at least 0.
int milliseconds_until(Clock::time_point deadline);

}  // namespace lanewise
