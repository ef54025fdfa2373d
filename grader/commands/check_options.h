// What can be asked of a check on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace lanewise {

struct CheckOptions {
  std::vector<std::string> names;
  std::vector<std::string> only;  ///< cases, by name
  std::string submission;
  std::string backend = "auto";
  std::string toolchain = "auto";
  std::string cases = "check";
  std::string json;
  std::vector<std::string> results;  ///< FORMAT:FILE
  std::string html;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t seed = 1;
  bool require_full = false;
  bool fresh = false;
  bool no_timing = false;
  bool details = false;
  bool fail_fast = false;
  bool problems = false;  ///< as lines that editors read
  bool watches = false;   ///< `lanewise watch`
};

/// `lanewise check` and `lanewise watch`, without callbacks. `options` must outlive the parsing.
CLI::App* add_check_options(CLI::App& app, CheckOptions& options);
CLI::App* add_watch_options(CLI::App& app, CheckOptions& options);

}  // namespace lanewise
