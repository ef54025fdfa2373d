// Which files and functions count as those of NVIDIA's closed libraries, and which do not.
#include "harness/vgpu/libraries/closed_libraries.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace vgpu::closed_libraries_test {
namespace {

using namespace libraries;

std::string_view name(const ClosedLibrary* library) { return library != nullptr ? library->name : "none"; }

TEST(ClosedLibraries, AFileIsKnownByItsNameWhereverItLies) {
  for (const char* path : {"libcublas.so", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.13.1.0"})
    EXPECT_EQ(name(library_of_file(path)), "cuBLAS") << path;
  EXPECT_EQ(name(library_of_file("libcublasLt.so.13")), "cuBLASLt");
  EXPECT_EQ(name(library_of_file("libcufftw.so.12")), "cuFFT");
  EXPECT_EQ(name(library_of_file("./libcusolverMg.so.12")), "cuSOLVER");
  EXPECT_EQ(name(library_of_file("libnppial.so.13")), "NPP");
  EXPECT_EQ(name(library_of_file("libcudnn_ops.so.9")), "cuDNN");
}

TEST(ClosedLibraries, OtherLibrariesAreNotMistakenForThem) {
  for (const char* path : {"libcudart.so.13", "libcuda.so.1", "libblas.so.3", "libcurand", "libmylibcublas.so",
                           "/opt/libcublas.so.13/libmine.so", "libcublas_wrapper.so", "libnpp_io.so", "libnccl-net.so",
                           "libcudnn-mine.so", "libnvrtc.so.13", "libc.so.6", ""})
    EXPECT_EQ(name(library_of_file(path)), "none") << path;
}

TEST(ClosedLibraries, AFunctionIsKnownByItsPrefixAsAWord) {
  EXPECT_EQ(name(library_of_function("cublasSgemm_v2")), "cuBLAS");
  EXPECT_EQ(name(library_of_function("cublasLtMatmul")), "cuBLASLt");
  EXPECT_EQ(name(library_of_function("nppiFilterBox_8u_C1R_Ctx")), "NPP");
  EXPECT_EQ(name(library_of_function("ncclAllReduce")), "NCCL");
  for (const char* own : {"cublas", "cublast_off", "curandom", "nppx", "_Z11cublasCheckv", "cudaMalloc", ""})
    EXPECT_EQ(name(library_of_function(own)), "none") << own;
}

TEST(ClosedLibraries, AFewFunctionsOfTheirNamesDoNotMakeALibrary) {
  std::vector<std::string> functions{"main",        "ncclCommInitRank", "ncclAllReduce", "ncclCommDestroy",
                                     "cublasCheck", "cublasReport",     "ncclSend",      "curandom"};
  EXPECT_EQ(name(library_defined_by(functions)), "none");
  functions.emplace_back("ncclRecv");
  EXPECT_EQ(name(library_defined_by(functions)), "NCCL");
}

}  // namespace
}  // namespace vgpu::closed_libraries_test
