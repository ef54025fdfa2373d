// CUDA events around a call; NVML for the clock they were taken at.
#include "harness/worker/sampling.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <vector>

namespace lanewise {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kWarmUp{0.3};  // until the clocks are up
constexpr Seconds kShortest{0.25};
constexpr Seconds kLongest{2};
constexpr std::size_t kFewestSamples = 15;
constexpr std::size_t kFewestOfLongCalls = 3;
constexpr std::size_t kMostSamples = 1000;

double seconds_since(Clock::time_point begin) { return Seconds(Clock::now() - begin).count(); }

/// Functions of the runtime that only this file needs.
struct EventCalls {
  cudaError_t (*elapsed)(float*, cudaEvent_t, cudaEvent_t) = nullptr;
  cudaError_t (*attribute)(int*, cudaDeviceAttr, int) = nullptr;
  cudaError_t (*bus_id)(char*, int, int) = nullptr;

  /// The runtime was loaded for the whole process.
  bool find() {
    elapsed = reinterpret_cast<decltype(elapsed)>(dlsym(RTLD_DEFAULT, "cudaEventElapsedTime"));
    attribute = reinterpret_cast<decltype(attribute)>(dlsym(RTLD_DEFAULT, "cudaDeviceGetAttribute"));
    bus_id = reinterpret_cast<decltype(bus_id)>(dlsym(RTLD_DEFAULT, "cudaDeviceGetPCIBusId"));
    return elapsed != nullptr && attribute != nullptr && bus_id != nullptr;
  }
};

/// What the driver's management library says of the device; nothing where there is none.
struct DriverFacts {
  std::string version;
  unsigned sm_clock = 0;  ///< MHz, now
};

DriverFacts ask_driver(const EventCalls& calls) {
  DriverFacts facts;
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  char bus[32] = "";
  if (library == nullptr || calls.bus_id(bus, sizeof(bus), 0) != cudaSuccess) return facts;
  constexpr int kSmClock = 1;  // NVML_CLOCK_SM
  const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  const auto version = reinterpret_cast<int (*)(char*, unsigned)>(dlsym(library, "nvmlSystemGetDriverVersion"));
  const auto by_bus =
      reinterpret_cast<int (*)(const char*, void**)>(dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
  const auto clock = reinterpret_cast<int (*)(void*, int, unsigned*)>(dlsym(library, "nvmlDeviceGetClockInfo"));
  if (init == nullptr || version == nullptr || by_bus == nullptr || clock == nullptr || init() != 0) return facts;
  char text[128] = "";
  if (version(text, sizeof(text)) == 0) facts.version = text;
  void* device = nullptr;
  if (by_bus(bus, &device) == 0) clock(device, kSmClock, &facts.sm_clock);
  return facts;
}

class Sampler {
 public:
  Sampler(const CudaRuntime& runtime, const EventCalls& calls, CaseMemory& memory, const LanewiseTaskEntry& entry)
      : runtime_(runtime), calls_(calls), memory_(memory), entry_(entry) {}
  ~Sampler() {
    if (flushed_ != nullptr) runtime_.release(flushed_);
    for (cudaEvent_t event : {begin_, end_})
      if (event != nullptr) runtime_.destroy_event(event);
  }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  std::string prepare();
  std::string take_all();
  const std::vector<float>& milliseconds() const { return milliseconds_; }

 private:
  std::string take_one(float& milliseconds);

  const CudaRuntime& runtime_;
  const EventCalls& calls_;
  CaseMemory& memory_;
  const LanewiseTaskEntry& entry_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  void* flushed_ = nullptr;
  std::size_t flushed_bytes_ = 0;
  std::vector<float> milliseconds_;
};

std::string Sampler::prepare() {
  int cache_bytes = 0;
  if (const cudaError_t error = calls_.attribute(&cache_bytes, cudaDevAttrL2CacheSize, 0); error != cudaSuccess)
    return describe_error(runtime_, "cudaDeviceGetAttribute", error);
  flushed_bytes_ = 2 * static_cast<std::size_t>(cache_bytes);
  if (const cudaError_t error = runtime_.allocate(&flushed_, flushed_bytes_); error != cudaSuccess)
    return describe_error(runtime_, "cudaMalloc", error);
  for (cudaEvent_t* event : {&begin_, &end_})
    if (const cudaError_t error = runtime_.create_event(event); error != cudaSuccess)
      return describe_error(runtime_, "cudaEventCreate", error);
  return "";
}

std::string Sampler::take_one(float& milliseconds) {
  if (std::string failure = memory_.poison_outputs(); !failure.empty()) return failure;
  const LanewiseCall call = memory_.call();
  // After the outputs, so that these are in memory, too.
  cudaError_t error = runtime_.fill(flushed_, static_cast<int>(milliseconds_.size() & 0xFF), flushed_bytes_);
  if (error == cudaSuccess) error = runtime_.synchronise();
  runtime_.take_last_error();
  if (error == cudaSuccess) error = runtime_.record_event(begin_, nullptr);
  entry_.invoke(&call);
  const cudaError_t left = runtime_.take_last_error();
  if (error == cudaSuccess) error = left;
  if (error == cudaSuccess) error = runtime_.record_event(end_, nullptr);
  if (error == cudaSuccess) error = runtime_.synchronise();
  if (error == cudaSuccess) error = calls_.elapsed(&milliseconds, begin_, end_);
  return error == cudaSuccess ? "" : describe_error(runtime_, "a timed call", error);
}

std::string Sampler::take_all() {
  float milliseconds = 0;
  const auto warming = Clock::now();
  do {
    if (std::string failure = take_one(milliseconds); !failure.empty()) return failure;
  } while (seconds_since(warming) < kWarmUp.count());

  const auto sampling = Clock::now();
  const auto is_enough = [&] {
    const std::size_t taken = milliseconds_.size();
    const double seconds = seconds_since(sampling);
    if (taken >= kMostSamples || (taken >= kFewestSamples && seconds >= kShortest.count())) return true;
    return taken >= kFewestOfLongCalls && seconds >= kLongest.count();
  };
  while (!is_enough()) {
    if (std::string failure = take_one(milliseconds); !failure.empty()) return failure;
    milliseconds_.push_back(milliseconds);
  }
  return "";
}

}  // namespace

std::string take_samples(const CudaRuntime& runtime, CaseMemory& memory, const LanewiseTaskEntry& entry,
                         const std::string& file) {
  EventCalls calls;
  if (!calls.find()) return "the CUDA runtime lacks functions that samples are taken with";
  Sampler sampler(runtime, calls, memory, entry);
  if (std::string failure = sampler.prepare(); !failure.empty()) return failure;
  if (std::string failure = sampler.take_all(); !failure.empty()) return failure;
  const DriverFacts facts = ask_driver(calls);

  cudaDeviceProp properties{};
  int version = 0;
  runtime.get_device_properties(&properties, 0);
  runtime.runtime_version(&version);
  std::FILE* const stream = std::fopen(file.c_str(), "w");
  if (stream == nullptr) return file + " cannot be written";
  std::fprintf(stream, "gpu %s\ndriver %s\ncuda %d.%d\nsm_clock %u\n", properties.name, facts.version.c_str(),
               version / 1000, version % 1000 / 10, facts.sm_clock);
  for (const float each : sampler.milliseconds()) std::fprintf(stream, "sample %.6f\n", static_cast<double>(each));
  return std::fclose(stream) == 0 ? "" : file + " cannot be written";
}

}  // namespace lanewise
