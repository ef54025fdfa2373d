// solutions/README.md: one page that shows what every ladder reaches on a GPU, with figures, from measured times.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/lab_file.h"
#include "harness/lab/measured.h"
#include "harness/lab/roofs.h"

namespace lanewise {

/// A step or peer as a file.
struct PageStep {
  std::string file;    ///< "1_naive.cu"
  std::string link;    ///< from the page: "image/blur/1_naive.cu"
  std::string source;  ///< its code_hash
  bool is_peer = false;
  int changed = 0;  ///< changed_lines from the step before
};

struct PageTask {
  std::string lab;    ///< id
  std::string title;  ///< of the lab
  const TaskFile* file = nullptr;
  std::vector<PageStep> steps;            ///< in the ladder's order, peers last
  const MeasuredTask* race = nullptr;     ///< null: not measured
  const MeasuredTask* scaling = nullptr;  ///< likewise
};

/// A file beside a page.
struct PageFigure {
  std::string name;  ///< "figures/blur_race.svg"
  std::string svg;
};

struct GeneratedPage {
  std::string markdown;
  std::vector<PageFigure> figures;
};

GeneratedPage bench_page(const std::vector<PageTask>& tasks, const std::vector<MeasuredRoofs>& roofs);

}  // namespace lanewise
