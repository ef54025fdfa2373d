// The verdict as one self-contained web page: no other files, no script but for the keys, light and dark, printable.
#pragma once

#include <filesystem>
#include <string>

#include "harness/lab/verdict.h"

namespace lanewise {

/// What the page shows besides the verdict.
struct HtmlSources {
  std::filesystem::path pictures;  ///< the folder of the files in CaseVerdict::pictures, which are embedded
  std::string source;              ///< the submission's text, to show the lines around a finding; may be empty
  std::string source_name;         ///< "vecadd.cu"
};

/// Text from the submission is escaped, so none of it can become markup.
std::string html_report(const Verdict& verdict, const HtmlSources& sources);

/// All that html_report shows below the score, for a page that has a style of its own, or kHtmlStyle.
std::string html_report_sections(const Verdict& verdict, const HtmlSources& sources);

}  // namespace lanewise
