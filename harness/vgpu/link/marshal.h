// How the parameters of a call cross: what a pointer points to goes along, if it is not an address of device or host
// memory, and comes back if it is not const.
#pragma once

#include <cuda_runtime_api.h>

#include <tuple>
#include <type_traits>
#include <utility>

#include "harness/vgpu/link/calls.h"
#include "harness/vgpu/link/wire.h"

namespace vgpu::link {

enum class Manner {
  kValue,     ///< as it is: numbers, handles, addresses, functions of the program
  kText,      ///< a terminated text
  kIgnored,   ///< the runtime does not look at it
  kIn,        ///< one object that is read
  kInOut,     ///< one object that is read and written
  kArrayIn,   ///< as many as the next parameter of type size_t says
  kArrayOut,  ///< as many as the parameter of type size_t* allows
};

template <class T, class = void>
struct IsComplete : std::false_type {};
template <class T>
struct IsComplete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

template <class... P>
struct Parameters {
  static constexpr bool kCountsOut = (std::is_same_v<P, size_t*> || ...);

  /// The place of the first size_t behind `index`; the number of parameters if there is none.
  static constexpr std::size_t count_behind(std::size_t index) {
    constexpr bool kIsCount[] = {std::is_same_v<P, size_t>..., false};
    std::size_t at = index + 1;
    while (at < sizeof...(P) && !kIsCount[at]) ++at;
    return at;
  }
  static constexpr std::size_t count_out() {
    constexpr bool kIsCount[] = {std::is_same_v<P, size_t*>..., false};
    std::size_t at = 0;
    while (at < sizeof...(P) && !kIsCount[at]) ++at;
    return at;
  }
};

/// Functions whose pointers cross as addresses: the answering side reads and writes the program's memory there.
template <auto Function>
inline constexpr bool kByAddress = false;
template <>
inline constexpr bool kByAddress<&::cudaLibraryLoadData> = true;
template <>
inline constexpr bool kByAddress<&::cudaLibraryEnumerateKernels> = true;
template <>
inline constexpr bool kByAddress<&::cudaMemRangeGetAttribute> = true;
template <>
inline constexpr bool kByAddress<&::cudaMemRangeGetAttributes> = true;
template <>
inline constexpr bool kByAddress<&::cudaSetValidDevices> = true;
template <>
inline constexpr bool kByAddress<&::cudaStreamUpdateCaptureDependencies> = true;
template <>
inline constexpr bool kByAddress<&::cudaStreamUpdateCaptureDependencies_ptsz> = true;

template <class P, bool counts_out>
constexpr Manner manner_of() {
  using T = std::remove_pointer_t<P>;
  if constexpr (!std::is_pointer_v<P> || std::is_same_v<P, char*> || std::is_function_v<T> || std::is_void_v<T> ||
                !IsComplete<T>::value)
    return Manner::kValue;
  else if constexpr (std::is_same_v<P, const char*>)
    return Manner::kText;
  else if constexpr (std::is_same_v<P, const cudaGraphEdgeData*>)
    return Manner::kIgnored;
  else if constexpr (std::is_same_v<P, const cudaGraphNode_t*> || std::is_same_v<P, const cudaMemAccessDesc*> ||
                     std::is_same_v<P, const vgpuOperand*>)
    return Manner::kArrayIn;
  else if constexpr (counts_out && (std::is_same_v<P, cudaGraphNode_t*> || std::is_same_v<P, cudaGraphEdgeData*>))
    return Manner::kArrayOut;
  else if constexpr (std::is_const_v<T> || std::is_same_v<P, cudaGraphNodeParams*>)
    return Manner::kIn;
  else
    return Manner::kInOut;
}

/// What is to be known of a function's parameters.
template <auto Function, class = decltype(Function)>
struct Signature;
template <auto Function, class R, class... P>
struct Signature<Function, R (*)(P...)> {
  using Result = R;
  using All = Parameters<P...>;
  using Values = std::tuple<P...>;
  using Indices = std::index_sequence_for<P...>;
  template <std::size_t i>
  static constexpr Manner kManner = kByAddress<Function>
                                        ? Manner::kValue
                                        : manner_of<std::tuple_element_t<i, Values>, All::kCountsOut>();
};
template <auto Function, class R, class... P>
struct Signature<Function, R (*)(P...) noexcept> : Signature<Function, R (*)(P...)> {};

}  // namespace vgpu::link
