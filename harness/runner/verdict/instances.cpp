// A short list of futures: the first to ask makes the case, outside the lock.
#include "harness/runner/verdict/instances.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "harness/runner/problems.h"

namespace lanewise {
namespace {

std::shared_ptr<const Instance> make_instance(const Task& task, const CaseFile& case_file, std::uint64_t seed) {
  auto instance = std::make_shared<Instance>();
  instance->made = make_problem(task, case_file, seed);
  const auto* const problem = std::get_if<Problem>(&instance->made);
  if (problem == nullptr) return instance;
  try {
    instance->expected = task.oracle(*problem);
  } catch (const std::exception& error) {
    instance->trouble = error.what();
  }
  return instance;
}

}  // namespace

std::shared_ptr<const Instance> Instances::get(const Task& task, const CaseFile& case_file, std::uint64_t seed) {
  const std::string key = fmt::format("{}\n{}\n{}", task.name, case_file.name, seed);
  std::promise<std::shared_ptr<const Instance>> promise;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto known =
        std::find_if(entries_.begin(), entries_.end(), [&key](const Entry& e) { return e.first == key; });
    if (known != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, known);
      const auto future = known->second;
      lock.unlock();
      return future.get();
    }
    entries_.emplace_front(key, promise.get_future().share());
    if (entries_.size() > most_kept_) entries_.pop_back();
  }
  try {
    auto instance = make_instance(task, case_file, seed);
    promise.set_value(instance);
    return instance;
  } catch (...) {  // no memory, say: whoever waits must hear of it
    promise.set_exception(std::current_exception());
    throw;
  }
}

}  // namespace lanewise
