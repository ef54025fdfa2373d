// The real compilers on small files: what comes out, what is refused, and that nothing is compiled twice.
#include "harness/runner/build/builder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <set>

#include "harness/runner/content_hash.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContract = "#pragma once\n#include <cstddef>\nvoid fill(float* d_x, std::size_t n);\n";
constexpr const char* kEntry =
    "#include \"fill.cuh\"\n#include \"harness/worker/entry.h\"\n"
    "LANEWISE_TASK(fill) { fill(call.output<float>(\"x\"), call.integer<std::size_t>(\"n\")); }\n";
constexpr const char* kGood =
    "#include \"fill.cuh\"\n"
    "__global__ void fill_kernel(float* x, std::size_t n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"
    "void fill(float* d_x, std::size_t n) { fill_kernel<<<1, 256>>>(d_x, n); }\n";

class BuilderTest : public ::testing::Test {
 protected:
  BuilderTest() : root_(fs::temp_directory_path() / ("lanewise_builder_test_" + std::to_string(getpid()))) {
    installation_ = find_installation("/proc/self/exe");
    installation_.cache = root_ / "cache";
    lab_.id = "fill";
    lab_.folder = root_ / "fill";
    lab_.contract = "fill.cuh";
    lab_.entry = "entry.cpp";
    fs::create_directories(lab_.folder);
    write(lab_.folder / "fill.cuh", kContract);
    write(lab_.folder / "entry.cpp", kEntry);
  }
  ~BuilderTest() override { fs::remove_all(root_); }

  void SetUp() override {
    if (installation_.nvcc.empty()) GTEST_SKIP() << "needs nvcc: install the CUDA Toolkit 13";
  }

  static void write(const fs::path& file, const std::string& content) { std::ofstream(file) << content; }

  Build build(const std::string& source, const std::string& name = "fill.cu") {
    auto builder = Builder::create(installation_, nullptr, choice_);
    EXPECT_TRUE(builder) << builder.sentence();
    write(root_ / name, source);
    auto build = builder->build(lab_, root_ / name, "90");
    EXPECT_TRUE(build) << build.sentence();
    return build ? *build : Build{};
  }

  std::vector<std::string> audit_of(const Build& build, std::vector<std::string> forbidden = {}) {
    const auto builder = Builder::create(installation_, nullptr, choice_);
    AuditRules rules = builder->audit_rules(lab_, build);
    rules.forbidden = std::move(forbidden);
    return audit(build.audited, rules);
  }

  /// From here on the compiler is a script, but for its version.
  void nvcc_becomes(const std::string& script) {
    installation_.nvcc = root_ / "nvcc";
    write(root_ / "nvcc", "#!/bin/sh\n[ \"$1\" = --version ] && echo 'release 13.0, V13.0.88' && exit\n" + script);
    fs::permissions(root_ / "nvcc", fs::perms::owner_all);
  }

  fs::path root_;
  Installation installation_;
  ToolchainChoice choice_ = ToolchainChoice::kNvcc;
  LabFile lab_;
};

/// By clang, with our headers.
class ClangBuilderTest : public BuilderTest {
 protected:
  void SetUp() override {
    if (installation_.clang.empty()) GTEST_SKIP() << "needs clang: apt-get install clang-19";
    choice_ = ToolchainChoice::kClang;
    installation_.clang_toolkit = fs::path(LANEWISE_BUILD) / "toolchain/cuda";
    installation_.vgpu_runtime = fs::path(LANEWISE_BUILD) / "vgpu/libcudart.so.13";
  }

  /// What an audit says of `source`, which compiles.
  std::vector<std::string> refusals_of(const std::string& source) {
    const Build build = this->build(source);
    EXPECT_TRUE(build.is_built) << build.message;
    return audit_of(build);
  }
};

TEST_F(BuilderTest, GoodSourceExportsItsEntryAndNothingElse) {
  const Build build = this->build(kGood);
  ASSERT_TRUE(build.is_built) << build.message;
  EXPECT_TRUE(audit_of(build).empty());
  // Of a linked object .symtab comes first and tells local from global: what is global is what is exported.
  const auto object = read_file(build.shared_object, 1 << 26);
  ASSERT_TRUE(object);
  const auto symbols = read_elf_symbols(*object);
  ASSERT_TRUE(symbols) << symbols.sentence();
  EXPECT_EQ(symbols->defined, std::vector<std::string>{"lanewise_task_fill"});
}

TEST_F(BuilderTest, UnchangedSourceIsNotCompiledAgain) {
  const Build first = build(kGood);
  const auto when = fs::last_write_time(first.shared_object);
  const Build second = build(kGood, "fill.cu");
  EXPECT_EQ(first.hash, second.hash);
  EXPECT_EQ(fs::last_write_time(second.shared_object), when);
  // Anything that decides the build decides the hash.
  write(lab_.folder / "fill.cuh", std::string(kContract) + "// changed\n");
  EXPECT_NE(build(kGood).hash, first.hash);
}

TEST_F(BuilderTest, ChangedHeaderIsCompiledAgain) {
  // Beside the contract, where the compiler looks; the key of the source alone does not know it.
  const fs::path header = lab_.folder / "my.cuh";
  const std::string source = std::string("#include \"my.cuh\"\n") + kGood;
  EXPECT_FALSE(build(source).is_built);  // and that is not remembered:
  write(header, "#error not yet\n");
  EXPECT_FALSE(build(source).is_built);
  write(header, "constexpr int kOne = 1;\n");
  const Build first = build(source);
  ASSERT_TRUE(first.is_built) << first.message;
  const auto when = fs::last_write_time(first.shared_object);
  EXPECT_EQ(fs::last_write_time(build(source).shared_object), when);
  write(header, "constexpr int kOne = \"one\";\n");
  const Build broken = build(source);
  EXPECT_FALSE(broken.is_built);
  EXPECT_NE(broken.message.find("my.cuh(1): error"), std::string::npos) << broken.message;
  write(header, "constexpr int kOne = 2;\n");
  EXPECT_TRUE(build(source).is_built);
}

TEST_F(BuilderTest, DamagedEntryIsMadeAnew) {
  const Build first = build(kGood);
  ASSERT_TRUE(first.is_built);
  for (const char* product : {"submission.so", "submission.o", "submission.d", "included"}) {
    fs::remove(first.shared_object.parent_path() / product);
    const Build again = build(kGood);
    EXPECT_TRUE(again.is_built) << product << again.message;
    EXPECT_TRUE(fs::exists(again.shared_object)) << product;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(installation_.cache / "entries"))
    fs::remove(entry.path() / "entry.o");
  EXPECT_TRUE(build(std::string(kGood) + "// changed\n").is_built);
}

TEST_F(BuilderTest, TroubleOfTheCompilerIsAFailureAndNotRemembered) {
  nvcc_becomes("echo \"nvcc error   : 'cicc' died due to signal 9 (Kill signal)\"; exit 9\n");
  const auto builder = Builder::create(installation_);
  ASSERT_TRUE(builder) << builder.sentence();
  write(root_ / "fill.cu", kGood);
  const auto failed = builder->build(lab_, root_ / "fill.cu", "90");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.sentence().find("died due to signal 9"), std::string::npos) << failed.sentence();
  nvcc_becomes("exec " LANEWISE_NVCC " \"$@\"\n");  // the memory is there again
  EXPECT_TRUE(builder->build(lab_, root_ / "fill.cu", "90")->is_built);
}

TEST_F(BuilderTest, BombIsAVerdictAndTriedAgainWhenAskedFor) {
  nvcc_becomes(
      "touch submission.d; echo \"nvcc error   : 'cicc' died due to signal 24 (CPU time limit exceeded)\"; exit 24\n");
  const auto builder = Builder::create(installation_);
  ASSERT_TRUE(builder) << builder.sentence();
  write(root_ / "fill.cu", kGood);
  const auto bomb = builder->build(lab_, root_ / "fill.cu", "90");
  ASSERT_TRUE(bomb) << bomb.sentence();
  EXPECT_FALSE(bomb->is_built);
  EXPECT_NE(bomb->message.find("used more processor time"), std::string::npos) << bomb->message;
  nvcc_becomes("exec " LANEWISE_NVCC " \"$@\"\n");
  EXPECT_TRUE(builder->build(lab_, root_ / "fill.cu", "90")->is_built);
}

TEST_F(BuilderTest, LinkThatACompilerLeavesIsNotFollowed) {
  const fs::path compiler = root_ / "nvcc";
  write(compiler, "#!/bin/sh\ncase $1 in --version) exec " + installation_.nvcc.string() +
                      " --version ;; esac\nln -s /etc/passwd submission.o\n");
  fs::permissions(compiler, fs::perms::owner_all);
  installation_.nvcc = compiler;
  const auto builder = Builder::create(installation_);
  ASSERT_TRUE(builder) << builder.sentence();
  write(root_ / "fill.cu", kGood);
  const auto build = builder->build(lab_, root_ / "fill.cu", "90");
  ASSERT_FALSE(build);
  EXPECT_NE(build.sentence().find("left submission.o in its folder, which is not a regular file"), std::string::npos)
      << build.sentence();
}

TEST_F(BuilderTest, HeaderBesideTheSourceIsExplained) {
  write(root_ / "mine.h", "");
  const std::string source = "#include \"mine.h\"\n#include \"fill.cuh\"\nvoid fill(float*, std::size_t) {}\n";
  EXPECT_NE(build(source).message.find("Only fill.cu itself is submitted"), std::string::npos);
  fs::remove(root_ / "mine.h");
  EXPECT_EQ(build(source).message.find("Only fill.cu itself is submitted"), std::string::npos);
}

TEST_F(BuilderTest, CompilerSpeaksForItselfWithoutOurPaths) {
  const Build build = this->build("#include \"fill.cuh\"\nvoid fill(float* d_x, std::size_t n) { d_x = 1 }\n");
  EXPECT_FALSE(build.is_built);
  EXPECT_NE(build.message.find("fill.cu(2): error"), std::string::npos) << build.message;
  EXPECT_EQ(build.message.find(root_.string()), std::string::npos) << build.message;
}

TEST_F(BuilderTest, CallToAFunctionThatIsNotThereIsTheLinkersWord) {
  const Build build =
      this->build("#include \"fill.cuh\"\nvoid other();\nvoid fill(float*, std::size_t) { other(); }\n");
  EXPECT_FALSE(build.is_built);
  EXPECT_NE(build.message.find("undefined reference to `other()'"), std::string::npos) << build.message;
}

TEST_F(BuilderTest, MissingContractFunctionStillBuilds) {
  // It is for the worker to tell which tasks there are: a file may do one and not the other.
  EXPECT_TRUE(build("#include \"fill.cuh\"\nvoid fill(double*, std::size_t) {}\n").is_built);
}

TEST_F(BuilderTest, FileNameMayBeAnything) {
  const Build build = this->build(kGood, "-o my homework; rm.cu");
  EXPECT_TRUE(build.is_built) << build.message;
  EXPECT_EQ(build.compiled_as, "submission.cu");
}

TEST_F(BuilderTest, CompilerNamesTheFileAsItWasHandedIn) {
  const Build build = this->build("int x = ;\n", "my homework.cu");
  EXPECT_EQ(build.message.rfind("my homework.cu(1): error", 0), 0U) << build.message;
}

TEST_F(BuilderTest, ForbiddenLibraryIsFoundInWhatWasCompiled) {
  const Build build =
      this->build("#include \"fill.cuh\"\n#include <cub/warp/warp_reduce.cuh>\nvoid fill(float*, std::size_t) {}\n");
  ASSERT_TRUE(build.is_built) << build.message;
  EXPECT_TRUE(audit_of(build).empty());
  EXPECT_EQ(audit_of(build, {"cub"}).size(), 1U);
}

TEST_F(BuilderTest, StandInForTheClockIsFoundInWhatWasCompiled) {
  const Build build = this->build(
      "#include \"fill.cuh\"\n#include <ctime>\nextern \"C\" int clock_gettime(clockid_t, timespec*) { return 0; }\n"
      "void fill(float*, std::size_t) {}\n");
  ASSERT_TRUE(build.is_built) << build.message;
  const auto refusals = audit_of(build);
  ASSERT_EQ(refusals.size(), 1U);
  EXPECT_NE(refusals[0].find("clock_gettime"), std::string::npos);
}

TEST_F(BuilderTest, FilesOfTheMachineAreNotIncludedUnnoticed) {
  write(root_ / "secret.h", "int secret = 1;\n");
  const Build build = this->build("#include \"fill.cuh\"\n#include \"" + (root_ / "secret.h").string() +
                                  "\"\nvoid fill(float*, std::size_t) {}\n");
  ASSERT_TRUE(build.is_built) << build.message;
  EXPECT_EQ(audit_of(build).size(), 1U);
}

TEST_F(BuilderTest, FilesReachedThroughParentFoldersAreNotIncludedUnnoticed) {
  // From the folder in which the compiler runs, root/cache/submissions/.making-XXXXXX/entry.
  write(root_ / "secret.h", "int secret = 1;\n");
  const Build build =
      this->build("#include \"fill.cuh\"\n#include \"../../../../secret.h\"\nvoid fill(float*, std::size_t) {}\n");
  ASSERT_TRUE(build.is_built) << build.message;
  EXPECT_EQ(audit_of(build).size(), 1U);
}

TEST_F(BuilderTest, FileThatCannotBeReadIsAFailure) {
  const auto builder = Builder::create(installation_);
  ASSERT_TRUE(builder);
  EXPECT_FALSE(builder->build(lab_, root_ / "none.cu", "90"));
  EXPECT_FALSE(builder->build(lab_, root_, "90"));
}

TEST_F(ClangBuilderTest, GoodSourceExportsItsEntryAndNothingElse) {
  const Build build = this->build(kGood);
  ASSERT_TRUE(build.is_built) << build.message;
  EXPECT_TRUE(audit_of(build).empty());
  const auto object = read_file(build.shared_object, 1 << 26);
  ASSERT_TRUE(object);
  const auto symbols = read_elf_symbols(*object);
  ASSERT_TRUE(symbols) << symbols.sentence();
  EXPECT_EQ(symbols->defined, std::vector<std::string>{"lanewise_task_fill"});
}

// Headers of the toolkit in a folder where they can be changed.
class OwnHeadersBuilderTest : public ClangBuilderTest {
 protected:
  void SetUp() override {
    ClangBuilderTest::SetUp();
    if (IsSkipped()) return;
    fs::copy(installation_.clang_toolkit, root_ / "toolkit", fs::copy_options::recursive);
    installation_.clang_toolkit = root_ / "toolkit";
  }
  fs::path header() const { return root_ / "toolkit/include/vector_types.h"; }
  void settle() const { fs::last_write_time(header(), fs::file_time_type::clock::now() - std::chrono::seconds(9)); }
};

TEST_F(OwnHeadersBuilderTest, HeadersArePrecompiledOnceAndAnewWhereTheyChange) {
  settle();
  const auto prepared = [this] {
    std::set<fs::file_time_type> times;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root_ / "cache/prepared"))
      if (entry.path().extension() == ".pch") times.insert(entry.last_write_time());
    return times;
  };
  const Build original = build(kGood);
  ASSERT_TRUE(original.is_built) << original.message;
  const auto first = prepared();
  EXPECT_EQ(first.size(), 2U) << "for the device, and for the host";
  ASSERT_TRUE(build(std::string(kGood) + "// another source\n").is_built);
  EXPECT_EQ(prepared(), first);

  // As a package or a build puts the same file there again.
  fs::last_write_time(header(), fs::file_time_type::clock::now() - std::chrono::seconds(5));
  const Build copied =
      build("#include <vector_types.h>  // the same as before, of another time\n" + std::string(kGood));
  EXPECT_TRUE(copied.is_built) << copied.message;
  EXPECT_EQ(prepared(), first);

  const auto text = read_file(header(), 1 << 20);
  ASSERT_TRUE(text);
  write(header(), *text + "#define LANEWISE_ADDED 1\n");
  settle();
  const Build changed = build("#ifndef LANEWISE_ADDED\n#error old headers\n#endif\n" + std::string(kGood));
  EXPECT_TRUE(changed.is_built) << changed.message;
  EXPECT_EQ(prepared().size(), 2U);
  EXPECT_NE(prepared(), first);
}

TEST_F(OwnHeadersBuilderTest, WhatWasBuiltWithOtherHeadersIsBuiltAnew) {
  settle();
  const std::string source = "#ifdef LANEWISE_ADDED\n#error new headers\n#endif\n" + std::string(kGood);
  ASSERT_TRUE(build(source).is_built);
  const auto text = read_file(header(), 1 << 20);
  ASSERT_TRUE(text);
  write(header(), *text + "#define LANEWISE_ADDED 1\n");
  EXPECT_FALSE(build(source).is_built);
}

TEST_F(ClangBuilderTest, CacheMayLieAnywhere) {
  installation_.cache = root_ / "a, b and c";  // a comma ends what clang hands on to its parts
  const Build build = this->build(kGood);
  EXPECT_TRUE(build.is_built) << build.message;
}

TEST_F(ClangBuilderTest, BuildsOfTheTwoAreKeptApart) {
  if (installation_.nvcc.empty()) GTEST_SKIP() << "needs nvcc: install the CUDA Toolkit 13";
  const std::string hash = build(kGood).hash;
  choice_ = ToolchainChoice::kNvcc;
  EXPECT_NE(build(kGood).hash, hash);
}

TEST_F(ClangBuilderTest, FilesOfTheMachineAreNotIncludedUnnoticed) {
  write(root_ / "secret.h", "constexpr int kSecret = 1;\n");
  const std::string name = (root_ / "secret.h").string();
  const std::string include = "#include \"" + name + "\"\n";
  EXPECT_EQ(refusals_of(include + kGood).size(), 1U);
  EXPECT_EQ(refusals_of("#ifdef __CUDA_ARCH__\n" + include + "#endif\n" + kGood).size(), 1U) << "by device code alone";
  EXPECT_EQ(refusals_of("#ifndef __CUDA_ARCH__\n" + include + "#endif\n" + kGood).size(), 1U) << "by the host alone";
  EXPECT_EQ(refusals_of("#ifdef __CUDA_ARCH__\n__device__ const unsigned char secret[] = {\n#embed \"" + name +
                        "\"\n};\n#endif\n" + kGood)
                .size(),
            1U)
      << "as bytes";
}

TEST_F(ClangBuilderTest, StandInsAndWaysAroundAreFound) {
  for (const char* trick :
       {"extern \"C\" int clock_gettime(int, void*) { return 0; }\n",
        "extern \"C\" int cudaEventElapsedTime(float*, void*, void*) { return 0; }\n",
        "extern \"C\" void __cudaRegisterFatBinaryEnd(void**) {}\n", "asm(\".globl main\\nmain: ret\");\n",
        "asm(\".globl stand_in\\n.set clock_gettime, stand_in\\n.globl clock_gettime\\nstand_in: ret\");\n",
        "extern \"C\" long syscall(long, ...);\nlong kept = syscall(39);\n",
        "extern \"C\" void* dlsym(void*, const char*);\nvoid* kept = dlsym(nullptr, \"x\");\n",
        "extern \"C\" void vgpu_tell();\nvoid (*volatile kept)() = vgpu_tell;\n"}) {
    const Build build = this->build(std::string(trick) + kGood);
    if (!build.is_built) continue;  // the linker or the compiler has refused it
    EXPECT_FALSE(audit_of(build).empty()) << trick;
  }
}

TEST_F(ClangBuilderTest, HeaderOfDeviceCodeIsPartOfTheWork) {
  const fs::path header = lab_.folder / "my.cuh";
  const std::string source = std::string("#ifdef __CUDA_ARCH__\n#include \"my.cuh\"\n#endif\n") + kGood;
  EXPECT_FALSE(build(source).is_built);  // and that is not remembered:
  write(header, "constexpr int kOne = 1;\n");
  EXPECT_TRUE(build(source).is_built);
  write(header, "constexpr int kOne = \"one\";\n");
  const Build broken = build(source);
  EXPECT_FALSE(broken.is_built);
  EXPECT_NE(broken.message.find("my.cuh:1:15: error"), std::string::npos) << broken.message;
}

TEST_F(ClangBuilderTest, CompilerNamesTheFileAsItWasHandedInWithoutOurPaths) {
  const Build build = this->build("int x = ;\n", "my homework.cu");
  EXPECT_EQ(build.message.rfind("my homework.cu:1:9: error", 0), 0U) << build.message;
  EXPECT_EQ(build.message.find(root_.string()), std::string::npos) << build.message;
}

TEST_F(ClangBuilderTest, HeaderBesideTheSourceAndLibraryOfTheToolkitAreExplained) {
  write(root_ / "mine.h", "");
  const std::string source = "#include \"mine.h\"\n#include \"fill.cuh\"\nvoid fill(float*, std::size_t) {}\n";
  EXPECT_NE(build(source).message.find("Only fill.cu itself is submitted"), std::string::npos);
  const Build build = this->build(std::string("#include <cub/cub.cuh>\n") + kGood);
  EXPECT_FALSE(build.is_built);
  EXPECT_NE(build.message.find("<cub/cub.cuh> comes with NVIDIA's toolkit alone"), std::string::npos) << build.message;
  EXPECT_EQ(audit_of(build), std::vector<std::string>{});
  EXPECT_EQ(audit_of(build, {"cub"}),
            std::vector<std::string>{"it uses the library cub (<cub.cuh>), which this task does not allow"});
}

TEST_F(ClangBuilderTest, CrashThatTheSourceBringsAboutIsItsOwnFault) {
  const Build build = this->build(std::string("#pragma clang __debug crash\n") + kGood);
  EXPECT_FALSE(build.is_built);
  EXPECT_NE(build.message.find("crashed on this file"), std::string::npos) << build.message;
}

TEST_F(BuilderTest, MissingCompilerIsSaid) {
  installation_.nvcc = "/nonexistent/nvcc";
  const auto builder = Builder::create(installation_);
  ASSERT_FALSE(builder);
  EXPECT_NE(builder.sentence().find("install the CUDA Toolkit"), std::string::npos);
}

}  // namespace
}  // namespace lanewise
