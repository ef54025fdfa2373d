// SIGSTOP, and a look at every thread: the signal takes effect a little after it was sent.
#include "harness/runner/session/standstill.h"

#include <fmt/format.h>
#include <sched.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLongest(1);  // a call into the driver ends first

// By its state, the first field behind the name in parentheses: stopped, or no more.
bool is_at_rest(const fs::path& thread) {
  std::ifstream stream(thread / "stat");
  std::string line;
  if (!std::getline(stream, line)) return true;  // it has ended
  const std::size_t name_end = line.rfind(')');
  const char state = name_end != std::string::npos && name_end + 2 < line.size() ? line[name_end + 2] : '?';
  return state == 'T' || state == 't' || state == 'Z' || state == 'X';
}

bool are_all_at_rest(pid_t process) {
  std::error_code error;
  for (fs::directory_iterator it(fmt::format("/proc/{}/task", process), error);
       !error && it != fs::directory_iterator(); it.increment(error))
    if (!is_at_rest(it->path())) return false;
  return true;
}

}  // namespace

Standstill::Standstill(pid_t process) : process_(process) {
  if (process_ <= 0) return;
  kill(process_, SIGSTOP);
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  do {
    is_complete_ = are_all_at_rest(process_);
    if (!is_complete_) sched_yield();
  } while (!is_complete_ && std::chrono::steady_clock::now() < deadline);
}

Standstill::~Standstill() {
  if (process_ > 0) kill(process_, SIGCONT);
}

}  // namespace lanewise
