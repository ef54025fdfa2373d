// The process of the devices: answers the calls of a program, and what the owner asks who started it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "harness/vgpu/cudart/runtime.h"
#include "harness/vgpu/link/calls.h"
#include "harness/vgpu/link/remote_process.h"

namespace vgpu::link {

/// The connection to a program, and what is known of it.
class Connection {
 public:
  /// Takes the socket over. With an `owner` (its socket; -1: none) the extensions are refused.
  Connection(int socket, int owner);

  int socket() const { return socket_; }
  RemoteProcess& process() { return process_; }

  /// Waits for the next call and answers it. False once the connection has ended.
  bool serve_one();
  /// Answers a call; false if it is none.
  bool serve(const Packet& packet);

  // For the calls themselves.
  /// A program as it was registered: its number is its handle.
  struct Registered {
    std::deque<std::vector<std::byte>> fat_binaries;
    cudart::Program* program = nullptr;
  };
  std::map<std::uint64_t, Registered> programs;
  std::uint64_t programs_registered = 0;

 private:
  cudart::ThreadState* thread(std::uint64_t id);

  int socket_;
  bool has_extensions_;
  RemoteProcess process_;
  std::map<std::uint64_t, std::unique_ptr<cudart::ThreadState>> threads_;
};

/// Answers a program until it is gone.
void serve(int program);

/// Answers an owner until it is gone, and the program that it names while it is the program's turn.
void serve_owned(int owner);

/// Answers one call: takes its arguments out of `from`, and puts what it returns into `to`. False if they are not
/// whole.
using Serve = bool (*)(Connection& connection, Reader& from, Writer& to);

/// By a call's number.
Serve serve_function(Call call);

}  // namespace vgpu::link
