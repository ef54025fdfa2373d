// A lab's oracle.cpp as functions that can be called: right answers, and what mistakes give.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "harness/lab/contract.h"
#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"
#include "harness/runner/installation.h"

namespace lanewise {

/// One that may be called: the oracle of a task, or what one of its mistakes gives.
struct OracleFunction {
  std::string task;
  ContractFunction function;
};

/// Compiled when it is first needed, and kept in the cache of builds. Each call is a process of its own, so that a
/// function that crashes, ends the program or never returns takes nothing with it. Thread-safe.
class OracleLibrary {
 public:
  /// `functions`: all that may be called, with the contract's parameters.
  OracleLibrary(Installation installation, LabFile lab, std::vector<OracleFunction> functions)
      : installation_(std::move(installation)), lab_(std::move(lab)), functions_(std::move(functions)) {}
  ~OracleLibrary();
  OracleLibrary(const OracleLibrary&) = delete;
  OracleLibrary& operator=(const OracleLibrary&) = delete;

  /// Compiles and loads it, if that is not done yet. Empty, or the first thing that is wrong with it.
  const std::string& trouble();

  /// The outputs, which hold kPoison before the call. Throws std::invalid_argument with trouble(), or where the
  /// function crashed, threw, wrote past its outputs or took more than a minute.
  std::vector<Array> call(const std::string& task, const std::string& function, const Problem& problem);

 private:
  std::string load();

  Installation installation_;
  LabFile lab_;
  std::vector<OracleFunction> functions_;
  std::once_flag loaded_;
  void* library_ = nullptr;
  std::string trouble_;
};

}  // namespace lanewise
