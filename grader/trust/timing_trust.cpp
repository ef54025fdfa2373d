// timing_trust: on a GPU, how far the timing can be trusted: the same entry timed again, identical entries compared
// with each other, and an entry that moves two percent more bytes told apart from them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "grader/trust/timed_files.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// Of one measurement: a reference, and copies of two files beside it, each in its own worker.
constexpr int kIdentical = 4;
constexpr int kSlower = 2;
constexpr double kMostSpread = 0.01;
constexpr double kLeastOverlap = 0.98;
constexpr double kLeastToldApart = 0.95;

struct Options {
  std::string backend = "gpu";
  int runs = 10;
  std::int64_t elements = std::int64_t{1} << 24;
  double seconds = 16;
};

// Pairs that count, and how many of them are as they should be.
struct Share {
  int good = 0;
  int all = 0;
  void add(bool is_good) {
    good += is_good ? 1 : 0;
    ++all;
  }
  double value() const { return all == 0 ? 0 : static_cast<double>(good) / all; }
};

struct Figures {
  std::vector<double> ratios;  // of the first of the identical entries, one a measurement
  Share overlapping;
  Share told_apart;
  int under_review = 0;
};

bool do_overlap(const TimeEstimate& a, const TimeEstimate& b) { return a.low <= b.high && b.low <= a.high; }

void add_pairs(const TimingResult& result, Figures& figures) {
  const auto ratio = [&](int entry) -> const TimeEstimate& {
    return result.entries[static_cast<std::size_t>(entry)].ratio;
  };
  figures.ratios.push_back(ratio(1).milliseconds);
  const int first_slower = 1 + kIdentical;
  const int end = first_slower + kSlower;
  for (int i = 1; i < end; ++i)
    for (int j = i + 1; j < end; ++j) {
      const bool are_identical = (i < first_slower) == (j < first_slower);
      if (are_identical)
        figures.overlapping.add(do_overlap(ratio(i), ratio(j)));
      else
        figures.told_apart.add(ratio(j).low > ratio(i).high);
    }
}

// Empty if every entry was timed.
std::string trouble_of(const TimingResult& result) {
  for (const EntryTimes& entry : result.entries)
    if (!entry.trouble.empty()) return entry.trouble;
  return "";
}

// None of these entries gives a reason for it.
int print_reviews(const TimingResult& result) {
  int count = 0;
  for (const EntryTimes& entry : result.entries) {
    if (entry.review.empty()) continue;
    ++count;
    fmt::print("    under review: {}\n", entry.review);
  }
  return count;
}

bool print(const char* what, double value, double bar, bool is_met) {
  fmt::print("{:<64} {:6.2f} %   bar {:5.1f} %   {}\n", what, 100 * value, 100 * bar, is_met ? "met" : "MISSED");
  return is_met;
}

bool print_figures(const Figures& figures) {
  std::vector<double> sorted = figures.ratios;
  std::sort(sorted.begin(), sorted.end());
  const double spread = (sorted.back() - sorted.front()) / sorted[sorted.size() / 2];
  fmt::print("\n");
  const bool is_steady = print(fmt::format("the same entry timed {} times: spread of its ratio", sorted.size()).c_str(),
                               spread, kMostSpread, spread <= kMostSpread);
  const bool are_equal =
      print(fmt::format("{} pairs of identical entries: intervals overlap", figures.overlapping.all).c_str(),
            figures.overlapping.value(), kLeastOverlap, figures.overlapping.value() >= kLeastOverlap);
  const bool are_apart =
      print(fmt::format("{} pairs with an entry that moves 2 % more: told apart", figures.told_apart.all).c_str(),
            figures.told_apart.value(), kLeastToldApart, figures.told_apart.value() >= kLeastToldApart);
  fmt::print("(pairs within one measurement share their entries: they are not independent of each other)\n");
  if (figures.under_review > 0)
    fmt::print("{} honest entries came under review, but none should\n", figures.under_review);
  return is_steady && are_equal && are_apart && figures.under_review == 0;
}

int run(const Options& options) {
  auto timer = FileTimer::create(options.backend == "gpu" ? BackendChoice::kGpu : BackendChoice::kVgpu);
  if (!timer) {
    fmt::print(stderr, "timing_trust: {}\n", timer.sentence());
    return 3;
  }
  const fs::path folder = timer->workplace().installation.root / "grader" / "trust" / "entries";
  std::vector<TimedFile> files = {{TimedRole::kReference, folder / "reference.cu"},
                                  {TimedRole::kSubmission, folder / "same.cu"}};
  for (int i = 1; i < kIdentical; ++i) files.push_back({TimedRole::kPeer, folder / "same.cu"});
  for (int i = 0; i < kSlower; ++i) files.push_back({TimedRole::kPeer, folder / "two_percent_more.cu"});

  Figures figures;
  const auto most = std::chrono::milliseconds(static_cast<std::int64_t>(options.seconds * 1000));
  for (int done = 0; done < options.runs; ++done) {
    const auto began = std::chrono::steady_clock::now();
    const auto result = timer->time(files, options.elements, static_cast<std::uint64_t>(done) + 1, most);
    if (!result) {
      fmt::print(stderr, "timing_trust: {}\n", result.sentence());
      return 3;
    }
    if (const std::string trouble = trouble_of(*result); !trouble.empty()) {
      fmt::print(stderr, "timing_trust: {}\n", trouble);
      return 1;
    }
    add_pairs(*result, figures);
    fmt::print("{}{:2} of {}: ", done == 0 ? result->device + ", " + result->clocks + "\n" : "", done + 1,
               options.runs);
    for (std::size_t i = 1; i < result->entries.size(); ++i) {
      const EntryTimes& entry = result->entries[i];
      fmt::print(" {:.4f} [{:.4f} {:.4f}]", entry.ratio.milliseconds, entry.ratio.low, entry.ratio.high);
    }
    fmt::print("  {} samples, {:.4f} ms, {:.1f} s\n", result->entries[1].samples, result->entries[1].time.milliseconds,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    figures.under_review += print_reviews(*result);
    std::fflush(stdout);
  }
  return print_figures(figures) ? 0 : 1;
}

}  // namespace
}  // namespace lanewise

int main(int argc, char** argv) try {
  lanewise::Options options;
  CLI::App app(
      "How far the timing can be trusted: times the same entry, identical ones and one that moves 2 % more bytes, and\n"
      "prints three figures against their bars. Ratios are to another entry, with 95 % intervals.\n"
      "Exit code: 0, 1 if a bar is missed, 2 for the command line, 3 if nothing can be timed.");
  app.add_option("--backend", options.backend, "gpu, or vgpu to see that it works: its times are meaningless")
      ->check(CLI::IsMember({"gpu", "vgpu"}));
  app.add_option("--runs", options.runs, "measurements, each with its own workers")->check(CLI::Range(1, 1000));
  app.add_option("--elements", options.elements, "length of the vectors")->check(CLI::Range(1, 1 << 28));
  app.add_option("--seconds", options.seconds, "of samples in a measurement, at most")->check(CLI::Range(0.1, 600.0));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  return lanewise::run(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "timing_trust: %s\n", error.what());
  return 3;
}
