// How text may look where it is shown.
#pragma once

#include <cstddef>

namespace lanewise {

/// How text may look where it is shown.
struct TextStyle {
  bool colour = false;
  bool utf8 = true;
  std::size_t width = 100;  ///< columns
};

/// The style for a stream of this process: colour on a terminal unless NO_COLOR is set or TERM is dumb, marks in UTF-8
/// where the locale has it, the terminal's width within reason.
TextStyle style_for(int descriptor);

}  // namespace lanewise
