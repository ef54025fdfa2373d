// Builds rivals and entries, and looks up earlier measurements.
#include "grader/board/race_tracks.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/exports/counted.h"
#include "harness/lab/measured.h"
#include "harness/lab/roofs.h"
#include "harness/runner/timing/rivals.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kMostOfAGroup{20};  // of samples, at one case

class RaceTracks {
 public:
  RaceTracks(const RaceTracksRequest& request, Board& board)
      : request_(request), workplace_(*request.workplace), board_(board) {}

  Expected<std::vector<RaceTrack>> make();

 private:
  std::optional<Failure> add_task(const CompetitionTask& task, const LabSelection& lab);
  Expected<std::string> architecture(const LabSelection& lab) const;
  Expected<std::vector<TimedEntry>> build_rivals(const LabSelection& lab, const TaskFile& file) const;
  Expected<std::vector<TimedEntry>> build_racers(const LabSelection& lab, const TaskFile& file);
  std::optional<Failure> build_racer(const LabSelection& lab, const TaskFile& file, const fs::path& source,
                                     BoardEntry& entry, TimedEntry& racer) const;
  std::optional<Failure> add_measured(const LabSelection& lab, const TaskFile& file, RaceTrack& track) const;

  const RaceTracksRequest& request_;
  const Workplace& workplace_;
  Board& board_;
  std::vector<RaceTrack> tracks_;
};

Expected<std::string> RaceTracks::architecture(const LabSelection& lab) const {
  const std::string& of_gpu = workplace_.backend.architecture;
  return of_gpu.empty() ? architecture_of_profile(profile_of(lab.file)) : Expected<std::string>(of_gpu);
}

Expected<std::vector<TimedEntry>> RaceTracks::build_rivals(const LabSelection& lab, const TaskFile& file) const {
  const auto built_for = architecture(lab);
  if (!built_for) return built_for.failure();
  RivalBuilds builds(workplace_.builder, lab.file, *built_for,
                     find_rivals(workplace_.installation.solutions, lab.file, file));
  std::vector<TimedEntry> rivals = builds.entries();
  const bool has_reference = std::any_of(rivals.begin(), rivals.end(),
                                         [](const TimedEntry& rival) { return rival.role == TimedRole::kReference; });
  if (!has_reference)
    return Failure{fmt::format("{}: its reference, {}, is not among the solutions or cannot be built", file.name,
                               file.reference.empty() ? "which lab.toml does not name" : file.reference)};
  return rivals;
}

std::optional<Failure> RaceTracks::build_racer(const LabSelection& lab, const TaskFile& file, const fs::path& source,
                                               BoardEntry& entry, TimedEntry& racer) const {
  const auto built_for = architecture(lab);
  if (!built_for) return built_for.failure();
  const auto build = workplace_.builder.build(lab.file, source, *built_for);
  if (!build) return build.failure();
  AuditRules rules = workplace_.builder.audit_rules(lab.file, *build);
  rules.forbidden = file.forbidden;
  if (const auto refusals = audit(build->audited, rules); !refusals.empty()) {
    entry.state = EntryState::kRefused;
    entry.reason = fmt::format("{}: {}", file.name, refusals.front());
  } else if (!build->is_built) {
    entry.state = EntryState::kIncomplete;
    entry.reason = fmt::format("{}: it does not compile for this GPU", file.name);
  }
  racer = {TimedRole::kPeer, source.filename().string(), build->shared_object};
  return std::nullopt;
}

Expected<std::vector<TimedEntry>> RaceTracks::build_racers(const LabSelection& lab, const TaskFile& file) {
  std::vector<TimedEntry> racers(board_.entries.size());
  for (std::size_t i = 0; i < racers.size(); ++i) {
    BoardEntry& entry = board_.entries[i];
    if (entry.state != EntryState::kFit) continue;
    for (const GradedStudent& student : request_.graded->students)
      if (student.student.id == entry.id)
        if (auto failure = build_racer(lab, file, counted_attempt(student, lab.file.id)->source, entry, racers[i]))
          return *failure;
  }
  return racers;
}

// In multiples of the reference, as it was timed in the same run of `lanewise bench`.
std::optional<Failure> RaceTracks::add_measured(const LabSelection& lab, const TaskFile& file, RaceTrack& track) const {
  const fs::path& solutions = workplace_.installation.solutions;
  const auto measured = read_measured(solutions / lab.file.id / "measured.toml");
  if (!measured) return measured.failure();
  const auto roofs = read_roofs(solutions / "roofs.toml");
  if (!roofs) return roofs.failure();
  track.measured_on = workplace_.backend.device;
  if (const MeasuredRoofs* const of = find_roofs(*roofs, track.measured_on)) track.flops_roof = of->ffma * 1e12;
  const MeasuredTask* const task = find_measured(*measured, file.name, kRaceTimes);
  if (task == nullptr || task->gpu != track.measured_on) return std::nullopt;
  const std::string& name = track.timing.case_file->name;
  const MeasuredTime* const reference = find_time(*task, file.reference, name);
  if (reference == nullptr || !(reference->milliseconds > 0)) return std::nullopt;
  for (const MeasuredTime& time : task->times) {
    if (time.case_name != name || !time.right || time.step == file.reference) continue;
    const MarkKind kind = time.step == file.baseline            ? MarkKind::kNaive
                          : time.step.rfind("library_", 0) == 0 ? MarkKind::kPeer
                                                                : MarkKind::kStep;
    track.measured.push_back({kind, time.step, time.milliseconds / reference->milliseconds});
  }
  return std::nullopt;
}

std::optional<Failure> RaceTracks::add_task(const CompetitionTask& task, const LabSelection& lab) {
  const auto file = std::find_if(lab.file.tasks.begin(), lab.file.tasks.end(),
                                 [&task](const TaskFile& each) { return each.name == task.task; });
  if (task.race_cases.empty()) return Failure{fmt::format("{}: the lab has no race case", task.task)};
  const auto rivals = build_rivals(lab, *file);
  if (!rivals) return rivals.failure();
  const auto racers = build_racers(lab, *file);
  if (!racers) return racers.failure();
  for (const CaseFile& each : file->cases) {
    if (std::find(task.race_cases.begin(), task.race_cases.end(), each.name) == task.race_cases.end()) continue;
    RaceTrack track;
    track.timing.session.worker = workplace_.installation.worker;
    workplace_.backend.choose(track.timing.session);
    track.timing.session.monitors = "none";
    track.timing.session.confinement = workplace_.builder.confinement();
    track.timing.task = find_task(*lab.lab, file->name);
    track.timing.case_file = &each;
    track.timing.lab = lab.file.id;
    track.timing.seed = request_.seed;
    track.timing.limit = std::chrono::milliseconds(static_cast<std::int64_t>(file->time_limit_seconds * 1000));
    track.timing.most = kMostOfAGroup;
    track.rivals = *rivals;
    track.racers = *racers;
    if (auto failure = add_measured(lab, *file, track)) return failure;
    tracks_.push_back(std::move(track));
    board_.cases.push_back({lab.file.id, file->name, each.name, "", 0, {}});
  }
  return std::nullopt;
}

Expected<std::vector<RaceTrack>> RaceTracks::make() {
  for (const CompetitionTask& task : request_.competition->tasks)
    for (const LabSelection& lab : *request_.labs)
      if (lab.file.id == task.lab)
        if (auto failure = add_task(task, lab)) return *failure;
  return std::move(tracks_);
}

}  // namespace

Expected<std::vector<RaceTrack>> race_tracks(const RaceTracksRequest& request, Board& board) {
  return RaceTracks(request, board).make();
}

}  // namespace lanewise
