// Makes the class, runs the command, reads what came out.
#include "grader/attacks/class_under_attack_test.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>

#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kGradingTakes(8);
constexpr std::uintmax_t kLargestFile = 64 << 20;
constexpr std::size_t kMostOutput = 4 << 20;
constexpr const char* kTimeLimit = "time_limit = 15";
constexpr const char* kShortTimeLimit = "time_limit = 8";  // what hangs is waited for; honest cases take some 0.5 s
const fs::path kAttacks = LANEWISE_ATTACKS_FOLDER;

std::vector<fs::path> files_in(const fs::path& folder, const char* extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// What stands behind `prefix` in the first lines, which are comments.
std::string declared(const std::string& source, const std::string& prefix) {
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line) && line.rfind("//", 0) == 0;)
    if (line.rfind(prefix, 0) == 0) return line.substr(prefix.size());
  return "";
}

void put(const fs::path& file, const std::string& content) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
}

}  // namespace

std::unique_ptr<ClassUnderAttack::Shared> ClassUnderAttack::shared;

std::string ClassUnderAttack::content_of(const fs::path& file) {
  auto content = read_file(file, kLargestFile);
  if (content) return *content;
  ADD_FAILURE() << content.sentence();
  return "";
}

// Labs and solutions are copies: with a time limit that is soon over, and solutions beside the labs to be looked for.
std::optional<Failure> ClassUnderAttack::prepare() {
  fs::copy(LANEWISE_LABS_FOLDER, root() / "labs", fs::copy_options::recursive);
  fs::create_directories(root() / "solutions");
  fs::copy(fs::path(LANEWISE_SOLUTIONS_FOLDER) / "vecadd", root() / "solutions" / "vecadd",
           fs::copy_options::recursive);
  fs::create_directories(root() / "tmp");
  const fs::path lab = root() / "labs" / "vecadd" / "lab.toml";
  put(lab, replaced_everywhere(content_of(lab), kTimeLimit, kShortTimeLimit));

  const std::string honest = content_of(kAttacks / "grading" / "honest.cu");
  put(root() / "roster.csv", "id,name,number\nada,\"Lovelace, Ada\",4711\nbob,Bob,4712\nzoe,Zoe,4713\n");
  put(root() / "in" / "ada" / "vecadd.cu", honest + "// by Ada\n");
  put(root() / "in" / "bob" / "vecadd.cu",
      content_of(fs::path(LANEWISE_SOLUTIONS_FOLDER) / "vecadd/vec_add_device/wrong/subtracted.cu"));
  put(root() / "seed.toml", "seed = 1\n");  // verdicts of two classes are compared
  shared->alone = grade(kAlone);

  for (const fs::path& file : files_in(kAttacks / "grading", ".cu")) {
    const std::string source = content_of(file);
    shared->sources.push_back({file.stem(), source.substr(0, source.find('\n')), declared(source, "// says: ")});
    put(root() / "in" / shared->sources.back().name / "vecadd.cu", source);
  }
  put(root() / "in" / kBomb / "vecadd.cu", content_of(kAttacks / "sandbox" / (std::string(kBomb) + ".cu")));
  const Staples staples{honest, (root() / "in" / "ada" / "vecadd.cu").string()};
  for (const fs::path& file : files_in(kAttacks / "hand_ins", ".toml")) {
    auto recipe = read_recipe(file, staples);
    if (!recipe) return recipe.failure();
    if (auto failure = make_hand_in(*recipe, root() / "in")) return failure;
    shared->recipes.push_back(std::move(*recipe));
  }
  shared->before = files_outside();
  shared->attacked = grade(kAttacked);
  return std::nullopt;
}

void ClassUnderAttack::SetUpTestSuite() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what is left behind becomes a child of this process, and is seen
  auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder) << folder.sentence();
  shared = std::make_unique<Shared>(Shared{std::move(*folder), {}, {}, {}, {}, {}});
  const auto failure = prepare();
  ASSERT_FALSE(failure) << failure->sentence;
}

ClassUnderAttack::Outcome ClassUnderAttack::grade(const std::string& out, const std::vector<std::string>& more,
                                                  const std::string& path) {
  ProcessOptions options;
  options.command = {LANEWISE_EXECUTABLE,
                     "grade",
                     "vec_add_device",
                     "--submissions",
                     "in",
                     "--roster",
                     "roster.csv",
                     "--out",
                     out,
                     "--backend",
                     "vgpu",
                     "--cases",
                     "check",
                     "--jobs",
                     "3",
                     "--seed-file",
                     "seed.toml"};
  options.command.insert(options.command.end(), more.begin(), more.end());
  const std::string here = root().string();
  options.environment = {"PATH=" + path, "LANG=C.UTF-8", "TMPDIR=" + here + "/tmp", "LANEWISE_LABS=" + here + "/labs",
                         "LANEWISE_SOLUTIONS=" + here + "/solutions"};
  options.folder = root();
  const auto finished = run_to_end(options, kGradingTakes, kMostOutput);
  if (!finished) return {-1, finished.sentence(), false};
  return {WIFEXITED(finished->status) ? WEXITSTATUS(finished->status) : -1, finished->output,
          waitpid(-1, nullptr, WNOHANG) != -1};
}

std::optional<Verdict> ClassUnderAttack::verdict_of(const std::string& out, const std::string& student) {
  auto verdicts = read_json_report(content_of(root() / out / "students" / student / "results.json"));
  if (!verdicts || verdicts->size() != 1 || verdicts->front().tasks.size() != 1) return std::nullopt;
  Verdict verdict = std::move(verdicts->front());
  verdict.seconds = 0;
  for (CaseVerdict& each : verdict.tasks[0].cases) each.seconds = 0;
  return verdict;
}

std::set<std::string> ClassUnderAttack::files_outside() {
  std::set<std::string> files;
  const auto add = [&files](const fs::path& path) {
    std::error_code no_size;
    const std::uintmax_t size = fs::is_regular_file(path) && !fs::is_symlink(path) ? fs::file_size(path, no_size) : 0;
    files.insert(path.string() + " " + std::to_string(size));
  };
  for (auto it = fs::recursive_directory_iterator(root()); it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    const bool is_run = it.depth() == 0 && (name == kAlone || name == kAttacked);
    if (is_run) it.disable_recursion_pending();
    if (!is_run) add(it->path());
  }
  if (fs::exists(kOutside)) files.insert(kOutside);
  return files;
}

}  // namespace lanewise
