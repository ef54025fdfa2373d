#include "harness/vgpu/ptx/machine_code.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/vgpu/ptx/line_table.h"

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

  std::uint64_t size() const { return bytes_.size(); }

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

/// An image's sections and their names.
struct Sections {
  std::vector<Elf64_Shdr> all;
  std::string_view names;

  std::string_view name_of(const Elf64_Shdr& section) const { return string_at(names, section.sh_name); }
  bool begins_with(const Elf64_Shdr& section, std::string_view text) const {
    return section.sh_name < names.size() && names.substr(section.sh_name, text.size()) == text;
  }
  const Elf64_Shdr* find(std::string_view name) const {
    const auto is_it = [&](const Elf64_Shdr& section) {
      return begins_with(section, name) && name_of(section).size() == name.size();
    };
    const auto found = std::find_if(all.begin(), all.end(), is_it);
    return found != all.end() ? &*found : nullptr;
  }
};

std::optional<Sections> sections_of(const Image& image) {
  const auto header = image.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  Sections sections;
  for (std::uint32_t i = 0; i < header->e_shnum; ++i) {
    const auto section = image.at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return std::nullopt;
    sections.all.push_back(*section);
  }
  if (header->e_shstrndx >= sections.all.size()) return std::nullopt;
  const Elf64_Shdr& names = sections.all[header->e_shstrndx];
  sections.names = image.range(names.sh_offset, names.sh_size);
  return sections;
}

/// The lines of each section of code, by where in it they begin.
using LinesOfSections = std::map<std::uint32_t, std::map<std::uint64_t, std::uint32_t>>;

LinesOfSections lines_of_sections(const Image& image, const Sections& sections) {
  LinesOfSections lines;
  const Elf64_Shdr* const table = sections.find(".nv_debug_line_sass");
  const Elf64_Shdr* const relocations = sections.find(".rela.nv_debug_line_sass");
  if (table == nullptr || relocations == nullptr || relocations->sh_link >= sections.all.size()) return lines;
  const Elf64_Shdr& symbols = sections.all[relocations->sh_link];
  std::map<std::uint64_t, std::pair<std::uint32_t, std::uint64_t>> functions;  // by where the table has their addresses
  for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= relocations->sh_size; at += sizeof(Elf64_Rela)) {
    const auto relocation = image.at<Elf64_Rela>(relocations->sh_offset + at);
    if (!relocation) break;
    const std::uint64_t number = ELF64_R_SYM(relocation->r_info);
    const auto symbol = image.at<Elf64_Sym>(symbols.sh_offset + number * sizeof(Elf64_Sym));
    if (symbol)
      functions[relocation->r_offset] = {symbol->st_shndx,
                                         symbol->st_value + static_cast<std::uint64_t>(relocation->r_addend)};
  }
  for (const LineSequence& sequence : read_line_table(image.range(table->sh_offset, table->sh_size))) {
    const auto function = functions.find(sequence.base);
    if (function == functions.end()) continue;
    for (const auto& [address, line] : sequence.line_from)
      lines[function->second.first][function->second.second + address] = line;
  }
  return lines;
}

// Machine code since Volta: instructions of 128 bits, of which the lowest twelve are the opcode (nvcc 13.0 for sm_90).
constexpr std::uint64_t kInstructionBytes = 16, kOpcode = 0xfff;
constexpr std::uint64_t kLocalLoad = 0x983, kLocalStore = 0x387;

/// Of a local access: 32, 64 and 128 bits are 4, 5 and 6 in three bits of the upper half, narrower ones less.
std::uint32_t words_of(std::uint64_t upper_half) {
  constexpr std::uint32_t kWidthShift = 9, kWidths = 7, kWord = 4;
  const std::uint32_t width = upper_half >> kWidthShift & kWidths;
  return width <= kWord ? 1 : 1U << (width - kWord);
}

CodeByLine code_by_line(std::string_view text, const std::map<std::uint64_t, std::uint32_t>& line_from) {
  CodeByLine code;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> opcodes;  // of a line: how many
  bool has_local = false;
  auto next = line_from.begin();
  std::uint32_t line = 0;
  for (std::uint64_t at = 0; at + kInstructionBytes <= text.size(); at += kInstructionBytes) {
    for (; next != line_from.end() && next->first <= at; ++next) line = next->second;
    std::uint64_t halves[2];
    std::memcpy(halves, text.data() + at, sizeof halves);
    const std::uint64_t opcode = halves[0] & kOpcode;
    if (opcode == kLocalLoad) {
      ++code[line].local_loads;
      code[line].local_load_words += words_of(halves[1]);
    } else if (opcode == kLocalStore) {
      ++code[line].local_stores;
      code[line].local_store_words += words_of(halves[1]);
    } else {
      ++opcodes[{line, opcode}];
    }
    has_local |= opcode == kLocalLoad || opcode == kLocalStore;
  }
  if (!has_local) return {};
  for (const auto& [what, count] : opcodes) {
    std::uint32_t& copies = code[what.first].copies;
    copies = copies == 0 ? count : std::min(copies, count);
  }
  return code;
}

/// Adds to each kernel what its code says.
void read_code(const Image& image, const Sections& sections, std::map<std::string, KernelResources>& resources) {
  const LinesOfSections lines = lines_of_sections(image, sections);
  std::uint64_t left = image.size();  // sections that overlap are not all read
  for (std::uint32_t number = 0; number < sections.all.size(); ++number) {
    constexpr std::string_view kText = ".text.";
    const Elf64_Shdr& section = sections.all[number];
    if (!sections.begins_with(section, kText)) continue;
    const std::string_view name = sections.name_of(section).substr(kText.size());
    const std::uint64_t bytes = section.sh_size + std::uint64_t{name.size()};
    if (section.sh_size > left || bytes > left) break;
    left -= bytes;
    const auto kernel = resources.find(std::string(name));
    if (kernel == resources.end()) continue;
    const auto of_section = lines.find(number);
    kernel->second.code = code_by_line(image.range(section.sh_offset, section.sh_size),
                                       of_section != lines.end() ? of_section->second : LinesOfSections::mapped_type());
  }
}

}  // namespace

std::map<std::string, KernelResources> read_kernel_resources(const std::string& elf) {
  std::map<std::string, KernelResources> resources;
  const Image image(elf);
  const std::optional<Sections> sections = sections_of(image);
  if (!sections) return resources;

  // A cubin has one section of this name (those of single kernels are called .nv.info.KERNEL); its link is the symbol
  // table.
  const Elf64_Shdr* const section = sections->find(".nv.info");
  if (section == nullptr || section->sh_link >= sections->all.size()) return resources;
  const Elf64_Shdr& symbols = sections->all[section->sh_link];
  for (std::uint64_t at = 0; at + 4 <= section->sh_size;) {
    const auto format = image.at<std::uint8_t>(section->sh_offset + at);
    const auto attribute = image.at<std::uint8_t>(section->sh_offset + at + 1);
    const auto size = image.at<std::uint16_t>(section->sh_offset + at + 2);
    if (!format || !attribute || !size) break;
    const bool is_known = *attribute == kAttributeRegisterCount || *attribute == kAttributeFrameSize;
    if (is_known && *format == kFormatSized && *size == 8) {  // a symbol's number and a value
      const auto symbol = image.at<std::uint32_t>(section->sh_offset + at + 4);
      const auto value = image.at<std::uint32_t>(section->sh_offset + at + 8);
      const std::string_view kernel_name = symbol ? symbol_name(image, sections->all, symbols, *symbol) : "";
      if (value && !kernel_name.empty()) {
        KernelResources& kernel = resources[std::string(kernel_name)];
        (*attribute == kAttributeRegisterCount ? kernel.registers : kernel.local_bytes) = *value;
      }
    }
    at += 4 + (*format == kFormatSized ? *size : 0);
  }
  read_code(image, *sections, resources);
  return resources;
}

}  // namespace vgpu::ptx
