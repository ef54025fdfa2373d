// Runs the cases of one task on workers of its own and judges each: observations become case verdicts.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "harness/lab/lab_file.h"
#include "harness/lab/verdict.h"
#include "harness/runner/session/session.h"
#include "harness/runner/verdict/instances.h"

namespace lanewise {

struct TaskRunOptions {
  SessionOptions session;
  std::filesystem::path shared_object;
  std::string backend;           ///< "gpu" or "vgpu": cases of the other are left out
  std::set<std::string> groups;  ///< of cases to run
  std::set<std::string> cases;   ///< of these, the ones to run, by name; empty: all
  bool stops_at_failure = false;
  std::string lab;
  std::uint64_t seed = 0;
  std::filesystem::path pictures;  ///< folder for pictures of wrong cases; empty: none
  Instances* instances = nullptr;  ///< where cases are shared with other runs; null: nowhere
  std::function<void(const std::string&)> progress;
  std::function<void(const std::string&)> lab_failed;  ///< told where the lab's own code failed
};

/// Whether one of the cases was run and is not right.
bool has_failed_case(const std::vector<CaseVerdict>& cases);

/// Runs what `options` select and fills in state, message, cases, findings, goals, modelled speed and output of
/// `verdict`; no points yet. A worker that a case broke is replaced; after two cases that hung, or one that took long
/// to show it, the rest is not run. The device is reported in `device`. The failure means that no worker could be
/// started at all, or that a case makes no sense.
std::optional<Failure> run_task(const Task& task, const TaskFile& file, const TaskRunOptions& options,
                                TaskVerdict& verdict, DeviceInfo& device);

}  // namespace lanewise
