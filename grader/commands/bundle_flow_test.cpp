// A complaint as an instructor answers it: grade, bundle one grade, make it again elsewhere, see what was changed.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/bundle/packing.h"
#include "grader/grading/class_record.h"
#include "grader/grading/digest.h"
#include "grader/release/archive.h"
#include "grader/store/store.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"
#include "harness/runner/process.h"

namespace lanewise::bundle_flow_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::chrono::minutes kGenerous(5);
constexpr std::uintmax_t kLargestFile = 64 << 20;

// Right up to 3,000 elements: the hidden case costs its points.
constexpr const char* kWork =
    "#include \"vecadd.cuh\"\n"
    "__global__ void add(const float* a, const float* b, float* c, std::size_t n) {\n"
    "  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;\n"
    "  if (i < n && (n < 3000 || n > 3100)) c[i] = a[i] + b[i];\n}\n"
    "void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {\n"
    "  if (n > 0) add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);\n}\n";

constexpr const char* kSecret =
    "seed = 8213974021\n"
    "[[case]]\nlab = \"vecadd\"\ntask = \"vec_add_device\"\nname = \"hidden\"\npoints = 4\nwhy = \"nobody saw it\"\n"
    "make = { n = 3079, low = -0.1, high = 1e3 }\n"
    "[[case]]\nlab = \"scan\"\ntask = \"inclusive_scan\"\nname = \"of another lab\"\npoints = 4\nwhy = \"a reason\"\n"
    "make = { kind = \"uniform\", n = 3079, low = 0, high = 3 }\n";

class BundleFlow : public ::testing::Test {
 protected:
  struct Outcome {
    int exit_code = -1;
    std::string text;
    bool says(const std::string& words) const { return text.find(words) != std::string::npos; }
  };

  fs::path root() const { return folder_->path(); }
  fs::path out() const { return root() / "grades"; }

  void put(const fs::path& name, const std::string& content) const {
    fs::create_directories((root() / name).parent_path());
    std::ofstream(root() / name, std::ios::binary) << content;
  }
  static std::string content(const fs::path& file) {
    const auto text = read_file(file, kLargestFile);
    return text ? *text : text.sentence();
  }

  Outcome lanewise(const std::vector<std::string>& words, const std::string& labs = LANEWISE_LABS_FOLDER) const {
    ProcessOptions options;
    options.command = {LANEWISE_EXECUTABLE};
    options.command.insert(options.command.end(), words.begin(), words.end());
    options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "LANEWISE_LABS=" + labs};
    const auto finished = run_to_end(options, kGenerous, 1 << 20);
    if (!finished) return {-1, finished.sentence()};
    return {WIFEXITED(finished->status) ? WEXITSTATUS(finished->status) : -1, finished->output};
  }
  Outcome grade(const std::vector<std::string>& more = {}) const {
    put("in/ada/vecadd.cu", kWork);
    put("in/ada/answers.toml", "[answers]\n");
    put("secret.toml", kSecret);
    std::vector<std::string> words = {"grade",         "vec_add_device",
                                      "--submissions", (root() / "in").string(),
                                      "--seed-file",   (root() / "secret.toml").string(),
                                      "--backend",     "vgpu",
                                      "--out",         out().string()};
    words.insert(words.end(), more.begin(), more.end());
    return lanewise(words);
  }
  Outcome bundle(const std::string& student, const std::string& lab, const std::string& zip) const {
    return lanewise({"bundle", student, lab, "--out", out().string(), "--to", (root() / zip).string()});
  }
  Outcome reproduce(const std::string& zip, const std::string& labs = LANEWISE_LABS_FOLDER) const {
    return lanewise({"reproduce", (root() / zip).string()}, labs);
  }

  std::map<std::string, std::string> files_in(const std::string& zip) const {
    const fs::path into = root() / "unpacked";
    fs::remove_all(into);
    fs::create_directories(into);
    const auto manifest = unpack_bundle(root() / zip, into);
    EXPECT_TRUE(manifest) << manifest.sentence();
    std::map<std::string, std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(into))
      if (!entry.is_directory()) files[entry.path().lexically_relative(into).string()] = content(entry.path());
    return files;
  }
  void pack(const std::string& zip, const std::map<std::string, std::string>& files) const {
    std::vector<ArchiveFile> all;
    all.reserve(files.size());
    for (const auto& [path, text] : files) all.push_back({path, text});
    const auto bytes = archive_of(all, ArchiveFormat::kZip, 1'700'000'000);
    ASSERT_TRUE(bytes);
    put(zip, *bytes);
  }
  static bool is_private(const fs::path& file) {
    return (fs::status(file).permissions() & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none;
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};

TEST_F(BundleFlow, GradeIsBundledAndMadeAgainWithoutTheClass) {
  put("course.toml",
      "[late]\npercent_a_day = 10\nmost_percent = 50\n[lab.vecadd]\ndue = 2001-01-01T00:00:00Z\nout_of = 50\n"
      "[extension_days]\nbob = 3\n");
  const Outcome graded = grade({"--course", (root() / "course.toml").string()});
  ASSERT_EQ(graded.exit_code, 0) << graded.text;
  for (const fs::directory_entry& kept : fs::directory_iterator(out() / "kept")) EXPECT_TRUE(is_private(kept)) << kept;

  // Neither the hand-in nor the files that were given are there any more.
  for (const char* const name : {"in", "secret.toml", "course.toml"}) fs::remove_all(root() / name);
  const Outcome made = bundle("ada", "vecadd", "a.zip");
  ASSERT_EQ(made.exit_code, 0) << made.text;
  ASSERT_EQ(bundle("ada", "vecadd", "b.zip").exit_code, 0);
  EXPECT_EQ(content(root() / "a.zip"), content(root() / "b.zip"));
  EXPECT_TRUE(is_private(root() / "a.zip"));
  std::map<std::string, std::string> files = files_in("a.zip");
  EXPECT_EQ(files["hand-in/vecadd.cu"], kWork);
  EXPECT_NE(files["seed.toml"].find("hidden"), std::string::npos);
  for (const auto& [path, text] : files) {
    EXPECT_EQ(text.find("of another lab"), std::string::npos) << path;
    EXPECT_EQ(text.find("bob"), std::string::npos) << path;
  }

  // Without the class's folder: the same.
  fs::remove_all(out());
  const Outcome same = reproduce("a.zip");
  EXPECT_EQ(same.exit_code, 0) << same.text;
  EXPECT_TRUE(same.says("The result is the same.")) << same.text;
  EXPECT_TRUE(same.says("✓ vec_add_device · correct")) << same.text;
  EXPECT_TRUE(same.says("days late")) << same.text;

  // A point more in the manifest.
  Json manifest = Json::parse(files["manifest.json"]);
  Json& correct = manifest["verdict"]["tasks"][0]["parts"][0];
  ASSERT_EQ(correct["name"], "correct");
  EXPECT_LT(correct["points"].get<double>(), 55) << "the hidden case was run";
  correct["points"] = correct["points"].get<double>() + 1;
  std::map<std::string, std::string> tampered = files;
  tampered["manifest.json"] = manifest.dump();
  pack("point.zip", tampered);
  const Outcome differs = reproduce("point.zip");
  EXPECT_EQ(differs.exit_code, 1) << differs.text;
  EXPECT_TRUE(differs.says("✗ vec_add_device · correct")) << differs.text;
  EXPECT_TRUE(differs.says("✓ vec_add_device · clean")) << differs.text;
  EXPECT_TRUE(differs.says("The result is not the same.")) << differs.text;

  // Another source.
  tampered = files;
  tampered["hand-in/vecadd.cu"] += "// more\n";
  pack("source.zip", tampered);
  const Outcome refused = reproduce("source.zip");
  EXPECT_EQ(refused.exit_code, 2) << refused.text;
  EXPECT_TRUE(refused.says("hand-in/vecadd.cu is not as it was bundled")) << refused.text;
}

TEST_F(BundleFlow, LabThatChangedSinceIsGradedByItsFilesInTheBundle) {
  ASSERT_EQ(grade().exit_code, 0);
  ASSERT_EQ(bundle("ada", "vecadd", "a.zip").exit_code, 0);
  const fs::path labs = root() / "labs";
  fs::copy(LANEWISE_LABS_FOLDER, labs, fs::copy_options::recursive);
  std::string lab = content(labs / "vecadd/lab.toml");
  const std::size_t at = lab.find("n = 4000");
  ASSERT_NE(at, std::string::npos);
  lab.replace(at, 8, "n = 3050");  // that the work gets wrong
  put("labs/vecadd/lab.toml", lab);
  const Outcome same = reproduce("a.zip", labs.string());
  EXPECT_EQ(same.exit_code, 0) << same.text;
  EXPECT_TRUE(same.says("Graded with the lab's files in the bundle; these differ here:\n  labs/vecadd/lab.toml"))
      << same.text;
  EXPECT_TRUE(same.says("The result is the same.")) << same.text;
}

// Entry and contract are compiled outside of the sandbox: they are never the bundle's.
TEST_F(BundleFlow, CodeOfTheLabIsNotTakenFromABundle) {
  ASSERT_EQ(grade().exit_code, 0);
  ASSERT_EQ(bundle("ada", "vecadd", "a.zip").exit_code, 0);
  std::map<std::string, std::string> files = files_in("a.zip");
  const auto change = [&](const std::string& path, const std::string& text) {
    Json manifest = Json::parse(files["manifest.json"]);
    files[path] = text;
    manifest["files"][path] = sha256_of(text);
    files["manifest.json"] = manifest.dump();
  };
  change("labs/vecadd/oracle.cpp", "#error this is compiled\n");
  change("labs/vecadd/cstddef", "#error this is included\n");
  pack("code.zip", files);
  const Outcome unused = reproduce("code.zip");
  EXPECT_EQ(unused.exit_code, 0) << unused.text;
  EXPECT_TRUE(unused.says("These have changed:\n  labs/vecadd/oracle.cpp  was ")) << unused.text;

  std::string lab = files["labs/vecadd/lab.toml"];
  const std::string oracle = "oracle = \"oracle.cpp\"";
  ASSERT_NE(lab.find(oracle), std::string::npos);
  lab.replace(lab.find(oracle), oracle.size(), "oracle = \"vecadd.cu\"");
  change("labs/vecadd/lab.toml", lab);
  change("labs/vecadd/vecadd.cu", "#error this is compiled\n");
  pack("code.zip", files);
  const Outcome refused = reproduce("code.zip");
  EXPECT_EQ(refused.exit_code, 1) << refused.text;
  EXPECT_TRUE(refused.says("its labs/vecadd/lab.toml names C++ code that differs from this lanewise's"))
      << refused.text;
}

TEST_F(BundleFlow, WhatIsUnknownOrMissingIsSaid) {
  EXPECT_EQ(bundle("ada", "vecadd", "a.zip").exit_code, 2) << "nothing was graded";
  EXPECT_FALSE(fs::exists(out()));
  put("roster.csv", "id\nada\nzoe\n");
  ASSERT_EQ(grade({"--roster", (root() / "roster.csv").string()}).exit_code, 0);
  const auto refused = [&](int code, const Outcome& outcome, const std::string& words) {
    EXPECT_EQ(outcome.exit_code, code) << outcome.text;
    EXPECT_TRUE(outcome.says(words)) << outcome.text;
    EXPECT_FALSE(fs::exists(root() / "a.zip"));
  };
  refused(2, bundle("eve", "vecadd", "a.zip"), "there is no student 'eve' in run 1; its students: ada and zoe");
  refused(2, bundle("ada", "scan", "a.zip"), "the lab 'scan' was not graded in run 1; its labs: vecadd");
  refused(2, bundle("zoe", "vecadd", "a.zip"), "zoe submitted nothing for vecadd");
  refused(2, bundle("ada", "vecadd", "a.tar"), "a bundle's name must end in .zip");
  refused(2, reproduce("a.zip"), "cannot be opened");
  put("no.zip", "not a zip");
  refused(2, reproduce("no.zip"), "it is damaged, incomplete, or not a");

  for (const fs::directory_entry& kept : fs::directory_iterator(out() / "kept"))
    if (content(kept) == kSecret) fs::remove(kept);
  refused(3, bundle("ada", "vecadd", "a.zip"), "the seed file: the copy that grading kept cannot be read");
  ASSERT_EQ(grade().exit_code, 0);
  for (const fs::directory_entry& kept : fs::directory_iterator(out() / "kept"))
    if (content(kept) == kSecret) std::ofstream(kept.path(), std::ios::app) << "# more\n";
  refused(3, bundle("ada", "vecadd", "a.zip"), "the seed file: the copy that grading kept has been changed");
}

// As lanewise left it when it did not keep what grades depend on.
TEST_F(BundleFlow, FolderOfAnEarlierLanewiseIsToldFromAWholeOne) {
  fs::create_directories(out());
  {
    ClassRecord record;
    Student ada;
    ada.id = "ada";
    record.students = {ada};
    record.attempts = {{"ada", "vecadd", "0123", "ada", 0, false}};
    record.terms["vecadd"] = "terms";
    const auto store = Store::open(out());
    ASSERT_TRUE(store) << store.sentence();
    const auto run = (*store)->begin_run("{\"cases\": \"check\", \"seed\": 1}");
    ASSERT_TRUE(run);
    ASSERT_FALSE((*store)->keep(*run, {"vecadd", "0123", "terms"}, {"{}", ""}));
    ASSERT_FALSE((*store)->keep_class(*run, class_json(record)));
    ASSERT_FALSE((*store)->finish_run(*run, {{"ada", "vecadd", "0123", "ada", 0, 1, 2, true, ""}}));
  }
  const Outcome outcome = bundle("ada", "vecadd", "a.zip");
  EXPECT_EQ(outcome.exit_code, 3) << outcome.text;
  EXPECT_TRUE(
      outcome.says("run 1: it is from a lanewise that did not keep the seed file, course.toml and the labs' files; run "
                   "lanewise grade again once"))
      << outcome.text;
}

}  // namespace
}  // namespace lanewise::bundle_flow_test
