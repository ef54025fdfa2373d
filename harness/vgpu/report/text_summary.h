// A report in a few lines for the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "harness/vgpu/report/document.h"

namespace vgpu::report {

struct SummaryStyle {
  bool colour = false;
  bool utf8 = true;
  std::size_t width = 100;  ///< columns
  bool details = false;     ///< all remarks with reasons; otherwise about a dozen lines
};

/// The worst lines first; empty if nothing was counted. Names from the program are made harmless for the terminal.
std::string text_summary(const Document& document, const SummaryStyle& style);

}  // namespace vgpu::report
