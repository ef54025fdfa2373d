// For the programs that run CUDA's libraries: arrays on the device, test data, and a verdict of one line an algorithm
// and size.
#pragma once

#include <cstdint>
#include <vector>

#include "check.cuh"

/// Memory of exactly so many elements, so that whoever reads or writes one more is found out.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t size) : size_(size) { CHECK(cudaMalloc(&data_, size * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CHECK(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  std::vector<T> first(size_t count) const {
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  std::vector<T> values() const { return first(size_); }
  T value() const { return first(1)[0]; }

 private:
  T* data_ = nullptr;
  size_t size_;
};

/// Calls a CUB algorithm as they all want to be called: first for the size of its workspace, then with it.
template <class Call>
void with_workspace(Call call) {
  size_t bytes = 0;
  CHECK(call(nullptr, bytes));
  const DeviceArray<char> workspace(bytes);
  CHECK(call(workspace.data(), bytes));
}

/// A number that looks random, the same for the same `i`.
inline std::uint64_t scrambled(std::uint64_t i) {
  i = (i + 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
  i = (i ^ i >> 27) * 0x94D049BB133111EBull;
  return i ^ i >> 31;
}

/// `make(i)` for every i below n.
template <class Make>
auto numbers(size_t n, Make make) {
  std::vector<decltype(make(std::uint64_t{}))> values;
  for (size_t i = 0; i < n; ++i) values.push_back(make(i));
  return values;
}

template <class T>
void verdict(const char* what, size_t n, const std::vector<T>& got, const std::vector<T>& expected) {
  size_t wrong = 0, first = 0;
  for (size_t i = expected.size(); i-- > 0;)
    if (i >= got.size() || !(got[i] == expected[i])) ++wrong, first = i;
  if (got.size() != expected.size())
    std::printf("%s n=%zu: %zu elements instead of %zu\n", what, n, got.size(), expected.size());
  else if (wrong != 0)
    std::printf("%s n=%zu: %zu elements wrong, the first at %zu\n", what, n, wrong, first);
  else
    std::printf("%s n=%zu: ok 0x%016llx\n", what, n, digest(got.data(), got.size() * sizeof(T)));
}

template <class T>
void verdict(const char* what, size_t n, const T& got, const T& expected) {
  verdict(what, n, std::vector<T>{got}, std::vector<T>{expected});
}
