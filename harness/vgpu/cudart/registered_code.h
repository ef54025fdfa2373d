// Where a program has its device code, as its start-up code says it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vgpu::cudart {

/// A fat binary as __cudaRegisterFatBinary is given it: linked, and, if it was built with -rdc=true, those of the
/// translation units that it was linked from. Only these have PTX then.
struct RegisteredCode {
  const void* linked = nullptr;
  std::vector<const void*> units;
  const char* text = nullptr;  ///< PTX instead of all that: of several units if kNextUnit is between them
};

/// A comment of our own, which cuLinkComplete puts between the PTX of files that are to be linked.
inline constexpr char kNextUnit[] = "\n//lanewise: the next unit\n";

/// The wrapper that start-up code gives to __cudaRegisterFatBinary.
struct FatBinaryWrapper {
  static constexpr std::uint32_t kMagic = 0x466243B1;
  static constexpr std::uint32_t kLinked = 2;      ///< `version` of what was built with -rdc=true
  static constexpr std::size_t kMostUnits = 4096;  ///< a list without an end is no list

  std::uint32_t magic, version;
  const void* data;
  const void* const* units;  ///< of kLinked: a list that ends with null

  RegisteredCode code() const {
    RegisteredCode code{data, {}};
    if (version == kLinked && units != nullptr)
      for (std::size_t i = 0; i < kMostUnits && units[i] != nullptr; ++i) code.units.push_back(units[i]);
    return code;
  }
};

}  // namespace vgpu::cudart
