// Two processes that share memory and an event through the driver's API. Neither the parent nor the children have used
// CUDA when they are forked.
#include <sys/wait.h>
#include <unistd.h>

#include "driver_check.h"

namespace {

constexpr int kCount = 1000;

struct Shared {
  CUipcMemHandle memory;
  CUipcEventHandle event;
};

int begin() {
  CUdevice device;
  CUcontext context;
  NEED(cuInit(0));
  NEED(cuDeviceGet(&device, 0));
  NEED(cuDevicePrimaryCtxRetain(&context, device));
  NEED(cuCtxSetCurrent(context));
  return 0;
}

int exporter(int to_other, int from_other) {
  if (begin() != 0) return 1;
  CUdeviceptr memory, opened;
  CUevent event;
  Shared shared;
  NEED(cuMemAlloc(&memory, kCount * sizeof(int)));
  NEED(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  NEED(cuIpcGetMemHandle(&shared.memory, memory));
  NEED(cuIpcGetEventHandle(&shared.event, event));
  SHOW(cuIpcOpenMemHandle(&opened, shared.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  SHOW(cuIpcOpenEventHandle(&event, shared.event));
  SHOW(cuIpcCloseMemHandle(memory));
  NEED(cuMemsetD32(memory, 17, kCount));
  NEED(cuEventRecord(event, nullptr));
  std::fflush(stdout);
  if (write(to_other, &shared, sizeof shared) != sizeof shared) return 2;
  char done;
  if (read(from_other, &done, 1) != 1) return 2;
  int last = 0;
  NEED(cuMemcpyDtoH(&last, memory + (kCount - 1) * sizeof(int), sizeof last));
  std::printf("the other has written %d\n", last);
  NEED(cuEventDestroy(event));
  NEED(cuMemFree(memory));
  return 0;
}

int importer(int from_other, int to_other) {
  if (begin() != 0) return 1;
  CUdeviceptr memory;
  CUevent event;
  Shared shared;
  if (read(from_other, &shared, sizeof shared) != sizeof shared) return 2;
  NEED(cuIpcOpenMemHandle(&memory, shared.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  NEED(cuIpcOpenEventHandle(&event, shared.event));
  NEED(cuStreamWaitEvent(nullptr, event, 0));
  int first = 0;
  NEED(cuMemcpyDtoH(&first, memory, sizeof first));
  std::printf("there is %d\n", first);
  NEED(cuMemsetD32(memory, 18, kCount));
  NEED(cuCtxSynchronize());
  SHOW(cuMemFree(memory));
  NEED(cuEventDestroy(event));
  NEED(cuIpcCloseMemHandle(memory));
  std::fflush(stdout);
  return write(to_other, "!", 1) == 1 ? 0 : 2;
}

}  // namespace

int main() {
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0) return 2;
  if (fork() == 0) return exporter(there[1], back[0]);
  if (fork() == 0) return importer(there[0], back[1]);
  int worst = 0;
  for (int child = 0; child < 2; ++child) {
    int status = 0;
    wait(&status);
    worst = status != 0 ? 1 : worst;
  }
  return worst;
}
