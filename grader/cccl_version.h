// Which CCCL (Thrust, CUB, libcu++) comes with a CUDA Toolkit: peers are made of it.
#pragma once

#include <filesystem>
#include <string>

namespace lanewise {

/// "3.0.1", or "" where the toolkit's headers do not say.
std::string cccl_version(const std::filesystem::path& toolkit);

}  // namespace lanewise
