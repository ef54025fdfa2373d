#include "harness/vgpu/cudart/activities.h"

#include <algorithm>
#include <utility>

namespace vgpu::cudart {
namespace {

Share share_of(Busy kind) {
  switch (kind) {
    case Busy::kKernel:
      return Share::kKernels;
    case Busy::kFill:
      return Share::kFills;
    case Busy::kCopyWithin:
    case Busy::kCopyIn:
    case Busy::kCopyOut:
      return Share::kCopies;
    case Busy::kAllocating:
    case Busy::kPinning:
      return Share::kAllocating;
    case Busy::kLaunching:
    case Busy::kWaiting:
      break;
  }
  return Share::kRequesting;
}

}  // namespace

void Spans::add(double begin, double end) {
  if (end <= begin) return;
  // Most begin where the latest ended or later: those that touch are looked for from there.
  auto last = spans_.end();
  while (last != spans_.begin() && std::prev(last)->first > end) --last;
  auto first = last;
  while (first != spans_.begin() && std::prev(first)->second >= begin) --first;
  if (first == last) {
    spans_.insert(first, {begin, end});
    return;
  }
  first->first = std::min(first->first, begin);
  first->second = std::max(std::prev(last)->second, end);
  spans_.erase(std::next(first), last);
}

void Spans::add(const Spans& others) {
  std::vector<std::pair<double, double>> both;
  both.reserve(spans_.size() + others.spans_.size());
  std::merge(spans_.begin(), spans_.end(), others.spans_.begin(), others.spans_.end(), std::back_inserter(both));
  spans_.clear();
  for (const auto& [begin, end] : both) add(begin, end);
}

double Spans::length() const {
  double sum = 0;
  for (const auto& [begin, end] : spans_) sum += end - begin;
  return sum;
}

void Activities::add(Activity activity) {
  if (activity.end <= activity.begin) return;
  if (activity.kind != Busy::kWaiting)
    spans_[static_cast<std::size_t>(share_of(activity.kind))].add(activity.begin, activity.end);
  if (listed_.size() < kMostListed)
    listed_.push_back(std::move(activity));
  else
    ++left_out_;
}

}  // namespace vgpu::cudart
