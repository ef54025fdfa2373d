// What a device has been asked to do and in which order it has to be done.
//
// Nothing runs before somebody has to know: work is queued, and only a synchronisation runs what it waits for, with
// everything that has to come before. So a program that forgets to wait reads old values here every time, where on a
// GPU it may be lucky.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace vgpu::cudart {

struct CapturedStream;

/// One piece of work in a stream.
struct Operation {
  std::function<void()> run;
  std::vector<std::shared_ptr<Operation>> after;  ///< all of these come first
  bool done = false;
};

struct StreamState {
  bool blocking = true;  ///< ordered with the legacy default stream
  int priority = 0;
  unsigned flags = 0;
  std::uint64_t id = 0;
  std::shared_ptr<Operation> last;                          ///< null when nothing is pending
  std::vector<std::shared_ptr<Operation>> awaits;           ///< events the next operation waits for
  std::map<int, std::array<unsigned char, 64>> attributes;  ///< cudaStreamSetAttribute's, as bytes
  std::shared_ptr<CapturedStream> capture;                  ///< null unless work given to the stream becomes a graph
};

class Timeline {
 public:
  Timeline();

  StreamState& legacy() { return legacy_; }
  StreamState& create(bool blocking, unsigned flags, int priority);
  bool owns(const StreamState* stream) const;
  /// Runs what is pending in the stream and forgets it.
  void destroy(StreamState& stream);

  /// Queues work at the end of the stream, after what the default stream's rules ask for.
  std::shared_ptr<Operation> enqueue(StreamState& stream, std::function<void()> work);

  /// Runs one operation and all that comes before it.
  void finish(const std::shared_ptr<Operation>& operation);
  void finish(StreamState& stream);
  void finish_all();

 private:
  /// A queue this long is run down, so that programs that never wait do not pile up work without end.
  static constexpr std::size_t kLongestQueue = 4096;

  StreamState legacy_;
  std::set<std::unique_ptr<StreamState>> streams_;
  std::deque<std::shared_ptr<Operation>> pending_;  ///< in the order they were queued
  std::uint64_t next_id_ = 1;
};

}  // namespace vgpu::cudart
