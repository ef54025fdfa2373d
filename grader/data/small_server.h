// A web server on 127.0.0.1 for tests: its contents and its misbehaviour are specified beforehand.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace lanewise {

class SmallServer {
 public:
  struct File {
    std::string content;
    int cuts = 0;              ///< this many responses stop after a third of their announced length
    bool knows_ranges = true;  ///< otherwise it sends all of it, whatever is requested
  };

  explicit SmallServer(std::map<std::string, File> files) : files_(std::move(files)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    const bool listens = bind(listener_, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                         listen(listener_, 16) == 0 &&
                         getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0;
    if (!listens) ADD_FAILURE() << "no server could be started on 127.0.0.1";
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  SmallServer(const SmallServer&) = delete;
  SmallServer& operator=(const SmallServer&) = delete;
  ~SmallServer() {
    shutdown(listener_, SHUT_RDWR);  // wakes accept
    thread_.join();
    close(listener_);
  }

  std::string url(const std::string& name) const { return "http://127.0.0.1:" + std::to_string(port_) + "/" + name; }

  /// The first byte requested, for each request: 0 if no range was given.
  std::vector<std::size_t> asked_from() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return asked_from_;
  }

 private:
  void serve() {
    for (;;) {
      const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      std::string request;
      char buffer[4096];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t got = ::read(connection, buffer, sizeof(buffer));
        if (got <= 0) break;
        request.append(buffer, static_cast<std::size_t>(got));
      }
      answer(connection, request);
      close(connection);
    }
  }

  void answer(int connection, const std::string& request) {
    const std::size_t slash = request.find('/');
    if (slash == std::string::npos) return;
    const std::string name = request.substr(slash + 1, request.find(' ', slash) - slash - 1);
    const std::size_t range = request.find("Range: bytes=");
    std::size_t from = range == std::string::npos ? 0 : std::strtoull(request.c_str() + range + 13, nullptr, 10);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      asked_from_.push_back(from);
    }
    const auto found = files_.find(name);
    if (found == files_.end()) return send_all(connection, head("404 Not Found", 0, ""));
    File& file = found->second;
    if (!file.knows_ranges) from = 0;
    const std::size_t size = file.content.size();
    if (from > 0 && from >= size)
      return send_all(connection,
                      head("416 Range Not Satisfiable", 0, "Content-Range: bytes */" + std::to_string(size) + "\r\n"));
    const std::string rest = file.content.substr(from);
    const std::string where = "Content-Range: bytes " + std::to_string(from) + "-" + std::to_string(size - 1) + "/" +
                              std::to_string(size) + "\r\n";
    send_all(connection, from > 0 ? head("206 Partial Content", rest.size(), where) : head("200 OK", rest.size(), ""));
    const bool is_cut = file.cuts > 0;
    if (is_cut) --file.cuts;
    send_all(connection, is_cut ? rest.substr(0, rest.size() / 3) : rest);
  }

  static std::string head(const std::string& status, std::size_t length, const std::string& more) {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(length) + "\r\nConnection: close\r\n" + more +
           "\r\n";
  }
  static void send_all(int connection, const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t now = send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return;
      sent += static_cast<std::size_t>(now);
    }
  }

  std::map<std::string, File> files_;
  int listener_ = -1;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  std::vector<std::size_t> asked_from_;
};

}  // namespace lanewise
