// Lines of host code by address, as binutils' addr2line tells them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/runner/installation.h"

namespace lanewise {

struct AddressPlace {
  std::filesystem::path file;
  int line = 0;
};

/// Of an address, the innermost inlined call first, and then what it was inlined into.
using AddressPlaces = std::map<std::uint64_t, std::vector<AddressPlace>>;

/// Asks for the places of `offsets` in `object`, a program or a shared object.
std::vector<std::string> addr2line_command(const Installation& installation, const std::filesystem::path& object,
                                           const std::set<std::uint64_t>& offsets);

/// Its answer. Addresses that it knows nothing of are left out.
AddressPlaces read_addr2line(const std::string& answer);

}  // namespace lanewise
