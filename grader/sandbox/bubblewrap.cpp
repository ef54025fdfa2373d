// In the order that bwrap processes: later mounts cover earlier ones, and the root is made read-only last.
#include "grader/sandbox/bubblewrap.h"

#include <algorithm>
#include <initializer_list>
#include <system_error>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// What programs need to start on any distribution. Nothing else in /etc: it names users and holds secrets.
constexpr const char* kSystem[] = {"/usr",
                                   "/bin",
                                   "/sbin",
                                   "/lib",
                                   "/lib32",
                                   "/lib64",
                                   "/libx32",
                                   "/etc/alternatives",
                                   "/etc/ld.so.cache",
                                   "/etc/ld.so.conf",
                                   "/etc/ld.so.conf.d"};
// A GPU's driver may want a folder for temporary files. Nobody else has one: a compiler's go into its own folder, and
// no size limits how many empty ones there are.
constexpr const char* kTemporaryBytes = "67108864";
constexpr const char* kNobody = "65534";
// Where malloc learns whether there are large pages, which compilers are to use.
constexpr const char* kLargePages[] = {"/sys/kernel/mm/transparent_hugepage/enabled",
                                       "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"};
// Their files belong to root, who may write them without any capability; and the grader may run as root.
constexpr const char* kClosedToWriters[] = {"/proc/sys",  "/proc/sysrq-trigger", "/proc/irq",    "/proc/bus",
                                            "/proc/fs",   "/proc/driver",        "/proc/asound", "/proc/acpi",
                                            "/proc/scsi", "/proc/mtrr"};

bool is_within(const fs::path& path, const fs::path& folder) {
  const fs::path inner = path.lexically_normal();
  const fs::path outer = folder.lexically_normal();
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

bool is_in(const fs::path& path, const std::vector<fs::path>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) { return is_within(path, folder); });
}

class Arguments {
 public:
  explicit Arguments(const Walls& walls) : walls_(walls), words_{walls.bwrap.string()} {}

  void add(std::initializer_list<std::string> words) { words_.insert(words_.end(), words); }

  // Links such as /lib -> usr/lib stay links.
  void show_system(const fs::path& path) {
    std::error_code error;
    if (fs::is_symlink(path, error)) {
      const fs::path target = fs::read_symlink(path, error);
      if (!error) add({"--symlink", target.string(), path.string()});
    } else if (fs::exists(path, error)) {
      show(path);
    }
  }

  void show(const fs::path& path) {
    std::error_code error;
    if ((is_in(path, shown_) && !is_in(path, hidden_)) || !fs::exists(path, error)) return;
    add({"--ro-bind", path.string(), path.string()});
    shown_.push_back(path);
  }

  // Over what a mount that went before shows there.
  void show_again(const fs::path& path) {
    std::error_code error;
    if (fs::exists(path, error)) add({"--ro-bind", path.string(), path.string()});
  }

  void hide(const fs::path& folder) {
    std::error_code error;
    if (folder.empty() || !is_in(folder, shown_) || !fs::is_directory(folder, error)) return;
    add({"--tmpfs", folder.string()});
    hidden_.push_back(folder);  // what lies in it and is to be seen has to be shown anew
  }

  void add_temporary_folder(bool has_driver) {
    if (has_driver && walls_.can_size_folders)
      add({"--size", kTemporaryBytes, "--tmpfs", "/tmp"});
    else
      add({"--dir", "/tmp"});  // on the root, which is closed
  }

  // Of /sys, in which nothing can be listed.
  void show_large_pages() {
    add({"--perms", "0111", "--dir", "/sys"});
    for (const char* const file : kLargePages) add({"--ro-bind-try", file, file});
  }

  // Folders in memory know no limit: nothing more is made in them.
  void close() {
    for (const fs::path& folder : hidden_) add({"--remount-ro", folder.string()});
    add({"--remount-ro", "/dev", "--remount-ro", "/"});
  }

  std::vector<std::string> words() && { return std::move(words_); }

 private:
  const Walls& walls_;
  std::vector<std::string> words_;
  std::vector<fs::path> shown_;
  std::vector<fs::path> hidden_;
};

}  // namespace

std::vector<std::string> bubblewrap_command(const Walls& walls, const Reach& reach, const fs::path& folder,
                                            const std::vector<std::string>& command) {
  Arguments arguments(walls);
  arguments.add({"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
                 "--unshare-cgroup-try", "--uid", kNobody, "--gid", kNobody, "--hostname", "sandbox", "--cap-drop",
                 "ALL", "--die-with-parent", "--as-pid-1"});
  if (walls.can_forbid_users) arguments.add({"--disable-userns"});
  arguments.add({"--seccomp", std::to_string(Process::kFirstInput)});

  for (const char* const path : kSystem) arguments.show_system(path);
  for (const fs::path& path : walls.hidden) arguments.hide(path);
  arguments.add({"--proc", "/proc"});
  for (const char* const path : kClosedToWriters) arguments.show_again(path);
  arguments.add({"--dev", "/dev"});
  const bool has_driver = reach.work == ForeignWork::kRun && reach.has_gpu && !walls.devices.empty();
  if (has_driver) {
    for (const fs::path& device : walls.devices) arguments.add({"--dev-bind-try", device.string(), device.string()});
    arguments.add({"--ro-bind-try", "/sys", "/sys"});  // where the driver looks its device up
  }
  // A bwrap that knows --size also knows --perms.
  if (reach.work == ForeignWork::kCompile && walls.can_size_folders) arguments.show_large_pages();
  arguments.add_temporary_folder(has_driver);
  arguments.show(walls.launcher);
  for (const fs::path& path : walls.readable) arguments.show(path);
  for (const fs::path& path : reach.readable) arguments.show(path);
  if (!reach.writable.empty()) arguments.add({"--bind", reach.writable.string(), reach.writable.string()});
  arguments.close();
  arguments.add({"--chdir", folder.string(), "--", walls.launcher.string(), std::to_string(walls.most_processes),
                 reach.writable.string(), std::to_string(walls.most_folder_bytes)});
  std::vector<std::string> words = std::move(arguments).words();
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace lanewise
