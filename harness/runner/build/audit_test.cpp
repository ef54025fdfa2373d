// What is refused, by name; what is not; and that a damaged object is a failure, not a crash.
#include "harness/runner/build/audit.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "harness/runner/content_hash.h"

namespace lanewise {
namespace {

AuditSubject defining(std::vector<std::string> names) { return {{std::move(names), {}}, {}}; }

std::vector<std::string> audit_headers(std::vector<std::filesystem::path> headers, std::vector<std::string> forbidden) {
  return audit({{}, std::move(headers)}, {std::move(forbidden), {"/toolkit", "/lab"}});
}

TEST(Audit, OrdinarySubmissionPasses) {
  const AuditSubject subject{{{"_Z7vec_addPKfS0_Pfi", "_Z10add_kernelPKfS0_Pfm", "_Z10cudaMallocIfE9cudaErrorPPT_m"},
                              {"cudaMalloc", "__cudaRegisterFunction", "printf", "clock_gettime", "_Znwm"}},
                             {"vecadd.cu", "/lab/vecadd.cuh", "/toolkit/include/cuda_runtime.h"}};
  EXPECT_TRUE(audit(subject, {{"cub", "thrust"}, {"/toolkit", "/lab"}}).empty());
}

TEST(Audit, StandInsForClocksRuntimeAndMainAreNamed) {
  for (const char* name : {"clock_gettime", "main", "cudaMalloc", "cudaEventElapsedTime", "cuLaunchKernel",
                           "__cudaRegisterFunction", "lanewise_task_vec_add", "vgpuTakeReport", "gettimeofday"}) {
    const auto refusals = audit(defining({name}), {});
    ASSERT_EQ(refusals.size(), 1U) << name;
    EXPECT_NE(refusals[0].find(std::string("'") + name + "'"), std::string::npos);
  }
}

TEST(Audit, NamesThatOnlyLookReservedPass) {
  EXPECT_TRUE(audit(defining({"cudalike", "current", "cut", "mainly", "clocks", "customer_count"}), {}).empty());
}

TEST(Audit, WaysAroundTheAuditAreRefused) {
  for (const char* name : {"dlsym", "dlopen", "syscall", "dlsym@GLIBC_2.2.5", "dlopen@@GLIBC_2.34", "vgpuTakeReport",
                           "lanewise_task_vec_add"}) {
    const auto refusals = audit({{{}, {name}}, {}}, {});
    ASSERT_EQ(refusals.size(), 1U) << name;
  }
}

TEST(Audit, LibrariesThatLoadTheDriverMay) {
  const AuditSubject subject{{{}, {"dlsym"}}, {"/toolkit/include/cccl/cub/cub.cuh"}};
  EXPECT_TRUE(audit(subject, {{}, {"/toolkit"}}).empty());
  EXPECT_EQ(audit(subject, {{"cub"}, {"/toolkit"}}).size(), 1U);
}

TEST(Audit, ForbiddenLibraryIsSeenByItsHeaders) {
  EXPECT_EQ(audit_headers({"/toolkit/include/cccl/cub/cub.cuh"}, {"cub"}).size(), 1U);
  EXPECT_EQ(audit_headers({"/toolkit/include/cublas_v2.h"}, {"cublas"}).size(), 1U);
  EXPECT_TRUE(audit_headers({"/toolkit/include/cublas_v2.h"}, {"cub"}).empty());
  EXPECT_TRUE(audit_headers({"/toolkit/include/cooperative_groups.h"}, {"cub", "thrust"}).empty());
}

TEST(Audit, ForbiddenLibraryIsSeenByItsSymbols) {
  const AuditRules rules{{"cub", "cublas"}, {}};
  EXPECT_EQ(audit({{{"_ZN3cub17CUB_200700_900_NS10DeviceScanE"}, {}}, {}}, rules).size(), 1U);
  EXPECT_EQ(audit({{{}, {"cublasSgemm_v2"}}, {}}, rules).size(), 1U);
  EXPECT_EQ(audit({{{}, {"cublasSgemm_v2@libcublas.so.13"}}, {}}, rules).size(), 1U);
  EXPECT_TRUE(audit({{{"_Z7my3cubev", "cubic"}, {}}, {}}, rules).empty());
}

TEST(Audit, FilesFromElsewhereAreRefused) {
  const auto refusals = audit_headers({"/etc/passwd", "/toolkit/../home/answers.h", "/toolkit/a/../b.h", "own.h"}, {});
  ASSERT_EQ(refusals.size(), 2U);
  EXPECT_NE(refusals[0].find("/etc/passwd"), std::string::npos);
  EXPECT_NE(refusals[1].find("/toolkit/../home/answers.h"), std::string::npos);
}

TEST(Audit, PathsThatCannotBeFollowedAreRefusedNotFatal) {
  const auto loop = std::filesystem::temp_directory_path() / ("lanewise_audit_test_" + std::to_string(getpid()));
  std::filesystem::create_symlink(loop, loop);
  const auto refusals = audit({{}, {loop / "a.h", "/lab/b.h"}}, {{}, {loop, "/lab"}});
  std::filesystem::remove(loop);
  ASSERT_EQ(refusals.size(), 1U);
  EXPECT_NE(refusals[0].find("a.h"), std::string::npos);
}

TEST(Dependencies, ContinuationsAndBlanksAreUnderstood) {
  const auto files = parse_dependencies("a.o : a.cu \\\n    /usr/include/x.h \\\n  /with\\ blank/y.h\n");
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0], "a.cu");
  EXPECT_EQ(files[1], "/usr/include/x.h");
  EXPECT_EQ(files[2], "/with blank/y.h");
}

TEST(ElfSymbols, OwnTestProgramIsRead) {
  const auto file = read_file("/proc/self/exe", std::uintmax_t{1} << 30);
  ASSERT_TRUE(file);
  const auto symbols = read_elf_symbols(*file);
  ASSERT_TRUE(symbols) << symbols.sentence();
  EXPECT_NE(std::find(symbols->defined.begin(), symbols->defined.end(), "main"), symbols->defined.end());
  EXPECT_FALSE(symbols->undefined.empty());
}

TEST(ElfSymbols, AnythingElseIsAFailure) {
  EXPECT_FALSE(read_elf_symbols(""));
  EXPECT_FALSE(
      read_elf_symbols("\x7f"
                       "ELF"));
  EXPECT_FALSE(read_elf_symbols("int main() {}"));
}

TEST(ElfSymbols, DamagedObjectNeverCrashes) {
  auto file = read_file("/proc/self/exe", std::uintmax_t{1} << 30);
  ASSERT_TRUE(file);
  // Header and section headers are where lies hurt: overwrite bytes there at random.
  Elf64_Ehdr header;
  std::memcpy(&header, file->data(), sizeof(header));
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same lies every time
  for (int round = 0; round < 300; ++round) {
    std::string damaged = *file;
    for (int i = 0; i < 8; ++i) {
      const std::size_t in_header = random() % sizeof(header);
      const std::size_t in_sections = header.e_shoff + random() % (std::size_t{header.e_shnum} * sizeof(Elf64_Shdr));
      damaged[round % 2 == 0 ? in_header : in_sections] = static_cast<char>(random());
    }
    static_cast<void>(read_elf_symbols(damaged));
  }
  for (std::size_t cut = 0; cut < sizeof(header) + 16; ++cut)
    EXPECT_FALSE(read_elf_symbols(std::string_view(*file).substr(0, cut)));
}

}  // namespace
}  // namespace lanewise
