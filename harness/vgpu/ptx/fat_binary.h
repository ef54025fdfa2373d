// The container nvcc puts device code into: PTX text and machine code for several architectures, compressed or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace vgpu::ptx {

struct FatBinaryEntry {
  enum class Kind : std::uint8_t { kPtx, kMachineCode };
  Kind kind = Kind::kPtx;
  std::uint32_t architecture = 0;  ///< 90 for compute_90 or sm_90
  std::string name;                ///< of the source file; empty unless it was compiled with -lineinfo or -G
  std::string contents;            ///< PTX text, or an ELF image; decompressed
};

/// All entries of a program together hold no more than this once they are decompressed; hostile sizes stop here.
inline constexpr std::uint64_t kMostDecompressed = std::uint64_t{1} << 29;

/// Reads all entries. A sentence if the bytes are no fat binary, are cut short, or need a compression that is not
/// available. Hostile bytes are fine. `bytes` is how much may be looked at; pass the header's own count when reading a
/// loaded program. `room`, if given, is what all fat binaries of a program may still decompress to, and is taken from.
std::variant<std::vector<FatBinaryEntry>, std::string> read_fat_binary(const std::byte* data, std::size_t bytes,
                                                                       std::uint64_t* room = nullptr);

inline constexpr std::size_t kFatBinaryHeaderBytes = 16;
inline constexpr std::uint32_t kFatBinaryMagic = 0xBA55ED50;  ///< what a fat binary begins with

/// How many bytes the fat binary that begins at `data` has, by its header; 0 if its header is no fat binary's. Reads
/// kFatBinaryHeaderBytes.
std::size_t fat_binary_bytes(const std::byte* data);

}  // namespace vgpu::ptx
