// A loaded submission: the entry of one task.
#pragma once

#include <string>

#include "harness/worker/entry.h"

namespace lanewise {

struct Submission {
  const LanewiseTaskEntry* entry = nullptr;
  bool is_empty = false;    ///< the contract's function is compiled to a mere return
  std::string failure;      ///< a sentence if there is no entry
  std::uintptr_t base = 0;  ///< what addresses in the file count from, once loaded
};

/// Loads the shared object, which runs its constructors, and finds the entry of `task`. It stays loaded.
Submission load_submission(const std::string& path, const std::string& task);

/// Whether the function at `code` does nothing but return.
bool is_empty_function(const void* code);

}  // namespace lanewise
