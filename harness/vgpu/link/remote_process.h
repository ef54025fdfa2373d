// A program in another process, as the runtime sees it: what it asks of it goes over the connection.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/vgpu/cudart/host_process.h"
#include "harness/vgpu/link/socket.h"

namespace vgpu::link {

class RemoteProcess : public cudart::HostProcess, public HostView {
 public:
  /// `serve_call` answers a call that comes while a function of the program runs; false ends the connection. The
  /// owner, at the other end of `owner` (-1: there is none), speaks only when it is not the program's turn: then the
  /// program's answer is no longer waited for.
  RemoteProcess(int socket, int owner, std::function<bool(const Packet&)> serve_call);
  ~RemoteProcess() override;
  RemoteProcess(const RemoteProcess&) = delete;
  RemoteProcess& operator=(const RemoteProcess&) = delete;

  /// For the program to map; -1 if there is none.
  int staging_file() const { return staging_file_; }

  /// The program is waiting for an answer of this process: only then can anything be asked of it.
  class Waiting {
   public:
    explicit Waiting(RemoteProcess& process) : process_(process) { ++process_.waiting_; }
    ~Waiting() { --process_.waiting_; }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    RemoteProcess& process_;
  };
  int waiting() const { return waiting_; }

  /// It did not answer, or not what was asked.
  bool is_gone() const override { return is_lost_; }
  void lose();

  // cudart::HostProcess
  using HostProcess::read;
  using HostProcess::write;
  void read(std::byte* to, std::size_t to_pitch, const void* from, const cudart::RowShape& shape) override;
  void write(void* to, const std::byte* from, std::size_t from_pitch, const cudart::RowShape& shape) override;
  std::byte* share(void* begin, std::size_t bytes) override;
  void unshare(void* begin) override;
  void print(const std::string& text) override;
  void print_error(const std::string& text) override;
  void flush() override;
  HostView& view() override { return *this; }

  // HostView
  bool close_all(std::uint64_t base, std::uint64_t bytes) override;
  void forget(std::uint64_t base, std::uint64_t bytes) override;
  bool open(std::uint64_t address, std::uint64_t bytes, int file, std::uint64_t offset) override;
  void close(std::uint64_t address, std::uint64_t bytes) override;

 private:
  void make_call(cudaHostFn_t function, void* data) override;
  void make_call(cudaStreamCallback_t function, cudaStream_t stream, cudaError_t status, void* data) override;
  /// Waits for something of the program's; false if the owner speaks instead.
  bool is_heard() const;
  /// Sends it; false, and the program is lost, if that cannot be.
  bool send(Kind kind, const Writer& request, int file = -1);
  /// Waits for the answer, too. Returns the error in it, 0 for none, or EPIPE if there is no answer.
  int ask(Kind kind, const Writer& request, int file = -1);
  /// Calls `move` with piece after piece of the rows, each of which fits into staging memory.
  template <class Move>
  void in_pieces(std::uint64_t address, const cudart::RowShape& shape, Move move);
  void print(Kind kind, const std::string& text);

  int socket_;
  int owner_;
  std::function<bool(const Packet&)> serve_call_;
  int waiting_ = 0;
  bool is_lost_ = false;
  int staging_file_ = -1;
  std::byte* staging_ = nullptr;
  int shared_pages_ = -1;  ///< the file of what the program shares of its own; -1: nothing was yet
  struct Mapped {
    std::byte* at;
    std::size_t bytes;
  };
  std::map<void*, Mapped> mapped_;  ///< what it shares, by where it begins there
};

}  // namespace vgpu::link
