// The program's end of the connection to its devices: sends calls, and does what is asked of it until they are
// answered.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "harness/vgpu/link/calls.h"
#include "harness/vgpu/link/shared_pages.h"
#include "harness/vgpu/link/socket.h"

namespace vgpu::link {

class Program {
 public:
  /// Takes the socket over. A forked child that is to have devices of its own gets their socket from `start`; -1: none.
  explicit Program(int socket, std::function<int()> start = {})
      : socket_(socket), start_(std::move(start)), is_used_(socket == -1) {}
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

  /// A forked child has none before its first call.
  bool has_devices() const { return socket_ != -1; }

  /// There may be something left to do.
  bool is_used() const { return is_used_.load(std::memory_order_relaxed); }

  // Around a fork. A forked child may not use its parent's devices. If the parent has not used them, either, the child
  // has its own, which hear of the program's code what those of the parent have heard; otherwise none.
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

  /// Whether it does nothing but make code of the program known.
  static bool is_start_up(Call number);
  static bool ends_program(Call number);
  bool start_anew(Packet& packet);
  bool exchange(Call number, const Writer& arguments, Packet& packet);
  bool say_hello(Packet& packet);
  bool answer(const Packet& request);
  bool answer(const Writer& result);
  bool answer_error(int error);

  int socket_;
  std::function<int()> start_;
  std::atomic<bool> is_used_;  ///< by calls that are no part of the start-up, or so that this process shows it
  std::vector<std::pair<Call, std::vector<std::byte>>> start_up_;  ///< such calls so far, unless it is used
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
