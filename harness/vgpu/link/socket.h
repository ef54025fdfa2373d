// Packets over one end of a socket pair.
#pragma once

#include "harness/vgpu/link/wire.h"

namespace vgpu::link {

/// A packet as it came, with the descriptor that came along, -1 if none did. Whoever takes the descriptor closes it.
struct Packet {
  Header header;
  std::vector<std::byte> bytes = std::vector<std::byte>(kMostBytes);
  int descriptor = -1;

  Reader reader() const { return {bytes.data(), header.bytes}; }
};

/// Waits until it is sent. False if the other end is gone, or the packet too long.
bool send_packet(int socket, const Header& header, const void* bytes, int descriptor = -1);
inline bool send_packet(int socket, Header header, const Writer& writer, int descriptor = -1) {
  header.bytes = static_cast<std::uint32_t>(writer.bytes().size());
  return send_packet(socket, header, writer.bytes().data(), descriptor);
}

/// Waits for the next packet. False if the other end is gone, or sent what is no packet.
bool receive_packet(int socket, Packet& packet);

}  // namespace vgpu::link
