// NVML, found at run time: machines without a GPU have none, and a worker's device is not this process's business.
#include "harness/measure/clock_log.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "harness/lab/number_text.h"

namespace lanewise::measure {
namespace {

// Names and numbers of NVML's interface ("NVML API Reference Guide", nvml.h of driver 580).
constexpr int kSuccess = 0;
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr int kTemperatureGpu = 0;

struct Reason {
  std::uint64_t bit;
  const char* words;
};
constexpr Reason kReasons[] = {{0x004, "power limit"},  {0x008, "hardware slowdown"}, {0x010, "sync boost"},
                               {0x020, "heat"},         {0x040, "heat (hardware)"},   {0x080, "power brake"},
                               {0x100, "display clock"}};

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

std::string range(unsigned least, unsigned most, const char* unit) {
  if (least == most) return fmt::format("{} {}", with_commas(most), unit);
  return fmt::format("{}–{} {}", with_commas(least), with_commas(most), unit);
}

void widen(unsigned seen, unsigned& least, unsigned& most) {
  if (seen == 0) return;
  least = least == 0 ? seen : std::min(least, seen);
  most = std::max(most, seen);
}

}  // namespace

struct ClockLog::Calls {
  void* device = nullptr;
  int (*init)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, void**) = nullptr;
  int (*by_bus_id)(const char*, void**) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*max_clock)(void*, int, unsigned*) = nullptr;
  int (*default_clock)(void*, int, unsigned*) = nullptr;
  int (*temperature)(void*, int, unsigned*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;
  int (*bus_width)(void*, unsigned*) = nullptr;
  int (*cores)(void*, unsigned*) = nullptr;

  // NVML is left started: to start it again costs a tenth of a second.
  bool open(const std::string& name, const std::string& bus_id) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    find(library, "nvmlInit_v2", init);
    find(library, "nvmlSystemGetDriverVersion", driver_version);
    find(library, "nvmlDeviceGetCount_v2", count);
    find(library, "nvmlDeviceGetHandleByIndex_v2", by_index);
    find(library, "nvmlDeviceGetHandleByPciBusId_v2", by_bus_id);
    find(library, "nvmlDeviceGetClockInfo", clock);
    find(library, "nvmlDeviceGetMaxClockInfo", max_clock);
    find(library, "nvmlDeviceGetDefaultApplicationsClock", default_clock);
    find(library, "nvmlDeviceGetTemperature", temperature);
    find(library, "nvmlDeviceGetCurrentClocksEventReasons", reasons);
    if (reasons == nullptr) find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", reasons);  // before driver 535
    find(library, "nvmlDeviceGetMemoryBusWidth", bus_width);
    find(library, "nvmlDeviceGetNumGpuCores", cores);
    return init != nullptr && init() == kSuccess && find_device(bus_id);
  }

  bool find_device(const std::string& bus_id) {
    if (!bus_id.empty()) return by_bus_id != nullptr && by_bus_id(bus_id.c_str(), &device) == kSuccess;
    unsigned devices = 0;
    return count != nullptr && by_index != nullptr && count(&devices) == kSuccess && devices == 1 &&
           by_index(0, &device) == kSuccess;
  }

  // 0 where a call is missing or has no answer.
  unsigned ask(int (*call)(void*, int, unsigned*), int what) const {
    unsigned value = 0;
    return call != nullptr && call(device, what, &value) == kSuccess ? value : 0;
  }
  unsigned ask(int (*call)(void*, unsigned*)) const {
    unsigned value = 0;
    return call != nullptr && call(device, &value) == kSuccess ? value : 0;
  }
};

ClockLog::ClockLog(const std::string& bus_id, const std::string& library) : calls_(std::make_unique<Calls>()) {
  if (!calls_->open(library, bus_id)) {
    calls_.reset();
    return;
  }
  char version[128] = "";
  if (calls_->driver_version != nullptr && calls_->driver_version(version, sizeof(version)) == kSuccess)
    facts_.driver_version = version;
  facts_.highest_clock = calls_->ask(calls_->max_clock, kClockSm);
  facts_.default_clock = calls_->ask(calls_->default_clock, kClockSm);
  facts_.device.memory_clock = calls_->ask(calls_->max_clock, kClockMemory);
  facts_.device.bus_bits = calls_->ask(calls_->bus_width);
  facts_.device.cores = calls_->ask(calls_->cores);
  facts_.device.sm_clock = facts_.highest_clock;
}

ClockLog::~ClockLog() = default;

bool ClockLog::is_known() const { return calls_ != nullptr; }

ClockReading ClockLog::read() {
  ClockReading reading;
  if (!is_known()) return reading;
  reading.sm_clock = calls_->ask(calls_->clock, kClockSm);
  reading.temperature = calls_->ask(calls_->temperature, kTemperatureGpu);
  unsigned long long reasons = 0;
  if (calls_->reasons != nullptr && calls_->reasons(calls_->device, &reasons) == kSuccess) reading.throttling = reasons;
  widen(reading.sm_clock, least_.sm_clock, most_.sm_clock);
  widen(reading.temperature, least_.temperature, most_.temperature);
  most_.throttling |= reading.throttling;
  return reading;
}

std::string ClockLog::summary() const {
  if (most_.sm_clock == 0) return "";
  std::string text = range(least_.sm_clock, most_.sm_clock, "MHz");
  if (most_.temperature > 0) text += ", " + range(least_.temperature, most_.temperature, "°C");
  const std::string reasons = throttle_reasons(most_.throttling);
  return text + (reasons.empty() ? ", no throttling" : ", throttled: " + reasons);
}

std::string throttle_reasons(std::uint64_t throttling) {
  std::string text;
  for (const Reason& reason : kReasons)
    if ((throttling & reason.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.words);
  return text;
}

}  // namespace lanewise::measure
