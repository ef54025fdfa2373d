// Carriage return, text, erase to the end of the line.
#include "harness/report/progress.h"

#include <unistd.h>

#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

void write_whole(int descriptor, const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(descriptor, text.data(), text.size());
}

}  // namespace

Progress::Progress(int descriptor, std::size_t width)
    : descriptor_(descriptor), width_(width), is_terminal_(isatty(descriptor) != 0) {}

void Progress::show(const std::string& text) {
  if (!is_terminal_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  write_whole(descriptor_, "\r" + first_columns(safe_line(text), width_ - 1) + "\x1b[K");
  is_shown_ = true;
}

void Progress::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_shown_) write_whole(descriptor_, "\r\x1b[K");
  is_shown_ = false;
}

}  // namespace lanewise
