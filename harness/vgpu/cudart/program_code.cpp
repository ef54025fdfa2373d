#include "harness/vgpu/cudart/program_code.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "harness/vgpu/ptx/fat_binary.h"

namespace vgpu::cudart {
namespace {

using Entries = std::vector<ptx::FatBinaryEntry>;
using Kind = ptx::FatBinaryEntry::Kind;

std::variant<Entries, std::string> read_entries(const void* fat_binary, std::uint64_t& room) {
  const auto* const data = static_cast<const std::byte*>(fat_binary);
  return ptx::read_fat_binary(data, ptx::fat_binary_bytes(data), &room);
}

/// The entry whose PTX this device can run: the highest architecture that is not above the device's.
const ptx::FatBinaryEntry* best_ptx(const Entries& entries, std::uint32_t device_architecture) {
  const ptx::FatBinaryEntry* best = nullptr;
  for (const ptx::FatBinaryEntry& entry : entries)
    if (entry.kind == Kind::kPtx && entry.architecture <= device_architecture &&
        (best == nullptr || entry.architecture > best->architecture))
      best = &entry;
  return best;
}

/// Of the first machine code; gives its architecture, 0 if there is none.
std::uint32_t read_resources(const Entries& entries, ProgramCode& code) {
  std::uint32_t architecture = 0;
  for (const ptx::FatBinaryEntry& entry : entries) {
    if (entry.kind != Kind::kMachineCode || !code.resources.empty()) continue;
    code.resources = ptx::read_kernel_resources(entry.contents);
    architecture = entry.architecture;
  }
  return architecture;
}

/// What ptxas says by lines is of a text that is not at hand.
void forget_lines(ProgramCode& code) {
  for (auto& [name, resources] : code.resources) resources.code.clear();
}

/// nvcc links libcudadevrt into every program that is built with -rdc=true and needs it. It has machine code for older
/// devices and PTX for newer ones; what it does is the virtual GPU's own business.
bool is_device_runtime(const Entries& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const ptx::FatBinaryEntry& entry) {
    return entry.contents.find("__cuda_syscall_cnpv2GetParameterBufferV2") != std::string::npos;
  });
}

std::string spelled_options(std::uint32_t architecture, const char* also) {
  const std::string number = std::to_string(architecture);
  return "-gencode arch=compute_" + number + ",code=" + also + "compute_" + number;
}

}  // namespace

ProgramCode read_program_code(const RegisteredCode& registered, std::uint32_t architecture) {
  ProgramCode code;
  const auto fail = [&](cudaError_t error, std::string sentence) {
    code.error = error;
    code.problem = std::move(sentence);
    return std::move(code);
  };
  if (registered.text != nullptr) {
    constexpr std::string_view kBetween = kNextUnit;
    for (std::string_view rest = registered.text;;) {
      const std::size_t end = rest.find(kBetween);
      code.units.push_back({"", std::string(rest.substr(0, end))});
      if (end == std::string_view::npos) return code;
      rest.remove_prefix(end + kBetween.size());
    }
  }
  std::uint64_t room = ptx::kMostDecompressed;
  const auto linked = read_entries(registered.linked, room);
  if (const auto* sentence = std::get_if<std::string>(&linked)) return fail(cudaErrorInvalidKernelImage, *sentence);
  const auto& linked_entries = std::get<Entries>(linked);
  const std::uint32_t made_for = read_resources(linked_entries, code);
  if (registered.units.empty()) {
    const ptx::FatBinaryEntry* const best = best_ptx(linked_entries, architecture);
    if (best == nullptr)
      return fail(cudaErrorNoKernelImageForDevice,
                  "the program contains no PTX for this device; build it for compute_" + std::to_string(architecture) +
                      " or older, e.g. with " + spelled_options(architecture, ""));
    code.units.push_back({best->name, best->contents});
    if (best->architecture != made_for) forget_lines(code);
    return code;
  }

  forget_lines(code);  // each unit counts its own
  for (std::size_t unit = 0; unit < registered.units.size(); ++unit) {
    auto read = read_entries(registered.units[unit], room);
    if (const auto* sentence = std::get_if<std::string>(&read)) return fail(cudaErrorInvalidKernelImage, *sentence);
    const auto& entries = std::get<Entries>(read);
    if (is_device_runtime(entries)) continue;
    if (const ptx::FatBinaryEntry* const best = best_ptx(entries, architecture)) {
      code.units.push_back({best->name, best->contents});
    } else {
      const std::string number = std::to_string(architecture);
      const std::string name = !entries.empty() && !entries.front().name.empty()
                                   ? entries.front().name
                                   : "file " + std::to_string(unit + 1) + " of " +
                                         std::to_string(registered.units.size()) + " that were linked with -rdc=true";
      std::string sentence = name + " contains no PTX for this device; compile every file with -rdc=true -arch=sm_";
      sentence.append(number).append(" or with -rdc=true ");
      sentence.append(spelled_options(architecture, ("[sm_" + number + ",").c_str())).append("], without -dlto");
      return fail(cudaErrorNoKernelImageForDevice, std::move(sentence));
    }
  }
  return code;
}

}  // namespace vgpu::cudart
