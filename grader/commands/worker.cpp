// `lanewise worker`: grades chunks that `lanewise grade` made, on any machine that shares their folder.
#include <fmt/format.h>
#include <unistd.h>

#include <thread>

#include "grader/commands/commands.h"
#include "grader/executors/chunk_worker.h"
#include "grader/grading/submission_grader.h"
#include "grader/workplace/exit_codes.h"
#include "harness/report/progress.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_style.h"
#include "harness/runner/interruption.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

struct WorkerCommandOptions {
  std::string folder;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::size_t chunks = 0;
  unsigned patience = static_cast<unsigned>(std::chrono::duration_cast<std::chrono::seconds>(kPatience).count());
};

constexpr const char* kWorkerExamples = R"(
Examples:
  lanewise grade scan --submissions submitted/ --out grades/ --executor external      makes chunks, waits for results
  lanewise worker grades/work                                                         works until no chunk is left
  lanewise worker grades/work --chunks 1 --jobs 4                                     one chunk: for a batch job

A worker needs the same Lanewise and the same labs as the `lanewise grade` that made the chunks, and access to their
folder, on a local disk or on one that several machines share. Workers may start and end at any time: if one dies,
another takes over its chunk, and the results that it had saved count. On a machine with a GPU, a worker times one
submission after the other while it compiles and checks others: run one worker for each GPU, with --jobs two less than
the number of processors.

Exit codes: 0 no chunk is left, 2 the command line makes no sense, 3 this machine cannot grade these chunks or write
results, 130 interrupted.)";

int stop(int code, const std::string& sentence) {
  fmt::print(stderr, "lanewise worker: {}\n", safe_line(sentence));
  return code;
}

int work_in_folder(const WorkerCommandOptions& options) {
  const WorkFolder folder(fs::absolute(options.folder).lexically_normal());
  if (const auto failure = folder.check()) return stop(kExitUsage, failure->sentence);
  note_interruption();
  Progress progress(STDERR_FILENO, style_for(STDERR_FILENO).width);
  WorkerOptions worker;
  worker.jobs = options.jobs;
  worker.most_chunks = options.chunks;
  worker.stays = options.chunks == 0;
  worker.patience = std::chrono::seconds(options.patience);
  worker.progress = [&progress](const std::string& text) { progress.show(text); };
  const auto done = work_on_chunks(folder, grader_of_chunks(), worker);
  progress.clear();
  if (is_interrupted()) return stop(kExitInterrupted, "interrupted; other workers can take over what was not finished");
  if (!done) return stop(kExitEnvironment, done.sentence());
  fmt::print("{} chunks finished, {} submissions graded\n", done->chunks, done->submissions);
  return kExitDone;
}

}  // namespace

void add_worker_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<WorkerCommandOptions>();
  CLI::App* command =
      app.add_subcommand("worker", "Grade chunks of a class that `lanewise grade` made, until none is left");
  command->footer(kWorkerExamples);
  command->add_option("folder", options->folder, "OUT/work of `lanewise grade --out OUT`")
      ->type_name("DIR")
      ->required();
  command->add_option("--jobs", options->jobs, "Submissions graded at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--chunks", options->chunks, "Exit after this many chunks")->check(CLI::Range(1, 1'000'000));
  command
      ->add_option("--patience", options->patience,
                   "Seconds without a sign of life after which another worker counts as dead")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = work_in_folder(*options); });
}

}  // namespace lanewise
