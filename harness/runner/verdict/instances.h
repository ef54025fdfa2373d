// Cases made once for several submissions: making one and computing the right answer often takes longer than running
// it.
#pragma once

#include <cstddef>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/lab/lab_file.h"
#include "harness/runner/verdict/recognise.h"

namespace lanewise {

/// A case and its right answer.
struct Instance {
  std::variant<Problem, MissingData> made;
  std::vector<Array> expected;
  std::string trouble;          ///< why there is no right answer, if the oracle failed
  mutable Outcomes outcomes{};  ///< what misconceptions make of it
};

/// Keeps the `most_kept` cases requested last: at GPU sizes each may take gigabytes. Thread-safe: a request for a case
/// that is being made waits for it.
class Instances {
 public:
  explicit Instances(std::size_t most_kept) : most_kept_(most_kept) {}

  std::shared_ptr<const Instance> get(const Task& task, const CaseFile& case_file, std::uint64_t seed);

 private:
  using Entry = std::pair<std::string, std::shared_future<std::shared_ptr<const Instance>>>;

  std::size_t most_kept_;
  std::mutex mutex_;
  std::list<Entry> entries_;  ///< latest first
};

}  // namespace lanewise
