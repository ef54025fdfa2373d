// What checkers report: one finding per mistake, with how often it was seen.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/vgpu/machine/lanes.h"

namespace vgpu {

/// A warning is about a result that may be another one every time, a note about what rules forbid and no result shows.
enum class Severity : std::uint8_t { kError, kWarning, kNote };

struct Finding {
  std::string tool;    ///< "memcheck", or "runtime" for what stopped a kernel or was refused
  std::string kind;    ///< "out-of-bounds write"
  std::string kernel;  ///< as in the source: "blur(const unsigned char*, ...)"; empty for host calls
  std::string file;    ///< CUDA source, as the compiler recorded it
  std::uint32_t line = 0;
  Extent3 block{0, 0, 0}, thread{0, 0, 0};
  std::string array;                       ///< name of the array involved; may be empty
  std::int64_t index = 0;                  ///< element of it
  std::uint32_t shared_element_bytes = 0;  ///< what `index` counts in, for shared memory
  std::string sentence;                    ///< what happened
  std::string advice;                      ///< the usual fix
  Severity severity = Severity::kError;
  std::uint64_t count = 1;
  std::uint64_t site = 0;  ///< of a host call, the address in the program that it returned to; 0: none
};

/// Findings without repetition: the same kind at the same line on the same array is one finding with a count.
class FindingList {
 public:
  /// More different findings than this are only counted, but for the first of each kind: that is enough for a program
  /// that is wrong everywhere.
  static constexpr std::size_t kMost = 100;

  /// True if a finding like this one is new, so that it is worth composing its text; counts it otherwise.
  bool is_new(const std::string& kind, const std::string& file, std::uint32_t line, const std::string& array,
              std::uint64_t count);

  /// Adds a finding for which is_new() was true.
  void add(Finding finding);

  bool empty() const { return findings_.empty(); }
  /// How often something was found, over all findings: grows with every one.
  std::uint64_t total() const { return total_; }
  const std::vector<Finding>& all() const { return findings_; }
  void clear();

 private:
  std::string key(const std::string& kind, const std::string& file, std::uint32_t line, const std::string& array) const;

  std::vector<Finding> findings_;
  std::set<std::string> kinds_;  ///< of the findings
  std::map<std::string, std::size_t> by_key_;
  std::uint64_t total_ = 0;
};

}  // namespace vgpu
