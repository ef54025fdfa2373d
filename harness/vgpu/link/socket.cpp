#include "harness/vgpu/link/socket.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace vgpu::link {

bool send_packet(int socket, const Header& header, const void* bytes, int descriptor) {
  if (header.bytes > kMostBytes) return false;
  iovec parts[2] = {{const_cast<Header*>(&header), sizeof header}, {const_cast<void*>(bytes), header.bytes}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = header.bytes != 0 ? 2 : 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  }
  ssize_t sent = 0;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof header + header.bytes);
}

bool receive_packet(int socket, Packet& packet) {
  iovec parts[2] = {{&packet.header, sizeof packet.header}, {packet.bytes.data(), packet.bytes.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))] = {};
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t received = 0;
  do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);

  packet.descriptor = -1;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof descriptor, sizeof descriptor);
      if (packet.descriptor == -1)
        packet.descriptor = descriptor;
      else
        close(descriptor);  // more than anybody asked for
    }
  }
  const bool is_whole = received >= static_cast<ssize_t>(sizeof packet.header) &&
                        (message.msg_flags & MSG_TRUNC) == 0 &&
                        packet.header.bytes == static_cast<std::size_t>(received) - sizeof packet.header;
  if (is_whole) return true;
  if (packet.descriptor != -1) close(packet.descriptor);
  packet.descriptor = -1;
  return false;
}

}  // namespace vgpu::link
