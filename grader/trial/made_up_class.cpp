// Takes what there is under solutions/ and grader/attacks, and work of the kinds that every class has.
#include "grader/trial/made_up_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "grader/solutions/solution_files.h"
#include "grader/solutions/solution_text.h"
#include "grader/workplace/workplace.h"
#include "harness/declared/known_labs.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

struct LabAndTask {
  const char* lab;
  const char* task;
};
// Labs whose every case takes little time; the attacks are all on the last.
constexpr LabAndTask kTasks[] = {{"scan", "inclusive_scan"}, {"merge", "merge_sorted"}, {"vecadd", "vec_add_device"}};

// In which work comes; one of them is a download of Canvas.
constexpr std::size_t kWays = 5, kCanvas = 3;

constexpr const char* kBroken = "#include \"scan.cuh\"\nthis is not C++ at all;\n";

Expected<MadeUpWork> work_of(const std::string& lab, const std::string& task, const fs::path& file,
                             const fs::path& shown_from, std::optional<Outline> declared) {
  const auto text = solution_text(file);
  if (!text) return text.failure();
  return MadeUpWork{lab, task, fs::relative(file, shown_from).string(), *text, std::move(declared), false};
}

Outline worst(Worst what) {
  Outline outline;
  outline.worst = what;
  return outline;
}

std::optional<Failure> add_attacks(const fs::path& folder, const LabAndTask& task, std::vector<MadeUpWork>& works) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error); !error && it != fs::directory_iterator(); it.increment(error))
    if (it->path().extension() == ".cu") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::string line;
    std::ifstream stream(file);
    std::getline(stream, line);
    const auto expectation = parse_expectation(line);
    if (!expectation || expectation->task != task.task) continue;
    auto work = work_of(task.lab, task.task, file, folder.parent_path().parent_path(), expectation->outline);
    if (!work) return work.failure();
    works.push_back(std::move(*work));
  }
  return std::nullopt;
}

// Everything that can be handed in for one task.
Expected<std::vector<MadeUpWork>> works_for(const LabAndTask& task, const std::vector<LabSelection>& labs,
                                            const fs::path& solutions, const fs::path& attacks) {
  const auto selected = select_labs(labs, {task.task});
  if (!selected) return selected.failure();
  std::vector<MadeUpWork> works;
  for (const SolutionFile& each : solution_files(*selected, solutions)) {
    if (each.kind == SolutionFile::Kind::kPeer || !each.declared) continue;
    auto work = work_of(task.lab, task.task, each.source, solutions.parent_path(), each.declared);
    if (!work) return work.failure();
    const std::vector<TaskFile>& tasks = each.lab->file.tasks;
    work->is_reference = std::any_of(tasks.begin(), tasks.end(), [&](const TaskFile& file) {
      return file.name == task.task && each.kind == SolutionFile::Kind::kLadder &&
             each.source.filename() == file.reference;
    });
    works.push_back(std::move(*work));
  }
  if (const auto failure = add_attacks(attacks, task, works)) return *failure;
  works.push_back({task.lab, task.task, "does not compile", kBroken, worst(Worst::kCompileError), false});
  works.push_back({task.lab, task.task, "empty file", "", worst(Worst::kMissing), false});
  return works;
}

std::string name_for(std::size_t number) {
  static constexpr const char* kFirst[] = {"Ada", "Grace", "Alan", "Édith", "Zoë", "Ng", "Bjarne", "Barbara"};
  static constexpr const char* kLast[] = {"O'Neil", "de la Cruz", "Nguyễn", "Smith, Jr.", "李", "Łukasiewicz", "Brown"};
  return fmt::format("{} {} {}", kFirst[number % std::size(kFirst)], kLast[number % std::size(kLast)], number);
}

// Canvas squeezes a name into letters.
std::string canvas_name(const MadeUpStudent& student) { return "student" + student.id; }
std::string canvas_number(std::size_t number) { return std::to_string(5000 + number); }

// Where a student's work for a lab goes: each in one of the ways in which work comes.
fs::path place_for(const MadeUpStudent& student, std::size_t number, const MadeUpWork& work) {
  const std::string file = work.lab + ".cu";
  switch (number % kWays) {
    case 0:
      return fs::path(student.id) / file;
    case 1:
      return fs::path(student.id) / work.lab / file;
    case 2:
      return fmt::format("{}_{}", student.id, file);
    case kCanvas:
      return fmt::format("{}_{}{}_900{}_{}", canvas_name(student), student.days_late > 0 ? "LATE_" : "",
                         canvas_number(number), number, file);
    default:
      return fs::path(fmt::format("{}_77{}_assignsubmission_file_", student.name, number)) / file;
  }
}

std::optional<Failure> write_work(const MadeUpStudent& student, std::size_t number, const MadeUpWork& work,
                                  const fs::path& folder) {
  const fs::path file = folder / "submitted" / place_for(student, number, work);
  if (auto failure = write_report(file, work.source)) return failure;
  const std::int64_t seconds = kDue - 3600 + static_cast<std::int64_t>(student.days_late * 86'400);
  const auto since_now = std::chrono::seconds(seconds) - std::chrono::system_clock::now().time_since_epoch();
  std::error_code error;
  fs::last_write_time(
      file, fs::file_time_type::clock::now() + std::chrono::duration_cast<fs::file_time_type::duration>(since_now),
      error);
  if (error) return Failure{fmt::format("{}: {}", file.string(), error.message())};
  return std::nullopt;
}

}  // namespace

Expected<MadeUpClass> make_class(std::size_t count, const fs::path& labs, const fs::path& solutions,
                                 const fs::path& attacks) {
  Installation installation;
  installation.labs = labs;
  const auto all = known_labs(installation, {}, Oracles::kLater);
  if (!all) return all.failure();
  MadeUpClass made_up;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_late = i % 4 == 3;
    const double counted = !is_late ? 0 : i % kWays == kCanvas ? 1 : 2;
    made_up.students.push_back({fmt::format("s{:03}", i), name_for(i), is_late ? 1.5 : 0.0, counted, {}});
  }
  for (const LabAndTask& task : kTasks) {
    made_up.names.emplace_back(task.task);
    const auto works = works_for(task, *all, solutions, attacks);
    if (!works) return works.failure();
    for (std::size_t i = 0; i < count; ++i)
      made_up.students[i].works.push_back(
          (*works)[count >= works->size() ? i % works->size() : i * works->size() / count]);
  }
  return made_up;
}

std::optional<Failure> write_class(const MadeUpClass& made_up, const fs::path& folder) {
  std::string roster = "id,name,number,email\n";
  for (std::size_t i = 0; i < made_up.students.size(); ++i) {
    const MadeUpStudent& student = made_up.students[i];
    roster += fmt::format("{},\"{}\",{},{}@example.org\n", student.id, student.name, canvas_number(i), student.id);
    for (const MadeUpWork& work : student.works)
      if (auto failure = write_work(student, i, work, folder)) return failure;
  }
  roster += "absent,\"Nobody Here\",4999,absent@example.org\n";
  std::string course = fmt::format("title = \"Made up\"\n[late]\npercent_a_day = {}\n", kPercentADay);
  for (const LabAndTask& task : kTasks) course += fmt::format("[lab.{}]\ndue = 2026-12-01T00:00:00Z\n", task.lab);
  if (auto failure = write_report(folder / "roster.csv", roster)) return failure;
  return write_report(folder / "course.toml", course);
}

std::optional<Failure> change_work(const MadeUpClass& made_up, std::size_t student, const std::string& source,
                                   const fs::path& folder) {
  MadeUpWork work = made_up.students.at(student).works.at(0);
  work.source = source;
  return write_work(made_up.students.at(student), student, work, folder);
}

}  // namespace lanewise
