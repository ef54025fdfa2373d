#include "harness/vgpu/link/remote_process.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include "harness/vgpu/link/requests.h"
#include "harness/vgpu/link/sealed_file.h"
#include "harness/vgpu/machine/page_size.h"

namespace vgpu::link {
namespace {

constexpr std::uint64_t kAddresses = std::uint64_t{1} << 48;  // more than a program can have

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

Writer written(const RangeRequest& request) {
  Writer writer;
  writer.put(request);
  return writer;
}

}  // namespace

RemoteProcess::RemoteProcess(int socket, int owner, std::function<bool(const Packet&)> serve_call)
    : socket_(socket),
      owner_(owner),
      serve_call_(std::move(serve_call)),
      staging_file_(sealed_file("vgpu-staging", kStagingBytes)) {
  if (staging_file_ == -1) return;
  void* const mapped = mmap(nullptr, kStagingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, staging_file_, 0);
  if (mapped != MAP_FAILED) {
    staging_ = static_cast<std::byte*>(mapped);
  } else {
    ::close(staging_file_);
    staging_file_ = -1;
  }
}

RemoteProcess::~RemoteProcess() {
  for (const auto& [begin, mapped] : mapped_) munmap(mapped.at, mapped.bytes);
  if (staging_ != nullptr) munmap(staging_, kStagingBytes);
  for (const int file : {staging_file_, shared_pages_, socket_})
    if (file != -1) ::close(file);
}

void RemoteProcess::lose() {
  is_lost_ = true;
  shutdown(socket_, SHUT_RDWR);
}

bool RemoteProcess::send(Kind kind, const Writer& request, int file) {
  if (!is_lost_ && waiting_ != 0 && send_packet(socket_, {kind}, request, file)) return true;
  if (waiting_ != 0) lose();
  return false;
}

bool RemoteProcess::is_heard() const {
  pollfd wanted[] = {{socket_, POLLIN, 0}, {owner_, POLLIN, 0}};
  int ready = 0;
  do ready = poll(wanted, 2, -1);
  while (ready < 0 && errno == EINTR);
  return ready > 0 && wanted[0].revents != 0;
}

int RemoteProcess::ask(Kind kind, const Writer& request, int file) {
  if (!send(kind, request, file)) return EPIPE;
  Packet packet;
  while (is_heard() && receive_packet(socket_, packet)) {
    if (packet.descriptor != -1) ::close(packet.descriptor);  // a program has none to give
    if (packet.header.kind == Kind::kAnswer) {
      Reader answer = packet.reader();
      const auto error = answer.get<int>();
      if (answer.is_whole()) return error;
      break;
    }
    const bool may_call = kind == Kind::kHostFunction || kind == Kind::kCallback;
    if (packet.header.kind != Kind::kCall || !may_call || !serve_call_(packet)) break;
  }
  lose();
  return EPIPE;
}

template <class Move>
void RemoteProcess::in_pieces(std::uint64_t address, const cudart::RowShape& shape, Move move) {
  if (shape.width == 0 || staging_ == nullptr) return;
  const std::size_t rows_at_once = std::max<std::size_t>(kStagingBytes / shape.width, 1);
  const std::size_t width_at_once = std::min(shape.width, kStagingBytes);
  for (std::size_t row = 0; row < shape.height; row += rows_at_once)
    for (std::size_t x = 0; x < shape.width; x += width_at_once) {
      const RowsRequest piece{address + row * shape.pitch + x, shape.pitch, std::min(width_at_once, shape.width - x),
                              std::min(rows_at_once, shape.height - row)};
      if (is_lost_) return;
      move(piece, row, x);
    }
}

void RemoteProcess::read(std::byte* to, std::size_t to_pitch, const void* from, const cudart::RowShape& shape) {
  in_pieces(address_of(from), shape, [&](const RowsRequest& piece, std::size_t row, std::size_t x) {
    Writer request;
    request.put(piece);
    if (ask(Kind::kRead, request) != 0) return;
    for (std::size_t i = 0; i < piece.height; ++i)
      std::memcpy(to + (row + i) * to_pitch + x, staging_ + i * piece.width, piece.width);
  });
}

void RemoteProcess::write(void* to, const std::byte* from, std::size_t from_pitch, const cudart::RowShape& shape) {
  in_pieces(address_of(to), shape, [&](const RowsRequest& piece, std::size_t row, std::size_t x) {
    for (std::size_t i = 0; i < piece.height; ++i)
      std::memcpy(staging_ + i * piece.width, from + (row + i) * from_pitch + x, piece.width);
    Writer request;
    request.put(piece);
    ask(Kind::kWrite, request);
  });
}

std::byte* RemoteProcess::share(void* begin, std::size_t bytes) {
  const std::uint64_t first = address_of(begin) / page_bytes() * page_bytes();
  if (address_of(begin) >= kAddresses || bytes > kAddresses - address_of(begin) || mapped_.count(begin) != 0)
    return nullptr;
  if (shared_pages_ == -1) shared_pages_ = sealed_file("vgpu-registered-memory", kAddresses);
  if (shared_pages_ == -1) return nullptr;
  const std::size_t length = address_of(begin) + bytes - first;
  void* const mapped =
      mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, shared_pages_, static_cast<off_t>(first));
  if (mapped == MAP_FAILED) return nullptr;
  if (ask(Kind::kShare, written({address_of(begin), bytes, 0}), shared_pages_) != 0) {
    munmap(mapped, length);
    return nullptr;
  }
  mapped_[begin] = {static_cast<std::byte*>(mapped), length};
  return static_cast<std::byte*>(mapped) + (address_of(begin) - first);
}

void RemoteProcess::unshare(void* begin) {
  const auto found = mapped_.find(begin);
  if (found == mapped_.end()) return;
  send(Kind::kUnshare, written({address_of(begin), 0, 0}));
  munmap(found->second.at, found->second.bytes);
  mapped_.erase(found);
}

void RemoteProcess::make_call(cudaHostFn_t function, void* data) {
  Writer request;
  request.put(HostFunctionRequest{function, data});
  if (ask(Kind::kHostFunction, request) == ECANCELED) throw std::runtime_error("a host function threw");
}

void RemoteProcess::make_call(cudaStreamCallback_t function, cudaStream_t stream, cudaError_t status, void* data) {
  Writer request;
  request.put(CallbackRequest{function, stream, status, data});
  if (ask(Kind::kCallback, request) == ECANCELED) throw std::runtime_error("a callback threw");
}

void RemoteProcess::print(Kind kind, const std::string& text) {
  for (std::size_t at = 0; at < text.size(); at += kMostBytes) {
    Writer request;
    request.put_bytes(text.data() + at, std::min(text.size() - at, kMostBytes));
    send(kind, request);
  }
}
void RemoteProcess::print(const std::string& text) { print(Kind::kPrint, text); }
void RemoteProcess::print_error(const std::string& text) { print(Kind::kPrintError, text); }
void RemoteProcess::flush() { send(Kind::kFlush, {}); }

bool RemoteProcess::close_all(std::uint64_t base, std::uint64_t bytes) {
  errno = ask(Kind::kCloseAll, written({base, bytes, 0}));
  return errno == 0;
}
void RemoteProcess::forget(std::uint64_t base, std::uint64_t bytes) { send(Kind::kForget, written({base, bytes, 0})); }
bool RemoteProcess::open(std::uint64_t address, std::uint64_t bytes, int file, std::uint64_t offset) {
  errno = ask(Kind::kOpen, written({address, bytes, offset}), file);
  return errno == 0;
}
void RemoteProcess::close(std::uint64_t address, std::uint64_t bytes) {
  send(Kind::kClose, written({address, bytes, 0}));
}

}  // namespace vgpu::link
