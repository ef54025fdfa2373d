// Slurm jobs that run `lanewise worker`, for one chunk each.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "grader/executors/executor.h"

namespace lanewise {

struct SlurmOptions {
  std::string partition;  ///< empty: the site's default, as for the next two
  std::string account;
  std::string time;                  ///< limit of a job, as sbatch reads it: "30" minutes, "1:00:00"
  unsigned cpus = 1;                 ///< per job: as many submissions are graded at a time
  std::string gres;                  ///< "gpu:h200:1"; empty: none
  std::size_t chunk = 10;            ///< submissions per job
  unsigned at_once = 0;              ///< jobs that may run at a time; 0: as many as the site allows
  std::vector<std::string> options;  ///< further ones for sbatch
};

/// The table [slurm] of course.toml, in which all keys are optional:
///
///     [slurm]
///     partition = "gpu"
///     account = "cs-101"
///     time = "1:00:00"
///     cpus = 4
///     gres = "gpu:1"
///     chunk = 10
///     at_once = 20
///     options = ["--qos=teaching", "--exclusive"]
///
/// Without the table, all options have their defaults. A failure names file and line.
Expected<SlurmOptions> read_slurm_options(const std::filesystem::path& file);

/// Jobs that run `program` worker; `patience` as in ClaimWatch. Uses only sbatch, squeue and scancel, which every site
/// has, and no accounting.
std::unique_ptr<Executor> slurm_executor(const std::filesystem::path& program, const SlurmOptions& options,
                                         std::chrono::milliseconds patience = kPatience);

}  // namespace lanewise
