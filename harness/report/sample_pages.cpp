// Usage: report_sample_pages FOLDER
// Writes the page of the sample verdict, and of one whose texts are hostile, for the test that opens them in a browser.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "harness/report/html_report.h"
#include "harness/report/sample_verdict_test.h"

namespace {

namespace fs = std::filesystem;
using namespace lanewise;

/// Findings, goals met at a line and waiting, classes and a speed, in lines longer than a telephone is wide.
Verdict everything() {
  Verdict verdict = sample_with_goals();
  TaskVerdict& task = verdict.tasks.front();
  for (CaseVerdict& each : task.cases) each.misconception = each.hint = "";  // what to fix first is the finding
  task.classes = sample_with_classes().tasks.front().classes;
  for (const char* heading : {"warp instructions", "sectors, global loads", "turns, global atomics"})
    task.classes.headings.emplace_back(heading);
  task.speed = sample_speed();
  return verdict;
}

std::string source_with(const std::string& text) {
  std::string source;
  for (int line = 1; line <= 12; ++line)
    source +=
        "  out[blockIdx.x * blockDim.x + threadIdx.x] = partial[threadIdx.x] + offset[blockIdx.x]; // " + text + "\n";
  return source;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: report_sample_pages FOLDER\n", stderr);
    return 2;
  }
  const fs::path folder = arguments[1];
  fs::create_directories(folder);
  std::ofstream(folder / "verdict.html") << html_report(everything(), {"", source_with("plain"), "scan.cu"});
  const std::string evil =
      "</pre></script><script>window.broken = true</script><img src=x onerror=window.broken=true>\"'";
  Verdict hostile = everything();
  hostile.environment.device = hostile.tasks[0].output = evil;
  hostile.tasks[0].findings[0].sentence = hostile.tasks[0].findings[0].advice = evil;
  std::ofstream page(folder / "hostile.html");
  page << html_report(hostile, {"", source_with(evil), "scan.cu"});
  return page.flush() ? 0 : 1;
}
