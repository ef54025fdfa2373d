// Which backend is taken, and what is said when there is none.
#include "harness/runner/session/backend.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

Installation with(const char* nvidia, const char* vgpu) {
  Installation installation = find_installation("/proc/self/exe");
  installation.worker = LANEWISE_WORKER;
  installation.nvidia_runtime = nvidia;
  installation.vgpu_runtime = vgpu;
  return installation;
}

// The tests' own runtime answers as a GPU of compute capability 9.0 would.
constexpr const char* kAnswers = HOST_CUDART;
constexpr const char* kAbsent = "/nonexistent/libcudart.so.13";

TEST(Backend, GpuThatAnswersIsTaken) {
  const auto backend = choose_backend(BackendChoice::kAuto, with(kAnswers, kAnswers));
  ASSERT_TRUE(backend);
  EXPECT_EQ(backend->name, "gpu");
  EXPECT_EQ(backend->architecture, "90");
}

TEST(Backend, WithoutAGpuItIsTheVirtualOne) {
  const auto backend = choose_backend(BackendChoice::kAuto, with(kAbsent, kAnswers));
  ASSERT_TRUE(backend);
  EXPECT_TRUE(backend->is_virtual());
  EXPECT_EQ(backend->runtime, kAnswers);
}

TEST(Backend, VirtualGpuServesWhatAnotherCudaLinked) {
  auto backend = choose_backend(BackendChoice::kVgpu, with(kAbsent, kAnswers));
  ASSERT_TRUE(backend);
  backend->hosting_runtime = "/programs/vgpu/program/libcudart.so.13";
  backend->serve("libcudart.so.12");
  EXPECT_EQ(backend->runtime, std::filesystem::path(kAnswers).replace_filename("libcudart.so.12"));
  EXPECT_EQ(backend->hosting_runtime, "/programs/vgpu/program/libcudart.so.12");
  auto gpu = choose_backend(BackendChoice::kGpu, with(kAnswers, kAbsent));
  ASSERT_TRUE(gpu);
  gpu->serve("libcudart.so.12");
  EXPECT_EQ(gpu->runtime, kAnswers);
}

TEST(Backend, ChoiceIsObeyed) {
  EXPECT_TRUE(choose_backend(BackendChoice::kVgpu, with(kAnswers, kAnswers))->is_virtual());
  const auto refused = choose_backend(BackendChoice::kGpu, with(kAbsent, kAnswers));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.sentence().find("no NVIDIA GPU responds"), std::string::npos);
}

TEST(Backend, RuntimeThatIsNoLibraryIsNoGpu) {
  EXPECT_FALSE(probe_gpu(with(LANEWISE_WORKER, kAbsent)));
  const auto none = choose_backend(BackendChoice::kAuto, with(kAbsent, kAbsent));
  ASSERT_FALSE(none);
  EXPECT_NE(none.sentence().find("build the target vgpu_cudart"), std::string::npos);
}

TEST(Backend, ProfilesHaveArchitectures) {
  EXPECT_EQ(*architecture_of_profile("h200"), "90");
  EXPECT_EQ(*architecture_of_profile("rtx4090"), "89");
  const auto unknown = architecture_of_profile("h20");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.sentence().find("give one of a100, h200, rtx4090, t4"), std::string::npos);
}

}  // namespace
}  // namespace lanewise
