// What the host and the engines of a device did, and when: the first of it one by one, and all of it added up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/vgpu/cudart/device_clock.h"

namespace vgpu::cudart {

/// What something that takes time is called: a kernel's, or that of a call; and the bytes it is about.
struct ActivityName {
  std::string name;
  std::uint64_t bytes = 0;
};

struct Activity {
  Busy kind = Busy::kKernel;
  std::uint64_t stream = 0;  ///< a StreamState's id; 0: the host
  double begin = 0, end = 0;
  ActivityName what;
};

/// Points in time, as spans that neither overlap nor touch.
class Spans {
 public:
  void add(double begin, double end);
  void add(const Spans& others);
  double length() const;

 private:
  std::vector<std::pair<double, double>> spans_;  ///< in order
};

/// What a moment counts as: the first of these that then goes on, on any device.
enum class Share : std::uint8_t { kKernels, kCopies, kFills, kAllocating, kRequesting };
inline constexpr std::size_t kShares = 5;

class Activities {
 public:
  /// More are counted and added up, but not listed: a page could not show them.
  static constexpr std::size_t kMostListed = 1500;

  void add(Activity activity);
  void forget() { *this = {}; }

  const std::vector<Activity>& listed() const { return listed_; }
  std::uint64_t left_out() const { return left_out_; }
  const Spans& spans(Share share) const { return spans_[static_cast<std::size_t>(share)]; }

 private:
  std::vector<Activity> listed_;
  std::uint64_t left_out_ = 0;
  std::array<Spans, kShares> spans_;
};

}  // namespace vgpu::cudart
