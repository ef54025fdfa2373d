// Who is in a class and what they submitted, so that it can be graded without the original submissions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/class/hand_ins.h"
#include "harness/lab/failure.h"
#include "harness/runner/find.h"

namespace lanewise {

/// One attempt by one student at one lab. Its source and answers are in source_folder().
struct RecordedAttempt {
  std::string student;
  std::string lab;
  std::string content;         ///< hash of the source and the answers
  std::string came_from;       ///< as in HandIn
  std::int64_t submitted = 0;  ///< as in HandIn
  bool is_marked_late = false;
};

struct ClassRecord {
  std::vector<Student> students;          ///< by id
  std::vector<RecordedAttempt> attempts;  ///< by student, then by time
  std::vector<SetAside> set_aside;
  std::map<std::string, std::string> terms;  ///< by lab: the StoredKey::terms that it was graded under
};

/// out/sources/<lab>/<content>
std::filesystem::path source_folder(const std::filesystem::path& out, const std::string& lab,
                                    const std::string& content);

/// Looks for sources of `labs` in the submissions, and copies each to its source_folder().
Expected<ClassRecord> record_class(const HandIns& hand_ins, const std::vector<LabSelection>& labs,
                                   const std::filesystem::path& out);

/// Why the copy in source_folder() is not what was submitted (it is gone, or was changed); empty if it is.
std::string trouble_with_source(const std::filesystem::path& out, const LabFile& lab, const std::string& content);

/// As text, and back. Bytes in a name that are not UTF-8 come back as replacement characters.
std::string class_json(const ClassRecord& record);
Expected<ClassRecord> read_class_json(const std::string& json);

}  // namespace lanewise
