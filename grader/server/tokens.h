// Tokens, by which people identify themselves to the class server.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/class/student.h"
#include "grader/server/server_store.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// Makes a token for each student, and for the instructor, if they have none. `file`, which the caller knows to be new,
/// is the only place that holds them in plain text, and only its owner can read it. Returns the number of tokens; if it
/// is 0, no file is written.
Expected<std::size_t> make_tokens(ServerStore& store, const std::vector<Student>& students,
                                  const std::filesystem::path& file);

}  // namespace lanewise
