#include "harness/vgpu/machine/lane_call.h"

#include <cstring>

#include "harness/vgpu/machine/address_windows.h"
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/launch.h"

namespace vgpu {
namespace {

constexpr std::size_t kLongestString = 1 << 16;

}  // namespace

Bytes bytes_at(const Warp& warp, int lane, std::uint64_t address) {
  if (address - kLocalWindow < kWindowBytes) {
    const std::uint64_t offset = address - kLocalWindow;
    if (offset >= warp.local_stride) return {};
    return {warp.local + static_cast<std::size_t>(lane) * warp.local_stride + offset, warp.local_stride - offset};
  }
  if (address - kSharedWindow < kWindowBytes) {
    const std::uint64_t offset = address - kSharedWindow;
    if (offset - warp.shared_low >= warp.shared_span) return {};
    return {warp.shared + offset, warp.shared_low + warp.shared_span - offset};
  }
  const AddressSpace& memory = warp.block->launch().memory();
  const AddressSpace& home = memory.home_of(address);
  if (&home != &memory)
    return memory.reaches(home, address, 1) ? Bytes{home.host(address), home.high() - address} : Bytes{};
  if (address - warp.global_low >= warp.global_span) return {};
  return {reinterpret_cast<const std::byte*>(address + static_cast<std::uint64_t>(warp.global_delta)),
          warp.global_low + warp.global_span - address};
}

std::string string_at(const Warp& warp, int lane, std::uint64_t address) {
  const Bytes bytes = bytes_at(warp, lane, address);
  if (bytes.at == nullptr) return "(null)";
  const std::size_t longest = bytes.count < kLongestString ? bytes.count : kLongestString;
  const auto* text = reinterpret_cast<const char*>(bytes.at);
  return {text, strnlen(text, longest)};
}

}  // namespace vgpu
