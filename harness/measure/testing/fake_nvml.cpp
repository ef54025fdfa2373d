// A management library of a made-up device that grows hotter and slower with every look at it.
#include <cstring>

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
int looks = 0;
int device_of_its_own;

}  // namespace

extern "C" {

int nvmlInit_v2() { return kSuccess; }
int nvmlShutdown() { return kSuccess; }

int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  if (length < 8) return kInvalidArgument;
  std::strcpy(version, "580.1.2");
  return kSuccess;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &device_of_its_own;
  return index == 0 ? kSuccess : kInvalidArgument;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  *device = &device_of_its_own;
  return std::strcmp(bus_id, "00000000:1B:00.0") == 0 ? kSuccess : kNotFound;
}

int nvmlDeviceGetClockInfo(void*, int kind, unsigned* clock) {
  if (kind != 1) return kNotSupported;
  *clock = 2000U - 100U * static_cast<unsigned>(looks++ % 10);  // and cools down, and starts anew
  return kSuccess;
}

int nvmlDeviceGetMaxClockInfo(void*, int kind, unsigned* clock) {
  *clock = kind == 2 ? 3201 : 1980;
  return kSuccess;
}

int nvmlDeviceGetDefaultApplicationsClock(void*, int, unsigned*) { return kNotSupported; }

int nvmlDeviceGetTemperature(void*, int, unsigned* temperature) {
  *temperature = 40U + static_cast<unsigned>(looks);
  return kSuccess;
}

// As a driver before 535 has it: the newer name is missing.
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = looks > 2 ? 0x24 : 0x1;
  return kSuccess;
}

int nvmlDeviceGetMemoryBusWidth(void*, unsigned* bits) {
  *bits = 6144;
  return kSuccess;
}

int nvmlDeviceGetNumGpuCores(void*, unsigned* cores) {
  *cores = 16896;
  return kSuccess;
}

}  // extern "C"
