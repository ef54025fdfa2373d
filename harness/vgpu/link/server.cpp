#include "harness/vgpu/link/server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "harness/vgpu/cudart/interruption.h"
#include "harness/vgpu/link/owned.h"

namespace vgpu::link {
namespace {

/// More than any program has; a hostile one gets no further.
constexpr std::size_t kMostThreads = 4096;
constexpr int kDeepestCall = 16;
/// A program takes what it is sent at once. One that does not is not waited for.
constexpr timeval kPatience{2, 0};

/// The owner says what to look for, and hears what was found.
bool is_extension(Call call) {
  return (call >= Call::vgpuNameAllocation && call <= Call::vgpuDescribePointer && call != Call::vgpuPinForCopies) ||
         call == Call::vgpuRunLibrary ||  // a graded submission has kernels of its own
         call == Call::vgpuContextInUse || call == Call::vgpuAddressRange || call == Call::vgpuFill ||
         call == Call::vgpuRunPending;
}

/// What a graded submission may not call: it has no code but what was looked at, and nobody to share memory with. Null
/// if it may.
const char* refused_if_graded(Call call) {
  switch (call) {
    case Call::cudaLibraryLoadData:
      return "cudaLibraryLoadData";
    case Call::cudaIpcGetMemHandle:
      return "cudaIpcGetMemHandle";
    case Call::cudaIpcOpenMemHandle:
      return "cudaIpcOpenMemHandle";
    case Call::cudaIpcCloseMemHandle:
      return "cudaIpcCloseMemHandle";
    case Call::cudaIpcGetEventHandle:
      return "cudaIpcGetEventHandle";
    case Call::cudaIpcOpenEventHandle:
      return "cudaIpcOpenEventHandle";
    default:
      return nullptr;
  }
}

}  // namespace

Connection::Connection(int socket, int owner)
    : socket_(socket),
      has_extensions_(owner == -1),
      process_(socket, owner, [this](const Packet& packet) { return serve(packet); }) {
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
}

cudart::ThreadState* Connection::thread(std::uint64_t id) {
  auto& state = threads_[id];
  if (!state && threads_.size() <= kMostThreads) state = std::make_unique<cudart::ThreadState>(id);
  return state.get();
}

bool Connection::serve_one() {
  Packet packet;
  if (!receive_packet(socket_, packet)) return false;
  if (packet.descriptor != -1) close(packet.descriptor);  // nobody asked for one
  return packet.header.kind == Kind::kCall && serve(packet) && !process_.is_gone();
}

bool Connection::serve(const Packet& packet) {
  Reader from = packet.reader();
  Writer to;
  const auto call = static_cast<Call>(packet.header.call);
  if (call == Call::kHello) {
    if (from.get<std::uint32_t>() != kVersion || process_.staging_file() == -1) return false;
    return send_packet(socket_, {Kind::kReply}, to, process_.staging_file());
  }
  if (call == Call::kEnd) {
    if (has_extensions_) cudart::Runtime::get().at_exit();
    return send_packet(socket_, {Kind::kReply}, to);
  }
  if (packet.header.call >= static_cast<std::uint16_t>(Call::kCount) || (is_extension(call) && !has_extensions_))
    return false;
  cudart::ThreadState* const own = thread(packet.header.thread);
  if (own == nullptr || process_.waiting() >= kDeepestCall) return false;
  own->site = packet.header.site;

  // What a function of the program's may not do, but no call refuses.
  if (cudart::HostProcess::is_in_function() && call <= Call::__cudaInitModule && call >= Call::__cudaRegisterFatBinary)
    return false;
  const RemoteProcess::Waiting waiting(process_);
  cudart::HostProcess& process_before = cudart::host_process();
  cudart::ThreadState* const thread_before = cudart::acts_for_thread();
  cudart::set_host_process(process_);
  cudart::act_for(own);
  bool is_whole = true;
  if (const char* const refused = refused_if_graded(call); refused != nullptr && !has_extensions_)
    to.put(vgpuRefuseCall(refused));
  else
    is_whole = serve_function(call)(*this, from, to);
  cudart::act_for(thread_before);
  cudart::set_host_process(process_before);
  return is_whole && send_packet(socket_, {Kind::kReply}, to);
}

void serve(int program) {
  std::thread([program] {
    pollfd left{program, 0, 0};
    while (poll(&left, 1, -1) < 0 && errno == EINTR) {
    }
    cudart::interrupt();  // a kernel may be running for nobody
  }).detach();
  Connection connection(program, -1);
  while (connection.serve_one()) {
  }
  cudart::Runtime::get().program_is_gone();
}

void serve_owned(int owner) {
  Owned owned(owner);
  if (owned.program() == -1) return;
  Connection program(owned.program(), owner);
  bool is_there = true;
  for (;;) {
    pollfd wanted[] = {{owner, POLLIN, 0}, {is_there && !owned.is_frozen() ? program.socket() : -1, POLLIN, 0}};
    if (poll(wanted, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (wanted[0].revents != 0) {
      if (!owned.serve_one(program.process())) return;
    } else if (!program.serve_one()) {
      is_there = false;
      program.process().lose();
    }
  }
}

}  // namespace vgpu::link
