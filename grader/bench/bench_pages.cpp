// Pages are made from files alone, so that they can be made and checked without a GPU.
#include "grader/bench/bench_pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <list>
#include <set>

#include "grader/bench/bench_page.h"
#include "grader/bench/model_page.h"
#include "grader/bench/step_distance.h"
#include "grader/workplace/exit_codes.h"
#include "harness/lab/read_file.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestPage = 16 << 20;
constexpr const char* kFigures = "figures";

class PageMaker {
 public:
  explicit PageMaker(const BenchPagesRequest& request) : request_(request) {}

  int run();

 private:
  int fail(int code, const std::string& sentence) const {
    request_.note(sentence);
    return code;
  }
  std::optional<Failure> gather();
  std::vector<PageStep> steps_of(const Ladder& ladder);
  int bring_up_to_date(const std::vector<std::pair<std::string, std::string>>& files) const;

  const BenchPagesRequest& request_;
  std::vector<Ladder> ladders_;
  std::list<std::vector<MeasuredTask>> measured_;  // one entry per lab; a list, so that pointers to them stay valid
  std::list<std::vector<ModelledTask>> modelled_;
  std::vector<MeasuredRoofs> roofs_;
  std::vector<PageTask> tasks_;
  std::vector<ModelTask> model_tasks_;
  std::vector<std::string> unexplained_;  ///< sentences on steps that are far from the one before
};

std::vector<PageStep> PageMaker::steps_of(const Ladder& ladder) {
  std::vector<PageStep> steps;
  std::optional<std::string> before;  // the step's source
  for (const SolutionFile& each : ladder.steps) {
    PageStep& step = steps.emplace_back();
    step.file = each.source.filename().string();
    step.link = each.source.lexically_relative(request_.solutions).generic_string();
    step.is_peer = each.kind == SolutionFile::Kind::kPeer;
    const auto text = read_file(each.source, kLargestSource);
    if (!text) continue;
    step.source = code_hash(*text);
    if (step.is_peer) continue;
    if (before) step.changed = changed_lines(*before, *text);
    if (step.changed > kLongestStep && !explains_leap(*text))
      unexplained_.push_back(
          fmt::format("{}: {} lines of code differ from the step before, more than {}; say in its header why no step "
                      "lies between, in a paragraph that begins with '// Leap'",
                      shown_path(each.source), step.changed, kLongestStep));
    before = *text;
  }
  return steps;
}

std::optional<Failure> PageMaker::gather() {
  auto roofs = read_roofs(request_.solutions / "roofs.toml");
  if (!roofs) return roofs.failure();
  roofs_ = std::move(*roofs);
  ladders_ = find_ladders(request_.labs, request_.solutions);
  // In the order of the course.
  std::stable_sort(ladders_.begin(), ladders_.end(),
                   [](const Ladder& a, const Ladder& b) { return a.lab->file.order < b.lab->file.order; });
  const LabSelection* before = nullptr;
  for (const Ladder& ladder : ladders_) {
    if (ladder.steps.empty()) continue;
    const LabFile& lab = ladder.lab->file;
    if (before == nullptr || ladder.lab != before) {
      before = ladder.lab;
      auto measured = read_measured(request_.solutions / lab.id / "measured.toml");
      if (!measured) return measured.failure();
      measured_.push_back(std::move(*measured));
      auto modelled = read_modelled(request_.solutions / lab.id / "modelled.toml");
      if (!modelled) return modelled.failure();
      modelled_.push_back(std::move(*modelled));
    }
    const std::string& name = ladder.file->name;
    const std::vector<PageStep> steps = steps_of(ladder);
    tasks_.push_back({lab.id, lab.title, ladder.file, steps, find_measured(measured_.back(), name, kRaceTimes),
                      find_measured(measured_.back(), name, kScalingTimes)});
    const ModelledTask* const modelled = find_modelled(modelled_.back(), name);
    std::vector<std::string> files;
    for (const PageStep& step : steps)
      if (!step.is_peer) files.push_back(step.file);
    model_tasks_.push_back({lab.id, ladder.file, steps, find_measured(measured_.back(), name, kCheckTimes), modelled,
                            ladder_order(*ladder.file, files, modelled, tasks_.back().race)});
  }
  return std::nullopt;
}

int PageMaker::bring_up_to_date(const std::vector<std::pair<std::string, std::string>>& files) const {
  std::vector<std::string> stale;
  std::set<std::string> wanted;
  std::error_code error;
  for (const auto& [name, content] : files) {
    wanted.insert(name);
    const fs::path file = request_.solutions / name;
    if (fs::exists(file, error)) {
      const auto before = read_file(file, kLargestPage);
      if (!before) return fail(kExitEnvironment, before.sentence());
      if (*before == content) continue;
    }
    stale.push_back(name);
    if (request_.check) continue;
    if (const auto failure = write_report(file, content)) return fail(kExitEnvironment, failure->sentence);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(request_.solutions / kFigures, error)) {
    const std::string name = (fs::path(kFigures) / entry.path().filename()).generic_string();
    if (entry.path().extension() != ".svg" || wanted.count(name) != 0) continue;
    stale.push_back(name);
    if (!request_.check) fs::remove(entry.path(), error);
  }
  if (request_.check && !stale.empty())
    return fail(kExitNotGraded,
                fmt::format("{}: {} stale; run 'lanewise bench --only pages'", shown_path(request_.solutions),
                            stale.size() == 1 ? stale.front() + " is"
                                              : fmt::format("{} and {} more are", stale.front(), stale.size() - 1)));
  if (!request_.check)
    std::printf("%s  %s\n", shown_path(request_.solutions / files.front().first).c_str(),
                stale.empty() ? "unchanged" : fmt::format("written, {} files", stale.size()).c_str());
  return kExitDone;
}

int PageMaker::run() {
  if (const auto failure = gather()) return fail(kExitEnvironment, failure->sentence);
  if (tasks_.empty()) return kExitDone;
  std::vector<std::pair<std::string, std::string>> files;
  const auto add = [&files](const std::string& name, GeneratedPage page) {
    files.emplace_back(name, std::move(page.markdown));
    for (PageFigure& figure : page.figures) files.emplace_back(figure.name, std::move(figure.svg));
  };
  add("README.md", bench_page(tasks_, roofs_));
  add("MODEL.md", model_page(model_tasks_));
  int code = bring_up_to_date(files);
  for (const ModelTask& task : model_tasks_)
    for (const std::string& sentence : task.order.broken) code = std::max(code, fail(kExitNotGraded, sentence));
  for (const std::string& sentence : unexplained_) code = std::max(code, fail(kExitNotGraded, sentence));
  if (const std::string sentence = disagreement(model_tasks_); !sentence.empty())
    code = std::max(code, fail(kExitNotGraded, sentence));
  return code;
}

}  // namespace

int make_pages(const BenchPagesRequest& request) { return PageMaker(request).run(); }

}  // namespace lanewise
