// Opens the workplace; writes reports.
#include "grader/workplace/workplace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "harness/report/safe_text.h"
#include "harness/runner/descriptor.h"

namespace lanewise {

namespace fs = std::filesystem;

namespace {

// 0, or the errno of what went wrong.
int write_whole(const Descriptor& descriptor, const std::string& content) {
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t written = write(descriptor.get(), content.data() + done, content.size() - done);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return 0;
}

int write_in_place(const fs::path& file, const std::string& content, mode_t mode) {
  const Descriptor descriptor(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  return descriptor ? write_whole(descriptor, content) : errno;
}

// A new file beside `file`, under a name that no other process or thread has. Without it where none can be made.
struct Aside {
  fs::path path;
  Descriptor descriptor;
};
Aside open_aside(const fs::path& file, mode_t mode) {
  static std::atomic<unsigned> counter{0};
  for (;;) {
    Aside aside;
    aside.path = file.parent_path() / fmt::format(".{}.{}.{}", file.filename().string(), getpid(), ++counter);
    aside.descriptor.reset(open(aside.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (aside.descriptor || errno != EEXIST) return aside;
  }
}

struct Replacement {
  int trouble = 0;          // as an errno
  bool is_refused = false;  // no new file can be made there, or take this one's place
};
Replacement replace(const fs::path& file, const std::string& content, mode_t mode) {
  Aside aside = open_aside(file, mode);
  if (!aside.descriptor) return {errno, true};
  const int trouble = write_whole(aside.descriptor, content);
  aside.descriptor.reset();
  if (trouble == 0 && rename(aside.path.c_str(), file.c_str()) == 0) return {};
  const Replacement failed = {trouble != 0 ? trouble : errno, trouble == 0};
  unlink(aside.path.c_str());
  return failed;
}

// Some folders accept no new files, and a file that is a mount point cannot be replaced; an existing file may still be
// writable.
int replace_or_overwrite(const fs::path& file, const std::string& content, mode_t mode) {
  const Replacement replacement = replace(file, content, mode);
  return replacement.is_refused ? write_in_place(file, content, mode) : replacement.trouble;
}

bool may_be_replaced(const fs::path& file) {
  std::error_code error;
  const fs::file_type type = fs::status(file, error).type();
  return type == fs::file_type::regular || type == fs::file_type::not_found;
}

// The file that a link leads to: it is replaced, not the link.
fs::path behind_links(const fs::path& file) {
  std::error_code error;
  fs::path real = fs::canonical(file, error);
  return error ? file : real;
}

// Whether new files can be made in `folder`, which is made if it is missing.
std::optional<Failure> make_writable_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && access(folder.c_str(), W_OK | X_OK) != 0) error = std::error_code(errno, std::generic_category());
  if (error) return Failure{fmt::format("{}: nothing can be written there ({})", folder.string(), error.message())};
  return std::nullopt;
}

constexpr mode_t kForAll = 0666;  // as far as the process's mask lets them
constexpr mode_t kForOwner = 0600;

// Never writes into an existing file, which may be somebody else's, nor through a link: it only replaces it.
int write_secret(const fs::path& file, const std::string& content) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(file, error).type();
  if (type != fs::file_type::regular && type != fs::file_type::symlink && type != fs::file_type::not_found)
    return EEXIST;
  return replace(file, content, kForOwner).trouble;
}

std::optional<Failure> failure_of(const fs::path& file, int trouble) {
  if (trouble == 0) return std::nullopt;
  return Failure{fmt::format("{}: the file cannot be written ({})", file.string(), std::strerror(trouble))};
}

void make_folder_of(const fs::path& file) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
}

}  // namespace

Installation this_installation() {
  std::error_code error;
  return find_installation(fs::read_symlink("/proc/self/exe", error));
}

Expected<Workplace> open_workplace(const Installation& installation, BackendChoice choice, Confinement confinement,
                                   ToolchainChoice toolchain) {
  std::error_code error;
  if (!fs::exists(installation.worker, error))
    return Failure{fmt::format("{} is missing; build the target lanewise-worker", installation.worker.string())};
  if (auto failure = make_writable_folder(installation.cache))
    return Failure{failure->sentence + "; LANEWISE_CACHE may name another folder for builds and verdicts"};
  const bool is_clang = toolchain == ToolchainChoice::kClang;
  const bool is_both = choice == BackendChoice::kBoth;
  if (is_clang && (is_both || choice == BackendChoice::kGpu))
    return Failure{"what clang compiles runs on the virtual GPU alone: use --backend vgpu, or --toolchain nvcc"};
  auto backend = choose_backend(is_clang ? BackendChoice::kVgpu : choice, installation);
  if (!backend) return backend.failure();
  auto builder = Builder::create(installation, std::move(confinement),
                                 backend->is_virtual() && !is_both ? toolchain : ToolchainChoice::kNvcc);
  if (!builder) return builder.failure();
  backend->serve(builder->toolchain().runtime());
  Workplace workplace{installation, std::move(*builder), std::move(*backend)};
  if (is_both) {
    auto gpu = choose_backend(BackendChoice::kGpu, installation);
    if (!gpu) return gpu.failure();
    workplace.timed_on = std::move(*gpu);
  }
  return workplace;
}

const std::vector<std::pair<std::string, BackendChoice>>& backend_choices() {
  static const std::vector<std::pair<std::string, BackendChoice>> kChoices = {
      {"auto", BackendChoice::kAuto}, {"gpu", BackendChoice::kGpu}, {"vgpu", BackendChoice::kVgpu}};
  return kChoices;
}

const std::vector<std::pair<std::string, BackendChoice>>& class_backend_choices() {
  static const auto kChoices = [] {
    auto choices = backend_choices();
    choices.emplace_back("both", BackendChoice::kBoth);
    return choices;
  }();
  return kChoices;
}

std::optional<Failure> write_report(const fs::path& file, const std::string& content) {
  make_folder_of(file);
  return failure_of(file, may_be_replaced(file) ? replace_or_overwrite(behind_links(file), content, kForAll)
                                                : write_in_place(file, content, kForAll));
}

std::optional<Failure> write_private(const fs::path& file, const std::string& content) {
  make_folder_of(file);
  return failure_of(file, write_secret(file, content));
}

std::string shown_path(const fs::path& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path shown = error ? path : fs::proximate(path, here, error);
  return safe_line((error ? path : shown).string());
}

}  // namespace lanewise
