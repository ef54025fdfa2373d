// A folder of results by content: what was made once from the same inputs is not made again.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "harness/lab/failure.h"

namespace lanewise {

/// Entries appear whole or not at all (made elsewhere, then renamed), so several processes can share one cache, and any
/// of them can be killed at any time. Entries unused for 30 days are removed when others are made.
class BuildCache {
 public:
  explicit BuildCache(std::filesystem::path root) : root_(std::move(root)) {}

  /// Writes the results to the empty folder it is given. A failure leaves no entry.
  using Make = std::function<std::optional<Failure>(const std::filesystem::path& folder)>;

  /// The folder under root/kind whose inputs are exactly `key`, if there is one.
  std::optional<std::filesystem::path> find(const std::string& kind, const std::string& key) const;

  /// Whether an entry is still usable: complete and up to date.
  using Accept = std::function<bool(const std::filesystem::path& folder)>;

  /// The folder under root/kind whose inputs are exactly `key`, made now if there is none that `accept` accepts. A
  /// rejected entry is replaced; one just made is not checked.
  Expected<std::filesystem::path> find_or_make(const std::string& kind, const std::string& key, const Make& make,
                                               const Accept& accept = nullptr) const;

 private:
  std::filesystem::path root_;
};

}  // namespace lanewise
