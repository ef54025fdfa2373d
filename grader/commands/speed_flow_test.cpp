// Grading as on a GPU, with a timer that makes its times up: who is timed beside whom, and what that is worth. The
// submissions run on the virtual GPU, which passes for a real one.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "grader/workplace/workplace.h"
#include "harness/declared/known_labs.h"
#include "harness/lab/lab.h"
#include "harness/runner/verdict/grade.h"

namespace lanewise::speed_flow_test {
namespace {

namespace fs = std::filesystem;

class SpeedFlow : public ::testing::Test {
 protected:
  SpeedFlow() : installation_(find_installation(LANEWISE_EXECUTABLE)) {
    const auto labs = known_labs(installation_, {"vecadd"});
    EXPECT_TRUE(labs) << labs.sentence();
    if (labs) lab_ = select_labs(*labs, {"vecadd"})->front();
    request_.lab = lab_.lab;
    request_.file = &lab_.file;
    request_.tasks = {"vec_add_device"};
    request_.source = step("3_vectors_in_flight.cu");
    request_.timer = [this](const TimingRequest& timing) { return time(timing); };
  }

  static fs::path step(const std::string& name) {
    return fs::path(LANEWISE_SOLUTIONS_FOLDER) / "vecadd" / "vec_add_device" / name;
  }

  // Ten times the reference's time for the baseline, `ratio_` times for the submission, the same for a library.
  Expected<TimingResult> time(const TimingRequest& timing) {
    ++calls_;
    if (!failure_.empty()) return Failure{failure_};
    TimingResult result;
    result.device = "made up";
    for (const TimedEntry& entry : timing.entries) {
      roles_.push_back(entry.role);
      names_.push_back(entry.name);
      EXPECT_TRUE(fs::exists(entry.shared_object)) << entry.name;
      const double ratio = entry.role == TimedRole::kBaseline ? 10 : entry.role == TimedRole::kSubmission ? ratio_ : 1;
      EntryTimes& times = result.entries.emplace_back();
      times.time = {ratio, ratio, ratio};
      times.ratio = times.time;
      times.samples = 30;
    }
    EXPECT_EQ(timing.case_file->name, timing.case_file->group == "speed" ? timing.case_file->name : "of another group");
    EXPECT_EQ(timing.task->name, "vec_add_device");
    return result;
  }

  // The library's step is compiled by nvcc alone.
  bool has_peer() const { return !installation_.nvcc.empty(); }

  // The part "fast" of the verdict.
  PartScore grade_it() {
    const auto workplace = open_workplace(installation_, BackendChoice::kVgpu);
    EXPECT_TRUE(workplace) << workplace.sentence();
    if (!workplace) return {};
    Backend pretended = workplace->backend;
    pretended.name = "gpu";
    pretended.monitors = "none";
    pretended.architecture = "90";
    const auto verdict = grade(request_, installation_, workplace->builder, pretended);
    EXPECT_TRUE(verdict) << verdict.sentence();
    if (!verdict) return {};
    verdict_ = verdict->tasks.at(0);
    for (const PartScore& part : verdict_.parts)
      if (part.name == "fast") return part;
    ADD_FAILURE() << "no part fast";
    return {};
  }

  Installation installation_;
  LabSelection lab_;
  GradeRequest request_;
  double ratio_ = 1;
  std::string failure_;
  int calls_ = 0;
  std::vector<TimedRole> roles_;
  std::vector<std::string> names_;
  TaskVerdict verdict_;
};

TEST_F(SpeedFlow, RightWorkIsTimedBesideBaselineReferenceAndLibrary) {
  const PartScore fast = grade_it();
  EXPECT_TRUE(fast.scored);
  EXPECT_EQ(fast.points, 15) << fast.evidence;
  std::vector<TimedRole> roles = {TimedRole::kBaseline, TimedRole::kReference, TimedRole::kSubmission};
  std::vector<std::string> names = {"1_one_element.cu", "2_float4.cu", "3_vectors_in_flight.cu"};
  if (has_peer()) {
    roles.insert(roles.begin() + 2, TimedRole::kPeer);
    names.insert(names.begin() + 2, "library_cub.cu");
  }
  EXPECT_EQ(roles_, roles);
  EXPECT_EQ(names_, names);
  EXPECT_EQ(verdict_.speed.samples, 30);
  EXPECT_FALSE(verdict_.speed.is_modelled);
}

TEST_F(SpeedFlow, TheRealTimerGivesEachATime) {
  for (TaskFile& task : lab_.file.tasks)
    for (CaseFile& each : task.cases)
      if (each.name == task.speed.measured_case) each.make.set("n", std::int64_t{4096});
  request_.timer = [this](const TimingRequest& timing) {
    TimingRequest brief = timing;
    brief.most = std::chrono::seconds(2);
    brief.setup.warm_up = 0.05;
    auto result = time_entries(brief);
    EXPECT_TRUE(result) << result.sentence();
    if (!result) return result;
    EXPECT_EQ(result->entries.size(), has_peer() ? 4U : 3U);
    for (const EntryTimes& times : result->entries) EXPECT_EQ(times.trouble, "");
    return result;
  };
  const PartScore fast = grade_it();
  EXPECT_TRUE(verdict_.speed.is_known) << fast.evidence;
  EXPECT_EQ(verdict_.speed.sizes, "n = 4096");
  EXPECT_GT(verdict_.speed.samples, 0);
  EXPECT_GT(verdict_.speed.reference, 0);
}

TEST_F(SpeedFlow, SlowWorkIsToldTheNextThreshold) {
  ratio_ = 5;
  const PartScore fast = grade_it();
  EXPECT_GT(fast.points, 0);
  EXPECT_LT(fast.points, 15);
  EXPECT_NE(fast.evidence.find("next: ≤ "), std::string::npos) << fast.evidence;
}

TEST_F(SpeedFlow, WrongWorkIsNotTimed) {
  request_.source = step("wrong/one_block.cu");
  const PartScore fast = grade_it();
  EXPECT_EQ(calls_, 0);
  EXPECT_TRUE(fast.scored);
  EXPECT_EQ(fast.points, 0);
  EXPECT_EQ(fast.evidence, "timed once every case is right");
}

TEST_F(SpeedFlow, WithoutSolutionsTheTimeIsShownAndNotScored) {
  installation_.solutions = "/nonexistent";
  const PartScore fast = grade_it();
  EXPECT_EQ(roles_, std::vector<TimedRole>{TimedRole::kSubmission});
  EXPECT_FALSE(fast.scored);
  EXPECT_EQ(fast.evidence, "1.00 ms on made up; the reference is not here: your instructor's grader times it");
}

TEST_F(SpeedFlow, WhatCannotBeTimedIsNotScored) {
  failure_ = "no worker could be started";
  PartScore fast = grade_it();
  EXPECT_FALSE(fast.scored);
  EXPECT_EQ(fast.evidence, failure_);
  request_.timer = nullptr;
  fast = grade_it();
  EXPECT_FALSE(fast.scored);
  EXPECT_EQ(fast.evidence, "it was not timed");
}

}  // namespace
}  // namespace lanewise::speed_flow_test
