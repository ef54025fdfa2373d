#include "harness/vgpu/link/program.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include <new>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "harness/vgpu/link/host_call.h"
#include "harness/vgpu/link/requests.h"
#include "harness/vgpu/machine/host_view.h"

namespace vgpu::link {
namespace {

struct OwnedDescriptor {
  int number;
  ~OwnedDescriptor() {
    if (number != -1) close(number);
  }
};

}  // namespace

Program::~Program() {
  if (staging_ != nullptr) munmap(staging_, kStagingBytes);
  close(socket_);
}

void Program::leave_to_parent() {
  if (socket_ != -1) close(socket_);
  socket_ = -1;
  if (staging_ != nullptr) munmap(staging_, kStagingBytes);
  staging_ = nullptr;
  greeted_ = false;
  new (&mutex_) std::recursive_mutex;  // a thread of the parent owns the old one, even this one: its number is new
  if (is_free_) return;
  depth_ = 0;
  is_used_ = true;  // another thread was in the middle of a call: what is known of the code may be half written
}

bool Program::say_hello(Packet& packet) {
  Header header{Kind::kCall};
  header.call = static_cast<std::uint16_t>(Call::kHello);
  Writer hello;
  hello.put(kVersion);
  if (!send_packet(socket_, header, hello) || !receive_packet(socket_, packet)) return false;
  const OwnedDescriptor file{packet.descriptor};
  if (packet.header.kind != Kind::kReply || file.number == -1) return false;
  void* const mapped = mmap(nullptr, kStagingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0);
  if (mapped == MAP_FAILED) return false;
  staging_ = static_cast<std::byte*>(mapped);
  greeted_ = true;
  return true;
}

/// Of code that is unloaded again there is nothing left to read.
bool Program::is_start_up(Call number) {
  return number == Call::__cudaRegisterFatBinary || number == Call::__cudaRegisterFunction ||
         number == Call::__cudaRegisterVar || number == Call::__cudaRegisterManagedVar ||
         number == Call::__cudaRegisterFatBinaryEnd || number == Call::__cudaInitModule;
}

/// A forked child that has no devices yet needs none for that.
bool Program::ends_program(Call number) { return number == Call::__cudaUnregisterFatBinary || number == Call::kEnd; }

bool Program::start_anew(Packet& packet) {
  if (is_used_ || !start_) return false;
  socket_ = start_();
  const auto start_up = std::exchange(start_up_, {});
  if (socket_ == -1) {
    is_used_ = true;  // it is not tried again
    return false;
  }
  for (const auto& [number, bytes] : start_up) {
    Writer arguments;
    arguments.put_bytes(bytes.data(), bytes.size());
    if (!exchange(number, arguments, packet)) return false;
  }
  return true;
}

bool Program::exchange(Call number, const Writer& arguments, Packet& packet) {
  if (socket_ == -1 && (ends_program(number) || !start_anew(packet))) return false;
  if (!is_start_up(number)) {
    is_used_ = true;
    start_up_ = {};
  } else if (!is_used_) {
    start_up_.emplace_back(number, arguments.bytes());
  }
  if (!greeted_ && !say_hello(packet)) return false;
  Header header{Kind::kCall};
  header.call = static_cast<std::uint16_t>(number);
  header.thread = static_cast<std::uint64_t>(pthread_self());
  header.site = reinterpret_cast<std::uintptr_t>(HostCall::current());
  if (!send_packet(socket_, header, arguments)) return false;
  while (receive_packet(socket_, packet)) {
    if (packet.header.kind == Kind::kReply) return true;
    const OwnedDescriptor file{packet.descriptor};
    if (!answer(packet)) return false;
  }
  return false;
}

bool Program::answer(const Writer& result) { return send_packet(socket_, {Kind::kAnswer}, result); }

bool Program::answer_error(int error) {
  Writer result;
  result.put(error);
  return answer(result);
}

bool Program::answer(const Packet& request) {
  Reader from = request.reader();
  const Kind kind = request.header.kind;
  if (kind == Kind::kWrite || kind == Kind::kShare || kind == Kind::kCloseAll || kind == Kind::kOpen) is_used_ = true;
  const auto done = [&](bool is_done) { return answer_error(is_done ? 0 : errno); };
  switch (request.header.kind) {
    case Kind::kRead:
    case Kind::kWrite: {
      const auto rows = from.get<RowsRequest>();
      auto* at = reinterpret_cast<std::byte*>(rows.address);
      std::byte* staged = staging_;
      for (std::uint64_t row = 0; row < rows.height; ++row, at += rows.pitch, staged += rows.width)
        if (request.header.kind == Kind::kRead)
          std::memcpy(staged, at, rows.width);
        else
          std::memcpy(at, staged, rows.width);
      return answer_error(0);
    }
    case Kind::kShare: {
      const auto range = from.get<RangeRequest>();
      return done(shared_.share(range.address, range.bytes, request.descriptor));
    }
    case Kind::kUnshare:
      shared_.unshare(from.get<RangeRequest>().address);
      return true;
    case Kind::kHostFunction: {
      const auto wanted = from.get<HostFunctionRequest>();
      if (wanted.function == nullptr) return false;
      const HostCall::Interlude makes_calls_of_its_own;
      try {
        wanted.function(wanted.data);
      } catch (...) {
        return answer_error(ECANCELED);
      }
      return answer_error(0);
    }
    case Kind::kCallback: {
      const auto wanted = from.get<CallbackRequest>();
      if (wanted.function == nullptr) return false;
      const HostCall::Interlude makes_calls_of_its_own;
      try {
        wanted.function(wanted.stream, wanted.status, wanted.data);
      } catch (...) {
        return answer_error(ECANCELED);
      }
      return answer_error(0);
    }
    case Kind::kPrint:
    case Kind::kPrintError:
      std::fwrite(from.rest(), 1, from.left(), request.header.kind == Kind::kPrint ? stdout : stderr);
      return true;
    case Kind::kFlush:
      std::fflush(stdout);
      return true;
    case Kind::kCloseAll: {
      const auto range = from.get<RangeRequest>();
      return done(HostView::own().close_all(range.address, range.bytes));
    }
    case Kind::kForget: {
      const auto range = from.get<RangeRequest>();
      HostView::own().forget(range.address, range.bytes);
      return true;
    }
    case Kind::kOpen: {
      const auto range = from.get<RangeRequest>();
      return done(HostView::own().open(range.address, range.bytes, request.descriptor, range.offset));
    }
    case Kind::kClose: {
      const auto range = from.get<RangeRequest>();
      HostView::own().close(range.address, range.bytes);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace vgpu::link
