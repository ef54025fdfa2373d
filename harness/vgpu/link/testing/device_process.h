// The process of the devices as its tests start it: a fork of the test, so that sanitizers see what it does.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "harness/vgpu/link/owner.h"
#include "harness/vgpu/link/server.h"

namespace vgpu::link_test {

class DeviceProcess {
 public:
  DeviceProcess() {
    int of_owner[2], of_program[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, of_owner), 0);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, of_program), 0);
    id_ = fork();
    if (id_ == 0) {
      close(of_owner[0]);
      close(of_program[0]);
      close(of_program[1]);
      link::serve_owned(of_owner[1]);
      _exit(0);
    }
    close(of_owner[1]);
    program = of_program[0];
    owner = std::make_unique<link::Owner>(of_owner[0]);
    owner->set_patience(std::chrono::seconds(60));
    EXPECT_TRUE(owner->hello(of_program[1]));
    close(of_program[1]);
  }
  ~DeviceProcess() {
    if (program != -1) close(program);
    EXPECT_EQ(end(), 0) << "the wait status";
  }
  DeviceProcess(const DeviceProcess&) = delete;
  DeviceProcess& operator=(const DeviceProcess&) = delete;

  /// Takes its owner away; the wait status.
  int end() {
    if (id_ == -1) return status_;
    owner.reset();
    waitpid(id_, &status_, 0);
    id_ = -1;
    return status_;
  }

  int program = -1;  ///< the program's socket; -1 once somebody else has it
  std::unique_ptr<link::Owner> owner;

 private:
  pid_t id_ = -1;
  int status_ = 0;
};

}  // namespace vgpu::link_test
