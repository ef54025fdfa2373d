#include "harness/vgpu/monitor/finding.h"

namespace vgpu {

std::string FindingList::key(const std::string& kind, const std::string& file, std::uint32_t line,
                             const std::string& array) const {
  return kind + '\n' + file + '\n' + std::to_string(line) + '\n' + array;
}

bool FindingList::is_new(const std::string& kind, const std::string& file, std::uint32_t line, const std::string& array,
                         std::uint64_t count) {
  total_ += count;
  const auto found = by_key_.find(key(kind, file, line, array));
  if (found == by_key_.end()) return findings_.size() < kMost || kinds_.count(kind) == 0;
  findings_[found->second].count += count;
  return false;
}

void FindingList::add(Finding finding) {
  by_key_[key(finding.kind, finding.file, finding.line, finding.array)] = findings_.size();
  kinds_.insert(finding.kind);
  findings_.push_back(std::move(finding));
}

void FindingList::clear() {
  findings_.clear();
  by_key_.clear();
  kinds_.clear();
}

}  // namespace vgpu
