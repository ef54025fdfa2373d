#include "harness/vgpu/cudart/graph.h"

#include <algorithm>

namespace vgpu::cudart {
namespace {

/// By the number of Work's alternative.
constexpr cudaGraphNodeType kTypes[] = {
    cudaGraphNodeTypeKernel,   cudaGraphNodeTypeMemcpy,  cudaGraphNodeTypeMemset,     cudaGraphNodeTypeHost,
    cudaGraphNodeTypeGraph,    cudaGraphNodeTypeEmpty,   cudaGraphNodeTypeWaitEvent,  cudaGraphNodeTypeEventRecord,
    cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree, cudaGraphNodeTypeConditional};
static_assert(std::size(kTypes) == std::variant_size_v<Work>, "each kind of work is a type of node");

const char* type_name(const Work& work) {
  constexpr const char* kNames[] = {"kernel",     "memcpy",       "memset",     "host", "graph",      "empty",
                                    "event wait", "event record", "allocation", "free", "conditional"};
  static_assert(std::size(kNames) == std::variant_size_v<Work>, "each kind of work has a name");
  return kNames[work.index()];
}

bool erase(std::vector<Node*>& list, const Node* node) {
  const auto found = std::find(list.begin(), list.end(), node);
  if (found == list.end()) return false;
  list.erase(found);
  return true;
}

/// Whether what must not change of work of one type has stayed.
cudaGraphExecUpdateResult fixed_parameters(const Work& now, const Work& next) {
  const auto* const allocation = std::get_if<AllocationWork>(&next);
  const auto* const release = std::get_if<ReleaseWork>(&next);
  const auto* const conditional = std::get_if<ConditionalWork>(&next);
  if ((allocation != nullptr && allocation->memory != std::get<AllocationWork>(now).memory) ||
      (release != nullptr && release->memory != std::get<ReleaseWork>(now).memory))
    return cudaGraphExecUpdateErrorNotSupported;
  if (conditional != nullptr && (conditional->type != std::get<ConditionalWork>(now).type ||
                                 conditional->bodies.size() != std::get<ConditionalWork>(now).bodies.size()))
    return cudaGraphExecUpdateErrorParametersChanged;
  return cudaGraphExecUpdateSuccess;
}

std::map<const Node*, std::size_t> numbers_of(const Graph& graph) {
  std::map<const Node*, std::size_t> numbers;
  for (const std::unique_ptr<Node>& node : graph.nodes()) numbers.emplace(node.get(), numbers.size());
  return numbers;
}

}  // namespace

cudaGraphNodeType type_of(const Work& work) { return kTypes[work.index()]; }

std::vector<std::shared_ptr<Graph>> inner_graphs(const Work& work) {
  if (const auto* const child = std::get_if<GraphWork>(&work)) return {child->graph};
  if (const auto* const conditional = std::get_if<ConditionalWork>(&work)) return conditional->bodies;
  return {};
}

Node& Graph::add(Work work, const std::vector<Node*>& after) {
  nodes_.push_back(std::make_unique<Node>());
  Node& node = *nodes_.back();
  node.work = std::move(work);
  node.graph = this;
  for (const std::shared_ptr<Graph>& inner : inner_graphs(node.work)) inner->outer = this;
  known_.insert(&node);
  for (Node* const earlier : after) add_edge(*earlier, node);
  return node;
}

void Graph::remove(Node& node) {
  for (Node* const earlier : node.after) erase(earlier->before, &node);
  for (Node* const later : node.before) erase(later->after, &node);
  known_.erase(&node);
  nodes_.erase(std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& owned) { return owned.get() == &node; }));
}

bool Graph::add_edge(Node& from, Node& to) {
  if (&from == &to || std::find(to.after.begin(), to.after.end(), &from) != to.after.end()) return false;
  to.after.push_back(&from);
  from.before.push_back(&to);
  return true;
}

bool Graph::remove_edge(Node& from, Node& to) { return erase(to.after, &from) && erase(from.before, &to); }

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  copy->kept = kept;
  copy->is_part = is_part;
  std::map<const Node*, Node*> copies;
  for (const std::unique_ptr<Node>& node : nodes_) {
    Work work = node->work;
    if (auto* const inner = std::get_if<GraphWork>(&work)) inner->graph = inner->graph->clone();
    if (auto* const conditional = std::get_if<ConditionalWork>(&work))
      for (std::shared_ptr<Graph>& body : conditional->bodies) body = body->clone();
    Node& twin = copy->add(std::move(work), {});
    twin.original = node.get();
    twin.enabled = node->enabled;
    copies[node.get()] = &twin;
  }
  for (const std::unique_ptr<Node>& node : nodes_)
    for (const Node* const earlier : node->after) {  // each edge is there once: nobody need look for it
      Node &from = *copies.at(earlier), &to = *copies.at(node.get());
      to.after.push_back(&from);
      from.before.push_back(&to);
    }
  return copy;
}

unsigned Graph::levels() const {
  unsigned deepest = 0;
  for (const std::unique_ptr<Node>& node : nodes_)
    for (const std::shared_ptr<Graph>& inner : inner_graphs(node->work)) deepest = std::max(deepest, inner->levels());
  return deepest + 1;
}

std::size_t Graph::node_count() const {
  std::size_t count = nodes_.size();
  for (const std::unique_ptr<Node>& node : nodes_)
    for (const std::shared_ptr<Graph>& inner : inner_graphs(node->work)) count += inner->node_count();
  return count;
}

std::size_t Graph::size() const {
  std::size_t nodes = nodes_.size();
  for (const std::unique_ptr<Node>& node : nodes_) {
    nodes += node->after.size();
    for (const std::shared_ptr<Graph>& inner : inner_graphs(node->work)) nodes += inner->size();
  }
  return nodes;
}

bool Graph::has_room_for(unsigned levels) const {
  for (const Graph* graph = this; graph != nullptr; graph = graph->outer) ++levels;
  return levels <= kMostLevels;
}

Node* Graph::copy_of(const Node* original) const {
  const auto found =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& node) { return node->original == original; });
  return found == nodes_.end() ? nullptr : found->get();
}

std::optional<std::vector<Node*>> Graph::order(std::uint64_t seed) const {
  const std::map<const Node*, std::size_t> numbers = numbers_of(*this);
  std::vector<std::size_t> missing(nodes_.size());  // dependencies that are not in the order yet
  std::set<std::size_t> ready;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    missing[n] = nodes_[n]->after.size();
    if (missing[n] == 0) ready.insert(n);
  }
  std::vector<Node*> order;
  std::uint64_t state = seed;
  while (!ready.empty()) {
    auto next = ready.begin();
    if (seed != 0) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::advance(next, (state >> 33) % ready.size());
    }
    Node* const node = nodes_[*next].get();
    ready.erase(next);
    order.push_back(node);
    for (const Node* const later : node->before)
      if (const std::size_t n = numbers.at(later); --missing[n] == 0) ready.insert(n);
  }
  if (order.size() != nodes_.size()) return std::nullopt;
  return order;
}

Difference difference(const Graph& now, const Graph& next) {
  if (now.nodes().size() != next.nodes().size()) return {cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
  const std::map<const Node*, std::size_t> old_numbers = numbers_of(now), new_numbers = numbers_of(next);
  for (std::size_t n = 0; n < next.nodes().size(); ++n) {
    Node* const node = next.nodes()[n].get();
    const Node& before = *now.nodes()[n];
    if (before.work.index() != node->work.index()) return {cudaGraphExecUpdateErrorNodeTypeChanged, node, nullptr};
    std::set<std::size_t> old_edges, new_edges;
    for (const Node* const earlier : before.after) old_edges.insert(old_numbers.at(earlier));
    for (Node* const earlier : node->after) {
      new_edges.insert(new_numbers.at(earlier));
      if (old_edges.count(new_numbers.at(earlier)) == 0)
        return {cudaGraphExecUpdateErrorTopologyChanged, node, earlier};
    }
    if (old_edges != new_edges) return {cudaGraphExecUpdateErrorTopologyChanged, node, nullptr};
    if (const cudaGraphExecUpdateResult kept = fixed_parameters(before.work, node->work);
        kept != cudaGraphExecUpdateSuccess)
      return {kept, node, nullptr};
    const std::vector<std::shared_ptr<Graph>> old_inner = inner_graphs(before.work), inner = inner_graphs(node->work);
    for (std::size_t i = 0; i < inner.size(); ++i) {
      const Difference inside = difference(*old_inner[i], *inner[i]);
      if (inside.result != cudaGraphExecUpdateSuccess) return inside;
    }
  }
  return {};
}

std::string dot_text(const Graph& graph, std::string (*name_of)(const KernelWork&)) {
  const std::map<const Node*, std::size_t> numbers = numbers_of(graph);
  const auto spelled = [](const Extent3& e) {
    return std::to_string(e.x) + "," + std::to_string(e.y) + "," + std::to_string(e.z);
  };
  std::string text = "digraph graph_1 {\n  node [shape=box];\n";
  for (const std::unique_ptr<Node>& node : graph.nodes()) {
    const std::size_t number = numbers.at(node.get());
    std::string label = type_name(node->work);
    if (const auto* const kernel = std::get_if<KernelWork>(&node->work))
      label = name_of(*kernel) + "\\n<<<(" + spelled(kernel->shape.grid) + "), (" + spelled(kernel->shape.block) +
              "), " + std::to_string(kernel->shape.dynamic_shared) + ">>>";
    else if (const auto* const copy = std::get_if<CopyWork>(&node->work))
      label += "\\n" + std::to_string(copy->parameters.extent.width) + " x " +
               std::to_string(copy->parameters.extent.height) + " x " + std::to_string(copy->parameters.extent.depth) +
               " bytes";
    else if (const auto* const fill = std::get_if<FillWork>(&node->work))
      label += "\\n" + std::to_string(fill->parameters.width) + " x " + std::to_string(fill->parameters.height) +
               " elements of " + std::to_string(fill->parameters.elementSize) + " bytes";
    else if (const auto* const inner = std::get_if<GraphWork>(&node->work))
      label += "\\n" + std::to_string(inner->graph->nodes().size()) + " nodes";
    else if (const auto* const allocation = std::get_if<AllocationWork>(&node->work))
      label += "\\n" + std::to_string(allocation->memory->allocation.bytes) + " bytes";
    else if (const auto* const conditional = std::get_if<ConditionalWork>(&node->work))
      label += "\\n" + std::to_string(conditional->bodies.size()) + " bodies";
    text += "  n" + std::to_string(number) + " [label=\"" + std::to_string(number) + ": " + label + "\"];\n";
  }
  for (const std::unique_ptr<Node>& node : graph.nodes())
    for (const Node* const earlier : node->after)
      text += "  n" + std::to_string(numbers.at(earlier)) + " -> n" + std::to_string(numbers.at(node.get())) + ";\n";
  return text + "}\n";
}

}  // namespace vgpu::cudart
