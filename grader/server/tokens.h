// Tokens: what people prove to the class server that they are themselves with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/class/student.h"
#include "grader/server/server_store.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// Makes a token for each student, and for the instructor, who has none. `file` is new, and the only place that holds
/// them in clear; only its owner can read it. The number of tokens made; without any, no file is written.
Expected<std::size_t> make_tokens(ServerStore& store, const std::vector<Student>& students,
                                  const std::filesystem::path& file);

}  // namespace lanewise
