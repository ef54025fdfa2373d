// A kernel for each thing that a kernel can wait for, and what streams do at the same time. Times come from events.
#include <cstdio>

#include "check.cuh"

constexpr int kThreads = 256;

__global__ void copies(const float4* in, float4* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

__global__ void multiplies(float* out, float factor) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int step = 0; step < 250; ++step) {
    a = a * factor + b;
    b = b * factor + c;
    c = c * factor + d;
    d = d * factor + a;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

__global__ void divides(double* out, double by) {
  double a = threadIdx.x + 1.0;
  for (int step = 0; step < 50; ++step) a = a / by + 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

/// 32 turns an access: every lane of a warp has its word in the same bank.
__global__ void conflicts(float* out) {
  __shared__ volatile float tile[32 * 32];
  float sum = 0;
  for (int step = 0; step < 50; ++step) {
    tile[threadIdx.x % 32 * 32 + threadIdx.x / 32] = sum;
    sum += tile[threadIdx.x % 32 * 32 + threadIdx.x / 32];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// 32 turns an access, at addresses that differ.
__global__ void counts(int* out) {
  __shared__ int bins[32 * 32];
  for (int step = 0; step < 50; ++step) atomicExch(&bins[threadIdx.x % 32 * 32 + threadIdx.x / 32], step);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = bins[threadIdx.x];
}

__global__ void scattered(const int* in, int* out) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
#pragma unroll
  for (int step = 0; step < 8; ++step) {
    at = at * 1664525u + 1013904223u;
    sum += in[at % (1u << 20) / 8 * 8];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void queues(int* counter) { atomicExch(counter, static_cast<int>(threadIdx.x)); }

/// Each read says where the next one is.
__global__ void chases(const unsigned* next, unsigned* out) {
  unsigned at = threadIdx.x;
  for (int step = 0; step < 500; ++step) at = next[at];
  out[threadIdx.x] = at;
}

__global__ void nothing() {}
__global__ void launches() {}
__global__ void launches_of_a_graph() {}

int main(int argc, char**) {
  constexpr std::size_t kBytes = std::size_t{1} << 26;
  char *in = nullptr, *out = nullptr, *host = nullptr;
  CHECK(cudaMalloc(&in, kBytes));
  CHECK(cudaMalloc(&out, kBytes));
  CHECK(cudaMallocHost(&host, kBytes));
  CHECK(cudaMemset(in, 0, kBytes));

  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  const auto took = [&](const char* what) {
    float milliseconds = 0;
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    std::printf("%s %.0f\n", what, milliseconds * 1e6F);
    CHECK(cudaEventRecord(begin));
  };
  CHECK(cudaEventRecord(begin));

  nothing<<<1, 1>>>();
  took("nothing");
  copies<<<kBytes / 16 / kThreads, kThreads>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out));
  took("copies");
  multiplies<<<132 * 8, kThreads>>>(reinterpret_cast<float*>(out), 0.5F);
  took("multiplies");
  divides<<<132 * 8, kThreads>>>(reinterpret_cast<double*>(out), 3.0);
  took("divides");
  conflicts<<<132 * 2, 1024>>>(reinterpret_cast<float*>(out));
  took("conflicts");
  counts<<<132 * 2, 1024>>>(reinterpret_cast<int*>(out));
  took("counts");
  scattered<<<132 * 16, kThreads>>>(reinterpret_cast<int*>(in), reinterpret_cast<int*>(out));
  took("scattered");
  queues<<<132 * 8, kThreads>>>(reinterpret_cast<int*>(out));
  took("queues");
  chases<<<1, 32>>>(reinterpret_cast<unsigned*>(in), reinterpret_cast<unsigned*>(out));
  took("chases");

  // As many launches, each asked for and in one graph.
  constexpr int kLaunches = 20;
  for (int launch = 0; launch < kLaunches; ++launch) launches<<<1, 1>>>();
  took("launches");
  cudaStream_t captured;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamCreate(&captured));
  CHECK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeThreadLocal));
  for (int launch = 0; launch < kLaunches; ++launch) launches_of_a_graph<<<1, 1, 0, captured>>>();
  CHECK(cudaStreamEndCapture(captured, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  took("instantiation");
  CHECK(cudaGraphLaunch(executable, nullptr));
  took("launches_of_a_graph");
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(captured));

  // As many sectors, in one piece and four bytes of each.
  CHECK(cudaMemcpyAsync(out, in, kBytes / 2, cudaMemcpyDeviceToDevice));
  took("in_one_piece");
  CHECK(cudaMemcpy2DAsync(out, 64, in, 64, 4, kBytes / 64, cudaMemcpyDeviceToDevice));
  took("row_by_row");

  // Copies one after the other, then in both directions at once.
  CHECK(cudaMemcpyAsync(in, host, kBytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyAsync(host, out, kBytes, cudaMemcpyDeviceToHost));
  took("one_after_the_other");
  cudaStream_t up, down;
  CHECK(cudaStreamCreate(&up));
  CHECK(cudaStreamCreate(&down));
  CHECK(cudaMemcpyAsync(in, host, kBytes, cudaMemcpyHostToDevice, up));
  CHECK(cudaMemcpyAsync(host, out, kBytes, cudaMemcpyDeviceToHost, down));
  took("at_the_same_time");

  CHECK(cudaStreamDestroy(up));
  CHECK(cudaStreamDestroy(down));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  if (argc > 1) CHECK(cudaDeviceReset());  // as many programs end
}
