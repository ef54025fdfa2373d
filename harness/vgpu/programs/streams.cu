// Order between streams: default stream, blocking and non-blocking streams, events, host functions, asynchronous
// allocation.
#include <vector>

#include "check.cuh"

__global__ void append(int* log, int* length, int value) {
  const int at = atomicAdd(length, 1);
  log[at] = value;
}

__global__ void scale(float* data, int n, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by;
}

int calls = 0;
void host_function(void* data) { calls = calls * 10 + *static_cast<int*>(data); }

int main() {
  int *log, *length;
  CHECK(cudaMalloc(&log, 100 * sizeof(int)));
  CHECK(cudaMalloc(&length, sizeof(int)));
  CHECK(cudaMemset(length, 0, sizeof(int)));
  CHECK(cudaDeviceSynchronize());

  cudaStream_t a, b;
  CHECK(cudaStreamCreate(&a));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  cudaEvent_t event;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  append<<<1, 1, 0, a>>>(log, length, 1);
  append<<<1, 1>>>(log, length, 2);        // the default stream waits for a
  append<<<1, 1, 0, a>>>(log, length, 3);  // and a for the default stream
  CHECK(cudaEventRecord(event, a));
  CHECK(cudaStreamWaitEvent(b, event, 0));
  append<<<1, 1, 0, b>>>(log, length, 4);
  int one = 1, two = 2;
  CHECK(cudaLaunchHostFunc(b, host_function, &one));
  append<<<1, 1, 0, b>>>(log, length, 5);
  CHECK(cudaLaunchHostFunc(b, host_function, &two));
  CHECK(cudaStreamSynchronize(b));
  int values[5];
  CHECK(cudaMemcpy(values, log, sizeof values, cudaMemcpyDeviceToHost));
  std::printf("order: %d %d %d %d %d, host calls: %d\n", values[0], values[1], values[2], values[3], values[4], calls);

  const int n = 1 << 16, chunks = 4;
  float* pinned;
  CHECK(cudaHostAlloc(&pinned, n * sizeof(float), cudaHostAllocDefault));
  for (int i = 0; i < n; ++i) pinned[i] = static_cast<float>(i % 1000);
  std::vector<cudaStream_t> streams(chunks);
  for (int c = 0; c < chunks; ++c) {
    CHECK(cudaStreamCreate(&streams[c]));
    float* part;
    const int size = n / chunks;
    CHECK(cudaMallocAsync(&part, size * sizeof(float), streams[c]));
    CHECK(cudaMemcpyAsync(part, pinned + c * size, size * sizeof(float), cudaMemcpyHostToDevice, streams[c]));
    scale<<<(size + 255) / 256, 256, 0, streams[c]>>>(part, size, 0.5f + c);
    CHECK(cudaMemcpyAsync(pinned + c * size, part, size * sizeof(float), cudaMemcpyDeviceToHost, streams[c]));
    CHECK(cudaFreeAsync(part, streams[c]));
  }
  for (cudaStream_t stream : streams) CHECK(cudaStreamSynchronize(stream));
  std::printf("chunks: %.1f %.1f %.1f, digest %016llx\n", pinned[1], pinned[n / 2 + 1], pinned[n - 1],
              digest(pinned, n * sizeof(float)));

  float* mapped;
  CHECK(cudaHostAlloc(&mapped, 100 * sizeof(float), cudaHostAllocMapped));
  for (int i = 0; i < 100; ++i) mapped[i] = static_cast<float>(i);
  float* view;
  CHECK(cudaHostGetDevicePointer(&view, mapped, 0));
  scale<<<1, 128>>>(view, 100, 3.0f);
  CHECK(cudaDeviceSynchronize());
  std::printf("mapped: %.1f %.1f\n", mapped[1], mapped[99]);

  size_t pitch;
  unsigned char *rows, picture[30][50], back[30][50] = {};
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 50; ++x) picture[y][x] = static_cast<unsigned char>(x * y);
  CHECK(cudaMallocPitch(&rows, &pitch, 50, 30));
  CHECK(cudaMemcpy2D(rows, pitch, picture, 50, 50, 30, cudaMemcpyHostToDevice));
  CHECK(cudaMemset2D(rows, pitch, 7, 10, 5));
  CHECK(cudaMemcpy2D(back, 50, rows, pitch, 50, 30, cudaMemcpyDeviceToHost));
  std::printf("rows: pitch is a multiple of 32: %s, digest %016llx\n", pitch % 32 == 0 ? "yes" : "no",
              digest(back, sizeof back));
  return 0;
}
