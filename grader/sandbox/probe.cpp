// lanewise-sandbox-probe: started in a sandbox, tries to get out, and prints a line for each way out that it finds.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

bool can_open(const std::string& file, int mode) {
  const int descriptor = open(file.c_str(), mode | O_CLOEXEC);
  if (descriptor >= 0) close(descriptor);
  return descriptor >= 0;
}

// "No such process" may also be said of one that merely has another number here.
bool can_see_process(const std::string& id, const std::string& name) {
  std::FILE* const file = std::fopen(("/proc/" + id + "/comm").c_str(), "re");
  if (!file) return false;
  char line[64] = "";
  const bool is_same = std::fgets(line, sizeof(line), file) && line == name + "\n";
  std::fclose(file);
  return is_same;
}

bool can_connect(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool is_connected = connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  close(socket);
  return is_connected;
}

bool can_write(const std::string& folder) {
  const std::string file = folder + "/lanewise_probe";
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  close(descriptor);
  unlink(file.c_str());
  return true;
}

}  // namespace

// lanewise-sandbox-probe SECRET_FILE PROCESS ITS_NAME PORT
int main(int count, char** arguments) {
  if (count != 5) {
    std::fputs("lanewise-sandbox-probe is started by lanewise, in a sandbox\n", stderr);
    return 2;
  }
  if (can_open(arguments[1], O_RDONLY)) std::puts("reads other people's files");
  if (can_see_process(arguments[2], arguments[3])) std::puts("sees other processes");
  if (can_connect(std::atoi(arguments[4]))) std::puts("reaches the network");
  for (const char* const folder : {"/", "/dev", "/dev/shm", "/usr"})
    if (can_write(folder)) std::printf("writes to %s\n", folder);
  for (const char* const file : {"/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"})
    if (can_open(file, O_WRONLY)) std::printf("changes %s\n", file);
  std::puts("probed");
  return 0;
}
