// `lanewise release`: the archive that students receive.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>

#include "grader/commands/commands.h"
#include "grader/commands/option_checks.h"
#include "grader/exports/autograders.h"
#include "grader/release/released_files.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/nearest_name.h"
#include "harness/lab/number_text.h"
#include "harness/report/platform_results.h"
#include "harness/report/progress.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_style.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "lanewise/";
constexpr std::int64_t kEarliest = 315532800;  // 1980: zips hold no earlier date
constexpr std::int64_t kLatest = 4102444799;   // the end of 2099: zips reach 2107

struct ReleaseOptions {
  std::vector<std::string> labs;
  std::string out;
  std::int64_t time = -1;
  std::string programs;
  std::string platform;
  std::string cases = "grade";
  std::uint64_t seed = 1;
  bool has_sources = false;
  bool is_listed = false;
  bool may_be_uncommitted = false;
};

constexpr const char* kReleaseExamples = R"(
Examples:
  lanewise release --out lanewise-labs.tar.gz          every lab
  lanewise release vecadd image --out week-1.zip       two labs
  lanewise release scan --list                         list what would be in it
  lanewise release --source --out lanewise.zip         sources, for students to build
  lanewise release scan --for autolab --out autograder/   an autograder for a platform, not for students

The archive contains the chosen labs with handout, contract, skeleton, questions and public cases, and the programs that
`make check` needs, which run on Linux with glibc 2.35 or newer on processors of this architecture. With --source, it
contains their sources instead, and students build them. It contains no solutions/, no key to the questions, no tests
and none of the instructor's commands. All cases in lab.toml are public: put what students must not see into the file
for `lanewise grade --seed-file`.

In a source tree, `make release OUT=FILE` first builds portable programs in build/package. An installed lanewise already
has them.

Files tracked by git are released; without git, all files in the source tree's folders. A lab that git does not track
yet is left out, and a file that differs from the last commit (your own solution in labs/, say) stops the release.

The same sources give the same archive, byte for byte. Its files are dated by --time, by SOURCE_DATE_EPOCH in the
environment, or by the last commit (without git, the newest file).

With --for, the folder --out gets an autograder for a platform: scripts, configuration, a README.md that says how to
install it, and the whole source tree as it is, solutions/ included. Keep it private.

Exit codes: 0 released, 2 the command line makes no sense or the sources cannot be released as they are, 3 something
could not be read or written.)";

std::optional<ArchiveFormat> format_of(const std::string& file) {
  const auto ends_in = [&](const std::string& end) {
    return file.size() > end.size() && file.compare(file.size() - end.size(), end.size(), end) == 0;
  };
  if (ends_in(".tar.gz") || ends_in(".tgz")) return ArchiveFormat::kTarGz;
  if (ends_in(".zip")) return ArchiveFormat::kZip;
  return std::nullopt;
}

class Release {
 public:
  explicit Release(const ReleaseOptions& options)
      : options_(options), progress_(STDERR_FILENO, style_for(STDERR_FILENO).width) {}

  int run();

 private:
  int fail(int code, const std::string& sentence);
  int choose_labs();
  int choose_programs(const Installation& installation);
  int choose_time();
  int write_for_platform();
  int write(const std::vector<ArchiveFile>& files, ArchiveFormat format);

  const ReleaseOptions& options_;
  Progress progress_;
  SourceTree tree_;
  std::vector<std::string> labs_;
  std::vector<ArchiveFile> programs_;
  std::int64_t time_ = 0;
};

int Release::fail(int code, const std::string& sentence) {
  progress_.clear();
  std::fprintf(stderr, "lanewise release: %s\n", safe_line(sentence).c_str());
  return code;
}

int Release::choose_labs() {
  const std::vector<std::string> all = labs_of_tree(tree_);
  for (const std::string& name : options_.labs)
    if (std::find(all.begin(), all.end(), name) == all.end())
      return fail(kExitUsage, unknown_name("lab", name, all,
                                           fmt::format("among the files of {}, the labs are {}", tree_.origin,
                                                       fmt::join(all, ", "))));
  for (const std::string& lab : all)
    if (options_.labs.empty() || std::find(options_.labs.begin(), options_.labs.end(), lab) != options_.labs.end())
      labs_.push_back(lab);
  if (labs_.empty()) return fail(kExitEnvironment, fmt::format("{}: there are no labs in it", tree_.root.string()));
  return kExitDone;
}

// A source tree's own programs run only on a processor and a system like those they were built on.
int Release::choose_programs(const Installation& installation) {
  if (options_.has_sources) {
    std::error_code error;
    if (fs::exists(tree_.root / "CMakeLists.txt", error)) return kExitDone;
    return fail(kExitUsage, fmt::format("{}: there are no sources in it; leave out --source", tree_.root.string()));
  }
  fs::path folder = options_.programs;
  const std::string out = options_.out.empty() ? "FILE" : options_.out;
  if (folder.empty() && installation.build.empty()) folder = installation.programs;
  if (folder.empty()) {
    folder = tree_.root / "build" / "package";
    const fs::path finished = folder / "finished";
    std::error_code error;
    if (!fs::exists(finished, error))
      return fail(kExitEnvironment, fmt::format("there are no portable programs yet: make release OUT={} builds them "
                                                "first (or give --source, and students build them)",
                                                out));
    if (const auto newer = newer_source(tree_, finished))
      return fail(kExitEnvironment,
                  fmt::format("{} is newer than the programs in {}: make release OUT={} rebuilds them", *newer,
                              shown_path(folder), out));
  }
  auto programs = released_programs(folder);
  if (!programs) return fail(kExitEnvironment, programs.sentence());
  programs_ = std::move(*programs);
  return kExitDone;
}

int Release::choose_time() {
  time_ = std::max(tree_.time, kEarliest);
  if (const char* const text = std::getenv("SOURCE_DATE_EPOCH"); text != nullptr && *text != '\0') {
    const std::string epoch(text);
    const auto read = std::from_chars(epoch.data(), epoch.data() + epoch.size(), time_);
    if (read.ec != std::errc() || read.ptr != epoch.data() + epoch.size() || time_ < kEarliest || time_ > kLatest)
      return fail(kExitUsage, fmt::format("SOURCE_DATE_EPOCH is '{}': give seconds since 1970, from {} (1980) to {}",
                                          epoch, kEarliest, kLatest));
  }
  if (options_.time >= 0) time_ = options_.time;
  return kExitDone;
}

// Autolab takes its scripts as a tar archive.
int Release::write_for_platform() {
  std::error_code error;
  if (!fs::exists(tree_.root / "CMakeLists.txt", error))
    return fail(kExitUsage, fmt::format("{}: it holds no sources to build an autograder from: use the lanewise of "
                                        "a source tree",
                                        tree_.root.string()));
  const fs::path out = options_.out;
  const Autograder autograder{options_.platform, labs_, options_.cases, options_.seed};
  if (const auto failure = write_autograder(autograder, out)) return fail(kExitEnvironment, failure->sentence);
  progress_.show("packing");
  auto files = whole_tree(tree_);
  if (!files) return fail(kExitEnvironment, files.sentence());
  const auto tree = archive_of(std::move(*files), ArchiveFormat::kTarGz, time_);
  if (!tree) return fail(kExitEnvironment, tree.sentence());
  if (const auto failure = write_report(out / "lanewise.tar.gz", *tree))
    return fail(kExitEnvironment, failure->sentence);
  if (options_.platform == "autolab") {
    std::vector<ArchiveFile> scripts;
    for (AutograderFile& file : autograder_files(autograder))
      if (file.path == "run_autograder") scripts.push_back({file.path, std::move(file.content), true});
    const auto tar = archive_of(std::move(scripts), ArchiveFormat::kTarGz, time_);
    if (!tar) return fail(kExitEnvironment, tar.sentence());
    if (const auto failure = write_report(out / "autograde.tar", *tar))
      return fail(kExitEnvironment, failure->sentence);
  }
  progress_.clear();
  fmt::print("{}  an autograder for {}, from {}: {}; README.md says how to install it\n", shown_path(out),
             options_.platform, tree_.origin, fmt::join(labs_, ", "));
  return kExitDone;
}

int Release::run() {
  const auto format = format_of(options_.out);
  const bool is_for_platform = !options_.platform.empty();
  if (is_for_platform && options_.out.empty()) return fail(kExitUsage, "name a folder for the autograder: --out DIR");
  if (!options_.is_listed && options_.out.empty())
    return fail(kExitUsage, "name the archive: --out FILE.tar.gz or --out FILE.zip; --list shows what would be in it");
  if (!options_.is_listed && !is_for_platform && !format)
    return fail(kExitUsage, fmt::format("{}: an archive's name must end in .tar.gz, .tgz or .zip", options_.out));
  progress_.show("reading the source tree");
  const Installation installation = this_installation();
  auto tree = read_source_tree(installation.root);
  if (!tree) return fail(kExitEnvironment, tree.sentence());
  tree_ = std::move(*tree);
  if (const int code = choose_labs(); code != kExitDone) return code;
  if (const int code = choose_time(); code != kExitDone) return code;
  if (is_for_platform) return write_for_platform();
  const ReleaseForm form = options_.has_sources ? ReleaseForm::kSources : ReleaseForm::kPrograms;
  const std::vector<std::string> changes = released_changes(tree_, labs_, form);
  if (!changes.empty() && !options_.may_be_uncommitted)
    return fail(
        kExitUsage,
        fmt::format("{}{} from the last commit: commit or restore {}, or give --uncommitted to release it anyway",
                    changes.front(),
                    changes.size() == 1 ? " differs" : fmt::format(" and {} more differ", changes.size() - 1),
                    changes.size() == 1 ? "it" : "them"));
  auto files = released_files(tree_, labs_, form);
  if (!files) return fail(kExitUsage, files.sentence());
  if (const int code = choose_programs(installation); code != kExitDone) return code;
  std::move(programs_.begin(), programs_.end(), std::back_inserter(*files));
  progress_.clear();
  for (ArchiveFile& file : *files) file.path = kFolder + file.path;
  if (!options_.is_listed) return write(*files, *format);
  for (const ArchiveFile& file : *files) std::printf("%s\n", safe_line(file.path).c_str());
  return kExitDone;
}

int Release::write(const std::vector<ArchiveFile>& files, ArchiveFormat format) {
  progress_.show("packing");
  const auto archive = archive_of(files, format, time_);
  if (!archive) return fail(kExitEnvironment, archive.sentence());
  if (const auto failure = write_report(options_.out, *archive)) return fail(kExitEnvironment, failure->sentence);
  progress_.clear();
  fmt::print("{}  {} files, {} bytes, from {}, dated {:%Y-%m-%d %H:%M} UTC: {}\n", shown_path(options_.out),
             files.size(), with_commas(archive->size()), tree_.origin, fmt::gmtime(static_cast<std::time_t>(time_)),
             fmt::join(labs_, ", "));
  return kExitDone;
}

}  // namespace

void add_release_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReleaseOptions>();
  CLI::App* command = app.add_subcommand("release", "Make the archive that students receive: labs without solutions");
  command->footer(kReleaseExamples);
  command->add_option("labs", options->labs, "Labs; all of them if none is named")->type_name("LAB");
  command->add_option("--out", options->out, "The archive: .tar.gz or .zip; with --for, a folder")->type_name("FILE");
  command->add_option("--time", options->time, "The date of its files, in seconds since 1970")
      ->check(CLI::Range(kEarliest, kLatest));
  const auto source = command->add_flag("--source", options->has_sources, "Release sources instead of programs");
  command
      ->add_option("--programs", options->programs,
                   "Take the programs from this build folder, for machines like this one")
      ->excludes(source)
      ->type_name("DIR");
  const auto list = command->add_flag("--list", options->is_listed, "Print what would be in it, and write nothing");
  command->add_flag("--uncommitted", options->may_be_uncommitted, "Release files that differ from the last commit");
  std::vector<std::string> platforms;
  for (const PlatformFormat& format : platform_formats()) platforms.emplace_back(format.name);
  const auto platform = command->add_option("--for", options->platform, "Write an autograder for this platform instead")
                            ->check(CLI::IsMember(platforms))
                            ->excludes(source)
                            ->excludes(list);
  command->add_option("--cases", options->cases, "For --for: the cases to run: check, or grade (check and more)")
      ->check(CLI::IsMember({"check", "grade"}))
      ->capture_default_str()
      ->needs(platform);
  command->add_option("--seed", options->seed, "For --for: determines all random inputs")
      ->check(whole_number())
      ->capture_default_str()
      ->needs(platform);
  command->callback([options, &exit_code] { exit_code = Release(*options).run(); });
}

}  // namespace lanewise
