// Whether a request may be answered at all: decided from its first line and its headers, before its body is read.
#pragma once

#include <httplib.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// Why a request is not answered as it would like.
struct Refusal {
  int status = 400;
  std::string sentence;
  std::int64_t retry_after = 0;  ///< seconds; 0: not told
  std::string detail = "";       ///< for the log alone; empty: the sentence
};

struct RequestRules {
  std::vector<std::string> hosts;  ///< accepted in Host and Origin
  std::size_t largest_upload = 0;  ///< bytes of a body
};

/// Nothing if it may. Pages are posted to with cookies, and so only from our own pages.
std::optional<Refusal> check_request(const httplib::Request& request, const RequestRules& rules);

/// What a client is told where the server has failed: the sentence is for its instructor, and names the server's files.
Refusal troubled(const Failure& failure);

/// {"error": SENTENCE}
std::string error_json(const std::string& sentence);

/// Whether it is made by a program, which is answered in JSON and identified by a bearer token alone.
bool is_for_programs(const httplib::Request& request);

}  // namespace lanewise
