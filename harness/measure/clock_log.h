// The device's clocks, temperature and limits during timing, as reported by the driver's management library.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/measure/floor.h"

namespace lanewise::measure {

/// One reading of the device. 0: not known.
struct ClockReading {
  unsigned sm_clock = 0;         ///< MHz
  unsigned temperature = 0;      ///< °C
  std::uint64_t throttling = 0;  ///< bits of NVML's clock event reasons
};

/// What does not change.
struct ClockFacts {
  std::string driver_version;  ///< "580.65.06"
  unsigned default_clock = 0;  ///< MHz of the multiprocessors: what applications get by default;
                               ///< consumer boards have none, and never reach their highest clock under load
  unsigned highest_clock = 0;  ///< MHz
  MemoryAndCores device;
};

/// Reads and remembers. Also works without NVML, without a device, or with one that reports nothing; it then knows
/// nothing.
class ClockLog {
 public:
  /// `bus_id`: the device's, "00000000:1B:00.0"; empty: the only device, or none if there are several. `library` is
  /// loaded now and stays loaded.
  explicit ClockLog(const std::string& bus_id, const std::string& library = "libnvidia-ml.so.1");
  ~ClockLog();
  ClockLog(const ClockLog&) = delete;
  ClockLog& operator=(const ClockLog&) = delete;

  bool is_known() const;
  const ClockFacts& facts() const { return facts_; }

  /// Takes a reading now (about 50 µs), and remembers it.
  ClockReading read();

  /// Over all readings: "1,980 MHz, 41 °C, no throttling", "1,410–1,980 MHz, 78–84 °C, throttled: power limit"; empty
  /// if nothing is known.
  std::string summary() const;

 private:
  struct Calls;

  std::unique_ptr<Calls> calls_;  // null if nothing is known
  ClockFacts facts_;
  ClockReading least_;
  ClockReading most_;  // and every reason ever given
};

/// "power limit, heat"; omits reasons that are not throttling: an idle device, requested clocks.
std::string throttle_reasons(std::uint64_t throttling);

}  // namespace lanewise::measure
