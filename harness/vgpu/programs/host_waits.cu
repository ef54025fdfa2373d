// Hosts that wait for their device without a call, in memory that both reach; and one that computes for a short time
// meanwhile, which finds there what was there before, as always when it forgets to wait.
#include <chrono>
#include <cstdio>
#include <thread>

#include "check.cuh"

__global__ void raise(volatile int* flag, int value) {
  __threadfence_system();
  *flag = value;
}

/// Answers each number with its square, until it is given 0.
__global__ void answer(volatile int* question, volatile int* answers, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    while (question[0] != round) {
    }
    answers[1] = question[1] * question[1];
    __threadfence_system();
    answers[0] = round;
  }
}

void CUDART_CB note(void* data) { *static_cast<int*>(data) += 1; }

int main() {
  volatile int* memory;
  CHECK(cudaHostAlloc((void**)&memory, 8 * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < 8; ++i) memory[i] = 0;
  int called = 0;

  raise<<<1, 1>>>(memory, 7);
  CHECK(cudaLaunchHostFunc(0, note, &called));
  while (memory[0] == 0) {
  }
  std::printf("spinning: %d\n", memory[0]);
  CHECK(cudaDeviceSynchronize());
  std::printf("host functions: %d\n", called);

  answer<<<1, 1>>>(memory + 2, memory + 4, 3);
  for (int round = 1; round <= 3; ++round) {
    memory[3] = round + 10;
    __sync_synchronize();
    memory[2] = round;
    while (memory[4] != round) std::this_thread::yield();
    std::printf("asking: %d\n", memory[5]);
  }
  CHECK(cudaDeviceSynchronize());

  raise<<<1, 1>>>(memory + 6, 9);
  while (memory[6] == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::printf("sleeping: %d\n", memory[6]);

  raise<<<1, 1>>>(memory + 7, 1);
  const auto begin = std::chrono::steady_clock::now();
  unsigned long long state = 1;
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(100))
    for (int i = 0; i < 100000; ++i) state = state * 6364136223846793005u + 1442695040888963407u;
  std::printf("computing: %d\n", memory[7] + (state == 0 ? 1 : 0));
  CHECK(cudaDeviceSynchronize());
  std::printf("at last: %d\n", memory[7]);
  CHECK(cudaFreeHost((void*)memory));
}
