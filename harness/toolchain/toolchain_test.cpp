// Which toolchain is taken, what it is asked to do, and the sentence for one that is not there.
#include "harness/toolchain/toolchain.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "harness/toolchain/compiler.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

/// An installation with an nvcc and a clang that are scripts.
class ToolchainTest : public ::testing::Test {
 protected:
  ToolchainTest() : root_(fs::temp_directory_path() / ("lanewise_toolchain_test_" + std::to_string(getpid()))) {
    fs::create_directories(root_ / "cuda/include");
    installation_.nvcc = nvcc_of_version("13.0.88");
    installation_.toolkit = root_ / "toolkit";
    installation_.cuda_libraries = root_ / "toolkit/lib64";
    installation_.nvidia_runtime = root_ / "toolkit/lib64/libcudart.so.13";
    installation_.host_compiler = "/usr/bin/g++";
    installation_.clang = clang_of_version("19.1.7");
    installation_.clang_toolkit = root_ / "cuda";
    installation_.vgpu_runtime = root_ / "vgpu/libcudart.so.13";
  }
  ~ToolchainTest() override { fs::remove_all(root_); }

  fs::path script(const char* name, const std::string& text) const {
    const fs::path file = root_ / name;
    std::ofstream(file) << "#!/bin/sh\n" << text;
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  fs::path nvcc_of_version(const std::string& version) const {
    return script("nvcc", "echo 'Cuda compilation tools, release " + version.substr(0, 4) + ", V" + version + "'\n");
  }
  fs::path clang_of_version(const std::string& version) const {
    return script("clang++-19", "printf '%s\\n' 'Debian clang version " + version +
                                    " (3)' '#include <...> search starts here:' ' /usr/lib/clang' 'End of search "
                                    "list.'\n");
  }

  std::string refusal(ToolchainChoice choice) const {
    const auto toolchain = find_toolchain(choice, installation_);
    return toolchain ? "there is " + (*toolchain)->description() : toolchain.sentence();
  }

  fs::path root_;
  Installation installation_;
};

bool has(const std::vector<std::string>& command, const std::string& option) {
  return std::find(command.begin(), command.end(), option) != command.end();
}

// That `option` is there with `value` behind it.
bool has(const std::vector<std::string>& command, const std::string& option, const std::string& value) {
  for (std::size_t i = 0; i + 1 < command.size(); ++i)
    if (command[i] == option && command[i + 1] == value) return true;
  return false;
}

CompileRequest request() {
  CompileRequest request;
  request.source = "scan.cu";
  request.object = "scan.o";
  request.architecture = "80";
  request.options = {"-std=c++17", "-DN=1"};
  request.host_options = {"-fPIC"};
  request.dependencies = "scan";
  return request;
}

TEST_F(ToolchainTest, NvccIsTakenWhereItIsThere) {
  const auto toolchain = find_toolchain(ToolchainChoice::kAuto, installation_);
  ASSERT_TRUE(toolchain) << toolchain.sentence();
  EXPECT_EQ((*toolchain)->description(), "nvcc 13.0.88");
}

TEST_F(ToolchainTest, NvccMayBeOfCuda12AndThenItsRuntimeIs) {
  installation_.nvcc = nvcc_of_version("12.4.131");
  installation_.nvidia_runtime.replace_filename("libcudart.so.12");
  const auto toolchain = find_toolchain(ToolchainChoice::kNvcc, installation_);
  ASSERT_TRUE(toolchain) << toolchain.sentence();
  EXPECT_EQ((*toolchain)->description(), "nvcc 12.4.131");
  EXPECT_EQ((*toolchain)->runtime(), "libcudart.so.12");
  const std::vector<std::string> command = (*toolchain)->compile_command(request());
  EXPECT_TRUE(has(command, "--no-compress")) << "--compress-mode is younger";
  EXPECT_EQ(refusal(ToolchainChoice::kClang), "there is clang 19.1.7");
  EXPECT_EQ((*find_toolchain(ToolchainChoice::kClang, installation_))->runtime(), "libcudart.so.13");
}

TEST_F(ToolchainTest, NvccOfAnotherCudaIsRefusedWithWhatToDo) {
  for (const char* version : {"11.8.89", "14.0.1"}) {
    installation_.nvcc = nvcc_of_version(version);
    const std::string sentence = refusal(ToolchainChoice::kAuto);
    EXPECT_EQ(sentence.rfind(installation_.nvcc.string() + " is of CUDA " + version, 0), 0U) << sentence;
    EXPECT_NE(sentence.find("and CUDA 12 or 13 is needed; install the CUDA Toolkit"), std::string::npos) << sentence;
  }
}

TEST_F(ToolchainTest, NvccWithoutTheRuntimeOfItsVersionIsRefused) {
  installation_.nvcc = nvcc_of_version("12.4.131");
  const std::string sentence = refusal(ToolchainChoice::kNvcc);
  EXPECT_NE(sentence.find("the CUDA Toolkit 12 that "), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("libcudart.so.12"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("CUDA_HOME"), std::string::npos) << sentence;
}

TEST_F(ToolchainTest, ClangIsTakenWhereThereIsNoNvccOrItIsAskedFor) {
  EXPECT_EQ(refusal(ToolchainChoice::kClang), "there is clang 19.1.7");
  installation_.nvcc.clear();
  EXPECT_EQ(refusal(ToolchainChoice::kAuto), "there is clang 19.1.7");
}

TEST_F(ToolchainTest, WhatIsMissingIsNamedWithTheWayToGetIt) {
  installation_.nvcc.clear();
  EXPECT_EQ(refusal(ToolchainChoice::kNvcc).rfind("nvcc was not found on the PATH", 0), 0U);
  installation_.clang.clear();
  EXPECT_EQ(refusal(ToolchainChoice::kClang), "clang was not found on the PATH; install it (apt-get install clang-19)");
  const std::string neither = refusal(ToolchainChoice::kAuto);
  EXPECT_EQ(neither.rfind("neither nvcc nor clang was found on the PATH; ", 0), 0U) << neither;
  EXPECT_NE(neither.find("apt-get install clang-19"), std::string::npos) << neither;
  EXPECT_NE(neither.find("install the CUDA Toolkit 12 or 13"), std::string::npos) << neither;
}

TEST_F(ToolchainTest, NvccThatCannotBeRunIsNotReplacedBySomethingElse) {
  installation_.nvcc = script("nvcc", "exit 1\n");
  EXPECT_EQ(refusal(ToolchainChoice::kAuto).rfind("nvcc cannot be run at ", 0), 0U);
}

TEST_F(ToolchainTest, ClangThatIsTooOldOrWithoutOurHeadersIsRefused) {
  installation_.clang = clang_of_version("14.0.6");
  EXPECT_NE(refusal(ToolchainChoice::kClang).find("clang version 14.0.6"), std::string::npos);
  EXPECT_NE(refusal(ToolchainChoice::kClang).find("clang 19 or newer"), std::string::npos);
  installation_.clang = clang_of_version("20.1.0");
  EXPECT_EQ(refusal(ToolchainChoice::kClang), "there is clang 20.1.0");
  installation_.clang_toolkit.clear();
  EXPECT_NE(refusal(ToolchainChoice::kClang).find("toolchain/cuda; build everything"), std::string::npos);
}

TEST_F(ToolchainTest, NvccMakesPtxAndMachineCodeAndKeepsLines) {
  const auto toolchain = find_toolchain(ToolchainChoice::kNvcc, installation_);
  ASSERT_TRUE(toolchain) << toolchain.sentence();
  const std::vector<std::string> command = (*toolchain)->compile_command(request());
  EXPECT_EQ(command.front(), installation_.nvcc);
  EXPECT_TRUE(has(command, "-gencode=arch=compute_80,code=[compute_80,sm_80]"));
  EXPECT_TRUE(has(command, "-Xcompiler", "-fPIC,-fno-diagnostics-color"));
  EXPECT_TRUE(has(command, "-cudart", "shared"));
  EXPECT_TRUE(has(command, "-MF", "scan.d"));
  EXPECT_TRUE(has(command, "-c", "scan.cu"));
  EXPECT_TRUE(has(command, "-o", "scan.o"));
  for (const char* option : {"-lineinfo", "-O2", "-std=c++17", "-DN=1"}) EXPECT_TRUE(has(command, option)) << option;
  EXPECT_TRUE(has((*toolchain)->link_options(), "-lcudart"));
}

TEST_F(ToolchainTest, ClangTakesOurFolderForTheToolkitAndLinksTheVirtualGpu) {
  const auto toolchain = find_toolchain(ToolchainChoice::kClang, installation_);
  ASSERT_TRUE(toolchain) << toolchain.sentence();
  const std::vector<std::string> command = (*toolchain)->compile_command(request());
  EXPECT_EQ(command.front(), installation_.clang);
  EXPECT_TRUE(has(command, "--config=" + (root_ / "cuda/clang.cfg").string()));
  EXPECT_TRUE(has(command, "-Xarch_host", "-fPIC"));
  EXPECT_TRUE(has(command, "-c", "scan.cu"));
  EXPECT_TRUE(has(command, "-o", "scan.o"));
  for (const char* option : {"--no-cuda-gpu-arch=all", "--cuda-gpu-arch=sm_80", "-std=c++17", "-DN=1"})
    EXPECT_TRUE(has(command, option)) << option;
  EXPECT_TRUE(has((*toolchain)->link_options(), installation_.vgpu_runtime.string()));
}

TEST_F(ToolchainTest, ClangPreparesItsHeadersForEachSideWithTheOptionsOfTheCompilation) {
  const auto toolchain = find_toolchain(ToolchainChoice::kClang, installation_);
  ASSERT_TRUE(toolchain) << toolchain.sentence();
  const auto commands = (*toolchain)->prepare_commands(request());
  ASSERT_EQ(commands.size(), 2U);
  for (const auto& command : commands)
    for (const char* option : {"-emit-pch", "--cuda-gpu-arch=sm_80", "-std=c++17", "-DN=1"})
      EXPECT_TRUE(has(command, option)) << option;
  EXPECT_TRUE(has(commands[0], "--cuda-device-only") && has(commands[0], "-MF", "scan.device.d"));
  EXPECT_TRUE(has(commands[1], "--cuda-host-only") && has(commands[1], "-MF", "scan.d"));
  CompileRequest quick = request();
  quick.prepared = "/cache/headers";
  const std::vector<std::string> command = (*toolchain)->compile_command(quick);
  EXPECT_TRUE(has(command, "-Xarch_device", "-Wp,-include-pch,/cache/headers/device.pch"));
  EXPECT_TRUE(has(command, "-Xarch_host", "-Wp,-include-pch,/cache/headers/host.pch"));
}

TEST_F(ToolchainTest, OfAClangOfSomebodysOwnNoMoreIsReadableThanItsPrograms) {
  const auto toolchain = find_toolchain(ToolchainChoice::kClang, installation_);
  ASSERT_TRUE(toolchain) << toolchain.sentence();
  const std::vector<fs::path> readable = (*toolchain)->readable();
  EXPECT_EQ(std::count(readable.begin(), readable.end(), root_), 1);
  EXPECT_EQ(std::count(readable.begin(), readable.end(), root_.parent_path()), 0);
}

TEST_F(ToolchainTest, DeviceCodeIsOptimisedWhateverIsAskedOfHostCode) {
  const auto toolchain = find_toolchain(ToolchainChoice::kClang, installation_);
  ASSERT_TRUE(toolchain) << toolchain.sentence();
  CompileRequest slow = request();
  slow.optimisation = "0";
  const std::vector<std::string> command = (*toolchain)->compile_command(slow);
  EXPECT_TRUE(has(command, "-Xarch_host", "-O0"));
  EXPECT_EQ(std::count(command.begin(), command.end(), "-O0"), 1);
}

TEST_F(ToolchainTest, HeaderIsLackingWhereItsPlaceSaysSo) {
  const auto toolchain = find_toolchain(ToolchainChoice::kClang, installation_);
  ASSERT_TRUE(toolchain) << toolchain.sentence();
  fs::create_directories(root_ / "cuda/include/cub");
  std::ofstream(root_ / "cuda/include/cub/cub.cuh") << "#error \"not here\"\n";
  std::ofstream(root_ / "cuda/include/cuda_fp16.h") << "#pragma once\n";
  const auto lacking = [&](const char* source) { return (*toolchain)->lacking_header(source); };
  EXPECT_EQ(lacking("#include <vector>\n#include \"scan.cuh\"\n#include <cuda_fp16.h>\n"), "");
  EXPECT_EQ(lacking("// #include <cub/cub.cuh>\n"), "");
  EXPECT_EQ(lacking("#include <vector>\n#  include <cub/cub.cuh>  // sort\n"), "cub/cub.cuh");
  EXPECT_EQ(lacking("#include \"cub/cub.cuh\""), "cub/cub.cuh");
  EXPECT_EQ(lacking("#include <cub/thread/thread_load.cuh>\n"), "cub/thread/thread_load.cuh");
  EXPECT_EQ(lacking("#include <sys/socket.h>\n"), "");
  EXPECT_EQ(lacking("#include <cub"), "");
  std::ofstream(root_ / "cuda/other.h") << "#error\n";
  EXPECT_EQ(lacking("#include <../other.h>\n"), "") << "it is not a header of the toolkit";
  const auto nvcc = find_toolchain(ToolchainChoice::kNvcc, installation_);
  ASSERT_TRUE(nvcc) << nvcc.sentence();
  EXPECT_EQ((*nvcc)->lacking_header("#include <cub/cub.cuh>\n"), "");
}

}  // namespace
}  // namespace lanewise
