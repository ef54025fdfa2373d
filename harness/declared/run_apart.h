// Code of a lab's author, run so that its faults are its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace lanewise {

/// Memory that processes made from this one share. Behind its last byte, up to alignment, nothing can be touched.
class FencedBytes {
 public:
  /// Throws std::bad_alloc.
  explicit FencedBytes(std::size_t bytes);
  FencedBytes(FencedBytes&& other) noexcept;
  FencedBytes& operator=(FencedBytes&&) = delete;
  ~FencedBytes();

  std::byte* begin() const { return begin_; }
  std::size_t size() const { return size_; }

 private:
  void* pages_;
  std::size_t mapped_;
  std::byte* begin_;
  std::size_t size_;
};

/// Calls `work` in a copy of this process, whose standard output goes nowhere. Empty if it returned; otherwise how it
/// ended: "crashed (Segmentation fault)", "threw an exception" with what it says, if anything, "ended the program" or
/// "did not return in 60 seconds".
std::string run_apart(const std::function<void()>& work, std::chrono::milliseconds limit = std::chrono::seconds(60));

}  // namespace lanewise
