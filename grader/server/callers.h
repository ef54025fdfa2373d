// Who sends a request, and from where.
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
  /// `store` must outlive it. `proxies`: addresses that are believed about their clients' addresses.
  Callers(ServerStore& store, std::vector<std::string> proxies) : store_(store), proxies_(std::move(proxies)) {}

  /// Whether the connection that this thread serves comes from a proxy.
  bool is_from_proxy() const;
  /// The client's address, by its proxy's word if it has one.
  std::string address_of(const httplib::Request& request) const;

  /// By their token where programs ask, by their session elsewhere.
  std::optional<Person> person_of(const httplib::Request& request) const;
  /// What is answered to nobody in particular.
  static Refusal unknown(const httplib::Request& request);

  /// Who came with a form's token, and the header Set-Cookie of their new session.
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
