// Paths: those of the build's own products relative to the executable, those of sources and tools as configured.
#include "harness/runner/installation.h"

#include <cstdlib>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

fs::path environment_or(const char* name, const fs::path& otherwise) {
  const char* const value = std::getenv(name);
  return value && *value ? fs::absolute(value) : otherwise;
}

// Toolkits keep their libraries in one of several folders, and the one they are linked from may hold stubs only.
fs::path nvidia_runtime(const fs::path& libraries, const fs::path& toolkit) {
  const char* const name = "libcudart.so.13";
  for (const fs::path& folder : {libraries, toolkit / "lib64", toolkit / "targets" / "x86_64-linux" / "lib"})
    if (fs::exists(folder / name)) return folder / name;
  return libraries / name;
}

}  // namespace

Installation find_installation(const fs::path& executable) {
  const fs::path source = LANEWISE_SOURCE_DIR;
  Installation installation;
  installation.build = fs::weakly_canonical(executable).parent_path();
  installation.source = source;
  installation.labs = environment_or("LANEWISE_LABS", source / "labs");
  installation.solutions = environment_or("LANEWISE_SOLUTIONS", source / "solutions");
  installation.worker = installation.build / "libexec" / "lanewise-worker";
  installation.caller = installation.build / "libexec" / "lanewise-call-task";
  installation.vgpu_runtime = installation.build / "vgpu" / "libcudart.so.13";
  installation.nvcc = LANEWISE_NVCC;
  installation.host_compiler = LANEWISE_HOST_COMPILER;
  installation.cuda_libraries = LANEWISE_CUDA_LIBRARIES;
  installation.toolkit = fs::path(LANEWISE_NVCC).parent_path().parent_path();
  installation.nvidia_runtime = nvidia_runtime(installation.cuda_libraries, installation.toolkit);
  installation.cache = installation.build / "cache";
  return installation;
}

}  // namespace lanewise
