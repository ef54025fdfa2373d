// Points that a human gave for free texts, put into the verdicts that wait for them.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "grader/store/store.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// By student, lab, question and answer_id.
using Marks = std::map<std::tuple<std::string, std::string, std::string, std::string>, StoredMark>;

/// An answer's identifier: "a3f0…", 17 characters. It begins with a letter, so that no spreadsheet takes it for a
/// number.
std::string answer_id(const std::string& answer);

/// Of several marks for the same answer, the last counts.
Marks marks_by_answer(const std::vector<StoredMark>& marks);

/// Gives each waiting free text of `student` its mark, if there is one, and sums up the verdict. If a question's points
/// have changed since it was marked, the mark is scaled.
void merge_marks(const Marks& marks, const std::string& student, Verdict& verdict);

}  // namespace lanewise
