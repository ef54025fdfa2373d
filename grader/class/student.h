// Who is graded.
#pragma once

#include <string>

namespace lanewise {

/// A person in the roster, or one known only from a submission.
struct Student {
  /// The key for everything of theirs: from the roster, or else made from the submission's name. Letters, digits and
  /// "._@+-", neither '.' nor '-' first, at most 64 bytes; no two students have ids that differ only in case.
  std::string id;
  std::string name;          ///< for people; UTF-8, any characters; may be empty
  std::string login;         ///< "SIS Login ID" of Canvas, "Username" of Moodle; may be empty
  std::string number;        ///< the learning platform's number for the person, used by its gradebook
  std::string email;         ///< may be empty
  std::string section;       ///< may be empty
  std::string nickname;      ///< shown on boards; may be empty
  bool is_enrolled = false;  ///< in the roster
};

}  // namespace lanewise
