// server.log: a JSON line for each request that was refused, and for each action of an instructor.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "harness/lab/failure.h"
#include "harness/runner/descriptor.h"

namespace lanewise {

struct LogLine {
  std::string what;     ///< "refused", "paused", "resumed", "regrade", ...
  std::string who;      ///< id of a person; empty: unknown
  std::string address;  ///< the client's
  std::string detail;   ///< why, or the action's object; may contain anything that a client sent
  int status = 0;       ///< of a refusal
};

/// Thread-safe. Each line is appended with one write, so that readers never see a part of one.
class ServerLog {
 public:
  static Expected<ServerLog> open(const std::filesystem::path& file);
  ServerLog(ServerLog&& other) noexcept : file_(std::move(other.file_)) {}
  ServerLog& operator=(ServerLog&&) = delete;
  ServerLog(const ServerLog&) = delete;
  ServerLog& operator=(const ServerLog&) = delete;
  ~ServerLog() = default;

  void add(const LogLine& line);

 private:
  explicit ServerLog(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
  std::mutex mutex_;
};

}  // namespace lanewise
