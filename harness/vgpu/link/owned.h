// What the process of the devices does for its owner.
#pragma once

#include <memory>

#include "harness/vgpu/link/owner.h"
#include "harness/vgpu/link/remote_process.h"

namespace vgpu::link {

class Owned {
 public:
  /// Takes the socket over and waits for the owner's first word. Nothing but program() is good if that does not come.
  explicit Owned(int socket);
  ~Owned();
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  int socket() const { return socket_; }
  /// The program's socket, for whoever takes it over; -1 if there is none.
  int program() const { return program_; }
  /// The program's calls wait.
  bool is_frozen() const { return is_frozen_; }

  /// Waits for the next call and answers it, on behalf of nobody's process: what the program left to be done gets no
  /// answer from it. False once the owner is gone. `view` is how the program sees device addresses.
  bool serve_one(HostView& view);

 private:
  bool say_hello();
  /// The error, and what else there is to say in `to`.
  int answer(OwnerCall call, Reader& from, Writer& to);
  int hand_out(const std::string& text, Writer& to) const;

  int socket_;
  int program_ = -1;
  int staging_file_ = -1;
  std::byte* staging_ = nullptr;
  bool is_frozen_ = false;
};

}  // namespace vgpu::link
