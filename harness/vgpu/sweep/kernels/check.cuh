// What the kernels' main functions share: arrays on the device, inputs, and the comparison that decides.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

/// Ends the program with a code that is neither right nor wrong.
#define CHECK(call)                                             \
  do {                                                          \
    const cudaError_t error_ = (call);                          \
    if (error_ != cudaSuccess) {                                \
      std::printf("%s: %s\n", #call, cudaGetErrorName(error_)); \
      std::exit(2);                                             \
    }                                                           \
  } while (0)

/// An array on the device, of exactly as many elements as it has to have.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) { CHECK(cudaMalloc(&data_, count * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CHECK(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> values(count_);
    CHECK(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

/// Numbers from 1 to `most`, the same in every run.
inline std::vector<int> numbers(size_t count, unsigned most, unsigned seed) {
  std::vector<int> values(count);
  for (int& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<int>((seed >> 8) % most) + 1;
  }
  return values;
}

/// Waits for the kernels and compares; says where they differ first.
template <class T>
bool is_right(const char* what, const std::vector<T>& got, const std::vector<T>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (got[i] == expected[i]) continue;
    std::printf("%s: element %zu of %zu is %s instead of %s\n", what, i, expected.size(),
                std::to_string(got[i]).c_str(), std::to_string(expected[i]).c_str());
    return false;
  }
  return true;
}

inline void finish() {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}
