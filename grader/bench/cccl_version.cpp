// Reads `#define CCCL_VERSION 3000001`: millions are the major version, thousands the minor one.
#include "grader/bench/cccl_version.h"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/lab/read_file.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestHeader = 64 << 10;
constexpr const char* kDefinition = "#define CCCL_VERSION ";

// Since CUDA 13, and before it.
constexpr const char* kPlaces[] = {"include/cccl/cuda/std/__cccl/version.h", "include/cuda/std/__cccl/version.h",
                                   "include/cuda/__cccl_config"};

}  // namespace

std::string cccl_version(const fs::path& toolkit) {
  for (const char* place : kPlaces) {
    std::error_code error;
    if (!fs::exists(toolkit / place, error)) continue;
    const auto header = read_file(toolkit / place, kLargestHeader);
    const std::size_t at = header ? header->find(kDefinition) : std::string::npos;
    if (at == std::string::npos) continue;
    const long number = std::strtol(header->c_str() + at + std::char_traits<char>::length(kDefinition), nullptr, 10);
    if (number > 0) return fmt::format("{}.{}.{}", number / 1000000, number / 1000 % 1000, number % 1000);
  }
  return "";
}

}  // namespace lanewise
