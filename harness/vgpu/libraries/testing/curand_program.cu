// What a program sees of cuRAND's host API. Prints the same on an H200 with NVIDIA's library.
#include <curand.h>

#include <cstdio>
#include <vector>

namespace {

__global__ void halve(float* data) { data[threadIdx.x] /= 2; }

void show(curandRngType_t type) {
  curandGenerator_t generator;
  if (curandCreateGenerator(&generator, type) != CURAND_STATUS_SUCCESS) return;
  curandSetPseudoRandomGeneratorSeed(generator, 1234);
  unsigned *words, first[3];
  float *floats, numbers[32];
  cudaMalloc(&words, sizeof first);
  cudaMalloc(&floats, sizeof numbers);
  curandGenerate(generator, words, 3);
  cudaMemcpy(first, words, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("%u %u %u\n", first[0], first[1], first[2]);

  // In a stream, between two kernels' work.
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  curandSetStream(generator, stream);
  curandSetGeneratorOffset(generator, 0);
  curandGenerateUniform(generator, floats, 32);
  halve<<<1, 32, 0, stream>>>(floats);
  cudaStreamSynchronize(stream);
  cudaMemcpy(numbers, floats, sizeof numbers, cudaMemcpyDeviceToHost);
  std::printf("%.9g %.9g\n", numbers[0] * 2, numbers[1] * 2);
  std::printf("an odd number of normal ones: %d\n", curandGenerateNormal(generator, floats, 31, 0, 1));
  std::printf("normal: %d", curandGenerateNormal(generator, floats, 32, 10, 1));
  cudaStreamSynchronize(stream);
  cudaMemcpy(numbers, floats, sizeof numbers, cudaMemcpyDeviceToHost);
  float sum = 0;
  for (float number : numbers) sum += number;
  std::printf(", about 10 on average: %s\n", sum / 32 > 9 && sum / 32 < 11 ? "yes" : "no");
  cudaFree(words);
  cudaFree(floats);
  cudaStreamDestroy(stream);
  curandDestroyGenerator(generator);
}

}  // namespace

int main() {
  show(CURAND_RNG_PSEUDO_DEFAULT);
  show(CURAND_RNG_PSEUDO_MRG32K3A);
  show(CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandGenerator_t host;
  curandCreateGeneratorHost(&host, CURAND_RNG_PSEUDO_XORWOW);
  curandSetPseudoRandomGeneratorSeed(host, 1234);
  unsigned first;
  curandGenerate(host, &first, 1);
  std::printf("on the host: %u\n", first);
  curandDestroyGenerator(host);
}
