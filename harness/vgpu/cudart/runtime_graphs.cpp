// What the runtime knows of graphs: those there are, and what belongs to them.
#include "harness/vgpu/cudart/runtime.h"

namespace vgpu::cudart {

Graph& Runtime::keep(std::unique_ptr<Graph> graph) {
  Graph& kept = *graph;
  graphs[reinterpret_cast<cudaGraph_t>(&kept)] = std::move(graph);
  return kept;
}

bool Runtime::destroy_graph(cudaGraph_t handle) {
  const auto found = graphs.find(handle);
  if (found == graphs.end()) return false;
  Graph& graph = *found->second;
  is_about_to_go(graph);
  graphs.erase(found);
  forget_unused_of_graphs();
  return true;
}

void Runtime::is_about_to_go(Graph& graph) {
  const auto is_inside = [&](const Graph* wanted) {
    return wanted != nullptr && graph.find([&](const Graph& g) { return &g == wanted; }) != nullptr;
  };
  for (const auto& [key, executable] : executable_graphs)
    if (is_inside(executable->made_from)) executable->made_from = nullptr;
  for (const auto& [key, condition] : conditions)
    if (is_inside(condition->graph)) condition->graph = nullptr;
  for (const auto& [address, memory] : graph_memory)
    if (is_inside(memory->owner)) memory->owner = nullptr;
}

void Runtime::forget_unused_of_graphs() {
  for (auto it = conditions.begin(); it != conditions.end();)
    it = it->second.use_count() == 1 && it->second->graph == nullptr ? conditions.erase(it) : std::next(it);
  for (auto it = graph_memory.begin(); it != graph_memory.end();)
    it = it->second.use_count() == 1 && !it->second->in_use ? graph_memory.erase(it) : std::next(it);
}

Graph* Runtime::graph(cudaGraph_t handle) {
  if (const auto found = graphs.find(handle); found != graphs.end()) return found->second.get();
  const auto* const wanted = reinterpret_cast<const Graph*>(handle);
  for (const auto& [key, owned] : graphs)
    if (Graph* const found = owned->find([&](const Graph& g) { return &g == wanted; })) return found;
  return nullptr;
}

Node* Runtime::node(cudaGraphNode_t handle) {
  auto* const wanted = reinterpret_cast<Node*>(handle);
  for (const auto& [key, owned] : graphs)
    if (owned->find([&](const Graph& g) { return g.owns(wanted); }) != nullptr) return wanted;
  return nullptr;
}

MemoryPool& Runtime::graph_pool(DeviceState& device) {
  if (device.graph_pool == nullptr) {
    MemoryPool& made = make_pool(device.number);
    made.is_default = true;
    made.release_threshold = ~std::uint64_t{0};  // only cudaDeviceGraphMemTrim gives memory back
    device.graph_pool = reinterpret_cast<cudaMemPool_t>(&made);
  }
  return *pools.at(device.graph_pool);
}

}  // namespace vgpu::cudart
