// The files of a submission: on the disk as a whole before its ticket is given, or not at all.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/lab/failure.h"

namespace lanewise {

/// COURSE/submissions/TICKET
std::filesystem::path folder_of_ticket(const std::filesystem::path& course, const std::string& ticket);

/// Writes `files`, content by name, into the folder of a new ticket. When this returns without a failure, they survive
/// the loss of power.
std::optional<Failure> keep_submission(const std::filesystem::path& course, const std::string& ticket,
                                       const std::map<std::string, std::string>& files);

/// Removes what interrupted uploads left, and nothing else: the folder may hold files of the instructor's own, and
/// submissions of a database that was lost. No upload may be under way.
std::optional<Failure> remove_interrupted(const std::filesystem::path& course);

/// 128 random bits as hexadecimal digits, for tickets; `bits` as given for tokens. Failing to get them ends the
/// program.
std::string random_name(unsigned bits = 128);

}  // namespace lanewise
