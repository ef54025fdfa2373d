// Fresh inputs for every round, made on other threads while the previous round is timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"

namespace lanewise {

struct FreshRound {
  Problem problem;
  bool has_expected = false;
  std::vector<Array> expected;  ///< the oracle's answer, if it was wanted
  std::string trouble;          ///< why there is no problem, or no answer
};

class FreshRounds {
 public:
  /// `task` and `case_file` must outlive this object.
  FreshRounds(const Task& task, const CaseFile& case_file, std::string lab, std::uint64_t seed);

  /// From now on `rounds` rounds are made ahead, each on its own thread; 0: each on demand, so that nothing else uses
  /// the host's memory while a call that uses it is timed.
  void make_ahead(std::size_t rounds, bool with_expected);

  /// The next round. Waits until it is made.
  std::shared_ptr<const FreshRound> next();

 private:
  std::future<std::shared_ptr<const FreshRound>> start(std::launch policy);

  const Task& task_;
  const CaseFile& case_file_;
  std::string lab_;
  std::uint64_t seed_;
  std::size_t started_ = 0;
  std::size_t ahead_ = 0;
  bool with_expected_ = false;
  std::deque<std::future<std::shared_ptr<const FreshRound>>> made_;
};

}  // namespace lanewise
