// Thresholds in log(time), the roof of a case, and the line of the report.
#include "harness/runner/verdict/speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/lab/time_text.h"

namespace lanewise {
namespace {

// Kernels that move less than this share of what the task is about cannot have done its work: the host did.
constexpr double kLeastShareMoved = 0.1;
// From this share of the bandwidth that a copy reached meanwhile, memory is what a kernel waits for.
constexpr double kNearTheRoof = 0.8;
// Floating-point operations a byte beyond which arithmetic is the limit on every GPU: 67 TFLOP/s over 4.3 TB/s on an
// H200.
constexpr double kFlopsPerByteOfBalance = 16;

// As a multiple of the reference's time. What is measured differs by a per cent or two from run to run: between all
// points and none lie 20 %, so that this moves a submission by a tenth of them at most.
constexpr double kLeastMeasuredBaseline = 1.44;

// Serial time that grows with this power of the size, or a lower one, does not count at scale: it lasts however much
// data there is. No step of a ladder has 5 times as much of it as all those have that are as fast as the reference, be
// it in all its kernels or in one.
constexpr double kGrows = 0.5;
constexpr double kMostLasting = 8;
// A smaller call may be slowed down so that nothing seems to grow. From here on that is asked, too, if so great a share
// of the points would be lost if it did.
constexpr double kLongLasting = 3.5, kMuchToLose = 0.2;

TimeEstimate exactly(double milliseconds) { return {milliseconds, milliseconds, milliseconds}; }

// The nearest roof of this work, and how much of it is reached. A rate of 0 is not known.
void set_roof(const Work& work, double bytes_per_second, double flops_per_second, SpeedVerdict& speed) {
  const double by_memory = bytes_per_second > 0 ? work.bytes / bytes_per_second : 0;
  const double by_arithmetic = flops_per_second > 0 ? work.flops / flops_per_second : 0;
  const double least = std::max(by_memory, by_arithmetic);
  if (!(least > 0) || !(speed.time.milliseconds > 0)) return;
  speed.roof = by_memory < by_arithmetic ? "arithmetic" : speed.is_modelled ? "bandwidth" : "copy";
  speed.roof_fraction = least * 1e3 / speed.time.milliseconds;
}

SourcePlace costliest_line(const std::string& counter, const std::vector<LineCost>& lines) {
  SourcePlace place;
  std::uint64_t most = 0;
  for (const LineCost& line : lines) {
    const auto cost = line.sums.find(counter);
    if (cost == line.sums.end() || cost->second <= most) continue;
    most = cost->second;
    place = {line.file, line.line};
  }
  return place;
}

std::string megabytes(double bytes) { return fmt::format("{:.{}f} MB", bytes / 1e6, bytes < 9.95e6 ? 1 : 0); }

double full_milliseconds(const SpeedVerdict& speed) { return kFullSpeedRatio * speed.reference; }

// To three digits, as it is shown: who reaches the time that is shown has the points.
double rounded_down(double milliseconds) {
  const double unit = std::pow(10.0, std::floor(std::log10(milliseconds)) - 2);
  return std::floor(milliseconds / unit) * unit;
}

// A baseline that is no slower leaves nothing to tell submissions apart by; measured, the difference must also be more
// than two measurements of the same kernel ever differ by.
void require_room(SpeedVerdict& speed) {
  const double least = speed.is_modelled ? kFullSpeedRatio : kLeastMeasuredBaseline;
  if (!speed.is_gradable || speed.baseline > least * speed.reference) return;
  speed.is_gradable = false;
  speed.sentence = fmt::format(
      "the naive step ({}) is not slower than {} times the reference ({}): its instructor has to choose another case",
      time_text(speed.baseline), least, time_text(speed.reference));
}

const EntryTimes* times_of(TimedRole role, const TimingRequest& request, const TimingResult& result) {
  for (std::size_t i = 0; i < std::min(request.entries.size(), result.entries.size()); ++i)
    if (request.entries[i].role == role) return &result.entries[i];
  return nullptr;
}

void take_fastest_peer(const TimingRequest& request, const TimingResult& result, SpeedVerdict& speed) {
  for (std::size_t i = 0; i < std::min(request.entries.size(), result.entries.size()); ++i) {
    const EntryTimes& times = result.entries[i];
    if (request.entries[i].role != TimedRole::kPeer || !times.trouble.empty() || !(times.ratio.milliseconds > 0))
      continue;
    const double ratio = speed.ratio.milliseconds / times.ratio.milliseconds;
    if (ratio <= speed.peer_ratio) continue;
    speed.peer_ratio = ratio;
    speed.peer = request.entries[i].name;
  }
}

// The reference's and the naive step's time, without which nothing can be graded.
void take_marks(const TimingRequest& request, const TimingResult& result, SpeedVerdict& speed) {
  for (const TimedRole role : {TimedRole::kReference, TimedRole::kBaseline}) {
    const char* const words = role == TimedRole::kReference ? "reference" : "naive step";
    const EntryTimes* const times = times_of(role, request, result);
    if (times == nullptr || !times->trouble.empty() || !(times->time.milliseconds > 0)) {
      speed.is_gradable = false;
      speed.sentence = times != nullptr && !times->trouble.empty()
                           ? fmt::format("the {} could not be timed: {}", words, times->trouble)
                           : fmt::format("the {} is not here: your instructor's grader times it", words);
      return;
    }
    (role == TimedRole::kReference ? speed.reference : speed.baseline) = times->time.milliseconds;
  }
  speed.is_gradable = true;
  require_room(speed);
}

}  // namespace

double speed_share(const SpeedVerdict& speed) {
  // A measured ratio is taken in pairs, so that it says more than the times it is of.
  const bool is_paired = !speed.is_modelled && speed.ratio.milliseconds > 0;
  const double milliseconds = is_paired ? speed.ratio.milliseconds * speed.reference : speed.time.milliseconds;
  if (milliseconds <= full_milliseconds(speed)) return 1;
  if (milliseconds >= speed.baseline) return 0;
  return std::log(speed.baseline / milliseconds) / std::log(speed.baseline / full_milliseconds(speed));
}

double milliseconds_for_share(const SpeedVerdict& speed, double share) {
  return speed.baseline * std::pow(full_milliseconds(speed) / speed.baseline, share);
}

void take_modelled(const CounterReport& counts, const Work& work, const SpeedFile& file, SpeedVerdict& speed) {
  speed.is_modelled = true;
  speed.is_at_scale = !file.is_whole_call;
  const auto launches = counts.sums.find("launches");
  if (launches == counts.sums.end() || launches->second == 0) {
    speed.sentence = fmt::format("no kernel ran in the case '{}'", speed.case_name);
    return;
  }
  const ModelledSpan& modelled = speed.is_at_scale ? counts.modelled.at_scale : counts.modelled.call;
  if (!(modelled.nanoseconds > 0)) {
    speed.is_gradable = false;
    speed.sentence = fmt::format("the virtual GPU gave no time for the case '{}'", speed.case_name);
    return;
  }
  speed.is_known = true;
  speed.time = exactly(modelled.nanoseconds / 1e6);
  speed.samples = 1;
  speed.bound_by = modelled.bound_by;
  speed.bound_place = costliest_line(modelled.bound_counter, counts.lines);
  set_roof(work, counts.modelled.bytes_per_second, counts.modelled.flops_per_second, speed);
  const double moved = static_cast<double>(kSectorBytes * sum_of({"l2_read_sectors", "l2_write_sectors"}, counts.sums));
  if (moved < kLeastShareMoved * work.bytes)
    speed.review = fmt::format("its kernels move {} where the task is about {}: is the work done elsewhere?",
                               megabytes(moved), megabytes(work.bytes));
}

void take_growth(const SizedCall& call, const SizedCall& smaller, SpeedVerdict& speed) {
  if (!speed.is_known || !speed.is_at_scale) return;
  const auto times = [](double of, double less) { return of > 0 && less > 0 ? of / less : 1; };
  const double larger =
      std::max(times(call.work.bytes, smaller.work.bytes), times(call.work.flops, smaller.work.flops));
  if (larger <= 1) return;
  // Serial time is taken to grow with a power of the size, at most with the size itself. So is that of the kernel that
  // takes longest: the others' may hide how it grows.
  const auto at_scale = [&](double nanoseconds, double in_smaller) {
    const double exponent = std::clamp(std::log(times(nanoseconds, in_smaller)) / std::log(larger), 0.0, 1.0);
    return std::pair(exponent, exponent == 0 ? 0 : nanoseconds * std::pow(call.time.scale, exponent - 1));
  };
  const auto [exponent, all] = at_scale(call.time.serial, smaller.time.serial);
  const auto [exponent_of_longest, longest] =
      at_scale(call.time.longest_serial_kernel, smaller.time.longest_serial_kernel);
  if (exponent < kGrows) speed.lasting = smaller.time.serial_kernels / 1e6;
  if (exponent_of_longest < kGrows) speed.lasting_kernel = smaller.time.longest_serial_kernel / 1e6;
  const double milliseconds = std::round(std::max(all, longest)) / 1e6;  // whole nanoseconds, as in speed.toml
  if (milliseconds <= speed.time.milliseconds) return;
  speed.roof_fraction *= speed.time.milliseconds / milliseconds;
  speed.time = exactly(milliseconds);
  speed.bound_by = "serial work that grows with the data";
  speed.bound_place = {};
}

void compare_with_marks(const SpeedMarks* marks, const TaskFile& task, SpeedVerdict& speed) {
  if (!speed.is_gradable) return;
  if (marks == nullptr) {
    speed.is_gradable = false;
    speed.sentence = fmt::format("the lab's speed.toml has no modelled times of {} to compare with", task.name);
    return;
  }
  speed.is_modelled = true;
  speed.baseline = marks->baseline_ns / 1e6;
  speed.reference = marks->reference_ns / 1e6;
  if (speed.is_known) speed.ratio = exactly(speed.time.milliseconds / speed.reference);
  const auto share_if_it_grows = [&speed](double milliseconds) {
    SpeedVerdict grown = speed;
    grown.time = exactly(std::max(speed.time.milliseconds, milliseconds));
    return speed_share(grown);
  };
  const auto review_lasting = [&](const char* what, double milliseconds, double nanoseconds_of_steps) {
    const double times = nanoseconds_of_steps > 0 ? milliseconds * 1e6 / nanoseconds_of_steps : 0;
    const bool is_suspect = times > kMostLasting * task.speed.lasting ||
                            (times > kLongLasting * task.speed.lasting &&
                             speed_share(speed) - share_if_it_grows(milliseconds) > kMuchToLose);
    if (!is_suspect || !speed.review.empty()) return;
    speed.review = fmt::format(
        "{} {} in a row, however little data there is, {:.0f} times as long as in the lab's fast steps: is a "
        "smaller call slowed down?",
        what, time_text(milliseconds), times);
  };
  review_lasting("kernels take", speed.lasting, marks->lasting_ns);
  review_lasting("one kernel takes", speed.lasting_kernel, marks->lasting_kernel_ns);
  require_room(speed);
}

SpeedVerdict measured_speed(const TimingRequest& request, const TimingResult& result) {
  SpeedVerdict speed;
  speed.case_name = request.case_file->name;
  speed.sizes = result.sizes;
  speed.device = result.device;
  speed.clocks = result.clocks;
  const EntryTimes* const own = times_of(TimedRole::kSubmission, request, result);
  if (own == nullptr) {
    speed.sentence = "nothing was timed";
    return speed;
  }
  take_marks(request, result, speed);
  speed.samples = own->samples;
  speed.discarded = own->discarded;
  speed.review = own->review;
  if (!own->trouble.empty() || !(own->time.milliseconds > 0)) {
    if (speed.is_gradable) speed.sentence = own->trouble.empty() ? "it could not be timed" : own->trouble;
    return speed;
  }
  speed.is_known = true;
  speed.time = own->time;
  if (speed.reference > 0) speed.ratio = own->ratio;
  take_fastest_peer(request, result, speed);
  const bool is_about_arithmetic = result.work.flops > kFlopsPerByteOfBalance * result.work.bytes;
  if (!is_about_arithmetic) set_roof(result.work, result.copy_rate, 0, speed);
  if (speed.roof_fraction >= kNearTheRoof) speed.bound_by = "memory";
  return speed;
}

void set_next_threshold(double max_points, SpeedVerdict& speed) {
  speed.next_milliseconds = speed.next_points = 0;
  if (!speed.is_known || !speed.is_gradable) return;
  const double share = speed_share(speed);
  if (share >= 1) return;
  // What rounding took must not make a threshold of the points that are there already.
  speed.next_points = std::min(max_points, std::floor(max_points * share + 1e-9) + 1);
  speed.next_milliseconds = rounded_down(milliseconds_for_share(speed, speed.next_points / max_points));
}

std::string speed_text(const SpeedVerdict& speed) {
  std::string text = fmt::format("{}{}{} on {}", speed.is_modelled ? "modelled " : "", time_text(speed.time),
                                 speed.is_at_scale ? " at scale" : "", speed.device);
  if (speed.baseline > 0) {
    const double gain = speed.baseline / speed.time.milliseconds;
    const std::string ratio = ratio_text(std::max(gain, 1 / gain));
    text += ratio == ratio_text(1) ? " · as fast as naive"
                                   : fmt::format(" · {} × {} than naive", ratio, gain >= 1 ? "faster" : "slower");
  }
  if (speed.ratio.milliseconds > 0)
    text += fmt::format(" · {} × the reference's time", ratio_text(speed.ratio.milliseconds));
  if (speed.peer_ratio > 0) text += fmt::format(" · {} × the library's time", ratio_text(speed.peer_ratio));
  if (!speed.roof.empty())
    text += fmt::format(" · {:.0f} % of {}", 100 * speed.roof_fraction,
                        speed.roof == "copy" ? "what a copy reaches" : "the " + speed.roof + " roof");
  if (!speed.bound_by.empty()) {
    text += " · bound by: " + speed.bound_by;
    if (speed.bound_place.line > 0) text += fmt::format(", {}:{}", speed.bound_place.file, speed.bound_place.line);
  }
  if (speed.next_points > 0)
    text += fmt::format(" · next: ≤ {} → {:g}", time_text(speed.next_milliseconds), speed.next_points);
  return text;
}

}  // namespace lanewise
