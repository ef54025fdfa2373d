// Looks at the terminal and the environment: NO_COLOR (https://no-color.org), TERM, the locale.
#include "harness/report/text_style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace lanewise {
namespace {

constexpr std::size_t kNarrowest = 60;
constexpr std::size_t kWidest = 120;

bool is_utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string locale(value);
    return locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos ||
           locale.find("UTF8") != std::string::npos || locale.find("utf-8") != std::string::npos;
  }
  return false;
}

}  // namespace

TextStyle style_for(int descriptor) {
  TextStyle style;
  style.utf8 = is_utf8_locale();
  if (isatty(descriptor) == 0) return style;
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  style.colour = !(no_colour && *no_colour) && terminal && std::string(terminal) != "dumb";
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.width = std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
  return style;
}

}  // namespace lanewise
