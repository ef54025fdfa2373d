// Programs of the driver's API on the virtual GPU: what they print, what they are refused, and what is found in them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/vgpu/libraries/testing/run_program.h"

namespace vgpu::driver_test {
namespace {

using namespace libraries_testing;

const std::string kModules = VGPU_PROGRAMS_BINARY;

TEST(Driver, ModulesFromPtxRunAsTheRuntimesKernelsDo) {
  const Ended ended = run("driver_program " + kModules);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.output, expected("driver_program"));
}

TEST(Driver, EveryMisuseHasItsDocumentedError) {
  const Ended ended = run("driver_program " + kModules + " misuse");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(without_findings(ended.output), expected("driver_misuse"));
  EXPECT_TRUE(says(ended, "cuMemAddressReserve is not available on the virtual GPU")) << ended.output;
  EXPECT_TRUE(says(ended, "cuArrayDestroy is not available on the virtual GPU")) << ended.output;
  EXPECT_TRUE(says(ended, "the program loads machine code without PTX")) << ended.output;
}

TEST(Driver, FindingsNameTheKernelItsLinesAndTheCallOfTheProgram) {
  const std::string report = testing::TempDir() + "driver_report-" + std::to_string(getpid());
  const Ended ended = run("driver_program " + kModules + " race", "LANEWISE_VGPU_REPORT=" + report);
  EXPECT_EQ(ended.code, 0) << ended.output;
  const int file = open(report.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_NE(file, -1);
  flock(file, LOCK_EX);  // the devices hold it until they have written everything
  close(file);
  std::ifstream written(report);
  const auto document = nlohmann::json::parse(written, nullptr, /*allow_exceptions=*/false);
  std::remove(report.c_str());
  ASSERT_TRUE(document.is_object() && document["findings"].size() == 2) << document.dump(1);
  const auto& race = document["findings"][0];
  EXPECT_EQ(race["tool"], "racecheck");
  EXPECT_EQ(race["kernel"], "neighbours");
  EXPECT_NE(race["file"].get<std::string>().find("driver_kernels.cu"), std::string::npos);
  const auto& copy = document["findings"][1];
  EXPECT_EQ(copy["kind"], "invalid argument");
  EXPECT_EQ(copy["site"]["object"], kModules + "/driver_program") << "not the library that makes the call";
}

TEST(Driver, ProcessesShareMemoryAndEvents) {
  const Ended ended = run("driver_interprocess");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(without_findings(ended.output),
            "cuIpcOpenMemHandle(&opened, shared.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS): "
            "CUDA_ERROR_INVALID_CONTEXT\n"
            "cuIpcOpenEventHandle(&event, shared.event): CUDA_ERROR_INVALID_CONTEXT\n"
            "cuIpcCloseMemHandle(memory): CUDA_ERROR_INVALID_VALUE\n"
            "there is 17\n"
            "cuMemFree(memory): CUDA_ERROR_INVALID_VALUE\n"
            "the other has written 18\n");
}

TEST(Driver, BothInterfacesShareMemoryStreamsKernelsAndContext) {
  const Ended ended = run("driver_mixed " + kModules);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(without_findings(ended.output), expected("driver_mixed"));
}

TEST(Driver, BoxesOfTensorsAreCopiedAsAnH200CopiesThem) {
  const Ended ended = run("tensor_program");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.output, expected("tensor_program")) << "and nothing is found in it";
}

TEST(Driver, CopiesOfBoxesThatCannotBeEndTheKernel) {
  const char* const errors[] = {"IllegalInstruction", "IllegalInstruction", "MisalignedAddress",  "IllegalInstruction",
                                "IllegalInstruction", "MisalignedAddress",  "IllegalInstruction", "IllegalInstruction",
                                "MisalignedAddress",  "MisalignedAddress"};
  for (std::size_t n = 0; n < std::size(errors); ++n) {
    const Ended ended = run("tensor_program " + std::to_string(n));
    EXPECT_EQ(without_findings(ended.output), std::string("cudaError") + errors[n] + "\n") << ended.output;
  }
}

TEST(Driver, KernelsThatNvrtcCompilesRun) {
  const std::string program = "driver_nvrtc";
  if (!std::ifstream(kModules + "/" + program)) GTEST_SKIP() << "there is no libnvrtc to link with";
  const Ended ended = run(program + " " VGPU_CUDA_INCLUDES);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(without_findings(ended.output), "scaled: -2147483633\ncuCtxSynchronize(): CUDA_SUCCESS\n") << ended.output;
  EXPECT_TRUE(says(ended, "memcheck: scale.cu:6: out-of-bounds write")) << ended.output;
}

}  // namespace
}  // namespace vgpu::driver_test
