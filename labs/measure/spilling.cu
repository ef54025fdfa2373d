// What spilling costs: a kernel that needs some 64 registers for its numbers, and is given fewer.
//
//   nvcc -std=c++17 -arch=sm_90 -lineinfo -cudart shared -o spilling labs/measure/spilling.cu
//   ./spilling 1024                on a GPU: 1024 rounds
//   lanewise run -- ./spilling     on the virtual GPU, which executes PTX and knows spills only by the machine code
#include "measure.cuh"

namespace {

constexpr int kNumbers = 64;
constexpr int kThreads = 256;

// All numbers live through all rounds, each of which needs every one of them. The second argument of __launch_bounds__,
// blocks per multiprocessor, is what limits registers: 65,536 / (256 * kBlocks) for each thread.
template <int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks) rounds(const float* from, float* to, int count) {
  float number[kNumbers];
#pragma unroll
  for (int i = 0; i < kNumbers; ++i) number[i] = from[threadIdx.x + i];
  for (int round = 0; round < count; ++round) {
#pragma unroll
    for (int i = 0; i < kNumbers; ++i) number[i] = number[i] * number[(i + 1) % kNumbers] + 0.5f;
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kNumbers; ++i) sum += number[i];
  to[blockIdx.x * kThreads + threadIdx.x] = sum;
}

template <int kBlocks>
void measure(Chart& times, Chart& spills, int blocks, int count, const DeviceArray<float>& from,
             const DeviceArray<float>& to) {
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, rounds<kBlocks>));
  const std::string label = std::to_string(attributes.numRegs) + " registers";
  times.add(label, milliseconds([&] { rounds<kBlocks><<<blocks, kThreads>>>(from.get(), to.get(), count); }));
  spills.add(label, static_cast<double>(attributes.localSizeBytes));
}

}  // namespace

int main(int argument_count, char** argument_list) {
  const Arguments arguments = arguments_of(argument_count, argument_list, "rounds", 1, 1000000);
  const int blocks = 4 * attribute(cudaDevAttrMultiProcessorCount);
  const DeviceArray<float> from(kThreads + kNumbers), to(static_cast<std::size_t>(blocks) * kThreads);
  Chart times(arguments.csv, "the same work, by registers of a thread", "ms");
  Chart spills(arguments.csv, "local memory of a thread", "bytes");
  const auto count = static_cast<int>(arguments.size);
  measure<2>(times, spills, blocks, count, from, to);
  measure<4>(times, spills, blocks, count, from, to);
  measure<5>(times, spills, blocks, count, from, to);
  measure<8>(times, spills, blocks, count, from, to);
  times.print();
  spills.print();
}
