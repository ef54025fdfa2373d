// Stands in for lanewise-device: agrees to everything, and has found more than fits into staging memory.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "harness/vgpu/link/owner.h"

using namespace vgpu::link;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int owner = std::atoi(argv[2]);
  const int staging = memfd_create("staging", 0);
  if (ftruncate(staging, kStagingBytes) != 0) return 3;
  for (Packet packet; receive_packet(owner, packet);) {
    const auto call = static_cast<OwnerCall>(packet.header.call);
    Writer reply;
    reply.put(0);
    reply.put(std::uint64_t{call == OwnerCall::kFindings ? kStagingBytes + 1 : 0});
    if (!send_packet(owner, {Kind::kReply}, reply, call == OwnerCall::kHello ? staging : -1)) return 1;
  }
  return 0;
}
