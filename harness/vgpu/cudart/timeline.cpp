#include "harness/vgpu/cudart/timeline.h"

#include <algorithm>
#include <utility>

namespace vgpu::cudart {

Timeline::Timeline() { legacy_.id = next_id_++; }

void Timeline::go_on_after(const Timeline& before) {
  host_now_ = before.host_now_;
  latest_ = before.latest_;
  engine_free_ = before.engine_free_;
  busy_ = before.busy_;
  longest_serial_kernel_ = before.longest_serial_kernel_;
  bytes_passed_ = before.bytes_passed_;
  copied_sectors_ = before.copied_sectors_;
  activities_ = before.activities_;
}

StreamState& Timeline::create(bool blocking, unsigned flags, int priority) {
  auto stream = std::make_unique<StreamState>();
  stream->blocking = blocking;
  stream->flags = flags;
  stream->priority = priority;
  stream->id = next_id_++;
  return *streams_.emplace_back(std::move(stream));
}

bool Timeline::owns(const StreamState* stream) const {
  return stream == &legacy_ ||
         std::any_of(streams_.begin(), streams_.end(), [&](const auto& owned) { return owned.get() == stream; });
}

void Timeline::destroy(StreamState& stream) {
  finish(stream);
  const auto found =
      std::find_if(streams_.begin(), streams_.end(), [&](const auto& owned) { return owned.get() == &stream; });
  if (found != streams_.end()) streams_.erase(found);
}

std::shared_ptr<Operation> Timeline::enqueue(StreamState& stream, std::function<void()> work) {
  auto operation = std::make_shared<Operation>();
  if (running_ != nullptr) {
    work();
    operation->done = true;
    operation->begins = operation->ends = running_->ends;
    return operation;
  }
  operation->run = std::move(work);
  operation->stream = stream.id;
  operation->begins = host_now_ + reach_;
  const auto comes_after = [&](const std::shared_ptr<Operation>& earlier) {
    if (!earlier) return;
    if (earlier->done)
      operation->begins = later(operation->begins, earlier->ends);
    else
      operation->after.push_back(earlier);
  };
  const auto comes_after_all_of = [&](const StreamState& other) {
    comes_after(other.last);
    for (const std::shared_ptr<Operation>& awaited : other.awaits) comes_after(awaited);
  };
  comes_after_all_of(stream);
  stream.awaits.clear();
  if (&stream == &legacy_) {
    for (const auto& other : streams_)
      if (other->blocking) comes_after_all_of(*other);
  } else if (stream.blocking) {
    comes_after_all_of(legacy_);
  }
  const auto goes_beside = [&](const StreamState& other) {
    return &other != &stream && other.last && !other.last->done &&
           std::find(operation->after.begin(), operation->after.end(), other.last) == operation->after.end();
  };
  has_unordered_work_ =
      has_unordered_work_ || goes_beside(legacy_) ||
      std::any_of(streams_.begin(), streams_.end(), [&](const auto& other) { return goes_beside(*other); });
  stream.last = operation;
  pending_.push_back(operation);
  if (pending_.size() > kLongestQueue)
    for (std::size_t n = kLongestQueue / 2; n > 0 && !pending_.empty(); --n)
      run_down(std::shared_ptr<Operation>(pending_.front()));
  return operation;
}

void Timeline::run_down(const std::shared_ptr<Operation>& wanted) {
  // Depth first without recursion: chains of operations can be thousands long.
  std::vector<std::shared_ptr<Operation>> stack{wanted};
  while (!stack.empty()) {
    const std::shared_ptr<Operation> operation = stack.back();
    if (operation->done) {
      stack.pop_back();
      continue;
    }
    const auto waits_for =
        std::find_if(operation->after.begin(), operation->after.end(), [](const auto& o) { return !o->done; });
    if (waits_for != operation->after.end()) {
      stack.push_back(*waits_for);
      continue;
    }
    operation->done = true;
    for (const std::shared_ptr<Operation>& earlier : operation->after)
      operation->begins = later(operation->begins, earlier->ends);
    operation->ends = operation->begins;
    operation->after.clear();
    const std::function<void()> run = std::move(operation->run);
    Operation* const interrupted = std::exchange(running_, operation.get());
    try {
      run();
    } catch (...) {  // the program's host function has ended with an exception, say
      running_ = interrupted;
      throw;
    }
    running_ = interrupted;
    latest_ = later(latest_, operation->ends);
    stack.pop_back();
  }
  while (!pending_.empty() && pending_.front()->done) pending_.pop_front();
}

void Timeline::finish(const std::shared_ptr<Operation>& wanted) {
  run_down(wanted);
  wait_until(wanted->ends);
}

void Timeline::wait_until(const TimeSpan& time) {
  activities_.add({Busy::kWaiting, 0, host_now_.nanoseconds, time.nanoseconds, {}});
  host_now_ = later(host_now_, time);
}

void Timeline::finish(StreamState& stream) {
  if (stream.last) finish(std::shared_ptr<Operation>(stream.last));
  for (const std::shared_ptr<Operation>& awaited : std::vector<std::shared_ptr<Operation>>(stream.awaits))
    finish(awaited);
  stream.awaits.clear();
  stream.last.reset();
}

const std::shared_ptr<Operation>& Timeline::next_pending() {
  if (chance_ == 0) return pending_.front();
  chance_ = chance_ * 6364136223846793005u + 1442695040888963407u;  // Knuth's generator of MMIX
  return pending_[(chance_ >> 33) % pending_.size()];
}

void Timeline::finish_all() {
  run_all();
  wait_until(latest());
}

bool Timeline::has_one_order() const {
  const Operation* before = nullptr;
  for (const std::shared_ptr<Operation>& operation : pending_) {
    if (operation->done) continue;
    const auto& after = operation->after;
    if (before != nullptr && std::none_of(after.begin(), after.end(), [&](const auto& o) { return o.get() == before; }))
      return false;
    before = operation.get();
  }
  return true;
}

void Timeline::run_all() {
  while (!pending_.empty()) run_down(std::shared_ptr<Operation>(next_pending()));
}

void Timeline::takes(Busy kind, const TimeSpan& time, ActivityName what) {
  busy_[static_cast<std::size_t>(kind)] += time;
  if (kind == Busy::kKernel) longest_serial_kernel_ = std::max(longest_serial_kernel_, time.serial);
  const auto goes_on = [&](std::uint64_t stream, const TimeSpan& begin) {
    const TimeSpan end = begin + time;
    activities_.add({kind, stream, begin.nanoseconds, end.nanoseconds, std::move(what)});
    return end;
  };
  if (is_the_hosts(kind) || running_ == nullptr) {
    host_now_ = goes_on(0, host_now_);
    return;
  }
  TimeSpan& free = engine_free_[kind == Busy::kCopyIn ? 1 : kind == Busy::kCopyOut ? 2 : 0];
  running_->ends = free = goes_on(running_->stream, later(running_->ends, free));
}

}  // namespace vgpu::cudart
