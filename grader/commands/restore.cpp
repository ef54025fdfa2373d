// `lanewise restore`: brings back the skeletons that were handed out, and keeps what was written in their place.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "grader/commands/commands.h"
#include "grader/workplace/workplace.h"
#include "harness/declared/known_labs.h"
#include "harness/lab/read_file.h"
#include "harness/report/safe_text.h"
#include "harness/runner/build/builder.h"
#include "harness/runner/find.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRestoreExamples = R"(
Examples:
  lanewise restore scan      labs/scan/scan.cu as it was handed out

Your own file is kept beside it, under a name that is still free: scan.cu.mine, scan.cu.mine-2 and so on.

Exit codes: 0 restored, or as handed out anyway, 2 the command line makes no sense, 3 a file could not be read or written.)";

int cannot(int code, const std::string& sentence) {
  std::fprintf(stderr, "lanewise restore: %s\n", safe_line(sentence).c_str());
  return code;
}

// Of labs that were copied before they had it, the installation's own.
fs::path handed_out(const LabFile& lab, const Installation& installation) {
  const std::string name = lab.skeleton + kSkeletonCopy;
  std::error_code error;
  const fs::path beside = lab.folder / name;
  return fs::exists(beside, error) ? beside : installation.root / "labs" / lab.id / name;
}

// Gives the file another name, which no file has yet. It has both for a moment, which is better than neither.
Expected<fs::path> put_aside(const fs::path& file) {
  std::error_code error;
  for (int number = 1;; ++number) {
    fs::path aside = file;
    aside += number == 1 ? std::string(".mine") : fmt::format(".mine-{}", number);
    fs::create_hard_link(file, aside, error);
    if (error == std::errc::file_exists) continue;
    if (error && !fs::copy_file(file, aside, fs::copy_options::none, error))  // some file systems have no links
      return Failure{fmt::format("{}: your file cannot be kept there, so nothing was done ({})", shown_path(aside),
                                 error.message())};
    fs::remove(file, error);  // or what is written there would be written into the one that is kept
    if (error) return Failure{fmt::format("{}: cannot be replaced ({})", shown_path(file), error.message())};
    return aside;
  }
}

int restore(const LabFile& lab, const Installation& installation) {
  const fs::path copy = handed_out(lab, installation);
  std::error_code error;
  if (!fs::exists(copy, error))
    return cannot(kExitEnvironment, fmt::format("{}: the lab was handed out without this copy of its skeleton",
                                                shown_path(lab.folder / (lab.skeleton + kSkeletonCopy))));
  const auto skeleton = read_file(copy, kLargestSource);
  if (!skeleton) return cannot(kExitEnvironment, skeleton.sentence());
  const fs::path file = lab.folder / lab.skeleton;
  std::string kept;
  if (fs::exists(fs::symlink_status(file, error))) {
    const auto own = read_file(file, kLargestSource);
    if (own && *own == *skeleton) {
      std::printf("%s is as it was handed out\n", shown_path(file).c_str());
      return kExitDone;
    }
    const auto aside = put_aside(file);
    if (!aside) return cannot(kExitEnvironment, aside.sentence());
    kept = fmt::format("; yours is now {}", shown_path(*aside));
  }
  if (const auto failure = write_report(file, *skeleton)) return cannot(kExitEnvironment, failure->sentence);
  std::printf("%s is again as it was handed out%s\n", shown_path(file).c_str(), kept.c_str());
  return kExitDone;
}

int restore(const std::vector<std::string>& names) {
  const Installation installation = this_installation();
  const auto all = known_labs(installation, names, Oracles::kLater);
  if (!all) return cannot(kExitEnvironment, all.sentence());
  const auto named = select_labs(*all, names);
  if (!named) return cannot(kExitUsage, named.sentence());
  for (const LabSelection& lab : *named)
    if (const int code = restore(lab.file, installation); code != kExitDone) return code;
  return kExitDone;
}

}  // namespace

void add_restore_command(CLI::App& app, int& exit_code) {
  auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("restore", "Bring a lab's skeleton back, keeping your own file");
  command->footer(kRestoreExamples);
  command->add_option("labs", *names, "Labs")->type_name("LAB")->required();
  command->callback([names, &exit_code] { exit_code = restore(*names); });
}

}  // namespace lanewise
