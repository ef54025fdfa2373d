// Fetches a file by way of the program curl, unpacks it, and knows it by its digest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "grader/data/catalogue.h"
#include "harness/lab/failure.h"

namespace lanewise {

enum class FetchOutcome : std::uint8_t {
  kDone,
  kFailed,        ///< the server or the file: another set may well be had
  kNoNetwork,     ///< no server can be reached
  kNothingToUse,  ///< a program is missing, or the folder cannot be written
};

struct FetchResult {
  FetchOutcome outcome = FetchOutcome::kDone;
  std::string sentence;  ///< why it is not done
};

struct FetchOptions {
  std::filesystem::path folder;  ///< the file goes there; made if it is not there
  /// Told from time to time: "1.2 of 44.8 MB, 3.1 MB/s, 14 s left"
  std::function<void(const std::string&)> progress;
};

/// Fetches `set` (of kind kUrl). What has come is kept in NAME.part beside the file until all of it has; a later call
/// goes on from there. The file appears under its name only when it is whole and has its digest; else it does not
/// appear, and what has come is thrown away.
FetchResult fetch(const DataSet& set, const FetchOptions& options);

/// The full path of a program on the search path; empty if there is none.
std::filesystem::path find_program(const std::string& name);

/// "44.8 MB"
std::string bytes_text(double bytes);

}  // namespace lanewise
