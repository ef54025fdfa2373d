// Processes that share device memory and events: a parent that has used no CUDA yet forks two children, who hand each
// other handles through pipes, and starts this program anew for what takes another program.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "check.cuh"

constexpr int kCount = 1 << 20, kThreads = 256, kAdditions = 20;

__device__ int own_counter = 100;

__global__ void fill(int* data, int n, int begin) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = begin + i;
}
__global__ void add(int* to, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}
__global__ void count(int* counter, int by) { atomicAdd(counter, by); }
__global__ void count_own() { ++own_counter; }
/// Two of them in different processes take turns until both have counted to the end.
__global__ void ping_pong(volatile int* turn, int own, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    while (*turn != 2 * round + own) {
    }
    __threadfence_system();
    *turn = 2 * round + own + 1;
  }
}

__global__ void signal(volatile int* own, volatile int* others, int value) {
  others[1] = value;
  __threadfence_system();
  others[0] = 1;
  while (own[0] == 0) {
  }
}

/// Both ends of a conversation, in two processes.
struct Pipe {
  int ends[2];
  Pipe() {
    if (pipe(ends) != 0) std::exit(2);
  }
  template <class T>
  void put(const T& value) const {
    if (write(ends[1], &value, sizeof value) != sizeof value) std::exit(2);
  }
  template <class T>
  T get() const {
    T value;
    for (size_t at = 0; at < sizeof value;) {
      const ssize_t got = read(ends[0], reinterpret_cast<char*>(&value) + at, sizeof value - at);
      if (got <= 0) std::exit(2);
      at += got;
    }
    return value;
  }
};

struct Shared {
  cudaIpcMemHandle_t data, counters;
  cudaIpcEventHandle_t filled, added;
};

void wait_for_all(int children) {
  for (int i = 0; i < children; ++i) {
    int status = 0;
    wait(&status);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) std::printf("a child ended with status %d\n", status);
  }
  std::fflush(stdout);
}

template <class Body>
void in_child(Body body) {
  std::fflush(stdout);
  if (fork() != 0) return;
  body();
  std::exit(0);
}

void exporter(const Pipe& to_other, const Pipe& to_this) {
  int *data, *counters;
  cudaEvent_t filled, added;
  cudaStream_t stream;
  Shared shared;
  CHECK(cudaMalloc(&data, kCount * sizeof(int)));
  CHECK(cudaMalloc(&counters, 3 * sizeof(int)));
  CHECK(cudaMemset(counters, 0, 3 * sizeof(int)));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming | cudaEventInterprocess));
  CHECK(cudaEventCreateWithFlags(&added, cudaEventDisableTiming | cudaEventInterprocess));
  CHECK(cudaIpcGetMemHandle(&shared.data, data));
  CHECK(cudaIpcGetMemHandle(&shared.counters, counters));
  CHECK(cudaIpcGetEventHandle(&shared.filled, filled));
  CHECK(cudaIpcGetEventHandle(&shared.added, added));
  fill<<<kCount / kThreads, kThreads, 0, stream>>>(data, kCount, 1);
  CHECK(cudaEventRecord(filled, stream));
  to_other.put(shared);  // nothing else says that it is filled

  to_this.get<int>();  // the other has recorded
  CHECK(cudaStreamWaitEvent(stream, added, 0));
  std::vector<int> host(kCount);
  CHECK(cudaMemcpyAsync(host.data(), data, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  bool right = true;
  for (int i = 0; i < kCount; ++i) right = right && host[i] == 1 + i + 10;
  std::printf("what the other has added is there: %s\n", right ? "yes" : "no");

  for (int i = 0; i < kAdditions; ++i) count<<<kThreads, kThreads>>>(counters, 1);
  CHECK(cudaDeviceSynchronize());
  ping_pong<<<1, 1>>>(counters + 1, 0, 100);
  CHECK(cudaDeviceSynchronize());
  to_this.get<int>();
  int counted[3];
  CHECK(cudaMemcpy(counted, counters, sizeof counted, cudaMemcpyDeviceToHost));
  std::printf("both have counted to %d, and in turns to %d\n", counted[0], counted[1]);
  std::fflush(stdout);
  to_other.put(0);

  to_this.get<int>();  // the other has closed everything
  count_own<<<1, 1>>>();
  int own;
  CHECK(cudaMemcpyFromSymbol(&own, own_counter, sizeof own));
  std::printf("a variable is each process's own: %d\n", own);
  CHECK(cudaEventDestroy(filled));
  CHECK(cudaEventDestroy(added));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(data));
  CHECK(cudaFree(counters));
}

void importer(const Pipe& to_this, const Pipe& to_other) {
  int *own, *data, *counters, *again;
  cudaEvent_t filled, added;
  cudaStream_t stream;
  CHECK(cudaMalloc(&own, kCount * sizeof(int)));
  CHECK(cudaStreamCreate(&stream));
  const Shared shared = to_this.get<Shared>();
  CHECK(cudaIpcOpenMemHandle((void**)&data, shared.data, cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcOpenMemHandle((void**)&counters, shared.counters, cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcOpenEventHandle(&filled, shared.filled));
  CHECK(cudaIpcOpenEventHandle(&added, shared.added));
  CHECK(cudaStreamWaitEvent(stream, filled, 0));
  std::vector<int> tens(kCount, 10);
  CHECK(cudaMemcpyAsync(own, tens.data(), kCount * sizeof(int), cudaMemcpyHostToDevice, stream));
  add<<<kCount / kThreads, kThreads, 0, stream>>>(data, own, kCount);
  CHECK(cudaEventRecord(added, stream));
  to_other.put(1);

  for (int i = 0; i < kAdditions; ++i) count<<<kThreads, kThreads>>>(counters, 1);
  CHECK(cudaDeviceSynchronize());
  ping_pong<<<1, 1>>>(counters + 1, 1, 100);
  CHECK(cudaDeviceSynchronize());
  to_other.put(2);

  to_this.get<int>();
  CHECK(cudaIpcOpenMemHandle((void**)&again, shared.data, cudaIpcMemLazyEnablePeerAccess));
  std::printf("opened twice, it is at one address: %s\n", again == data ? "yes" : "no");
  CHECK(cudaIpcCloseMemHandle(again));
  int first;
  CHECK(cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost));
  std::printf("closed once, it is still open: %d\n", first);
  CHECK(cudaEventSynchronize(filled));
  CHECK(cudaEventQuery(added));
  CHECK(cudaEventDestroy(filled));
  CHECK(cudaEventDestroy(added));
  CHECK(cudaIpcCloseMemHandle(data));
  CHECK(cudaIpcCloseMemHandle(counters));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(own));
  std::fflush(stdout);
  to_other.put(3);
}

/// This program, started anew with a handle on its standard input.
void started(const char* how) {
  cudaIpcMemHandle_t handle;
  if (read(STDIN_FILENO, &handle, sizeof handle) != sizeof handle) std::exit(2);
  int* data;
  CHECK(cudaIpcOpenMemHandle((void**)&data, handle, cudaIpcMemLazyEnablePeerAccess));
  if (std::strcmp(how, "dies") == 0) _exit(0);  // with all open
  fill<<<1, 32>>>(data, 32, 7);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaIpcCloseMemHandle(data));
}

void start_another(const char* self, const char* how, const cudaIpcMemHandle_t& handle) {
  std::fflush(stdout);
  FILE* const other = popen((std::string(self) + " " + how).c_str(), "w");
  std::fwrite(&handle, 1, sizeof handle, other);
  std::printf("another program that %s ends with %d\n", how, pclose(other));
}

void other_programs(const char* self) {
  int *data, host[32];
  cudaIpcMemHandle_t handle;
  CHECK(cudaMalloc(&data, sizeof host));  // which this process never writes
  CHECK(cudaIpcGetMemHandle(&handle, data));
  start_another(self, "dies", handle);
  start_another(self, "fills", handle);
  CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("it has filled in %d to %d\n", host[0], host[31]);
  CHECK(cudaFree(data));
}

/// Two processes, each on a device of its own, signal each other in the other's memory.
void on_two_devices(int device, const Pipe& to_this, const Pipe& to_other) {
  int *own, *others, values[2];
  cudaIpcMemHandle_t handle;
  CHECK(cudaSetDevice(device));
  CHECK(cudaMalloc(&own, sizeof values));
  CHECK(cudaMemset(own, 0, sizeof values));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaIpcGetMemHandle(&handle, own));
  to_other.put(handle);
  CHECK(cudaIpcOpenMemHandle((void**)&others, to_this.get<cudaIpcMemHandle_t>(), cudaIpcMemLazyEnablePeerAccess));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, others));
  signal<<<1, 1>>>(own, others, 100 + device);
  CHECK(cudaMemcpy(values, own, sizeof values, cudaMemcpyDeviceToHost));
  if (device == 1) to_this.get<int>();
  std::printf("device %d was told %d by the other, which is on device %d\n", device, values[1], attributes.device);
  CHECK(cudaIpcCloseMemHandle(others));
  std::fflush(stdout);
  to_other.put(0);
  if (device == 0) to_this.get<int>();
  CHECK(cudaFree(own));
}

/// For another process, which is not there.
void wait_in_vain() {
  int* turn;
  cudaIpcMemHandle_t handle;
  CHECK(cudaMalloc(&turn, sizeof(int)));
  CHECK(cudaIpcGetMemHandle(&handle, turn));
  CHECK(cudaMemset(turn, 1, sizeof(int)));
  ping_pong<<<1, 1>>>(turn, 0, 1);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "waits") == 0) return wait_in_vain(), 0;
  if (argc > 1 && std::strcmp(argv[1], "becomes another") == 0) {
    count_own<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    return execl(argv[0], argv[0], "leaves", nullptr);
  }
  if (argc > 1 && std::strcmp(argv[1], "leaves") == 0) {
    count_own<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  if (argc > 1) return started(argv[1]), 0;
  const Pipe there, back;
  int devices = 1;
  if (std::getenv("LANEWISE_VGPU_DEVICES") != nullptr) devices = std::atoi(std::getenv("LANEWISE_VGPU_DEVICES"));
  if (devices == 2) {  // which asking the runtime would tell, but then it would be used
    in_child([&] { on_two_devices(0, there, back); });
    in_child([&] { on_two_devices(1, back, there); });
    return wait_for_all(2), 0;
  }
  in_child([&] { exporter(there, back); });
  in_child([&] { importer(there, back); });
  wait_for_all(2);
  in_child([&] { other_programs(argv[0]); });
  wait_for_all(1);
}
