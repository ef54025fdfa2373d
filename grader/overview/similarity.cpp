// Three passes of sim_c++: what comes from the handout, which pairs share much, and where. Our copies have one token
// per line, so that the lines that sim reports are positions of tokens.
#include "grader/overview/similarity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>

#include "grader/overview/source_tokens.h"
#include "grader/workplace/temporary_folder.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/read_file.h"
#include "harness/report/safe_text.h"
#include "harness/runner/find.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// Of sim, in its units, which are our tokens: shorter runs are everywhere.
constexpr const char* kLeastRun = "24";
// Ten times the longest step of a ladder. Time is quadratic for a file that repeats itself.
constexpr std::size_t kMostTokens = 16'000;
constexpr std::size_t kMostOutput = 256 << 20;
// sim rounds when it only counts pairs.
constexpr double kRounding = 2;

// A file as sim sees it.
struct Copy {
  std::vector<SourceToken> tokens;  // line by line
  std::string name;                 // of the copy: a number
  std::size_t source = 0;           // position in the list of sources
};

// Positions of tokens, from 0, ends included.
struct Run {
  std::size_t file = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t other_file = 0;
  std::size_t other_begin = 0;
  std::size_t other_end = 0;
  int tokens = 0;
};

struct Candidate {
  std::size_t first = 0;  // positions of copies
  std::size_t second = 0;
  int percent = 0;
};

class Comparison {
 public:
  Comparison(std::string lab, const std::vector<ComparedSource>& sources, const std::vector<fs::path>& excluded,
             const SimilarityOptions& options)
      : lab_(std::move(lab)),
        sources_(sources),
        excluded_(excluded),
        options_(options),
        deadline_(Clock::now() + options.limit) {}
  Expected<Similarity> run();

 private:
  void note(std::size_t source, const std::string& why);
  void read_sources();
  std::optional<Failure> write(const Copy& copy) const;
  std::optional<Failure> take_out_handout();
  void keep_long_enough();
  Expected<std::vector<Candidate>> candidates() const;
  Expected<std::optional<SimilarPair>> look_at(const Candidate& candidate) const;
  Expected<std::string> sim(std::vector<std::string> arguments) const;
  std::vector<std::string> names() const;

  std::string lab_;
  const std::vector<ComparedSource>& sources_;
  const std::vector<fs::path>& excluded_;
  const SimilarityOptions& options_;
  Clock::time_point deadline_;
  fs::path folder_;
  std::vector<Copy> copies_;
  Similarity result_;
};

void Comparison::note(std::size_t source, const std::string& why) {
  result_.notes.push_back(fmt::format("{}, {}: {}", sources_[source].student, lab_, why));
}

void Comparison::read_sources() {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const auto text = read_file(sources_[i].file, kLargestSource);
    if (!text) {
      note(i, "it was not compared with others: " + text.sentence());
      continue;
    }
    Copy copy;
    copy.tokens = source_tokens(*text);
    copy.source = i;
    if (copy.tokens.size() > kMostTokens) {
      note(i, fmt::format("it was not compared with others: it has {} tokens, and more than {} take too long. Check "
                          "why it is so long.",
                          copy.tokens.size(), kMostTokens));
      continue;
    }
    copies_.push_back(std::move(copy));
    copies_.back().name = fmt::format("{:06}", copies_.size() - 1);
  }
}

std::optional<Failure> Comparison::write(const Copy& copy) const {
  std::string text;
  for (const SourceToken& token : copy.tokens) text += token.text + "\n";
  return write_report(folder_ / copy.name, text);
}

Expected<std::string> Comparison::sim(std::vector<std::string> arguments) const {
  ProcessOptions process;
  process.command = {options_.program.string(), "-e", "-r", kLeastRun};
  process.command.insert(process.command.end(), std::make_move_iterator(arguments.begin()),
                         std::make_move_iterator(arguments.end()));
  process.environment = {"LC_ALL=C"};
  process.folder = folder_;
  const Failure too_long{fmt::format("{}: comparing {} sources took longer than {} s and was abandoned", lab_,
                                     copies_.size(), options_.limit.count())};
  const auto left = std::chrono::milliseconds(milliseconds_until(deadline_));
  if (left.count() <= 0) return too_long;
  auto finished = run_to_end(process, left, kMostOutput);
  if (!finished) return Failure{finished.sentence()};
  if (finished->timed_out) return too_long;
  if (!finished->succeeded() || finished->output_bytes > finished->output.size())
    return Failure{fmt::format("{}: {} failed to compare the sources: {}", lab_, options_.program.string(),
                               safe_line(first_columns(safe_line(finished->output), 200)))};
  return std::move(finished->output);
}

std::vector<std::string> Comparison::names() const {
  std::vector<std::string> names;
  for (const Copy& copy : copies_) names.push_back(copy.name);
  return names;
}

// "000001: line 57-102                   |000000: line 59-104              [374]"
std::vector<Run> parse_runs(const std::string& output) {
  std::vector<Run> runs;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    Run run;
    if (std::sscanf(line.c_str(), "%zu: line %zu-%zu |%zu: line %zu-%zu [%d]", &run.file, &run.begin, &run.end,
                    &run.other_file, &run.other_begin, &run.other_end, &run.tokens) != 7)
      continue;
    if (run.begin == 0 || run.other_begin == 0) continue;
    --run.begin, --run.end, --run.other_begin, --run.other_end;
    runs.push_back(run);
  }
  return runs;
}

std::optional<Failure> Comparison::take_out_handout() {
  std::vector<Copy> handed_out;
  for (const fs::path& file : excluded_) {
    const auto text = read_file(file, kLargestSource);
    if (!text) {
      result_.notes.push_back("Its contents were compared as if they were the students' own: " + text.sentence());
      continue;
    }
    Copy& copy = handed_out.emplace_back();
    copy.tokens = source_tokens(*text);
    copy.name = fmt::format("{:06}", copies_.size() + handed_out.size() - 1);
    if (auto failure = write(copy)) return failure;
  }
  if (handed_out.empty() || copies_.empty()) return std::nullopt;
  std::vector<std::string> arguments = {"-T", "-n", "-S"};
  for (const std::string& name : names()) arguments.push_back(name);
  arguments.emplace_back("/");
  for (const Copy& copy : handed_out) arguments.push_back(copy.name);
  const auto output = sim(std::move(arguments));
  if (!output) return output.failure();
  std::vector<std::vector<bool>> is_handed_out;
  for (const Copy& copy : copies_) is_handed_out.emplace_back(copy.tokens.size(), false);
  for (const Run& run : parse_runs(*output))
    if (run.file < copies_.size())
      for (std::size_t i = run.begin; i <= run.end && i < is_handed_out[run.file].size(); ++i)
        is_handed_out[run.file][i] = true;
  for (std::size_t c = 0; c < copies_.size(); ++c) {
    std::vector<SourceToken> own;
    for (std::size_t i = 0; i < copies_[c].tokens.size(); ++i)
      if (!is_handed_out[c][i]) own.push_back(std::move(copies_[c].tokens[i]));
    copies_[c].tokens = std::move(own);
  }
  return std::nullopt;
}

void Comparison::keep_long_enough() {
  const auto is_short = [this](const Copy& copy) { return copy.tokens.size() < options_.least_tokens; };
  copies_.erase(std::remove_if(copies_.begin(), copies_.end(), is_short), copies_.end());
  for (std::size_t i = 0; i < copies_.size(); ++i) copies_[i].name = fmt::format("{:06}", i);
}

// "000001 consists for 87 % of 000000 material", for each of a pair.
Expected<std::vector<Candidate>> Comparison::candidates() const {
  std::vector<std::string> arguments = {
      "-T", "-p", "-a", "-s", "-t", fmt::format("{:.0f}", std::max(1.0, options_.least_percent - kRounding))};
  for (const std::string& name : names()) arguments.push_back(name);
  const auto output = sim(std::move(arguments));
  if (!output) return output.failure();
  std::vector<Candidate> found;
  std::istringstream lines(*output);
  for (std::string line; std::getline(lines, line);) {
    Candidate each;
    if (std::sscanf(line.c_str(), "%zu consists for %d %% of %zu material", &each.first, &each.percent, &each.second) !=
        3)
      continue;
    if (each.first > each.second) std::swap(each.first, each.second);
    if (each.second < copies_.size()) found.push_back(each);
  }
  const auto by_pair = [](const Candidate& a, const Candidate& b) {
    return std::tie(a.first, a.second, b.percent) < std::tie(b.first, b.second, a.percent);
  };
  std::sort(found.begin(), found.end(), by_pair);
  const auto is_same = [](const Candidate& a, const Candidate& b) {
    return a.first == b.first && a.second == b.second;
  };
  found.erase(std::unique(found.begin(), found.end(), is_same), found.end());
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.percent > b.percent; });
  return found;
}

double share_of(const std::vector<Run>& runs, std::size_t file, std::size_t tokens) {
  std::vector<bool> is_shared(tokens, false);
  for (const Run& run : runs)
    if (run.file == file)
      for (std::size_t i = run.begin; i <= run.end && i < tokens; ++i) is_shared[i] = true;
  return 100.0 * static_cast<double>(std::count(is_shared.begin(), is_shared.end(), true)) /
         static_cast<double>(tokens);
}

Expected<std::optional<SimilarPair>> Comparison::look_at(const Candidate& candidate) const {
  const Copy& first = copies_[candidate.first];
  const Copy& second = copies_[candidate.second];
  const auto output = sim({"-T", "-n", "-a", "-s", first.name, second.name});
  if (!output) return output.failure();
  const std::vector<Run> runs = parse_runs(*output);
  SimilarPair pair;
  pair.first_percent = share_of(runs, candidate.first, first.tokens.size());
  pair.second_percent = share_of(runs, candidate.second, second.tokens.size());
  if (std::max(pair.first_percent, pair.second_percent) < options_.least_percent) return std::optional<SimilarPair>();
  pair.lab = lab_;
  pair.first = sources_[first.source].student;
  pair.second = sources_[second.source].student;
  pair.first_file = sources_[first.source].file;
  pair.second_file = sources_[second.source].file;
  for (const Run& run : runs) {
    if (run.file != candidate.first || run.other_file != candidate.second) continue;
    if (run.end >= first.tokens.size() || run.other_end >= second.tokens.size()) continue;
    pair.runs.push_back({first.tokens[run.begin].line, first.tokens[run.end].line, second.tokens[run.other_begin].line,
                         second.tokens[run.other_end].line, run.tokens});
  }
  std::sort(pair.runs.begin(), pair.runs.end(),
            [](const MatchedLines& a, const MatchedLines& b) { return a.first_begin < b.first_begin; });
  return std::optional(std::move(pair));
}

Expected<Similarity> Comparison::run() {
  if (access(options_.program.c_str(), X_OK) != 0)
    return Failure{fmt::format("{} is missing, so nothing was compared: install similarity-tester (Debian)",
                               options_.program.string())};
  read_sources();
  const auto folder = TemporaryFolder::create();
  if (!folder) return folder.failure();
  folder_ = folder->path();
  for (const Copy& copy : copies_)
    if (auto failure = write(copy)) return std::move(*failure);
  if (auto failure = take_out_handout()) return std::move(*failure);
  keep_long_enough();
  for (const Copy& copy : copies_)
    if (auto failure = write(copy)) return std::move(*failure);
  if (copies_.size() < 2) return std::move(result_);
  const auto found = candidates();
  if (!found) return found.failure();
  for (const Candidate& each : *found) {
    if (result_.pairs.size() >= options_.most_pairs) {
      ++result_.more;
      continue;
    }
    auto pair = look_at(each);
    if (!pair) {
      // Sources made to be slow must not hide the copies that have been found.
      if (result_.pairs.empty()) return pair.failure();
      result_.notes.push_back(pair.sentence());
      result_.more += static_cast<std::size_t>(&found->back() - &each) + 1;
      break;
    }
    if (*pair) result_.pairs.push_back(std::move(**pair));
  }
  std::stable_sort(result_.pairs.begin(), result_.pairs.end(), is_more_similar);
  return std::move(result_);
}

}  // namespace

double largest_share(const SimilarPair& pair) { return std::max(pair.first_percent, pair.second_percent); }

bool is_more_similar(const SimilarPair& a, const SimilarPair& b) { return largest_share(a) > largest_share(b); }

// Maximal cliques that cover the pairs, each grown from the most similar pair that is in none yet.
std::vector<SimilarGroup> similar_groups(const std::vector<SimilarPair>& pairs) {
  using Neighbours = std::map<std::string, std::size_t>;  // by student: the position of the pair with them
  std::map<std::string, std::map<std::string, Neighbours>> similar_to;  // by lab and student
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    similar_to[pairs[i].lab][pairs[i].first].emplace(pairs[i].second, i);
    similar_to[pairs[i].lab][pairs[i].second].emplace(pairs[i].first, i);
  }
  std::vector<SimilarGroup> groups;
  std::vector<bool> is_grouped(pairs.size(), false);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (is_grouped[i]) continue;
    SimilarGroup group{pairs[i].lab, {pairs[i].first, pairs[i].second}, {i}};
    const std::map<std::string, Neighbours>& lab = similar_to[group.lab];
    // Who may still join, with the position of their least similar pair within the group: the lower, the more similar.
    Neighbours others = lab.at(pairs[i].first);
    const auto keep_similar_to = [&](const std::string& student) {
      const Neighbours& neighbours = lab.at(student);
      others.erase(student);
      for (auto other = others.begin(); other != others.end();) {
        const auto pair = neighbours.find(other->first);
        if (pair != neighbours.end()) other->second = std::max(other->second, pair->second);
        other = pair == neighbours.end() ? others.erase(other) : std::next(other);
      }
    };
    keep_similar_to(pairs[i].second);
    while (!others.empty()) {
      const std::string next = std::min_element(others.begin(), others.end(), [](const auto& a, const auto& b) {
                                 return a.second < b.second;
                               })->first;
      for (const std::string& student : group.students) group.pairs.push_back(lab.at(next).at(student));
      group.students.push_back(next);
      keep_similar_to(next);
    }
    for (const std::size_t pair : group.pairs) is_grouped[pair] = true;
    std::sort(group.students.begin(), group.students.end());
    std::sort(group.pairs.begin(), group.pairs.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

Expected<Similarity> find_similar(const std::string& lab, const std::vector<ComparedSource>& sources,
                                  const std::vector<fs::path>& excluded, const SimilarityOptions& options) {
  return Comparison(lab, sources, excluded, options).run();
}

}  // namespace lanewise
