// Owns a file descriptor.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace lanewise {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.number_, -1));
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return number_; }
  explicit operator bool() const { return number_ != -1; }

  void reset(int number = -1) {
    if (number_ != -1) close(number_);
    number_ = number;
  }

 private:
  int number_ = -1;
};

}  // namespace lanewise
