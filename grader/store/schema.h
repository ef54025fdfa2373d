// The tables of grades.db and what guards them.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>

#include "harness/lab/failure.h"

namespace lanewise {

/// Raised whenever a table changes; kept in the file as user_version.
inline constexpr int kStoreVersion = 2;

/// Whether the tables are there; false: the file is empty. Fails if it is another program's or of a newer version, or
/// if a page, an index or a reference is not as it should be. `file` is its name for people. Writes nothing; throws
/// SQLite::Exception, as do the next.
Expected<bool> has_tables(SQLite::Database& database, const std::filesystem::path& file);

/// Brings the tables of an earlier version to this one: all or nothing. The rows stay as they are.
void add_new_tables(SQLite::Database& database);

/// Makes all tables or none.
void make_tables(SQLite::Database& database);

}  // namespace lanewise
