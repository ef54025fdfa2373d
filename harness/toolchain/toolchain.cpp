// Which toolchain is taken.
#include "harness/toolchain/toolchain.h"

#include <fmt/format.h>

namespace lanewise {

const char* const kWantsToolkit =
    "install the CUDA Toolkit 12 or 13 from https://developer.nvidia.com/cuda-downloads (no GPU is needed), or point "
    "CUDA_HOME at it";

const std::vector<std::pair<std::string, ToolchainChoice>>& toolchain_choices() {
  static const std::vector<std::pair<std::string, ToolchainChoice>> kChoices = {
      {"auto", ToolchainChoice::kAuto}, {"nvcc", ToolchainChoice::kNvcc}, {"clang", ToolchainChoice::kClang}};
  return kChoices;
}

ToolchainChoice toolchain_choice(const std::string& name) {
  ToolchainChoice choice = ToolchainChoice::kAuto;
  for (const auto& [known, value] : toolchain_choices())
    if (known == name) choice = value;
  return choice;
}

Expected<std::shared_ptr<const Toolchain>> find_toolchain(ToolchainChoice choice, const Installation& installation) {
  if (choice == ToolchainChoice::kClang) return find_clang(installation);
  if (choice == ToolchainChoice::kNvcc || !installation.nvcc.empty()) return find_nvcc(installation);
  if (!installation.clang.empty()) return find_clang(installation);
  return Failure{fmt::format(
      "neither nvcc nor clang was found on the PATH; install clang (apt-get install clang-19), or {}", kWantsToolkit)};
}

}  // namespace lanewise
