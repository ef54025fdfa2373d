// On a terminal: carriage return, text, erase to end of line.
#include "harness/report/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

void write_whole(int descriptor, const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(descriptor, text.data(), text.size());
}

}  // namespace

Progress::Progress(int descriptor, std::size_t width, std::chrono::milliseconds between_lines)
    : descriptor_(descriptor),
      width_(width),
      is_terminal_(isatty(descriptor) != 0),
      between_lines_(between_lines),
      last_line_(Clock::now()) {}

void Progress::show(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (!is_terminal_ && now - last_line_ < between_lines_) return;
  last_line_ = now;
  const std::string line = first_columns(safe_line(text), width_ - 1);
  write_whole(descriptor_, is_terminal_ ? "\r" + line + "\x1b[K" : line + "\n");
  is_shown_ = is_terminal_;
}

void Progress::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_shown_) write_whole(descriptor_, "\r\x1b[K");
  is_shown_ = false;
}

std::string time_left(std::chrono::steady_clock::duration spent, std::size_t done, std::size_t left) {
  constexpr std::size_t kEnoughToTell = 3;
  if (done < kEnoughToTell || left == 0) return "";
  const double seconds =
      std::chrono::duration<double>(spent).count() / static_cast<double>(done) * static_cast<double>(left);
  return seconds < 90 ? fmt::format(" · about {:.0f} s left", seconds)
                      : fmt::format(" · about {:.0f} min left", seconds / 60);
}

}  // namespace lanewise
