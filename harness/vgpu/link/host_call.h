// Where in the program the runtime was called: what findings say of a call in host code.
#pragma once

#include <utility>

namespace vgpu::link {

/// The address that a function of the runtime returns to, from when it begins until it ends. Where one such function
/// calls another, the first counts: it is the one that the program called.
class HostCall {
 public:
  explicit HostCall(const void* returns_to) : before_(site()) {
    if (before_ == nullptr) site() = returns_to;
  }
  ~HostCall() { site() = before_; }
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;

  /// Null outside of calls.
  static const void* current() { return site(); }
  /// For a library that calls the runtime on the program's behalf. Returns what was set before.
  static const void* set(const void* returns_to) { return std::exchange(site(), returns_to); }

  /// A function of the program's that the runtime calls.
  class Interlude {
   public:
    Interlude() : before_(std::exchange(site(), nullptr)) {}
    ~Interlude() { site() = before_; }
    Interlude(const Interlude&) = delete;
    Interlude& operator=(const Interlude&) = delete;

   private:
    const void* before_;
  };

 private:
  static const void*& site() {
    thread_local const void* of_thread = nullptr;
    return of_thread;
  }

  const void* before_;
};

}  // namespace vgpu::link

/// First in a function that programs call.
#define VGPU_HOST_CALL() const vgpu::link::HostCall host_call(__builtin_return_address(0))
