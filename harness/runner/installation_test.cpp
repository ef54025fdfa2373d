// Where things are looked for: in trees that were built, copied or installed, and with tools in one place or another.
#include "harness/runner/installation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class InstallationTest : public ::testing::Test {
 protected:
  InstallationTest() : root_(fs::temp_directory_path() / ("lanewise installation " + std::to_string(getpid()))) {
    fs::remove_all(root_);
    fs::create_directories(root_);
    root_ = fs::canonical(root_);
    for (const char* name : {"PATH", "HOME", "XDG_CACHE_HOME", "CUDA_HOME", "CXX", "LANEWISE_LABS",
                             "LANEWISE_SOLUTIONS", "LANEWISE_CACHE"})
      set(name, std::string(name) == "PATH" ? "/nonexistent" : "");
    set("HOME", (root_ / "home").string());
    fs::create_directories(root_ / "home");
    fs::current_path(root_ / "home");
  }
  ~InstallationTest() override {
    fs::current_path(before_);
    for (const auto& [name, value] : environment_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    fs::remove_all(root_);
  }

  void set(const std::string& name, const std::string& value) {
    const char* const old = std::getenv(name.c_str());
    environment_.emplace(name, old != nullptr ? std::optional<std::string>(old) : std::nullopt);
    setenv(name.c_str(), value.c_str(), 1);
  }

  fs::path put(const fs::path& file, bool is_program = false) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << "content";
    if (is_program) fs::permissions(root_ / file, fs::perms::owner_all);
    return root_ / file;
  }

  /// A tree with programs in `programs`; gives the program.
  fs::path put_tree(const fs::path& tree, const fs::path& programs) const {
    put(tree / "labs/vecadd/lab.toml");
    put(tree / "harness/worker/entry.h");
    return put(tree / programs / "lanewise", true);
  }

  fs::path root_;
  fs::path before_ = fs::current_path();
  std::map<std::string, std::optional<std::string>> environment_;
};

TEST_F(InstallationTest, BuiltTreeIsSufficientForItself) {
  const fs::path program = put_tree("tree", "build");
  put("tree/build/CMakeCache.txt");
  put("home/labs/vecadd/lab.toml");  // of something that is installed
  const Installation found = find_installation(program);
  EXPECT_EQ(found.programs, root_ / "tree/build");
  EXPECT_EQ(found.build, root_ / "tree/build");
  EXPECT_EQ(found.root, root_ / "tree");
  EXPECT_EQ(found.labs, root_ / "tree/labs");
  EXPECT_EQ(found.solutions, root_ / "tree/solutions");
  EXPECT_EQ(found.worker, root_ / "tree/build/libexec/lanewise-worker");
  EXPECT_EQ(found.devices, root_ / "tree/build/libexec/lanewise-device");
  EXPECT_EQ(found.vgpu_runtime, root_ / "tree/build/vgpu/libcudart.so.13");
  EXPECT_EQ(found.vgpu_program_runtime, root_ / "tree/build/vgpu/program/libcudart.so.13");
  EXPECT_EQ(found.cache, root_ / "tree/build/cache");
  EXPECT_EQ(found.reports, root_ / "tree/build");
}

TEST_F(InstallationTest, TreeThatMovedKnowsNothingOfItsOldPlace) {
  put_tree("tree", "build");
  put("tree/build/CMakeCache.txt");
  fs::copy(root_ / "tree", root_ / "copied tree", fs::copy_options::recursive);
  EXPECT_EQ(find_installation(root_ / "copied tree/build/lanewise").labs, root_ / "copied tree/labs");
  fs::rename(root_ / "tree", root_ / "moved");
  const Installation moved = find_installation(root_ / "moved/build/lanewise");
  EXPECT_EQ(moved.root, root_ / "moved");
  EXPECT_EQ(moved.cache, root_ / "moved/build/cache");
}

TEST_F(InstallationTest, ProgramsOfAFolderInsideTheBuildShareItsCache) {
  put_tree("tree", "build");
  put("tree/build/CMakeCache.txt");
  EXPECT_EQ(find_installation(put("tree/build/tests/some_test")).cache, root_ / "tree/build/cache");
}

TEST_F(InstallationTest, TreeThatAnotherUserBuiltIsAsIfInstalled) {
  const fs::path program = put_tree("tree", "build");
  put("tree/build/CMakeCache.txt");
  fs::permissions(root_ / "tree/build", fs::perms::owner_write, fs::perm_options::remove);
  const bool is_root = getuid() == 0;  // whom permissions would not stop
  ASSERT_TRUE(!is_root || setreuid(65534, 0) == 0);
  const Installation found = find_installation(program);
  ASSERT_TRUE(!is_root || setreuid(0, 0) == 0);
  fs::permissions(root_ / "tree/build", fs::perms::owner_write, fs::perm_options::add);
  EXPECT_TRUE(found.build.empty());
  EXPECT_EQ(found.labs, root_ / "tree/labs");
  EXPECT_EQ(found.cache, root_ / "home/.cache/lanewise");
}

TEST_F(InstallationTest, LinkToTheProgramLeadsToItsTree) {
  const fs::path program = put_tree("usr/lib/lanewise", "bin");
  fs::create_directories(root_ / "usr/bin");
  fs::create_symlink(program, root_ / "usr/bin/lanewise");
  EXPECT_EQ(find_installation(root_ / "usr/bin/lanewise").programs, root_ / "usr/lib/lanewise/bin");
}

TEST_F(InstallationTest, NothingIsWrittenWhereItIsInstalled) {
  const fs::path program = put_tree("lanewise", "bin");
  Installation found = find_installation(program);
  EXPECT_TRUE(found.build.empty());
  EXPECT_EQ(found.labs, root_ / "lanewise/labs");
  EXPECT_EQ(found.cache, root_ / "home/.cache/lanewise");
  EXPECT_EQ(found.reports, root_ / "home/lanewise-reports") << "the current folder";
  set("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(find_installation(program).cache, root_ / "home/.cache/lanewise") << "such a value is to be ignored";
  set("XDG_CACHE_HOME", "/caches");
  EXPECT_EQ(find_installation(program).cache, "/caches/lanewise");
  set("LANEWISE_CACHE", "/mine");
  EXPECT_EQ(find_installation(program).cache, "/mine");
}

TEST_F(InstallationTest, UnpackedInABuildFolderItIsInstalledAllTheSame) {
  put("tree/build/CMakeCache.txt");
  EXPECT_EQ(find_installation(put_tree("tree/build/unpacked", "bin")).cache, root_ / "home/.cache/lanewise");
}

TEST_F(InstallationTest, OneInstallationServesEveryStudentsOwnLabs) {
  const fs::path program = put_tree("lanewise", "bin");
  put("home/course/labs/scan/lab.toml");
  fs::create_directories(root_ / "home/course/labs/scan/notes/labs");  // of something else
  fs::current_path(root_ / "home/course/labs/scan/notes");
  Installation found = find_installation(program);
  EXPECT_EQ(found.labs, root_ / "home/course/labs");
  EXPECT_EQ(found.solutions, root_ / "home/course/solutions");
  EXPECT_EQ(found.reports, root_ / "home/course/lanewise-reports");
  set("LANEWISE_LABS", "/other/labs");
  EXPECT_EQ(find_installation(program).labs, "/other/labs");
}

TEST_F(InstallationTest, LabsThatAreMissedAreNamedBesideTheProgram) {
  const Installation found = find_installation(put("place/bin/lanewise"));
  EXPECT_TRUE(found.root.empty());
  EXPECT_EQ(found.labs, root_ / "place/labs");
}

TEST_F(InstallationTest, ClangIsTheVersionThatOurHeadersAreForAndTheyLieBesideTheProgram) {
  put("early/clang++", true);
  put("late/clang++-19", true);
  set("PATH", (root_ / "early").string() + ":" + (root_ / "late").string());
  EXPECT_TRUE(find_installation(put("place/bin/lanewise")).clang_toolkit.empty());
  put("place/bin/toolchain/cuda/version.json");
  const Installation found = find_installation(root_ / "place/bin/lanewise");
  EXPECT_EQ(found.clang, root_ / "late/clang++-19");
  EXPECT_EQ(found.clang_toolkit, root_ / "place/bin/toolchain/cuda");
}

TEST_F(InstallationTest, ToolkitIsThatOfTheFirstNvccThatHasOne) {
  put("wrappers/nvcc", true);
  put("first/bin/nvcc", true);
  put("first/include/cuda_runtime.h");
  put("first/lib64/libcudart.so.13");
  put("second/bin/nvcc", true);
  put("second/targets/x86_64-linux/include/cuda_runtime.h");
  put("second/targets/x86_64-linux/lib/libcudart.so.13");
  set("PATH", (root_ / "wrappers").string() + "::" + (root_ / "first/bin").string());
  Installation found = find_installation("/nonexistent/lanewise");
  EXPECT_EQ(found.nvcc, root_ / "first/bin/nvcc");
  EXPECT_EQ(found.toolkit, root_ / "first");
  EXPECT_EQ(found.cuda_libraries, root_ / "first/lib64");
  EXPECT_EQ(found.nvidia_runtime, root_ / "first/lib64/libcudart.so.13");
  set("CUDA_HOME", (root_ / "second").string());
  found = find_installation("/nonexistent/lanewise");
  EXPECT_EQ(found.toolkit, root_ / "second");
  EXPECT_EQ(found.cuda_libraries, root_ / "second/targets/x86_64-linux/lib");
}

TEST_F(InstallationTest, ToolkitMayBeThatOfCuda12) {
  put("cuda-12.4/bin/nvcc", true);
  put("cuda-12.4/include/cuda_runtime.h");
  put("cuda-12.4/lib64/libcudart.so.12");
  set("CUDA_HOME", (root_ / "cuda-12.4").string());
  const Installation found = find_installation("/nonexistent/lanewise");
  EXPECT_EQ(found.cuda_libraries, root_ / "cuda-12.4/lib64");
  EXPECT_EQ(found.nvidia_runtime, root_ / "cuda-12.4/lib64/libcudart.so.12");
}

TEST_F(InstallationTest, HostCompilerIsTheChosenOneOrThatOfThePathAndNoCompilerCache) {
  put("usr/bin/ccache", true);
  fs::create_directories(root_ / "caching");
  fs::create_symlink(root_ / "usr/bin/ccache", root_ / "caching/c++");
  put("usr/bin/g++", true);
  put("usr/bin/g++-12", true);
  set("PATH", (root_ / "caching").string() + ":" + (root_ / "usr/bin").string());
  EXPECT_EQ(find_installation("/nonexistent/lanewise").host_compiler, root_ / "usr/bin/g++");
  put("usr/bin/c++", true);
  EXPECT_EQ(find_installation("/nonexistent/lanewise").host_compiler, root_ / "usr/bin/c++");
  set("CXX", "g++-12");
  EXPECT_EQ(find_installation("/nonexistent/lanewise").host_compiler, root_ / "usr/bin/g++-12");
  set("CXX", (root_ / "usr/bin/g++").string());
  EXPECT_EQ(find_installation("/nonexistent/lanewise").host_compiler, root_ / "usr/bin/g++");
  set("CXX", "");
  set("PATH", "/nonexistent");
  EXPECT_TRUE(find_installation("/nonexistent/lanewise").host_compiler.empty());
}

}  // namespace
}  // namespace lanewise
