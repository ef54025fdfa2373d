// Who is graded.
#pragma once

#include <string>

namespace lanewise {

/// A person of the roster, or one who was found only by what was handed in.
struct Student {
  /// What everything of theirs is filed under: the roster's, else made of the hand-in's name. Letters, digits and
  /// "._@+-", neither '.' nor '-' first, at most 64 bytes; no two students have ids that differ in case only.
  std::string id;
  std::string name;          ///< for people; UTF-8, any characters; may be empty
  std::string login;         ///< "SIS Login ID" of Canvas, "Username" of Moodle; may be empty
  std::string number;        ///< the learning platform's own number of the person, by which its gradebook knows them
  std::string email;         ///< may be empty
  std::string section;       ///< may be empty
  std::string nickname;      ///< shown on boards; may be empty
  bool is_enrolled = false;  ///< in the roster
};

}  // namespace lanewise
