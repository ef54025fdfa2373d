// A moment: seconds since 1970 in UTC, parsed from what people and programs write.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanewise {

/// Days from 1970-01-01 to a date of the Gregorian calendar; months and days from 1.
std::int64_t days_since_1970(std::int64_t year, int month, int day);

struct IsoMoment {
  std::int64_t seconds = 0;  ///< since 1970 in UTC; read as UTC if has_offset is false
  bool has_offset = false;
};

/// "2026-11-22T19:40:00Z", "2026-11-22 19:40+01:00": seconds and their fraction are optional, the T may be a blank.
/// Nothing if the text has another form or there is no such date.
std::optional<IsoMoment> parse_iso_moment(std::string_view text);

}  // namespace lanewise
