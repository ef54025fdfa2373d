// Generating inputs and expected outputs of large cases takes longer than timing kernels, so several are made at once.
#include "grader/bench/ready_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/runner/parallel.h"
#include "harness/runner/session/problem_file.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// At a time. A race case is up to three GiB as arrays, and as much again as a file.
constexpr unsigned kMadeAtATime = 4;

struct Wanted {
  CaseFile file;
  ReadyCase ready;
};

void add(std::vector<Wanted>& wanted, const CaseFile& each, const char* group, double size = 0) {
  Wanted& one = wanted.emplace_back();
  one.file = each;
  one.ready.group = group;
  one.ready.name = each.name;
  one.ready.size = size;
}

std::vector<Wanted> wanted_cases(const Ladder& ladder, const TimedParts& parts, const std::string& race_group) {
  std::vector<Wanted> wanted;
  const TaskFile& task = *ladder.file;
  if (parts.race)
    for (const CaseFile& each : task.cases)
      if (each.group == race_group && each.backend != "vgpu") add(wanted, each, kRaceTimes);
  if (parts.ladder_case) {
    const CaseFile& counted = case_of(task, task.ladder.case_name);
    if (counted.backend != "vgpu") add(wanted, counted, kCheckTimes);
  }
  if (parts.scaling) {
    for (const std::int64_t value : task.scaling.values) {
      CaseFile scaled = case_of(task, task.scaling.case_name);
      for (const std::string& name : task.scaling.parameters) scaled.make.set(name, value);
      add(wanted, scaled, kScalingTimes, static_cast<double>(value));
    }
  }
  return wanted;
}

void make(const Ladder& ladder, const CaseFile& each, ReadyCase& ready) {
  auto made = problem_of(ladder, each);
  if (const auto* missing = std::get_if<MissingData>(&made)) {
    ready.trouble = missing->sentence;
    return;
  }
  ready.problem = std::move(std::get<Problem>(made));
  if (const auto failure = write_problem(ready.problem, ready.file)) {
    ready.trouble = failure->sentence;
    return;
  }
  ready.expected = ladder.task->oracle(ready.problem);
}

}  // namespace

std::string title_of(const ReadyCase& ready, const TaskFile& task) {
  if (!(ready.size > 0)) return ready.name;
  return fmt::format("{}, {} = {:.0f}", ready.name, fmt::join(task.scaling.parameters, " = "), ready.size);
}

std::vector<ReadyCase> make_ready(const Ladder& ladder, const TimedParts& parts, const std::string& race_group,
                                  const fs::path& scratch) {
  std::vector<Wanted> wanted = wanted_cases(ladder, parts, race_group);
  run_in_parallel(wanted.size(), kMadeAtATime, [&](std::size_t i) {
    wanted[i].ready.file = scratch / fmt::format("{}.{}.timed", ladder.file->name, i);
    make(ladder, wanted[i].file, wanted[i].ready);
  });
  std::vector<ReadyCase> ready;
  ready.reserve(wanted.size());
  for (Wanted& each : wanted) ready.push_back(std::move(each.ready));
  return ready;
}

bool is_timed_at(const Ladder& ladder, const SolutionFile& step, const std::string& group) {
  if (group != kScalingTimes || step.kind == SolutionFile::Kind::kPeer) return true;
  if (step.source.filename() == ladder.file->reference) return true;
  const SolutionFile* last = nullptr;
  for (const SolutionFile& each : ladder.steps)
    if (each.kind == SolutionFile::Kind::kLadder) last = &each;
  return last == &step;
}

}  // namespace lanewise
