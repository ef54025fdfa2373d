// A folder of results by content: what was made once from the same ingredients is not made again.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "harness/lab/failure.h"

namespace lanewise {

/// Entries appear whole or not at all (made aside, then renamed), so several processes may share one cache and any of
/// them may be killed at any time. Entries that nobody asked for in 30 days are removed when others are made.
class BuildCache {
 public:
  explicit BuildCache(std::filesystem::path root) : root_(std::move(root)) {}

  /// Puts the results into the empty folder it is given. A failure leaves no entry.
  using Make = std::function<std::optional<Failure>(const std::filesystem::path& folder)>;

  /// The folder under root/kind whose ingredients are exactly `key`, if it is there.
  std::optional<std::filesystem::path> find(const std::string& kind, const std::string& key) const;

  /// Whether what an entry holds can still be used: whole, and true.
  using Accept = std::function<bool(const std::filesystem::path& folder)>;

  /// The folder under root/kind whose ingredients are exactly `key`, made now if there is none, or none that `accept`
  /// accepts. An entry that it does not accept is replaced; what was just made is not asked about.
  Expected<std::filesystem::path> find_or_make(const std::string& kind, const std::string& key, const Make& make,
                                               const Accept& accept = nullptr) const;

 private:
  std::filesystem::path root_;
};

}  // namespace lanewise
