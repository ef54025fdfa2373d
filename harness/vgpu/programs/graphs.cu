// Graphs: made by hand and captured from streams, launched, changed, looked at.
#include <vector>

#include "check.cuh"

__global__ void add(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}
__global__ void multiply(int* data, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by;
}
__global__ void combine(int* to, const int* a, const int* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = a[i] + 1000 * b[i];
}

__device__ int symbol[4];
__global__ void double_symbol() { symbol[threadIdx.x] *= 2; }

const int n = 300;
int *a, *b, *c, *result;  // on the device, but for the last, which is pinned
int host_calls = 0;
void count_call(void* by) { host_calls += *static_cast<int*>(by); }

#define SHOW(call) std::printf("%-64s %s\n", #call, cudaGetErrorName(call))

void* arguments[4];
cudaKernelNodeParams kernel_node(void* function, std::vector<void*> pointers) {
  for (size_t i = 0; i < pointers.size(); ++i) arguments[i] = pointers[i];
  cudaKernelNodeParams p = {};
  p.func = function;
  p.gridDim = dim3(3);
  p.blockDim = dim3(128);
  p.kernelParams = arguments;
  return p;
}

void print_shape(const char* what, cudaGraph_t graph) {
  size_t nodes = 0, edges = 0, roots = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  std::vector<cudaGraphNode_t> all(nodes);
  CHECK(cudaGraphGetNodes(graph, all.data(), &nodes));
  int of_type[16] = {};
  for (cudaGraphNode_t node : all) {
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(node, &type));
    ++of_type[type];
  }
  std::printf("%s: %zu nodes, %zu edges, %zu roots; %d kernels, %d copies, %d fills, %d host, %d graphs, %d empty\n",
              what, nodes, edges, roots, of_type[0], of_type[1], of_type[2], of_type[3], of_type[4], of_type[5]);
}

/// a and b are filled, then each is changed, then combined into c, which is copied out; the host counts.
void by_hand() {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t fill_a, fill_b, add_a, multiply_b, join, copy, host, empty;
  cudaMemsetParams fill = {};
  fill.dst = a;
  fill.value = 0;
  fill.elementSize = 4;
  fill.width = n;
  fill.height = 1;
  CHECK(cudaGraphAddMemsetNode(&fill_a, graph, nullptr, 0, &fill));
  fill.dst = b;
  fill.value = 3;
  CHECK(cudaGraphAddMemsetNode(&fill_b, graph, nullptr, 0, &fill));
  int count = n, seven = 7, five = 5, one = 1;
  cudaKernelNodeParams p = kernel_node((void*)add, {&a, &count, &seven});
  CHECK(cudaGraphAddKernelNode(&add_a, graph, &fill_a, 1, &p));
  seven = 70;  // too late to matter
  p = kernel_node((void*)multiply, {&b, &count, &five});
  CHECK(cudaGraphAddKernelNode(&multiply_b, graph, &fill_b, 1, &p));
  CHECK(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
  const cudaGraphNode_t from[2] = {add_a, multiply_b}, to[2] = {empty, empty};
  CHECK(cudaGraphAddDependencies(graph, from, to, nullptr, 2));
  p = kernel_node((void*)combine, {&c, &a, &b, &count});
  CHECK(cudaGraphAddKernelNode(&join, graph, &empty, 1, &p));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &join, 1, result, c, n * sizeof(int), cudaMemcpyDeviceToHost));
  cudaHostNodeParams call = {count_call, &one};
  CHECK(cudaGraphAddHostNode(&host, graph, &copy, 1, &call));
  print_shape("by hand", graph);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("launched three times: %d %d, host calls %d\n", result[0], result[n - 1], host_calls);

  // Nodes of the executable graph change, those of the graph do not.
  int nine = 9;
  p = kernel_node((void*)add, {&a, &count, &nine});
  CHECK(cudaGraphExecKernelNodeSetParams(exec, add_a, &p));
  fill.value = 4;
  CHECK(cudaGraphExecMemsetNodeSetParams(exec, fill_b, &fill));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("with other parameters: %d\n", result[n - 1]);
  cudaKernelNodeParams read = {};
  CHECK(cudaGraphKernelNodeGetParams(add_a, &read));
  std::printf("the graph's node still adds %d in %u blocks of %u\n", *static_cast<int*>(read.kernelParams[2]),
              read.gridDim.x, read.blockDim.x);
  p = kernel_node((void*)multiply, {&a, &count, &nine});
  CHECK(cudaGraphExecKernelNodeSetParams(exec, add_a, &p));
  CHECK(cudaGraphNodeSetEnabled(exec, multiply_b, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  unsigned enabled = 7;
  CHECK(cudaGraphNodeGetEnabled(exec, multiply_b, &enabled));
  std::printf("another kernel, and one left out (enabled: %u): %d\n", enabled, result[n - 1]);

  SHOW(cudaGraphAddDependencies(graph, &fill_a, &add_a, nullptr, 1));
  SHOW(cudaGraphRemoveDependencies(graph, &fill_a, &multiply_b, nullptr, 1));
  const cudaGraphNode_t twice[2] = {fill_a, fill_a};
  SHOW(cudaGraphAddEmptyNode(&empty, graph, twice, 2));
  SHOW(cudaGraphMemcpyNodeSetParams1D(add_a, result, c, 4, cudaMemcpyDeviceToHost));
  SHOW(cudaGraphNodeSetEnabled(exec, host, 0));
  SHOW(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, result, c, 4, static_cast<cudaMemcpyKind>(9)));
  cudaGetLastError();

  cudaGraph_t clone;
  cudaGraphNode_t found;
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphNodeFindInClone(&found, join, clone));
  CHECK(cudaGraphDestroyNode(found));
  print_shape("clone less one node", clone);
  print_shape("its original", graph);
  CHECK(cudaGraphDestroy(clone));

  SHOW(cudaGraphAddDependencies(graph, &join, &fill_a, nullptr, 1));
  cudaGraphExec_t circular;
  SHOW(cudaGraphInstantiate(&circular, graph, 0));
  CHECK(cudaGraphRemoveDependencies(graph, &join, &fill_a, nullptr, 1));
  cudaGetLastError();

  cudaGraph_t outer;
  CHECK(cudaGraphCreate(&outer, 0));
  cudaGraphNode_t child, after;
  CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  p = kernel_node((void*)add, {&c, &count, &five});
  CHECK(cudaGraphAddKernelNode(&after, outer, &child, 1, &p));
  print_shape("outer", outer);
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiate(&exec, outer, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaMemcpyAsync(result, c, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("graph in a graph: %d, host calls %d\n", result[n - 1], host_calls);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(outer));
  CHECK(cudaStreamDestroy(stream));
}

/// The same shape, captured: b is worked on in a stream of its own.
cudaGraph_t capture(cudaStream_t first, cudaStream_t second, int value, bool with_extra) {
  cudaEvent_t fork, join;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(a, 0, n * sizeof(int), first));
  CHECK(cudaEventRecord(fork, first));
  CHECK(cudaStreamWaitEvent(second, fork, 0));
  CHECK(cudaMemsetAsync(b, 0, n * sizeof(int), second));
  add<<<3, 128, 0, second>>>(b, n, value);
  add<<<3, 128, 0, first>>>(a, n, 2);
  if (with_extra) add<<<3, 128, 0, first>>>(a, n, 100);
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(second, &status));
  std::printf("second stream's status: %d\n", static_cast<int>(status));
  CHECK(cudaEventRecord(join, second));
  CHECK(cudaStreamWaitEvent(first, join, 0));
  combine<<<3, 128, 0, first>>>(c, a, b, n);
  CHECK(cudaMemcpyAsync(result, c, n * sizeof(int), cudaMemcpyDeviceToHost, first));
  static int ten = 10;
  CHECK(cudaLaunchHostFunc(first, count_call, &ten));
  const cudaGraphNode_t* last;
  size_t count = 0;
  cudaGraph_t so_far, graph;
  unsigned long long id = 0;
  CHECK(cudaStreamGetCaptureInfo(first, &status, &id, &so_far, &last, nullptr, &count));
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(last[0], &type));
  std::printf("capturing: status %d, the next node depends on %zu, of type %d\n", static_cast<int>(status), count,
              static_cast<int>(type));
  CHECK(cudaStreamEndCapture(first, &graph));
  CHECK(cudaStreamIsCapturing(second, &status));
  std::printf("second stream's status: %d, the graph is the one shown: %s\n", static_cast<int>(status),
              graph == so_far ? "yes" : "no");
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(join));
  return graph;
}

void captured() {
  cudaStream_t first, second;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  result[0] = -1;
  cudaGraph_t graph = capture(first, second, 3, false);
  std::printf("nothing has run yet: %d\n", result[0]);
  print_shape("captured", graph);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cudaGraphUpload(exec, second));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, second));
  CHECK(cudaStreamSynchronize(second));
  std::printf("launched: %d, host calls %d\n", result[n - 1], host_calls);

  cudaGraph_t other = capture(first, second, 4, false);
  cudaGraphExecUpdateResultInfo info = {};
  SHOW(cudaGraphExecUpdate(exec, other, &info));
  std::printf("update: %d\n", static_cast<int>(info.result));
  CHECK(cudaGraphLaunch(exec, second));
  CHECK(cudaStreamSynchronize(second));
  std::printf("updated: %d\n", result[n - 1]);
  CHECK(cudaGraphDestroy(other));
  other = capture(first, second, 4, true);
  SHOW(cudaGraphExecUpdate(exec, other, &info));
  std::printf("update: %d\n", static_cast<int>(info.result));
  cudaGetLastError();

  // A graph's launch cannot be captured.
  cudaGraph_t outer = nullptr;
  CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
  SHOW(cudaGraphLaunch(exec, first));
  SHOW(cudaStreamEndCapture(first, &outer));
  std::printf("nothing was captured: %s\n", outer == nullptr ? "yes" : "no");
  cudaGetLastError();
  CHECK(cudaGraphDestroy(other));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
}

/// Variables, events and attributes in nodes; capture into a graph that is there already.
void more() {
  cudaGraph_t graph, same;
  cudaStream_t stream;
  cudaEvent_t event, read;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&event));
  for (int i = 0; i < 8; ++i) result[i] = 10 + i;
  cudaGraphNode_t in, twice, out, record, empty;
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, symbol, result, 4 * sizeof(int), 0,
                                       cudaMemcpyHostToDevice));
  cudaKernelNodeParams p = {};
  p.func = (void*)double_symbol;
  p.gridDim = dim3(1);
  p.blockDim = dim3(4);
  CHECK(cudaGraphAddKernelNode(&twice, graph, &in, 1, &p));
  cudaLaunchAttributeValue value = {};
  value.cooperative = 1;
  CHECK(cudaGraphKernelNodeSetAttribute(twice, cudaLaunchAttributeCooperative, &value));
  value.cooperative = 0;
  CHECK(cudaGraphKernelNodeGetAttribute(twice, cudaLaunchAttributeCooperative, &value));
  CHECK(cudaGraphAddMemcpyNodeFromSymbol(&out, graph, &twice, 1, result + 4, symbol, 2 * sizeof(int), sizeof(int),
                                         cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddEventRecordNode(&record, graph, &out, 1, event));
  CHECK(cudaGraphEventRecordNodeGetEvent(record, &read));
  std::printf("cooperative: %d, the event is %s\n", value.cooperative, read == event ? "the same" : "another");
  SHOW(cudaGraphDebugDotPrint(graph, "/dev/null", 0));

  CHECK(cudaStreamBeginCaptureToGraph(stream, graph, &record, nullptr, 1, cudaStreamCaptureModeThreadLocal));
  add<<<3, 128, 0, stream>>>(a, n, 1);
  CHECK(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &empty, nullptr, 1, cudaStreamAddCaptureDependencies));
  add<<<3, 128, 0, stream>>>(a, n, 1);
  CHECK(cudaStreamEndCapture(stream, &same));
  std::printf("captured into %s graph\n", same == graph ? "the same" : "another");
  print_shape("with what was there", graph);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaEventSynchronize(event));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("through the variable: %d %d %d\n", result[4], result[5], result[6]);

  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  CHECK(cudaMalloc(&a, n * sizeof(int)));
  CHECK(cudaMalloc(&b, n * sizeof(int)));
  CHECK(cudaMalloc(&c, n * sizeof(int)));
  CHECK(cudaMallocHost(&result, n * sizeof(int)));
  by_hand();
  captured();
  more();
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(c));
  CHECK(cudaFreeHost(result));
  return 0;
}
