// SQLite's error codes as sentences.
#pragma once

#include <filesystem>
#include <string>

#include "harness/lab/failure.h"

namespace lanewise {

/// `code` is SQLite's extended result code, `words` its message.
Failure store_failure(const std::filesystem::path& database, int code, const std::string& words);

/// `what` is the first thing wrong with it, in SQLite's words.
Failure damaged_store(const std::filesystem::path& database, const std::string& what);

/// The file belongs to another program, or to none.
Failure foreign_store(const std::filesystem::path& database);

}  // namespace lanewise
