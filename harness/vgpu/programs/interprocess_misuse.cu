// What may not be done with memory and events of other processes, and the errors that it has.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "check.cuh"

#define SHOW(call) std::printf("%-78s %s\n", #call, cudaGetErrorName(call))

__device__ int variable;
__global__ void set(int* data, int value) { *data = value; }

template <class T>
void put(int pipe, const T& value) {
  if (write(pipe, &value, sizeof value) != sizeof value) std::exit(2);
}
template <class T>
T get(int pipe) {
  T value;
  if (read(pipe, &value, sizeof value) != sizeof value) std::exit(2);
  return value;
}

void exporter(int to_other, int from_other) {
  int *data, *middle, *host, *managed, *pooled, *of_variable, *opened;
  cudaEvent_t event, plain;
  cudaIpcMemHandle_t handle, again, other{};
  cudaIpcEventHandle_t event_handle;
  CHECK(cudaMalloc(&data, 1024));
  CHECK(cudaMallocHost(&host, 64));
  CHECK(cudaMallocManaged(&managed, 64));
  CHECK(cudaMallocAsync(&pooled, 64, 0));
  CHECK(cudaGetSymbolAddress((void**)&of_variable, variable));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
  CHECK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
  SHOW(cudaIpcGetMemHandle(&handle, host));
  SHOW(cudaIpcGetMemHandle(&handle, managed));
  SHOW(cudaIpcGetMemHandle(&handle, pooled));
  SHOW(cudaIpcGetMemHandle(&handle, &handle));
  SHOW(cudaIpcGetMemHandle(&handle, nullptr));
  SHOW(cudaIpcGetMemHandle(&handle, data));
  SHOW(cudaIpcGetMemHandle(&again, data));
  std::printf("one allocation has one handle: %s\n", std::memcmp(&handle, &again, sizeof handle) == 0 ? "yes" : "no");
  middle = data + 5;
  SHOW(cudaIpcGetMemHandle(&again, middle));
  SHOW(cudaIpcOpenMemHandle((void**)&opened, handle, cudaIpcMemLazyEnablePeerAccess));
  SHOW(cudaIpcOpenMemHandle((void**)&opened, other, cudaIpcMemLazyEnablePeerAccess));
  SHOW(cudaIpcCloseMemHandle(data));
  SHOW(cudaIpcGetEventHandle(&event_handle, plain));
  SHOW(cudaIpcGetEventHandle(&event_handle, nullptr));
  SHOW(cudaIpcGetEventHandle(&event_handle, event));
  SHOW(cudaIpcOpenEventHandle(&plain, event_handle));
  SHOW(cudaEventCreateWithFlags(&plain, cudaEventInterprocess));
  CHECK(cudaMemset(data, 1, 1024));
  CHECK(cudaDeviceSynchronize());
  std::fflush(stdout);
  put(to_other, handle);
  put(to_other, event_handle);
  get<int>(from_other);  // it has both open
  CHECK(cudaFree(data));
  CHECK(cudaEventDestroy(event));
  put(to_other, handle);
  put(to_other, event_handle);
  get<int>(from_other);
}

void importer(int from_other, int to_other) {
  int *data, *opened, value;
  cudaEvent_t event;
  cudaIpcMemHandle_t again;
  cudaIpcEventHandle_t event_again;
  const auto handle = get<cudaIpcMemHandle_t>(from_other);
  const auto event_handle = get<cudaIpcEventHandle_t>(from_other);
  SHOW(cudaIpcOpenMemHandle((void**)&data, handle, 0));
  SHOW(cudaIpcOpenMemHandle(nullptr, handle, cudaIpcMemLazyEnablePeerAccess));
  SHOW(cudaIpcOpenMemHandle((void**)&data, handle, cudaIpcMemLazyEnablePeerAccess));
  cudaIpcMemHandle_t of_event;
  std::memcpy(&of_event, &event_handle, sizeof of_event);
  SHOW(cudaIpcOpenMemHandle((void**)&opened, of_event, cudaIpcMemLazyEnablePeerAccess));
  SHOW(cudaIpcOpenEventHandle(nullptr, event_handle));
  SHOW(cudaIpcOpenEventHandle(&event, event_handle));
  float milliseconds;
  SHOW(cudaEventElapsedTime(&milliseconds, event, event));
  SHOW(cudaIpcGetEventHandle(&event_again, event));
  SHOW(cudaIpcGetMemHandle(&again, data));
  SHOW(cudaFree(data));
  put(to_other, 1);
  get<cudaIpcMemHandle_t>(from_other);
  get<cudaIpcEventHandle_t>(from_other);
  CHECK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
  std::printf("freed there, it is still open here: %x\n", value);
  set<<<1, 1>>>(data, 3);
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaIpcCloseMemHandle(data));
  SHOW(cudaIpcCloseMemHandle(data));
  SHOW(cudaIpcOpenMemHandle((void**)&data, handle, cudaIpcMemLazyEnablePeerAccess));
  SHOW(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
  std::fflush(stdout);
  put(to_other, 2);
}

int main() {
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0) return 2;
  if (fork() == 0) return exporter(there[1], back[0]), 0;
  if (fork() == 0) return importer(there[0], back[1]), 0;
  for (int child = 0; child < 2; ++child) {
    int status = 0;
    wait(&status);
    if (status != 0) std::printf("a child ended with status %d\n", status);
  }
}
