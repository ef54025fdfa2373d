// Cases become problem files; commands are those of lanewise-call-task.
#include "grader/bench/call_list.h"

#include <fmt/format.h>

#include "grader/workplace/workplace.h"
#include "harness/runner/session/problem_file.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// " --problem FILE" for each case.
Expected<std::string> write_problems(const Ladder& ladder, const fs::path& folder) {
  std::string options;
  int number = 0;
  for (const std::string& name : cases_to_call(ladder)) {
    const auto made = problem_of(ladder, case_of(*ladder.file, name));
    if (const auto* missing = std::get_if<MissingData>(&made)) return Failure{missing->sentence};
    const fs::path file = folder / fmt::format("{}.{}.problem", ladder.file->name, ++number);
    if (auto failure = write_problem(std::get<Problem>(made), file)) return std::move(*failure);
    options += " --problem " + file.string();
  }
  return options;
}

}  // namespace

Expected<CallList> write_call_list(const std::vector<Ladder>& ladders, const Workplace& workplace,
                                   const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Failure{fmt::format("{}: {}", folder.string(), error.message())};
  CallList list;
  std::string lines;
  for (const Ladder& ladder : ladders) {
    const auto problems = write_problems(ladder, folder);
    if (!problems) return problems.failure();
    for (const SolutionFile& step : ladder.steps) {
      if (step.needs_gpu && workplace.backend.is_virtual()) continue;
      const auto build = build_submission(request_for(ladder, step, workplace), workplace.builder, workplace.backend);
      if (!build || !build->is_built) {
        list.not_compiled.push_back(step.source);
        continue;
      }
      lines +=
          fmt::format("{}.{}.{}\t{} --runtime {} --submission {} --task {}{}\n", ladder.lab->file.id, ladder.file->name,
                      step.source.stem().string(), workplace.installation.caller.string(),
                      workplace.backend.runtime.string(), build->shared_object.string(), ladder.file->name, *problems);
    }
  }
  if (auto failure = write_report(folder / "calls", lines)) return std::move(*failure);
  return list;
}

}  // namespace lanewise
