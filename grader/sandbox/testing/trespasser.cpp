// What sandbox_test starts in the sandbox: tries one thing that it must not succeed in, and prints how far it got.
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

int say(const char* word) {
  std::puts(word);
  return 0;
}

int say_whether(bool is_possible) { return say(is_possible ? "possible" : "refused"); }

int read_file(const char* file) {
  std::FILE* const stream = std::fopen(file, "re");
  char line[256] = "refused";
  if (stream) {
    if (!std::fgets(line, sizeof(line), stream)) std::strcpy(line, "empty");
    std::fclose(stream);
  }
  return say(line);
}

int list_folder(const char* folder) {
  DIR* const stream = opendir(folder);
  if (!stream) return say("refused");
  std::vector<std::string> names;
  while (const dirent* const entry = readdir(stream))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  closedir(stream);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) std::printf("%s ", name.c_str());
  return say("");
}

int count_processes() {
  DIR* const stream = opendir("/proc");
  if (!stream) return say("refused");
  int count = 0;
  while (const dirent* const entry = readdir(stream)) count += std::isdigit(entry->d_name[0]) != 0 ? 1 : 0;
  closedir(stream);
  std::printf("%d\n", count);
  return 0;
}

// All that it may kill, then those above it by number.
int kill_others(const char*) {
  kill(-1, SIGKILL);
  kill(1, SIGKILL);
  kill(getppid(), SIGSTOP);
  kill(getppid(), SIGKILL);
  return say("still here");
}

int kill_by_id(const char* id) { return say_whether(kill(std::atoi(id), 0) == 0); }

int fork_without_end(const char*) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  for (int count = 0;; ++count) {
    const pid_t child = fork();
    if (child == 0)
      for (;;) pause();
    if (child > 0 && count < 5'000) continue;
    std::printf("%d\n", count);
    return 0;
  }
}

int connect_to(const char* port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return say_whether(connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
}

// A name without a file belongs to the network namespace.
int connect_to_name(const char* name) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path + 1, name, sizeof(address.sun_path) - 2);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + std::strlen(name));
  return say_whether(connect(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0);
}

// Megabytes that could be written there, in files of sixteen.
int fill(const char* folder) {
  signal(SIGXFSZ, SIG_IGN);
  constexpr int kMost = 4096;
  const std::vector<char> megabyte(1 << 20, 'x');
  int written = 0;
  for (int number = 0; written < kMost; ++number) {
    const std::string file = std::string(folder) + "/filler" + std::to_string(number);
    const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) break;
    int here = 0;
    while (here < 16 && write(descriptor, megabyte.data(), megabyte.size()) == 1 << 20) ++here;
    close(descriptor);
    written += here;
    if (here < 16) break;
  }
  std::printf("%d\n", written);
  return 0;
}

int leave_daemon(const char*) {
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    prctl(PR_SET_NAME, "lw_trespasser");
    for (int i = 0; i < 256; ++i) close(i);
    for (;;) pause();
  }
  usleep(100'000);
  return say("left");
}

int flood(const char*) {
  const std::string line(1 << 20, 'x');
  for (;;)
    if (write(STDOUT_FILENO, line.data(), line.size()) < 0) return 1;
}

int leave_link(const char* link) { return say_whether(symlink("/etc/passwd", link) == 0); }

int make_namespace(const char*) {
  return say_whether(unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0 ||
                     syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr) > 0);
}

int trace(const char*) { return say_whether(ptrace(PTRACE_SEIZE, 1, nullptr, nullptr) == 0); }

int remount(const char*) { return say_whether(mount("none", "/", nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0); }

int write_to(const char* file) { return say_whether(open(file, O_WRONLY | O_CLOEXEC) >= 0); }

int use_memory(const char*) {
  constexpr std::size_t kPiece = std::size_t{64} << 20;
  int count = 0;
  for (; count < 4096; ++count) {
    char* const piece = static_cast<char*>(std::malloc(kPiece));
    if (!piece) break;
    std::memset(piece, count, kPiece);
  }
  std::printf("%d\n", count * 64);
  return 0;
}

int end_by_signal(const char* number) {
  raise(std::atoi(number));
  return say("not ended");
}

int end_with_code(const char* code) { return std::atoi(code); }

int count_descriptors(const char*) {
  int count = 0;
  for (int i = 0; i < 1024; ++i) count += fcntl(i, F_GETFD) >= 0 ? 1 : 0;
  std::printf("%d\n", count);
  return 0;
}

}  // namespace

// trespasser DEED WITH_WHAT
int main(int count, char** arguments) {
  static const std::map<std::string, int (*)(const char*)> kDeeds = {
      {"read", read_file},
      {"list", list_folder},
      {"count_processes", [](const char*) { return count_processes(); }},
      {"kill_others", kill_others},
      {"kill", kill_by_id},
      {"fork", fork_without_end},
      {"connect", connect_to},
      {"connect_to_name", connect_to_name},
      {"fill", fill},
      {"leave_daemon", leave_daemon},
      {"flood", flood},
      {"leave_link", leave_link},
      {"make_namespace", make_namespace},
      {"trace", trace},
      {"remount", remount},
      {"write", write_to},
      {"use_memory", use_memory},
      {"signal", end_by_signal},
      {"exit", end_with_code},
      {"count_descriptors", count_descriptors},
  };
  const auto deed = count == 3 ? kDeeds.find(arguments[1]) : kDeeds.end();
  return deed == kDeeds.end() ? 2 : deed->second(arguments[2]);
}
