// Breadth-first search, a launch for each level: threads of the frontier claim neighbours that nobody has reached yet.
#include "check.cuh"

constexpr int kThreads = 64;

__global__ void expand(const int* begins, const int* neighbours, int* distances, const int* frontier,
                       int frontier_count, int* next, int* next_count, int level) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= frontier_count) return;
  const int vertex = frontier[i];
  for (int e = begins[vertex]; e < begins[vertex + 1]; ++e) {
    const int neighbour = neighbours[e];
    if (atomicCAS(&distances[neighbour], -1, level) == -1) next[atomicAdd(next_count, 1)] = neighbour;
  }
}

int main() {
  // A grid of 9 by 40 vertices with some edges across; vertex 7 is cut off.
  constexpr int kWidth = 40, kCount = 360, kAlone = 7;
  std::vector<std::vector<int>> edges(kCount);
  const auto connect = [&](int a, int b) {
    if (a == kAlone || b == kAlone) return;
    edges[a].push_back(b);
    edges[b].push_back(a);
  };
  for (int v = 0; v < kCount; ++v) {
    if (v % kWidth + 1 < kWidth) connect(v, v + 1);
    if (v + kWidth < kCount) connect(v, v + kWidth);
  }
  const std::vector<int> across = numbers(20, kCount, 19);
  for (size_t i = 0; i + 1 < across.size(); i += 2) connect(across[i] - 1, across[i + 1] - 1);

  std::vector<int> begins(1, 0), neighbours;
  for (const std::vector<int>& of_vertex : edges) {
    neighbours.insert(neighbours.end(), of_vertex.begin(), of_vertex.end());
    begins.push_back(static_cast<int>(neighbours.size()));
  }
  std::vector<int> expected(kCount, -1), queue(1, 0);
  expected[0] = 0;
  for (size_t at = 0; at < queue.size(); ++at) {
    for (int neighbour : edges[queue[at]]) {
      if (expected[neighbour] != -1) continue;
      expected[neighbour] = expected[queue[at]] + 1;
      queue.push_back(neighbour);
    }
  }

  std::vector<int> distances(kCount, -1);
  distances[0] = 0;
  const DeviceArray<int> d_begins(begins), d_neighbours(neighbours), d_distances(distances);
  std::vector<int> frontier(1, 0);
  for (int level = 1; !frontier.empty(); ++level) {
    const int count = static_cast<int>(frontier.size());
    const DeviceArray<int> d_frontier(frontier), d_next(kCount), d_count(std::vector<int>(1, 0));
    expand<<<(count + kThreads - 1) / kThreads, kThreads>>>(d_begins.get(), d_neighbours.get(), d_distances.get(),
                                                            d_frontier.get(), count, d_next.get(), d_count.get(),
                                                            level);
    finish();
    const int next_count = d_count.values()[0];
    if (next_count < 0 || next_count > kCount || level > kCount) {
      std::printf("level %d has %d vertices\n", level, next_count);
      return 1;
    }
    frontier = d_next.values();
    frontier.resize(next_count);
  }
  return is_right("distances", d_distances.values(), expected) ? 0 : 1;
}
