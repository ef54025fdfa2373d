// fork(2), with results in shared memory.
#include "harness/declared/run_apart.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <thread>

namespace lanewise {
namespace {

constexpr std::size_t kAlignment = 16;
// Exit codes that say how far the work came; a program that ends itself has others, or is taken at its word.
constexpr int kReturned = 87, kThrew = 88;
constexpr std::size_t kLongestWord = 256;  // of an exception

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

[[noreturn]] void work_and_end(const std::function<void()>& work, const FencedBytes& said) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  int code = kReturned;
  try {
    work();
  } catch (const std::exception& error) {
    code = kThrew;
    std::strncpy(reinterpret_cast<char*>(said.begin()), error.what(), said.size() - 1);
  } catch (...) {
    code = kThrew;
  }
  _exit(code);
}

}  // namespace

FencedBytes::FencedBytes(std::size_t bytes) : size_(bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t usable = rounded_up(bytes, page);
  mapped_ = usable + page;
  pages_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (pages_ == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(pages_);
  mprotect(first + usable, page, PROT_NONE);
  begin_ = first + usable - rounded_up(bytes, kAlignment);
}

FencedBytes::FencedBytes(FencedBytes&& other) noexcept
    : pages_(other.pages_), mapped_(other.mapped_), begin_(other.begin_), size_(other.size_) {
  other.pages_ = nullptr;
}

FencedBytes::~FencedBytes() {
  if (pages_) munmap(pages_, mapped_);
}

std::string run_apart(const std::function<void()>& work, std::chrono::milliseconds limit) {
  const FencedBytes said(kLongestWord);  // zeros
  const pid_t child = fork();
  if (child < 0) return fmt::format("could not be run ({})", std::strerror(errno));
  if (child == 0) work_and_end(work, said);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  std::chrono::microseconds pause(50);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return fmt::format("did not return in {} seconds", std::chrono::duration<double>(limit).count());
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
  if (WIFSIGNALED(status)) return fmt::format("crashed ({})", strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == kThrew) {
    const std::string words = reinterpret_cast<const char*>(said.begin());
    return words.empty() ? "threw an exception" : "threw an exception: " + words;
  }
  return WEXITSTATUS(status) == kReturned ? "" : "ended the program";
}

}  // namespace lanewise
