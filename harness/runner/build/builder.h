// Turns a submission's .cu into a shared object that a worker can load, or into the compiler's errors.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/lab_file.h"
#include "harness/runner/build/audit.h"
#include "harness/runner/build/build_cache.h"
#include "harness/runner/build/compiler.h"
#include "harness/runner/confinement.h"
#include "harness/runner/installation.h"

namespace lanewise {

/// The largest source that is built, in bytes.
inline constexpr std::uintmax_t kLargestSource = 1 << 20;

/// A build of a submission, successful or not.
struct Build {
  std::string hash;  ///< of the source and everything that affects its build
  bool is_built = false;
  std::string message;                  ///< the compiler's messages, if it is not built
  std::string compiled_as;              ///< the source's name in line tables, which may differ from the file's own
  std::filesystem::path shared_object;  ///< exports lanewise_task_* and nothing else
  AuditSubject audited;
};

/// Builds by content: unchanged source is never compiled twice, where files included from outside the toolkit count as
/// part of it. Thread-safe.
class Builder {
 public:
  /// Asks nvcc for its version and the host compiler for its headers; the failure says which is missing. Submissions
  /// are compiled in `confinement`; grade() also runs them in it.
  static Expected<Builder> create(const Installation& installation, Confinement confinement = nullptr);

  /// "13.0.88"
  const std::string& compiler_version() const { return compiler_version_; }
  const Confinement& confinement() const { return confinement_; }

  /// Builds `source` for a lab. `architecture` is "90". A failure means that there was no proper attempt: the source
  /// cannot be read, the cache cannot be written, or the compiler failed through no fault of the source. Source that
  /// the compiler rejects gives a Build with is_built false.
  Expected<Build> build(const LabFile& lab, const std::filesystem::path& source, const std::string& architecture) const;

  /// Rules that are the same for every task; the caller adds the task's forbidden libraries.
  AuditRules audit_rules(const LabFile& lab, const Build& build) const;

 private:
  Builder(const Installation& installation, std::string compiler_version, HostCompiler host_compiler,
          Confinement confinement);

  std::vector<std::string> compile_command(const LabFile& lab, const std::string& name,
                                           const std::string& architecture) const;
  std::vector<std::string> link_command(const std::filesystem::path& entry) const;
  Expected<std::filesystem::path> entry_object(const LabFile& lab, const std::string& contract) const;
  std::optional<Failure> remember_included(const std::filesystem::path& folder, const char* dependencies,
                                           std::filesystem::file_time_type started) const;
  Expected<Build> read_build(const std::filesystem::path& folder) const;

  Installation installation_;
  BuildCache cache_;
  std::string compiler_version_;
  HostCompiler host_compiler_;
  Confinement confinement_;
};

}  // namespace lanewise
