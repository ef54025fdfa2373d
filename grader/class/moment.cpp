// ISO 8601 by hand: the C library's readers depend on the machine's time zone.
#include "grader/class/moment.h"

namespace lanewise {
namespace {

constexpr std::int64_t kSecondsInADay = 86'400;

bool is_leap(std::int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

int days_in(std::int64_t year, int month) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Consumes the expected text from the front, or notes that it was missing.
class Taker {
 public:
  explicit Taker(std::string_view text) : text_(text) {}

  int number(std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (text_.empty() || text_.front() < '0' || text_.front() > '9') {
        is_good_ = false;
        return 0;
      }
      value = 10 * value + (text_.front() - '0');
      text_.remove_prefix(1);
    }
    return value;
  }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void require(char c) { is_good_ = take(c) && is_good_; }
  void skip_digits() {
    number(1);
    while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') text_.remove_prefix(1);
  }

  bool is_good() const { return is_good_; }
  bool is_at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
  bool is_good_ = true;
};

}  // namespace

std::int64_t days_since_1970(std::int64_t year, int month, int day) {
  // Years begin in March, so that the leap day comes last; 719,468 days lie between then and 1970.
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

std::optional<IsoMoment> parse_iso_moment(std::string_view text) {
  Taker taker(text);
  const int year = taker.number(4);
  taker.require('-');
  const int month = taker.number(2);
  taker.require('-');
  const int day = taker.number(2);
  if (!taker.take('T') && !taker.take('t')) taker.require(' ');
  const int hour = taker.number(2);
  taker.require(':');
  const int minute = taker.number(2);
  int second = 0;
  if (taker.take(':')) {
    second = taker.number(2);
    if (taker.take('.')) taker.skip_digits();
  }
  int offset_minutes = 0;
  bool has_offset = taker.take('Z') || taker.take('z');
  if (!has_offset) {
    taker.take(' ');
    const int sign = taker.take('+') ? 1 : taker.take('-') ? -1 : 0;
    has_offset = sign != 0;
    if (has_offset) {
      const int hours = taker.number(2);
      taker.take(':');
      const int minutes = taker.number(2);
      if (hours > 23 || minutes > 59) return std::nullopt;
      offset_minutes = sign * (60 * hours + minutes);
    }
  }
  if (!taker.is_good() || !taker.is_at_end()) return std::nullopt;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::int64_t seconds = days_since_1970(year, month, day) * kSecondsInADay + 3600 * hour + 60 * minute + second;
  return IsoMoment{seconds - 60 * offset_minutes, has_offset};
}

}  // namespace lanewise
