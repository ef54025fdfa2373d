#include "harness/vgpu/sweep/sweep.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "harness/vgpu/monitor/checker_names.h"
#include "harness/vgpu/sweep/bundle.h"
#include "harness/vgpu/sweep/markers.h"

namespace vgpu::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kCompileLimit(10);
constexpr std::size_t kMostOutput = 4000;

/// A mutant's number in a bundle's list for the unchanged source.
constexpr std::size_t kOriginal = ~std::size_t{0};

// "memcheck,initcheck,...": what LANEWISE_VGPU_MONITORS takes.
std::string all_checkers() {
  std::string list;
  for (const char* name : kCheckerNames) list += (list.empty() ? "" : ",") + std::string(name);
  return list;
}

struct Source {
  SweptSource result;
  std::string text, without_includes;
  SourceText read;  // into `text`
};

/// One program with some of a source's mutants.
struct Program {
  Source* source = nullptr;
  std::vector<std::size_t> mutants;
  fs::path binary;
  std::string problem;
};

/// Calls `work(i)` for each i below `count`, `jobs` at a time.
void in_parallel(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto worker = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> threads;
  for (unsigned j = 1; j < jobs; ++j) threads.emplace_back(worker);
  worker();
  for (std::thread& thread : threads) thread.join();
}

class Sweep {
 public:
  Sweep(const Settings& settings, const ProgressReport& report) : settings_(settings), report_(report) {}

  SweepResult run() {
    for (const fs::path& path : settings_.sources)
      if (const std::string problem = read(path); !problem.empty()) return problem;
    plan();
    step("compiling", programs_.size(), [this](std::size_t i) { compile(programs_[i], i); });
    for (const Program& program : programs_)
      if (!program.problem.empty()) return program.problem;

    std::vector<std::pair<Program*, std::size_t>> runs;
    for (Program& program : programs_)
      for (std::size_t v = 0; v < program.mutants.size(); ++v) runs.emplace_back(&program, v);
    step("running", runs.size(), [&](std::size_t i) { execute(*runs[i].first, runs[i].second, i); });

    std::vector<SweptSource> result;
    for (const auto& source : sources_) {
      judge(*source);
      result.push_back(std::move(source->result));
    }
    return result;
  }

 private:
  std::string read(const fs::path& path) {
    auto source = std::make_unique<Source>();
    source->text = read_file(path);
    if (source->text.empty()) return path.string() + " cannot be read, or is empty";
    source->result.path = path;
    source->read = read_source(source->text);
    source->without_includes = Bundle::without_includes(source->text, source->read.directives);
    const DeviceCode code(source->read.tokens);
    const std::vector<Mutation> mutations = mutations_of(source->text, code);
    if (mutations.empty()) return path.string() + " has no device code that could be changed";
    for (const Mutation& m : mutations)
      source->result.mutants.push_back({m, source->text.substr(m.begin, m.end - m.begin), {}, {}, {}});
    const auto markers = read_markers(source->read, mutations);
    if (const auto* problem = std::get_if<MarkerProblem>(&markers))
      return path.string() + ":" + std::to_string(problem->line) + ": " + problem->sentence;
    for (const Marker& marker : std::get<0>(markers)) source->result.mutants[marker.mutation].marker = marker;
    sources_.push_back(std::move(source));
    return "";
  }

  void plan() {
    for (const auto& source : sources_) {
      std::vector<std::size_t> waiting{kOriginal};
      const std::size_t count = source->result.mutants.size();
      for (std::size_t m = 0; m < count; ++m) {
        waiting.push_back(m);
        if (waiting.size() < settings_.variants_a_program && m + 1 < count) continue;
        programs_.push_back({source.get(), std::move(waiting), {}, {}});
        waiting.clear();
      }
    }
  }

  void step(const std::string& name, std::size_t count, const std::function<void(std::size_t)>& work) {
    std::size_t done = 0;
    report_(name, 0, count);
    in_parallel(count, settings_.jobs, [&](std::size_t i) {
      work(i);
      const std::lock_guard<std::mutex> lock(mutex_);
      report_(name, ++done, count);
    });
  }

  void compile(Program& program, std::size_t number) const {
    const Source& source = *program.source;
    const fs::path base = settings_.work_folder / (source.result.path.stem().string() + "_" + std::to_string(number));
    const fs::path file = base.string() + ".cu", output = base.string() + ".txt";
    program.binary = base;
    // Virtual code only: nobody needs machine code here, and it takes longest.
    const Command command{
        {settings_.nvcc, "-std=c++17", "-w", "-lineinfo", "-cudart", "shared", "-gencode",
         "arch=compute_90,code=compute_90", "-I", fs::absolute(source.result.path).parent_path(), "-o", base, file},
        {},
        output,
        kCompileLimit};
    for (;;) {
      std::vector<std::string> variants;
      for (const std::size_t m : program.mutants)
        variants.push_back(m == kOriginal ? source.without_includes
                                          : mutated(source.without_includes, source.result.mutants[m].mutation));
      std::ofstream(file) << Bundle(source.read.directives, variants).text();
      const Ended ended = sweep::run(command);
      if (!ended.started) {
        program.problem = settings_.nvcc + " could not be started";
        return;
      }
      if (ended.status == 0 && !ended.timed_out) return;
      // Those that do not compile are taken out; the original must.
      const std::string said = read_file(output);
      const std::vector<std::size_t> bad = Bundle::variants_with_errors(said);
      if (bad.empty() || program.mutants[bad[0]] == kOriginal) {
        program.problem = source.result.path.string() + " does not compile:\n" + said.substr(0, kMostOutput);
        return;
      }
      for (auto v = bad.rbegin(); v != bad.rend(); ++v) {
        program.source->result.mutants[program.mutants[*v]].fate = Fate::kNotCompiled;
        program.mutants.erase(program.mutants.begin() + static_cast<std::ptrdiff_t>(*v));
      }
    }
  }

  void execute(Program& program, std::size_t variant, std::size_t number) {
    const std::size_t m = program.mutants[variant];
    Outcome outcome;
    for (const unsigned seed : settings_.schedule_seeds) {
      outcome = execute(program.binary, variant, number, seed);
      if (!outcome.is_found()) continue;
      if (seed != 0) outcome.evidence = "schedule seed " + std::to_string(seed) + ": " + outcome.evidence;
      break;
    }
    SweptSource& source = program.source->result;
    if (m != kOriginal) {
      source.mutants[m].outcome = outcome;
    } else if (outcome.is_found()) {
      const std::lock_guard<std::mutex> lock(mutex_);
      source.problems.push_back(source.path.string() + ": the unchanged source is not right: " + outcome.evidence);
    }
  }

  Outcome execute(const fs::path& binary, std::size_t variant, std::size_t number, unsigned seed) const {
    const fs::path report = settings_.work_folder / ("run_" + std::to_string(number) + ".json");
    const fs::path output = settings_.work_folder / ("run_" + std::to_string(number) + ".txt");
    const Ended ended = sweep::run({{binary, std::to_string(variant)},
                                    {{"LD_LIBRARY_PATH", settings_.runtime_folder},
                                     {"LANEWISE_VGPU_REPORT", report},
                                     {"LANEWISE_VGPU_MONITORS", all_checkers()},
                                     {"LANEWISE_VGPU_SEED", std::to_string(seed)},
                                     {"LANEWISE_VGPU_BUDGET", std::to_string(settings_.instruction_budget)}},
                                    output,
                                    settings_.limit});
    Outcome outcome = classify(ended, read_file(report), read_file(output, kMostOutput));
    fs::remove(report);
    fs::remove(output);
    return outcome;
  }

  static void judge(Source& source) {
    for (Mutant& mutant : source.result.mutants) {
      const std::optional<Marker>& marker = mutant.marker;
      const bool is_found = mutant.fate == Fate::kNotCompiled || mutant.outcome.is_found();
      if (is_found && marker)
        source.result.problems.push_back(source.result.path.string() + ":" + std::to_string(marker->line) + ": '" +
                                         name_of(mutant.mutation.op) + " " + std::to_string(mutant.mutation.number) +
                                         "' is marked as " + (marker->is_equivalent ? "equivalent" : "missed") +
                                         " but is found: remove the marker (" + mutant.outcome.evidence + ")");
      if (mutant.fate == Fate::kNotCompiled) continue;
      mutant.fate = is_found                ? Fate::kFound
                    : !marker               ? Fate::kSurvived
                    : marker->is_equivalent ? Fate::kEquivalent
                                            : Fate::kMissed;
    }
  }

  const Settings& settings_;
  const ProgressReport& report_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<Program> programs_;
  std::mutex mutex_;
};

}  // namespace

SweepResult sweep(const Settings& settings, const ProgressReport& report) { return Sweep(settings, report).run(); }

}  // namespace vgpu::sweep
