// Packets arrive whole, with their descriptor, or are refused.
#include "harness/worker/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace lanewise {
namespace {

class ChannelTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_), 0); }
  void TearDown() override {
    for (const int end : ends_)
      if (end != -1) close(end);
  }
  int ends_[2] = {-1, -1};
  Packet packet_;
};

TEST_F(ChannelTest, MessageArrivesAsItWasSent) {
  auto sent = protocol::make_message<protocol::Loaded>();
  sent.is_defined = 1;
  ASSERT_TRUE(send_message(ends_[0], sent));
  ASSERT_EQ(receive_packet(ends_[1], packet_), Received::kPacket);
  protocol::Loaded received;
  ASSERT_TRUE(read_message(packet_, received));
  EXPECT_EQ(received.is_defined, 1);
  EXPECT_EQ(received.is_empty, 0);
}

TEST_F(ChannelTest, DescriptorArrivesUsable) {
  int pipe_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  ASSERT_TRUE(send_message(ends_[0], protocol::make_message<protocol::Go>(), pipe_ends[1]));
  ASSERT_EQ(receive_packet(ends_[1], packet_), Received::kPacket);
  ASSERT_NE(packet_.descriptor, -1);
  ASSERT_EQ(write(packet_.descriptor, "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  close(packet_.descriptor);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST_F(ChannelTest, MessageOfAnotherKindVersionOrSizeIsRefused) {
  const auto arrives_as_go = [this](const void* data, std::size_t size) {
    EXPECT_TRUE(send_bytes(ends_[0], data, size));
    EXPECT_EQ(receive_packet(ends_[1], packet_), Received::kPacket);
    protocol::Go go;
    return read_message(packet_, go);
  };
  auto go = protocol::make_message<protocol::Go>();
  EXPECT_TRUE(arrives_as_go(&go, sizeof(go)));
  EXPECT_FALSE(arrives_as_go(&go, sizeof(go) - 1));
  const auto fetch = protocol::make_message<protocol::Fetch>();
  EXPECT_FALSE(arrives_as_go(&fetch, sizeof(fetch)));
  go.header.version = protocol::kVersion + 1;
  EXPECT_FALSE(arrives_as_go(&go, sizeof(go)));
  go = protocol::make_message<protocol::Go>();
  go.header.magic ^= 1;
  EXPECT_FALSE(arrives_as_go(&go, sizeof(go)));
}

TEST_F(ChannelTest, PacketLongerThanAnyMessageIsBroken) {
  const std::vector<char> flood(protocol::kLargestMessage + 1, 'x');
  ASSERT_TRUE(send_bytes(ends_[0], flood.data(), flood.size()));
  EXPECT_EQ(receive_packet(ends_[1], packet_), Received::kBroken);
}

TEST_F(ChannelTest, ClosedEndIsSeenOnBothSides) {
  close(ends_[0]);
  ends_[0] = -1;
  EXPECT_EQ(receive_packet(ends_[1], packet_), Received::kClosed);
  EXPECT_FALSE(send_message(ends_[1], protocol::make_message<protocol::Go>()));
}

TEST_F(ChannelTest, NonBlockingSocketSaysNothingYet) {
  ASSERT_EQ(fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0);
  EXPECT_EQ(receive_packet(ends_[1], packet_), Received::kNothingYet);
}

TEST(Protocol, TextsAreCutAtTheFieldsEnd) {
  char field[8];
  protocol::set_text(field, "exactly!");
  EXPECT_EQ(protocol::text_of(field), "exactly");
  std::memset(field, 'x', sizeof(field));  // a hostile peer leaves the terminator out
  EXPECT_EQ(protocol::text_of(field), "xxxxxxxx");
}

}  // namespace
}  // namespace lanewise
