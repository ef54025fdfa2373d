#include "harness/vgpu/cudart/interprocess.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "harness/vgpu/cudart/device_set.h"
#include "harness/vgpu/cudart/interruption.h"
#include "harness/vgpu/cudart/runtime.h"
#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/machine/page_size.h"

namespace vgpu::cudart {
namespace {

/// What the program carries from one process to the other.
struct Handle {
  char magic[8];
  std::int32_t process, file;
  std::uint64_t id[2];
  char unused[32];
};
static_assert(sizeof(Handle) == CUDA_IPC_HANDLE_SIZE, "a handle is as long as CUDA's");
constexpr char kMagic[8] = {'l', 'a', 'n', 'e', 'w', 'i', 's', 'e'};

/// A file that cannot become shorter under the machine's hands.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

/// A GPU gives each process about two milliseconds.
constexpr std::chrono::microseconds kTurn(2000), kTurnOfWaiting(100), kBetweenTurns(200), kBetweenLooks(50);

/// With the default budget. The process that it waits for may be busy in host code, or have ended.
constexpr std::chrono::microseconds kLongestWait = std::chrono::minutes(1);

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::microseconds(1); }

/// The label of a file whose size and seals are as they must be.
bool read_label(int file, SharedLabel& label) {
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < off_t{sizeof label}) return false;
  if ((fcntl(file, F_GET_SEALS) & kSeals) != kSeals) return false;
  const auto pages = static_cast<std::uint64_t>(status.st_size) - sizeof label;
  if (pread(file, &label, sizeof label, static_cast<off_t>(pages)) != ssize_t{sizeof label}) return false;
  if (label.kind == SharedLabel::Kind::kEvent) return pages == 0;
  return label.begin < page_bytes() && label.bytes != 0 && label.bytes <= pages &&
         AddressSpace::bytes_of_pages(label.begin, label.bytes) == pages;
}

}  // namespace

SharedFile::~SharedFile() {
  if (file_ != -1) ::close(file_);
}

std::optional<SharedFile> SharedFile::make(SharedLabel label, std::uint64_t pages) {
  if (getrandom(label.id, sizeof label.id, 0) != ssize_t{sizeof label.id}) return std::nullopt;
  SharedFile made(memfd_create("vgpu-interprocess", MFD_CLOEXEC | MFD_ALLOW_SEALING), label);
  const auto end = static_cast<off_t>(pages);
  if (made.file_ == -1 || ftruncate(made.file_, end + off_t{sizeof label}) != 0 ||
      pwrite(made.file_, &label, sizeof label, end) != ssize_t{sizeof label} ||
      fcntl(made.file_, F_ADD_SEALS, kSeals) != 0)
    return std::nullopt;
  return made;
}

std::optional<SharedFile> SharedFile::open(const char (&handle)[CUDA_IPC_HANDLE_SIZE], SharedLabel::Kind kind,
                                           cudaError_t& error) {
  Handle named{};
  std::memcpy(&named, handle, sizeof named);
  error = cudaErrorInvalidValue;
  if (std::memcmp(named.magic, kMagic, sizeof kMagic) != 0) return std::nullopt;
  const std::string path = "/proc/" + std::to_string(named.process) + "/fd/" + std::to_string(named.file);
  struct stat status {};  // opening anything but a regular file might block or have effects
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  SharedFile opened(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), {});
  if (opened.file_ == -1 || !read_label(opened.file_, opened.label_) || opened.label_.kind != kind ||
      std::memcmp(opened.label_.id, named.id, sizeof named.id) != 0)
    return std::nullopt;
  error = named.process == getpid() ? cudaErrorDeviceUninitialized : cudaSuccess;
  if (error != cudaSuccess) return std::nullopt;
  return opened;
}

void SharedFile::write_handle(char (&handle)[CUDA_IPC_HANDLE_SIZE]) const {
  Handle named{};
  std::memcpy(named.magic, kMagic, sizeof kMagic);
  named.process = getpid();
  named.file = file_;
  std::memcpy(named.id, label_.id, sizeof named.id);
  std::memcpy(handle, &named, sizeof named);
}

KernelTurn::KernelTurn(const DeviceSet& devices, std::uint64_t budget)
    : longest_wait_(static_cast<std::int64_t>(static_cast<double>(kLongestWait.count()) * static_cast<double>(budget) /
                                              static_cast<double>(kDefaultBudget))) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> in_order;
  for (const DeviceState* const device : devices.all_made()) {
    for (const auto& [address, file] : device->shared.exported) in_order[file.id()] = file.file();
    for (const auto& [address, opened] : device->shared.opened) in_order[opened.file.id()] = opened.file.file();
  }
  for (const auto& [id, file] : in_order) files_.push_back(file);
  if (is_shared()) begin();
  waits_since_ = began_;
}

KernelTurn::~KernelTurn() {
  if (is_shared()) end();
}

/// A process that ends gives its locks back. One that is interrupted does not wait for others any more.
bool KernelTurn::begin() {
  bool is_another = false;
  for (const int file : files_)
    while (flock(file, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR) && !*interruption()) {
      is_another = true;
      std::this_thread::sleep_for(kBetweenLooks);
    }
  began_ = now();
  return is_another;
}

void KernelTurn::end() {
  for (const int file : files_) flock(file, LOCK_UN);
}

bool KernelTurn::yield(bool waits) {
  if (!waits) waits_since_ = now();
  if (now() - began_ < (waits ? kTurnOfWaiting : kTurn).count()) return false;
  end();
  std::this_thread::sleep_for(kBetweenTurns);
  if (begin()) waits_since_ = began_;
  return began_ - waits_since_ > longest_wait_;
}

}  // namespace vgpu::cudart
