// Fetches a file with the program curl, unpacks it, and verifies its digest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/data/catalogue.h"
#include "harness/lab/failure.h"

namespace lanewise {

enum class FetchOutcome : std::uint8_t {
  kDone,
  kFailed,        ///< the server or the file: another data set may still be available
  kNoNetwork,     ///< no server can be reached
  kNothingToUse,  ///< a program is missing, or the folder cannot be written
};

struct FetchResult {
  FetchOutcome outcome = FetchOutcome::kDone;
  std::string sentence;  ///< why it is not done
};

struct FetchOptions {
  std::filesystem::path folder;  ///< for the file; created if missing
  /// Called from time to time with "1.2 of 44.8 MB, 3.1 MB/s, 14 s left"
  std::function<void(const std::string&)> progress;
};

/// Fetches `set` (of kind kUrl). Partial data is kept in NAME.part beside the file; a later call resumes from there.
/// The file appears under its name only once it is complete and matches its digest; otherwise the data is discarded.
FetchResult fetch(const DataSet& set, const FetchOptions& options);

/// All variables of this process, which curl finds proxies in.
std::vector<std::string> whole_environment();

/// The full path of a program on the search path; empty if there is none.
std::filesystem::path find_program(const std::string& name);

/// Whether a secret may be sent to this address: by https, or by http to this machine alone.
bool is_safe_for_secrets(const std::string& url);

/// "44.8 MB"
std::string bytes_text(double bytes);

}  // namespace lanewise
