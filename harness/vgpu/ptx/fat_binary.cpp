#include "harness/vgpu/ptx/fat_binary.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#ifdef VGPU_HAVE_ZSTD
#include <zstd.h>
#endif

namespace vgpu::ptx {
namespace {

constexpr std::uint16_t kKindPtx = 1, kKindMachineCode = 2;
constexpr std::uint64_t kFlagLz4 = 0x2000;  // one block; of CUDA 12, and of 13 with --compress-mode=speed
constexpr std::uint64_t kFlagZstd = 0x8000;

/// A byte of LZ4 stands for no more bytes: the header alone must not decide how much memory is taken.
constexpr std::uint64_t kMostLz4Gains = 255;

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

/// Decompresses a block of LZ4, which fills `to` to its size. False if it is damaged.
bool decompress_lz4(std::string_view from, std::string& to) {
  std::size_t at = 0, end = 0;
  // Lengths of 15 and more go on in further bytes, up to the first that is not 255.
  const auto length = [&](std::size_t bits) {
    if (bits != 15) return bits;
    for (unsigned char next = 255; next == 255 && at < from.size(); bits += next)
      next = static_cast<unsigned char>(from[at++]);
    return bits;
  };
  while (at < from.size()) {
    const auto token = static_cast<unsigned char>(from[at++]);
    const std::size_t literals = length(token >> 4);
    if (literals > from.size() - at || literals > to.size() - end) return false;
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), literals,
                to.begin() + static_cast<std::ptrdiff_t>(end));
    at += literals;
    end += literals;
    if (at == from.size()) break;  // the last sequence has no match
    if (from.size() - at < 2) return false;
    const std::size_t distance = static_cast<unsigned char>(from[at]) + 256U * static_cast<unsigned char>(from[at + 1]);
    at += 2;
    const std::size_t match = length(token & 15) + 4;
    if (distance == 0 || distance > end || match > to.size() - end) return false;
    for (std::size_t i = 0; i < match; ++i, ++end) to[end] = to[end - distance];  // it may overlap itself
  }
  return end == to.size();
}

/// The entry's contents into `to`; a sentence if that cannot be done. At most `room` bytes are decompressed.
std::string decompress(const EntryHeader& entry, const char* payload, std::uint64_t room, std::string& to) {
  if ((entry.flags & (kFlagLz4 | kFlagZstd)) == 0) {
    to.assign(payload, entry.padded_bytes);
    return {};
  }
  if (entry.compressed_bytes > entry.padded_bytes) return "the fat binary's compressed entry is damaged";
  if (entry.decompressed_bytes > room) return "the fat binary's compressed entries hold more than 512 MiB";
  if ((entry.flags & kFlagZstd) == 0) {
    if (entry.decompressed_bytes > entry.compressed_bytes * kMostLz4Gains)
      return "the fat binary's compressed entry is damaged";
    to.resize(entry.decompressed_bytes);
    if (!decompress_lz4({payload, entry.compressed_bytes}, to)) return "the fat binary's compressed entry is damaged";
    return {};
  }
#ifdef VGPU_HAVE_ZSTD
  // What the frame itself says comes first: the header alone must not decide how much memory is taken.
  if (ZSTD_getFrameContentSize(payload, entry.compressed_bytes) != entry.decompressed_bytes)
    return "the fat binary's compressed entry is damaged";
  to.resize(entry.decompressed_bytes);
  const std::size_t got = ZSTD_decompress(to.data(), to.size(), payload, entry.compressed_bytes);
  if (ZSTD_isError(got) != 0 || got != to.size()) return "the fat binary's compressed entry is damaged";
  return {};
#else
  return "the device code is compressed, and this build has no zstd; rebuild the program with --no-compress";
#endif
}

}  // namespace

std::size_t fat_binary_bytes(const std::byte* data) {
  if (data == nullptr) return 0;
  Header header;
  std::memcpy(&header, data, sizeof header);
  if (header.magic != kFatBinaryMagic || header.header_bytes < sizeof header) return 0;
  return header.header_bytes + header.payload_bytes;
}

std::variant<std::vector<FatBinaryEntry>, std::string> read_fat_binary(const std::byte* data, std::size_t bytes,
                                                                       std::uint64_t* room_of_several) {
  if (bytes < sizeof(Header) || fat_binary_bytes(data) == 0) return std::string("this is not a fat binary");
  Header header;
  std::memcpy(&header, data, sizeof header);
  if (header.payload_bytes > bytes - header.header_bytes || header.header_bytes > bytes)
    return std::string("the fat binary is cut short");

  std::vector<FatBinaryEntry> entries;
  std::uint64_t at = header.header_bytes;
  const std::uint64_t end = header.header_bytes + header.payload_bytes;
  std::uint64_t own_room = kMostDecompressed;
  std::uint64_t& room = room_of_several != nullptr ? *room_of_several : own_room;
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
      if (entry.name_offset <= entry.header_bytes && entry.name_bytes <= entry.header_bytes - entry.name_offset)
        read.name.assign(reinterpret_cast<const char*>(data + at + entry.name_offset), entry.name_bytes);
      const char* const payload = reinterpret_cast<const char*>(data + at + entry.header_bytes);
      const std::string problem = decompress(entry, payload, room, read.contents);
      if (problem.empty()) {
        if ((entry.flags & (kFlagLz4 | kFlagZstd)) != 0) room -= read.contents.size();
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
