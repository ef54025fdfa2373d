// The files of a submission: completely on disk before its ticket is issued, or not at all.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/lab/failure.h"

namespace lanewise {

/// COURSE/submissions/TICKET
std::filesystem::path folder_of_ticket(const std::filesystem::path& course, const std::string& ticket);

/// Writes `files`, content by name, into the folder of a new ticket. Once this has returned without a failure, they
/// survive a power cut.
std::optional<Failure> keep_submission(const std::filesystem::path& course, const std::string& ticket,
                                       const std::map<std::string, std::string>& files);

/// Removes what interrupted uploads left, and nothing else: the folder may also hold the instructor's files, or the
/// submissions of a lost database. No upload may be in progress.
std::optional<Failure> remove_interrupted(const std::filesystem::path& course);

/// Random bits as hexadecimal digits, for tickets, tokens and sessions. Ends the program if the kernel has none.
std::string random_name(unsigned bits = 128);

}  // namespace lanewise
