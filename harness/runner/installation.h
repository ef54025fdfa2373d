// Where everything is: labs, tools, runtimes and caches, found once and passed to whoever needs them.
#pragma once

#include <filesystem>
#include <string>

namespace lanewise {

/// A path is empty if its target was not found.
struct Installation {
  std::filesystem::path programs;  ///< the folder that holds the lanewise executable
  std::filesystem::path build;  ///< the CMake build folder they are in; empty if they are installed or another user's
  std::filesystem::path root;   ///< holds labs/; the root of all include paths
  std::filesystem::path labs;   ///< labs/
  std::filesystem::path solutions;             ///< solutions/; need not exist
  std::filesystem::path worker;                ///< lanewise-worker
  std::filesystem::path caller;                ///< lanewise-call-task
  std::filesystem::path devices;               ///< lanewise-device
  std::filesystem::path vgpu_runtime;          ///< the virtual GPU's libcudart.so.13, beside its .12; need not exist
  std::filesystem::path vgpu_program_runtime;  ///< the one whose devices are in a process of their own
  std::filesystem::path vgpu_libraries;        ///< what stands in for, or keeps away, NVIDIA's closed libraries
  std::filesystem::path nvidia_runtime;        ///< NVIDIA's libcudart, of the toolkit; need not exist
  std::filesystem::path nvcc;
  std::filesystem::path host_compiler;
  std::filesystem::path toolkit;         ///< folder of the CUDA Toolkit
  std::filesystem::path cuda_libraries;  ///< its libraries, for linking
  std::filesystem::path clang;           ///< clang++
  std::filesystem::path clang_toolkit;   ///< the folder that it takes for a CUDA Toolkit: headers of our own
  std::filesystem::path cache;           ///< builds and verdicts; may be deleted at any time
  std::filesystem::path reports;         ///< default folder for pages
};

/// Everything is located at run time, so that a tree can be copied or moved, and installed for many users.
///
/// The root is the nearest folder above the programs that holds labs/ and harness/worker/entry.h. In a source tree the
/// programs are where CMake built them, with caches and reports next to them. Otherwise, or if another user built them,
/// they count as installed, and nothing is written there: labs are those of the nearest labs/ in or above the current
/// folder, or else the root's; caches are per user; reports go next to those labs, or else into the current folder.
///
/// The environment variables LANEWISE_LABS, LANEWISE_SOLUTIONS and LANEWISE_CACHE override what would be found, and
/// CUDA_HOME and CXX take precedence over the tools on PATH.
Installation find_installation(const std::filesystem::path& executable);

}  // namespace lanewise
