// The registers estimated from PTX, held against those that ptxas allotted, of all kernels in programs compiled by
// nvcc.
#include "harness/vgpu/cost/register_estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "harness/vgpu/ptx/fat_binary.h"
#include "harness/vgpu/ptx/machine_code.h"
#include "harness/vgpu/ptx/parser.h"

namespace vgpu {
namespace {

/// What ptxas allotted less what is estimated, of every kernel whose PTX and machine code a fat binary has.
void compare(const std::vector<ptx::FatBinaryEntry>& entries, std::vector<int>& differences) {
  std::map<std::string, ptx::KernelResources> allotted;
  for (const ptx::FatBinaryEntry& entry : entries)
    if (entry.kind == ptx::FatBinaryEntry::Kind::kMachineCode) allotted = ptx::read_kernel_resources(entry.contents);
  for (const ptx::FatBinaryEntry& entry : entries) {
    if (entry.kind != ptx::FatBinaryEntry::Kind::kPtx) continue;
    const auto parsed = ptx::parse(entry.contents);
    const auto* const module = std::get_if<ptx::Module>(&parsed);
    for (std::size_t n = 0; module != nullptr && n < module->functions.size(); ++n) {
      const ptx::Function& function = module->functions[n];
      const auto found = allotted.find(function.name);
      if (function.is_kernel && function.has_body && found != allotted.end())
        differences.push_back(static_cast<int>(found->second.registers) -
                              static_cast<int>(estimated_registers(function)));
    }
  }
}

/// Of a program's file. Fat binaries are aligned in it.
void compare(const std::string& file, std::vector<int>& differences) {
  for (std::size_t at = 0; at + ptx::kFatBinaryHeaderBytes <= file.size(); at += 8) {
    const auto* const data = reinterpret_cast<const std::byte*>(file.data() + at);
    const std::size_t bytes = ptx::fat_binary_bytes(data);
    if (bytes == 0 || bytes > file.size() - at) continue;
    const auto read = ptx::read_fat_binary(data, bytes);
    if (const auto* const entries = std::get_if<std::vector<ptx::FatBinaryEntry>>(&read))
      compare(*entries, differences);
  }
}

TEST(RegisterEstimates, LieNearWhatPtxasAllots) {
  std::vector<int> differences;
  for (const auto& program : std::filesystem::directory_iterator(VGPU_PROGRAMS_BINARY)) {
    std::ifstream stream(program.path(), std::ios::binary);
    compare(std::string{std::istreambuf_iterator<char>(stream), {}}, differences);
  }
  ASSERT_GT(differences.size(), 400u);
  std::sort(differences.begin(), differences.end());
  const auto at = [&](double share) {
    return differences[static_cast<std::size_t>(share * static_cast<double>(differences.size() - 1))];
  };
  std::printf("%zu kernels; ptxas allots more than estimated: least %d, quartiles %d %d %d, most %d\n",
              differences.size(), at(0), at(0.25), at(0.5), at(0.75), at(1));
  const auto near = [](int difference) { return std::abs(difference) <= 8; };
  EXPECT_GE(std::count_if(differences.begin(), differences.end(), near),
            static_cast<std::ptrdiff_t>(differences.size() * 9 / 10))
      << "nine of ten are within one of the eights in which registers are given out";
  EXPECT_LE(std::abs(at(0.5)), 2) << "on the whole, neither too many nor too few";
}

}  // namespace
}  // namespace vgpu
