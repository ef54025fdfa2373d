// The person who sends a request, and their address.
#pragma once

#include <httplib.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "grader/server/request_check.h"
#include "grader/server/server_store.h"

namespace lanewise {

class Callers {
 public:
  /// `store` must outlive it. `proxies`: addresses that are trusted about their clients' addresses.
  Callers(ServerStore& store, std::vector<std::string> proxies) : store_(store), proxies_(std::move(proxies)) {}

  /// Whether the connection that this thread serves comes from a proxy.
  bool is_from_proxy() const;
  /// The client's address, as reported by its proxy if there is one.
  std::string address_of(const httplib::Request& request) const;

  /// By their token for requests of programs, by their session otherwise.
  std::optional<Person> person_of(const httplib::Request& request) const;
  /// The answer to an unknown person.
  static Refusal unknown(const httplib::Request& request);

  /// The person whose token the form contains, and the header Set-Cookie of their new session.
  struct Login {
    Person person;
    std::string cookie;
  };
  std::variant<Login, Refusal> log_in(const httplib::Request& request) const;
  /// The header Set-Cookie that ends the session.
  std::variant<std::string, Refusal> log_out(const httplib::Request& request) const;

 private:
  ServerStore& store_;
  std::vector<std::string> proxies_;
};

}  // namespace lanewise
