// Tokens and sessions are looked up by their digests: the database holds nothing that grants access.
#include "grader/server/callers.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "grader/grading/digest.h"
#include "grader/server/guarded_server.h"
#include "grader/server/submission_files.h"

namespace lanewise {
namespace {

constexpr std::int64_t kSessionSeconds = 12 * 3600;
constexpr const char* kCookie = "lanewise_session=";
constexpr unsigned kSessionBits = 256;

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string session_in(const httplib::Request& request) {
  const std::string cookies = request.get_header_value("Cookie");
  const std::string name = kCookie;
  for (std::size_t at = 0; (at = cookies.find(name, at)) != std::string::npos; at += name.size())
    if (at == 0 || cookies[at - 1] == ' ' || cookies[at - 1] == ';') {
      const std::size_t begin = at + name.size();
      return cookies.substr(begin, cookies.find(';', begin) - begin);
    }
  return "";
}

std::string bearer_in(const httplib::Request& request) {
  const std::string header = request.get_header_value("Authorization");
  return header.rfind("Bearer ", 0) == 0 ? header.substr(7) : "";
}

}  // namespace

bool Callers::is_from_proxy() const {
  return std::find(proxies_.begin(), proxies_.end(), GuardedServer::client_address()) != proxies_.end();
}

std::string Callers::address_of(const httplib::Request& request) const {
  const std::size_t count = request.get_header_value_count("X-Forwarded-For");
  if (count == 0 || !is_from_proxy()) return GuardedServer::client_address();
  // The last one is the proxy's own; those before it are claims.
  const std::string forwarded = request.get_header_value("X-Forwarded-For", count - 1);
  const std::size_t comma = forwarded.rfind(',');
  const std::string last = trimmed(comma == std::string::npos ? forwarded : forwarded.substr(comma + 1));
  return last.empty() ? GuardedServer::client_address() : last;
}

std::optional<Person> Callers::person_of(const httplib::Request& request) const {
  const std::string secret = is_for_programs(request) ? bearer_in(request) : session_in(request);
  if (secret.empty()) return std::nullopt;
  const auto person = is_for_programs(request) ? store_.person_with_token(sha256_of(secret))
                                               : store_.person_in_session(sha256_of(secret), std::time(nullptr));
  return person ? *person : std::nullopt;
}

Refusal Callers::unknown(const httplib::Request& request) {
  return {401, is_for_programs(request) ? "the token is missing, unknown or revoked" : "log in first"};
}

std::variant<Callers::Login, Refusal> Callers::log_in(const httplib::Request& request) const {
  const auto person = store_.person_with_token(sha256_of(trimmed(request.get_param_value("token"))));
  if (!person) return troubled(person.failure());
  if (request.params.size() != 1 || !*person) return Refusal{401, "the token is unknown or revoked"};
  const std::string session = random_name(kSessionBits);
  if (const auto failure =
          store_.begin_session((*person)->id, sha256_of(session), std::time(nullptr) + kSessionSeconds))
    return troubled(*failure);
  // Behind a proxy, browsers speak TLS.
  return Login{**person, fmt::format("{}{}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", kCookie, session,
                                     kSessionSeconds, is_from_proxy() ? "; Secure" : "")};
}

std::variant<std::string, Refusal> Callers::log_out(const httplib::Request& request) const {
  if (const auto failure = store_.end_session(sha256_of(session_in(request)))) return troubled(*failure);
  return fmt::format("{}; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", kCookie);
}

}  // namespace lanewise
