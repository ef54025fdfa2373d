// Intervals of many entries on one axis, with reference marks, as a drawing for the page.
#pragma once

#include <string>
#include <vector>

#include "grader/board/board.h"

namespace lanewise {

struct IntervalRow {
  std::string name;   ///< any text
  std::string label;  ///< "1.23 [1.20, 1.26]"
  PairedRatio ratio;
};

/// An SVG element with the colours of kBoardStyle; `title` says what it shows. At least one row. The axis is the
/// multiple of the reference's time, logarithmic: faster is to the left.
std::string interval_picture(const std::string& title, const std::vector<IntervalRow>& rows,
                             const std::vector<BoardMark>& marks);

}  // namespace lanewise
