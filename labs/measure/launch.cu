// What it costs to launch a kernel that does nothing, and how graphs make it cheaper.
//
//   nvcc -std=c++17 -arch=sm_90 -lineinfo -cudart shared -o launch labs/measure/launch.cu
//   ./launch 1000                on a GPU: 1000 launches
//   lanewise run -- ./launch     on the virtual GPU
#include <chrono>

#include "measure.cuh"

namespace {

__global__ void nothing() {}

// Microseconds that the host spends in `work` and in waiting for it, for each of `count` launches.
double microseconds_of_host(long count, const std::function<void()>& work) {
  work();
  CHECK(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  work();
  CHECK(cudaDeviceSynchronize());
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  return time.count() / static_cast<double>(count);
}

}  // namespace

int main(int argument_count, char** argument_list) {
  const Arguments arguments = arguments_of(argument_count, argument_list, "launches", 100, 1000000);
  const long count = arguments.size;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  const auto launch_all = [&] {
    for (long i = 0; i < count; ++i) nothing<<<1, 32, 0, stream>>>();
  };
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  launch_all();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  const auto launch_graph = [&] { CHECK(cudaGraphLaunch(executable, stream)); };
  const auto wait_for_each = [&] {
    for (long i = 0; i < count; ++i) {
      nothing<<<1, 32, 0, stream>>>();
      CHECK(cudaStreamSynchronize(stream));
    }
  };

  Chart host(arguments.csv, "time of the host per launch (on the virtual GPU: of emulating it)", "microseconds");
  host.add("one after another", microseconds_of_host(count, launch_all));
  host.add("waiting for each", microseconds_of_host(count, wait_for_each));
  host.add("as one graph", microseconds_of_host(count, launch_graph));
  host.print();

  const auto on_device = [&](const std::function<void()>& work) {
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float time = 0;
    for (int round = 0; round < 2; ++round) {  // the first one warms up
      CHECK(cudaEventRecord(begin, stream));
      work();
      CHECK(cudaEventRecord(end, stream));
      CHECK(cudaEventSynchronize(end));
      CHECK(cudaEventElapsedTime(&time, begin, end));
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return 1000 * static_cast<double>(time) / static_cast<double>(count);
  };
  Chart device(arguments.csv, "time of the device per launch", "microseconds");
  device.add("one after another", on_device(launch_all));
  device.add("waiting for each", on_device(wait_for_each));
  device.add("as one graph", on_device(launch_graph));
  device.print();

  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}
