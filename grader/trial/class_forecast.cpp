// class_forecast: how long a class takes to grade, by simulation from measured costs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <numeric>
#include <queue>
#include <random>
#include <vector>

#include "grader/executors/dispatch.h"
#include "grader/store/store.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"
#include "harness/lab/toml_reader.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// Seconds, measured: costs.toml says where and how.
struct TaskCost {
  std::string name;
  double compile = 0;  // of one processor
  double check = 0;    // likewise, on the virtual GPU
};

struct Costs {
  std::vector<TaskCost> tasks;
  double turn = 0;              // on a GPU, of a submission that is right
  double right = 0;             // fraction of submissions
  double job_start = 0;         // from sbatch until the worker grades
  double merge = 0;             // of a result, in the one process that merges
  double operations = 0;        // on the shared file system, for a submission
  double chunk_operations = 0;  // likewise, for a chunk
};

// Who works, and on how much.
struct Site {
  std::string name;
  unsigned workers = 1;
  unsigned processors = 1;       // of each worker, for compiling and checking
  bool has_gpu = false;          // each worker has one
  double starts_a_second = 1e9;  // jobs that the scheduler starts
  double job_start = 0;
  unsigned chunk = 10;
};

struct Forecast {
  double makespan = 0;
  double median_wait = 0;
  double long_wait = 0;  // of the 99th percentile
  double processor_use = 0;
  double gpu_use = 0;
  double merger_use = 0;
  double operations_a_second = 0;
};

double quantile(std::vector<double>& values, double q) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::size_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

// `arrivals`: in order; submission i is for task i modulo their number. Chunks are made in that order.
Forecast simulate(const Costs& costs, const Site& site, const std::vector<double>& arrivals) {
  std::mt19937_64 random(1);
  // Submissions of one lab differ: a wrong one may end at once, a slow one takes several times as long.
  std::lognormal_distribution<double> spread(-0.08, 0.4);  // mean 1
  std::bernoulli_distribution is_right(costs.right);
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  for (unsigned i = 0; i < site.workers; ++i) free.push(0);
  double scheduler = 0;
  double merger = 0;
  double processor_time = 0;
  double gpu_time = 0;
  std::vector<double> waits;
  waits.reserve(arrivals.size());
  Forecast forecast;
  for (std::size_t first = 0; first < arrivals.size(); first += site.chunk) {
    const std::size_t last = std::min(first + site.chunk, arrivals.size());
    scheduler = std::max({scheduler + 1 / site.starts_a_second, free.top(), arrivals[last - 1]});
    free.pop();
    const double begun = scheduler + site.job_start;
    std::vector<double> processors(site.processors, begun);
    double gpu = begun;
    double end = begun;
    for (std::size_t i = first; i < last; ++i) {
      const TaskCost& task = costs.tasks[i % costs.tasks.size()];
      const auto processor = std::min_element(processors.begin(), processors.end());
      const double work = task.compile + task.check * spread(random);
      *processor += work;
      processor_time += work;
      double done = *processor;
      if (site.has_gpu && is_right(random)) {
        done = gpu = std::max(gpu, done) + costs.turn;
        gpu_time += costs.turn;
      }
      end = std::max(end, done);
    }
    free.push(end);
    for (std::size_t i = first; i < last; ++i) {
      merger = std::max(merger, end) + costs.merge;
      waits.push_back(merger - arrivals[i]);
    }
    forecast.makespan = std::max(forecast.makespan, merger);
  }
  const double count = static_cast<double>(arrivals.size());
  const double time = forecast.makespan - (arrivals.empty() ? 0 : arrivals.front());
  forecast.makespan = time;
  forecast.median_wait = quantile(waits, 0.5);
  forecast.long_wait = quantile(waits, 0.99);
  forecast.processor_use = processor_time / (time * site.workers * site.processors);
  forecast.gpu_use = site.has_gpu ? gpu_time / (time * site.workers) : 0;
  forecast.merger_use = count * costs.merge / time;
  forecast.operations_a_second = (count * costs.operations + count / site.chunk * costs.chunk_operations) / time;
  return forecast;
}

// What students of many courses do: a tenth comes in the last hour, another four tenths on the last day, and the rest
// in the week before.
std::vector<double> until_the_due_date(std::size_t count) {
  constexpr double kHour = 3600;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> part(0, 1);
  std::vector<double> arrivals(count);
  for (double& arrival : arrivals) {
    const double which = part(random);
    const double before = which < 0.1 ? part(random) : which < 0.5 ? 1 + 23 * part(random) : 24 + 144 * part(random);
    arrival = (168 - before) * kHour;
  }
  std::sort(arrivals.begin(), arrivals.end());
  return arrivals;
}

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.1f} days", seconds / 86'400);
}

std::string percent(double fraction) { return fmt::format("{:.0f} %", 100 * fraction); }

Expected<Costs> read_costs(const fs::path& file) {
  try {
    const toml::table parsed = parse_toml_file(file);
    const TomlTable root(parsed, file.string());
    root.allow_only({"task", "turn", "right", "job_start", "merge", "operations", "chunk_operations"});
    Costs costs;
    costs.turn = root.number("turn");
    costs.right = root.number("right");
    costs.job_start = root.number("job_start");
    costs.merge = root.number("merge");
    costs.operations = root.number("operations");
    costs.chunk_operations = root.number("chunk_operations");
    for (const TomlTable& table : root.tables("task")) {
      table.allow_only({"name", "compile", "check"});
      costs.tasks.push_back({table.text("name"), table.number("compile"), table.number("check")});
    }
    if (costs.tasks.empty()) root.fail("task", "there is no [[task]]");
    return costs;
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

// --- the page

constexpr unsigned kAllInOne = 1'000'000;  // one process, which need not wait for the last of ten
constexpr double kStartsASecond = 5;       // of a site's scheduler that others use, too

std::vector<Site> sites(const Costs& costs) {
  return {{"laptop, 4 processors", 1, 4, false, 1e9, 0, kAllInOne},
          {"workstation, 16 processors, 1 GPU", 1, 14, true, 1e9, 0, kAllInOne},
          {"16 jobs of 4 processors", 16, 4, false, kStartsASecond, costs.job_start, 10},
          {"8 GPUs, 14 processors each", 8, 14, true, kStartsASecond, costs.job_start, 25},
          {"64 GPUs, 14 processors each", 64, 14, true, kStartsASecond, costs.job_start, 25},
          {"256 jobs of 4 processors", 256, 4, false, kStartsASecond, costs.job_start, 25}};
}

std::string batch_table(const Costs& costs, std::size_t labs) {
  std::string text =
      "| students | on | done after | processors | GPUs | merging | file operations |\n|---|---|---|---|---|---|---|\n";
  for (const std::size_t students : {40, 400, 10'000})
    for (const Site& site : sites(costs)) {
      const Forecast forecast = simulate(costs, site, std::vector<double>(students * labs));
      text += fmt::format("| {} | {} | {} | {} | {} | {:.1f} % | {:.0f} a second |\n", students, site.name,
                          duration(forecast.makespan), percent(forecast.processor_use),
                          site.has_gpu ? percent(forecast.gpu_use) : "", 100 * forecast.merger_use,
                          forecast.operations_a_second);
    }
  return text;
}

// One submission at a time goes to the worker that is free first, as the class server has them.
std::string live_table(const Costs& costs) {
  std::string text = "| students | on | half wait less than | one in a hundred more than |\n|---|---|---|---|\n";
  for (const std::size_t students : {40, 400, 10'000})
    for (Site site : sites(costs)) {
      site.chunk = 1;
      if (!site.has_gpu)
        site = {site.name, site.workers * site.processors, 1, false, site.starts_a_second, site.job_start, 1};
      const Forecast forecast = simulate(costs, site, until_the_due_date(3 * students));
      text += fmt::format("| {} | {} | {} | {} |\n", students, site.name, duration(forecast.median_wait),
                          duration(forecast.long_wait));
    }
  return text;
}

// Twice as many jobs at a time, until that no longer helps.
std::string limits_table(const Costs& costs, std::size_t submissions) {
  std::string text =
      "| jobs at a time | done after | processors | merging | file operations |\n|---|---|---|---|---|\n";
  double before = 0;
  for (unsigned workers = 64; workers <= 65'536; workers *= 2) {
    const Site site{"", workers, 4, false, kStartsASecond, costs.job_start, 25};
    const Forecast forecast = simulate(costs, site, std::vector<double>(submissions));
    text += fmt::format("| {} | {} | {} | {:.0f} % | {:.0f} a second |\n", workers, duration(forecast.makespan),
                        percent(forecast.processor_use), 100 * forecast.merger_use, forecast.operations_a_second);
    if (before > 0 && forecast.makespan > 0.95 * before) break;
    before = forecast.makespan;
  }
  return text;
}

// --- what can be measured here

// Seconds in which one process takes a result from a finished chunk into the store. `verdict`: a typical one.
Expected<double> measure_merging(const std::string& verdict) {
  constexpr std::size_t kResults = 2000;
  const auto folder = TemporaryFolder::create();
  if (!folder) return folder.failure();
  auto store = Store::open(folder->path());
  if (!store) return store.failure();
  const auto run = (*store)->begin_run("{}");
  if (!run) return run.failure();
  class Instant final : public SubmissionGrader {
   public:
    explicit Instant(std::string verdict) : verdict_(std::move(verdict)) {}
    bool is_exclusive() const override { return false; }
    void prepare(const fs::path&, const ChunkSubmission&) override {}
    ChunkResult grade(const fs::path&, const ChunkSubmission&) override { return {verdict_, ""}; }

   private:
    std::string verdict_;
  };
  DispatchRequest request;
  request.folder = WorkFolder(folder->path() / "work");
  request.used_by = folder->path().string();
  request.name = "1";
  request.options.backend = "vgpu";
  request.options.toolchain = "nvcc";
  for (std::size_t i = 0; i < kResults; ++i) request.submissions.push_back({"scan", std::to_string(i), "terms", {}});
  request.put_inputs = [](const fs::path&, const Chunk&) { return std::optional<Failure>(); };
  std::chrono::duration<double> merging(0);
  request.take = [&](std::size_t i, const ChunkResult& result, const fs::path&) {
    return (*store)->keep(*run, {"scan", std::to_string(i), "terms"}, {result.verdict, ""});
  };
  // All chunks are finished before the first is merged.
  class AllAtOnce final : public Executor {
   public:
    AllAtOnce(MakeGrader make_grader, std::chrono::duration<double>& merging)
        : make_grader_(std::move(make_grader)), merging_(merging) {}
    std::size_t chunk_size(std::size_t) const override { return 25; }
    std::optional<Failure> tend(const WorkFolder& folder) override {
      const auto done = work_on_chunks(folder, make_grader_, {});
      began_ = std::chrono::steady_clock::now();
      return done ? std::nullopt : std::optional(done.failure());
    }
    std::chrono::milliseconds between_looks() const override { return std::chrono::milliseconds(0); }
    ~AllAtOnce() override { merging_ = std::chrono::steady_clock::now() - began_; }

   private:
    MakeGrader make_grader_;
    std::chrono::duration<double>& merging_;
    std::chrono::steady_clock::time_point began_;
  };
  const auto grader = std::make_shared<Instant>(verdict);
  {
    AllAtOnce executor(
        [&](const fs::path&, const Chunk&) -> Expected<std::shared_ptr<SubmissionGrader>> {
          return std::shared_ptr<SubmissionGrader>(grader);
        },
        merging);
    if (const auto failure = dispatch(request, executor)) return *failure;
  }
  return merging.count() / kResults;
}

struct ForecastOptions {
  std::string costs;
  std::string verdict;
  std::size_t labs = 15;
};

int run(const ForecastOptions& options) {
  const auto fail = [](const std::string& sentence) {
    fmt::print(stderr, "class_forecast: {}\n", sentence);
    return 3;
  };
  if (!options.verdict.empty()) {
    const auto verdict = read_file(options.verdict, 64 << 20);
    if (!verdict) return fail(verdict.sentence());
    const auto seconds = measure_merging(*verdict);
    if (!seconds) return fail(seconds.sentence());
    fmt::print("merge = {:.4f}\n", *seconds);
    return 0;
  }
  const auto costs = read_costs(options.costs);
  if (!costs) return fail(costs.sentence());
  fmt::print("### One lab is due, and everything is graded after the due date\n\n{}\n", batch_table(*costs, 1));
  fmt::print("### A term of {} labs, graded at once\n\n{}\n", options.labs, batch_table(*costs, options.labs));
  fmt::print("### Three submissions each, graded as they come\n\n{}\n", live_table(*costs));
  fmt::print("### Where it breaks: 10,000 students, {} labs\n\n{}", options.labs,
             limits_table(*costs, 10'000 * options.labs));
  return 0;
}

}  // namespace
}  // namespace lanewise

int main(int argc, char** argv) try {
  lanewise::ForecastOptions options;
  CLI::App app(
      "Says how long classes of 40, 400 and 10,000 take to grade, by simulation from measured costs.\n"
      "Exit code: 0, 2 for the command line, 3 if the costs cannot be read.");
  app.add_option("--costs", options.costs, "measured costs: grader/trial/costs.toml")->required();
  app.add_option("--labs", options.labs, "of a term")->check(CLI::Range(1, 100))->capture_default_str();
  app.add_option("--measure-merging", options.verdict,
                 "says instead what merging takes here; a student's results.json");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return lanewise::run(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "class_forecast: %s\n", error.what());
  return 3;
}
