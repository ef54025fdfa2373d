// The mark of a free-text answer, in words.
#pragma once

#include <fmt/format.h>

#include <string>

#include "harness/lab/marked.h"
#include "harness/report/safe_text.h"

namespace lanewise {

/// "awaits marking", "not answered", or "3 of 4" and the human's remark. Not made safe: the remark is as written.
inline std::string mark_text(const Marked& mark) {
  if (mark.result == Marked::Result::kWaiting) return "awaits marking";
  if (mark.result == Marked::Result::kUnanswered) return "not answered";
  const std::string points = fmt::format("{} of {}", points_text(mark.points), points_text(mark.max_points));
  return mark.remark.empty() ? points : points + " · " + mark.remark;
}

}  // namespace lanewise
