// The tables of grades.db and what guards them.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>

#include "harness/lab/failure.h"

namespace lanewise {

/// Incremented whenever a table changes; stored in the file as user_version.
inline constexpr int kStoreVersion = 2;

/// Whether the tables exist; false: the file is empty. Fails if it belongs to another program or a newer version, or if
/// a page, an index or a reference is damaged. `file` is its name in messages. Writes nothing; throws
/// SQLite::Exception, as do the next two.
Expected<bool> has_tables(SQLite::Database& database, const std::filesystem::path& file);

/// Upgrades the tables of an earlier version to this one: all or nothing. Rows are unchanged.
void add_new_tables(SQLite::Database& database);

/// Creates all tables or none.
void make_tables(SQLite::Database& database);

}  // namespace lanewise
