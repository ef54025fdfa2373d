// The steps and peers of a task's ladder, and what the virtual GPU observes of each.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "grader/bench/ladder_table.h"
#include "grader/solutions/solution_files.h"
#include "grader/workplace/workplace.h"
#include "harness/runner/verdict/grade.h"

namespace lanewise {

/// One task whose lab.toml has a [task.ladder], and the files that are its rows.
struct Ladder {
  const LabSelection* lab = nullptr;
  const TaskFile* file = nullptr;
  const Task* task = nullptr;
  std::vector<SolutionFile> steps;  ///< in the order of their names, peers last
};

/// The ladders of `labs`; tasks without the section are left out.
std::vector<Ladder> find_ladders(const std::vector<LabSelection>& labs, const std::filesystem::path& solutions);

/// The case of that name, which the task must have.
const CaseFile& case_of(const TaskFile& task, const std::string& name);

/// The cases that stand for all cases of a task if running all would take too long: the one that is counted, and of the
/// other check cases the largest with an odd size, which no tile divides.
std::vector<std::string> cases_to_call(const Ladder& ladder);

/// The problem of a case as `lanewise check` would make it with the seed 1.
std::variant<Problem, MissingData> problem_of(const Ladder& ladder, const CaseFile& each);

/// A request to grade one step. Peers may use libraries.
GradeRequest request_for(const Ladder& ladder, const SolutionFile& step, const Workplace& workplace);

/// Compiles every step and peer ahead of time, `jobs` at a time. A failure occurs again, and is reported, when a step
/// is used.
void build_ladders(const std::vector<Ladder>& ladders, const Workplace& workplace, unsigned jobs,
                   const std::function<void(std::size_t done, std::size_t all)>& progress);

/// Judges all check cases under all checkers, then counts one call with the problem in `problem` (see problem_file.h).
/// `scratch` is a folder for temporary files. The workplace's backend is the virtual GPU.
StepObservation observe_step(const Ladder& ladder, const SolutionFile& step, const Workplace& workplace,
                             const std::filesystem::path& problem, const std::filesystem::path& scratch);

}  // namespace lanewise
