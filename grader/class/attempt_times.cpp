// Combines what files, numbers and submissions.csv say.
#include "grader/class/attempt_times.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "grader/class/identity.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Cuts the number that a text begins with off it, without the zeros in front.
std::string_view cut_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

// Whether `a` comes before `b`: numbers in them by their value, all else by its bytes.
bool comes_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view left = cut_number(a);
      const std::string_view right = cut_number(b);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
      continue;
    }
    if (a.front() != b.front()) return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

void set_times(TimedHandIn& each, std::int64_t seconds) {
  each.hand_in.submitted = seconds;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(each.hand_in.folder, error))
    if (entry.is_regular_file(error)) set_time(entry.path(), seconds);
}

void forget_contradictions(std::vector<TimedHandIn>& hand_ins) {
  std::map<std::size_t, std::vector<TimedHandIn*>> numbered;
  for (TimedHandIn& each : hand_ins)
    if (each.number > 0) numbered[each.student].push_back(&each);
  for (auto& [student, attempts] : numbered) {
    std::sort(attempts.begin(), attempts.end(),
              [](const TimedHandIn* a, const TimedHandIn* b) { return a->number < b->number; });
    const auto falls = [](const TimedHandIn* a, const TimedHandIn* b) {
      return a->number < b->number && a->hand_in.submitted > b->hand_in.submitted;
    };
    if (std::adjacent_find(attempts.begin(), attempts.end(), falls) == attempts.end()) continue;
    for (TimedHandIn* each : attempts) set_times(*each, 0);
  }
}

}  // namespace

void set_time(const fs::path& file, std::int64_t seconds) {
  const timespec moment = {static_cast<time_t>(seconds), 0};
  const timespec both[2] = {moment, moment};
  utimensat(AT_FDCWD, file.c_str(), both, AT_SYMLINK_NOFOLLOW);
}

void settle_times(std::vector<TimedHandIn>& hand_ins, const std::vector<Student>& students,
                  const std::vector<SubmissionTime>& times, const std::string& times_file,
                  std::vector<SetAside>& set_aside) {
  forget_contradictions(hand_ins);
  const Identities identities(students);
  for (const SubmissionTime& time : times) {
    const std::vector<std::size_t> who = identities.find(time.student);
    bool is_used = false;
    for (TimedHandIn& each : hand_ins) {
      if (who.size() != 1 || each.student != who.front()) continue;
      if (!is_meant(time.which, each.hand_in.came_from, each.number)) continue;
      set_times(each, time.submitted);
      is_used = true;
    }
    if (is_used) continue;
    const std::string where = fmt::format("{}:{}", times_file, time.line);
    const std::string student = safe_line(time.student);
    if (who.size() > 1)
      set_aside.push_back({where, fmt::format("'{}' may be any of {} students; write the id", student, who.size())});
    else if (who.empty())
      set_aside.push_back({where, fmt::format("'{}' is not a student who submitted anything", student)});
    else
      set_aside.push_back({where, fmt::format("{} submitted nothing named '{}'", student, safe_line(time.which))});
  }
}

void sort_by_time(std::vector<TimedHandIn>& hand_ins, const std::vector<Student>& students) {
  std::sort(hand_ins.begin(), hand_ins.end(), [&](const TimedHandIn& a, const TimedHandIn& b) {
    const auto key = [&](const TimedHandIn& each) {
      return std::tie(students[each.student].id, each.hand_in.submitted, each.number);
    };
    if (key(a) != key(b)) return key(a) < key(b);
    if (comes_before(a.hand_in.came_from, b.hand_in.came_from)) return true;
    return !comes_before(b.hand_in.came_from, a.hand_in.came_from) && a.hand_in.folder < b.hand_in.folder;
  });
}

}  // namespace lanewise
