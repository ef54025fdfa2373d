// How text may be styled where it is shown.
#pragma once

#include <cstddef>

namespace lanewise {

/// How text may be styled where it is shown.
struct TextStyle {
  bool colour = false;
  bool utf8 = true;
  std::size_t width = 100;  ///< columns
  bool details = false;     ///< all there is to say, however many lines it takes
};

/// The style for a stream of this process: colour on a terminal unless NO_COLOR is set or TERM is dumb, UTF-8 marks if
/// the locale has them, and the terminal's width, within limits.
TextStyle style_for(int descriptor);

}  // namespace lanewise
