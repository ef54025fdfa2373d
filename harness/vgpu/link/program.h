// The program's end of the connection to its devices: sends calls, and does what is asked of it until they are
// answered.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "harness/vgpu/link/calls.h"
#include "harness/vgpu/link/shared_pages.h"
#include "harness/vgpu/link/socket.h"

namespace vgpu::link {

class Program {
 public:
  /// Takes the socket over.
  explicit Program(int socket) : socket_(socket) {}
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Sends a call and answers requests until the reply to it is there, which `use` then reads. False if the devices are
  /// gone; `use` was not called then. A host function that is called meanwhile may make calls of its own.
  template <class Use>
  bool call(Call number, const Writer& arguments, Use use) {
    calls_.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    Depth depth(*this);
    if (!exchange(number, arguments, depth.packet())) return false;
    use(depth.packet().reader());
    return true;
  }

  /// So many were begun.
  std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }

  // Around a fork. A forked child has no devices: it may not use those of its parent.
  void prepare_to_fork() { is_free_ = mutex_.try_lock(); }
  void go_on_after_fork() {
    if (is_free_) mutex_.unlock();
  }
  void leave_to_parent();

 private:
  /// A packet for each call within a call.
  class Depth {
   public:
    explicit Depth(Program& program) : program_(program) {
      if (program_.packets_.size() <= program_.depth_) program_.packets_.push_back(std::make_unique<Packet>());
      packet_ = program_.packets_[program_.depth_++].get();
    }
    ~Depth() { --program_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Packet& packet() const { return *packet_; }

   private:
    Program& program_;
    Packet* packet_;
  };

  bool exchange(Call number, const Writer& arguments, Packet& packet);
  bool say_hello(Packet& packet);
  bool answer(const Packet& request);
  bool answer(const Writer& result);
  bool answer_error(int error);

  int socket_;
  std::atomic<std::uint64_t> calls_{0};
  bool greeted_ = false;
  std::byte* staging_ = nullptr;
  std::recursive_mutex mutex_;
  bool is_free_ = false;  ///< at a fork: no other thread is making a call
  std::size_t depth_ = 0;
  std::vector<std::unique_ptr<Packet>> packets_;
  SharedPages shared_;
};

}  // namespace vgpu::link
