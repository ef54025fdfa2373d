#include "harness/vgpu/ptx/machine_code.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace vgpu::ptx {
namespace {

// Attributes of .nv.info records, and the record format that carries a size and a value.
constexpr std::uint8_t kFormatSized = 4;
constexpr std::uint8_t kAttributeFrameSize = 0x11;
constexpr std::uint8_t kAttributeRegisterCount = 0x2f;

/// Bounds-checked reading from an ELF image.
class Image {
 public:
  explicit Image(const std::string& bytes) : bytes_(bytes) {}

  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  std::string_view range(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
    return {bytes_.data() + offset, size};
  }

 private:
  const std::string& bytes_;
};

std::string_view string_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

std::map<std::string, KernelResources> read_kernel_resources(const std::string& elf) {
  std::map<std::string, KernelResources> resources;
  const Image image(elf);
  const auto header = image.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return resources;

  std::vector<Elf64_Shdr> sections;
  for (std::uint32_t i = 0; i < header->e_shnum; ++i) {
    const auto section = image.at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return resources;
    sections.push_back(*section);
  }
  if (header->e_shstrndx >= sections.size()) return resources;
  const Elf64_Shdr& names_section = sections[header->e_shstrndx];
  const std::string_view names = image.range(names_section.sh_offset, names_section.sh_size);

  std::vector<std::string_view> symbols;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings_section = sections[section.sh_link];
    const std::string_view strings = image.range(strings_section.sh_offset, strings_section.sh_size);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = image.at<Elf64_Sym>(section.sh_offset + at);
      if (!symbol) return resources;
      symbols.push_back(string_at(strings, symbol->st_name));
    }
  }

  for (const Elf64_Shdr& section : sections) {
    const std::string_view name = string_at(names, section.sh_name);
    if (name != ".nv.info") continue;
    for (std::uint64_t at = 0; at + 4 <= section.sh_size;) {
      const auto format = image.at<std::uint8_t>(section.sh_offset + at);
      const auto attribute = image.at<std::uint8_t>(section.sh_offset + at + 1);
      const auto size = image.at<std::uint16_t>(section.sh_offset + at + 2);
      if (!format || !attribute || !size) return resources;
      if (*format == kFormatSized && *size == 8) {  // a symbol's number and a value
        const auto symbol = image.at<std::uint32_t>(section.sh_offset + at + 4);
        const auto value = image.at<std::uint32_t>(section.sh_offset + at + 8);
        if (symbol && value && *symbol < symbols.size()) {
          KernelResources& kernel = resources[std::string(symbols[*symbol])];
          if (*attribute == kAttributeRegisterCount) kernel.registers = *value;
          if (*attribute == kAttributeFrameSize) kernel.local_bytes = *value;
        }
      }
      at += 4 + (*format == kFormatSized ? *size : 0);
    }
  }
  return resources;
}

}  // namespace vgpu::ptx
