// A report as one self-contained web page: no network, no other file. It opens from file://.
#pragma once

#include <string>

#include "harness/vgpu/report/document.h"

namespace vgpu::report {

/// The page, below two megabytes whatever the document holds: what costs least is left out first, and the page says so.
/// Reads the source files that the document names. Nothing from the program can become markup.
std::string html_page(const Document& document);

}  // namespace vgpu::report
