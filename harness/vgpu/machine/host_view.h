// Device addresses as the program's host code sees them: closed, but for memory that host and device share.
#pragma once

#include <cstdint>

namespace vgpu {

/// Where host code meets device addresses: in this process, or in that of a program elsewhere.
class HostView {
 public:
  virtual ~HostView() = default;

  /// Keeps host code from touching `bytes` at `base`, and anything else from being placed there. False, with errno, if
  /// the addresses are taken.
  virtual bool close_all(std::uint64_t base, std::uint64_t bytes) = 0;
  /// Gives the addresses back.
  virtual void forget(std::uint64_t base, std::uint64_t bytes) = 0;

  /// Lets host code reach whole pages, which lie at `offset` of `file`. False, with errno, if it cannot.
  virtual bool open(std::uint64_t address, std::uint64_t bytes, int file, std::uint64_t offset) = 0;
  /// Closes them again.
  virtual void close(std::uint64_t address, std::uint64_t bytes) = 0;

  /// That of this process.
  static HostView& own();
};

}  // namespace vgpu
