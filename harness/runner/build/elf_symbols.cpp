// A bounds-checked walk over section headers and symbol tables (ELF-64 Object File Format, System V ABI).
#include "harness/runner/build/elf_symbols.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>

namespace lanewise {
namespace {

constexpr std::size_t kMostSymbols = 1'000'000;

// Copies a T out of the file; the file's own alignment is not to be relied on.
template <class T>
std::optional<T> read_at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

std::optional<std::string_view> piece(std::string_view file, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS) return std::nullopt;
  if (section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset) return std::nullopt;
  return file.substr(section.sh_offset, section.sh_size);
}

std::optional<std::string> name_at(std::string_view names, std::uint32_t offset) {
  if (offset >= names.size()) return std::nullopt;
  const std::string_view rest = names.substr(offset);
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(rest.substr(0, end));
}

bool add_symbols(std::string_view table, std::string_view names, ElfSymbols& symbols) {
  const std::size_t count = table.size() / sizeof(Elf64_Sym);
  if (count > kMostSymbols) return false;
  for (std::size_t i = 1; i < count; ++i) {  // symbol 0 is always undefined and nameless
    const auto symbol = read_at<Elf64_Sym>(table, i * sizeof(Elf64_Sym));
    const auto name = name_at(names, symbol->st_name);
    if (!name) return false;
    const unsigned binding = ELF64_ST_BIND(symbol->st_info);
    if (name->empty() || binding == STB_LOCAL) continue;
    (symbol->st_shndx == SHN_UNDEF ? symbols.undefined : symbols.defined).push_back(*name);
  }
  return true;
}

}  // namespace

Expected<ElfSymbols> read_elf_symbols(std::string_view file) {
  const Failure damaged{"the compiled object is damaged: its symbols cannot be read"};
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_shentsize != sizeof(Elf64_Shdr))
    return damaged;

  // More than 65,279 sections are counted in the size field of section 0 instead of in the header.
  std::uint64_t count = header->e_shnum;
  if (count == 0) {
    const auto first = read_at<Elf64_Shdr>(file, header->e_shoff);
    if (!first) return damaged;
    count = first->sh_size;
  }
  if (count > file.size() / sizeof(Elf64_Shdr)) return damaged;
  const auto section = [&](std::uint64_t index) -> std::optional<Elf64_Shdr> {
    if (index >= count || header->e_shoff > file.size()) return std::nullopt;
    return read_at<Elf64_Shdr>(file, header->e_shoff + index * sizeof(Elf64_Shdr));
  };

  ElfSymbols symbols;
  for (const std::uint32_t wanted : {SHT_SYMTAB, SHT_DYNSYM}) {
    bool found = false;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto table = section(i);
      if (!table) return damaged;
      if (table->sh_type != wanted) continue;
      const auto names = section(table->sh_link);
      if (!names) return damaged;
      const auto table_bytes = piece(file, *table);
      const auto name_bytes = piece(file, *names);
      if (!table_bytes || !name_bytes || !add_symbols(*table_bytes, *name_bytes, symbols)) return damaged;
      found = true;
    }
    if (found) return symbols;
  }
  return Failure{"the compiled object has no symbols"};
}

}  // namespace lanewise
