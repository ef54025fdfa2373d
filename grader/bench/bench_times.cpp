// While one ladder is timed, the cases of the next are generated on other CPU cores.
#include "grader/bench/bench_times.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <future>

#include "grader/bench/bench_roofs.h"
#include "grader/bench/cccl_version.h"
#include "grader/bench/gpu_times.h"
#include "grader/workplace/exit_codes.h"
#include "grader/workplace/temporary_folder.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kRaceGroup = "race";

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

bool time_host_memory(const std::vector<ReadyCase>& cases) {
  for (const ReadyCase& each : cases)
    if (each.problem.space == Space::kHost) return true;
  return false;
}

// A run's progress in steps, and how long the rest will take at that pace.
class Pace {
 public:
  explicit Pace(std::size_t all) : all_(all) {}

  std::string words() {
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin_).count();
    std::string text = fmt::format("{} of {}", done_, all_);
    if (done_ > 2) text += fmt::format(", about {} left", duration(elapsed / done_ * (all_ - done_)));
    ++done_;
    return text;
  }

 private:
  static std::string duration(double seconds) {
    return seconds < 90 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
  }

  Clock::time_point begin_ = Clock::now();
  std::size_t done_ = 0;
  std::size_t all_ = 0;
};

bool are_right(const Ladder& ladder, const std::vector<MeasuredTask>& measured, const TimedParts& parts) {
  if (!parts.race) return true;
  const MeasuredTask* const race = find_measured(measured, ladder.file->name, kRaceTimes);
  // Peers may differ: no verdict is declared for a library.
  for (const SolutionFile& step : ladder.steps)
    if (step.kind == SolutionFile::Kind::kLadder &&
        (race == nullptr || !has_right_times(*race, *ladder.file, kRaceGroup, step)))
      return false;
  return true;
}

}  // namespace

std::optional<Failure> keep_times(const fs::path& file, const std::vector<MeasuredTask>& measured) {
  const auto known = read_measured(file);
  if (!known) return known.failure();
  std::vector<MeasuredTask> tasks = *known;
  for (const MeasuredTask& each : measured) tasks = with_task(std::move(tasks), each);
  return write_report(file, measured_text(tasks));
}

int measure_ladders(const BenchTimesRequest& request) {
  if (request.roofs) {
    request.progress->show("measuring the roofs of this GPU");
    const fs::path file = request.workplace->installation.solutions / "roofs.toml";
    const auto failure = keep_roofs(*request.workplace, today(), file);
    request.progress->clear();
    if (failure) {
      request.note(failure->sentence);
      return kExitEnvironment;
    }
  }
  if (!request.parts.race && !request.parts.ladder_case && !request.parts.scaling) return kExitDone;
  const std::vector<Ladder>& ladders = *request.ladders;
  const auto scratch = TemporaryFolder::create();
  if (!scratch) {
    request.note(scratch.sentence());
    return kExitEnvironment;
  }
  std::size_t steps = 0;
  for (const Ladder& ladder : ladders) steps += ladder.steps.size();
  Pace pace(steps);
  TimingOptions timing;
  timing.scratch = scratch->path();
  timing.date = today();
  timing.cccl = cccl_version(request.workplace->installation.toolkit);
  timing.progress = [&](const std::string& text) {
    request.progress->show(fmt::format("{} · {}", pace.words(), text));
  };
  timing.trouble = request.note;

  int code = kExitDone;
  const auto make = [&](std::size_t i) { return make_ready(ladders[i], request.parts, kRaceGroup, scratch->path()); };
  std::future<std::vector<ReadyCase>> next;
  for (std::size_t i = 0; i < ladders.size(); ++i) {
    const Ladder& ladder = ladders[i];
    if (!next.valid()) next = std::async(std::launch::async, make, i);
    if (next.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      request.progress->show(fmt::format("{} · generating cases and expected outputs", ladder.file->name));
    const std::vector<ReadyCase> cases = next.get();
    // If host memory is timed, nothing else may use it.
    if (i + 1 < ladders.size() && !time_host_memory(cases)) next = std::async(std::launch::async, make, i + 1);
    const std::vector<MeasuredTask> measured = time_ladder(ladder, cases, *request.workplace, timing);
    request.progress->clear();
    if (!are_right(ladder, measured, request.parts)) code = kExitNotGraded;
    for (const MeasuredTask& task : measured)
      if (task.group != kScalingTimes) std::fputs(times_text(task, ladder).c_str(), stdout);
    std::fflush(stdout);
    const fs::path file = request.workplace->installation.solutions / ladder.lab->file.id / "measured.toml";
    if (const auto failure = measured.empty() ? std::nullopt : keep_times(file, measured)) {
      request.note(failure->sentence);
      return kExitEnvironment;
    }
  }
  return code;
}

}  // namespace lanewise
