// The names of the files that labs ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lanewise {

class KnownSources {
 public:
  explicit KnownSources(const std::vector<std::string>& names);

  /// "scan.cu" for "Scan.CU", "scan-1.cu" and "scan (2).cu".
  std::optional<std::string> source(const std::string& name) const;
  /// Whether a stem or a folder is named like a lab: "scan".
  bool is_stem(const std::string& stem) const;
  /// The position of "_scan" in "doe_jane_scan"; nothing if it does not end in a lab's name.
  std::optional<std::size_t> end_of_owner(const std::string& stem) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace lanewise
