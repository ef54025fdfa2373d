// Chooses a unit and the number of decimals.
#include "harness/lab/time_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "harness/lab/number_text.h"

namespace lanewise {
namespace {

struct Scale {
  double per_millisecond = 1;
  const char* unit = "ms";
  int decimals = 0;
};

// The bounds lie where rounding to three digits reaches the next unit or drops a decimal.
Scale scale_of(double milliseconds) {
  Scale scale;
  if (milliseconds < 0.09995) scale = {1e3, "µs"};
  if (milliseconds >= 999.5) scale = {1e-3, "s"};
  const double value = milliseconds * scale.per_millisecond;
  scale.decimals = value < 0.9995 ? 3 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return scale;
}

}  // namespace

std::string time_text(double milliseconds) { return time_text({milliseconds, milliseconds, milliseconds}); }

std::string time_text(const TimeEstimate& time) {
  const Scale scale = scale_of(time.milliseconds);
  const double value = time.milliseconds * scale.per_millisecond;
  const double half = (time.high - time.low) / 2 * scale.per_millisecond;
  if (!(half > 0)) return fmt::format("{:.{}f} {}", value, scale.decimals, scale.unit);
  // An interval narrower than the last digit is not shown as zero.
  const double least = std::pow(10.0, -scale.decimals);
  return fmt::format("{:.{}f} ± {:.{}f} {}", value, scale.decimals, std::max(half, least), scale.decimals, scale.unit);
}

std::string ratio_text(double ratio) {
  if (ratio >= 999.5) return with_commas(static_cast<std::int64_t>(std::llround(ratio)));
  return fmt::format("{:.{}f}", ratio, ratio < 0.995 ? 2 : ratio < 9.95 ? 1 : 0);
}

}  // namespace lanewise
