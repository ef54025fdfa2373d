// The work queued on a device, and the order in which it must be done.
//
// Nothing runs before its result is needed: work is queued, and only a synchronisation runs what it waits for, with
// everything that must come before. So a program that forgets to wait reads old values here every time, whereas on a
// GPU it may be lucky.
//
// Each piece of work has its time: it begins when what it has to come after is over, the host has asked for it, and the
// engine that does it is free. The same goes for its time at scale, which is kept beside it: what overlaps in a large
// call need not be what overlaps in a small one.
//
// A host that waits for one stream and then for another has the work of the first run down before the second's, but an
// engine serves whatever is ready first. So once nothing is pending any more, all that went on since the last such
// moment is timed again, in the order in which engines come to it (service_order.h). Until then, whatever ran first
// counts as served first.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "harness/vgpu/cudart/activities.h"
#include "harness/vgpu/cudart/device_clock.h"
#include "harness/vgpu/cudart/service_order.h"

namespace vgpu::cudart {

struct CapturedStream;

/// One piece of work in a stream.
struct Operation : TimedWork {
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

  /// Nanoseconds from when the host has asked for something until a device that is idle begins with it.
  void set_reach(double nanoseconds) { reach_ = once(nanoseconds); }
  /// What nothing orders is run down as it was queued with seed 0, and then only if somebody waits for it. With others
  /// it is run down in any order.
  void set_schedule_seed(std::uint64_t seed) { chance_ = seed; }

  StreamState& legacy() { return legacy_; }
  StreamState& create(bool blocking, unsigned flags, int priority);
  bool owns(const StreamState* stream) const;
  /// How many there are that were created.
  std::size_t created() const { return streams_.size(); }
  /// Nobody names the stream from now on. What is pending in it will still be done, and the host does not wait.
  void destroy(StreamState& stream);

  /// Queues work at the end of the stream, after what the default stream's rules ask for. What an operation queues
  /// while it runs is a part of it, and done at once.
  std::shared_ptr<Operation> enqueue(StreamState& stream, std::function<void()> work);

  /// Runs one operation and all that comes before it.
  void finish(const std::shared_ptr<Operation>& operation);
  void finish(StreamState& stream);
  void finish_all();
  /// The same, but the host does not wait for it.
  void run_down(const std::shared_ptr<Operation>& operation);
  /// Runs all that is pending; the host does not wait for it.
  void run_all();
  bool is_idle() const { return pending_.empty(); }
  /// Whether what is pending can be done in one order only.
  bool has_one_order() const;

  /// Whether anything was ever queued while a stream had work that it need not come after.
  bool has_unordered_work() const { return has_unordered_work_; }

  /// The operation that runs takes this long; the host itself does where none runs, or it is the host's to do.
  void takes(Busy kind, const TimeSpan& time, ActivityName what = {});
  /// When the operation that runs begins, or has come to; when none does, how far the host is.
  double now() const { return (running_ ? running_->ends : host_now_).nanoseconds; }
  /// When everything so far is over.
  TimeSpan latest() const { return later(latest_, host_now_); }
  /// What has been busy for how long, all in all.
  const std::array<TimeSpan, kBusyKinds>& busy() const { return busy_; }
  /// Of the kernel that has the most of it, its TimeSpan::serial.
  double longest_serial_kernel() const { return longest_serial_kernel_; }
  void forget_longest_kernel() { longest_serial_kernel_ = 0; }
  /// Of what is pending, or was pending with it, as it was timed at first. Good until the next call.
  const Activities& activities() const;
  void forget_activities() { activities_.forget(); }
  /// What took time before its device was reset counts, too, and time goes on from there.
  void go_on_after(const Timeline& before);

  /// So many bytes come from the host, or go there.
  void passes_to_or_from_host(std::uint64_t bytes) { bytes_passed_ += bytes; }
  std::uint64_t bytes_passed() const { return bytes_passed_; }
  /// A copy moves so many sectors of device memory, those it reads and those it writes.
  void copies_on_device(std::uint64_t sectors) { copied_sectors_ += sectors; }
  std::uint64_t copied_sectors() const { return copied_sectors_; }
  /// How often the host has asked for a kernel, a copy, a fill or a graph, and how often it stood still until the
  /// device had caught up.
  std::uint64_t host_requests() const { return host_requests_; }
  std::uint64_t host_waits() const { return host_waits_; }

 private:
  /// The host goes no further before then.
  void wait_until(const TimeSpan& time);
  /// What went on on either side, to be listed now or when what is pending has been timed again.
  void went_on(Activity activity);
  /// Something is pending from now on.
  void begin_batch();
  /// Adds to what happened since nothing was pending.
  void note(Happening happening);
  void list_batch();
  /// Times again what happened, now that nothing is pending, and lists it.
  void settle();
  /// Of those that are pending, the one to be run down next.
  std::shared_ptr<Operation> next_pending();

  /// A queue this long is run down, so that programs that never wait do not pile up work without end.
  static constexpr std::size_t kLongestQueue = 4096;

  StreamState legacy_;
  std::vector<std::unique_ptr<StreamState>> streams_;    ///< as they were made: in no order that differs between runs
  std::vector<std::unique_ptr<StreamState>> destroyed_;  ///< while work may be pending in them
  std::deque<std::shared_ptr<Operation>> pending_;       ///< in the order they were queued
  std::uint64_t next_id_ = 1;
  std::uint64_t chance_ = 0;  ///< the state of a generator; 0: there is none
  bool has_unordered_work_ = false;

  Operation* running_ = nullptr;
  TimeSpan host_now_, latest_, reach_;
  std::array<TimeSpan, kEngines> engine_free_{};
  std::array<TimeSpan, kBusyKinds> busy_{};
  double longest_serial_kernel_ = 0;
  std::uint64_t host_requests_ = 0, host_waits_ = 0;
  std::uint64_t bytes_passed_ = 0;    ///< between host and device
  std::uint64_t copied_sectors_ = 0;  ///< from device memory to device memory
  Activities activities_;

  // Since nothing was pending: what happened, and how far everybody was before that.
  enum class Batch : std::uint8_t { kNone, kKept, kTooLong };
  static constexpr std::size_t kMostHappenings = 16384;  ///< of more, the first times stay
  Batch batch_ = Batch::kNone;
  ServiceState before_;
  std::vector<Happening> happenings_;
  std::vector<Activity> went_on_;  ///< as timed at first
  bool order_matters_ = false;     ///< some of it need not come after the rest
  mutable Activities so_far_;      ///< with what is not listed yet
};

}  // namespace vgpu::cudart
