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

constexpr std::size_t kMostSamples = 1000;

double seconds_since(Clock::time_point begin) { return Seconds(Clock::now() - begin).count(); }

/// Functions of the runtime that only this file needs.
struct EventCalls {
  cudaError_t (*elapsed)(float*, cudaEvent_t, cudaEvent_t) = nullptr;
  cudaError_t (*attribute)(int*, cudaDeviceAttr, int) = nullptr;
  cudaError_t (*bus_id)(char*, int, int) = nullptr;
  cudaError_t (*reset_persisting)() = nullptr;            ///< null where there is no such cache
  cudaError_t (*set_limit)(cudaLimit, size_t) = nullptr;  ///< likewise

  /// The runtime was loaded for the whole process.
  bool find() {
    elapsed = reinterpret_cast<decltype(elapsed)>(dlsym(RTLD_DEFAULT, "cudaEventElapsedTime"));
    attribute = reinterpret_cast<decltype(attribute)>(dlsym(RTLD_DEFAULT, "cudaDeviceGetAttribute"));
    bus_id = reinterpret_cast<decltype(bus_id)>(dlsym(RTLD_DEFAULT, "cudaDeviceGetPCIBusId"));
    reset_persisting =
        reinterpret_cast<decltype(reset_persisting)>(dlsym(RTLD_DEFAULT, "cudaCtxResetPersistingL2Cache"));
    set_limit = reinterpret_cast<decltype(set_limit)>(dlsym(RTLD_DEFAULT, "cudaDeviceSetLimit"));
    return elapsed != nullptr && attribute != nullptr && bus_id != nullptr;
  }
};

/// What the driver's management library says of the device; nothing where there is none.
class DriverFacts {
 public:
  explicit DriverFacts(const EventCalls& calls) {
    library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    char bus[32] = "";
    if (library_ == nullptr || calls.bus_id(bus, sizeof(bus), 0) != cudaSuccess) return;
    const auto init = find<int (*)()>("nvmlInit_v2");
    const auto version = find<int (*)(char*, unsigned)>("nvmlSystemGetDriverVersion");
    const auto by_bus = find<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    if (init == nullptr || version == nullptr || by_bus == nullptr || init() != 0) return;
    char text[128] = "";
    if (version(text, sizeof(text)) == 0) version_ = text;
    if (by_bus(bus, &device_) != 0) device_ = nullptr;
    clock_ = find<int (*)(void*, int, unsigned*)>("nvmlDeviceGetClockInfo");
    default_clock_ = find<int (*)(void*, int, unsigned*)>("nvmlDeviceGetDefaultApplicationsClock");
    reasons_ = find<int (*)(void*, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
  }

  const std::string& version() const { return version_; }
  /// MHz; 0: not known.
  unsigned sm_clock() const { return ask(clock_); }
  unsigned default_sm_clock() const { return ask(default_clock_); }
  /// Bits of nvmlClocksThrottleReasons.
  unsigned long long throttle_reasons() const {
    unsigned long long reasons = 0;
    if (device_ == nullptr || reasons_ == nullptr || reasons_(device_, &reasons) != 0) return 0;
    return reasons;
  }

 private:
  static constexpr int kSmClock = 1;  // NVML_CLOCK_SM

  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(dlsym(library_, name));
  }
  unsigned ask(int (*call)(void*, int, unsigned*)) const {
    unsigned clock = 0;
    if (device_ == nullptr || call == nullptr || call(device_, kSmClock, &clock) != 0) return 0;
    return clock;
  }

  void* library_ = nullptr;  // stays loaded: the runtime uses it, too
  void* device_ = nullptr;
  std::string version_;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*default_clock_)(void*, int, unsigned*) = nullptr;
  int (*reasons_)(void*, unsigned long long*) = nullptr;
};

struct Sample {
  float milliseconds = 0;
  unsigned sm_clock = 0;
  unsigned long long throttle_reasons = 0;
};

class Sampler {
 public:
  Sampler(const CudaRuntime& runtime, const EventCalls& calls, const DriverFacts& driver, CaseMemory& memory,
          const LanewiseTaskEntry& entry)
      : runtime_(runtime), calls_(calls), driver_(driver), memory_(memory), entry_(entry) {}
  ~Sampler() {
    if (flushed_ != nullptr) runtime_.release(flushed_);
    for (cudaEvent_t event : {begin_, end_})
      if (event != nullptr) runtime_.destroy_event(event);
  }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  std::string prepare();
  std::string take_all(const SamplingPlan& plan);
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  std::string take_one(Sample& sample);

  const CudaRuntime& runtime_;
  const EventCalls& calls_;
  const DriverFacts& driver_;
  CaseMemory& memory_;
  const LanewiseTaskEntry& entry_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  void* flushed_ = nullptr;
  std::size_t flushed_bytes_ = 0;
  std::vector<Sample> samples_;
};

std::string Sampler::prepare() {
  int cache_bytes = 0;
  if (const cudaError_t error = calls_.attribute(&cache_bytes, cudaDevAttrL2CacheSize, 0); error != cudaSuccess)
    return describe_error(runtime_, "cudaDeviceGetAttribute", error);
  // A step that asked for persisting lines must not find them kept from its call before. Where this cannot be set
  // nothing can persist.
  if (calls_.set_limit != nullptr) calls_.set_limit(cudaLimitPersistingL2CacheSize, 0);
  runtime_.take_last_error();
  flushed_bytes_ = 2 * static_cast<std::size_t>(cache_bytes);
  if (const cudaError_t error = runtime_.allocate(&flushed_, flushed_bytes_); error != cudaSuccess)
    return describe_error(runtime_, "cudaMalloc", error);
  for (cudaEvent_t* event : {&begin_, &end_})
    if (const cudaError_t error = runtime_.create_event(event); error != cudaSuccess)
      return describe_error(runtime_, "cudaEventCreate", error);
  return "";
}

std::string Sampler::take_one(Sample& sample) {
  if (std::string failure = memory_.poison_outputs(); !failure.empty()) return failure;
  const LanewiseCall call = memory_.call();
  if (calls_.reset_persisting != nullptr) calls_.reset_persisting();
  // After the outputs, so that these are in memory, too.
  cudaError_t error = runtime_.fill(flushed_, static_cast<int>(samples_.size() & 0xFF), flushed_bytes_);
  if (error == cudaSuccess) error = runtime_.synchronise();
  runtime_.take_last_error();
  if (error == cudaSuccess) error = runtime_.record_event(begin_, nullptr);
  entry_.invoke(&call);
  const cudaError_t left = runtime_.take_last_error();
  if (error == cudaSuccess) error = left;
  if (error == cudaSuccess) error = runtime_.record_event(end_, nullptr);
  if (error == cudaSuccess) error = runtime_.synchronise();
  sample.sm_clock = driver_.sm_clock();
  sample.throttle_reasons = driver_.throttle_reasons();
  if (error == cudaSuccess) error = calls_.elapsed(&sample.milliseconds, begin_, end_);
  return error == cudaSuccess ? "" : describe_error(runtime_, "a timed call", error);
}

std::string Sampler::take_all(const SamplingPlan& plan) {
  const auto warming = Clock::now();
  do {
    Sample unused;
    if (std::string failure = take_one(unused); !failure.empty()) return failure;
  } while (seconds_since(warming) < plan.warm_up);

  const auto sampling = Clock::now();
  const auto is_enough = [&] {
    const std::size_t taken = samples_.size();
    const double seconds = seconds_since(sampling);
    if (taken >= kMostSamples || (taken >= plan.fewest && seconds >= plan.shortest)) return true;
    return taken >= plan.fewest_of_long && seconds >= plan.longest;
  };
  while (!is_enough()) {
    Sample sample;
    if (std::string failure = take_one(sample); !failure.empty()) return failure;
    samples_.push_back(sample);
  }
  return "";
}

}  // namespace

std::string take_samples(const CudaRuntime& runtime, CaseMemory& memory, const LanewiseTaskEntry& entry,
                         const SamplingPlan& plan, std::size_t number, const std::string& file) {
  EventCalls calls;
  if (!calls.find()) return "the CUDA runtime lacks functions that samples are taken with";
  const DriverFacts driver(calls);
  Sampler sampler(runtime, calls, driver, memory, entry);
  if (std::string failure = sampler.prepare(); !failure.empty()) return failure;
  if (std::string failure = sampler.take_all(plan); !failure.empty()) return failure;

  cudaDeviceProp properties{};
  int version = 0;
  runtime.get_device_properties(&properties, 0);
  runtime.runtime_version(&version);
  std::FILE* const stream = std::fopen(file.c_str(), "a");
  if (stream == nullptr) return file + " cannot be written";
  std::fprintf(stream, "problem %zu\ngpu %s\ndriver %s\ncuda %d.%d\ndefault_clock %u\n", number, properties.name,
               driver.version().c_str(), version / 1000, version % 1000 / 10, driver.default_sm_clock());
  for (const Sample& each : sampler.samples())
    std::fprintf(stream, "sample %.6f %u %llx\n", static_cast<double>(each.milliseconds), each.sm_clock,
                 each.throttle_reasons);
  return std::fclose(stream) == 0 ? "" : file + " cannot be written";
}

}  // namespace lanewise
