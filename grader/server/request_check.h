// Whether a request may be answered at all: decided from its first line and its headers, before its body is read.
#pragma once

#include <httplib.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// Why a request is refused.
struct Refusal {
  int status = 400;
  std::string sentence;
  std::int64_t retry_after = 0;  ///< seconds; 0: not sent
  std::string detail = "";       ///< for the log alone; empty: the sentence
};

struct RequestRules {
  std::vector<std::string> hosts;  ///< accepted in Host and Origin
  std::size_t largest_upload = 0;  ///< bytes of a body
};

/// Nothing if it may. Forms are sent with cookies, so they are accepted from our own pages only.
std::optional<Refusal> check_request(const httplib::Request& request, const RequestRules& rules);

/// What a client is told when the server has failed: the sentence, which may name the server's files, goes to the log.
Refusal troubled(const Failure& failure);

/// {"error": SENTENCE}
std::string error_json(const std::string& sentence);

/// Whether it is for programs: answered in JSON, and authorized by a bearer token alone.
bool is_for_programs(const httplib::Request& request);

}  // namespace lanewise
