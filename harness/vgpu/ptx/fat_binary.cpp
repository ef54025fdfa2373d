#include "harness/vgpu/ptx/fat_binary.h"

#include <cstring>

#ifdef VGPU_HAVE_ZSTD
#include <zstd.h>
#endif

namespace vgpu::ptx {
namespace {

constexpr std::uint32_t kMagic = 0xBA55ED50;
constexpr std::uint16_t kKindPtx = 1, kKindMachineCode = 2;
constexpr std::uint64_t kFlagOldCompression = 0x2000;  // an LZ4 variant, up to CUDA 12.3
constexpr std::uint64_t kFlagZstd = 0x8000;

/// All entries of a program together hold no more than this once they are decompressed; hostile sizes stop here.
constexpr std::uint64_t kMostDecompressed = std::uint64_t{1} << 29;

struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t payload_bytes;
};
static_assert(sizeof(Header) == 16, "the header is read as it lies in the file");

struct EntryHeader {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t padded_bytes;
  std::uint32_t compressed_bytes, options_offset;
  std::uint16_t minor, major;
  std::uint32_t architecture, name_offset, name_bytes;
  std::uint64_t flags, reserved, decompressed_bytes;
};
static_assert(sizeof(EntryHeader) == 64, "the header is read as it lies in the file");

/// The entry's contents into `to`; a sentence if that cannot be done. At most `room` bytes are decompressed.
std::string decompress(const EntryHeader& entry, const char* payload, std::uint64_t room, std::string& to) {
  if ((entry.flags & (kFlagOldCompression | kFlagZstd)) == 0) {
    to.assign(payload, entry.padded_bytes);
    return {};
  }
  if ((entry.flags & kFlagZstd) == 0)
    return "the device code is compressed in the format of CUDA before 12.4; rebuild the program with CUDA 13 or with "
           "--compress-mode=none";
  if (entry.compressed_bytes > entry.padded_bytes) return "the fat binary's compressed entry is damaged";
  if (entry.decompressed_bytes > room) return "the fat binary's compressed entries hold more than 512 MiB";
#ifdef VGPU_HAVE_ZSTD
  // What the frame itself says comes first: the header alone must not decide how much memory is taken.
  if (ZSTD_getFrameContentSize(payload, entry.compressed_bytes) != entry.decompressed_bytes)
    return "the fat binary's compressed entry is damaged";
  to.resize(entry.decompressed_bytes);
  const std::size_t got = ZSTD_decompress(to.data(), to.size(), payload, entry.compressed_bytes);
  if (ZSTD_isError(got) != 0 || got != to.size()) return "the fat binary's compressed entry is damaged";
  return {};
#else
  return "the device code is compressed, and this build has no zstd; rebuild the program with --compress-mode=none";
#endif
}

}  // namespace

std::size_t fat_binary_bytes(const std::byte* data) {
  if (data == nullptr) return 0;
  Header header;
  std::memcpy(&header, data, sizeof header);
  if (header.magic != kMagic || header.header_bytes < sizeof header) return 0;
  return header.header_bytes + header.payload_bytes;
}

std::variant<std::vector<FatBinaryEntry>, std::string> read_fat_binary(const std::byte* data, std::size_t bytes) {
  if (bytes < sizeof(Header) || fat_binary_bytes(data) == 0) return std::string("this is not a fat binary");
  Header header;
  std::memcpy(&header, data, sizeof header);
  if (header.payload_bytes > bytes - header.header_bytes || header.header_bytes > bytes)
    return std::string("the fat binary is cut short");

  std::vector<FatBinaryEntry> entries;
  std::uint64_t at = header.header_bytes;
  const std::uint64_t end = header.header_bytes + header.payload_bytes;
  std::uint64_t room = kMostDecompressed;
  while (end - at >= sizeof(EntryHeader)) {
    EntryHeader entry;
    std::memcpy(&entry, data + at, sizeof entry);
    if (entry.header_bytes < sizeof entry || entry.header_bytes > end - at ||
        entry.padded_bytes > end - at - entry.header_bytes)
      return std::string("the fat binary's entries run past its end");
    if (entry.kind == kKindPtx || entry.kind == kKindMachineCode) {
      FatBinaryEntry read;
      read.kind = entry.kind == kKindPtx ? FatBinaryEntry::Kind::kPtx : FatBinaryEntry::Kind::kMachineCode;
      read.architecture = entry.architecture;
      const char* const payload = reinterpret_cast<const char*>(data + at + entry.header_bytes);
      const std::string problem = decompress(entry, payload, room, read.contents);
      if (problem.empty()) {
        if ((entry.flags & kFlagZstd) != 0) room -= read.contents.size();
        entries.push_back(std::move(read));
      } else if (read.kind == FatBinaryEntry::Kind::kPtx) {  // machine code is a help, PTX a need
        return problem;
      }
    }
    at += entry.header_bytes + entry.padded_bytes;
  }
  return entries;
}

}  // namespace vgpu::ptx
