// How fast device memory is read and written, by what a warp asks for at a time.
//
//   nvcc -std=c++17 -arch=sm_90 -lineinfo -cudart shared -o bandwidth labs/measure/bandwidth.cu
//   ./bandwidth 1024               on a GPU: copies of 1024 MiB, in 10 GiB of memory
//   lanewise run -- ./bandwidth    on the virtual GPU
#include "measure.cuh"

namespace {

constexpr int kThreads = 256;

// Every thread copies one T.
template <class T>
__global__ void copy_elements(const T* from, T* to, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) to[i] = from[i];
}

// Thread i reads element i * stride + offset, and writes element i.
__global__ void read_strided(const float* from, float* to, std::size_t count, std::size_t stride, std::size_t offset) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) to[i] = from[i * stride + offset];
}

unsigned blocks_for(std::size_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

// Gigabytes a second, both ways, of a copy by elements of type T.
template <class T>
double copy_rate(const DeviceArray<char>& from, const DeviceArray<char>& to, std::size_t shared_bytes = 0) {
  const std::size_t count = from.bytes() / sizeof(T);
  const auto* const source = reinterpret_cast<const T*>(from.get());
  auto* const target = reinterpret_cast<T*>(to.get());
  const double time =
      milliseconds([&] { copy_elements<<<blocks_for(count), kThreads, shared_bytes>>>(source, target, count); });
  return 2e-6 * static_cast<double>(from.bytes()) / time;
}

}  // namespace

int main(int argument_count, char** argument_list) {
  const Arguments arguments = arguments_of(argument_count, argument_list, "MiB to copy", 4, 16384);
  const std::size_t bytes = static_cast<std::size_t>(arguments.size) << 20;
  const DeviceArray<char> from(bytes), to(bytes);

  Chart width(arguments.csv, "copy, by bytes per thread", "GB/s");
  width.add(1, copy_rate<char>(from, to));
  width.add(2, copy_rate<short>(from, to));
  width.add(4, copy_rate<float>(from, to));
  width.add(8, copy_rate<float2>(from, to));
  width.add(16, copy_rate<float4>(from, to));
  width.print();

  const auto* const floats = reinterpret_cast<const float*>(from.get());
  auto* const results = reinterpret_cast<float*>(to.get());
  {
    const std::size_t few = bytes / sizeof(float) / 4;  // as many are read whatever the stride
    const DeviceArray<float> far_apart(32 * few);
    Chart stride(arguments.csv, "useful bytes of a copy that reads every nth float", "GB/s");
    for (const std::size_t n : {1, 2, 4, 8, 16, 32}) {
      const double time =
          milliseconds([&] { read_strided<<<blocks_for(few), kThreads>>>(far_apart.get(), results, few, n, 0); });
      stride.add(static_cast<long>(n), 2e-6 * static_cast<double>(few * sizeof(float)) / time);
    }
    stride.print();
  }

  Chart offset(arguments.csv, "copy that begins n floats after a multiple of 256 bytes", "GB/s");
  const std::size_t all = bytes / sizeof(float) - 32;
  for (const std::size_t n : {0, 1, 2, 4, 8, 16, 31}) {
    const double time = milliseconds([&] { read_strided<<<blocks_for(all), kThreads>>>(floats, results, all, 1, n); });
    offset.add(static_cast<long>(n), 2e-6 * static_cast<double>(all * sizeof(float)) / time);
  }
  offset.print();

  // Shared memory that nobody uses, but that limits how many blocks a multiprocessor can hold.
  Chart occupancy(arguments.csv, "copy of floats, by warps per multiprocessor", "GB/s");
  const int whole = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  CHECK(cudaFuncSetAttribute(copy_elements<float>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)));
  for (const int blocks : {1, 2, 4, 8}) {
    const int reserved = attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    const auto shared = static_cast<std::size_t>(
        std::min(whole / blocks - reserved, attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)));
    int resident = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, copy_elements<float>, kThreads, shared));
    occupancy.add(resident * kThreads / 32, copy_rate<float>(from, to, shared));
  }
  occupancy.print();
}
