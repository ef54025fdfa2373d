// Checks for everything that can be wrong with a request, the most harmful first. Statuses as in RFC 9110 and 9112.
#include "grader/server/request_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "grader/class/utf8.h"

namespace lanewise {
namespace {

constexpr std::size_t kLongestTarget = 1024;
constexpr std::size_t kMostHeaders = 64;

constexpr std::array kPosted = {"/api/submissions",   "/submissions",       "/login", "/logout", "/instructor/pause",
                                "/instructor/resume", "/instructor/regrade"};
constexpr std::array kRead = {"/", "/style.css", "/api/history", "/instructor", "/instructor/points.csv", "/board"};
constexpr std::array kReadBelow = {"/api/tickets/", "/tickets/", "/board/"};

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

bool is_known(const std::string& host, const RequestRules& rules) {
  std::string small = host;
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::find(rules.hosts.begin(), rules.hosts.end(), small) != rules.hosts.end();
}

bool is_safe_path(const std::string& path) {
  if (path.empty() || path[0] != '/' || !is_utf8(path)) return false;
  const bool has_controls =
      std::any_of(path.begin(), path.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '\\'; });
  return !has_controls && path.find("/.") == std::string::npos && path.find("//") == std::string::npos;
}

std::optional<Refusal> check_path(const httplib::Request& request) {
  const bool is_posted = std::find(kPosted.begin(), kPosted.end(), request.path) != kPosted.end();
  const bool is_read =
      std::find(kRead.begin(), kRead.end(), request.path) != kRead.end() ||
      std::any_of(kReadBelow.begin(), kReadBelow.end(), [&](const char* at) { return begins_with(request.path, at); });
  if (!is_posted && !is_read) return Refusal{404, "there is nothing at this address"};
  if (request.method == "POST" ? is_posted : is_read) return std::nullopt;
  return Refusal{405, fmt::format("{} is not possible here", request.method)};
}

std::optional<Refusal> check_body(const httplib::Request& request, const RequestRules& rules) {
  if (request.has_header("Transfer-Encoding")) return Refusal{411, "send the request with its length, not in chunks"};
  if (request.has_header("Content-Encoding")) return Refusal{415, "compressed requests are not accepted"};
  if (request.has_header("Range")) return Refusal{416, "range requests are not supported"};
  if (request.get_header_value_count("Content-Length") > 1) return Refusal{400, "the length is given twice"};
  const std::string length = request.get_header_value("Content-Length");
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  if (request.method != "POST") {
    if (!length.empty() && length != "0") return Refusal{400, "a GET or HEAD request must have no content"};
    return std::nullopt;
  }
  if (length.empty()) return Refusal{411, "send the request's length"};
  if (error == std::errc::result_out_of_range || (error == std::errc() && bytes > rules.largest_upload))
    return Refusal{413, fmt::format("the request is larger than {} KiB", rules.largest_upload / 1024)};
  if (error != std::errc() || end != length.data() + length.size()) return Refusal{400, "the length is not a number"};
  return std::nullopt;
}

// A page of another site can make a browser send a request here, but cannot choose the Origin that the browser sends.
std::optional<Refusal> check_origin(const httplib::Request& request, const RequestRules& rules) {
  const std::string origin = request.get_header_value("Origin");
  if (origin.empty()) {
    if (request.method != "POST" || is_for_programs(request)) return std::nullopt;
    return Refusal{403, "the request does not say which page it comes from"};
  }
  const std::size_t host = origin.find("://");
  if (host != std::string::npos && is_known(origin.substr(host + 3), rules)) return std::nullopt;
  return Refusal{403, "the request comes from a page of another site"};
}

}  // namespace

Refusal troubled(const Failure& failure) {
  return {503, "the server has a problem; your instructor can find the reason in its log. Try again later", 60,
          failure.sentence};
}

std::string error_json(const std::string& sentence) {
  const nlohmann::json json{{"error", sentence}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

bool is_for_programs(const httplib::Request& request) { return begins_with(request.path, "/api/"); }

std::optional<Refusal> check_request(const httplib::Request& request, const RequestRules& rules) {
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST")
    return Refusal{405, fmt::format("{} is not possible here", request.method)};
  if (request.target.size() > kLongestTarget) return Refusal{414, "the address is too long"};
  if (request.headers.size() > kMostHeaders) return Refusal{431, "the request has too many headers"};
  if (!is_safe_path(request.path)) return Refusal{400, "the address is malformed"};
  if (request.get_header_value_count("Host") != 1) return Refusal{400, "the request must name one host"};
  if (!is_known(request.get_header_value("Host"), rules))
    return Refusal{421, "this server does not answer to that name; your instructor can add the name with --host"};
  if (auto refusal = check_path(request)) return refusal;
  if (auto refusal = check_origin(request, rules)) return refusal;
  return check_body(request, rules);
}

}  // namespace lanewise
