// User objects: what a program's graphs need and what is destroyed with the last of them.
#include <climits>

#include "harness/vgpu/cudart/graph_calls.h"

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

bool is_count(unsigned count) { return count != 0 && count <= INT_MAX; }

template <class Body>
cudaError_t object_call(cudaUserObject_t handle, unsigned count, Body body) {
  return call([&](Runtime& runtime) -> cudaError_t {
    const auto found = runtime.user_objects.find(handle);
    const std::shared_ptr<UserObject> object =
        found != runtime.user_objects.end() ? found->second.object.lock() : nullptr;
    return object && is_count(count) ? body(runtime, found->second, object) : cudaErrorInvalidValue;
  });
}

/// Gives up references of the program's; the object goes with the last one that anybody has.
cudaError_t release(UserObjectHandle& handle, unsigned count) {
  if (count > handle.references) return cudaErrorInvalidValue;
  handle.references -= count;
  if (handle.references == 0) handle.own.reset();
  return cudaSuccess;
}

}  // namespace

VGPU_API cudaError_t cudaUserObjectCreate(cudaUserObject_t* handle, void* data, cudaHostFn_t destroy,
                                          unsigned references, unsigned flags) {
  return call([&](Runtime& runtime) -> cudaError_t {
    if (handle == nullptr || destroy == nullptr || !is_count(references) || flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    auto object = std::make_shared<UserObject>(data, destroy);
    *handle = reinterpret_cast<cudaUserObject_t>(object.get());
    runtime.user_objects[*handle] = {object, object, references};
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned count) {
  return object_call(handle, count, [&](Runtime&, UserObjectHandle& held, const std::shared_ptr<UserObject>& object) {
    held.own = object;
    held.references += count;
    return cudaSuccess;
  });
}
VGPU_API cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned count) {
  return object_call(handle, count, [&](Runtime&, UserObjectHandle& held, const std::shared_ptr<UserObject>&) {
    return release(held, count);
  });
}

VGPU_API cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t handle, unsigned count,
                                               unsigned flags) {
  return object_call(
      handle, count,
      [&](Runtime& runtime, UserObjectHandle& held, const std::shared_ptr<UserObject>& object) -> cudaError_t {
        Graph* const keeper = runtime.graph(graph);
        if (keeper == nullptr || (flags & ~static_cast<unsigned>(cudaGraphUserObjectMove)) != 0)
          return cudaErrorInvalidValue;
        if (flags == cudaGraphUserObjectMove && release(held, count) != cudaSuccess) return cudaErrorInvalidValue;
        keeper->kept[object] += count;
        return cudaSuccess;
      });
}
VGPU_API cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t handle, unsigned count) {
  return object_call(
      handle, count,
      [&](Runtime& runtime, UserObjectHandle&, const std::shared_ptr<UserObject>& object) -> cudaError_t {
        Graph* const keeper = runtime.graph(graph);
        if (keeper == nullptr) return cudaErrorInvalidValue;
        const auto kept = keeper->kept.find(object);
        if (kept == keeper->kept.end() || kept->second < count) return cudaErrorInvalidValue;
        if ((kept->second -= count) == 0) keeper->kept.erase(kept);
        return cudaSuccess;
      });
}
