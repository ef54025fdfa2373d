// What the programs of this folder share: error checks, arrays in device memory, times, and charts as text.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (false)

/// `count` elements of device memory, all bytes 0.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    CHECK(cudaMalloc(&data_, bytes()));
    CHECK(cudaMemset(data_, 0, bytes()));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CHECK(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* get() const { return data_; }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// The median time of `work` on the device, between two events around each of `samples` calls. A first call, which
/// loads the kernel and warms the caches, does not count.
inline double milliseconds(const std::function<void()>& work, int samples = 3) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  work();
  std::vector<float> times;
  for (int sample = 0; sample < samples; ++sample) {
    CHECK(cudaEventRecord(begin));
    work();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&times.emplace_back(), begin, end));
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Nanoseconds between two events in a stream that is idle when the first is recorded.
inline double nanoseconds_once(const std::function<void()>& work, cudaStream_t stream = nullptr) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaEventRecord(begin, stream));
  work();
  CHECK(cudaEventRecord(end, stream));
  CHECK(cudaEventSynchronize(end));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK(cudaGetLastError());
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return 1e6 * static_cast<double>(milliseconds);
}

/// The median of three, each followed by `after`, whose time does not count. A first one loads code and warms caches.
inline double nanoseconds(
    const std::function<void()>& work, cudaStream_t stream = nullptr, const std::function<void()>& after = [] {}) {
  double times[3];
  nanoseconds_once(work, stream);
  after();
  for (double& time : times) {
    time = nanoseconds_once(work, stream);
    after();
  }
  std::sort(times, times + 3);
  return times[1];
}

/// What each more takes, if `work` does so many.
inline double nanoseconds_each(const std::function<void(int)>& work, int few, int many, cudaStream_t stream = nullptr) {
  const double short_time = nanoseconds([&] { work(few); }, stream);
  return (nanoseconds([&] { work(many); }, stream) - short_time) / (many - few);
}

/// The device's cudaDevAttr... of that name.
inline int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

inline double clocks_per_millisecond() { return attribute(cudaDevAttrClockRate); }  // which is in kHz

/// What a program is told on its command line: `--csv`, and a number that scales it.
struct Arguments {
  bool csv = false;
  long size = 0;
};

/// Ends the program with code 2 if the command line makes no sense. `what` says what the number is: "MiB to copy".
inline Arguments arguments_of(int count, char** arguments, const char* what, long usual, long most) {
  Arguments result;
  result.size = usual;
  for (int i = 1; i < count; ++i) {
    char* end = nullptr;
    if (std::strcmp(arguments[i], "--csv") == 0) {
      result.csv = true;
      continue;
    }
    result.size = std::strtol(arguments[i], &end, 10);
    if (*arguments[i] != '\0' && *end == '\0' && result.size >= 1 && result.size <= most) continue;
    std::fprintf(stderr, "usage: %s [--csv] [NUMBER]\n  NUMBER  %s, 1 to %ld; %ld if not given\n", arguments[0], what,
                 most, usual);
    std::exit(2);
  }
  return result;
}

/// Numbers with labels, as bars of text or as lines for a spreadsheet.
class Chart {
 public:
  Chart(bool csv, std::string title, std::string unit) : csv_(csv), title_(std::move(title)), unit_(std::move(unit)) {}

  void add(const std::string& label, double value) { rows_.emplace_back(label, value); }
  void add(long label, double value) { add(std::to_string(label), value); }

  void print() const {
    constexpr int kWidth = 50;
    double greatest = 0;
    std::size_t widest = 0;
    for (const auto& [label, value] : rows_) {
      greatest = std::max(greatest, value);
      widest = std::max(widest, label.size());
    }
    if (!csv_) std::printf("\n%s, in %s\n", title_.c_str(), unit_.c_str());
    for (const auto& [label, value] : rows_) {
      if (csv_) {
        std::printf("\"%s\",\"%s\",\"%s\",%.6g\n", title_.c_str(), unit_.c_str(), label.c_str(), value);
        continue;
      }
      const int bar = greatest > 0 ? static_cast<int>(kWidth * value / greatest + 0.5) : 0;
      std::printf("  %*s  %-*s %.4g\n", static_cast<int>(widest), label.c_str(), kWidth,
                  std::string(static_cast<std::size_t>(bar), '#').c_str(), value);
    }
  }

 private:
  bool csv_;
  std::string title_, unit_;
  std::vector<std::pair<std::string, double>> rows_;
};
