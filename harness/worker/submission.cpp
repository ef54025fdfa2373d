// dlopen of a submission, and the look at the first bytes of its contract function.
#include "harness/worker/submission.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <iterator>

namespace lanewise {

bool is_empty_function(const void* code) {
  // What may come first where the compiler guards indirect calls, and the return.
#if defined(__x86_64__)
  constexpr unsigned char kLandingPad[] = {0xF3, 0x0F, 0x1E, 0xFA};  // endbr64
  constexpr unsigned char kReturn[] = {0xC3};
#elif defined(__aarch64__)
  constexpr unsigned char kLandingPad[] = {0x5F, 0x24, 0x03, 0xD5};  // bti c
  constexpr unsigned char kReturn[] = {0xC0, 0x03, 0x5F, 0xD6};
#endif
  const auto* bytes = static_cast<const unsigned char*>(code);
  // Byte by byte, because a function may end right at the end of its page.
  const auto starts_with = [&bytes](const auto& expected) {
    return std::mismatch(std::begin(expected), std::end(expected), bytes).first == std::end(expected);
  };
  if (starts_with(kLandingPad)) bytes += sizeof(kLandingPad);
  return starts_with(kReturn);
}

Submission load_submission(const std::string& path, const std::string& task) {
  Submission submission;
  // RTLD_LOCAL: nothing a submission defines may stand in for anything of the worker's or the runtime's.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const reason = dlerror();
    submission.failure = std::string("the compiled submission cannot be loaded: ") + (reason ? reason : path.c_str());
    return submission;
  }
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0) submission.base = map->l_addr;
  const std::string symbol = "lanewise_task_" + task;
  submission.entry = static_cast<const LanewiseTaskEntry*>(dlsym(library, symbol.c_str()));
  if (!submission.entry) {
    submission.failure = "the lab's entry.cpp defines no LANEWISE_TASK(" + task + ")";
  } else if (submission.entry->contract) {
    submission.is_empty = is_empty_function(submission.entry->contract);
  }
  return submission;
}

}  // namespace lanewise
