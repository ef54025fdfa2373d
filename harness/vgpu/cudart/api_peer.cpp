// Devices that use each other's memory. All of them can, as on a machine whose GPUs are linked by NVLink.
#include "harness/vgpu/cudart/entry.h"

using namespace vgpu;
using namespace vgpu::cudart;

extern "C" cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms* parameters);

namespace {

/// Body with the current device and the peer, both made. No device is its own peer.
template <class Body>
cudaError_t peer_call(int number, cudaError_t error_if_own, Body body) {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    if (!runtime.devices.has(number)) return cudaErrorInvalidDevice;
    if (number == device.number) return error_if_own;
    cudaError_t error = cudaSuccess;
    DeviceState* const peer = runtime.devices.get(number, error);
    return peer != nullptr ? body(runtime, device, *peer) : error;
  });
}

}  // namespace

VGPU_API cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call([&](Runtime& runtime) -> cudaError_t {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (!runtime.devices.has(device) || !runtime.devices.has(peer)) return cudaErrorInvalidDevice;
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
  });
}

VGPU_API cudaError_t cudaDeviceEnablePeerAccess(int number, unsigned flags) {
  const auto enable = [&](Runtime&, const DeviceState& device, const DeviceState& peer) -> cudaError_t {
    if (flags != 0) return cudaErrorInvalidValue;
    if (device.memory->has_access_to(*peer.memory)) return cudaErrorPeerAccessAlreadyEnabled;
    device.memory->set_peer(*peer.memory, true);
    return cudaSuccess;
  };
  return peer_call(number, cudaErrorPeerAccessUnsupported, enable);
}

/// Kernels that were launched before may still use the peer's memory.
VGPU_API cudaError_t cudaDeviceDisablePeerAccess(int number) {
  return peer_call(number, cudaErrorInvalidDevice,
                   [](Runtime&, DeviceState& device, const DeviceState& peer) -> cudaError_t {
                     if (!device.memory->has_access_to(*peer.memory)) return cudaErrorPeerAccessNotEnabled;
                     device.timeline.finish_all();
                     device.memory->set_peer(*peer.memory, false);
                     return cudaSuccess;
                   });
}

namespace {

/// The same copy without the devices' numbers: addresses say it all.
cudaMemcpy3DParms without_devices(const cudaMemcpy3DPeerParms& p) {
  return {p.srcArray, p.srcPos, p.srcPtr, p.dstArray, p.dstPos, p.dstPtr, p.extent, cudaMemcpyDefault};
}

template <class Copy>
cudaError_t copy_volume_between(const cudaMemcpy3DPeerParms* p, Copy copy) {
  return call([&](Runtime& runtime) -> cudaError_t {
    if (p == nullptr) return cudaErrorInvalidValue;
    if (!runtime.devices.has(p->srcDevice) || !runtime.devices.has(p->dstDevice)) return cudaErrorInvalidDevice;
    const cudaMemcpy3DParms plain = without_devices(*p);
    return copy(&plain);
  });
}

}  // namespace

VGPU_API cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return copy_volume_between(p, [](const cudaMemcpy3DParms* plain) { return cudaMemcpy3D(plain); });
}
VGPU_API cudaError_t cudaMemcpy3DPeer_ptds(const cudaMemcpy3DPeerParms* p) {
  return copy_volume_between(p, [](const cudaMemcpy3DParms* plain) { return cudaMemcpy3D_ptds(plain); });
}
VGPU_API cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return copy_volume_between(p, [&](const cudaMemcpy3DParms* plain) { return cudaMemcpy3DAsync(plain, stream); });
}
VGPU_API cudaError_t cudaMemcpy3DPeerAsync_ptsz(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return cudaMemcpy3DPeerAsync(p, stream == nullptr ? cudaStreamPerThread : stream);
}

VGPU_API cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int source, int target) {
  return call([&](Runtime& runtime) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!runtime.devices.has(source) || !runtime.devices.has(target) || source == target) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevP2PAttrPerformanceRank:
        *value = 0;  // the best there is: all links are alike
        return cudaSuccess;
      case cudaDevP2PAttrAccessSupported:
      case cudaDevP2PAttrNativeAtomicSupported:
      case cudaDevP2PAttrCudaArrayAccessSupported:
        *value = 1;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}
