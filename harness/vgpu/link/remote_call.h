// A function of the runtime whose work is done elsewhere: packs its arguments, and unpacks what comes back.
#pragma once

#include "harness/vgpu/link/host_call.h"
#include "harness/vgpu/link/marshal.h"
#include "harness/vgpu/link/program.h"

#define VGPU_API extern "C" __attribute__((visibility("default")))

namespace vgpu::link {

/// The connection of this process to its devices, as the environment names it.
Program& program();

template <class R>
R result_without_devices() {
  if constexpr (std::is_same_v<R, cudaError_t>)
    return cudaErrorDevicesUnavailable;
  else if constexpr (!std::is_void_v<R>)
    return R{};
}

template <auto Function>
class RemoteCall {
  using Of = Signature<Function>;
  using R = typename Of::Result;
  using Values = typename Of::Values;

 public:
  static R make(Program& from, Call number, const Values& all) {
    Writer arguments;
    put(arguments, all, typename Of::Indices());
    if (arguments.bytes().size() > kMostBytes) return too_long();
    if constexpr (std::is_void_v<R>) {
      from.call(number, arguments, [&](Reader reply) { get(reply, all, typename Of::Indices()); });
    } else {
      R result = result_without_devices<R>();
      from.call(number, arguments, [&](Reader reply) {
        reply.get(result);
        get(reply, all, typename Of::Indices());
      });
      return result;
    }
  }

 private:
  static R too_long() {
    if constexpr (std::is_same_v<R, cudaError_t>)
      return cudaErrorInvalidValue;
    else
      return result_without_devices<R>();
  }

  template <std::size_t... i>
  static void put([[maybe_unused]] Writer& to, [[maybe_unused]] const Values& all, std::index_sequence<i...>) {
    (put_one<i>(to, all), ...);
  }
  template <std::size_t i>
  static void put_one(Writer& to, const Values& all) {
    constexpr Manner kHow = Of::template kManner<i>;
    const auto& parameter = std::get<i>(all);
    if constexpr (kHow == Manner::kValue)
      to.put(parameter);
    else if constexpr (kHow == Manner::kText)
      to.put_text(parameter);
    else if constexpr (kHow != Manner::kIgnored) {
      to.put(static_cast<std::uint8_t>(parameter != nullptr));
      if (parameter == nullptr) return;
      if constexpr (kHow == Manner::kIn || kHow == Manner::kInOut) to.put(*parameter);
      if constexpr (kHow == Manner::kArrayIn) {
        const size_t count = std::get<Of::All::count_behind(i)>(all);
        const bool fits = count <= kMostBytes / sizeof *parameter;
        to.put(static_cast<std::uint32_t>(fits ? count : 0));
        to.put_bytes(parameter, fits ? count * sizeof *parameter : 0);
      }
    }
  }

  template <std::size_t... i>
  static void get([[maybe_unused]] Reader& from, [[maybe_unused]] const Values& all, std::index_sequence<i...>) {
    (get_one<i>(from, all), ...);
  }
  template <std::size_t i>
  static void get_one(Reader& from, const Values& all) {
    constexpr Manner kHow = Of::template kManner<i>;
    if constexpr (kHow == Manner::kInOut || kHow == Manner::kArrayOut) {
      const auto& parameter = std::get<i>(all);
      if (parameter == nullptr) return;
      if constexpr (kHow == Manner::kInOut)
        from.get(*parameter);
      else
        from.get_bytes(parameter, from.get<std::uint32_t>() * sizeof *parameter);
    }
  }
};

/// Makes the call that `Function`, a function of the runtime, stands for.
template <Call number, auto Function, class... A>
auto remote(A... arguments) {
  return RemoteCall<Function>::make(program(), number, {arguments...});
}

}  // namespace vgpu::link
