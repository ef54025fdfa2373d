// Sets the sandbox up and tests it before any untrusted code runs in it.
#include "grader/sandbox/sandbox.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <system_error>

#include "grader/sandbox/bubblewrap.h"
#include "grader/sandbox/control_groups.h"
#include "grader/sandbox/system_calls.h"
#include "harness/lab/read_file.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kProbeLimit(30);
constexpr std::size_t kWordsKept = 4096;
constexpr const char* kOwnRisk = "or add --no-sandbox if you would run these submissions as your own code";

// Everything that the confinement uses while others copy it about.
struct Inside {
  explicit Inside(const GroupLimits& limits) : groups(limits) {}
  Walls walls;
  Descriptor compile_filter;
  Descriptor run_filter;
  ControlGroups groups;
};

fs::path find_program(const char* name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path program = fs::path(folder) / name;
    if (program.is_absolute() && access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

std::string ask(const fs::path& program, const char* option) {
  ProcessOptions options;
  options.command = {program.string(), option};
  const auto finished = run_to_end(options, kProbeLimit, 1 << 16);
  return finished && finished->succeeded() ? finished->output : "";
}

std::vector<fs::path> gpu_devices() {
  std::vector<fs::path> devices;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev", error))
    if (const std::string name = entry.path().filename().string(); name.rfind("nvidia", 0) == 0 || name == "dxg")
      devices.push_back(entry.path());
  return devices;
}

// A compiler that is not the system's lies with all its parts in a folder of its own: that above bin.
fs::path folder_of_compiler(const fs::path& compiler) {
  std::error_code error;
  fs::path real = fs::canonical(compiler, error);
  if (error || real.parent_path().filename() != "bin") return compiler;
  return real.parent_path().parent_path();
}

// The first of `places` that `folder` holds, or is; empty if there is none.
fs::path first_within(const fs::path& folder, const std::vector<fs::path>& places) {
  const auto found = std::find_if(places.begin(), places.end(), [&](const fs::path& place) {
    return !place.empty() &&
           std::mismatch(folder.begin(), folder.end(), place.begin(), place.end()).first == folder.end();
  });
  return found == places.end() ? fs::path() : *found;
}

// The filters are opened anew for each process: bwrap reads from where the last reader of a descriptor stopped.
fs::path reopened(const Descriptor& descriptor) { return fmt::format("/proc/self/fd/{}", descriptor.get()); }

Confinement confinement_by(std::shared_ptr<Inside> inside) {
  return [inside = std::move(inside)](ProcessOptions options, const Reach& reach) {
    options.command = bubblewrap_command(inside->walls, reach, options.folder, options.command);
    options.folder = "/";
    options.is_launcher = true;
    options.groups = inside->groups.make_group();
    options.inputs = {reopened(reach.work == ForeignWork::kCompile ? inside->compile_filter : inside->run_filter)};
    return options;
  };
}

// A port of this machine that answers.
struct Listener {
  Descriptor socket;
  int port = 0;
};
std::optional<Listener> listen_here() {
  Listener listener;
  listener.socket.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (!listener.socket || bind(listener.socket.get(), generic, size) != 0 || listen(listener.socket.get(), 1) != 0 ||
      getsockname(listener.socket.get(), generic, &size) != 0)
    return std::nullopt;
  listener.port = ntohs(address.sin_port);
  return listener;
}

// A file that a process in the sandbox must not find.
class Secret {
 public:
  explicit Secret(const fs::path& folder) : file_(folder / fmt::format("sandbox_secret_{}", getpid())) {
    std::error_code error;
    fs::create_directories(folder, error);
    std::ofstream stream(file_);
    stream << "secret\n" << std::flush;
    is_there_ = static_cast<bool>(stream);
  }
  ~Secret() {
    std::error_code error;
    fs::remove(file_, error);
  }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  const fs::path& file() const { return file_; }
  bool is_there() const { return is_there_; }

 private:
  fs::path file_;
  bool is_there_ = false;
};

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// What to do about bwrap's own words.
std::string advice(const std::string& words) {
  if (has(words, "mount proc"))
    return "this container hides parts of /proc: start it with --security-opt systempaths=unconfined";
  if (has(words, "namespace") || has(words, "uid map") || has(words, "Operation not permitted") ||
      has(words, "No permissions"))
    return "this system forbids user namespaces: allow them (sysctl kernel.unprivileged_userns_clone=1, on Ubuntu an "
           "AppArmor profile for bwrap; for a container, its --privileged)";
  return "fix what it reports";
}

Failure no_sandbox(const std::string& words) {
  return Failure{fmt::format("no sandbox can be set up: bwrap said \"{}\"; {}, {}", words, advice(words), kOwnRisk)};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::optional<Failure> try_out(const Confinement& confinement, ForeignWork work, const Installation& installation,
                               const fs::path& probe) {
  const auto name = read_file("/proc/self/comm", 64);
  const auto listener = listen_here();
  const Secret secret(installation.cache);
  if (!secret.is_there() || !listener)
    return Failure{fmt::format("the sandbox cannot be tested: {} could not be written, or no socket could be opened",
                               secret.file().string())};
  ProcessOptions options;
  options.command = {probe.string(), secret.file().string(), std::to_string(getpid()),
                     name ? first_line(*name) : "lanewise", std::to_string(listener->port)};
  const auto finished = run_to_end(confined(confinement, options, {work, {}, {probe}}), kProbeLimit, kWordsKept);
  if (!finished) return finished.failure();
  if (!finished->succeeded()) return no_sandbox(finished->timed_out ? "nothing" : first_line(finished->output));
  if (finished->output == "probed\n") return std::nullopt;
  return Failure{fmt::format("the sandbox does not hold: a program in it {}; use another machine, {}",
                             first_line(finished->output), kOwnRisk)};
}

std::string describe(const Sandbox& sandbox, const std::string& version) {
  return fmt::format("{}; processes {}; memory limited for each {}", version,
                     sandbox.limits_processes ? "limited" : "not limited (root, and no control group can be made)",
                     sandbox.limits_memory ? "submission" : "process");
}

}  // namespace

Expected<Sandbox> open_sandbox(const Installation& installation, const SandboxOptions& options) {
  auto inside = std::make_shared<Inside>(GroupLimits{options.most_processes, options.most_memory_bytes});
  Walls& walls = inside->walls;
  walls.bwrap = find_program("bwrap");
  if (walls.bwrap.empty())
    return Failure{
        fmt::format("no sandbox can be set up: bwrap was not found; install bubblewrap (apt-get install "
                    "bubblewrap), {}",
                    kOwnRisk)};
  const fs::path libexec = installation.worker.parent_path();
  walls.launcher = libexec / "lanewise-launcher";
  const fs::path probe = libexec / "lanewise-sandbox-probe";
  std::error_code error;
  for (const fs::path& program : {walls.launcher, probe})
    if (!fs::exists(program, error))
      return Failure{fmt::format("{} is missing; build the target {}", program.string(), program.filename().string())};

  walls.readable = {installation.toolkit, fs::weakly_canonical(installation.toolkit, error),
                    installation.cuda_libraries, folder_of_compiler(installation.host_compiler)};
  // A tool that was not found is named where it is needed, by the compile step.
  walls.readable.erase(std::remove(walls.readable.begin(), walls.readable.end(), fs::path()), walls.readable.end());
  const char* const home = std::getenv("HOME");
  walls.hidden = {installation.solutions, installation.cache, home ? home : ""};
  for (const fs::path& tool : walls.readable)
    if (const fs::path secret = first_within(tool, walls.hidden); !secret.empty())
      return Failure{fmt::format(
          "no sandbox can be set up: the compiler needs {}, but {} in it must not be visible; install it elsewhere, {}",
          tool.string(), secret.string(), kOwnRisk)};
  if (options.shows_gpu) walls.devices = gpu_devices();
  walls.most_processes = options.most_processes;
  walls.most_folder_bytes = options.most_folder_bytes;
  const std::string abilities = ask(walls.bwrap, "--help");
  walls.can_size_folders = has(abilities, "--size");
  walls.can_forbid_users = has(abilities, "--disable-userns");

  auto compile_filter = make_call_filter(ForeignWork::kCompile);
  if (!compile_filter) return compile_filter.failure();
  auto run_filter = make_call_filter(ForeignWork::kRun);
  if (!run_filter) return run_filter.failure();
  inside->compile_filter = std::move(*compile_filter);
  inside->run_filter = std::move(*run_filter);

  const bool is_root = geteuid() == 0;
  Sandbox sandbox;
  sandbox.limits_processes = !is_root || inside->groups.limits_processes();
  sandbox.limits_memory = inside->groups.limits_memory();
  sandbox.confinement = confinement_by(std::move(inside));
  for (const ForeignWork work : {ForeignWork::kCompile, ForeignWork::kRun})
    if (auto failure = try_out(sandbox.confinement, work, installation, probe)) return *failure;
  sandbox.description = describe(sandbox, first_line(ask(find_program("bwrap"), "--version")));
  return sandbox;
}

}  // namespace lanewise
