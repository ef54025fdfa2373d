#include "harness/runner/session/gpu_memory.h"

#include <fmt/format.h>
#include <poll.h>

#include <cerrno>
#include <cstring>

#include "harness/runner/session/backend.h"

namespace lanewise {

using std::chrono::milliseconds;

Expected<std::shared_ptr<GpuMemory>> GpuMemory::start(const std::filesystem::path& worker,
                                                      const std::filesystem::path& runtime) {
  Descriptor ours, theirs;
  if (!make_channel(ours, theirs))
    return Failure{fmt::format("no channel to the GPU's memory could be created ({})", std::strerror(errno))};
  fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  ProcessOptions options;
  options.command = {worker.string(), "--channel",      std::to_string(Process::kChannelNumber),
                     "--runtime",     runtime.string(), "--owner"};
  options.environment = gpu_environment();
  auto process = Process::start(options, &theirs);
  if (!process) return process.failure();
  return std::shared_ptr<GpuMemory>(new GpuMemory(std::move(*process), std::move(ours)));
}

template <class Message>
bool GpuMemory::expect(Message& message, milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  Received received = receive_packet(socket_.get(), packet_);
  while (received == Received::kNothingYet && Clock::now() < deadline) {
    pollfd wanted = {socket_.get(), POLLIN, 0};
    poll(&wanted, 1, milliseconds_until(deadline));
    received = receive_packet(socket_.get(), packet_);
  }
  protocol::Failed failed;
  if (received == Received::kPacket && read_message(packet_, message)) return true;
  const bool is_said = received == Received::kPacket && read_message(packet_, failed);
  trouble_ = is_said ? protocol::text_of(failed.sentence)
                     : "the process that holds the GPU's memory has ended, or does not answer";
  process_.end();
  return false;
}

bool GpuMemory::is_ready() {
  protocol::Owner owner;
  if (!is_ready_) is_ready_ = expect(owner, kStartLimit) && owner.can_share != 0;
  return *is_ready_;
}

bool GpuMemory::place(CaseLayout& layout, milliseconds limit) {
  send_message(socket_.get(), layout.message(), layout.descriptor());  // one that is gone shows in the wait
  protocol::Placed placed;
  if (!expect(placed, limit)) return false;
  if (packet_.descriptor != -1) {
    block_.reset(std::exchange(packet_.descriptor, -1));
    ++block_number_;
  }
  layout.set_shared();
  layout.set_block(placed.block_bytes, placed.offsets);
  return true;
}

bool GpuMemory::fetch(InputCheck inputs, milliseconds limit) {
  auto fetch = protocol::make_message<protocol::Fetch>();
  fetch.outputs_only = inputs == InputCheck::kLeftOut;
  send_message(socket_.get(), fetch);
  protocol::Fetched fetched;
  if (!expect(fetched, limit)) return false;
  settling_seconds_ = fetched.settling_seconds;
  if (fetched.has_arrays == 0) trouble_ = "the GPU's memory cannot be read";
  return fetched.has_arrays != 0;
}

}  // namespace lanewise
