// One shared object with many tasks, each of which does one thing a submission must not do (and one that does its
// work). All copy the n floats of `a` to `b`.
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using std::size_t;

#define TASK(name) void name(const float* a, float* b, size_t n);
#define TASKS(T)                   \
  T(copies)                        \
  T(does_nothing)                  \
  T(is_not_defined)                \
  T(reads_null)                    \
  T(aborts)                        \
  T(overflows_the_stack)           \
  T(divides_by_zero)               \
  T(loops)                         \
  T(prints_a_gigabyte)             \
  T(prints_and_crashes)            \
  T(calls_exit)                    \
  T(calls_exit_at_once)            \
  T(leaves_an_error)               \
  T(throws)                        \
  T(forks)                         \
  T(starts_a_thread)               \
  T(closes_descriptors)            \
  T(writes_to_descriptors)         \
  T(kills_its_parent)              \
  T(kills_its_group)               \
  T(sets_an_alarm)                 \
  T(opens_a_socket)                \
  T(opens_a_socket_only)           \
  T(starts_a_program)              \
  T(writes_past_the_end)           \
  T(writes_before_the_beginning)   \
  T(changes_its_input)             \
  T(ends_its_thread)               \
  T(allocates_everything)          \
  T(reaches_into_the_runner)       \
  T(forges_an_answer)              \
  T(forges_crashes_without_end)    \
  T(claims_that_the_worker_failed) \
  T(works_once)                    \
  T(remembers_by_pointer)          \
  T(crashes_in_the_third_call)     \
  T(exits_in_the_third_call)       \
  T(loops_in_the_third_call)       \
  T(answers_before_it_works)       \
  T(answers_long_before_it_works)  \
  T(writes_to_an_array_after_it_faulted)
TASKS(TASK)

#include "harness/worker/entry.h"
#include "harness/worker/protocol.h"
#define ENTRY(name) \
  LANEWISE_TASK(name) { name(call.input<float>("a"), call.output<float>("b"), call.integer<size_t>("n")); }
TASKS(ENTRY)

#define BODY(name) void name([[maybe_unused]] const float* a, [[maybe_unused]] float* b, [[maybe_unused]] size_t n)

namespace {
void copy(const float* a, float* b, size_t n) {
  for (size_t i = 0; i < n; ++i) b[i] = a[i];
}

volatile int sink = 0;
volatile int zero = 0;
volatile float* volatile null_pointer = nullptr;

int descend(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return descend(depth + 1) + frame[0];
}
}  // namespace

BODY(copies) {
  std::printf("copying %zu\n", n);
  copy(a, b, n);
}
BODY(does_nothing) {}
BODY(reads_null) { b[0] = null_pointer[3]; }
BODY(aborts) { std::abort(); }
BODY(overflows_the_stack) { sink = descend(0); }
BODY(divides_by_zero) { sink = 7 / zero; }
BODY(loops) {
  while (zero == 0) sink = sink + 1;
}
BODY(prints_a_gigabyte) {
  const std::string line(1 << 20, 'x');
  for (int i = 0; i < 1024; ++i) std::fwrite(line.data(), 1, line.size(), i % 2 == 0 ? stdout : stderr);
  copy(a, b, n);
}
BODY(prints_and_crashes) {
  std::printf("last words\n");
  b[0] = null_pointer[3];
}
BODY(calls_exit) { std::exit(0); }
BODY(calls_exit_at_once) { _exit(7); }
BODY(leaves_an_error) {
  cudaFuncSetCacheConfig(nullptr, cudaFuncCachePreferNone);
  copy(a, b, n);
}
BODY(throws) { throw std::runtime_error("no such bin"); }
BODY(forks) {
  if (fork() == 0)
    for (;;) pause();
  copy(a, b, n);
}
BODY(starts_a_thread) {
  std::thread([] {}).join();
  copy(a, b, n);
}
BODY(closes_descriptors) {
  copy(a, b, n);
  for (int i = 0; i < 4096; ++i) close(i);
}
BODY(writes_to_descriptors) {
  copy(a, b, n);
  for (int i = 3; i < 4096; ++i) send(i, "rubbish", 7, MSG_NOSIGNAL);
}
BODY(kills_its_parent) {
  kill(getppid(), SIGKILL);
  copy(a, b, n);
}
BODY(kills_its_group) {
  kill(0, SIGKILL);
  copy(a, b, n);
}
BODY(sets_an_alarm) {
  alarm(1);
  copy(a, b, n);
}
BODY(opens_a_socket) {
  socket(AF_INET, SOCK_STREAM, 0);
  copy(a, b, n);
}
BODY(opens_a_socket_only) { socket(AF_INET, SOCK_STREAM, 0); }
BODY(starts_a_program) {
  [[maybe_unused]] const int status = std::system("true");
  copy(a, b, n);
}
BODY(writes_past_the_end) {
  copy(a, b, n);
  for (size_t i = n; i < n + 6; ++i) b[i] = 1;
}
BODY(writes_before_the_beginning) {
  copy(a, b, n);
  b[-1] = 1;
}
BODY(changes_its_input) {
  copy(a, b, n);
  const_cast<float*>(a)[n - 1] += 1;
}
BODY(ends_its_thread) {
  copy(a, b, n);
  pthread_exit(nullptr);
}
BODY(allocates_everything) {
  std::vector<char*> blocks;
  for (;;) blocks.push_back(static_cast<char*>(std::memset(new char[1 << 28], 1, 1 << 12)));
}
BODY(reaches_into_the_runner) {
  const std::string memory = "/proc/" + std::to_string(getppid()) + "/mem";
  std::printf(open(memory.c_str(), O_RDWR) == -1 ? "refused\n" : "opened\n");
  copy(a, b, n);
}
// Speaks in the worker's name, on every descriptor that might be the channel.
template <class Message>
bool send_everywhere(const Message& message) {
  bool was_sent = false;
  for (int i = 3; i < 1024; ++i) was_sent = send(i, &message, sizeof(message), MSG_NOSIGNAL) > 0 || was_sent;
  return was_sent;
}
BODY(forges_an_answer) {
  send_everywhere(lanewise::protocol::make_message<lanewise::protocol::Done>());
  for (;;) pause();
}
BODY(forges_crashes_without_end) {
  while (send_everywhere(lanewise::protocol::make_message<lanewise::protocol::Crashed>())) {
  }
}
BODY(claims_that_the_worker_failed) {
  send_everywhere(lanewise::protocol::make_message<lanewise::protocol::Failed>());
  for (;;) pause();
}
BODY(works_once) {
  static bool has_worked = false;
  if (!has_worked) copy(a, b, n);
  has_worked = true;
}
BODY(remembers_by_pointer) {
  static const float* known = nullptr;
  static std::vector<float> answer;
  if (known != a) answer.assign(a, a + n);
  known = a;
  copy(answer.data(), b, n);
}
namespace {
bool is_third_call() {
  static int calls = 0;
  return ++calls == 3;
}
}  // namespace
BODY(crashes_in_the_third_call) {
  copy(a, b, n);
  if (is_third_call()) b[0] = null_pointer[3];
}
BODY(exits_in_the_third_call) {
  copy(a, b, n);
  if (is_third_call()) std::exit(0);
}
BODY(loops_in_the_third_call) {
  copy(a, b, n);
  while (is_third_call() || zero != 0)
    for (;;) sink = sink + 1;
}
BODY(answers_before_it_works) {
  send_everywhere(lanewise::protocol::make_message<lanewise::protocol::Done>());
  copy(a, b, n);
}
BODY(answers_long_before_it_works) {
  send_everywhere(lanewise::protocol::make_message<lanewise::protocol::Done>());
  usleep(100'000);
  copy(a, b, n);
  send_everywhere(lanewise::protocol::make_message<lanewise::protocol::Fetched>());
}
BODY(writes_to_an_array_after_it_faulted) {
  // Far past the guard band, in memory that is certainly not mapped.
  const_cast<volatile float*>(b)[size_t{1} << 40] = 1;
}
