// Turns a submission's .cu into a shared object a worker can load, or into the compiler's reasons why not.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/lab_file.h"
#include "harness/runner/audit.h"
#include "harness/runner/build_cache.h"
#include "harness/runner/installation.h"

namespace lanewise {

/// A submission as built, or not.
struct Build {
  std::string hash;  ///< of the source and all that decides its build
  bool is_built = false;
  std::string message;                  ///< the compiler's words, if it is not built
  std::filesystem::path shared_object;  ///< exports lanewise_task_* and nothing else
  AuditSubject audited;
};

/// Builds by content: unchanged source is never compiled twice. Safe to use from several threads.
class Builder {
 public:
  /// Asks nvcc for its version and the host compiler for its headers; the failure says which is missing.
  static Expected<Builder> create(const Installation& installation);

  /// "13.0.88"
  const std::string& compiler_version() const { return compiler_version_; }

  /// Builds `source` for a lab. `architecture` is "90". A failure means that nothing could be tried: the source cannot
  /// be read, or the cache cannot be written. What the compiler refuses is a Build that is not built.
  Expected<Build> build(const LabFile& lab, const std::filesystem::path& source, const std::string& architecture) const;

  /// Rules that are the same for every task; the caller adds the task's forbidden libraries.
  AuditRules audit_rules(const LabFile& lab, const Build& build) const;

 private:
  Builder(const Installation& installation, std::string compiler_version,
          std::vector<std::filesystem::path> system_headers);

  Expected<std::filesystem::path> entry_object(const LabFile& lab, const std::string& contract) const;
  Expected<Build> read_build(const std::filesystem::path& folder) const;

  Installation installation_;
  BuildCache cache_;
  std::string compiler_version_;
  std::vector<std::filesystem::path> system_headers_;  // folders the host compiler takes <...> from
};

}  // namespace lanewise
