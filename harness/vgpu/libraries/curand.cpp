// cuRAND's host API: generators of pseudorandom numbers in device memory, and in that of the host.
#include <cmath>
#include <memory>
#include <string>

#include "harness/vgpu/libraries/device_work.h"
#include "harness/vgpu/libraries/random_sequences.h"

using namespace vgpu::libraries;

namespace {

/// As curandStatus_t, curandRngType_t and curandOrdering_t have them.
enum : int {
  kSuccess = 0,
  kNotInitialized = 101,
  kTypeError = 103,
  kOutOfRange = 104,
  kLengthNotMultiple = 105,
  kLaunchFailure = 201
};
enum : int { kDefault = 100, kXorwow = 101, kMrg32k3a = 121, kPhilox = 161 };
enum : int { kBest = 100, kDefaultOrder = 101, kLegacy = 103 };

constexpr int kVersion = 10400;

struct Generator {
  int type = kXorwow;
  bool on_host = false;
  cudaStream_t stream = nullptr;
  std::uint64_t seed = 0, offset = 0;
  /// Shared with what is queued; made when it is first needed, anew after the seed or the offset was set.
  std::shared_ptr<std::unique_ptr<RandomSequence>> sequence = std::make_shared<std::unique_ptr<RandomSequence>>();

  void begin_anew() { sequence = std::make_shared<std::unique_ptr<RandomSequence>>(); }
};

std::unique_ptr<RandomSequence> make_sequence(int type, std::uint64_t seed, std::uint64_t offset) {
  if (type == kMrg32k3a) return mrg32k3a_sequence(seed, offset);
  if (type == kPhilox) return philox_sequence(seed, offset);
  return xorwow_sequence(seed, offset);
}

int create(const char* function, Generator** generator, int type, bool on_host) {
  if (generator == nullptr) return kOutOfRange;
  if (type == kDefault) type = kXorwow;
  if (type != kXorwow && type != kMrg32k3a && type != kPhilox)
    refuse_function("cuRAND", function, (" for a generator of type " + std::to_string(type)).c_str());
  *generator = new Generator{type, on_host};
  return kSuccess;
}

/// `fill` makes `count` numbers of the sequence.
template <class T, class Fill>
int generate(const char* function, Generator* generator, T* to, std::size_t count, Fill fill) {
  if (generator == nullptr) return kNotInitialized;
  if (count == 0) return kSuccess;
  const auto make = [type = generator->type, seed = generator->seed, offset = generator->offset,
                     sequence = generator->sequence, count, fill](T* numbers) {
    if (*sequence == nullptr) *sequence = make_sequence(type, seed, offset);
    fill(**sequence, numbers, count);
  };
  if (generator->on_host) {
    make(to);
    return kSuccess;
  }
  auto work = std::make_unique<DeviceWork>("cuRAND", function);
  T* const numbers = work->operand(to, count, 1, count, kVgpuWrites);
  return DeviceWork::queue(std::move(work), generator->stream, [make, numbers] { make(numbers); }) == cudaSuccess
             ? kSuccess
             : kLaunchFailure;
}

/// Normal numbers come in pairs.
template <class T>
int generate_normal(const char* function, Generator* generator, T* to, std::size_t count, T mean, T deviation,
                    bool takes_exponential) {
  if (generator != nullptr && count % 2 != 0) return kLengthNotMultiple;
  return generate(function, generator, to, count, [=](RandomSequence& sequence, T* numbers, std::size_t n) {
    sequence.normal(numbers, n);
    for (std::size_t i = 0; i < n; ++i) {
      const T value = mean + deviation * numbers[i];
      numbers[i] = takes_exponential ? std::exp(value) : value;
    }
  });
}

}  // namespace

VGPU_LIBRARY_API int curandCreateGenerator(Generator** generator, int type) {
  return create("curandCreateGenerator", generator, type, false);
}
VGPU_LIBRARY_API int curandCreateGeneratorHost(Generator** generator, int type) {
  return create("curandCreateGeneratorHost", generator, type, true);
}
VGPU_LIBRARY_API int curandDestroyGenerator(Generator* generator) {
  if (generator == nullptr) return kNotInitialized;
  delete generator;
  return kSuccess;
}
VGPU_LIBRARY_API int curandGetVersion(int* version) {
  if (version == nullptr) return kOutOfRange;
  *version = kVersion;
  return kSuccess;
}
VGPU_LIBRARY_API int curandGetProperty(int type, int* value) {
  constexpr int kParts[] = {kVersion / 1000, kVersion / 100 % 10, kVersion % 100};
  if (type < 0 || type > 2 || value == nullptr) return kOutOfRange;
  *value = kParts[type];
  return kSuccess;
}
VGPU_LIBRARY_API int curandSetStream(Generator* generator, cudaStream_t stream) {
  if (generator == nullptr) return kNotInitialized;
  generator->stream = stream;
  return kSuccess;
}
VGPU_LIBRARY_API int curandSetPseudoRandomGeneratorSeed(Generator* generator, unsigned long long seed) {
  if (generator == nullptr) return kNotInitialized;
  generator->seed = seed;
  generator->begin_anew();
  return kSuccess;
}
VGPU_LIBRARY_API int curandSetGeneratorOffset(Generator* generator, unsigned long long offset) {
  if (generator == nullptr) return kNotInitialized;
  generator->offset = offset;
  generator->begin_anew();
  return kSuccess;
}
/// The default, the best and the legacy order are one for these generators.
VGPU_LIBRARY_API int curandSetGeneratorOrdering(Generator* generator, int order) {
  if (generator == nullptr) return kNotInitialized;
  if (order != kBest && order != kDefaultOrder && order != kLegacy)
    refuse_function("cuRAND", "curandSetGeneratorOrdering", " for a seeded or a dynamic order");
  return kSuccess;
}
/// Numbers are made when they are asked for.
VGPU_LIBRARY_API int curandGenerateSeeds(Generator* generator) {
  return generator != nullptr ? kSuccess : kNotInitialized;
}

VGPU_LIBRARY_API int curandGenerate(Generator* generator, unsigned* to, std::size_t count) {
  return generate("curandGenerate", generator, to, count,
                  [](RandomSequence& sequence, unsigned* numbers, std::size_t n) { sequence.words(numbers, n); });
}
VGPU_LIBRARY_API int curandGenerateLongLong(Generator* generator, unsigned long long*, std::size_t) {
  return generator != nullptr ? kTypeError : kNotInitialized;  // for 64-bit quasirandom generators alone
}
VGPU_LIBRARY_API int curandGenerateUniform(Generator* generator, float* to, std::size_t count) {
  return generate("curandGenerateUniform", generator, to, count,
                  [](RandomSequence& sequence, float* numbers, std::size_t n) { sequence.uniform(numbers, n); });
}
VGPU_LIBRARY_API int curandGenerateUniformDouble(Generator* generator, double* to, std::size_t count) {
  return generate("curandGenerateUniformDouble", generator, to, count,
                  [](RandomSequence& sequence, double* numbers, std::size_t n) { sequence.uniform(numbers, n); });
}
VGPU_LIBRARY_API int curandGenerateNormal(Generator* generator, float* to, std::size_t count, float mean,
                                          float deviation) {
  return generate_normal("curandGenerateNormal", generator, to, count, mean, deviation, false);
}
VGPU_LIBRARY_API int curandGenerateNormalDouble(Generator* generator, double* to, std::size_t count, double mean,
                                                double deviation) {
  return generate_normal("curandGenerateNormalDouble", generator, to, count, mean, deviation, false);
}
VGPU_LIBRARY_API int curandGenerateLogNormal(Generator* generator, float* to, std::size_t count, float mean,
                                             float deviation) {
  return generate_normal("curandGenerateLogNormal", generator, to, count, mean, deviation, true);
}
VGPU_LIBRARY_API int curandGenerateLogNormalDouble(Generator* generator, double* to, std::size_t count, double mean,
                                                   double deviation) {
  return generate_normal("curandGenerateLogNormalDouble", generator, to, count, mean, deviation, true);
}
