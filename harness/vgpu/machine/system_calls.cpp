#include "harness/vgpu/machine/system_calls.h"

#include <cstring>
#include <string>

#include "harness/vgpu/machine/address_windows.h"
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/device_math.h"
#include "harness/vgpu/machine/device_printf.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {
namespace {

constexpr std::size_t kLongestString = 1 << 16;

/// Memory behind a generic address, as far as it goes: null and 0 bytes if there is none.
struct Bytes {
  const std::byte* at = nullptr;
  std::uint64_t count = 0;
};

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

/// Arguments and results of one lane's call.
class LaneCall {
 public:
  LaneCall(Warp& warp, int lane, const CallSite& site)
      : memory_(warp.local + static_cast<std::size_t>(lane) * warp.local_stride + warp.frame->local_base),
        site_(site) {}

  template <class T>
  T argument(std::size_t n) const {
    T value{};
    if (n < site_.arguments.size()) std::memcpy(&value, memory_ + site_.arguments[n], sizeof value);
    return value;
  }
  void compute(const MathFunction& function) {
    const std::byte* arguments[4];
    for (std::size_t n = 0; n < function.arguments; ++n) arguments[n] = memory_ + site_.arguments[n];
    function.run(arguments, memory_ + site_.results[0]);
  }
  template <class T>
  void result(T value) {
    if (!site_.results.empty()) std::memcpy(memory_ + site_.results[0], &value, sizeof value);
  }

 private:
  std::byte* memory_;
  const CallSite& site_;
};

void print(Warp& warp, int lane, LaneCall& call) {
  const std::string format = string_at(warp, lane, call.argument<std::uint64_t>(0));
  const Bytes block = bytes_at(warp, lane, call.argument<std::uint64_t>(1));
  int count = 0;
  const std::string text = format_device_printf(
      format, block.at, block.count, [&](std::uint64_t address) { return string_at(warp, lane, address); }, count);
  const LaunchOptions& options = warp.block->launch().options();
  if (options.print) options.print(text);
  call.result<std::int32_t>(count);
}

/// __assertfail(message, file, line, function, char size): worded as the CUDA runtime words it.
std::string assertion_text(Warp& warp, int lane, const LaneCall& call) {
  return string_at(warp, lane, call.argument<std::uint64_t>(1)) + ":" +
         std::to_string(call.argument<std::uint32_t>(2)) + ": " +
         string_at(warp, lane, call.argument<std::uint64_t>(3)) + ": block: " + spelled(warp.block->index()) +
         ", thread: " + spelled(warp.block->thread(warp, lane)) + " Assertion `" +
         string_at(warp, lane, call.argument<std::uint64_t>(0)) + "` failed.";
}

}  // namespace

SystemFunction system_function_named(std::string_view name) {
  if (name == "vprintf") return SystemFunction::kPrintf;
  if (name == "malloc") return SystemFunction::kMalloc;
  if (name == "free") return SystemFunction::kFree;
  if (name == "__assertfail") return SystemFunction::kAssertFail;
  if (math_function_named(name) != nullptr) return SystemFunction::kMath;
  return SystemFunction::kNone;
}

const Insn* call_system_function(Warp& warp, const Insn* insn, Mask lanes, SystemFunction function,
                                 const CallSite& site) {
  const LaunchOptions& options = warp.block->launch().options();
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    LaneCall call(warp, lane, site);
    switch (function) {
      case SystemFunction::kPrintf:
        print(warp, lane, call);
        break;
      case SystemFunction::kMalloc:
        call.result<std::uint64_t>(options.heap_allocate ? options.heap_allocate(call.argument<std::uint64_t>(0)) : 0);
        break;
      case SystemFunction::kFree: {
        const auto address = call.argument<std::uint64_t>(0);
        if (address != 0 && options.heap_free && !options.heap_free(address))
          return warp.fault(insn, FaultKind::kIllegalAddress, lane, "free() of a pointer that malloc() did not return");
        break;
      }
      case SystemFunction::kAssertFail:
        warp.block->report_fault(warp, insn, FaultKind::kAssert, lane, assertion_text(warp, lane, call));
        break;
      case SystemFunction::kMath:
        call.compute(*site.math);
        break;
      case SystemFunction::kNone:
        break;
    }
  }
  // A failed assertion ends its thread; the others go on, and may fail as well. The launch ends with the error.
  if (function == SystemFunction::kAssertFail) return warp.exit(insn, lanes);
  // Memory may have been allocated: what counts as device memory has grown.
  warp.global_span = warp.block->launch().memory().high() - warp.block->launch().memory().low();
  return insn + 1;
}

}  // namespace vgpu
