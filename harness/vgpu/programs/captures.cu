// What the capture of a stream forbids, and what becomes of the capture then.
#include "check.cuh"

__global__ void add(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}

const int n = 300;
int* a;  // on the device

#define SHOW(call) std::printf("%-64s %s\n", #call, cudaGetErrorName(call))

void forbidden() {
  cudaStream_t stream, other;
  cudaEvent_t event;
  cudaGraph_t graph;
  cudaStreamCaptureStatus status;
  const cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&other));
  CHECK(cudaEventCreate(&event));
  SHOW(cudaStreamBeginCapture(nullptr, global));
  SHOW(cudaStreamEndCapture(stream, &graph));

  std::printf("- waiting for the stream\n");
  CHECK(cudaStreamBeginCapture(stream, global));
  add<<<3, 128, 0, stream>>>(a, n, 1);
  SHOW(cudaStreamBeginCapture(stream, global));
  SHOW(cudaStreamSynchronize(stream));
  CHECK(cudaStreamIsCapturing(stream, &status));
  std::printf("status: %d\n", static_cast<int>(status));
  add<<<3, 128, 0, stream>>>(a, n, 1);
  SHOW(cudaGetLastError());
  SHOW(cudaStreamEndCapture(stream, &graph));
  std::printf("a graph: %s\n", graph != nullptr ? "yes" : "no");

  std::printf("- waiting for the device\n");
  CHECK(cudaStreamBeginCapture(stream, global));
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaStreamEndCapture(stream, &graph));

  std::printf("- the default stream\n");
  CHECK(cudaStreamBeginCapture(stream, global));
  SHOW(cudaStreamIsCapturing(nullptr, &status));
  add<<<3, 128>>>(a, n, 1);
  SHOW(cudaGetLastError());
  SHOW(cudaStreamEndCapture(stream, &graph));

  std::printf("- allocation\n");
  void* memory;
  CHECK(cudaStreamBeginCapture(stream, global));
  SHOW(cudaMalloc(&memory, 4));
  SHOW(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  SHOW(cudaMalloc(&memory, 4));
  SHOW(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaFree(memory));
  CHECK(cudaGraphDestroy(graph));

  std::printf("- a fork that does not come back\n");
  CHECK(cudaStreamBeginCapture(stream, global));
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(other, event, 0));
  add<<<3, 128, 0, other>>>(a, n, 1);
  SHOW(cudaStreamEndCapture(stream, &graph));

  std::printf("- the end in another stream\n");
  CHECK(cudaStreamBeginCapture(stream, global));
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(other, event, 0));
  SHOW(cudaStreamEndCapture(other, &graph));
  cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();

  std::printf("- an event of another time\n");
  CHECK(cudaEventRecord(event, other));
  CHECK(cudaStreamBeginCapture(stream, global));
  SHOW(cudaStreamWaitEvent(stream, event, 0));
  SHOW(cudaStreamEndCapture(stream, &graph));

  std::printf("- an event of a capture\n");
  CHECK(cudaStreamBeginCapture(stream, global));
  CHECK(cudaEventRecord(event, stream));
  SHOW(cudaEventSynchronize(event));
  SHOW(cudaStreamEndCapture(stream, &graph));

  std::printf("- two captures\n");
  CHECK(cudaStreamBeginCapture(stream, global));
  CHECK(cudaStreamBeginCapture(other, global));
  CHECK(cudaEventRecord(event, stream));
  SHOW(cudaStreamWaitEvent(other, event, 0));
  SHOW(cudaStreamEndCapture(stream, &graph));
  SHOW(cudaStreamEndCapture(other, &graph));
  cudaGetLastError();
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamSynchronize(stream));
  SHOW(cudaEventQuery(event));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(other));
}

/// A thread that says so may wait for work elsewhere while it captures.
void relaxed() {
  cudaStream_t stream;
  cudaGraph_t same;
  CHECK(cudaStreamCreate(&stream));
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  void* memory;
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  std::printf("the thread's mode was %d\n", static_cast<int>(mode));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  SHOW(cudaMalloc(&memory, 4));
  SHOW(cudaFree(memory));
  SHOW(cudaStreamEndCapture(stream, &same));
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  CHECK(cudaGraphDestroy(same));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  CHECK(cudaMalloc(&a, n * sizeof(int)));
  CHECK(cudaMemset(a, 0, n * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  forbidden();
  relaxed();
  CHECK(cudaFree(a));
  return 0;
}
