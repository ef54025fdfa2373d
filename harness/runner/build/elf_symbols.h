// The symbols of an ELF object: the names it defines for others and those it needs from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

struct ElfSymbols {
  std::vector<std::string> defined;    ///< global and weak ones
  std::vector<std::string> undefined;  ///< global and weak ones
};

/// Reads the symbol tables (.symtab, else .dynsym) of a 64-bit little-endian ELF file. Every offset is checked against
/// the file: a damaged or hostile file gives a failure.
Expected<ElfSymbols> read_elf_symbols(std::string_view file);

}  // namespace lanewise
