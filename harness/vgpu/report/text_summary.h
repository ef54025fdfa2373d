// What a report says, in the few lines that a terminal has room for.
#pragma once

#include <cstddef>
#include <string>

#include "harness/vgpu/report/document.h"

namespace vgpu::report {

struct SummaryStyle {
  bool colour = false;
  bool utf8 = true;
  std::size_t width = 100;  ///< columns
  bool details = false;     ///< everything that is worth a word, and why; else about a dozen lines
};

/// The worst lines first; empty if nothing was counted. Names from the program can do no harm to a terminal.
std::string text_summary(const Document& document, const SummaryStyle& style);

}  // namespace vgpu::report
