// Compares what stat() says.
#include "grader/workplace/saved_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include "harness/runner/interruption.h"

namespace lanewise {
namespace {

// Short enough to seem immediate, and longer than an editor takes between the steps of saving.
constexpr std::chrono::milliseconds kBetweenLooks(100);

}  // namespace

SavedFiles::SavedFiles(std::vector<std::filesystem::path> files) : files_(std::move(files)), first_(stamps()) {}

std::optional<SavedFiles::Stamp> SavedFiles::stamp_of(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return std::nullopt;
  return Stamp{status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec, status.st_size,
               status.st_ino};
}

std::vector<std::optional<SavedFiles::Stamp>> SavedFiles::stamps() const {
  std::vector<std::optional<Stamp>> stamps;
  for (const std::filesystem::path& file : files_) stamps.push_back(stamp_of(file));
  return stamps;
}

void SavedFiles::interrupt_when_saved() {
  interrupting_ = std::thread([this] {
    while (!is_ending_.load()) {
      if (stamps() != first_) {
        have_interrupted_.store(true);
        kill(getpid(), SIGINT);
        return;
      }
      std::this_thread::sleep_for(kBetweenLooks);
    }
  });
}

void SavedFiles::end_interrupting() {
  is_ending_.store(true);
  if (interrupting_.joinable()) interrupting_.join();
}

bool SavedFiles::wait() const {
  for (std::vector<std::optional<Stamp>> before = first_; have_interrupted_.load() || !is_interrupted();) {
    std::this_thread::sleep_for(kBetweenLooks);
    std::vector<std::optional<Stamp>> now = stamps();
    const bool is_whole = std::equal(now.begin(), now.end(), first_.begin(), [](const auto& stamp, const auto& first) {
      return stamp || !first;  // while it is saved, a file may be gone
    });
    if (is_whole && now == before && now != first_) return true;
    before = std::move(now);
  }
  return false;
}

}  // namespace lanewise
