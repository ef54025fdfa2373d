// Where everything lies: labs, tools, runtimes and caches, found once and handed to whoever needs them.
#pragma once

#include <filesystem>
#include <string>

namespace lanewise {

/// A path is empty if what it names was not found.
struct Installation {
  std::filesystem::path programs;  ///< the folder that holds the lanewise executable
  std::filesystem::path build;  ///< the folder that CMake built them in; empty if they are installed or another user's
  std::filesystem::path root;   ///< holds labs/ and the headers that every include is named from
  std::filesystem::path labs;   ///< labs/
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
  std::filesystem::path reports;         ///< for pages that nobody gave a place
};

/// Everything is looked for at run time, so that a tree can be copied or moved, and installed for many users.
///
/// The root is the nearest folder above the programs that holds labs/ and harness/worker/entry.h. In a source tree the
/// programs lie where CMake built them, and caches and reports beside them. Where that is not so, or another user built
/// them, they are installed, and nothing is written there: labs are those of the nearest labs/ in or above the current
/// folder, else the root's; caches are the user's; reports go beside those labs, else into the current folder.
///
/// In the environment, LANEWISE_LABS, LANEWISE_SOLUTIONS and LANEWISE_CACHE take the place of what would be found, and
/// CUDA_HOME and CXX come before the tools of PATH.
Installation find_installation(const std::filesystem::path& executable);

}  // namespace lanewise
