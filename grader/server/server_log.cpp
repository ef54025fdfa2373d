// What clients sent is quoted as JSON, so it cannot forge a line.
#include "grader/server/server_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

namespace lanewise {
namespace {

constexpr std::size_t kLongestDetail = 500;

}  // namespace

Expected<ServerLog> ServerLog::open(const std::filesystem::path& file) {
  Descriptor log(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log) return Failure{fmt::format("{}: cannot be written ({})", file.string(), std::strerror(errno))};
  return ServerLog(std::move(log));
}

void ServerLog::add(const LogLine& line) {
  nlohmann::ordered_json json;
  json["time"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  json["what"] = line.what;
  if (line.status != 0) json["status"] = line.status;
  if (!line.who.empty()) json["who"] = line.who;
  json["address"] = line.address;
  json["detail"] = line.detail.substr(0, kLongestDetail);
  const std::string text = json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  const std::lock_guard<std::mutex> alone(mutex_);
  // A full disk must not stop requests.
  [[maybe_unused]] const ssize_t written = write(file_.get(), text.data(), text.size());
}

}  // namespace lanewise
