// Chooses what submissions run on: an NVIDIA GPU if one responds, otherwise the virtual GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/runner/installation.h"
#include "harness/runner/session/session.h"

namespace lanewise {

/// kBoth: the virtual GPU, and a GPU that times what is right there.
enum class BackendChoice { kAuto, kGpu, kVgpu, kBoth };

struct Backend {
  std::string name;                       ///< "gpu" or "vgpu"
  std::filesystem::path runtime;          ///< its libcudart
  std::filesystem::path hosting_runtime;  ///< the one for workers: the same, or the virtual GPU's with `devices`
  std::filesystem::path devices;          ///< lanewise-device, which has the virtual GPU for it; empty on a GPU
  std::string monitors;                   ///< checkers to ask for: "all" on the virtual GPU
  std::string architecture;  ///< "90", of the GPU; empty on the virtual GPU, where the lab's profile decides
  std::string device;        ///< "NVIDIA H200"; empty on the virtual GPU

  bool is_virtual() const { return name == "vgpu"; }
  /// Takes the virtual GPU's runtime of that name, beside the one there is: "libcudart.so.12" for what CUDA 12 linked.
  void serve(const std::string& runtime_name);
  /// What a session on it takes.
  void choose(SessionOptions& options) const;
};

/// Variables that decide which GPU and driver there is: all that reaches a submission of the user's environment.
std::vector<std::string> gpu_environment();

/// What the probe of a GPU printed.
struct ProbedGpu {
  std::string architecture;
  std::string name;
};

/// Asks NVIDIA's runtime in a short-lived process of its own, so that a driver that hangs or crashes does no harm.
/// Empty if no GPU responds in time.
std::optional<ProbedGpu> probe_gpu(const Installation& installation);

/// The failure says what is missing and what to do about it.
Expected<Backend> choose_backend(BackendChoice choice, const Installation& installation);

/// The architecture to build for when there is no GPU: that of a device profile, by name or as text ("h200" is 90). The
/// failure lists the built-in profiles.
Expected<std::string> architecture_of_profile(const std::string& profile);

}  // namespace lanewise
