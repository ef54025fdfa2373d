// Files from an untrusted folder: every part of a path is opened separately, and no link is followed.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>

#include "grader/class/copy_blocks.h"
#include "grader/class/entries.h"
#include "grader/class/file_names.h"
#include "grader/class/open_file.h"
#include "harness/lab/number_text.h"

namespace lanewise {
namespace {

constexpr int kDeepest = 16;  // nested folders; each is held open while it is walked
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
// O_NONBLOCK: opening a pipe would wait for somebody who writes to it.
constexpr int kFileFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

EntryKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return EntryKind::kFile;
  if (S_ISDIR(mode)) return EntryKind::kFolder;
  if (S_ISLNK(mode)) return EntryKind::kSymbolicLink;
  if (S_ISFIFO(mode)) return EntryKind::kPipe;
  if (S_ISSOCK(mode)) return EntryKind::kSocket;
  return EntryKind::kDevice;
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// What is left of ListLimits::entries_each for one thing in the outermost folder.
struct FolderShare {
  std::string top;
  std::uint64_t left = 0;
  bool has_said_deep = false;
};

class FolderSource : public Source {
 public:
  explicit FolderSource(OpenFile root) : root_(std::move(root)) {}

  Expected<Listing> list(const ListLimits& limits) override {
    listing_ = {};
    limits_ = limits;
    OpenFile top(openat(root_.descriptor(), ".", kFolderFlags));
    if (!top) return Failure{fmt::format("cannot be opened ({})", std::strerror(errno))};
    walk_outermost(std::move(top), "", 0);
    std::sort(listing_.entries.begin(), listing_.entries.end(),
              [](const Entry& a, const Entry& b) { return a.path < b.path; });
    for (std::size_t i = 0; i < listing_.entries.size(); ++i) listing_.entries[i].place = i;
    return listing_;
  }

  Expected<std::vector<Taken>> take(const std::vector<Wanted>& wanted, std::uint64_t purse_bytes) override {
    std::vector<Taken> taken;
    std::map<std::size_t, std::uint64_t> purses;
    for (const Wanted& each : wanted) {
      std::uint64_t& purse = purses.emplace(each.purse, purse_bytes).first->second;
      auto result = take_one(listing_.entries.at(each.place).path, each, purse);
      if (!result) return result.failure();
      taken.push_back(*result);
    }
    return taken;
  }

 private:
  // The entries of one folder, at most `most`; false if there are more.
  bool read_names(const OpenFile& folder, const std::string& prefix, std::uint64_t most, std::vector<Entry>& entries) {
    OpenFile again(openat(folder.descriptor(), ".", kFolderFlags));
    const std::unique_ptr<DIR, CloseFolder> stream(again ? fdopendir(again.descriptor()) : nullptr);
    if (!stream) {
      listing_.set_aside.push_back(
          {prefix, fmt::format("this folder cannot be opened ({}); nothing in it is accepted", std::strerror(errno))});
      return true;
    }
    again.release();  // the stream closes it
    while (const dirent* found = readdir(stream.get())) {
      const std::string_view name = found->d_name;
      if (name == "." || name == ".." || work_kind(found->d_name) == WorkKind::kOfTheFileManager) continue;
      if (entries.size() == most) return false;
      struct stat about = {};
      if (fstatat(folder.descriptor(), found->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;  // gone meanwhile
      Entry entry;
      entry.path = prefix.empty() ? std::string(name) : prefix + "/" + std::string(name);
      entry.kind = kind_of(about.st_mode);
      entry.bytes = static_cast<std::uint64_t>(about.st_size);
      entry.time = std::max<std::int64_t>(0, about.st_mtim.tv_sec);
      entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
    return true;
  }

  OpenFile open_child(const OpenFile& parent, const Entry& child) {
    const std::string name = child.path.substr(child.path.rfind('/') + 1);
    OpenFile folder(openat(parent.descriptor(), name.c_str(), kFolderFlags));
    if (!folder)
      listing_.set_aside.push_back(
          {child.path,
           fmt::format("this folder cannot be opened ({}); nothing in it is accepted", std::strerror(errno))});
    return folder;
  }

  static bool is_walked(const Entry& entry) {
    return entry.kind == EntryKind::kFolder && entry.path[entry.path.rfind('/') + 1] != '.';
  }

  std::uint64_t left_in_all() const {
    return limits_.entries - std::min<std::uint64_t>(limits_.entries, listing_.entries.size());
  }

  // Down to the first folder that holds more than one; its folders are what a single student can fill.
  void walk_outermost(OpenFile folder, const std::string& prefix, int depth) {
    std::vector<Entry> entries;
    const bool is_whole = read_names(folder, prefix, left_in_all(), entries);
    listing_.entries.insert(listing_.entries.end(), entries.begin(), entries.end());
    if (!is_whole) say_full(prefix);
    const auto folders = std::count_if(entries.begin(), entries.end(), is_walked);
    for (const Entry& entry : entries) {
      if (!is_walked(entry)) continue;
      OpenFile child = open_child(folder, entry);
      if (!child) continue;
      if (folders == 1 && depth < kDeepest) {
        walk_outermost(std::move(child), entry.path, depth + 1);
        continue;
      }
      FolderShare share{entry.path, std::min(limits_.entries_each, left_in_all()), false};
      const std::size_t before = listing_.entries.size();
      if (walk(child, entry.path, depth + 1, share)) continue;
      listing_.entries.resize(before);
      if (left_in_all() < limits_.entries_each)
        say_full(entry.path);
      else
        listing_.set_aside.push_back(
            {entry.path, fmt::format("it contains more than {} files and folders; nothing in it is accepted",
                                     with_commas(limits_.entries_each))});
    }
  }

  bool walk(const OpenFile& folder, const std::string& prefix, int depth, FolderShare& share) {
    if (depth > kDeepest) {
      if (!share.has_said_deep)
        listing_.set_aside.push_back(
            {share.top, fmt::format("it has folders nested more than {} deep; they are ignored", kDeepest)});
      share.has_said_deep = true;
      return true;
    }
    std::vector<Entry> entries;
    if (!read_names(folder, prefix, share.left, entries)) return false;
    share.left -= entries.size();
    listing_.entries.insert(listing_.entries.end(), entries.begin(), entries.end());
    for (const Entry& entry : entries) {
      if (!is_walked(entry)) continue;
      if (const OpenFile child = open_child(folder, entry); child && !walk(child, entry.path, depth + 1, share))
        return false;
    }
    return true;
  }

  void say_full(const std::string& where) {
    listing_.set_aside.push_back(
        {where.empty() ? "." : where,
         fmt::format("more than {} files and folders were submitted; this folder was not read to the end",
                     with_commas(limits_.entries))});
  }

  Expected<Taken> take_one(const std::string& path, const Wanted& wanted, std::uint64_t& purse) {
    std::string_view rest = path;
    OpenFile folder(openat(root_.descriptor(), ".", kFolderFlags));
    for (std::size_t slash = rest.find('/'); folder && slash != std::string_view::npos; slash = rest.find('/')) {
      folder = OpenFile(openat(folder.descriptor(), std::string(rest.substr(0, slash)).c_str(), kFolderFlags));
      rest.remove_prefix(slash + 1);
    }
    if (!folder) return Taken::kNoFile;
    const OpenFile file(openat(folder.descriptor(), std::string(rest).c_str(), kFileFlags));
    struct stat about = {};
    if (!file || fstat(file.descriptor(), &about) != 0 || !S_ISREG(about.st_mode)) return Taken::kNoFile;
    if (static_cast<std::uint64_t>(about.st_size) > wanted.most_bytes) return Taken::kTooLarge;  // without reading it
    const auto read_block = [&](char* block, std::size_t room) { return read(file.descriptor(), block, room); };
    return copy_blocks(wanted, std::max<std::int64_t>(0, about.st_mtim.tv_sec), Taken::kNoFile, purse, read_block);
  }

  OpenFile root_;
  ListLimits limits_;
  Listing listing_;
};

}  // namespace

Expected<std::unique_ptr<Source>> open_folder(const std::filesystem::path& folder) {
  OpenFile root(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));  // ours: it may be a link
  if (!root) return Failure{fmt::format("{}: the folder cannot be opened ({})", folder.string(), std::strerror(errno))};
  return std::unique_ptr<Source>(std::make_unique<FolderSource>(std::move(root)));
}

}  // namespace lanewise
