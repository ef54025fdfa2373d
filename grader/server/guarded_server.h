// cpp-httplib's server, with limits on the time, bytes and connections that clients can take up.
#pragma once

#include <httplib.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace lanewise {

struct ConnectionLimits {
  std::chrono::milliseconds patience{20'000};  ///< for a whole request to arrive, and for its answer to be read
  std::size_t most_bytes = 1 << 20;            ///< of a whole request
  unsigned threads = 24;                       ///< connections served at a time
  std::size_t most_waiting = 512;              ///< connections that wait for a thread
  unsigned most_per_address = 8;               ///< of these threads
  std::set<std::string> proxies;               ///< addresses to which that does not apply
};

/// One request per connection: the rest of a refused request is never taken for another request.
class GuardedServer : public httplib::Server {
 public:
  /// Told of connections that ended without a request: address, status and sentence.
  using Refused = std::function<void(const std::string&, int, const std::string&)>;

  /// Listens once bound; listen_after_bind() returns after stop().
  GuardedServer(ConnectionLimits limits, Refused refused);

  /// The address of the client that this thread serves, known even before httplib adds it to a request.
  static const std::string& client_address();

 private:
  bool process_and_close_socket(socket_t socket) override;
  bool enter(const std::string& address);
  void leave(const std::string& address);

  const ConnectionLimits limits_;
  const Refused refused_;
  std::mutex mutex_;
  std::map<std::string, unsigned> busy_;  // threads by address
};

}  // namespace lanewise
