// Compares, then writes pages; the overview last, so that what it links to is there.
#include "grader/overview/write_overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/overview/class_counts.h"
#include "grader/overview/overview_page.h"
#include "grader/overview/pair_page.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/read_file.h"
#include "harness/report/safe_text.h"
#include "harness/runner/build/builder.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

PairSource source_of(const GradedClass& graded, const std::string& id, const fs::path& file) {
  const auto who = std::find_if(graded.students.begin(), graded.students.end(),
                                [&id](const GradedStudent& student) { return student.student.id == id; });
  const auto text = read_file(file, kLargestSource);
  return {who == graded.students.end() ? "" : who->student.name, id, text ? *text : text.sentence()};
}

// Those that pair_file names, and no others.
void remove_pair_pages(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> old;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    const std::string stem = each->path().stem().string();
    if (each->path().extension() == ".html" && stem.find_first_not_of("0123456789") == std::string::npos)
      old.push_back(each->path());
  }
  for (const fs::path& page : old) fs::remove(page, error);
}

std::string set_aside_text(const std::vector<SetAside>& all) {
  std::string text;
  for (const SetAside& each : all) text += safe_line(each.what) + "\n    " + safe_line(each.why) + "\n";
  return text;
}

}  // namespace

Similarity compare_class(const GradedClass& graded, const ClassComparison& how) {
  Similarity all;
  for (const GradedLab& lab : graded.labs) {
    std::vector<ComparedSource> sources;
    for (const GradedStudent& student : graded.students) {
      const GradedAttempt* const attempt = shown_attempt(student, lab.id);
      // What could not be graded may still be a copy.
      if (attempt && !attempt->source.empty()) sources.push_back({student.student.id, attempt->source});
    }
    if (sources.size() < 2) continue;
    if (how.progress) how.progress("comparing the sources of " + lab.id);
    const auto handed_out = how.handed_out.find(lab.id);
    auto found =
        find_similar(lab.id, sources, handed_out == how.handed_out.end() ? std::vector<fs::path>() : handed_out->second,
                     how.options);
    if (!found) {
      // The same for every lab if the program is not there.
      if (std::find(all.notes.begin(), all.notes.end(), found.sentence()) == all.notes.end())
        all.notes.push_back(found.sentence());
      continue;
    }
    all.more += found->more;
    std::move(found->pairs.begin(), found->pairs.end(), std::back_inserter(all.pairs));
    std::move(found->notes.begin(), found->notes.end(), std::back_inserter(all.notes));
  }
  std::stable_sort(all.pairs.begin(), all.pairs.end(), is_more_similar);
  if (all.pairs.size() > how.options.most_pairs) {
    all.more += all.pairs.size() - how.options.most_pairs;
    all.pairs.resize(how.options.most_pairs);
  }
  return all;
}

std::optional<Failure> write_overview(const GradedClass& graded, const Similarity& similarity, const fs::path& out) {
  remove_pair_pages(out / "similar");
  for (std::size_t i = 0; i < std::min(similarity.pairs.size(), kRowsOnPage); ++i) {
    const SimilarPair& pair = similarity.pairs[i];
    const std::string page = pair_page(pair, source_of(graded, pair.first, pair.first_file),
                                       source_of(graded, pair.second, pair.second_file));
    if (auto failure = write_report(out / pair_file(i), page)) return failure;
  }
  std::error_code error;
  fs::remove(out / kSetAsideFile, error);
  if (graded.set_aside.size() > kRowsOnPage)
    if (auto failure = write_report(out / kSetAsideFile, set_aside_text(graded.set_aside))) return failure;
  return write_report(out / "index.html", overview_page(graded, similarity));
}

}  // namespace lanewise
