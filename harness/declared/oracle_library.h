// A lab's oracle.cpp as functions that can be called: right answers, and what mistakes give.
#pragma once

#include <cstdint>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/declared/run_apart.h"
#include "harness/declared/values.h"
#include "harness/lab/contract.h"
#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"
#include "harness/runner/installation.h"

namespace lanewise {

/// One that may be called for a task.
struct OracleFunction {
  enum class Kind : std::uint8_t {
    kOutputs,  ///< the contract's parameters: the oracle itself, or what a mistake gives
    kVariant,  ///< and a number behind them
    kInputs,   ///< the inputs, to be written, the contract's numbers, a seed, and numbers behind it
  };

  std::string task;
  std::string name;
  Kind kind = Kind::kOutputs;
  std::size_t numbers = 0;  ///< how many there are behind the seed
};

inline bool operator==(const OracleFunction& one, const OracleFunction& other) {
  return one.task == other.task && one.name == other.name && one.kind == other.kind && one.numbers == other.numbers;
}

/// Compiled when it is first needed, and kept in the cache of builds. Each call is a process of its own, so that a
/// function that crashes, ends the program or never returns takes nothing with it. Thread-safe.
class OracleLibrary {
 public:
  /// `tasks`: what the contract declares; `functions`: all that may be called.
  OracleLibrary(Installation installation, LabFile lab, std::vector<ContractFunction> tasks,
                std::vector<OracleFunction> functions)
      : installation_(std::move(installation)),
        lab_(std::move(lab)),
        tasks_(std::move(tasks)),
        functions_(std::move(functions)) {}
  ~OracleLibrary();
  OracleLibrary(const OracleLibrary&) = delete;
  OracleLibrary& operator=(const OracleLibrary&) = delete;

  /// Begins to compile it, beside what its caller does.
  void compile_ahead();

  /// Compiles and loads it, if that is not done yet. Empty, or the first thing that is wrong with it.
  const std::string& trouble();

  /// What the function of kind kOutputs, or with a number kVariant, makes of outputs that hold `unwritten` in each
  /// byte. Throws std::invalid_argument with trouble(), or where the function crashed, threw, wrote past its outputs or
  /// took more than a minute.
  std::vector<Array> outputs(const std::string& task, const std::string& function, const Problem& problem,
                             std::optional<std::int64_t> number = std::nullopt, std::byte unwritten = kPoison);

  /// What the function of kind kInputs writes into inputs of these shapes, which hold `unwritten` before. Throws as
  /// above.
  std::vector<Array> inputs(const std::string& task, const NameWithNumbers& function,
                            const std::vector<ArrayShape>& shapes, const std::vector<Scalar>& scalars,
                            std::uint64_t seed, std::byte unwritten = kPoison);

 private:
  std::string source() const;
  std::string load();
  std::vector<Array> call(const OracleFunction& function, const std::vector<Array>& inputs,
                          const std::vector<ArrayShape>& outputs, const std::vector<Scalar>& scalars,
                          std::byte unwritten);
  FencedBytes take_memory(std::size_t bytes);
  void keep_memory(std::vector<FencedBytes> memory);

  Installation installation_;
  LabFile lab_;
  std::vector<ContractFunction> tasks_;
  std::vector<OracleFunction> functions_;
  std::once_flag loaded_;
  std::mutex memory_mutex_;
  std::list<FencedBytes> memory_;  // of earlier calls: all functions of a task write as much
  void* library_ = nullptr;
  std::string trouble_;
  std::future<void> ahead_;  // the first to go: it uses the others
};

}  // namespace lanewise
