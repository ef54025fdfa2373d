// Programs linked with NVIDIA's closed libraries, as they run on the virtual GPU: with what stands in for a library, or
// not at all.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "harness/vgpu/libraries/closed_libraries.h"
#include "harness/vgpu/libraries/testing/run_program.h"

namespace vgpu::stand_ins_test {
namespace {

using namespace libraries_testing;

std::size_t findings_of(const std::string& tool, const Ended& ended) {
  std::size_t findings = 0;
  for (std::size_t at = 0; (at = ended.output.find(tool + ": ", at)) != std::string::npos; ++at) ++findings;
  return findings;
}

TEST(StandIns, CublasComputesWhatPlainLoopsDo) {
  const Ended ended = run("cublas_program");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(without_findings(ended.output), expected("cublas_program"));
  EXPECT_TRUE(says(ended, "cublasSasum reads 68 bytes from byte 0 of ")) << ended.output;
  EXPECT_TRUE(says(ended, "cublasSgemv reads 640,000,000,000 bytes from byte 0 of ")) << ended.output;
  EXPECT_TRUE(says(ended, "cublasDgemv reads more bytes than there are addresses")) << ended.output;
  EXPECT_TRUE(says(ended, "cublasSasum was given a pointer to host memory")) << ended.output;
}

TEST(StandIns, AnArrayWithoutRoomOnTheHostIsAStatus) {
  const Ended ended = run("cublas_program memory");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(without_findings(ended.output), "an array that the host has no room for: CUBLAS_STATUS_ALLOC_FAILED\n");
  EXPECT_TRUE(says(ended, "computes with a copy of 268,435,456 bytes")) << ended.output;
}

TEST(StandIns, CurandMakesItsNumbersInDeviceMemory) {
  const Ended ended = run("curand_program");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.output, expected("curand_program"));
}

TEST(StandIns, CufftTransformsWhatSumsByDefinitionDo) {
  const Ended ended = run("cufft_program");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(without_findings(ended.output), expected("cufft_program"));
  EXPECT_TRUE(says(ended, "cufftExecC2C writes 128 bytes from byte 8 of ")) << ended.output;
  EXPECT_TRUE(says(ended, "cufftExecC2C was given a pointer to host memory")) << ended.output;
}

TEST(StandIns, ATransformInPlaceReadsNoPadding) {
  const Ended ended = run("cufft_program unwritten");
  EXPECT_TRUE(says(ended, "uninitialised read: cufftExecR2C reads ")) << ended.output;
  // Of 16 reals; that of 8 left five complex numbers.
  EXPECT_TRUE(says(ended, "of which byte 40 was never written")) << ended.output;
  EXPECT_EQ(findings_of("initcheck", ended), 1U) << ended.output;
}

TEST(StandIns, AsManyPiecesAsFitIntoACallAreTransformedAndMoreAreRefused) {
  const Ended ended = run("cufft_program pieces");
  EXPECT_EQ(ended.code, libraries::kExitClosedLibrary);
  EXPECT_EQ(ended.output.find("in pieces: right\nlanewise: cufftExecZ2Z for arrays in more than 512 pieces"), 0U)
      << ended.output;
}

TEST(StandIns, CusparseMultipliesAndConvertsAsPlainLoopsDo) {
  const Ended ended = run("cusparse_program");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(without_findings(ended.output), expected("cusparse_program"));
  EXPECT_TRUE(says(ended, "cusparseSpMV reads 24 bytes from byte 0 of ")) << ended.output;
}

TEST(StandIns, AMatrixWithEntriesOutsideIsAFindingAndAnIllegalAddress) {
  const std::pair<const char*, const char*> cases[] = {
      {"offsets",
       "according to its offsets, row 0 begins at entry 0 and ends before entry 1073741823 (counting from 0), but the "
       "matrix has only 2 entries"},
      {"least-offset", "row 0 begins at entry 9223372036854775807 and ends before entry 1"},
      {"columns", "entry 1 is in row 1, column 2 (counting from 0) of a 2 × 2 matrix"}};
  for (const auto& [what, sentence] : cases) {
    const Ended ended = run(std::string("cusparse_program ") + what);
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(without_findings(ended.output), "then: cudaErrorIllegalAddress\nqueued: CUSPARSE_STATUS_SUCCESS\n");
    EXPECT_TRUE(says(ended, "invalid memory access: cusparseSpMV: ") && says(ended, sentence)) << ended.output;
  }
}

TEST(StandIns, ReadingWhatNobodyWroteIsAFinding) {
  const Ended ended = run("cublas_program uninitialised");
  EXPECT_TRUE(says(ended, "initcheck: uninitialised read: cublasSasum reads ")) << ended.output;
  EXPECT_TRUE(says(ended, "of which byte 32 was never written")) << ended.output;
  EXPECT_EQ(findings_of("initcheck", ended), 2U) << "the program calls it in two places\n" << ended.output;
}

TEST(StandIns, WhatABetaOfZeroOverwritesNeedNotHaveBeenWrittenNorTheOtherHalfOfAMatrix) {
  const Ended ended = run("cublas_program unwritten");
  EXPECT_EQ(ended.output.find("gemm: 3887, and should be 3887\nsymv: 169, and should be 169\n"
                              "symm: 50531, and should be 50531\nlanewise vgpu: "),
            0U)
      << ended.output;
  EXPECT_TRUE(says(ended, "uninitialised read: cublasDtrmv reads ")) << ended.output;
  // Below the diagonal of the first column.
  EXPECT_TRUE(says(ended, "of which byte 8 was never written")) << ended.output;
}

TEST(StandIns, AFunctionThatIsNotThereEndsTheProgramByName) {
  const std::pair<const char*, const char*> cases[] = {
      {"cublas_program", "cublasSgetrfBatched is not in Lanewise's cuBLAS"},
      {"cufft_program", "cufftXtExec is not in Lanewise's cuFFT"},
      {"cusparse_program", "cusparseSpGEMM_createDescr is not in Lanewise's cuSPARSE"}};
  for (const auto& [program, sentence] : cases) {
    const Ended ended = run(std::string(program) + " refused");
    EXPECT_EQ(ended.code, libraries::kExitClosedLibrary);
    EXPECT_EQ(ended.output.find(std::string("begin\nlanewise: ") + sentence), 0U) << ended.output;
  }
}

TEST(StandIns, ALibraryWithoutOneEndsTheProgramHoweverItIsOpened) {
  const Ended linked = run("closed_program_linked");
  EXPECT_EQ(linked.code, libraries::kExitClosedLibrary);
  EXPECT_TRUE(says(linked, "uses cuSOLVER, which needs NVIDIA's driver")) << linked.output;
  EXPECT_FALSE(says(linked, "begin"));
  const Ended opened = run("closed_program libcusolver.so");
  EXPECT_EQ(opened.code, libraries::kExitClosedLibrary);
  EXPECT_TRUE(says(opened, "begin\nlanewise: ")) << opened.output;
  EXPECT_FALSE(says(opened, "end"));
  EXPECT_EQ(run("closed_program libm.so.6").code, 0);
}

TEST(StandIns, ALibraryIsFoundByAnyNameOfItsVersion) {
  for (const char* const name : {"libcublas.so", "libcublas.so.12", "libcublas.so.13.1.0", "libcurand.so",
                                 "libcufft.so", "libcufft.so.11", "libcufft.so.12.0.0.61", "libcusparse.so.12"}) {
    const Ended ended = run(std::string("closed_program ") + name);
    EXPECT_EQ(ended.code, 0) << name;
    EXPECT_EQ(ended.output, "begin\nopened\nend\n") << name;
  }
  const Ended older = run("closed_program libcublas.so.11");
  EXPECT_EQ(older.code, libraries::kExitClosedLibrary);
  EXPECT_TRUE(says(older, "uses cuBLAS, which needs NVIDIA's driver")) << older.output;
}

TEST(StandIns, WhatEndedAProgramIsNoted) {
  const std::string note = testing::TempDir() + "refused-" + std::to_string(getpid());
  for (const char* const command : {"cublas_program refused", "closed_program libcusolver.so"}) {
    std::remove(note.c_str());
    const Ended ended = run(command, "LANEWISE_VGPU_LIBRARY_REFUSED=" + note);
    std::ifstream file(note);
    std::string sentence;
    EXPECT_TRUE(std::getline(file, sentence)) << command;
    EXPECT_TRUE(says(ended, sentence + "\n") && !sentence.empty()) << command << ": " << sentence;
  }
  std::remove(note.c_str());
}

}  // namespace
}  // namespace vgpu::stand_ins_test
