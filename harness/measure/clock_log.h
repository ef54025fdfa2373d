// What the device's clocks, temperature and limits were while it was timed, as the driver's management library tells.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/measure/floor.h"

namespace lanewise::measure {

/// One look at the device. 0: not known.
struct ClockReading {
  unsigned sm_clock = 0;         ///< MHz
  unsigned temperature = 0;      ///< °C
  std::uint64_t throttling = 0;  ///< bits of NVML's clock event reasons
};

/// What stays as it is.
struct ClockFacts {
  std::string driver_version;  ///< "580.65.06"
  unsigned default_clock = 0;  ///< MHz of the multiprocessors: what applications get if nobody asks for another;
                               ///< consumer boards have none, and never reach their highest under load
  unsigned highest_clock = 0;  ///< MHz
  MemoryAndCores device;
};

/// Reads and remembers. Works without NVML, without a device or with one that does not tell: it then knows nothing.
class ClockLog {
 public:
  /// `bus_id`: of the device, "00000000:1B:00.0"; empty: the only one there is, nothing if there are several. `library`
  /// is loaded now and stays loaded.
  explicit ClockLog(const std::string& bus_id, const std::string& library = "libnvidia-ml.so.1");
  ~ClockLog();
  ClockLog(const ClockLog&) = delete;
  ClockLog& operator=(const ClockLog&) = delete;

  bool is_known() const;
  const ClockFacts& facts() const { return facts_; }

  /// Looks now (some 50 µs), and remembers.
  ClockReading read();

  /// Of all readings: "1,980 MHz, 41 °C, no throttling", "1,410–1,980 MHz, 78–84 °C, throttled: power limit"; empty if
  /// nothing is known.
  std::string summary() const;

 private:
  struct Calls;

  std::unique_ptr<Calls> calls_;  // null where nothing is known
  ClockFacts facts_;
  ClockReading least_;
  ClockReading most_;  // and every reason that was ever given
};

/// "power limit, heat"; empty of reasons that are none: an idle device, clocks that were asked for.
std::string throttle_reasons(std::uint64_t throttling);

}  // namespace lanewise::measure
