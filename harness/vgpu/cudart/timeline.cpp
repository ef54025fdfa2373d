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
  host_requests_ = before.host_requests_;
  host_waits_ = before.host_waits_;
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
  const auto found =
      std::find_if(streams_.begin(), streams_.end(), [&](const auto& owned) { return owned.get() == &stream; });
  if (found == streams_.end()) return;
  if (!pending_.empty()) destroyed_.push_back(std::move(*found));
  streams_.erase(found);
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
    if (batch_ != Batch::kTooLong) operation->served_after.push_back(earlier);
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
    for (const auto* const list : {&streams_, &destroyed_})
      for (const auto& other : *list)
        if (other->blocking) comes_after_all_of(*other);
  } else if (stream.blocking) {
    comes_after_all_of(legacy_);
  }
  const auto goes_beside = [&](const StreamState& other) {
    return &other != &stream && other.last && !other.last->done &&
           std::find(operation->after.begin(), operation->after.end(), other.last) == operation->after.end();
  };
  order_matters_ =
      order_matters_ || goes_beside(legacy_) ||
      std::any_of(streams_.begin(), streams_.end(), [&](const auto& other) { return goes_beside(*other); });
  has_unordered_work_ = has_unordered_work_ || order_matters_;
  stream.last = operation;
  pending_.push_back(operation);
  begin_batch();
  note({Happening::kRequest, operation, {}});
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
  if (pending_.empty() && running_ == nullptr) settle();
}

void Timeline::begin_batch() {
  if (batch_ == Batch::kNone) {
    batch_ = Batch::kKept;
    before_ = {host_now_, latest_, engine_free_, host_waits_};
  } else if (batch_ == Batch::kKept && happenings_.size() >= kMostHappenings) {
    list_batch();
    batch_ = Batch::kTooLong;
  }
}

void Timeline::note(Happening happening) {
  if (batch_ == Batch::kKept) happenings_.push_back(std::move(happening));
}

void Timeline::went_on(Activity activity) {
  if (batch_ == Batch::kKept)
    went_on_.push_back(std::move(activity));
  else
    activities_.add(std::move(activity));
}

void Timeline::list_batch() {
  for (Activity& activity : went_on_) activities_.add(std::move(activity));
  went_on_.clear();
  for (const Happening& happening : happenings_)
    if (happening.kind == Happening::kRequest) happening.work->served_after.clear();
  happenings_.clear();
}

void Timeline::settle() {
  if (batch_ == Batch::kKept && order_matters_) {
    went_on_.clear();
    const ServiceState after = serve(happenings_, before_, reach_, went_on_);
    host_now_ = after.host_now;
    latest_ = after.latest;
    engine_free_ = after.engine_free;
    host_waits_ = after.host_waits;
  }
  list_batch();
  batch_ = Batch::kNone;
  order_matters_ = false;
  destroyed_.clear();
}

const Activities& Timeline::activities() const {
  if (went_on_.empty()) return activities_;
  so_far_ = activities_;
  for (const Activity& activity : went_on_) so_far_.add(activity);
  return so_far_;
}

void Timeline::finish(const std::shared_ptr<Operation>& wanted) {
  note({Happening::kWait, wanted, {}});
  // On a device, anything else may be over by then as well: with another seed, some of it is.
  while (chance_ != 0 && !wanted->done && running_ == nullptr) run_down(next_pending());
  run_down(wanted);
  wait_until(wanted->ends);
}

void Timeline::wait_until(const TimeSpan& time) {
  if (time.nanoseconds > host_now_.nanoseconds) ++host_waits_;
  went_on({Busy::kWaiting, 0, host_now_.nanoseconds, time.nanoseconds, {}});
  host_now_ = later(host_now_, time);
}

void Timeline::finish(StreamState& stream) {
  if (stream.last) finish(std::shared_ptr<Operation>(stream.last));
  for (const std::shared_ptr<Operation>& awaited : std::vector<std::shared_ptr<Operation>>(stream.awaits))
    finish(awaited);
  stream.awaits.clear();
  stream.last.reset();
}

std::shared_ptr<Operation> Timeline::next_pending() {
  if (chance_ == 0) return pending_.front();
  chance_ = chance_ * 6364136223846793005u + 1442695040888963407u;  // Knuth's generator of MMIX
  std::shared_ptr<Operation> next = pending_[(chance_ >> 33) % pending_.size()];
  for (bool is_first = next->done; !is_first;) {  // of its stream, what has nothing before it any more
    const auto earlier = std::find_if(next->after.begin(), next->after.end(), [](const auto& o) { return !o->done; });
    is_first = earlier == next->after.end();
    if (!is_first) next = std::shared_ptr<Operation>(*earlier);
  }
  return next;
}

void Timeline::finish_all() {
  note({Happening::kWait, nullptr, {}});
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
  while (!pending_.empty()) run_down(next_pending());
}

void Timeline::takes(Busy kind, const TimeSpan& time, ActivityName what) {
  busy_[static_cast<std::size_t>(kind)] += time;
  if (kind == Busy::kLaunching) ++host_requests_;
  if (kind == Busy::kKernel) longest_serial_kernel_ = std::max(longest_serial_kernel_, time.serial);
  const auto goes_on = [&](std::uint64_t stream, const TimeSpan& begin) {
    const TimeSpan end = begin + time;
    went_on({kind, stream, begin.nanoseconds, end.nanoseconds, std::move(what)});
    return end;
  };
  if (is_the_hosts(kind) || running_ == nullptr) {
    note({Happening::kHost, nullptr, {kind, time, what}});
    host_now_ = goes_on(0, host_now_);
    return;
  }
  running_->parts.push_back({kind, time, what});
  TimeSpan& free = engine_free_[engine_of(kind)];
  running_->ends = free = goes_on(running_->stream, later(running_->ends, free));
}

}  // namespace vgpu::cudart
