// From submitted files to our own copies: list, assign to students, split into attempts, copy, unpack.
#include "grader/class/hand_ins.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "grader/class/abbreviated_list.h"
#include "grader/class/attempt_times.h"
#include "grader/class/attempts.h"
#include "grader/class/entries.h"
#include "grader/class/roster.h"
#include "grader/class/shares.h"
#include "harness/lab/number_text.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr int kMostArchivesInEachOther = 2;

// Tar files must be read completely to be listed; this is the limit for a whole class's.
constexpr std::uint64_t kLargestClass = 64ULL << 30;

// An attempt, or an archive that may contain several, being processed.
struct Coming {
  TimedHandIn hand_in;
  std::vector<KeptFile> files;
  std::vector<Entry> entries;  // of `files`, in their order
  std::optional<Entry> archive;
  std::string found_in;               // what stands before the paths of `entries`
  fs::path spooled;                   // the archive's copy
  std::optional<std::int64_t> times;  // of all files, whatever they say themselves
  bool has_source = false;
};

class Collector {
 public:
  explicit Collector(const CollectOptions& options)
      : options_(options), known_(options.known_sources), spool_(options.into / ".unpacked") {}

  ~Collector() {
    std::error_code ignored;
    fs::remove_all(spool_, ignored);
  }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  Expected<HandIns> run() {
    std::vector<Student> roster;
    if (!options_.roster.empty()) {
      auto read = read_roster(options_.roster);
      if (!read) return read.failure();
      roster = std::move(*read);
    }
    if (auto failure = prepare()) return *std::move(failure);
    std::error_code error;
    auto source = fs::is_directory(options_.input, error) ? open_folder(options_.input) : open_archive(options_.input);
    if (!source) return source.failure();
    say("looking through the submissions");
    auto listing = (*source)->list({options_.limits.entries, options_.limits.entries_each, kLargestClass});
    if (!listing) return Failure{fmt::format("{}: {}", options_.input.string(), listing.sentence())};
    leave_out_roster(listing->entries);
    unseen_ = listing->set_aside;
    for (const SetAside& each : unseen_) set_aside(each.what.empty() ? "." : each.what, each.why);

    Shares shares = share_out(listing->entries, roster, options_.known_sources);
    result_.students = std::move(shares.students);
    result_.set_aside.insert(result_.set_aside.end(), shares.set_aside.begin(), shares.set_aside.end());
    auto times = read_times(**source, *listing, shares.submission_times);
    if (!times) return times.failure();

    std::vector<Coming> coming;
    for (const Share& share : shares.shares) add_share(share, listing->entries, coming);
    say(fmt::format("copying the files of {} attempts", with_commas(coming.size())));
    if (auto failure = take(**source, coming)) return *std::move(failure);
    if (auto failure = unpack_all(coming, 1)) return *std::move(failure);
    return finished(*times, shares.submission_times);
  }

 private:
  void say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  std::optional<Failure> prepare() const {
    std::error_code error;
    const fs::path input = fs::weakly_canonical(options_.input, error);
    const fs::path into = fs::weakly_canonical(options_.into, error);
    const auto is_inside = [](const fs::path& inner, const fs::path& outer) {
      return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
    };
    if (!fs::exists(input, error))
      return Failure{fmt::format("{}: there is no such file or folder", options_.input.string())};
    if (is_inside(into, input) || is_inside(input, into))
      return Failure{
          fmt::format("{}: the copies would be among the submissions; name another folder", options_.into.string())};
    fs::remove_all(spool_, error);
    fs::create_directories(spool_, error);
    if (error) return Failure{fmt::format("{}: the folder cannot be created ({})", spool_.string(), error.message())};
    fs::permissions(options_.into, fs::perms::owner_all, error);
    return std::nullopt;
  }

  void leave_out_roster(std::vector<Entry>& entries) const {
    std::error_code error;
    if (options_.roster.empty()) return;
    const fs::path inside = fs::relative(options_.roster, options_.input, error);
    const auto is_roster = [&](const Entry& entry) { return entry.path == inside.string(); };
    entries.erase(std::remove_if(entries.begin(), entries.end(), is_roster), entries.end());
  }

  Expected<std::vector<SubmissionTime>> read_times(Source& source, const Listing& listing, const std::string& path) {
    for (const Entry& entry : listing.entries) {
      if (path.empty() || entry.path != path) continue;
      const fs::path copy = spool_ / "submissions.csv";
      const auto taken = source.take({{entry.place, copy, options_.limits.unpacked_bytes, 0}}, ~0ULL);
      if (!taken) return taken.failure();
      if (taken->front() != Taken::kYes) return Failure{fmt::format("{}: it cannot be read", safe_line(path))};
      const auto table = read_csv(copy);
      return table ? submission_times_of(*table, safe_line(path)) : table.failure();
    }
    return std::vector<SubmissionTime>();
  }

  void set_aside(const std::string& what, const std::string& why) { result_.set_aside.push_back({what, why}); }

  void say_of(const std::string& came_from, const Attempts& attempts) {
    for (const std::string& why : attempts.set_aside) set_aside(came_from, why);
    // This is unknown for anything that was not read to the end.
    const auto is_it = [&](const SetAside& each) { return each.what == came_from; };
    if (attempts.attempts.empty() && std::none_of(unseen_.begin(), unseen_.end(), is_it))
      set_aside(came_from, "there is no .cu file in it");
  }

  void add_share(const Share& share, const std::vector<Entry>& entries, std::vector<Coming>& coming) {
    Coming sample;
    sample.hand_in.student = share.student;
    sample.hand_in.number = share.attempt;
    sample.hand_in.hand_in.is_marked_late = share.is_marked_late;
    sample.hand_in.hand_in.came_from = share.came_from;
    if (!share.has_times) sample.times = 0;
    const Attempts attempts = attempts_of(entries, share.parts, known_);
    say_of(share.came_from, attempts);
    for (const Attempt& attempt : attempts.attempts) {
      Coming next = sample;
      if (share.is_loose) {
        if (attempt.archive) next.hand_in.hand_in.came_from = entries[*attempt.archive].path;
      } else if (!attempt.came_from.empty()) {
        next.hand_in.hand_in.came_from += "/" + attempt.came_from;
      }
      if (attempt.number > 0) next.hand_in.number = attempt.number;
      add_attempt(std::move(next), attempt, entries, coming);
    }
  }

  void add_attempt(Coming next, const Attempt& attempt, const std::vector<Entry>& entries,
                   std::vector<Coming>& coming) {
    const std::string& came_from = next.hand_in.hand_in.came_from;
    std::uint64_t& count = attempts_of_[next.hand_in.student];
    if (++count > options_.limits.attempts) {
      if (count == options_.limits.attempts + 1)
        set_aside(came_from, fmt::format("it is attempt number {} by this student; only the first {} are accepted",
                                         count, options_.limits.attempts));
      return;
    }
    if (attempt.files.size() > options_.limits.files) {
      set_aside(came_from, fmt::format("{} files are too many; at most {} are accepted per attempt",
                                       with_commas(attempt.files.size()), with_commas(options_.limits.files)));
      return;
    }
    next.files = attempt.files;
    for (const KeptFile& file : attempt.files) next.entries.push_back(entries[file.entry]);
    if (attempt.archive) next.archive = entries[*attempt.archive];
    const fs::path folder = options_.into / result_.students[next.hand_in.student].id;
    next.hand_in.hand_in.folder = folder / std::to_string(count);
    std::error_code ignored;
    if (fs::is_symlink(folder, ignored)) fs::remove(folder, ignored);
    fs::remove_all(next.hand_in.hand_in.folder, ignored);
    coming.push_back(std::move(next));
  }

  // Copies the files of all attempts, and their archives into the spool, in one pass over the source.
  std::optional<Failure> take(Source& source, std::vector<Coming>& coming) {
    std::vector<Wanted> wanted;
    for (std::size_t i = 0; i < coming.size(); ++i) {
      Coming& each = coming[i];
      for (std::size_t file = 0; file < each.files.size(); ++file) {
        const fs::path to = each.hand_in.hand_in.folder / each.files[file].target;
        std::error_code error;
        fs::create_directories(to.parent_path(), error);
        if (error)
          return Failure{
              fmt::format("{}: the folder cannot be created ({})", to.parent_path().string(), error.message())};
        wanted.push_back({each.entries[file].place, to, options_.limits.file_bytes, i});
      }
      if (!each.archive) continue;
      each.spooled = spool_ / std::to_string(++spooled_);
      wanted.push_back({each.archive->place, each.spooled, options_.limits.unpacked_bytes, coming.size() + i});
    }
    const auto taken = source.take(wanted, options_.limits.unpacked_bytes);
    if (!taken) return taken.failure();
    std::size_t next = 0;
    for (Coming& each : coming) {
      bool is_too_much = false;
      for (const Entry& entry : each.entries) {
        const Taken how = (*taken)[next];
        is_too_much = is_too_much || how == Taken::kTooMuch;
        note_file(each, entry, wanted[next].to, how);
        ++next;
      }
      if (each.archive && (*taken)[next++] != Taken::kYes) {
        say_not_taken(each.hand_in.hand_in.came_from, (*taken)[next - 1], options_.limits.unpacked_bytes);
        each.archive.reset();
      }
      if (is_too_much) drop(each);
    }
    return std::nullopt;
  }

  void note_file(Coming& each, const Entry& entry, const fs::path& copy, Taken how) {
    if (how == Taken::kTooMuch) return;
    if (how != Taken::kYes) {
      say_not_taken(each.found_in + entry.path, how, options_.limits.file_bytes);
      return;
    }
    const std::int64_t time = each.times.value_or(entry.time);
    if (each.times) set_time(copy, time);
    each.hand_in.hand_in.submitted = std::max(each.hand_in.hand_in.submitted, time);
    each.has_source = each.has_source || copy.extension() == ".cu";
  }

  void say_not_taken(const std::string& what, Taken how, std::uint64_t limit) {
    if (how == Taken::kTooLarge || how == Taken::kTooMuch)
      set_aside(what, fmt::format("it is larger than {} bytes, the limit", with_commas(limit)));
    else if (how == Taken::kDamaged)
      set_aside(what, "it is damaged in its archive; ask for it again");
    else
      set_aside(what, "it can no longer be read, or is not a file");
  }

  void drop(Coming& each) {
    set_aside(each.hand_in.hand_in.came_from,
              fmt::format("its files total more than {} bytes; none of them is accepted",
                          with_commas(options_.limits.unpacked_bytes)));
    std::error_code ignored;
    fs::remove_all(each.hand_in.hand_in.folder, ignored);
    each.has_source = false;
    each.archive.reset();
  }

  std::optional<Failure> unpack_all(std::vector<Coming>& coming, int depth) {
    const auto archives =
        std::count_if(coming.begin(), coming.end(), [](const Coming& c) { return c.archive.has_value(); });
    std::int64_t unpacked = 0;
    std::error_code ignored;
    for (Coming& each : coming) {
      if (each.archive) {
        if (depth == 1) say(fmt::format("unpacking {} of {}", with_commas(++unpacked), with_commas(archives)));
        if (auto failure = unpack(each, depth)) return failure;
        fs::remove(each.spooled, ignored);
      }
      if (each.has_source)
        found_.push_back(std::move(each.hand_in));
      else
        fs::remove_all(each.hand_in.hand_in.folder, ignored);
    }
    return std::nullopt;
  }

  // What lies in an archive belongs to its attempt, unless it holds several of its own.
  std::optional<Failure> unpack(Coming& outer, int depth) {
    const std::string came_from = outer.hand_in.hand_in.came_from;
    auto source = open_archive(outer.spooled);
    if (!source) return source.failure();
    const HandInLimits& limits = options_.limits;
    auto listing = (*source)->list({limits.entries_each, limits.entries_each, limits.unpacked_bytes});
    if (!listing) {
      set_aside(came_from, listing.sentence());
      return std::nullopt;
    }
    for (const SetAside& each : listing->set_aside) set_aside(came_from, each.why);
    std::vector<Part> parts;
    for (std::size_t i = 0; i < listing->entries.size(); ++i) parts.push_back({i, listing->entries[i].path});
    const Attempts attempts = attempts_of(listing->entries, parts, known_);
    say_of(came_from, attempts);

    std::vector<Coming> coming;
    AbbreviatedList too_deep;
    for (const Attempt& attempt : attempts.attempts) {
      Attempt kept = attempt;
      if (attempt.archive && depth == kMostArchivesInEachOther) {
        too_deep.add(listing->entries[*attempt.archive].path);
        kept.archive.reset();
        if (kept.files.empty()) continue;
      }
      Coming next;
      next.hand_in = outer.hand_in;
      next.hand_in.hand_in.submitted = 0;
      next.found_in = came_from + "/";
      next.times = outer.times.value_or(outer.archive->time);
      if (!kept.came_from.empty()) next.hand_in.hand_in.came_from += "/" + kept.came_from;
      if (kept.number > 0) next.hand_in.number = kept.number;
      add_attempt(std::move(next), kept, listing->entries, coming);
    }
    if (!too_deep.is_empty())
      set_aside(came_from, "archives in archives in archives are not unpacked: " + too_deep.text());
    if (auto failure = take(**source, coming)) return failure;
    give_answers(outer, coming);
    return unpack_all(coming, depth + 1);
  }

  // Answers beside the archive apply to each attempt in it that has none.
  void give_answers(const Coming& outer, const std::vector<Coming>& coming) {
    std::error_code error;
    const fs::path answers = outer.hand_in.hand_in.folder / "answers.toml";
    if (!fs::exists(answers, error)) return;
    for (const Coming& each : coming) {
      const bool has_answers = std::any_of(each.files.begin(), each.files.end(), [](const KeptFile& file) {
        return fs::path(file.target).filename() == "answers.toml";
      });
      if (has_answers || !each.has_source) continue;
      const fs::path copy = each.hand_in.hand_in.folder / "answers.toml";
      fs::copy_file(answers, copy, error);
      set_time(copy, outer.hand_in.hand_in.submitted);
    }
  }

  Expected<HandIns> finished(const std::vector<SubmissionTime>& times, const std::string& times_file) {
    settle_times(found_, result_.students, times, times_file, result_.set_aside);
    std::vector<TimedHandIn> sorted = std::move(found_);
    sort_by_time(sorted, result_.students);
    for (TimedHandIn& each : sorted) {
      each.hand_in.student = result_.students[each.student].id;
      result_.hand_ins.push_back(std::move(each.hand_in));
    }
    std::sort(result_.students.begin(), result_.students.end(), [](const Student& a, const Student& b) {
      return a.is_enrolled != b.is_enrolled ? a.is_enrolled : a.id < b.id;
    });
    return std::move(result_);
  }

  const CollectOptions& options_;
  KnownSources known_;
  fs::path spool_;
  std::uint64_t spooled_ = 0;
  std::map<std::size_t, std::uint64_t> attempts_of_;  // by student: how many there were so far
  std::vector<TimedHandIn> found_;
  std::vector<SetAside> unseen_;  // what was not listed to its end
  HandIns result_;
};

}  // namespace

Expected<HandIns> collect_hand_ins(const CollectOptions& options) { return Collector(options).run(); }

}  // namespace lanewise
