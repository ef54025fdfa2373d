#include "harness/vgpu/link/server.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "harness/vgpu/link/requests.h"

namespace vgpu::link {
namespace {

/// More than any program has; a hostile one gets no further.
constexpr std::size_t kMostThreads = 4096;
constexpr int kDeepestCall = 16;

/// Who owns the devices tells them what to watch, and hears what they saw.
bool is_extension(Call call) { return call >= Call::vgpuNameAllocation && call <= Call::vgpuDescribePointer; }

}  // namespace

Connection::Connection(int socket, bool has_extensions)
    : socket_(socket),
      has_extensions_(has_extensions),
      process_(socket, [this](const Packet& packet) { return serve(packet); }) {}

Connection::Connection(int socket, Connection& program) : Connection(socket, true) {
  process_.set_view(program.process_);
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
  return packet.header.kind == Kind::kCall && serve(packet) && !process_.is_lost();
}

bool Connection::serve(const Packet& packet) {
  Reader from = packet.reader();
  Writer to;
  const auto call = static_cast<Call>(packet.header.call);
  if (call == Call::kHello) {
    if (from.get<std::uint32_t>() != kVersion || process_.staging_file() == -1) return false;
    return send_packet(socket_, {Kind::kReply}, to, process_.staging_file());
  }
  if (packet.header.call >= static_cast<std::uint16_t>(Call::kCount) || (is_extension(call) && !has_extensions_))
    return false;
  cudart::ThreadState* const own = thread(packet.header.thread);
  if (own == nullptr || process_.waiting() >= kDeepestCall) return false;

  const RemoteProcess::Waiting waiting(process_);
  cudart::HostProcess& process_before = cudart::host_process();
  cudart::ThreadState* const thread_before = cudart::acts_for_thread();
  cudart::set_host_process(process_);
  cudart::act_for(own);
  const bool is_whole = serve_function(call)(*this, from, to);
  cudart::act_for(thread_before);
  cudart::set_host_process(process_before);
  return is_whole && send_packet(socket_, {Kind::kReply}, to);
}

void serve(int program, int owner) {
  Connection of_program(program, owner == -1);
  std::unique_ptr<Connection> of_owner;
  if (owner != -1) of_owner = std::make_unique<Connection>(owner, of_program);
  bool has_program = true;
  while (has_program || of_owner) {
    pollfd wanted[] = {{has_program ? program : -1, POLLIN, 0}, {of_owner ? owner : -1, POLLIN, 0}};
    if (poll(wanted, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    // The owner first: what the program says meanwhile has time.
    if (wanted[1].revents != 0) {
      if (!of_owner->serve_one()) return;
      continue;
    }
    if (wanted[0].revents != 0 && !of_program.serve_one()) {
      has_program = false;
      of_program.process().lose();
    }
  }
}

}  // namespace vgpu::link
