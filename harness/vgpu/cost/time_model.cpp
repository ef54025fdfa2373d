#include "harness/vgpu/cost/time_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/vgpu/cost/memory_traffic.h"
#include "harness/vgpu/cost/sectored_cache.h"

namespace vgpu {
namespace {

double as_double(std::uint64_t value) { return static_cast<double>(value); }

double share(std::uint64_t of, std::uint64_t whole) {
  return whole == 0 ? 0 : std::min(1.0, as_double(of) / as_double(whole));
}

std::uint64_t rounds(std::uint64_t things, std::uint64_t at_a_time) {
  return (things + at_a_time - 1) / std::max<std::uint64_t>(at_a_time, 1);
}

/// How a launch's blocks fall to the device.
struct Spread {
  double at_a_time = 0;  ///< blocks
  double of_sm = 0;      ///< of all work, what the multiprocessor with the most blocks has to do
  double waves = 0;      ///< of blocks, one after the other
  bool is_whole = true;  ///< rather than a part of a larger one
};

Spread as_it_is(const LaunchWork& work, const DeviceProfile& profile) {
  return {as_double(std::min(work.blocks, work.resident_blocks)),
          as_double(rounds(work.blocks, profile.sm_count)) / as_double(work.blocks),
          as_double(rounds(work.blocks, work.resident_blocks)), true};
}

Spread at_scale(const LaunchWork& work, const DeviceProfile& profile) {
  return {as_double(work.resident_blocks), 1.0 / profile.sm_count,
          as_double(work.blocks) / as_double(work.resident_blocks), false};
}

/// The same work where nothing was left in the second level.
LaunchWork without_left(LaunchWork work) {
  const auto from_dram = [](WarpPath& path) { path.dram_waits += std::exchange(path.left_waits, 0); };
  from_dram(work.longest_path), from_dram(work.furthest_path), from_dram(work.chain), from_dram(work.sum_of_paths);
  work.l2_hits -= std::exchange(work.left_hits, 0);
  work.dram_bytes += std::exchange(work.left_bytes, 0);
  return work;
}

/// Clocks that a warp waits for its reads, on average over the launch: where they find what they ask for. `dram`: how
/// long they wait for DRAM.
double global_wait(const LaunchWork& work, const DeviceProfile& profile, double dram) {
  const double past_l1 = work.load_sectors == 0 ? 1 : share(work.l2_read_sectors, work.load_sectors);
  const double past_l2 = 1 - share(work.l2_hits, work.l2_read_sectors);
  const double l2_wait = profile.latency.l2 + past_l2 * (dram - profile.latency.l2);
  return profile.latency.l1 + past_l1 * (l2_wait - profile.latency.l1);
}

/// `global`: of a wait of which it is not known what it finds where; `dram`: for DRAM.
double clocks_of(const WarpPath& path, double global, double dram, const DeviceProfile& profile) {
  const auto waits = [](std::int64_t count, double each) { return static_cast<double>(count) * each; };
  return static_cast<double>(path.clocks) + waits(path.shared_waits, profile.latency.shared) +
         waits(path.l1_waits, profile.latency.l1) + waits(path.l2_waits + path.left_waits, profile.latency.l2) +
         waits(path.dram_waits, dram) + waits(path.global_waits, global);
}

/// Waves of blocks, each as long as a block is on average; at least until the last block is done. See
/// LaunchTime::at_scale for a part of a larger launch.
double latency_clocks(const LaunchWork& work, const DeviceProfile& profile, const Spread& spread, double dram) {
  const double global = global_wait(work, profile, dram);
  const double average = clocks_of(work.sum_of_paths, global, dram, profile) / as_double(work.blocks);
  const double longest = clocks_of(work.longest_path, global, dram, profile);
  const double furthest = clocks_of(work.furthest_path, global, dram, profile);
  const double all = spread.waves * (average + profile.latency.block);
  if (spread.is_whole) return std::max(furthest + profile.latency.block, all);
  return std::max({all, clocks_of(work.chain, global, dram, profile), (longest - average) / std::sqrt(kScale)});
}

/// The busier the bus, the longer the queues for it, and the longer a read takes; the longer reads take, the less busy
/// the bus. `others`: what the launch takes at least. Looks for the time that fits both.
double latency_nanoseconds(const LaunchWork& work, const DeviceProfile& profile, const Spread& spread, double dram,
                           double others) {
  const auto latency_if = [&](double busy) {
    const double queues = busy * (static_cast<double>(profile.latency.busy_dram) - profile.latency.dram);
    return latency_clocks(work, profile, spread, profile.latency.dram + queues) / profile.gigahertz();
  };
  double low = std::max(others, latency_if(0)), high = std::max(others, latency_if(1));
  constexpr int kHalvings = 40;  // of a range that is a few times as wide as where it begins
  for (int n = 0; n < kHalvings && low < high; ++n) {
    const double middle = (low + high) / 2;
    (latency_if(std::min(1.0, dram / middle)) > middle ? low : high) = middle;
  }
  return latency_if(std::min(1.0, dram / std::max(high, 1.0)));
}

/// What each part of a multiprocessor alone would take; `of_all`: its share of all work.
std::array<double, kBounds> multiprocessor_parts(const LaunchWork& work, const DeviceProfile& profile, double of_all) {
  std::array<double, kBounds> parts{};
  const auto part = [&](Bound bound) -> double& { return parts[static_cast<std::size_t>(bound)]; };
  const double sm = of_all / profile.gigahertz();

  part(Bound::kIssue) = as_double(work.issues) / issues_per_clock(profile) * sm;
  const std::array<std::uint32_t, kUnits> lanes = {0,
                                                   profile.fp32_fmas,
                                                   profile.fp64_fmas,
                                                   profile.int32_lanes,
                                                   profile.special_lanes,
                                                   profile.memory_lanes,
                                                   profile.tensor_fmas};
  for (std::size_t unit = 1; unit < kUnits; ++unit) {
    constexpr double kLanesOfWarp = 32;
    const double uses = as_double(work.unit_uses[unit]) * kLanesOfWarp / std::max(lanes[unit], 1u) * sm;
    double& longest = part(unit == static_cast<std::size_t>(Unit::kMemory) ? Bound::kL1 : Bound::kArithmetic);
    longest = std::max(longest, uses);
  }

  // One path for data serves shared memory and the first-level cache alike: the larger one is blamed for both.
  struct Wavefronts {
    Bound bound;
    std::uint64_t count;
  };
  const Wavefronts wavefronts[] = {{Bound::kShared, work.shared_wavefronts},
                                   {Bound::kSharedAtomics, work.shared_atomic_wavefronts},
                                   {Bound::kL1, work.l1_wavefronts}};
  std::uint64_t all = 0;
  const Wavefronts* most = wavefronts;
  for (const Wavefronts& some : wavefronts) {
    part(some.bound) = std::max(part(some.bound), as_double(some.count) * sm);
    all += some.count;
    if (some.count > most->count) most = &some;
  }
  part(most->bound) = std::max(part(most->bound), as_double(all) * sm);

  part(Bound::kMatch) = as_double(work.match_turns) * profile.rates.match_clocks * sm;
  return parts;
}

/// Sectors of local memory for which caches of so many bytes have no room, if all threads come back to what is theirs
/// after all others have.
double local_past(const LaunchWork& work, const Spread& spread, double cache_bytes) {
  const double used = as_double(work.local_bytes) * spread.at_a_time;
  return used <= cache_bytes ? 0 : as_double(work.local_sectors) * (1 - cache_bytes / used);
}

/// What each part alone would take, but for the launch.
std::array<double, kBounds> parts_of(const LaunchWork& work, const DeviceProfile& profile, const Spread& spread) {
  std::array<double, kBounds> parts = multiprocessor_parts(work, profile, spread.of_sm);
  const auto part = [&](Bound bound) -> double& { return parts[static_cast<std::size_t>(bound)]; };
  const double clock_ns = 1 / profile.gigahertz();
  const CacheSizes caches = cache_sizes_of(profile);
  const double l1_bytes = as_double(caches.l1_bytes) * profile.sm_count;
  const double l2_sectors =
      as_double(work.l2_read_sectors + work.l2_write_sectors) + local_past(work, spread, l1_bytes);
  const double dram_sectors = local_past(work, spread, l1_bytes + as_double(caches.l2_bytes));
  part(Bound::kL2) = l2_sectors * kSectorBytes / profile.rates.l2_bytes_per_clock * clock_ns;
  part(Bound::kDram) = (as_double(work.dram_bytes) + dram_sectors * kSectorBytes) / profile.dram_bytes_per_nanosecond();
  constexpr double kNanosecondsOfMicrosecond = 1e3;
  part(Bound::kHost) = as_double(work.host_bytes) * kNanosecondsOfMicrosecond / profile.rates.host_megabytes_per_second;
  constexpr double kNanosecondsOfPicosecond = 1e-3;
  part(Bound::kAtomics) =
      std::max(as_double(work.atomic_turns) / profile.rates.atomic_turns_per_clock * clock_ns,
               as_double(work.hottest_turns) * profile.rates.atomic_line_picoseconds * kNanosecondsOfPicosecond);
  const double others = *std::max_element(parts.begin(), parts.end());
  part(Bound::kLatency) = latency_nanoseconds(work, profile, spread, part(Bound::kDram), others);
  return parts;
}

/// See LaunchTime::serial, which adds the launch.
double serial_nanoseconds(const LaunchWork& work, const DeviceProfile& profile) {
  const auto parts = multiprocessor_parts(work, profile, 1 / as_double(work.blocks));
  const double dram = profile.latency.dram;
  const double path = clocks_of(work.furthest_path, global_wait(work, profile, dram), dram, profile);
  return std::max(*std::max_element(parts.begin(), parts.end()), (path + profile.latency.block) / profile.gigahertz());
}

Bound longest_of(const std::array<double, kBounds>& parts) {
  return static_cast<Bound>(std::max_element(parts.begin(), parts.end()) - parts.begin());
}

}  // namespace

double issues_per_clock(const DeviceProfile& profile) {
  constexpr double kPercent = 100;
  return profile.sub_partitions * (profile.rates.issue_percent / kPercent);
}

LaunchWork operator-(LaunchWork all, const LaunchWork& before) {
  for (std::size_t unit = 0; unit < kUnits; ++unit) all.unit_uses[unit] -= before.unit_uses[unit];
  constexpr std::uint64_t LaunchWork::*kSums[] = {
      &LaunchWork::issues,        &LaunchWork::shared_wavefronts, &LaunchWork::shared_atomic_wavefronts,
      &LaunchWork::l1_wavefronts, &LaunchWork::load_sectors,      &LaunchWork::l2_read_sectors,
      &LaunchWork::l2_hits,       &LaunchWork::l2_write_sectors,  &LaunchWork::dram_bytes,
      &LaunchWork::left_hits,     &LaunchWork::left_bytes,        &LaunchWork::atomic_turns,
      &LaunchWork::match_turns,   &LaunchWork::local_sectors};
  for (const auto sum : kSums) all.*sum -= before.*sum;
  return all;
}

const char* name_of(Bound bound) {
  switch (bound) {
    case Bound::kLaunch:
      return "launches";
    case Bound::kLatency:
      return "latency";
    case Bound::kIssue:
      return "instruction issue";
    case Bound::kArithmetic:
      return "arithmetic";
    case Bound::kShared:
      return "shared memory";
    case Bound::kSharedAtomics:
      return "atomics in shared memory";
    case Bound::kL1:
      return "L1 cache";
    case Bound::kL2:
      return "L2 cache";
    case Bound::kDram:
      return "memory";
    case Bound::kAtomics:
      return "atomics";
    case Bound::kMatch:
      return "__match_any_sync";
    case Bound::kHost:
      return "memory of the host";
  }
  return "";
}

LaunchTime time_of(const LaunchWork& work, const DeviceProfile& profile) {
  LaunchTime time;
  const double launch = work.is_in_graph ? profile.rates.graph_launch_nanoseconds : profile.rates.launch_nanoseconds;
  time.nanoseconds = launch;
  time.at_scale = time.nanoseconds / kScale;
  time.serial = time.nanoseconds;
  if (work.blocks != 0) {
    time.parts = parts_of(work, profile, as_it_is(work, profile));
    const auto longest = std::max_element(time.parts.begin(), time.parts.end());
    if (*longest > time.nanoseconds) time.bound = static_cast<Bound>(longest - time.parts.begin());
    time.nanoseconds += *longest;
    const std::array<double, kBounds> filled = parts_of(without_left(work), profile, at_scale(work, profile));
    const auto most = std::max_element(filled.begin(), filled.end());
    if (*most > time.at_scale) time.bound_at_scale = static_cast<Bound>(most - filled.begin());
    time.at_scale += *most;
    time.serial += serial_nanoseconds(work, profile);
  }
  time.parts[static_cast<std::size_t>(Bound::kLaunch)] = launch;
  return time;
}

void KernelTime::add(const LaunchTime& launch) {
  for (std::size_t n = 0; n < kBounds; ++n) parts[n] += launch.parts[n];
  by_bound[static_cast<std::size_t>(launch.bound)] += launch.nanoseconds;
  by_bound_at_scale[static_cast<std::size_t>(launch.bound_at_scale)] += launch.at_scale;
  nanoseconds += launch.nanoseconds;
  at_scale += launch.at_scale;
}

Bound KernelTime::bound() const { return longest_of(by_bound); }

Bound KernelTime::bound_at_scale() const { return longest_of(by_bound_at_scale); }

}  // namespace vgpu
