// The marks that an instructor filled into to_mark.csv, or a table like it.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grader/class/csv.h"
#include "grader/store/store.h"

namespace lanewise {

/// What marks can be about.
struct MarkingScheme {
  std::set<std::string> students;                                   ///< ids
  std::map<std::pair<std::string, std::string>, double> questions;  ///< free-text ones: by lab and id, their points
};

struct MarksFile {
  std::vector<StoredMark> marks;  ///< in the order of the rows; rows without points are left out
  std::vector<std::string>
      problems;  ///< a sentence for each bad row, with file and line; if there are any, no mark may count
};

/// The columns "student", "lab", "question", "answer id" and "points" are required, "remark" is optional; others are
/// ignored. Points are from 0 to those of the question, with a point or a comma. `name` is what messages call the file.
MarksFile marks_of(const CsvTable& table, const std::string& name, const MarkingScheme& scheme);

/// The same for a file. Fails if it cannot be read as a table.
Expected<MarksFile> read_marks(const std::filesystem::path& file, const MarkingScheme& scheme);

}  // namespace lanewise
