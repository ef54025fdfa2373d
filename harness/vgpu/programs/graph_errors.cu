// What is not allowed of graphs that allocate, and of conditional nodes.
#include "check.cuh"

cudaStream_t stream;

#define SHOW(call) std::printf("%-72s %s\n", #call, cudaGetErrorName(call))

cudaMemAllocNodeParams allocation(size_t bytes) {
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  p.bytesize = bytes;
  return p;
}

void memory_freed_inside(int* plain) {
  cudaGraph_t graph, other, clone;
  cudaGraphExec_t exec, second;
  cudaGraphNode_t allocate, release, twice;
  cudaMemAllocNodeParams p = allocation(1000);
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&other, 0));
  CHECK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &p));
  SHOW(cudaGraphAddMemFreeNode(&twice, graph, nullptr, 0, plain));
  SHOW(cudaGraphAddMemFreeNode(&twice, graph, nullptr, 0, static_cast<char*>(p.dptr) + 4));
  CHECK(cudaGraphAddMemFreeNode(&release, graph, &allocate, 1, p.dptr));
  SHOW(cudaGraphAddMemFreeNode(&twice, graph, nullptr, 0, p.dptr));
  SHOW(cudaGraphAddMemFreeNode(&twice, other, nullptr, 0, p.dptr));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  SHOW(cudaFreeAsync(p.dptr, stream));
  SHOW(cudaFree(p.dptr));
  SHOW(cudaGraphInstantiate(&second, graph, 0));
  SHOW(cudaGraphDestroyNode(release));
  SHOW(cudaGraphRemoveDependencies(graph, &allocate, &release, nullptr, 1));
  SHOW(cudaGraphAddChildGraphNode(&twice, other, nullptr, 0, graph));
  SHOW(cudaGraphClone(&clone, graph));
  SHOW(cudaGraphAddMemFreeNode(&twice, graph, &allocate, 2, p.dptr));
  p = allocation(0);
  SHOW(cudaGraphAddMemAllocNode(&twice, graph, nullptr, 0, &p));
  p = allocation(1000);
  p.poolProps.location.id = 1000;
  SHOW(cudaGraphAddMemAllocNode(&twice, graph, nullptr, 0, &p));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(other));
}

void memory_freed_outside(int* plain) {
  cudaGraph_t graph, other;
  cudaGraphExec_t exec, freeing;
  cudaGraphNode_t allocate, release;
  cudaMemAllocNodeParams p = allocation(1000);
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&other, 0));
  CHECK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &p));
  SHOW(cudaFree(p.dptr));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  SHOW(cudaGraphLaunch(exec, stream));
  CHECK(cudaFreeAsync(p.dptr, stream));
  SHOW(cudaFreeAsync(p.dptr, stream));
  CHECK(cudaGraphAddMemFreeNode(&release, other, nullptr, 0, p.dptr));
  SHOW(cudaGraphAddMemFreeNode(&release, graph, &allocate, 1, p.dptr));
  CHECK(cudaGraphInstantiate(&freeing, other, 0));
  SHOW(cudaGraphLaunch(freeing, stream));
  SHOW(cudaMemcpy(plain, p.dptr, 4, cudaMemcpyDeviceToDevice));
  unsigned long long mark = 1;
  SHOW(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &mark));
  SHOW(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &mark));
  SHOW(cudaDeviceGraphMemTrim(1000));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphExecDestroy(freeing));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(other));

  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  SHOW(cudaFreeAsync(plain, stream));
  if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) CHECK(cudaGraphDestroy(graph));
}

void moved() {
  cudaGraph_t child, parent, other;
  cudaGraphExec_t exec;
  cudaGraphNode_t node, second;
  CHECK(cudaGraphCreate(&child, 0));
  CHECK(cudaGraphCreate(&parent, 0));
  CHECK(cudaGraphCreate(&other, 0));
  CHECK(cudaGraphAddEmptyNode(&node, child, nullptr, 0));
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeGraph;
  p.graph.graph = child;
  p.graph.ownership = cudaGraphChildGraphOwnershipMove;
  CHECK(cudaGraphAddNode(&node, parent, nullptr, nullptr, 0, &p));
  SHOW(cudaGraphAddNode(&second, other, nullptr, nullptr, 0, &p));
  SHOW(cudaGraphAddChildGraphNode(&second, other, nullptr, 0, child));
  SHOW(cudaGraphInstantiate(&exec, child, 0));
  SHOW(cudaGraphDestroy(child));
  cudaMemAllocNodeParams m = allocation(1000);
  SHOW(cudaGraphAddMemAllocNode(&second, child, nullptr, 0, &m));
  CHECK(cudaGraphDestroy(parent));
  CHECK(cudaGraphDestroy(other));
}

cudaGraphNodeParams conditional(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = size;
  return p;
}

void conditions() {
  cudaGraph_t graph, other, clone;
  cudaGraphConditionalHandle handle, unused;
  cudaGraphNode_t node, second;
  cudaGraphExec_t exec, again;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&other, 0));
  SHOW(cudaGraphConditionalHandleCreate(&handle, graph, 0, 7));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault));
  cudaGraphNodeParams p = conditional(handle, cudaGraphCondTypeIf, 1);
  SHOW(cudaGraphAddNode(&node, other, nullptr, nullptr, 0, &p));
  p.conditional.size = 0;
  SHOW(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
  p.conditional.size = 3;
  SHOW(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
  p = conditional(handle, cudaGraphCondTypeWhile, 2);
  SHOW(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
  p = conditional(handle + 1, cudaGraphCondTypeIf, 1);
  SHOW(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
  p = conditional(handle, cudaGraphCondTypeIf, 1);
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
  const cudaGraph_t body = p.conditional.phGraph_out[0];
  p = conditional(handle, cudaGraphCondTypeIf, 1);
  SHOW(cudaGraphAddNode(&second, graph, nullptr, nullptr, 0, &p));

  SHOW(cudaGraphAddEmptyNode(&second, body, &node, 1));
  SHOW(cudaGraphAddChildGraphNode(&second, body, nullptr, 0, graph));
  SHOW(cudaGraphAddChildGraphNode(&second, other, nullptr, 0, graph));
  SHOW(cudaGraphClone(&clone, graph));
  SHOW(cudaGraphInstantiate(&exec, body, 0));
  SHOW(cudaGraphDestroy(body));
  CHECK(cudaGraphConditionalHandleCreate(&unused, graph, 0, 0));
  cudaGraphInstantiateParams instantiation = {};
  SHOW(cudaGraphInstantiateWithParams(&exec, graph, &instantiation));
  std::printf("result: %d\n", instantiation.result_out);
  p = conditional(unused, cudaGraphCondTypeSwitch, 2);
  CHECK(cudaGraphAddNode(&second, body, nullptr, nullptr, 0, &p));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  SHOW(cudaGraphInstantiate(&again, graph, 0));
  SHOW(cudaGraphNodeSetEnabled(exec, node, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(exec));

  cudaHostNodeParams host = {[](void*) {}, nullptr};
  CHECK(cudaGraphAddHostNode(&second, p.conditional.phGraph_out[1], nullptr, 0, &host));
  SHOW(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(other));
}

int main() {
  int* plain;
  CHECK(cudaMalloc(&plain, sizeof(int)));
  CHECK(cudaStreamCreate(&stream));
  memory_freed_inside(plain);
  memory_freed_outside(plain);
  moved();
  conditions();
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(plain));
}
