// Kernels that launch kernels: what they ask of the device's runtime arrives there, and its answers arrive in them.
#include "harness/vgpu/machine/device_runtime_calls.h"

#include <gtest/gtest.h>

#include "harness/vgpu/machine/device_runtime.h"
#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

constexpr int kNoDevice = 100, kNotSupported = 801;

/// Notes what is asked of it. Streams are numbers; parameters go to the second buffer of the test.
class NotingRuntime final : public DeviceRuntime {
 public:
  struct Launched {
    Caller caller;
    std::uint64_t kernel, stream;
    LaunchShape shape;
  };
  std::vector<Launched> launched;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> conditionals;
  std::uint64_t parameters = 0;
  int error = 0;

  int last_error(const Caller&, bool forgets) override { return forgets ? error : error + 1; }
  std::uint64_t parameter_buffer(const Caller& caller, std::uint64_t kernel, const LaunchShape& shape) override {
    launched.push_back({caller, kernel, ~std::uint64_t{0}, shape});
    return parameters;
  }
  int launch(const Caller&, std::uint64_t, std::uint64_t stream) override {
    launched.back().stream = stream;
    return error;
  }
  int create_stream(const Caller&, std::uint32_t flags, std::uint64_t& stream) override {
    stream = 1000 + flags;
    return error;
  }
  int destroy_stream(const Caller&, std::uint64_t stream) override { return static_cast<int>(stream); }
  int create_event(const Caller&, std::uint32_t, std::uint64_t&) override { return error; }
  int destroy_event(const Caller&, std::uint64_t) override { return error; }
  int use_event(const Caller&, std::uint64_t event, std::uint64_t stream) override {
    return static_cast<int>(100 * event + stream);
  }
  bool set_conditional(std::uint64_t handle, std::uint32_t value) override {
    conditionals.emplace_back(handle, value);
    return handle != 0;
  }
  int device_number() const override { return 3; }
  int device_count() const override { return 4; }
};

/// A call of the device's runtime as nvcc 13.0 writes it: each argument is "b64 %rd1" or "b32 7", and the result goes
/// to `result`.
std::string call(const std::string& name, const std::vector<std::string>& arguments, const std::string& result) {
  std::string text = "{\n", list;
  for (std::size_t n = 0; n < arguments.size(); ++n) {
    const std::string own = "q" + std::to_string(n), type = arguments[n].substr(0, 3);
    text += ".param ." + type + " " + own + ";\nst.param." + type + " [" + own + "], " + arguments[n].substr(4) + ";\n";
    list += (n != 0 ? ", " : "") + own;
  }
  const std::string type = result.substr(0, 3) == "%rd" ? "b64" : "b32";
  return text + ".param ." + type + " back;\ncall.uni (back), __cudaCDP2" + name + ", (" + list + ");\nld.param." +
         type + " " + result + ", [back];\n}\n";
}

const std::string kLaunch =
    "{\n.param .b64 q0;\nst.param.b64 [q0], %rd5;\n.param .align 4 .b8 q1[12];\nst.param.b32 [q1], 2;\n"
    "st.param.b32 [q1+4], 3;\nst.param.b32 [q1+8], 4;\n.param .align 4 .b8 q2[12];\nst.param.b32 [q2], 32;\n"
    "st.param.b32 [q2+4], 5;\nst.param.b32 [q2+8], 6;\n.param .b32 q3;\nst.param.b32 [q3], 64;\n.param .b64 back;\n"
    "call.uni (back), __cudaCDP2GetParameterBufferV2, (q0, q1, q2, q3);\nld.param.b64 %rd6, [back];\n}\n" +
    call("LaunchDeviceV2", {"b64 %rd6", "b64 3"}, "%r10");

Program one_thread(const std::string& body) {
  Program program;
  program.ptx = kernel_with(1, body);
  program.shape.block = {1, 1, 1};
  return program;
}

TEST(DeviceRuntimeCalls, LaunchesArriveWithTheirShapeAndTheirThread) {
  NotingRuntime runtime;
  runtime.parameters = 4096;
  Program program;
  program.ptx = kernel_with(1, "mov.u64 %rd5, test;\n" + kLaunch + "st.global.u32 [%rd0], %r10;\n");
  program.shape = {{1, 2, 1}, {1, 2, 1}, 0, false};
  program.device_runtime = &runtime;
  runtime.error = 7;
  EXPECT_EQ(results_of<std::uint32_t>(program, 1)[0], 7u);
  ASSERT_EQ(runtime.launched.size(), 4u);
  for (std::uint64_t n = 0; n < 4; ++n) {
    const NotingRuntime::Launched& launched = runtime.launched[n];
    EXPECT_EQ(launched.caller.block * 2 + launched.caller.thread, n);
    EXPECT_NE(launched.kernel, 0u);
    EXPECT_EQ(spelled(launched.shape.grid), "(2,3,4)");
    EXPECT_EQ(spelled(launched.shape.block), "(32,5,6)");
    EXPECT_EQ(launched.shape.dynamic_shared, 64u);
  }
  EXPECT_EQ(runtime.launched.back().stream, 3u);
}

TEST(DeviceRuntimeCalls, ResultsComeBackThroughPointers) {
  NotingRuntime runtime;
  Program program = one_thread(
      call("StreamCreateWithFlags", {"b64 %rd0", "b32 1"}, "%r10") + "add.u64 %rd1, %rd0, 8;\n" +
      call("GetDevice", {"b64 %rd1"}, "%r10") + "add.u64 %rd1, %rd0, 12;\n" +
      call("GetDeviceCount", {"b64 %rd1"}, "%r10") + "ld.global.u64 %rd2, [%rd0];\n" +
      call("StreamDestroy", {"b64 %rd2"}, "%r10") + "st.global.u32 [%rd0+16], %r10;\n" +
      call("EventRecord", {"b64 5", "b64 6"}, "%r11") + "st.global.u32 [%rd0+20], %r11;\n" +
      call("StreamWaitEvent_ptsz", {"b64 6", "b64 5", "b32 0"}, "%r12") + "st.global.u32 [%rd0+24], %r12;\n");
  program.device_runtime = &runtime;
  for (const Watch watch : {Watch::kNobody, Watch::kEverything}) {
    program.watch = watch;
    const auto results = results_of<std::uint32_t>(program, 8);
    EXPECT_EQ(results, (std::vector<std::uint32_t>{1001, 0, 3, 4, 1001, 506, 506, 0}));
  }
}

TEST(DeviceRuntimeCalls, ErrorsAreTheRuntimes) {
  NotingRuntime runtime;
  runtime.error = kNoDevice;
  Program program = one_thread(call("GetLastError", {}, "%r10") + "st.global.u32 [%rd0], %r10;\n" +
                               call("PeekAtLastError", {}, "%r10") + "st.global.u32 [%rd0+4], %r10;\n");
  program.device_runtime = &runtime;
  EXPECT_EQ(results_of<std::uint32_t>(program, 2), (std::vector<std::uint32_t>{kNoDevice, kNoDevice + 1}));
}

TEST(DeviceRuntimeCalls, WithoutARuntimeNothingIsLaunched) {
  const Program program =
      one_thread("mov.u64 %rd5, test;\n" + kLaunch + "st.global.u64 [%rd0], %rd6;\nst.global.u32 [%rd0+8], %r10;\n");
  EXPECT_EQ(results_of<std::uint32_t>(program, 4), (std::vector<std::uint32_t>{0, 0, kNotSupported, 0}));
}

TEST(DeviceRuntimeCalls, APointerToNoMemoryIsAFault) {
  NotingRuntime runtime;
  Program program = one_thread(call("GetDevice", {"b64 16"}, "%r10"));
  program.device_runtime = &runtime;
  const Result result = run(program, {Bytes(4)});
  EXPECT_EQ(result.outcome.fault.kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(result.outcome.fault.sentence, "a call of the device's runtime with a pointer to no memory");
}

TEST(DeviceRuntimeCalls, ConditionsOfGraphsAreSetByHandle) {
  const auto set = [](const std::string& handle) {
    return one_thread("{\n.param .b64 q0;\nst.param.b64 [q0], " + handle +
                      ";\n.param .b32 q1;\nst.param.b32 [q1], 3;\ncall.uni cudaGraphSetConditional, (q0, q1);\n}\n");
  };
  NotingRuntime runtime;
  Program program = set("48");
  program.device_runtime = &runtime;
  EXPECT_EQ(run(program, {Bytes(4)}).outcome.fault.kind, FaultKind::kNone);
  EXPECT_EQ(runtime.conditionals, (std::vector<std::pair<std::uint64_t, std::uint32_t>>{{48, 3}}));
  program = set("0");
  program.device_runtime = &runtime;
  EXPECT_EQ(run(program, {Bytes(4)}).outcome.fault.sentence, "cudaGraphSetConditional() of a handle that no graph has");
}

TEST(DeviceRuntimeCalls, WhatIsNotOfferedIsRefusedByName) {
  const Result result = run(one_thread(call("MemcpyAsync_ptsz", {"b64 %rd0"}, "%r10")), {Bytes(4)});
  EXPECT_EQ(result.refusal, "cudaMemcpyAsync() in device code");
}

}  // namespace
}  // namespace vgpu::test
