// Probing for a GPU, and what each choice needs.
#include "harness/runner/session/backend.h"

#include <fmt/format.h>

#include <sstream>

#include "harness/runner/process.h"
#include "harness/vgpu/cost/profile.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kProbeLimit(20);

Expected<Backend> virtual_backend(const Installation& installation) {
  if (!fs::exists(installation.vgpu_runtime))
    return Failure{fmt::format("the virtual GPU is not built: {} is missing; build the target vgpu_cudart",
                               installation.vgpu_runtime.string())};
  return Backend{"vgpu", installation.vgpu_runtime, installation.vgpu_program_runtime, installation.devices, "all", "",
                 ""};
}

}  // namespace

void Backend::serve(const std::string& runtime_name) {
  if (!is_virtual()) return;
  runtime.replace_filename(runtime_name);
  hosting_runtime.replace_filename(runtime_name);
}

void Backend::choose(SessionOptions& options) const {
  options.runtime = hosting_runtime;
  options.devices = devices;
  options.monitors = monitors;
}

std::vector<std::string> gpu_environment() {
  std::vector<std::string> environment = {"LANG=C.UTF-8", "CUDA_CACHE_DISABLE=1"};
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"})
    if (const char* value = std::getenv(name)) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

std::optional<ProbedGpu> probe_gpu(const Installation& installation) {
  if (!fs::exists(installation.nvidia_runtime)) return std::nullopt;
  ProcessOptions options;
  options.command = {installation.worker.string(), "--probe", installation.nvidia_runtime.string()};
  options.environment = gpu_environment();
  const auto finished = run_to_end(options, kProbeLimit, 4096);
  if (!finished || !finished->succeeded()) return std::nullopt;
  std::istringstream lines(finished->output);
  int devices = 0;
  ProbedGpu gpu;
  lines >> devices >> gpu.architecture >> std::ws;
  std::getline(lines, gpu.name);
  if (!lines || devices == 0) return std::nullopt;
  return gpu;
}

Expected<Backend> choose_backend(BackendChoice choice, const Installation& installation) {
  if (choice == BackendChoice::kVgpu || choice == BackendChoice::kBoth) return virtual_backend(installation);
  if (const auto gpu = probe_gpu(installation))
    return Backend{"gpu",    installation.nvidia_runtime, installation.nvidia_runtime, "", "none", gpu->architecture,
                   gpu->name};
  if (choice == BackendChoice::kAuto) return virtual_backend(installation);
  return Failure{
      fmt::format("no NVIDIA GPU responds through {}; check the driver with nvidia-smi, or use --backend vgpu",
                  installation.nvidia_runtime.string())};
}

Expected<std::string> architecture_of_profile(const std::string& profile) {
  const auto device = vgpu::load_profile(profile);
  if (const auto* const problem = std::get_if<std::string>(&device)) return Failure{*problem};
  const auto& known = std::get<vgpu::DeviceProfile>(device);
  return fmt::format("{}{}", known.compute_major, known.compute_minor);
}

}  // namespace lanewise
