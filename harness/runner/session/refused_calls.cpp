// SECCOMP_IOCTL_NOTIF_RECV and _SEND, and names for what was asked.
#include "harness/runner/session/refused_calls.h"

#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>

#include "harness/worker/denied_calls.h"

namespace lanewise {
namespace {

RefusedCall describe(const seccomp_data& data) {
  switch (data.nr) {
    case SYS_clone:
      if ((data.args[0] & CLONE_THREAD) != 0) return {"clone", "start a thread", 1};
      return {"clone", kStartProcess, 1};
    case SYS_kill:
    case SYS_tgkill:
    case SYS_tkill:
      return {"kill", kSignalOthers, 1};
    case SYS_prctl:
      if (data.args[0] == PR_SET_SECCOMP) return {"prctl", kFilterCalls, 1};
      return {"prctl", "outlive the harness or be traced by another process", 1};
    case SYS_prlimit64:
      return {"prlimit", kChangeLimits, 1};
    default:
      break;
  }
  for (const DeniedCall& call : kDeniedCalls)
    if (call.number == data.nr) return {call.name, call.purpose, 1};
  return {fmt::format("system call {}", data.nr), "do something no submission needs", 1};
}

}  // namespace

void RefusedCalls::answer_one() {
  seccomp_notif notification{};
  if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, &notification) != 0) {
    if (errno != EINTR && errno != ENOENT) listener_.reset();
    return;
  }
  RefusedCall call = describe(notification.data);
  const auto is_same = [&call](const RefusedCall& other) {
    return other.name == call.name && other.purpose == call.purpose;
  };
  if (const auto known = std::find_if(calls_.begin(), calls_.end(), is_same); known != calls_.end())
    ++known->count;
  else
    calls_.push_back(std::move(call));
  seccomp_notif_resp response{};
  response.id = notification.id;
  response.error = -EPERM;
  // Fails if the process was killed in the meantime, which is just as well.
  ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, &response);
}

std::vector<RefusedCall> RefusedCalls::take() { return std::exchange(calls_, {}); }

}  // namespace lanewise
