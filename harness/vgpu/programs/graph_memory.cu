// Graphs that allocate: nodes for memory, captured allocations, and launching again.
#include "check.cuh"

__global__ void fill(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value + i;
}
__global__ void add(int* to, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}

const int n = 300;
const size_t bytes = n * sizeof(int);
int *sum, *result;  // on the device; pinned
cudaStream_t stream;

cudaMemAllocNodeParams allocation(size_t size) {
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  p.bytesize = size;
  return p;
}

cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, void* kernel, void** arguments) {
  cudaKernelNodeParams p = {};
  p.func = kernel;
  p.gridDim = dim3(3);
  p.blockDim = dim3(128);
  p.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, &after, 1, &p));
  return node;
}

void print_sum(const char* what) {
  CHECK(cudaMemcpyAsync(result, sum, bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%s: %d %d\n", what, result[0], result[n - 1]);
}

unsigned long long used() {
  unsigned long long value = 0;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &value));
  return value;
}

/// What is allocated in the graph is freed in it, so that it can be launched again and again.
void freed_inside() {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t allocate, release;
  cudaMemAllocNodeParams p = allocation(bytes);
  CHECK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &p));
  int count = n, value = 5;
  void* fill_arguments[] = {&p.dptr, &count, &value};
  const cudaGraphNode_t filled = add_kernel(graph, allocate, (void*)fill, fill_arguments);
  void* add_arguments[] = {&sum, &p.dptr, &count};
  const cudaGraphNode_t added = add_kernel(graph, filled, (void*)add, add_arguments);
  cudaGraphNode_t copied;
  CHECK(cudaGraphAddMemcpyNode1D(&copied, graph, &added, 1, result, p.dptr, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddMemFreeNode(&release, graph, &copied, 1, p.dptr));

  cudaMemAllocNodeParams read;
  CHECK(cudaGraphMemAllocNodeGetParams(allocate, &read));
  void* freed = nullptr;
  CHECK(cudaGraphMemFreeNodeGetParams(release, &freed));
  cudaGraphNodeType types[2];
  CHECK(cudaGraphNodeGetType(allocate, &types[0]));
  CHECK(cudaGraphNodeGetType(release, &types[1]));
  std::printf("types %d and %d; %zu bytes, at one address: %s\n", types[0], types[1], read.bytesize,
              read.dptr == p.dptr && freed == p.dptr ? "yes" : "no");

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaMemset(sum, 0, bytes));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("copied out: %d %d\n", result[0], result[n - 1]);
  print_sum("three launches");

  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

/// What is left after a launch must be freed before the next one.
void freed_outside() {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t allocate;
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeMemAlloc;
  p.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  p.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
  p.alloc.bytesize = bytes;
  CHECK(cudaGraphAddNode(&allocate, graph, nullptr, nullptr, 0, &p));
  int* const left = static_cast<int*>(p.alloc.dptr);
  int count = n, value = 100;
  void* arguments[] = {&p.alloc.dptr, &count, &value};
  add_kernel(graph, allocate, (void*)fill, arguments);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));

  CHECK(cudaGraphLaunch(exec, stream));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, left));
  std::printf("of type %d, on device %d\n", attributes.type, attributes.device);
  add<<<3, 128, 0, stream>>>(sum, left, n);
  print_sum("used after the launch");
  std::printf("in use: %s\n", used() != 0 ? "yes" : "no");
  CHECK(cudaFreeAsync(left, stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaMemcpyAsync(result, left, bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("launched again: %d\n", result[1]);
  CHECK(cudaFree(left));

  // Another graph frees it.
  cudaGraph_t freeing;
  cudaGraphExec_t freeing_exec;
  cudaGraphNode_t release;
  CHECK(cudaGraphCreate(&freeing, 0));
  cudaGraphNodeParams f = {};
  f.type = cudaGraphNodeTypeMemFree;
  f.free.dptr = left;
  CHECK(cudaGraphAddNode(&release, freeing, nullptr, nullptr, 0, &f));
  CHECK(cudaGraphInstantiate(&freeing_exec, freeing, 0));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphLaunch(freeing_exec, stream));
  }
  CHECK(cudaStreamSynchronize(stream));

  // Each launch frees what the one before has left.
  cudaGraphExec_t automatic;
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiate(&automatic, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(automatic, stream));
  add<<<3, 128, 0, stream>>>(sum, left, n);
  print_sum("freed by each launch");
  CHECK(cudaFreeAsync(left, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaDeviceGraphMemTrim(0));
  unsigned long long reserved = 1, mark = 0;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
  CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &mark));
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &mark));
  std::printf("trimmed: %llu reserved, at most %llu used since\n", reserved, mark);
  CHECK(cudaGraphExecDestroy(automatic));
  CHECK(cudaGraphExecDestroy(freeing_exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(freeing));
}

/// Stream-ordered allocation in a captured stream.
void captured() {
  int *inside, *outside;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&inside, bytes, stream));
  CHECK(cudaMallocAsync(&outside, bytes, stream));
  CHECK(cudaMemsetAsync(inside, 0, bytes, stream));
  fill<<<3, 128, 0, stream>>>(outside, n, 1);
  add<<<3, 128, 0, stream>>>(inside, outside, n);
  add<<<3, 128, 0, stream>>>(inside, outside, n);
  CHECK(cudaMemcpyAsync(sum, inside, bytes, cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaFreeAsync(inside, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  print_sum("captured");
  CHECK(cudaMemcpy(result, outside, bytes, cudaMemcpyDeviceToHost));
  std::printf("%zu nodes; what is left holds %d\n", nodes, result[2]);
  CHECK(cudaFree(outside));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

/// A child graph with allocations cannot be copied into its parent, but moved.
void moved() {
  cudaGraph_t child, parent;
  cudaGraphExec_t exec;
  cudaGraphNode_t allocate, release, node;
  CHECK(cudaGraphCreate(&child, 0));
  CHECK(cudaGraphCreate(&parent, 0));
  cudaMemAllocNodeParams p = allocation(bytes);
  CHECK(cudaGraphAddMemAllocNode(&allocate, child, nullptr, 0, &p));
  int count = n, value = 7;
  void* fill_arguments[] = {&p.dptr, &count, &value};
  const cudaGraphNode_t filled = add_kernel(child, allocate, (void*)fill, fill_arguments);
  cudaGraphNodeParams child_node = {};
  child_node.type = cudaGraphNodeTypeGraph;
  child_node.graph.graph = child;
  child_node.graph.ownership = cudaGraphChildGraphOwnershipMove;
  CHECK(cudaGraphAddNode(&node, parent, nullptr, nullptr, 0, &child_node));
  cudaGraph_t inside;
  CHECK(cudaGraphChildGraphNodeGetGraph(node, &inside));
  cudaGraphNode_t copied;
  CHECK(cudaGraphAddMemcpyNode1D(&copied, parent, &node, 1, result, p.dptr, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddMemFreeNode(&release, parent, &copied, 1, p.dptr));
  CHECK(cudaGraphInstantiate(&exec, parent, 0));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("moved: %s, %d %d\n", inside == child ? "yes" : "no", result[0], result[n - 1]);
  value = 70;
  cudaKernelNodeParams changed = {};
  changed.func = (void*)fill;
  changed.gridDim = dim3(3);
  changed.blockDim = dim3(128);
  changed.kernelParams = fill_arguments;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, filled, &changed));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("changed: %d\n", result[0]);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(parent));
}

int main() {
  CHECK(cudaMalloc(&sum, bytes));
  CHECK(cudaMallocHost(&result, bytes));
  CHECK(cudaStreamCreate(&stream));
  freed_inside();
  freed_outside();
  captured();
  moved();
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(sum));
  CHECK(cudaFreeHost(result));
}
