// The sweep itself: every mutant of every source compiled, run under the checkers, and judged.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/vgpu/sweep/markers.h"
#include "harness/vgpu/sweep/mutator.h"
#include "harness/vgpu/sweep/outcome.h"

namespace vgpu::sweep {

struct Settings {
  std::vector<std::filesystem::path> sources;
  std::string nvcc;
  std::filesystem::path runtime_folder;  ///< contains libcudart.so.13
  std::filesystem::path work_folder;     ///< exists; files made there are kept
  unsigned jobs = 1;
  std::size_t variants_a_program = 32;
  std::uint64_t instruction_budget = 50'000;      ///< warp instructions per launch
  std::chrono::milliseconds limit{60'000};        ///< for one mutant
  std::vector<unsigned> schedule_seeds{0, 1, 2};  ///< tried until one finds something
};

enum class Fate : std::uint8_t {
  kFound,
  kEquivalent,   ///< behaves like the original, as declared in the source
  kMissed,       ///< declared as known to be missed
  kSurvived,     ///< right output, no finding, and no declaration
  kNotCompiled,  ///< rejected by the compiler
};

struct Mutant {
  Mutation mutation;
  std::string original;  ///< the text that was changed
  Fate fate = Fate::kSurvived;
  Outcome outcome;
  std::optional<Marker> marker;
};

struct SweptSource {
  std::filesystem::path path;
  std::vector<Mutant> mutants;
  std::vector<std::string> problems;  ///< "file:line: sentence": markers that do not hold, an original that is wrong
};

/// A file that cannot be read, compiled or run ends the sweep with a sentence.
using SweepResult = std::variant<std::vector<SweptSource>, std::string>;

/// Reports progress.
using ProgressReport = std::function<void(const std::string& step, std::size_t done, std::size_t total)>;

SweepResult sweep(const Settings& settings, const ProgressReport& report);

}  // namespace vgpu::sweep
