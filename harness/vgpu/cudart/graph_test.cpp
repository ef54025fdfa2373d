// Graphs as data: order, circles, copies, differences.
#include "harness/vgpu/cudart/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace vgpu::cudart {
namespace {

/// The first node alone, then two that wait for it, then one that waits for both.
struct Diamond {
  Graph graph;
  Node& top = graph.add(EmptyWork{}, {});
  Node& left = graph.add(HostWork{}, {&top});
  Node& right = graph.add(FillWork{}, {&top});
  Node& bottom = graph.add(CopyWork{}, {&left, &right});
};

TEST(Graph, OrdersNodesBehindThoseTheyDependOn) {
  Diamond d;
  const auto order = d.graph.order(0);
  ASSERT_TRUE(order);
  EXPECT_EQ(*order, (std::vector<Node*>{&d.top, &d.left, &d.right, &d.bottom}));
}

TEST(Graph, OrderIsThatOfMakingWhereNothingElseIsSaid) {
  Graph graph;
  std::vector<Node*> made;
  made.reserve(33);
  for (int i = 0; i < 33; ++i) made.push_back(&graph.add(EmptyWork{}, {}));
  EXPECT_EQ(*graph.order(0), made);
  Graph::add_edge(*made[32], *made[0]);  // now the first comes last
  const std::vector<Node*> order = *graph.order(0);
  EXPECT_EQ(order.front(), made[1]);
  EXPECT_EQ(order[31], made[32]);
  EXPECT_EQ(order.back(), made[0]);
}

TEST(Graph, EverySeedGivesAnOrderThatKeepsTheEdgesAndSeedsDiffer) {
  Diamond d;
  for (int i = 0; i < 5; ++i) d.graph.add(EmptyWork{}, {&d.top});
  std::set<std::vector<Node*>> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto order = d.graph.order(seed);
    ASSERT_TRUE(order);
    EXPECT_EQ(order->size(), 9u);
    EXPECT_EQ(order->front(), &d.top);
    const auto place = [&](const Node& node) { return std::find(order->begin(), order->end(), &node); };
    EXPECT_LT(place(d.left), place(d.bottom));
    EXPECT_LT(place(d.right), place(d.bottom));
    EXPECT_EQ(*order, *d.graph.order(seed)) << "the same every time";
    orders.insert(*order);
  }
  EXPECT_GT(orders.size(), 10u);
}

TEST(Graph, ACircleHasNoOrder) {
  Diamond d;
  EXPECT_TRUE(Graph::add_edge(d.bottom, d.left));
  EXPECT_FALSE(d.graph.order(0));
  EXPECT_TRUE(Graph::remove_edge(d.bottom, d.left));
  EXPECT_TRUE(d.graph.order(0));
}

TEST(Graph, AnEdgeIsThereOnceAndNeverFromANodeToItself) {
  Diamond d;
  EXPECT_FALSE(Graph::add_edge(d.top, d.left));
  EXPECT_FALSE(Graph::add_edge(d.top, d.top));
  EXPECT_FALSE(Graph::remove_edge(d.left, d.top)) << "it goes the other way";
  EXPECT_TRUE(Graph::remove_edge(d.top, d.left));
  EXPECT_FALSE(Graph::remove_edge(d.top, d.left));
}

TEST(Graph, ANodeGoesWithItsEdges) {
  Diamond d;
  const Node* const gone = &d.left;
  d.graph.remove(d.left);
  EXPECT_FALSE(d.graph.owns(gone));
  EXPECT_EQ(d.top.before, std::vector<Node*>{&d.right});
  EXPECT_EQ(d.bottom.after, std::vector<Node*>{&d.right});
  EXPECT_EQ(d.graph.nodes().size(), 3u);
}

TEST(Graph, ACloneIsItsOwnToTheInnermostGraph) {
  Diamond inner;
  Graph outer;
  Node& node = outer.add(GraphWork{inner.graph.clone()}, {});
  const std::unique_ptr<Graph> copy = outer.clone();
  Node* const twin = copy->copy_of(&node);
  ASSERT_NE(twin, nullptr);
  Graph& inside = *std::get<GraphWork>(twin->work).graph;
  EXPECT_NE(&inside, std::get<GraphWork>(node.work).graph.get());
  inside.remove(*inside.nodes().front());
  EXPECT_EQ(std::get<GraphWork>(node.work).graph->nodes().size(), 4u);
  EXPECT_EQ(outer.copy_of(&node), nullptr) << "it is no copy";
  const Node* const deep = inside.nodes().front().get();
  EXPECT_EQ(copy->find([&](const Graph& g) { return g.owns(deep); }), &inside);
  EXPECT_EQ(outer.find([&](const Graph& g) { return g.owns(deep); }), nullptr);
}

TEST(Graph, DifferencesAreNamed) {
  const Diamond d;
  EXPECT_EQ(difference(d.graph, *d.graph.clone()).result, cudaGraphExecUpdateSuccess);

  Diamond longer;
  longer.graph.add(EmptyWork{}, {});
  EXPECT_EQ(difference(d.graph, longer.graph).result, cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_EQ(difference(longer.graph, d.graph).result, cudaGraphExecUpdateErrorTopologyChanged);

  Diamond edge;
  Graph::remove_edge(edge.left, edge.bottom);
  EXPECT_EQ(difference(d.graph, edge.graph).result, cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_EQ(difference(d.graph, edge.graph).node, &edge.bottom);
  const Difference more = difference(edge.graph, d.graph);
  EXPECT_EQ(more.result, cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_EQ(more.node, &d.bottom);
  EXPECT_EQ(more.from, &d.left);

  Diamond type;
  type.right.work = HostWork{};
  EXPECT_EQ(difference(d.graph, type.graph).result, cudaGraphExecUpdateErrorNodeTypeChanged);
  EXPECT_EQ(difference(d.graph, type.graph).node, &type.right);
}

TEST(Graph, DifferencesInsideOfGraphsCount) {
  Diamond small, changed;
  changed.left.work = EmptyWork{};
  Graph a, b;
  a.add(GraphWork{small.graph.clone()}, {});
  b.add(GraphWork{changed.graph.clone()}, {});
  EXPECT_EQ(difference(a, b).result, cudaGraphExecUpdateErrorNodeTypeChanged);
}

/// A conditional node of two bodies, a diamond in each.
ConditionalWork conditional(cudaGraphConditionalNodeType type = cudaGraphCondTypeIf) {
  ConditionalWork work{std::make_shared<Condition>(), type, {}, {}};
  for (int n = 0; n < 2; ++n) {
    work.bodies.push_back(Diamond().graph.clone());
    work.bodies.back()->is_part = true;
  }
  return work;
}

TEST(Graph, BodiesAreGraphsInsideOfIt) {
  Graph graph;
  Node& node = graph.add(conditional(), {});
  EXPECT_TRUE(graph.is_unique());
  EXPECT_FALSE(graph.has_memory_nodes());
  EXPECT_TRUE(graph.has<HostWork>());
  EXPECT_EQ(inner_graphs(node.work).size(), 2u);
  const std::unique_ptr<Graph> copy = graph.clone();
  const auto& own = std::get<ConditionalWork>(node.work);
  const auto& twin = std::get<ConditionalWork>(copy->copy_of(&node)->work);
  EXPECT_EQ(twin.condition, own.condition) << "kernels have its handle";
  for (int n = 0; n < 2; ++n) {
    EXPECT_NE(twin.bodies[n], own.bodies[n]);
    EXPECT_TRUE(twin.bodies[n]->is_part);
    const Node* const deep = own.bodies[n]->nodes().front().get();
    EXPECT_EQ(graph.find([&](const Graph& g) { return g.owns(deep); }), own.bodies[n].get());
    EXPECT_EQ(copy->find([&](const Graph& g) { return g.copy_of(deep) != nullptr; }), twin.bodies[n].get());
  }
}

TEST(Graph, KnowsHowDeepGraphsAreInsideOfEachOther) {
  Graph root;
  EXPECT_EQ(root.levels(), 1u);
  Graph* inmost = &root;
  for (unsigned level = 2; level <= Graph::kMostLevels; ++level) {
    ASSERT_TRUE(inmost->has_room_for(1)) << level;
    inmost = std::get<GraphWork>(inmost->add(GraphWork{std::make_shared<Graph>()}, {}).work).graph.get();
  }
  EXPECT_EQ(root.levels(), Graph::kMostLevels);
  EXPECT_FALSE(inmost->has_room_for(1));
  EXPECT_TRUE(root.has_room_for(Graph::kMostLevels - 1));
  EXPECT_FALSE(root.has_room_for(Graph::kMostLevels));
  const std::unique_ptr<Graph> copy = root.clone();
  EXPECT_EQ(std::get<GraphWork>(copy->nodes()[0]->work).graph->outer, copy.get());
}

TEST(Graph, DifferencesOfConditionalNodesCount) {
  Graph a, b, other_type, other_body;
  a.add(conditional(), {});
  b.add(conditional(), {});
  EXPECT_EQ(difference(a, b).result, cudaGraphExecUpdateSuccess) << "the condition may be another one";
  Node& changed = other_type.add(conditional(cudaGraphCondTypeSwitch), {});
  EXPECT_EQ(difference(a, other_type).result, cudaGraphExecUpdateErrorParametersChanged);
  EXPECT_EQ(difference(a, other_type).node, &changed);
  ConditionalWork longer = conditional();
  longer.bodies[1]->add(EmptyWork{}, {});
  other_body.add(longer, {});
  EXPECT_EQ(difference(a, other_body).result, cudaGraphExecUpdateErrorTopologyChanged);
}

TEST(Graph, MemoryIsTheSameOrTheGraphsDiffer) {
  const auto memory = std::make_shared<GraphMemory>();
  Graph graph, other;
  Node& allocation = graph.add(AllocationWork{memory}, {});
  graph.add(ReleaseWork{memory}, {&allocation});
  EXPECT_TRUE(graph.has_memory_nodes());
  EXPECT_EQ(difference(graph, *graph.clone()).result, cudaGraphExecUpdateSuccess);
  Node& another = other.add(AllocationWork{std::make_shared<GraphMemory>()}, {});
  other.add(ReleaseWork{memory}, {&another});
  EXPECT_EQ(difference(graph, other).result, cudaGraphExecUpdateErrorNotSupported);
  EXPECT_EQ(difference(graph, other).node, &another);
}

TEST(Graph, IsDrawnInDot) {
  Diamond d;
  KernelWork kernel;
  kernel.shape.grid = {2, 3, 1};
  kernel.shape.block = {64, 1, 1};
  d.graph.add(kernel, {&d.bottom});
  d.graph.add(conditional(), {});
  const std::string text = dot_text(d.graph, [](const KernelWork&) { return std::string("saxpy"); });
  EXPECT_EQ(text.find("digraph"), 0u);
  EXPECT_NE(text.find("n4 [label=\"4: saxpy\\n<<<(2,3,1), (64,1,1), 0>>>\"]"), std::string::npos) << text;
  EXPECT_NE(text.find("n1 -> n3;"), std::string::npos) << text;
  EXPECT_NE(text.find("n3 -> n4;"), std::string::npos) << text;
  EXPECT_NE(text.find("n5 [label=\"5: conditional\\n2 bodies\"]"), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 2), "}\n");
}

}  // namespace
}  // namespace vgpu::cudart
