// One sentence for each kind of failure that an instructor can do something about. (SQLite: Result and Error Codes,
// https://www.sqlite.org/rescode.html)
#include "grader/store/store_failure.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace lanewise {

Failure store_failure(const std::filesystem::path& database, int code, const std::string& words) {
  const std::string file = database.string();
  constexpr int kPrimary = 0xff;  // extended codes hold the primary one in their low byte
  switch (code & kPrimary) {
    case SQLITE_FULL:
      return {fmt::format(
          "{} cannot grow, the disk is full: free some space and run the same command again; earlier results are kept",
          file)};
    case SQLITE_IOERR:
      return {
          fmt::format("{} could not be read or written ({}, {}): check that the disk is healthy and not full, and run "
                      "the same command again; earlier results are kept",
                      file, sqlite3_errstr(SQLITE_IOERR), code)};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {
          fmt::format("{} is being written by another program: close it (an sqlite3 shell?) and run the same command "
                      "again",
                      file)};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      return {fmt::format(
          "{} cannot be written: check the permissions of the file and its folder, or choose another output folder",
          file)};
    case SQLITE_CORRUPT:
      return damaged_store(database, words);
    case SQLITE_NOTADB:
      return foreign_store(database);
    case SQLITE_NOMEM:
      return {fmt::format("{} could not be read or written: memory ran out", file)};
    case SQLITE_TOOBIG:
      return {fmt::format("{} accepts no entry of more than 1,000,000,000 bytes", file)};
    default:
      return {fmt::format("{} could not be used (SQLite: {}, {})", file, words, code)};
  }
}

Failure damaged_store(const std::filesystem::path& database, const std::string& what) {
  const std::string file = database.string();
  return {
      fmt::format("{0} is damaged ({1}): restore it from a copy with its {2}-wal, or move both away and grade again; "
                  "sqlite3 {2} .recover  prints what can still be read",
                  file, what, database.filename().string())};
}

Failure foreign_store(const std::filesystem::path& database) {
  return {
      fmt::format("{} was not written by lanewise: move it away, or choose another output folder", database.string())};
}

}  // namespace lanewise
