// File descriptors that close themselves, and copies that never are more than was allowed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "harness/lab/failure.h"

namespace lanewise {

class OpenFile {
 public:
  explicit OpenFile(int descriptor = -1) : descriptor_(descriptor) {}
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// Gives it out of hand.
  int release();

 private:
  int descriptor_;
};

/// A file of ours that is being written, readable and writable by its owner only. It is removed again unless finish()
/// was called.
class NewFile {
 public:
  /// Fails if there is something of that name.
  static Expected<NewFile> create(const std::filesystem::path& path);

  ~NewFile();
  NewFile(NewFile&&) noexcept = default;
  NewFile& operator=(NewFile&&) = delete;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  std::optional<Failure> write(std::string_view bytes);
  /// `time`: of its last change, seconds since 1970.
  void finish(std::int64_t time);

 private:
  NewFile(OpenFile file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}

  OpenFile file_;  // closed: nothing is to be removed
  std::filesystem::path path_;
};

}  // namespace lanewise
