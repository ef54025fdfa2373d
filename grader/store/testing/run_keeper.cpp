// The keeper's lines, one word and one number each.
#include "grader/store/testing/run_keeper.h"

#include <sys/wait.h>

#include <csignal>
#include <sstream>

#include "grader/store/testing/made_up.h"

namespace lanewise {

Said read_said(const std::string& output) {
  Said said;
  said.all = output;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    int number = 0;
    words >> word >> number;
    if (word == "known") said.known.insert(number);
    if (word == "graded") said.graded.insert(number);
    if (word == "kept") said.kept.insert(number);
    if (word == "finished") said.is_finished = true;
    if (word == "steps") said.steps = number;
    if (word == "not" && said.failure.empty()) said.failure = line.substr(line.find(": ") + 2);
    EXPECT_NE(word, "different") << output;
  }
  return said;
}

ProcessOptions keeper(const std::filesystem::path& folder, int hand_ins, Fault fault, int at) {
  ProcessOptions options;
  options.command = {LANEWISE_KEEPER, folder.string(), std::to_string(hand_ins), fault_name(fault), std::to_string(at)};
  return options;
}

Said run_keeper(const ProcessOptions& options) {
  const auto finished = run_to_end(options, std::chrono::seconds(60), 1 << 20);
  if (!finished) {
    ADD_FAILURE() << finished.sentence();
    return {};
  }
  EXPECT_FALSE(finished->timed_out);
  Said said = read_said(finished->output);
  said.was_killed = WIFSIGNALED(finished->status) && WTERMSIG(finished->status) == SIGKILL;
  return said;
}

std::set<int> held(Store& store, int hand_ins) {
  std::set<int> numbers;
  for (int i = 0; i < hand_ins; ++i) {
    const auto verdict = store.find(made_up_key(i));
    EXPECT_TRUE(verdict) << verdict.sentence();
    if (!verdict || !*verdict) continue;
    EXPECT_EQ((*verdict)->json, made_up_json(i)) << i;
    numbers.insert(i);
  }
  return numbers;
}

}  // namespace lanewise
