// The same request as for the class, from files in other places.
#include "grader/bundle/reproduction.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/bundle/packing.h"
#include "grader/grading/digest.h"
#include "grader/grading/graded_files.h"
#include "grader/grading/secrets.h"
#include "harness/declared/known_labs.h"
#include "harness/lab/read_file.h"
#include "harness/runner/verdict/grade.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestBundledFile = 16 << 20;

// The folder that a bundle was unpacked into means nothing to the user.
std::string without(std::string sentence, const fs::path& folder) {
  const std::string beginning = folder.string() + "/";
  for (std::size_t at = sentence.find(beginning); at != std::string::npos; at = sentence.find(beginning, at))
    sentence.erase(at, beginning.size());
  return sentence;
}

bool is_of_the_lab(const std::string& path) { return path.rfind("labs/", 0) == 0 || path.rfind("solutions/", 0) == 0; }

std::string hash_of(const fs::path& file) {
  const auto content = read_file(file, kLargestBundledFile);
  return content ? sha256_of(*content) : "unreadable";
}

// What is data, or else what is code.
std::vector<Difference> differing_files(const Manifest& manifest, const Installation& installation, const LabFile& here,
                                        bool is_code) {
  const fs::path folder = fs::path("labs") / here.id;
  const auto is_meant = [&](const std::string& path) {
    const std::vector<std::string> code = code_files(here);
    return std::any_of(code.begin(), code.end(),
                       [&](const std::string& name) { return path == (folder / name).lexically_normal(); }) == is_code;
  };
  std::map<std::string, std::string> bundled;
  for (const auto& [path, hash] : manifest.files)
    if (is_of_the_lab(path) && is_meant(path)) bundled[path] = hash;
  std::map<std::string, std::string> own;
  for (const auto& [path, file] : graded_files(installation, here, manifest.backend != "vgpu"))
    if (is_meant(path)) own[path] = hash_of(file);
  return differences(bundled, own);
}

// Contract and entry, or oracle, are compiled outside the sandbox, so they are this installation's, and nothing else
// from an untrusted bundle is placed beside them. The rest of a lab is data, taken from the bundle; what is timed
// beside the work is compiled as the work is.
std::optional<Failure> lay_out_lab(const LabFile& here, const fs::path& bundled, const fs::path& into) {
  std::error_code error;
  fs::create_directories(into, error);
  const auto copy = [&](const fs::path& from, const std::string& name) {
    if (!error && fs::exists(from / name)) fs::copy_file(from / name, into / name, error);
  };
  for (const std::string& name : code_files(here)) copy(here.folder, name);
  for (const std::string& name :
       {std::string("lab.toml"), std::string("questions.toml"), std::string("speed.toml"), here.skeleton})
    copy(bundled, name);
  if (!error) return std::nullopt;
  return Failure{fmt::format("{}: nothing can be written there ({})", into.string(), error.message())};
}

// Empty if `installation` has the lab, and its files are fit for what is compiled in. Compiles nothing: which file is
// the oracle may be the bundle's word.
std::string take_lab(const std::string& id, const Installation& installation, LabSelection& selection) {
  const auto labs = known_labs(installation, {id}, Oracles::kLater);
  if (!labs) return labs.sentence();
  const auto lab =
      std::find_if(labs->begin(), labs->end(), [&](const LabSelection& each) { return each.file.id == id; });
  if (lab == labs->end()) return fmt::format("this lanewise has no lab '{}'", id);
  selection = *lab;
  return "";
}

std::string oracle_trouble(const LabSelection& selection) {
  return selection.lab->trouble ? selection.lab->trouble() : "";
}

std::optional<Failure> take_tasks(const Manifest& manifest, LabSelection& selection) {
  for (const std::string& name : manifest.tasks) {
    const auto is_it = [&](const TaskFile& task) { return task.name == name; };
    if (std::none_of(selection.file.tasks.begin(), selection.file.tasks.end(), is_it))
      return Failure{
          fmt::format("manifest.json: grading.tasks names '{}', but the lab {} has no such task", name, manifest.lab)};
    selection.tasks.insert(name);
  }
  return std::nullopt;
}

std::optional<Failure> take_secrets(const Manifest& manifest, const fs::path& folder, LabSelection& selection) {
  if (manifest.files.count(kSeedFile) == 0) return std::nullopt;
  std::vector<LabSelection> labs = {selection};
  const auto secrets = read_secrets(folder / kSeedFile, labs);
  if (!secrets) return Failure{without(secrets.sentence(), folder)};
  if (secrets->seed != manifest.seed)
    return Failure{
        fmt::format("manifest.json: grading.seed is {}, but seed.toml has {}", manifest.seed, secrets->seed)};
  add_hidden_cases(*secrets, labs);
  selection = std::move(labs.front());
  return std::nullopt;
}

}  // namespace

Expected<BundledLab> open_bundled_lab(const Manifest& manifest, const UnpackedBundle& folders,
                                      const Installation& installation) {
  BundledLab bundled;
  bundled.installation = installation;
  bundled.trouble = take_lab(manifest.lab, installation, bundled.selection);
  if (!bundled.trouble.empty()) return bundled;
  const LabFile here = bundled.selection.file;
  bundled.code_differences = differing_files(manifest, installation, here, true);
  bundled.differences = differing_files(manifest, installation, here, false);
  if (!bundled.differences.empty()) {
    bundled.installation.labs = folders.lab;
    bundled.installation.solutions = folders.files / "solutions";
    const fs::path own = fs::path("labs") / here.id;
    if (auto failure = lay_out_lab(here, folders.files / own, folders.lab / here.id)) return *std::move(failure);
    bundled.trouble = take_lab(here.id, bundled.installation, bundled.selection);
    const LabFile& used = bundled.selection.file;
    if (bundled.trouble.empty() && code_files(used) != code_files(here))
      bundled.trouble =
          fmt::format("its {} names C++ code that differs from this lanewise's", (own / "lab.toml").string());
    if (bundled.trouble.empty()) bundled.trouble = oracle_trouble(bundled.selection);
    if (!bundled.trouble.empty()) {
      bundled.trouble = "this lanewise cannot use the lab's files in it: " + without(bundled.trouble, folders.lab);
      return bundled;
    }
  }
  bundled.trouble = oracle_trouble(bundled.selection);
  if (!bundled.trouble.empty()) return bundled;
  if (auto failure = take_tasks(manifest, bundled.selection)) return *std::move(failure);
  if (auto failure = take_secrets(manifest, folders.files, bundled.selection)) return *std::move(failure);
  return bundled;
}

Expected<Verdict> grade_again(const Manifest& manifest, const UnpackedBundle& folders, const BundledLab& lab,
                              const Workplace& workplace, const std::function<void(const std::string&)>& progress) {
  GradeRequest request;
  request.lab = lab.selection.lab;
  request.file = &lab.selection.file;
  request.source = folders.files / source_in(manifest);
  request.answers = folders.files / kHandInFolder / "answers.toml";
  request.key = lab.installation.solutions / manifest.lab / "answers.toml";
  request.tasks = lab.selection.tasks;
  if (manifest.cases == "grade") request.groups.insert("grade");
  request.seed = manifest.seed;
  if (manifest.is_timed) request.timer = time_entries;
  if (workplace.timed_on) request.timed_on = &*workplace.timed_on;
  request.progress = progress;
  auto verdict = grade(request, workplace.installation, workplace.builder, workplace.backend);
  if (!verdict) return Failure{without(verdict.sentence(), folders.files)};
  return verdict;
}

}  // namespace lanewise
