// What a shared-memory load takes, by the distance between neighbouring lanes' words: bank conflicts.
//
//   nvcc -std=c++17 -arch=sm_90 -lineinfo -cudart shared -o conflicts labs/measure/conflicts.cu
//   ./conflicts 4096                on a GPU: 4096 loads per thread
//   lanewise run -- ./conflicts     on the virtual GPU
#include "measure.cuh"

namespace {

constexpr int kThreads = 1024;
constexpr int kWords = 32 * 64;  // enough for distances of up to 64 words

__global__ void load_strided(int loads, int stride, int* results) {
  __shared__ int words[kWords];
  for (int i = static_cast<int>(threadIdx.x); i < kWords; i += kThreads) words[i] = 0;
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  int place = lane * stride, sum = 0;
  // The next place depends on what was loaded, which is 0: the loads cannot be merged or left out. 32 warps are enough
  // to keep shared memory busy while each waits for its own.
#pragma unroll 8
  for (int load = 0; load < loads; ++load) {
    place += words[place];
    sum += place;
  }
  results[threadIdx.x] = sum;
}

}  // namespace

int main(int argument_count, char** argument_list) {
  const Arguments arguments = arguments_of(argument_count, argument_list, "loads per thread", 16, 1000000);
  const DeviceArray<int> results(kThreads);
  Chart chart(arguments.csv, "a warp's load from shared memory, by the distance between its lanes' words", "clocks");
  for (const int stride : {0, 1, 2, 3, 4, 8, 16, 17, 32, 33}) {
    const auto loads = static_cast<int>(arguments.size);
    const auto time = [&](int count) {
      return milliseconds([&] { load_strided<<<1, kThreads>>>(count, stride, results.get()); });
    };
    // What is not the loads takes the same time in both.
    const double clocks = (time(9 * loads) - time(loads)) * clocks_per_millisecond();
    chart.add(stride, clocks / (8.0 * loads) / (kThreads / 32));
  }
  chart.print();
}
