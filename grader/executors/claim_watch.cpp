// A counter in a file for other machines; the process table for this one.
#include "grader/executors/claim_watch.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeart = "heartbeat";

std::string content_of(const fs::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// When the process started, in ticks since the machine booted; empty if there is no such process. Its name, in
// parentheses, may contain anything.
std::string start_of(pid_t process) {
  const std::string text = content_of(fmt::format("/proc/{}/stat", process));
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return "";
  std::istringstream fields(text.substr(name_end + 1));
  constexpr int kFieldsBefore = 19;  // from the state, field 3, to starttime, field 22: proc(5)
  std::string field;
  for (int i = 0; i <= kFieldsBefore; ++i) fields >> field;
  return field;
}

// Equal for processes that see each other in /proc.
const std::string& this_machine() {
  static const std::string kName = [] {
    std::array<char, 65> host{};
    gethostname(host.data(), host.size() - 1);
    std::string name = host.data();
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    std::error_code error;
    std::string space = fs::read_symlink("/proc/self/ns/pid", error).string();  // "pid:[4026531836]"
    space.erase(std::remove_if(space.begin(), space.end(), [](unsigned char c) { return std::isdigit(c) == 0; }),
                space.end());
    return fmt::format("{}-{}-{}", name, content_of("/proc/sys/kernel/random/boot_id").substr(0, 8), space);
  }();
  return kName;
}

}  // namespace

std::string worker_name() { return fmt::format("{}-{}-{}", this_machine(), getpid(), start_of(getpid())); }

void beat_heart(const fs::path& claimed) {
  static std::atomic<std::uint64_t> beats{0};
  // Nothing is written if another worker has the chunk, because its folder is gone, or if the disk is full.
  std::ofstream(claimed / kHeart) << ++beats << '\n';
}

bool ClaimWatch::is_dead(const fs::path& claimed) {
  const std::string name = claimed.filename().string();
  const std::string worker = name.substr(name.find('@') + 1);
  if (worker == worker_name()) return false;  // this process, however long its threads have to wait for a disk
  const std::string here = this_machine() + "-";
  if (worker.compare(0, here.size(), here) == 0) {
    char* end = nullptr;
    const auto process = static_cast<pid_t>(std::strtol(worker.c_str() + here.size(), &end, 10));
    if (start_of(process) != std::string(*end == '-' ? end + 1 : end)) return true;
  }
  const auto now = std::chrono::steady_clock::now();
  std::string beat = content_of(claimed / kHeart);
  const auto [seen, is_new] = seen_.try_emplace(name, beat, now);
  if (is_new || seen->second.first != beat) {
    seen->second = {std::move(beat), now};
    return false;
  }
  return now - seen->second.second >= patience_;
}

std::size_t ClaimWatch::give_back_dead(const WorkFolder& folder) {
  const std::vector<fs::path> claimed = folder.claimed();
  std::size_t living = 0;
  for (const fs::path& chunk : claimed) {
    if (!is_dead(chunk)) {
      ++living;
      continue;
    }
    seen_.erase(chunk.filename().string());
    folder.give_back(chunk, true);
  }
  return living;
}

}  // namespace lanewise
