// What the name of a submitted file says: by whom, which attempt, what it is. Also names that are safe to write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lanewise {

/// The information that a learning platform's download puts into a name.
struct PlatformName {
  std::string person;    ///< "doejane" (Canvas), "Jane Doe" (Moodle)
  std::string number;    ///< the platform's number of the person
  bool is_late = false;  ///< marked late
  bool is_canvas = false;
  std::string rest;  ///< the student's own file name; empty for Moodle's folders
};

/// Canvas: "doejane_LATE_501_67890_scan-1.cu". Moodle: "Jane Doe_4711_assignsubmission_file_", with or without the last
/// underscore and a file's name.
std::optional<PlatformName> platform_name(const std::string& name);

enum class WorkKind : std::uint8_t {
  kSource,            ///< *.cu
  kAnswers,           ///< answers.toml
  kArchive,           ///< .zip, .tar, .tar.gz, .tgz
  kForeignArchive,    ///< .7z, .rar, ...: not unpacked
  kOther,             ///< ignored
  kOfTheFileManager,  ///< __MACOSX, .DS_Store, ._*, Thumbs.db, desktop.ini: left out silently
};

/// By the name of a file or folder alone, ignoring case. "bob_answers.toml" is kOther.
WorkKind work_kind(const std::string& name);

/// A name in its parts: "scan-1.tar.gz" is "scan-1" and ".tar.gz"; "scan" has no ending.
struct NameParts {
  std::string stem;
  std::string ending;
};
NameParts name_parts(const std::string& name);

/// A stem without the number that a platform or browser added: "scan-1", "scan (1)" and "scan(1)" are "scan", 1.
struct CopyMark {
  std::string stem;
  int number = 0;  ///< 0: it has none
};
CopyMark copy_mark(const std::string& stem);

/// 2 for a folder "attempt_2", "Attempt-2", "try 2" or "submission2"; 0 for others.
int attempt_number(const std::string& folder);

/// `name` made safe for our own files: only letters, digits and "._+-@", with '_' in place of anything else; neither
/// '.' nor '-' first; at most 64 bytes, with the ending kept. Never empty.
std::string safe_file_name(const std::string& name);
/// The same without dots, so that no folder has a file's name; at most 32 bytes.
std::string safe_folder_name(const std::string& name);

/// A valid Student::id: `name` itself if it is one, otherwise the result of safe_file_name and a hash of its bytes, so
/// that different names give different ids, the same in every run.
std::string id_from_name(const std::string& name);
/// The same, always with the hash.
std::string numbered_id_from_name(const std::string& name);

}  // namespace lanewise
