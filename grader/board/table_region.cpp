// Region and caption have the same name.
#include "grader/board/table_region.h"

#include <fmt/format.h>

#include "harness/report/safe_text.h"

namespace lanewise {

std::string begin_table(const std::string& id, const std::string& caption, Sorting sorting) {
  return fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table{1}{2}>\n<caption "
      "class=\"said\">{0}</caption>\n",
      html_text(safe_line(caption)), id.empty() ? "" : fmt::format(" id=\"{}\"", id),
      sorting == Sorting::kByScript ? " class=\"sortable\"" : "");
}

}  // namespace lanewise
