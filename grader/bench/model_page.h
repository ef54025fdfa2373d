// solutions/MODEL.md: the virtual GPU's modelled times beside measured ones, and how far apart they are.
#pragma once

#include <string>
#include <vector>

#include "grader/bench/bench_page.h"
#include "grader/bench/ladder_order.h"
#include "harness/lab/measured.h"
#include "harness/lab/modelled.h"

namespace lanewise {

struct ModelTask {
  std::string lab;
  const TaskFile* file = nullptr;
  std::vector<PageStep> steps;
  const MeasuredTask* measured = nullptr;  ///< on the ladder's case; null: not measured
  const ModelledTask* modelled = nullptr;  ///< null: not modelled
  LadderOrder order{};                     ///< of the steps on the race case
};

/// How well modelled times agree with measured ones.
struct ModelAgreement {
  std::size_t pairs = 0;
  double median_ratio = 0;  ///< modelled to measured
  double within_half = 0;   ///< share of the pairs within a factor of 1.5
  double within_two = 0;    ///< likewise 2
};

ModelAgreement agreement_of(const std::vector<double>& ratios);

/// Why modelled times are not good enough to be shown beside measured ones, as a sentence; empty if they are.
std::string disagreement(const std::vector<ModelTask>& tasks);

GeneratedPage model_page(const std::vector<ModelTask>& tasks);

}  // namespace lanewise
