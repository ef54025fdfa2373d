// Submits job arrays for waiting chunks. squeue counts tasks; everything else is seen from the chunks themselves.
#include "grader/executors/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include "harness/lab/read_file.h"
#include "harness/lab/toml_reader.h"
#include "harness/runner/content_hash.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kAnswerLimit(60);     // for a Slurm command
constexpr std::chrono::minutes kLongestSilence(15);  // while the controller is being restarted
constexpr std::size_t kLargestArray = 1000;          // MaxArraySize, if the site has not changed it, is 1001
constexpr std::size_t kMostOutput = 1 << 20;
constexpr int kLooksAPatience = 6;        // sites dislike more than one look in ten seconds
constexpr unsigned kFruitlessRounds = 3;  // of jobs for everything that waits, without one taking a chunk

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

Expected<std::string> run(std::vector<std::string> command) {
  ProcessOptions options;
  options.command = {"/usr/bin/env"};
  options.command.insert(options.command.end(), command.begin(), command.end());
  for (char** variable = environ; *variable != nullptr; ++variable) options.environment.emplace_back(*variable);
  const auto finished = run_to_end(options, kAnswerLimit, kMostOutput);
  if (!finished) return finished.failure();
  if (finished->timed_out) return Failure{fmt::format("{} does not answer", command[0])};
  if (finished->succeeded()) return finished->output;
  std::string words = finished->output.substr(0, finished->output.find('\n'));
  return Failure{fmt::format("{} failed: {}", command[0], words)};
}

class SlurmExecutor final : public Executor {
 public:
  SlurmExecutor(fs::path program, SlurmOptions options, std::chrono::milliseconds patience)
      : program_(std::move(program)), options_(std::move(options)), patience_(patience) {}
  ~SlurmExecutor() override { cancel_pending(); }

  std::size_t chunk_size(std::size_t) const override { return options_.chunk; }
  std::optional<Failure> tend(const WorkFolder& folder) override;
  std::chrono::milliseconds between_looks() const override { return std::chrono::seconds(1); }
  std::string state() const override { return state_; }

 private:
  void cancel_pending() noexcept;
  std::optional<Failure> look();
  std::optional<Failure> submit(const WorkFolder& folder, std::size_t tasks);
  Failure fruitless(const WorkFolder& folder) const;

  fs::path program_;
  SlurmOptions options_;
  std::chrono::milliseconds patience_;
  std::string name_;  // of the jobs; the same for every lanewise in this folder, so that earlier jobs are found
  std::size_t pending_ = 0;
  std::size_t running_ = 0;
  std::string state_;
  std::optional<Clock::time_point> heard_;  // from Slurm
  Clock::time_point next_look_;
  std::array<std::size_t, 4> seen_{};  // waiting, claimed, pending, running
  Clock::time_point unchanged_since_ = Clock::now();
  bool lacked_ = false;
  bool has_submitted_ = false;
  std::optional<Clock::time_point> refused_since_;  // by sbatch
  std::size_t fruitless_ = 0;                       // tasks submitted since a chunk was last finished
};

std::optional<Failure> SlurmExecutor::tend(const WorkFolder& folder) {
  if (name_.empty()) name_ = "lanewise-" + content_hash(folder.path().string()).substr(0, 12);
  if (Clock::now() < next_look_) return std::nullopt;
  next_look_ = Clock::now() + patience_ / kLooksAPatience;
  if (auto failure = look()) {
    if (!heard_ || Clock::now() - *heard_ > kLongestSilence) return failure;  // or there is no Slurm at all
    state_ = failure->sentence;
    return std::nullopt;
  }
  heard_ = Clock::now();
  state_ = fmt::format("Slurm: {} running, {} pending", running_, pending_);
  const std::size_t claimed = folder.claimed().size();
  const std::size_t waiting = folder.waiting().size();
  if (waiting + claimed < seen_[0] + seen_[1]) fruitless_ = 0;  // something was finished
  const std::array<std::size_t, 4> seen = {waiting, claimed, pending_, running_};
  if (seen != seen_) unchanged_since_ = Clock::now();
  seen_ = seen;
  // Tasks that will still take a chunk. Those on a lost node will not, which Slurm takes minutes to notice.
  const std::size_t starting = Clock::now() - unchanged_since_ < patience_ ? running_ - std::min(running_, claimed) : 0;
  const std::size_t free = pending_ + starting;
  // A task that has just started or ended is seen in one place before the other.
  const bool lacks = waiting > free;
  const bool is_certain = lacks && (lacked_ || pending_ + running_ == 0);
  lacked_ = lacks;
  if (!is_certain) return std::nullopt;
  if (fruitless_ >= kFruitlessRounds * waiting && pending_ + running_ == 0) return fruitless(folder);
  lacked_ = false;
  auto failure = submit(folder, std::min(waiting - free, kLargestArray));
  // A site that has taken jobs takes them again; one that never has says what is wrong with them.
  if (!failure || !has_submitted_) {
    has_submitted_ = true;
    refused_since_.reset();
    return failure;
  }
  state_ = failure->sentence;
  if (!refused_since_) refused_since_ = Clock::now();
  return Clock::now() - *refused_since_ > kLongestSilence ? failure : std::nullopt;
}

// Running jobs find nothing more to do and end, as do those that cannot be cancelled.
void SlurmExecutor::cancel_pending() noexcept try {
  if (!name_.empty()) static_cast<void>(run({"scancel", "--quiet", "--state=PENDING", "--name=" + name_}));
} catch (const std::exception&) {
}

std::optional<Failure> SlurmExecutor::look() {
  const auto listed = run({"squeue", "--noheader", "--array", "--me", "--name=" + name_, "--format=%T %r"});
  if (!listed) return listed.failure();
  pending_ = running_ = 0;
  std::istringstream tasks(*listed);
  for (std::string task; std::getline(tasks, task);) {
    const std::string state = task.substr(0, task.find(' '));
    // "launch failed requeued held", "JobHeldAdmin": it waits for a human.
    if (state == "PENDING" && (task.find("held") != std::string::npos || task.find("Held") != std::string::npos))
      continue;
    if (state == "PENDING" || state == "CONFIGURING" || state == "REQUEUED")
      ++pending_;
    else if (state == "RUNNING" || state == "SUSPENDED")
      ++running_;
  }
  return std::nullopt;
}

std::optional<Failure> SlurmExecutor::submit(const WorkFolder& folder, std::size_t tasks) {
  std::error_code error;
  const fs::path logs = folder.logs();
  fs::create_directories(logs, error);
  std::vector<std::string> command = {
      "sbatch",
      "--parsable",
      "--requeue",
      "--open-mode=append",
      "--job-name=" + name_,
      fmt::format("--array=0-{}{}", tasks - 1, options_.at_once > 0 ? fmt::format("%{}", options_.at_once) : ""),
      fmt::format("--cpus-per-task={}", options_.cpus),
      fmt::format("--output={}/%A_%a.txt", logs.string())};
  for (const auto& [option, value] :
       {std::pair("--partition=", &options_.partition), std::pair("--account=", &options_.account),
        std::pair("--time=", &options_.time), std::pair("--gres=", &options_.gres)})
    if (!value->empty()) command.push_back(option + *value);
  command.insert(command.end(), options_.options.begin(), options_.options.end());
  command.push_back("--wrap=" + fmt::format("exec {} worker {} --chunks 1 --jobs {} --patience {}",
                                            quoted(program_.string()), quoted(folder.path().string()), options_.cpus,
                                            std::chrono::duration_cast<std::chrono::seconds>(patience_).count()));
  const auto submitted = run(std::move(command));
  if (!submitted) return submitted.failure();
  fruitless_ += tasks;
  pending_ += tasks;
  return std::nullopt;
}

// With the last line that the newest job printed.
Failure SlurmExecutor::fruitless(const WorkFolder& folder) const {
  std::error_code error;
  fs::path newest;
  for (const auto& log : fs::directory_iterator(folder.logs(), error))
    if (newest.empty() || fs::last_write_time(newest, error) < log.last_write_time(error)) newest = log.path();
  const auto text = read_file(newest, kMostOutput);
  std::string words = text ? *text : "no job has printed anything";
  while (!words.empty() && words.back() == '\n') words.pop_back();
  words = words.substr(words.rfind('\n') + 1);
  return {fmt::format("{} jobs ended without taking a chunk; the last one said: {}", fruitless_, words)};
}

unsigned count(const TomlTable& table, const char* key, unsigned otherwise, unsigned least) {
  constexpr double kMost = 1000;
  const double value = table.number_or(key, otherwise);
  if (!(value >= least && value <= kMost) || value != static_cast<unsigned>(value))
    table.fail(key, fmt::format("the key '{}' must be a whole number from {} to {:g}", key, least, kMost));
  return static_cast<unsigned>(value);
}

}  // namespace

Expected<SlurmOptions> read_slurm_options(const fs::path& file) {
  try {
    const toml::table parsed = parse_toml_file(file);
    const TomlTable root(parsed, file.string());
    SlurmOptions options;
    if (!root.has("slurm")) return options;
    const TomlTable table = root.table("slurm");
    table.allow_only({"partition", "account", "time", "cpus", "gres", "chunk", "at_once", "options"});
    options.partition = table.text_or("partition", "");
    options.account = table.text_or("account", "");
    options.time = table.text_or("time", "");
    options.gres = table.text_or("gres", "");
    options.cpus = count(table, "cpus", options.cpus, 1);
    options.chunk = count(table, "chunk", static_cast<unsigned>(options.chunk), 1);
    options.at_once = count(table, "at_once", options.at_once, 0);
    options.options = table.texts_or_none("options");
    return options;
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

std::unique_ptr<Executor> slurm_executor(const fs::path& program, const SlurmOptions& options,
                                         std::chrono::milliseconds patience) {
  return std::make_unique<SlurmExecutor>(program, options, patience);
}

}  // namespace lanewise
