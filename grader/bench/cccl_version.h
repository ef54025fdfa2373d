// The CCCL version (Thrust, CUB, libcu++) of a CUDA Toolkit, which peers use.
#pragma once

#include <filesystem>
#include <string>

namespace lanewise {

/// "3.0.1", or "" if the toolkit's headers do not say.
std::string cccl_version(const std::filesystem::path& toolkit);

}  // namespace lanewise
