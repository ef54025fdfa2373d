// A graph: pieces of work, and for each of them what has to come before. What a piece of work does is none of this
// file's business; graph_launch does it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "harness/vgpu/cudart/host_process.h"
#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/machine/launch.h"

namespace vgpu::cudart {

struct KernelHandle;
class Graph;

/// A kernel launch with its arguments, as the API was given it.
struct KernelWork {
  KernelHandle* kernel = nullptr;
  void* function = nullptr;  ///< by which the program named the kernel
  int device = 0;
  LaunchShape shape;
  std::vector<std::byte> parameters;  ///< the kernel's whole parameter block
  int priority = 0;
};
struct CopyWork {
  cudaMemcpy3DParms parameters{};
};
struct FillWork {
  cudaMemsetParams parameters{};
};
struct HostWork {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};
struct EventRecordWork {
  cudaEvent_t event = nullptr;
};
struct EventWaitWork {
  cudaEvent_t event = nullptr;
};
struct EmptyWork {};
/// The graph inside a node belongs to it.
struct GraphWork {
  std::shared_ptr<Graph> graph;
};

/// Memory of a graph's own: launches allocate and free it, always at the same address.
struct GraphMemory {
  Allocation allocation;  ///< as it was when the address was chosen
  int device = 0;
  const Graph* owner = nullptr;  ///< whose node allocates it; null once that graph is gone
  bool freed_by_owner = false;   ///< the owner has a node that frees it ...
  bool freed_by_others = false;  ///< ... or another graph has
  /// As the program's calls so far have it, whether they have run or not: allocated by a launch, and not freed since.
  bool in_use = false;
  bool lost = false;  ///< its device was reset
};
struct AllocationWork {
  std::shared_ptr<GraphMemory> memory;
};
struct ReleaseWork {
  std::shared_ptr<GraphMemory> memory;
};

/// The value behind a conditional handle, which kernels set.
struct Condition {
  const Graph* graph = nullptr;  ///< it was created for; null once that is gone
  unsigned initial = 0;
  bool has_initial = false;  ///< every launch of the graph begins with that
  bool has_node = false;
  unsigned value = 0;
  bool is_set = false;  ///< in the launch that is running
};
/// The bodies belong to the node.
struct ConditionalWork {
  std::shared_ptr<Condition> condition;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<cudaGraph_t> handles;  ///< of the bodies, as the program has them
};

/// In the order of the alternatives' numbers in kTypes of graph.cpp.
using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, GraphWork, EmptyWork, EventWaitWork,
                          EventRecordWork, AllocationWork, ReleaseWork, ConditionalWork>;

/// Something of the program's own that graphs keep alive.
struct UserObject {
  void* data = nullptr;
  cudaHostFn_t destroy = nullptr;

  UserObject(void* its_data, cudaHostFn_t its_end) : data(its_data), destroy(its_end) {}
  ~UserObject() { host_process().call(destroy, data); }
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;
};

struct Node {
  Work work;
  Graph* graph = nullptr;
  std::vector<Node*> after;        ///< what it depends on, in the order the edges were made
  std::vector<Node*> before;       ///< what depends on it
  const Node* original = nullptr;  ///< that it was cloned from
  bool enabled = true;
  std::vector<void*> argument_pointers;  ///< what cudaGraphKernelNodeGetParams hands out
};

cudaGraphNodeType type_of(const Work& work);

/// A child graph, or the bodies of a conditional node; none for other work.
std::vector<std::shared_ptr<Graph>> inner_graphs(const Work& work);

class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// In the order they were made.
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  bool owns(const Node* node) const { return known_.count(node) != 0; }

  /// The nodes of `after` are this graph's.
  Node& add(Work work, const std::vector<Node*>& after);
  /// With its edges.
  void remove(Node& node);

  /// False if there is such an edge already, or it would go from a node to itself.
  static bool add_edge(Node& from, Node& to);
  /// False if there is no such edge.
  static bool remove_edge(Node& from, Node& to);

  /// With graphs inside graphs.
  std::unique_ptr<Graph> clone() const;
  Node* copy_of(const Node* original) const;

  /// References to user objects; clones have them, too.
  std::map<std::shared_ptr<UserObject>, unsigned> kept;

  /// A node's own for good, as the body of a conditional node or moved into a child node: launched with that alone.
  bool is_part = false;
  const Graph* outer = nullptr;  ///< that it is inside of, if any

  /// Graphs may be so many levels inside of each other: looking through them takes stack.
  static constexpr unsigned kMostLevels = 64;
  /// This graph's, and those of the graphs inside of it.
  unsigned levels() const;
  /// Whether one of so many levels can be put into this one.
  bool has_room_for(unsigned levels) const;

  /// A graph of more nodes cannot be copied: one that takes copies of itself in would double each time.
  static constexpr std::size_t kMostNodes = std::size_t{1} << 18;
  /// Nodes and edges of this graph, and of the graphs inside of it.
  std::size_t size() const;
  /// Nodes alone, likewise.
  std::size_t node_count() const;

  /// Whether there is such work in this graph, or in one inside of it.
  template <class Kind>
  bool has() const {
    for (const std::unique_ptr<Node>& node : nodes_) {
      if (std::holds_alternative<Kind>(node->work)) return true;
      for (const std::shared_ptr<Graph>& inner : inner_graphs(node->work))
        if (inner->has<Kind>()) return true;
    }
    return false;
  }
  bool has_memory_nodes() const { return has<AllocationWork>() || has<ReleaseWork>(); }
  /// There can be neither a clone of such a graph nor two executable ones.
  bool is_unique() const { return has_memory_nodes() || has<ConditionalWork>(); }

  /// All nodes, each behind those it depends on; nothing if some depend on each other in a circle. Among those that
  /// could come next it is the one made first, or another one for each `seed` but 0.
  std::optional<std::vector<Node*>> order(std::uint64_t seed) const;

  /// This graph, or the one inside of it, at whatever depth, of which `wanted` holds; null if there is none.
  template <class Wanted>
  Graph* find(Wanted wanted) {
    if (wanted(*this)) return this;
    for (const std::unique_ptr<Node>& node : nodes_)
      for (const std::shared_ptr<Graph>& inner : inner_graphs(node->work))
        if (Graph* const found = inner->find(wanted)) return found;
    return nullptr;
  }

 private:
  std::vector<std::unique_ptr<Node>> nodes_;
  std::set<const Node*> known_;
};

/// How two graphs differ in shape.
struct Difference {
  cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
  Node* node = nullptr;  ///< of the second graph
  Node* from = nullptr;
};

/// Whether `next` could take the place of `now`: as many nodes, in the same order of the same types, with the same
/// edges. Graphs inside graphs, too.
Difference difference(const Graph& now, const Graph& next);

/// The graph in the DOT language. `name_of` spells a kernel.
std::string dot_text(const Graph& graph, std::string (*name_of)(const KernelWork&));

}  // namespace vgpu::cudart
