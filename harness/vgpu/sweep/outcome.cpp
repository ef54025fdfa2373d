#include "harness/vgpu/sweep/outcome.h"

#include <sys/wait.h>

#include <nlohmann/json.hpp>

namespace vgpu::sweep {

Outcome classify(const Ended& ended, const std::string& report, const std::string& output) {
  Outcome outcome;
  const auto note = [&](const std::string& what) {
    if (outcome.evidence.empty()) outcome.evidence = what;
  };
  const nlohmann::json document = nlohmann::json::parse(report, nullptr, /*allow_exceptions=*/false);
  if (document.is_object() && document.contains("findings")) {
    for (const auto& finding : document["findings"]) {
      const auto tool = finding.value("tool", std::string());
      if (tool == "runtime")  // what stopped a kernel, or a launch that was refused
        outcome.stopped = true;
      else
        outcome.checkers.insert(tool);
      note(tool + ", line " + std::to_string(finding.value("line", 0u)) + ": " + finding.value("kind", std::string()) +
           ": " + finding.value("sentence", std::string()));
    }
  } else {
    // The runtime writes it whenever something is found: without one, it never came to its first kernel.
    outcome.stopped = true;
    note("it left no report");
  }
  const bool exited = !ended.timed_out && WIFEXITED(ended.status);
  if (ended.timed_out) note("it did not end");
  if (!ended.timed_out && WIFSIGNALED(ended.status)) note("signal " + std::to_string(WTERMSIG(ended.status)));
  const int code = exited ? WEXITSTATUS(ended.status) : 0;
  outcome.stopped |= !exited || (code != kExitRight && code != kExitWrong);
  outcome.wrong_output = exited && code == kExitWrong;
  if (code != kExitRight) note(output.substr(0, output.find('\n')));
  return outcome;
}

}  // namespace vgpu::sweep
