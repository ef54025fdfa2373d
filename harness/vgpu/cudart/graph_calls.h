// How API functions that take graphs and nodes begin: handles become objects, or the call is refused.
#pragma once

#include <algorithm>
#include <vector>

#include "harness/vgpu/cudart/entry.h"

namespace vgpu::cudart {

inline cudaGraph_t handle_of(const Graph* graph) { return reinterpret_cast<cudaGraph_t>(const_cast<Graph*>(graph)); }
inline cudaGraphNode_t handle_of(const Node* node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<Node*>(node));
}

template <class Body>
cudaError_t graph_call(cudaGraph_t handle, Body body) noexcept {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    Graph* const graph = runtime.graph(handle);
    return graph != nullptr ? body(runtime, device, *graph) : cudaErrorInvalidValue;
  });
}

template <class Body>
cudaError_t node_call(cudaGraphNode_t handle, Body body) noexcept {
  return device_call([&](Runtime& runtime, DeviceState& device) -> cudaError_t {
    Node* const node = runtime.node(handle);
    return node != nullptr ? body(runtime, device, *node) : cudaErrorInvalidValue;
  });
}

/// The nodes behind handles, all of one graph and each given once; false if some are not.
inline bool nodes_of(const Graph& graph, const cudaGraphNode_t* handles, size_t count, std::vector<Node*>& nodes) {
  if (count != 0 && handles == nullptr) return false;
  for (size_t n = 0; n < count; ++n) {
    auto* const node = reinterpret_cast<Node*>(handles[n]);
    if (!graph.owns(node) || std::find(nodes.begin(), nodes.end(), node) != nodes.end()) return false;
    nodes.push_back(node);
  }
  return true;
}

/// Answers a question for a list as the API does: how many there are where no room is offered, else as many as there
/// is room for, and null behind the last one.
inline cudaError_t hand_out(const std::vector<Node*>& nodes, cudaGraphNode_t* to, size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (to == nullptr) {
    *count = nodes.size();
    return cudaSuccess;
  }
  for (size_t n = 0; n < *count; ++n) to[n] = n < nodes.size() ? handle_of(nodes[n]) : nullptr;
  *count = std::min(*count, nodes.size());
  return cudaSuccess;
}

}  // namespace vgpu::cudart
