#include "harness/toolchain/addr2line.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

namespace lanewise {

std::vector<std::string> addr2line_command(const Installation& installation, const std::filesystem::path& object,
                                           const std::set<std::uint64_t>& offsets) {
  std::vector<std::string> command = {(installation.host_compiler.parent_path() / "addr2line").string(), "-a", "-i",
                                      "-e", object.string()};
  for (const std::uint64_t offset : offsets) command.push_back(fmt::format("{:#x}", offset));
  return command;
}

// "0x00000000000011c0", and then "/tmp/vecadd.cu:14" for the innermost function and each around it; "??:0" if unknown.
AddressPlaces read_addr2line(const std::string& answer) {
  AddressPlaces places;
  std::uint64_t offset = 0;
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("0x", 0) == 0) {
      offset = std::strtoull(line.c_str(), nullptr, 16);
      continue;
    }
    const std::size_t colon = line.rfind(':');
    const int number = colon != std::string::npos ? std::atoi(line.c_str() + colon + 1) : 0;
    if (number > 0) places[offset].push_back({line.substr(0, colon), number});
  }
  return places;
}

}  // namespace lanewise
