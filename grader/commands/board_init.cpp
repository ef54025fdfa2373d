// Finds the task, writes the file, and reads it as `lanewise board` will.
#include "grader/commands/board_init.h"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <filesystem>

#include "grader/board/competition.h"
#include "grader/board/new_competition.h"
#include "grader/class/moment.h"
#include "grader/exports/counted.h"
#include "grader/workplace/exit_codes.h"
#include "grader/workplace/workplace.h"
#include "harness/declared/known_labs.h"
#include "harness/report/safe_text.h"
#include "harness/runner/find.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

int refuse(int code, const std::string& sentence) {
  std::fprintf(stderr, "lanewise board: %s\n", safe_line(sentence).c_str());
  return code;
}

}  // namespace

int write_new_competition(const BoardInitOptions& options) {
  const Installation installation = this_installation();
  const auto all = known_labs(installation, {}, Oracles::kLater);
  if (!all) return refuse(kExitEnvironment, all.sentence());
  const auto selected = select_labs(*all, {options.task});
  if (!selected) return refuse(kExitUsage, selected.sentence());
  const LabSelection& lab = selected->front();
  if (lab.file.tasks.size() > 1 && lab.tasks.size() != 1) {
    std::string names;
    for (const TaskFile& task : lab.file.tasks) names += (names.empty() ? "" : ", ") + task.name;
    return refuse(kExitUsage, fmt::format("--task: the lab {} has several tasks; name one of {}", lab.file.id, names));
  }
  NewCompetition request;
  request.lab = &lab.file;
  request.task = lab.tasks.empty() ? lab.file.tasks.front().name : *lab.tasks.begin();
  request.opens = next_monday(std::time(nullptr));
  if (!options.opens.empty()) {
    const auto opens = parse_iso_moment(options.opens);
    if (!opens || !opens->has_offset)
      return refuse(kExitUsage, fmt::format("--opens: '{}' is not a date with its time and time zone; write it like "
                                            "2026-11-30T08:00:00+01:00",
                                            options.opens));
    request.opens = opens->seconds;
  }
  std::error_code error;
  if (fs::exists(options.file, error))
    return refuse(kExitUsage, options.file + ": the file exists already, and is left unchanged");
  if (const auto failure = write_report(options.file, new_competition(request)))
    return refuse(kExitEnvironment, failure->sentence);
  if (const auto competition = read_competition(options.file, *all); !competition)
    return refuse(kExitEnvironment, competition.sentence());
  fmt::print(
      "Wrote {}, a competition in {} that opens {}. Change its title, dates and limits as you like.\nNext: lanewise "
      "board --competition {} --submissions DIR --out board/ --roster roster.csv\n",
      options.file, request.task, submitted_text(request.opens), options.file);
  return kExitDone;
}

}  // namespace lanewise
