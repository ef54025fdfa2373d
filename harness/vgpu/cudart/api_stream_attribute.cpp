// Attributes of streams: hints about caches and waiting, kept for whoever asks.
#include <cstring>

#include "harness/vgpu/cudart/entry.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

bool is_stream_attribute(cudaLaunchAttributeID attribute) {
  return attribute == cudaLaunchAttributeAccessPolicyWindow || attribute == cudaLaunchAttributeSynchronizationPolicy ||
         attribute == cudaLaunchAttributePriority || attribute == cudaLaunchAttributeMemSyncDomain ||
         attribute == cudaLaunchAttributeMemSyncDomainMap;
}

/// What a stream has that was never told otherwise.
cudaLaunchAttributeValue default_value(const StreamState& stream, cudaLaunchAttributeID attribute) {
  cudaLaunchAttributeValue value;
  std::memset(&value, 0, sizeof value);
  if (attribute == cudaLaunchAttributeSynchronizationPolicy) value.syncPolicy = cudaSyncPolicyAuto;
  if (attribute == cudaLaunchAttributePriority) value.priority = stream.priority;
  if (attribute == cudaLaunchAttributeMemSyncDomainMap) value.memSyncDomainMap.remote = 1;
  return value;
}

bool is_allowed(const DeviceState& device, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue& value) {
  if (attribute == cudaLaunchAttributeSynchronizationPolicy)
    return value.syncPolicy >= cudaSyncPolicyAuto && value.syncPolicy <= cudaSyncPolicyBlockingSync;
  if (attribute != cudaLaunchAttributeAccessPolicyWindow) return true;
  const cudaAccessPolicyWindow& window = value.accessPolicyWindow;
  const auto most = device.profile.attributes.find("MaxAccessPolicyWindowSize");
  return window.hitRatio >= 0 && window.hitRatio <= 1 && window.missProp != cudaAccessPropertyPersisting &&
         (most == device.profile.attributes.end() || window.num_bytes <= static_cast<std::uint64_t>(most->second));
}

}  // namespace

VGPU_API cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue* value) {
  return stream_call(handle, [&](Runtime&, DeviceState& device, StreamState& stream) -> cudaError_t {
    if (value == nullptr || !is_stream_attribute(attribute) || !is_allowed(device, attribute, *value))
      return cudaErrorInvalidValue;
    auto& kept = stream.attributes[attribute];
    static_assert(sizeof kept == sizeof *value, "an attribute's value is kept whole");
    std::memcpy(kept.data(), value, sizeof *value);
    if (attribute == cudaLaunchAttributePriority) stream.priority = value->priority;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                                 const cudaLaunchAttributeValue* value) {
  return cudaStreamSetAttribute(per_thread(stream), attribute, value);
}

VGPU_API cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue* value) {
  return stream_call(handle, [&](Runtime&, DeviceState&, const StreamState& stream) -> cudaError_t {
    if (value == nullptr || !is_stream_attribute(attribute)) return cudaErrorInvalidValue;
    *value = default_value(stream, attribute);
    if (const auto kept = stream.attributes.find(attribute); kept != stream.attributes.end())
      std::memcpy(value, kept->second.data(), sizeof *value);
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                                 cudaLaunchAttributeValue* value) {
  return cudaStreamGetAttribute(per_thread(stream), attribute, value);
}

VGPU_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return stream_call(to, [&](Runtime& runtime, DeviceState& device, StreamState& target) -> cudaError_t {
    const Runtime::StreamPlace source = runtime.stream(device, from);
    if (source.stream == nullptr) return cudaErrorInvalidResourceHandle;
    target.attributes = source.stream->attributes;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t to, cudaStream_t from) {
  return cudaStreamCopyAttributes(per_thread(to), per_thread(from));
}
