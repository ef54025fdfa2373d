#include "harness/vgpu/libraries/array_layout.h"

#include <algorithm>

namespace vgpu::libraries {
namespace {

/// One dimension, or several that are one in memory: each begins where the one before would go on.
struct Run {
  std::size_t count, stride;
  std::size_t in_copy = 0;  ///< its stride there
};

}  // namespace

ArrayRows rows_of(const ArrayLayout& layout) {
  std::array<std::size_t, 4> dimensions{3, 2, 1, 0};
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [&](std::size_t a, std::size_t b) { return layout.strides[a] < layout.strides[b]; });
  std::vector<Run> runs;
  std::array<std::size_t, 4> run_of{}, elements_before{};
  for (const std::size_t d : dimensions) {
    if (layout.counts[d] == 1) continue;
    if (runs.empty() || layout.strides[d] != runs.back().stride * runs.back().count)
      runs.push_back({1, layout.strides[d]});
    run_of[d] = runs.size() - 1;
    elements_before[d] = runs.back().count;
    runs.back().count *= layout.counts[d];
  }

  ArrayRows rows;
  std::size_t copied = 1, next = 0;
  const auto place = [&](Run& run) {
    run.in_copy = copied;
    copied *= run.count;
    return run.count;
  };
  if (next < runs.size() && runs[next].stride == 1) rows.width = place(runs[next++]);
  rows.pitch = rows.width;
  if (next < runs.size()) {
    rows.pitch = runs[next].stride;
    rows.height = place(runs[next++]);
  }
  for (; next < runs.size(); ++next) {
    const std::vector<std::size_t> inner = rows.offsets;
    if (runs[next].count > kMostPieces / std::max<std::size_t>(inner.size(), 1)) return ArrayRows{1, 1, 1, {}, {}};
    rows.offsets.clear();
    for (std::size_t i = 0; i < runs[next].count; ++i)
      for (const std::size_t offset : inner) rows.offsets.push_back(offset + i * runs[next].stride);
    place(runs[next]);
  }
  for (std::size_t d = 0; d < 4; ++d)
    if (layout.counts[d] != 1) rows.strides[d] = runs[run_of[d]].in_copy * elements_before[d];
  return rows;
}

}  // namespace vgpu::libraries
