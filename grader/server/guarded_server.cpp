// httplib's own timeout starts anew with each byte, and its pool lets any number of connections wait.
#include "grader/server/guarded_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "grader/server/request_check.h"
#include "harness/runner/descriptor.h"

namespace lanewise {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFarewell(500);  // for a client to read its answer before the connection closes

// Set while a connection is handled for which the queue had no room.
thread_local bool is_crowded = false;
thread_local std::string served_address;

std::pair<std::string, int> name_of_end(int socket, decltype(getpeername)* get_name) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (get_name(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {"", 0};
  if (address.ss_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(&address);
    inet_ntop(AF_INET, &four->sin_addr, text.data(), text.size());
    return {text.data(), ntohs(four->sin_port)};
  }
  const auto* six = reinterpret_cast<const sockaddr_in6*>(&address);
  inet_ntop(AF_INET6, &six->sin6_addr, text.data(), text.size());
  // An IPv4 client of a server that listens on all addresses is "::ffff:192.0.2.1".
  const std::size_t mapping = IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) ? std::strlen("::ffff:") : 0;
  return {text.data() + mapping, ntohs(six->sin6_port)};
}

bool wait_for(int socket, short event, Steady::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Steady::now()).count();
    pollfd waiting{socket, event, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<long>(0, left)));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0;
  }
}

// A connection with one deadline for its request to arrive, and another for its answer to be read.
class Connection final : public httplib::Stream {
 public:
  Connection(int socket, const ConnectionLimits& limits)
      : socket_(socket),
        patience_(limits.patience),
        bytes_left_(limits.most_bytes),
        read_by_(Steady::now() + limits.patience) {}

  bool is_readable() const override { return at_ < filled_ || wait_for(socket_, POLLIN, Steady::now()); }
  bool is_writable() const override { return wait_for(socket_, POLLOUT, Steady::now() + patience_); }
  socket_t socket() const override { return socket_; }

  ssize_t read(char* to, std::size_t size) override {
    if (at_ == filled_) {
      if (bytes_left_ == 0) return -1;
      if (!wait_for(socket_, POLLIN, read_by_)) {
        is_late_ = true;
        return -1;
      }
      const ssize_t count = recv(socket_, buffer_.data(), std::min(buffer_.size(), bytes_left_), 0);
      if (count <= 0) return count;
      at_ = 0;
      filled_ = static_cast<std::size_t>(count);
      bytes_left_ -= filled_;
    }
    const std::size_t count = std::min(size, filled_ - at_);
    std::memcpy(to, buffer_.data() + at_, count);
    at_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* from, std::size_t size) override {
    if (!has_written_) write_by_ = Steady::now() + patience_;
    has_written_ = true;
    if (!wait_for(socket_, POLLOUT, write_by_)) return -1;
    return send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    std::tie(ip, port) = name_of_end(socket_, getpeername);
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    std::tie(ip, port) = name_of_end(socket_, getsockname);
  }

  bool is_late() const { return is_late_; }
  bool has_written() const { return has_written_; }

 private:
  int socket_;
  std::chrono::milliseconds patience_;
  std::size_t bytes_left_;
  Steady::time_point read_by_;
  Steady::time_point write_by_;
  std::array<char, 8192> buffer_{};
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  bool is_late_ = false;
  bool has_written_ = false;
};

// Closing a socket with unread bytes would reset the connection, and the client might never see its answer.
void say_farewell(int socket) {
  shutdown(socket, SHUT_WR);
  std::array<char, 16384> ignored{};
  const Steady::time_point deadline = Steady::now() + kFarewell;
  while (wait_for(socket, POLLIN, deadline))
    if (recv(socket, ignored.data(), ignored.size(), 0) <= 0) return;
}

void send_refusal(int socket, int status, const char* reason, const std::string& sentence) {
  const std::string body = error_json(sentence);
  const std::string answer = fmt::format(
      "HTTP/1.1 {} {}\r\nConnection: close\r\nCache-Control: no-store\r\nRetry-After: 5\r\n"
      "Content-Type: application/json\r\nX-Content-Type-Options: nosniff\r\nContent-Length: {}\r\n\r\n{}",
      status, reason, body.size(), body);
  send(socket, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Threads, and a limited number of connections that wait for one.
class BoundedQueue final : public httplib::TaskQueue {
 public:
  BoundedQueue(unsigned threads, std::size_t most) : most_(most) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }

  void enqueue(std::function<void()> serve) override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (waiting_.size() < most_) {
        waiting_.push_back(std::move(serve));
        changed_.notify_one();
        return;
      }
    }
    is_crowded = true;
    serve();
    is_crowded = false;
  }

  void shutdown() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return !waiting_.empty() || is_stopping_; });
      if (waiting_.empty()) return;
      const std::function<void()> serve = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      serve();
    }
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

GuardedServer::GuardedServer(ConnectionLimits limits, Refused refused)
    : limits_(std::move(limits)), refused_(std::move(refused)) {
  // httplib deletes it.
  new_task_queue = [this]() -> httplib::TaskQueue* {
    return std::make_unique<BoundedQueue>(limits_.threads, limits_.most_waiting).release();
  };
}

const std::string& GuardedServer::client_address() { return served_address; }

bool GuardedServer::enter(const std::string& address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  unsigned& busy = busy_[address];
  if (busy >= limits_.most_per_address && limits_.proxies.count(address) == 0) return false;
  ++busy;
  return true;
}

void GuardedServer::leave(const std::string& address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (--busy_[address] == 0) busy_.erase(address);
}

bool GuardedServer::process_and_close_socket(socket_t socket) {
  const Descriptor owner(socket);
  const std::string address = name_of_end(socket, getpeername).first;
  served_address = address;
  if (is_crowded) {
    const std::string sentence = "too many connections are waiting; try again in a few seconds";
    send_refusal(socket, 503, "Service Unavailable", sentence);
    refused_(address, 503, sentence);
    return false;
  }
  if (!enter(address)) {
    const std::string sentence = fmt::format(
        "{} connections from your address are being served; try again in a few seconds", limits_.most_per_address);
    send_refusal(socket, 503, "Service Unavailable", sentence);
    refused_(address, 503, sentence);
    say_farewell(socket);
    return false;
  }
  Connection connection(socket, limits_);
  bool is_closed = false;
  const bool was_served = process_request(connection, true, is_closed, nullptr);
  if (!connection.has_written() && connection.is_late()) {
    const std::string sentence = "the request did not arrive in time";
    send_refusal(socket, 408, "Request Timeout", sentence);
    refused_(address, 408, sentence);
  }
  say_farewell(socket);
  leave(address);
  return was_served;
}

}  // namespace lanewise
