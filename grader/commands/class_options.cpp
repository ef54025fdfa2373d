// One line of help per option.
#include "grader/commands/class_options.h"

#include "grader/commands/toolchain_option.h"

namespace lanewise {

void add_class_options(CLI::App& command, ClassOptions& options, const char* out_help) {
  command.add_option("names", options.names, "Labs or tasks; those with submissions if none is named")
      ->type_name("LAB|TASK");
  command.add_option("--out", options.out, out_help)->type_name("DIR")->required();
  command.add_option("--course", options.course, "Dates, late policy and which attempt counts")->type_name("TOML");
  command.add_option("--seed-file", options.seed_file, "A secret seed and hidden cases")->type_name("TOML");
  command.add_option("--marks", options.marks, "Points for answers in the students' own words: to_mark.csv, filled in")
      ->type_name("CSV");
  std::vector<std::string> backends;
  for (const auto& [name, value] : class_backend_choices()) backends.push_back(name);
  command
      .add_option("--backend", options.backend,
                  "What to run on: a GPU if there is one, the virtual GPU, or both (checked there, timed on a GPU)")
      ->check(CLI::IsMember(backends))
      ->capture_default_str();
  add_toolchain_option(command, options.toolchain);
  command.add_option("--cases", options.cases, "check, or grade (check and more)")
      ->check(CLI::IsMember({"check", "grade"}))
      ->capture_default_str();
  command.add_option("--jobs", options.jobs, "Submissions graded at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      .add_option("--executor", options.executor,
                  "Who grades: this process, Slurm jobs, or each `lanewise worker OUT/work` that you start")
      ->check(CLI::IsMember({"local", "slurm", "external"}))
      ->capture_default_str();
  command.add_option("--work", options.work, "Folder for chunks, which the workers share (default: OUT/work)")
      ->type_name("DIR");
  command
      .add_option("--patience", options.patience, "Seconds without a sign of life after which a worker counts as dead")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();
  command.add_flag("--fresh", options.is_fresh, "Grade again even if nothing has changed");
  command.add_flag("--no-timing", options.no_timing, "On a GPU: do not time correct submissions");
  command.add_flag("--no-sandbox", options.no_sandbox, "Compile and run students' code as yourself, without a sandbox");
}

}  // namespace lanewise
