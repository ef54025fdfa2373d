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

/// Compiled when the first function is called, and kept in the cache of builds. Thread-safe, if the functions are. They
/// run in this process: a lab's code is trusted as that which is compiled in.
class OracleLibrary {
 public:
  OracleLibrary(Installation installation, LabFile lab, std::vector<OracleFunction> functions)
      : installation_(std::move(installation)), lab_(std::move(lab)), functions_(std::move(functions)) {}
  ~OracleLibrary();
  OracleLibrary(const OracleLibrary&) = delete;
  OracleLibrary& operator=(const OracleLibrary&) = delete;

  /// The outputs, which hold kPoison before the call. Throws std::invalid_argument with the compiler's words where the
  /// oracle does not compile.
  std::vector<Array> call(const std::string& task, const std::string& function, const Problem& problem);

 private:
  std::string load();

  Installation installation_;
  LabFile lab_;
  std::vector<OracleFunction> functions_;
  std::once_flag loaded_;
  void* library_ = nullptr;
  std::string trouble_;  ///< why it could not be loaded
};

}  // namespace lanewise
