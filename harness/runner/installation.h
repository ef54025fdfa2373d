// Where everything lies: labs, tools, runtimes and caches, found once and handed to whoever needs them.
#pragma once

#include <filesystem>
#include <string>

namespace lanewise {

struct Installation {
  std::filesystem::path build;           ///< the folder that holds the lanewise executable
  std::filesystem::path source;          ///< the root every include is named from
  std::filesystem::path labs;            ///< labs/
  std::filesystem::path solutions;       ///< solutions/; need not exist
  std::filesystem::path worker;          ///< lanewise-worker
  std::filesystem::path caller;          ///< lanewise-call-task
  std::filesystem::path vgpu_runtime;    ///< the virtual GPU's libcudart.so.13; need not exist
  std::filesystem::path nvidia_runtime;  ///< NVIDIA's libcudart.so.13; need not exist
  std::filesystem::path nvcc;
  std::filesystem::path host_compiler;
  std::filesystem::path toolkit;         ///< folder of the CUDA Toolkit
  std::filesystem::path cuda_libraries;  ///< its libraries, for linking
  std::filesystem::path cache;           ///< builds and verdicts; may be deleted at any time
};

/// Paths of this build. LANEWISE_LABS and LANEWISE_SOLUTIONS in the environment take the place of the source tree's
/// folders. Tools that are named relative to the executable move with it.
Installation find_installation(const std::filesystem::path& executable);

}  // namespace lanewise
