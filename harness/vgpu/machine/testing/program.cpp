#include "harness/vgpu/machine/testing/program.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/machine/loaded_module.h"
#include "harness/vgpu/machine/testing/executed_opcodes.h"

namespace vgpu::test {
namespace {

/// Where device memory begins in every test, so that addresses in messages can be relied on.
constexpr std::uint64_t kBase = 0x200000000000;
constexpr std::uint64_t kCapacity = std::uint64_t{64} << 20;

class LetEverythingPass : public Observer {
 public:
  explicit LetEverythingPass(bool steps) : steps_(steps) {}

  void block_begins(const Block& block) override {
    for (const Warp& warp : block.warps()) warp.stepping = steps_;
  }
  void instruction(Warp&, const Insn*) override { ++steps_seen; }
  Mask access(const MemoryAccess& access) override {
    ++seen;
    return access.lanes;
  }
  std::uint64_t seen = 0, steps_seen = 0;

 private:
  bool steps_;
};

}  // namespace

Result run(const Program& program, const std::vector<Bytes>& buffers) {
  Result run;
  std::string problem;
  const std::unique_ptr<AddressSpace> memory = AddressSpace::reserve(kBase, kCapacity, problem);
  if (memory == nullptr) throw std::runtime_error(problem);

  auto loaded = LoadedModule::load(program.ptx, *memory);
  if (const auto* diagnostic = std::get_if<ptx::Diagnostic>(&loaded)) {
    run.refusal = diagnostic->message;
    run.refused_ptx_line = diagnostic->line;
    return run;
  }
  LoadedModule& module = *std::get<std::unique_ptr<LoadedModule>>(loaded);

  LetEverythingPass pass(program.watch == Watch::kEveryStep);
  LaunchOptions options = program.options;
  if (options.observer == nullptr && program.watch != Watch::kNobody) options.observer = &pass;
  const Kernel* kernel = nullptr;
  try {
    kernel = module.kernel(program.kernel, options.observer != nullptr);
  } catch (const Refusal& refusal) {
    run.refusal = refusal.what;
    run.refused_ptx_line = refusal.ptx_line;
    return run;
  }
  if (kernel == nullptr) throw std::runtime_error("the module has no kernel " + program.kernel);
  record_opcodes(module.module());

  std::vector<std::uint64_t> parameters;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::uint64_t address =
        memory->allocate(buffers[i].size(), MemoryKind::kDevice, "buffer" + std::to_string(i));
    if (address == 0) throw std::runtime_error("the buffers do not fit on the device");
    if (!buffers[i].empty()) std::memcpy(memory->host(address), buffers[i].data(), buffers[i].size());
    parameters.push_back(address);
  }
  const std::size_t numbers_begin = parameters.size();
  parameters.insert(parameters.end(), program.numbers.begin(), program.numbers.end());

  if (!options.print) options.print = [&](const std::string& text) { run.printed += text; };
  if (!options.print_assertion)
    options.print_assertion = [&](const std::string& line) { run.assertions.push_back(line); };
  if (!options.heap_allocate)
    options.heap_allocate = [&](std::uint64_t bytes) { return memory->allocate(bytes, MemoryKind::kHeap); };
  if (!options.heap_free) options.heap_free = [&](std::uint64_t address) { return memory->release(address); };

  Launch launch(*kernel, *memory, program.shape, bytes_of(parameters), options);
  launch.set_device_runtime(program.device_runtime);
  run.outcome = launch.run();
  run.accesses_seen = pass.seen;
  run.steps_seen = pass.steps_seen;
  for (std::size_t i = 0; i < numbers_begin; ++i) {
    Bytes& bytes = run.buffers.emplace_back(buffers[i].size());
    if (!bytes.empty()) std::memcpy(bytes.data(), memory->host(parameters[i]), bytes.size());
  }
  return run;
}

std::vector<Bytes> run_cleanly(const Program& program, const std::vector<Bytes>& buffers) {
  Result result = run(program, buffers);
  EXPECT_EQ(result.refusal, "") << "line " << result.refused_ptx_line << " of\n" << program.ptx;
  EXPECT_EQ(result.outcome.fault.kind, FaultKind::kNone) << result.outcome.fault.sentence;
  if (result.buffers.empty()) result.buffers = buffers;
  return std::move(result.buffers);
}

std::string module_with(const std::string& functions) {
  return ".version 8.5\n.target sm_90\n.address_size 64\n" + functions;
}

std::string kernel_with(int parameters, const std::string& body, const std::string& outside) {
  std::string text = outside + "\n.visible .entry test(";
  for (int i = 0; i < parameters; ++i) text += (i == 0 ? ".param .u64 p" : ", .param .u64 p") + std::to_string(i);
  text +=
      ")\n{\n.reg .pred %p<20>;\n.reg .b16 %h<40>;\n.reg .b32 %r<80>;\n.reg .b64 %rd<80>;\n"
      "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.s32 %r1, %r1, %r2, %r0;\n";
  for (int i = 0; i < parameters; ++i)
    text += "ld.param.u64 %rd" + std::to_string(i) + ", [p" + std::to_string(i) + "];\n";
  return module_with(text + body + "\nret;\n}\n");
}

}  // namespace vgpu::test
