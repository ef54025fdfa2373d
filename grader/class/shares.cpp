// Goes through the top level of the submissions, one name at a time.
#include "grader/class/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "grader/class/abbreviated_list.h"
#include "grader/class/file_names.h"
#include "grader/class/identity.h"
#include "grader/class/known_sources.h"
#include "grader/class/utf8.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

constexpr const char* kSubmissionTimes = "submissions.csv";

// One name at the top level, with everything below it.
struct Top {
  std::string path;
  std::string name;
  bool is_folder = false;
  std::vector<std::size_t> entries;  // inside it; itself if it is not a folder
};

// A file outside of folders.
struct Loose {
  std::size_t entry = 0;
  std::string path;
  std::string name;  // without the student's part
  int copy = 0;      // as CopyMark::number
  bool is_marked_late = false;
  bool has_times = true;
};

// The student that a name means, and the rest of the name.
struct Owner {
  std::optional<std::size_t> student;  // nobody: `why` says why
  std::string rest;
  std::string why;
};

class Splitter {
 public:
  Splitter(const std::vector<Entry>& entries, const std::vector<Student>& roster,
           const std::vector<std::string>& known_sources)
      : entries_(entries), roster_(roster), identities_(roster), known_(known_sources) {
    result_.students = roster;
    for (const Student& student : roster) ids_.insert(small_letters(student.id));
  }

  Shares run() {
    std::string base;
    std::vector<Top> tops = tops_of(base);
    for (const Top* lone = lone_wrapping(tops); lone != nullptr; lone = lone_wrapping(tops)) {
      note_times(tops);
      base = lone->path + "/";
      tops = tops_of(base);
    }
    note_times(tops);
    share(tops, true);
    share_loose();
    if (!others_.is_empty())
      set_aside(base.empty() ? "." : base.substr(0, base.size() - 1),
                fmt::format("{} ignored: {}", counted(others_.count(), "other file"), others_.text()));
    return std::move(result_);
  }

 private:
  static std::string counted(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? " is" : "s are");
  }

  std::vector<Top> tops_of(const std::string& base) const {
    std::map<std::string, Top> tops;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const std::string& path = entries_[i].path;
      if (path.compare(0, base.size(), base) != 0) continue;
      const std::size_t end = path.find('/', base.size());
      Top& top = tops[path.substr(base.size(), end == std::string::npos ? end : end - base.size())];
      top.path = path.substr(0, end);
      top.name = top.path.substr(base.size());
      if (end != std::string::npos || entries_[i].kind == EntryKind::kFolder) top.is_folder = true;
      if (end != std::string::npos || !top.is_folder) top.entries.push_back(i);
    }
    std::vector<Top> list;
    list.reserve(tops.size());
    for (auto& [name, top] : tops) list.push_back(std::move(top));
    return list;
  }

  // A single folder that belongs to no student, and nothing else that could.
  const Top* lone_wrapping(const std::vector<Top>& tops) const {
    const Top* lone = nullptr;
    for (const Top& top : tops) {
      const WorkKind kind = work_kind(top.name);
      const bool can_be_work =
          top.is_folder || kind == WorkKind::kSource || kind == WorkKind::kAnswers || kind == WorkKind::kArchive;
      if (!can_be_work || top.name.front() == '.') continue;
      if (lone != nullptr) return nullptr;
      lone = &top;
    }
    return lone != nullptr && lone->is_folder && !is_somebodys(*lone) ? lone : nullptr;
  }

  bool is_somebodys(const Top& folder) const {
    if (platform_name(folder.name) || !identities_.find(folder.name).empty()) return true;
    std::size_t plain_sources = 0;
    bool has_owners = false;  // names that say who owns something: then this folder is shared
    for (const Top& child : tops_of(folder.path + "/")) {
      if (platform_name(child.name) || !identities_.find(name_parts(child.name).stem).empty()) has_owners = true;
      const bool is_lab = known_.is_stem(child.name) || attempt_number(child.name) > 0;
      if (child.is_folder ? is_lab : known_.source(child.name) || work_kind(child.name) == WorkKind::kAnswers)
        return true;
      if (child.is_folder || work_kind(child.name) == WorkKind::kArchive) has_owners = true;
      if (work_kind(child.name) == WorkKind::kSource) ++plain_sources;
    }
    return !has_owners && plain_sources == 1;
  }

  void note_times(const std::vector<Top>& tops) {
    for (const Top& top : tops)
      if (!top.is_folder && small_letters(top.name) == kSubmissionTimes) result_.submission_times = top.path;
  }

  void share(const std::vector<Top>& tops, bool is_outermost) {
    for (const Top& top : tops) {
      if (!top.is_folder)
        take_file(top);
      else if (top.name.front() == '.')
        others_.add(top.name);
      else if (is_outermost && known_.is_stem(top.name) && identities_.find(top.name).empty())
        share(tops_of(top.path + "/"), false);
      else
        take_folder(top);
    }
  }

  void take_folder(const Top& top) {
    const auto platform = platform_name(top.name);
    const Owner owner = platform ? owner_by_platform(*platform) : owner_by_name(top.name);
    if (!owner.student) {
      set_aside(top.path, owner.why);
      return;
    }
    Share share;
    share.student = *owner.student;
    share.came_from = top.path;
    share.is_marked_late = platform && platform->is_late;
    for (const std::size_t entry : top.entries)
      share.parts.push_back({entry, entries_[entry].path.substr(top.path.size() + 1)});
    result_.shares.push_back(std::move(share));
  }

  void take_file(const Top& top) {
    const std::size_t entry = top.entries.front();
    const auto platform = platform_name(top.name);
    const std::string own_name = platform ? name_of_student(*platform) : top.name;
    WorkKind kind = own_name.empty() ? WorkKind::kOther : work_kind(own_name);
    const bool are_answers = kind == WorkKind::kAnswers || is_answers_of(own_name);
    if (small_letters(top.name) == kSubmissionTimes) return;
    if (kind == WorkKind::kForeignArchive) {
      set_aside(top.path, "only .zip, .tar, .tar.gz and .tgz are unpacked; ask for one of these");
      return;
    }
    if (entries_[entry].kind != EntryKind::kFile) {
      set_aside(top.path, "it is neither a file nor a folder and was not opened");
      return;
    }
    if (kind != WorkKind::kSource && kind != WorkKind::kArchive && !are_answers) {
      others_.add(top.name);
      return;
    }
    Loose loose;
    loose.entry = entry;
    loose.path = top.path;
    Owner owner;
    if (platform) {
      owner = owner_by_platform(*platform);
      owner.rest = own_name;
      if (platform->is_canvas) loose.copy = copy_mark(name_parts(platform->rest).stem).number;
      loose.is_marked_late = platform->is_late;
      loose.has_times = !platform->is_canvas;
    } else {
      owner = owner_of_file(top.name, are_answers);
    }
    if (!owner.student) {
      set_aside(top.path, owner.why);
      return;
    }
    loose.name = are_answers ? "answers.toml" : owner.rest;
    loose_[*owner.student].push_back(std::move(loose));
  }

  // Canvas numbers resubmitted files.
  static std::string name_of_student(const PlatformName& name) {
    const NameParts parts = name_parts(name.rest);
    return name.is_canvas ? copy_mark(parts.stem).stem + parts.ending : name.rest;
  }

  static bool is_answers_of(const std::string& name) {
    constexpr std::string_view kEnd = "_answers.toml";
    const std::string small = small_letters(name);
    return small.size() > kEnd.size() && small.compare(small.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
  }

  // Files of one student with the same name are separate attempts.
  void share_loose() {
    for (auto& [student, files] : loose_) {
      std::stable_sort(files.begin(), files.end(), [](const Loose& a, const Loose& b) { return a.copy < b.copy; });
      std::map<std::string, std::size_t> seen;
      std::map<std::size_t, Share> attempts;
      for (const Loose& file : files) {
        const std::size_t rank = seen[small_letters(file.name)]++;
        Share& share = attempts[rank];
        share.student = student;
        share.is_loose = true;
        share.attempt = static_cast<int>(rank) + 1;
        if (share.came_from.empty() || file.name != "answers.toml") share.came_from = file.path;
        share.is_marked_late = share.is_marked_late || file.is_marked_late;
        share.has_times = share.has_times && file.has_times;
        share.parts.push_back({file.entry, file.name});
      }
      for (auto& [rank, share] : attempts) {
        if (attempts.size() == 1) share.attempt = 0;
        result_.shares.push_back(std::move(share));
      }
    }
  }

  // Canvas numbers people; Moodle numbers them anew for each assignment, so that there the name comes first.
  Owner owner_by_platform(const PlatformName& name) {
    const bool is_anonymous = small_letters(name.person) == "participant";  // Moodle's, when marking is blind
    std::vector<std::size_t> found = identities_.find_name(name.person);
    const std::vector<std::size_t> numbered = identities_.find_number(name.number);
    const auto is_numbered = [&](std::size_t who) {
      return std::find(numbered.begin(), numbered.end(), who) != numbered.end();
    };
    const bool is_one_of_them = found.size() > 1 && std::any_of(found.begin(), found.end(), is_numbered);
    if ((name.is_canvas || is_anonymous || is_one_of_them) && !numbered.empty()) found = numbered;
    if (!found.empty()) return enrolled(found, "");
    Student student;
    student.id = safe_file_name(name.person).substr(0, 40) + "-" + name.number;
    if (is_utf8(name.person)) student.name = name.person;
    student.number = name.number;
    const std::string key = name.is_canvas ? "canvas/" + name.number : "moodle/" + name.number + "/" + name.person;
    return {not_enrolled(key, std::move(student)), "", ""};
  }

  // For a folder: the whole name, or somebody in the roster before one of its '_'.
  Owner owner_by_name(const std::string& name) {
    if (auto owner = in_roster(name)) return *owner;
    Student student;
    student.id = id_from_name(name);
    if (is_utf8(name)) student.name = name;
    return {not_enrolled("name/" + name, std::move(student)), "", ""};
  }

  Owner owner_of_file(const std::string& name, bool are_answers) {
    auto [stem, ending] = name_parts(name);
    if (are_answers && work_kind(name) != WorkKind::kAnswers)
      stem.resize(stem.size() - std::string_view("_answers").size());
    if (auto owner = in_roster(stem)) {
      owner->rest = (owner->rest.empty() ? stem : owner->rest) + ending;
      return *owner;
    }
    const std::string plain = copy_mark(stem).stem;
    if (known_.is_stem(plain) || work_kind(name) == WorkKind::kAnswers)
      return {std::nullopt, "", "it is unclear whose it is; put the student's id and a '_' before its name"};
    if (const auto end = known_.end_of_owner(plain)) {
      Owner owner = owner_by_name(stem.substr(0, *end));
      owner.rest = stem.substr(*end + 1) + ending;
      return owner;
    }
    const std::size_t mark = stem.find('_');
    const bool is_split = mark != std::string::npos && mark > 0 && mark + 1 < stem.size();
    if (is_split && known_.is_stem(stem.substr(0, mark))) {
      Owner owner = owner_by_name(stem.substr(mark + 1));
      owner.rest = stem.substr(0, mark) + ending;
      return owner;
    }
    Owner owner = owner_by_name(is_split ? stem.substr(0, mark) : stem);
    owner.rest = (is_split ? stem.substr(mark + 1) : stem) + ending;
    return owner;
  }

  // The student in the roster named by all of `text`, or by the part before one of its '_', longest first.
  std::optional<Owner> in_roster(const std::string& text) {
    for (std::size_t end = text.size(); end != std::string::npos && end > 0; end = text.rfind('_', end - 1)) {
      const std::vector<std::size_t> found = identities_.find(text.substr(0, end));
      if (!found.empty()) return enrolled(found, end < text.size() ? text.substr(end + 1) : "");
    }
    return std::nullopt;
  }

  Owner enrolled(const std::vector<std::size_t>& found, const std::string& rest) const {
    if (found.size() == 1) return {found.front(), rest, ""};
    AbbreviatedList names;
    for (const std::size_t who : found) names.add(fmt::format("{} ({})", roster_[who].id, roster_[who].name));
    return {std::nullopt, "",
            fmt::format("it may belong to any of {} students: {}; replace the name with the right id", found.size(),
                        names.text())};
  }

  // `key` identifies a student who is not in the roster.
  std::size_t not_enrolled(const std::string& key, Student student) {
    const auto known = others_by_key_.find(key);
    if (known != others_by_key_.end()) return known->second;
    if (!ids_.insert(small_letters(student.id)).second) {
      student.id = numbered_id_from_name(key);
      ids_.insert(small_letters(student.id));
    }
    others_by_key_[key] = result_.students.size();
    result_.students.push_back(std::move(student));
    return result_.students.size() - 1;
  }

  void set_aside(const std::string& what, const std::string& why) { result_.set_aside.push_back({what, why}); }

  const std::vector<Entry>& entries_;
  const std::vector<Student>& roster_;
  Identities identities_;
  KnownSources known_;
  std::set<std::string> ids_;  // in small letters
  std::map<std::string, std::size_t> others_by_key_;
  std::map<std::size_t, std::vector<Loose>> loose_;
  AbbreviatedList others_;
  Shares result_;
};

}  // namespace

Shares share_out(const std::vector<Entry>& entries, const std::vector<Student>& roster,
                 const std::vector<std::string>& known_sources) {
  return Splitter(entries, roster, known_sources).run();
}

}  // namespace lanewise
