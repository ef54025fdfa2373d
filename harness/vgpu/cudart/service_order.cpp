#include "harness/vgpu/cudart/service_order.h"

#include <algorithm>
#include <unordered_map>

namespace vgpu::cudart {
namespace {

using Clock = double TimeSpan::*;

/// Plays through what happened by one clock.
class Service {
 public:
  Service(Clock clock, const ServiceState& before, const TimeSpan& reach, std::vector<Activity>* activities)
      : clock_(clock), reach_(reach.*clock), state_(before), activities_(activities) {}

  void request(TimedWork& work) {
    Waiting& own = all_[&work];
    own.ready = host() + reach_;
    for (const std::shared_ptr<TimedWork>& earlier : work.served_after) {
      const auto found = all_.find(earlier.get());
      if (found == all_.end() || found->second.is_served) {
        own.ready = std::max(own.ready, (*earlier).ends.*clock_);
      } else {
        found->second.before.push_back(&work);
        ++own.awaited;
      }
    }
    own.number = all_.size();
    if (own.awaited == 0) ready_.push_back(&work);
  }

  void wait(const TimedWork* work) {
    if (work == nullptr) {
      serve_all();
      return wait_until(state_.latest.*clock_);
    }
    const auto found = all_.find(work);
    while (found != all_.end() && !found->second.is_served && !ready_.empty()) serve_next();
    wait_until((*work).ends.*clock_);
  }

  void be_busy(const BusyPart& part) { host() = go_on(0, part, host()); }

  void serve_all() {
    while (!ready_.empty()) serve_next();
  }

  void take_over(ServiceState& state) const {
    state.host_now.*clock_ = state_.host_now.*clock_;
    state.latest.*clock_ = state_.latest.*clock_;
    for (std::size_t n = 0; n < kEngines; ++n) state.engine_free[n].*clock_ = state_.engine_free[n].*clock_;
    if (activities_ != nullptr) state.host_waits = state_.host_waits;
  }

 private:
  struct Waiting {
    double ready = 0;
    std::size_t number = 0;   ///< in the order of requests
    std::size_t awaited = 0;  ///< how many that it comes after are not served yet
    bool is_served = false;
    std::vector<TimedWork*> before;  ///< which it holds up
  };

  double& host() { return state_.host_now.*clock_; }
  double& free_at(Busy kind) { return state_.engine_free[engine_of(kind)].*clock_; }

  void wait_until(double time) {
    if (time <= host()) return;
    if (activities_ != nullptr) activities_->push_back({Busy::kWaiting, 0, host(), time, {}});
    ++state_.host_waits;
    host() = time;
  }

  double go_on(std::uint64_t stream, const BusyPart& part, double begin) {
    const double end = begin + part.time.*clock_;
    if (activities_ != nullptr) activities_->push_back({part.kind, stream, begin, end, part.what});
    return end;
  }

  double begin_of(const TimedWork& work) {
    const double ready = all_.at(&work).ready;
    return work.parts.empty() ? ready : std::max(ready, free_at(work.parts.front().kind));
  }

  void serve_next() {
    const auto comes_first = [this](const TimedWork* a, const TimedWork* b) {
      const double a_begins = begin_of(*a), b_begins = begin_of(*b);
      if (a_begins != b_begins) return a_begins < b_begins;
      const Waiting &own = all_.at(a), &other = all_.at(b);
      return own.ready != other.ready ? own.ready < other.ready : own.number < other.number;
    };
    const auto next = std::min_element(ready_.begin(), ready_.end(), comes_first);
    TimedWork& work = **next;
    ready_.erase(next);
    Waiting& own = all_.at(&work);
    double now = own.ready;
    work.begins.*clock_ = now;
    for (const BusyPart& part : work.parts) {
      double& free = free_at(part.kind);
      now = free = go_on(work.stream, part, std::max(now, free));
    }
    work.ends.*clock_ = now;
    state_.latest.*clock_ = std::max(state_.latest.*clock_, now);
    own.is_served = true;
    for (TimedWork* const later : own.before) {
      Waiting& held_up = all_.at(later);
      held_up.ready = std::max(held_up.ready, now);
      if (--held_up.awaited == 0) ready_.push_back(later);
    }
  }

  Clock clock_;
  double reach_;
  ServiceState state_;
  std::vector<Activity>* activities_;  ///< null: nobody wants to know
  std::unordered_map<const TimedWork*, Waiting> all_;
  std::vector<TimedWork*> ready_;
};

}  // namespace

ServiceState serve(const std::vector<Happening>& happenings, const ServiceState& before, const TimeSpan& reach,
                   std::vector<Activity>& activities) {
  ServiceState after = before;
  for (const Clock clock : {&TimeSpan::nanoseconds, &TimeSpan::at_scale, &TimeSpan::serial}) {
    Service service(clock, before, reach, clock == &TimeSpan::nanoseconds ? &activities : nullptr);
    for (const Happening& happening : happenings) {
      if (happening.kind == Happening::kRequest) service.request(*happening.work);
      if (happening.kind == Happening::kWait) service.wait(happening.work.get());
      if (happening.kind == Happening::kHost) service.be_busy(happening.busy);
    }
    service.serve_all();
    service.take_over(after);
  }
  return after;
}

}  // namespace vgpu::cudart
