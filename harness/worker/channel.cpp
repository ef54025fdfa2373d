// sendmsg and recvmsg on a SOCK_SEQPACKET socket, with at most one descriptor a packet.
#include "harness/worker/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace lanewise {
namespace {

// Room for more descriptors than are ever sent: those that a hostile peer adds must arrive to be closed.
constexpr std::size_t kMostDescriptors = 8;

}  // namespace

Received receive_packet(int socket, Packet& packet, Waiting waiting) {
  packet.size = 0;
  packet.descriptor = -1;
  iovec data{packet.bytes.data(), packet.bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostDescriptors)];
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  const int flags = MSG_CMSG_CLOEXEC | (waiting == Waiting::kNever ? MSG_DONTWAIT : 0);
  ssize_t received = 0;
  do received = recvmsg(socket, &header, flags);
  while (received < 0 && errno == EINTR);
  if (received < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Received::kNothingYet : Received::kBroken;

  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      if (packet.descriptor == -1)
        packet.descriptor = descriptor;
      else
        close(descriptor);
    }
  }
  if (received == 0) return Received::kClosed;
  if ((header.msg_flags & MSG_TRUNC) != 0) return Received::kBroken;
  packet.size = static_cast<std::size_t>(received);
  return Received::kPacket;
}

bool send_bytes(int socket, const void* data, std::size_t size, int descriptor) {
  iovec part{const_cast<void*>(data), size};  // NOLINT(cppcoreguidelines-pro-type-const-cast): sendmsg only reads it
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (descriptor != -1) {
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof(int));
  }
  ssize_t sent = 0;
  do sent = sendmsg(socket, &header, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(size);
}

}  // namespace lanewise
