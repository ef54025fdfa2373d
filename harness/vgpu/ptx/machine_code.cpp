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

constexpr std::size_t kLongestName = 1 << 16;

std::string_view string_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset, kLongestName);
  return rest.substr(0, rest.find('\0'));
}

/// The name of symbol number `index` of a symbol table; empty if there is none.
std::string_view symbol_name(const Image& image, const std::vector<Elf64_Shdr>& sections, const Elf64_Shdr& table,
                             std::uint64_t index) {
  if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size() || index >= table.sh_size / sizeof(Elf64_Sym))
    return {};
  const auto symbol = image.at<Elf64_Sym>(table.sh_offset + index * sizeof(Elf64_Sym));
  const Elf64_Shdr& strings = sections[table.sh_link];
  return symbol ? string_at(image.range(strings.sh_offset, strings.sh_size), symbol->st_name) : std::string_view{};
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

  // A cubin has one section of this name (those of single kernels are called .nv.info.KERNEL); its link is the symbol
  // table.
  for (const Elf64_Shdr& section : sections) {
    if (string_at(names, section.sh_name) != ".nv.info") continue;
    if (section.sh_link >= sections.size()) return resources;
    const Elf64_Shdr& symbols = sections[section.sh_link];
    for (std::uint64_t at = 0; at + 4 <= section.sh_size;) {
      const auto format = image.at<std::uint8_t>(section.sh_offset + at);
      const auto attribute = image.at<std::uint8_t>(section.sh_offset + at + 1);
      const auto size = image.at<std::uint16_t>(section.sh_offset + at + 2);
      if (!format || !attribute || !size) return resources;
      const bool is_known = *attribute == kAttributeRegisterCount || *attribute == kAttributeFrameSize;
      if (is_known && *format == kFormatSized && *size == 8) {  // a symbol's number and a value
        const auto symbol = image.at<std::uint32_t>(section.sh_offset + at + 4);
        const auto value = image.at<std::uint32_t>(section.sh_offset + at + 8);
        const std::string_view kernel_name = symbol ? symbol_name(image, sections, symbols, *symbol) : "";
        if (value && !kernel_name.empty()) {
          KernelResources& kernel = resources[std::string(kernel_name)];
          (*attribute == kAttributeRegisterCount ? kernel.registers : kernel.local_bytes) = *value;
        }
      }
      at += 4 + (*format == kFormatSized ? *size : 0);
    }
    break;
  }
  return resources;
}

}  // namespace vgpu::ptx
