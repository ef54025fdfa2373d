// The options of `lanewise check` and `lanewise watch`.
#include "grader/commands/check_options.h"

#include "grader/commands/option_checks.h"
#include "grader/commands/toolchain_option.h"
#include "grader/workplace/workplace.h"
#include "harness/report/platform_results.h"

namespace lanewise {
namespace {

constexpr const char* kCheckExamples = R"(
Examples:
  lanewise check                             all labs, from the files in labs/; in a lab's folder, this lab
  lanewise check vecadd                      both tasks of one lab
  lanewise check blur                        one task, by its name
  lanewise check image --submission my.cu    a file from elsewhere
  lanewise check scan --case "warp + 1"      one case only, for a quick answer without points
  lanewise check --fail-fast                 up to the first case that fails
  lanewise check --json results.json         what Gradescope reads
  lanewise check --results autolab:lines     what Autolab reads; other platforms likewise
  lanewise check --require-full              for CI: exit code 1 below full marks
  lanewise check scan --toolchain clang      compiled by clang, without anything of NVIDIA's
  lanewise check scan --no-timing            a quick answer on a GPU: everything but the points for "fast"
  lanewise check scan --details              every failure and finding, not only what fits on a screen

Once every case is right, time counts. On a GPU, the submission is timed in turn with the naive step, the reference and
the library in solutions/, each sample with fresh inputs, for at most twelve seconds per lab; without solutions/, its
time is shown but not graded. On the virtual GPU, the time is modelled, and marked as modelled.

With --case, or where --fail-fast or Ctrl-C stops it, a check is partial: it shows what is known, gives no points, and
writes neither results.json nor a page. A second Ctrl-C stops without a word.

Exit codes: 0 graded, 1 something could not be graded or judged (or is below full marks with --require-full),
2 the command line makes no sense, 3 something lanewise needs is missing, 130 interrupted by Ctrl-C.)";

constexpr const char* kWatchExamples = R"(
Examples:
  lanewise watch scan                        checks scan now, and again whenever you save scan.cu
  lanewise watch                             in a lab's folder, this lab; elsewhere, all labs
  lanewise watch scan --case "warp + 1"      one case only
  lanewise watch scan --problems             in an editor's task: .vscode/tasks.json has one

A check that is under way when you save is given up, and begins anew. Each verdict says what is fixed, what is new and
what is still there since the last one. Ctrl-C ends it.

Exit codes: 0 ended by Ctrl-C between checks, 130 during one, 2 the command line makes no sense, 3 something lanewise
needs is missing.)";

// FORMAT:FILE with a known format.
CLI::Validator platform_file() {
  return {[](const std::string& text) -> std::string {
            const std::size_t colon = text.find(':');
            if (colon != std::string::npos && colon + 1 < text.size() && platform_format(text.substr(0, colon)))
              return "";
            std::string names;
            for (const PlatformFormat& format : platform_formats())
              names += (names.empty() ? "" : ", ") + std::string(format.name);
            return "'" + text + "' is not FORMAT:FILE with one of the formats " + names;
          },
          "", "FORMAT:FILE"};
}

void add_common_options(CLI::App& command, CheckOptions& options) {
  command.add_option("names", options.names, "Labs or tasks; all labs if none is named")->type_name("LAB|TASK");
  command.add_option("--submission", options.submission, "A .cu file, or a folder that holds one, instead of labs/")
      ->type_name("FILE|DIR");
  std::vector<std::string> backends;
  for (const auto& [name, value] : backend_choices()) backends.push_back(name);
  command.add_option("--backend", options.backend, "What to run on: a GPU if there is one, or the virtual GPU")
      ->check(CLI::IsMember(backends))
      ->capture_default_str();
  add_toolchain_option(command, options.toolchain);
  command.add_option("--cases", options.cases, "check, grade (check and more), or race (sizes for a GPU)")
      ->check(CLI::IsMember({"check", "grade", "race"}))
      ->capture_default_str();
  command.add_option("--case", options.only, "Run only this case (may be repeated); gives no points")
      ->allow_extra_args(false)
      ->type_name("NAME");
  command.add_flag("--fail-fast", options.fail_fast, "Stop after the first case that fails");
  command
      .add_option("--html", options.html,
                  "Write one page per lab under this folder (default: build/check, or lanewise-reports if lanewise is "
                  "installed)")
      ->type_name("DIR");
  command.add_flag("--fresh", options.fresh, "Run again even if nothing has changed");
  command.add_flag("--details", options.details, "Show all there is to say, however many lines it takes");
  command
      .add_flag("--problems", options.problems,
                "Also print each problem as FILE:LINE:COLUMN: error: ..., which editors read")
      ->envname("LANEWISE_PROBLEMS");
  command.add_flag("--no-timing", options.no_timing, "On a GPU: do not time correct submissions");
  command.add_option("--jobs", options.jobs, "Files compiled at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "Determines all random inputs")
      ->check(whole_number())
      ->capture_default_str();
}

}  // namespace

CLI::App* add_check_options(CLI::App& app, CheckOptions& options) {
  CLI::App* const command = app.add_subcommand("check", "Grade your own work");
  command->footer(kCheckExamples);
  add_common_options(*command, options);
  CLI::Option* const only = command->get_option("--case");
  CLI::Option* const fail_fast = command->get_option("--fail-fast");
  command->add_option("--json", options.json, "Write results.json here (a superset of Gradescope's)")
      ->type_name("FILE")
      ->excludes(only)
      ->excludes(fail_fast);
  command
      ->add_option("--results", options.results,
                   "Write results for gradescope, autolab, prairielearn, classroom50 or submitty (may be repeated)")
      ->allow_extra_args(false)
      ->check(platform_file())
      ->type_name("FORMAT:FILE")
      ->excludes(only)
      ->excludes(fail_fast);
  command->add_flag("--require-full", options.require_full, "Exit code 1 unless everything is right")->excludes(only);
  return command;
}

CLI::App* add_watch_options(CLI::App& app, CheckOptions& options) {
  CLI::App* const command = app.add_subcommand("watch", "Grade your own work whenever you save it");
  command->footer(kWatchExamples);
  add_common_options(*command, options);
  options.watches = true;
  return command;
}

}  // namespace lanewise
