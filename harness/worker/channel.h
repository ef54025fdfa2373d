// One end of the socket between runner and worker: packets in, packets out, with a descriptor alongside where needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "harness/worker/protocol.h"

namespace lanewise {

/// A packet as it came, not yet checked.
struct Packet {
  alignas(8) std::array<std::byte, protocol::kLargestMessage> bytes;
  std::size_t size = 0;
  int descriptor = -1;  ///< that came with it, owned by whoever received the packet
};

enum class Received { kPacket, kNothingYet, kClosed, kBroken };

enum class Waiting { kAllowed, kNever };

/// Receives one packet; waits for it unless that is not allowed or the socket is non-blocking. kBroken: the socket
/// fails, or a packet was longer than any message. Descriptors beyond the first are closed.
Received receive_packet(int socket, Packet& packet, Waiting waiting = Waiting::kAllowed);

/// Sends `size` bytes as one packet, with `descriptor` if it is not -1. False when the other end is gone.
bool send_bytes(int socket, const void* data, std::size_t size, int descriptor = -1);

template <class Message>
bool send_message(int socket, const Message& message, int descriptor = -1) {
  return send_bytes(socket, &message, sizeof(message), descriptor);
}

/// Reads the packet as a Message; false unless magic, version, kind and size are exactly right.
template <class Message>
bool read_message(const Packet& packet, Message& message) {
  if (packet.size != sizeof(Message)) return false;
  std::memcpy(static_cast<void*>(&message), packet.bytes.data(), sizeof(message));
  const protocol::Header& header = message.header;
  return header.magic == protocol::kMagic && header.version == protocol::kVersion && header.kind == Message::kKind;
}

}  // namespace lanewise
