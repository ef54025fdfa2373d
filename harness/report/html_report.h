// The verdict as one self-contained web page: no scripts, no other files, light and dark, fit for print.
#pragma once

#include <filesystem>
#include <string>

#include "harness/lab/verdict.h"

namespace lanewise {

/// What the page shows beside the verdict.
struct HtmlSources {
  std::filesystem::path pictures;  ///< folder that CaseVerdict::pictures are named relative to; they are embedded
  std::string source;              ///< the submission's text, for the lines around a finding; may be empty
  std::string source_name;         ///< "vecadd.cu"
};

/// Text that came from the submission is escaped; nothing of it can become markup.
std::string html_report(const Verdict& verdict, const HtmlSources& sources);

}  // namespace lanewise
