// Conditional nodes: bodies that kernels choose, loops, and one in another.
// With an argument, one that goes wrong: "endless", "undefined", "filling" or "refused".
#include <cstring>

#include "check.cuh"

__global__ void add(int* to, int value) { *to += value; }
__global__ void set_to(cudaGraphConditionalHandle handle, const int* value) {
  cudaGraphSetConditional(handle, static_cast<unsigned>(*value));
}
/// Counts down; the loop goes on as long as there is something left.
__global__ void count_down(cudaGraphConditionalHandle handle, int* left) {
  if (threadIdx.x == 0) cudaGraphSetConditional(handle, --*left > 0 ? 1 : 0);
}
__global__ void refill(int* left, int value, cudaGraphConditionalHandle handle) {
  *left = value;
  cudaGraphSetConditional(handle, 1);
}
__global__ void collatz(unsigned* number, int* steps, cudaGraphConditionalHandle handle) {
  *number = *number % 2 == 0 ? *number / 2 : 3 * *number + 1;
  ++*steps;
  cudaGraphSetConditional(handle, *number != 1);
}

int *numbers, *result;  // on the device; pinned
cudaStream_t stream;

cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t* after, void* kernel, void** arguments) {
  cudaKernelNodeParams p = {};
  p.func = kernel;
  p.gridDim = dim3(1);
  p.blockDim = dim3(1);
  p.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, after, after != nullptr ? 1 : 0, &p));
  return node;
}
cudaGraphNode_t add_to(cudaGraph_t graph, const cudaGraphNode_t* after, int* to, int value) {
  void* arguments[] = {&to, &value};
  return add_kernel(graph, after, (void*)add, arguments);
}

cudaGraphNodeParams conditional(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = size;
  return p;
}

void set(int at, int value) { CHECK(cudaMemcpy(numbers + at, &value, sizeof value, cudaMemcpyHostToDevice)); }
int get(int at) {
  int value = 0;
  CHECK(cudaMemcpy(&value, numbers + at, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}
void launch(cudaGraphExec_t exec) {
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
}

/// numbers[0] decides; numbers[1] tells what was done: each body adds a power of ten, and the last node a million.
void decide(const char* what, cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
  void* arguments[] = {&handle, &numbers};
  const cudaGraphNode_t first = add_kernel(graph, nullptr, (void*)set_to, arguments);
  cudaGraphNodeParams p = conditional(handle, type, size);
  CHECK(cudaGraphAddNode(&node, graph, &first, nullptr, 1, &p));
  for (unsigned n = 0, value = 1; n < size; ++n, value *= 10) {
    const cudaGraphNode_t body = add_to(p.conditional.phGraph_out[n], nullptr, numbers + 1, static_cast<int>(value));
    add_to(p.conditional.phGraph_out[n], &body, numbers + 1, static_cast<int>(value));
  }
  add_to(graph, &node, numbers + 1, 1000000);
  cudaGraphNodeType got;
  CHECK(cudaGraphNodeGetType(node, &got));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  std::printf("%s (type %d):", what, got);
  for (int value = 0; value < 5; ++value) {
    set(0, value);
    set(1, 0);
    launch(exec);
    std::printf(" %d", get(1));
  }
  std::printf("\n");
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

/// An outer loop of three rounds, and in each an inner one of four: the body is captured.
void loops() {
  cudaGraph_t graph;
  cudaGraphConditionalHandle outer, inner;
  cudaGraphNode_t outer_node, inner_node;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&outer, graph, 1, cudaGraphCondAssignDefault));
  CHECK(cudaGraphConditionalHandleCreate(&inner, graph, 0, 0));
  cudaGraphNodeParams p = conditional(outer, cudaGraphCondTypeWhile, 1);
  CHECK(cudaGraphAddNode(&outer_node, graph, nullptr, nullptr, 0, &p));
  const cudaGraph_t body = p.conditional.phGraph_out[0];
  int* const outer_left = numbers;
  int* inner_left = numbers + 1;
  int four = 4;
  void* arguments[] = {&inner_left, &four, &inner};
  const cudaGraphNode_t refilled = add_kernel(body, nullptr, (void*)refill, arguments);
  p = conditional(inner, cudaGraphCondTypeWhile, 1);
  CHECK(cudaGraphAddNode(&inner_node, body, &refilled, nullptr, 1, &p));
  const cudaGraph_t inner_body = p.conditional.phGraph_out[0];

  cudaGraph_t captured;
  CHECK(cudaStreamBeginCaptureToGraph(stream, inner_body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(numbers + 2, 1);
  count_down<<<1, 32, 0, stream>>>(inner, inner_left);
  CHECK(cudaStreamEndCapture(stream, &captured));
  std::printf("captured into the body: %s\n", captured == inner_body ? "yes" : "no");
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, &inner_node, nullptr, 1, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemcpyAsync(numbers + 3, numbers + 2, sizeof(int), cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaMemcpyAsync(result, numbers + 2, sizeof(int), cudaMemcpyDeviceToHost, stream));
  count_down<<<1, 1, 0, stream>>>(outer, outer_left);
  CHECK(cudaStreamEndCapture(stream, &captured));

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  set(2, 0);
  for (int round = 0; round < 2; ++round) {
    set(0, 3);
    launch(exec);
    std::printf("rounds so far: %d %d, as the host has it %d\n", get(2), get(3), *result);
  }
  // A node of a body changes in the executable graph.
  cudaGraphNode_t nodes[8];
  size_t count = 8;
  CHECK(cudaGraphGetNodes(inner_body, nodes, &count));
  int hundred = 100;
  int* third = numbers + 2;
  void* others[] = {&third, &hundred};
  cudaKernelNodeParams changed = {};
  changed.func = (void*)add;
  changed.gridDim = changed.blockDim = dim3(1);
  changed.kernelParams = others;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &changed));
  set(0, 1);
  launch(exec);
  std::printf("with another kernel: %d\n", get(2));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

/// A conditional node in the middle of a captured stream.
void captured() {
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node;
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* after = nullptr;
  size_t count = 0;
  unsigned* number = reinterpret_cast<unsigned*>(numbers);
  int* steps = numbers + 1;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(steps, 0, sizeof(int), stream));
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &after, nullptr, &count));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams p = conditional(handle, cudaGraphCondTypeWhile, 1);
  CHECK(cudaGraphAddNode(&node, graph, after, nullptr, count, &p));
  void* arguments[] = {&number, &steps, &handle};
  add_kernel(p.conditional.phGraph_out[0], nullptr, (void*)collatz, arguments);
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, stream>>>(steps, 1000);
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int start : {27, 97, 871}) {
    set(0, start);
    launch(exec);
    std::printf("from %d: %d steps\n", start, get(1) - 1000);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

/// One loop in another, of which neither ends; or one whose condition nobody sets.
void go_wrong(bool endless) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  cudaGraphConditionalHandle outer, inner;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&outer, graph, 1, endless ? cudaGraphCondAssignDefault : 0));
  cudaGraphNodeParams p = conditional(outer, cudaGraphCondTypeWhile, 1);
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
  const cudaGraph_t body = p.conditional.phGraph_out[0];
  CHECK(cudaGraphConditionalHandleCreate(&inner, body, 1, cudaGraphCondAssignDefault));
  p = conditional(inner, cudaGraphCondTypeWhile, 1);
  CHECK(cudaGraphAddNode(&node, body, nullptr, nullptr, 0, &p));
  add_to(p.conditional.phGraph_out[0], nullptr, numbers, 1);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  std::printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
}

/// A loop of which all that goes on is a memset.
void fill_forever() {
  constexpr size_t kBytes = size_t{256} << 20;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  cudaGraphConditionalHandle handle;
  void* memory;
  CHECK(cudaMalloc(&memory, kBytes));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams p = conditional(handle, cudaGraphCondTypeWhile, 1);
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
  cudaMemsetParams fill = {memory, 0, 0, 1, kBytes, 1};
  CHECK(cudaGraphAddMemsetNode(&node, p.conditional.phGraph_out[0], nullptr, 0, &fill));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  std::printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
}

/// What would put host memory into a body, and a graph that takes itself in until there is no room.
void be_refused() {
  cudaGraph_t graphs[2], doubling;
  cudaGraphExec_t exec;
  cudaGraphNode_t node, copies[2];
  int pageable = 0;
  for (int i = 0; i < 2; ++i) {
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphCreate(&graphs[i], 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graphs[i], 0, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = conditional(handle, cudaGraphCondTypeIf, 1);
    CHECK(cudaGraphAddNode(&node, graphs[i], nullptr, nullptr, 0, &p));
    CHECK(cudaGraphAddMemcpyNode1D(&copies[i], p.conditional.phGraph_out[0], nullptr, 0, numbers,
                                   i == 0 ? numbers + 1 : &pageable, sizeof(int), cudaMemcpyDefault));
  }
  CHECK(cudaGraphInstantiate(&exec, graphs[0], 0));
  std::printf("%s\n", cudaGetErrorName(cudaGraphExecMemcpyNodeSetParams1D(exec, copies[0], numbers, &pageable,
                                                                          sizeof(int), cudaMemcpyDefault)));
  cudaGraphExecUpdateResultInfo info;
  std::printf("%s\n", cudaGetErrorName(cudaGraphExecUpdate(exec, graphs[1], &info)));
  std::printf("%s\n", info.result == cudaGraphExecUpdateErrorNotSupported && info.errorNode == copies[1] ? "at the copy"
                                                                                                         : "elsewhere");
  cudaError_t error = cudaSuccess;
  CHECK(cudaGraphCreate(&doubling, 0));
  CHECK(cudaGraphAddEmptyNode(&node, doubling, nullptr, 0));
  for (int i = 0; i < 40 && error == cudaSuccess; ++i) {
    cudaGraph_t twice;
    CHECK(cudaGraphCreate(&twice, 0));
    for (int half = 0; half < 2 && error == cudaSuccess; ++half)
      error = cudaGraphAddChildGraphNode(&node, twice, nullptr, 0, doubling);
    doubling = twice;
  }
  std::printf("%s\n", cudaGetErrorName(error));
}

int main(int argc, char** argv) {
  CHECK(cudaMalloc(&numbers, 4 * sizeof(int)));
  CHECK(cudaMallocHost(&result, sizeof(int)));
  CHECK(cudaStreamCreate(&stream));
  if (argc > 1) {
    if (std::strcmp(argv[1], "filling") == 0)
      fill_forever();
    else if (std::strcmp(argv[1], "refused") == 0)
      be_refused();
    else
      go_wrong(std::strcmp(argv[1], "endless") == 0);
    return 0;
  }
  decide("if", cudaGraphCondTypeIf, 1);
  decide("if and else", cudaGraphCondTypeIf, 2);
  decide("switch", cudaGraphCondTypeSwitch, 3);
  loops();
  captured();
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(numbers));
  CHECK(cudaFreeHost(result));
}
