// Turns a submission's .cu into a shared object that a worker can load, or into the compiler's errors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/lab_file.h"
#include "harness/runner/build/audit.h"
#include "harness/runner/build/build_cache.h"
#include "harness/runner/confinement.h"
#include "harness/runner/installation.h"
#include "harness/toolchain/compiler.h"
#include "harness/toolchain/toolchain.h"

namespace lanewise {

/// The largest source that is built, in bytes.
inline constexpr std::uintmax_t kLargestSource = 1 << 20;

/// A build of a submission, successful or not.
struct Build {
  std::string hash;  ///< of the source and everything that affects its build
  bool is_built = false;
  std::string message;                  ///< the compiler's messages, if it is not built
  std::string remark;                   ///< see variable_without_value, if it is
  std::string compiled_as;              ///< the source's name in line tables, which may differ from the file's own
  std::filesystem::path shared_object;  ///< exports lanewise_task_* and nothing else
  AuditSubject audited;  ///< if it is not built, of the headers only one that the toolchain lacks: "cub/cub.cuh"
};

/// Builds by content: unchanged source is never compiled twice, where files included from outside the toolkit count as
/// part of it. Thread-safe.
class Builder {
 public:
  /// Asks the toolchain for its version and the host compiler for its headers; the failure says which is missing.
  /// Submissions are compiled in `confinement`; grade() also runs them in it.
  static Expected<Builder> create(const Installation& installation, Confinement confinement = nullptr,
                                  ToolchainChoice choice = ToolchainChoice::kAuto);

  const Toolchain& toolchain() const { return *toolchain_; }
  const Confinement& confinement() const { return confinement_; }

  /// Builds `source` for a lab. `architecture` is "90". A failure means that there was no proper attempt: the source
  /// cannot be read, the cache cannot be written, or the compiler failed through no fault of the source. Source that
  /// the compiler rejects gives a Build with is_built false.
  Expected<Build> build(const LabFile& lab, const std::filesystem::path& source, const std::string& architecture) const;

  /// The lines of the source that addresses of the build's shared object belong to: of inlined calls, the innermost in
  /// the source itself. Those without a line are left out; without debug information or addr2line, that is all of them.
  std::map<std::uint64_t, int> lines_at(const Build& build, const std::set<std::uint64_t>& offsets) const;

  /// Rules that are the same for every task; the caller adds the task's forbidden libraries.
  AuditRules audit_rules(const LabFile& lab, const Build& build) const;

 private:
  Builder(const Installation& installation, std::shared_ptr<const Toolchain> toolchain, DescribedCompiler host_compiler,
          Confinement confinement);

  std::vector<std::string> link_command(const std::filesystem::path& entry) const;
  Expected<std::filesystem::path> prepared(const CompileRequest& request) const;
  Expected<std::filesystem::path> entry_object(const LabFile& lab, const std::string& contract) const;
  std::optional<Failure> remember_included(const std::filesystem::path& folder,
                                           const std::vector<std::string>& dependencies,
                                           std::filesystem::file_time_type started) const;
  std::vector<std::filesystem::path> header_folders() const;
  Expected<Build> read_build(const std::filesystem::path& folder) const;

  Installation installation_;
  BuildCache cache_;
  std::shared_ptr<const Toolchain> toolchain_;
  DescribedCompiler host_compiler_;
  Confinement confinement_;
};

}  // namespace lanewise
