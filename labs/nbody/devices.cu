// Gravity on several GPUs: a worked example to read, run and change; none of it is to be submitted.
//
//   build/lanewise nvcc -std=c++17 -O2 -lineinfo -arch=sm_90 -o devices labs/nbody/devices.cu
//   build/lanewise run --devices 4 -- ./devices     on four virtual GPUs: 2048 bodies, 3 steps
//   ./devices 262144 10                             on all GPUs of a machine
//
// Every device holds all bodies, and moves a part of them: it needs all positions, but computes only its own part's
// accelerations. After each step, it sends its part to all others. Runs on 1, 2, 4, ... and then all devices, prints
// for each what a step takes, and ends with code 1 if a run does not give the same bits as that on one device, or is
// not what the CPU gives.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    const cudaError_t status = (call);                                                              \
    if (status != cudaSuccess) {                                                                    \
      std::fprintf(stderr, "devices.cu:%d: %s: %s\n", __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (false)

namespace {

constexpr int kThreads = 128;
constexpr float kSoftening2 = 0.25F * 0.25F;
constexpr float kTimeStep = 1.0F / 1024;

// Moves bodies first to first + count - 1: their velocity by their acceleration, then their position by their velocity.
// Reads the positions of all bodies from `now`, and stores those of its own part in `next`: a body that has moved must
// not attract those that have not.
__global__ void step_kernel(const float4* now, float4* next, float4* velocities, int n, int first, int count) {
  __shared__ float4 tile[kThreads];
  const int t = static_cast<int>(threadIdx.x);
  const int k = static_cast<int>(blockIdx.x) * kThreads + t;
  const float4 self = k < count ? now[first + k] : make_float4(0, 0, 0, 0);
  float ax = 0, ay = 0, az = 0;
  for (int begin = 0; begin < n; begin += kThreads) {
    tile[t] = begin + t < n ? now[begin + t] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 16
    for (int j = 0; j < kThreads; ++j) {
      const float dx = tile[j].x - self.x;
      const float dy = tile[j].y - self.y;
      const float dz = tile[j].z - self.z;
      const float inverse = rsqrtf(kSoftening2 + dx * dx + dy * dy + dz * dz);
      const float factor = tile[j].w * inverse * (inverse * inverse);
      ax += factor * dx;
      ay += factor * dy;
      az += factor * dz;
    }
    __syncthreads();
  }
  if (k >= count) return;
  float4 velocity = velocities[k];
  velocity.x += kTimeStep * ax;
  velocity.y += kTimeStep * ay;
  velocity.z += kTimeStep * az;
  velocities[k] = velocity;
  next[first + k] = make_float4(self.x + kTimeStep * velocity.x, self.y + kTimeStep * velocity.y,
                                self.z + kTimeStep * velocity.z, self.w);
}

// What one device has.
struct Device {
  int number = 0;
  int first = 0, count = 0;                // the part that it moves
  float4* bodies[2] = {nullptr, nullptr};  // all bodies: before a step and after it, by turns
  float4* velocities = nullptr;            // of its part
  cudaStream_t stream = nullptr;
  cudaEvent_t sent = nullptr;  // its part of this step has been computed, and has arrived everywhere
};

std::size_t bytes_of(int bodies) { return static_cast<std::size_t>(bodies) * sizeof(float4); }

std::vector<Device> make_devices(int count, const std::vector<float4>& bodies) {
  const int n = static_cast<int>(bodies.size());
  std::vector<Device> devices(static_cast<std::size_t>(count));
  for (int number = 0; number < count; ++number) {
    Device& device = devices[static_cast<std::size_t>(number)];
    device.number = number;
    device.first = static_cast<int>(std::int64_t{n} * number / count);  // parts differ by at most one body
    device.count = static_cast<int>(std::int64_t{n} * (number + 1) / count) - device.first;
    CHECK(cudaSetDevice(number));
    // Without access to one another's memory, copies between devices go through the host's: slower, but as right.
    for (int other = 0; other < count; ++other) {
      int is_possible = 0;
      if (other != number) CHECK(cudaDeviceCanAccessPeer(&is_possible, number, other));
      if (is_possible == 0) continue;
      const cudaError_t enabled = cudaDeviceEnablePeerAccess(other, 0);
      if (enabled == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();  // by an earlier run: no error for us
      } else {
        CHECK(enabled);
      }
    }
    for (float4*& each : device.bodies) CHECK(cudaMalloc(&each, bytes_of(n)));
    CHECK(cudaMalloc(&device.velocities, bytes_of(std::max(device.count, 1))));
    CHECK(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&device.sent, cudaEventDisableTiming));
    CHECK(cudaMemcpyAsync(device.bodies[0], bodies.data(), bytes_of(n), cudaMemcpyHostToDevice, device.stream));
    CHECK(cudaMemsetAsync(device.velocities, 0, bytes_of(std::max(device.count, 1)), device.stream));
    CHECK(cudaStreamSynchronize(device.stream));
  }
  return devices;
}

void free_devices(std::vector<Device>& devices) {
  for (Device& device : devices) {
    CHECK(cudaSetDevice(device.number));
    for (float4* const each : device.bodies) CHECK(cudaFree(each));
    CHECK(cudaFree(device.velocities));
    CHECK(cudaStreamDestroy(device.stream));
    CHECK(cudaEventDestroy(device.sent));
  }
}

// Every device waits until all parts of the step before have arrived. When `sent` has been recorded on all of them, all
// have also finished reading the positions from before that step: the arrays that hold these may be overwritten.
void wait_for_all(const std::vector<Device>& devices) {
  for (const Device& device : devices) {
    CHECK(cudaSetDevice(device.number));
    for (const Device& other : devices) CHECK(cudaStreamWaitEvent(device.stream, other.sent, 0));
  }
}

// One step: all devices at the same time, because no call here waits for a device.
void step(const std::vector<Device>& devices, int n, int now) {
  for (const Device& device : devices) {
    if (device.count == 0) continue;
    CHECK(cudaSetDevice(device.number));
    const int blocks = (device.count + kThreads - 1) / kThreads;
    step_kernel<<<blocks, kThreads, 0, device.stream>>>(device.bodies[now], device.bodies[1 - now], device.velocities,
                                                        n, device.first, device.count);
    CHECK(cudaGetLastError());
  }
  for (const Device& device : devices) {
    CHECK(cudaSetDevice(device.number));
    for (const Device& other : devices) {
      if (other.number == device.number || device.count == 0) continue;
      CHECK(cudaMemcpyPeerAsync(other.bodies[1 - now] + device.first, other.number,
                                device.bodies[1 - now] + device.first, device.number, bytes_of(device.count),
                                device.stream));
    }
    CHECK(cudaEventRecord(device.sent, device.stream));
  }
  wait_for_all(devices);
}

struct Run {
  std::vector<float4> bodies;
  float milliseconds = 0;  // of a step
};

Run run(int device_count, std::vector<float4> bodies, int steps) {
  const int n = static_cast<int>(bodies.size());
  std::vector<Device> devices = make_devices(device_count, bodies);
  // The first device's stream waits for all others in every step: two events in it measure all of them.
  CHECK(cudaSetDevice(0));
  cudaEvent_t begin = nullptr, end = nullptr;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin, devices[0].stream));
  for (int each = 0; each < steps; ++each) step(devices, n, each % 2);
  CHECK(cudaSetDevice(0));
  CHECK(cudaEventRecord(end, devices[0].stream));
  CHECK(cudaEventSynchronize(end));
  Run result;
  CHECK(cudaEventElapsedTime(&result.milliseconds, begin, end));
  result.milliseconds /= static_cast<float>(steps);
  result.bodies = std::move(bodies);
  // All devices hold all bodies: take them from the last one, which shows whether every part has arrived.
  CHECK(cudaSetDevice(device_count - 1));
  CHECK(cudaStreamSynchronize(devices.back().stream));
  CHECK(cudaMemcpy(result.bodies.data(), devices.back().bodies[steps % 2], bytes_of(n), cudaMemcpyDeviceToHost));
  CHECK(cudaSetDevice(0));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  for (const Device& device : devices) {
    CHECK(cudaSetDevice(device.number));
    CHECK(cudaStreamSynchronize(device.stream));
  }
  free_devices(devices);
  return result;
}

std::vector<float4> random_bodies(int n) {
  std::uint32_t state = 1;
  const auto draw = [&state] {  // from [0, 1)
    state = state * 1664525 + 1013904223;
    return static_cast<float>(state >> 8) / (1 << 24);
  };
  std::vector<float4> bodies(static_cast<std::size_t>(n));
  for (float4& body : bodies) body = {4 * draw() - 2, 4 * draw() - 2, 4 * draw() - 2, 0.5F + draw()};
  return bodies;
}

// The same steps on the CPU, in double; returns the largest difference of a coordinate.
double difference_from_cpu(std::vector<float4> bodies, int steps, const std::vector<float4>& got) {
  struct Body {
    double x[3], v[3], mass;
  };
  std::vector<Body> all;
  for (const float4& body : bodies) all.push_back({{body.x, body.y, body.z}, {0, 0, 0}, body.w});
  for (int each = 0; each < steps; ++each) {
    const std::vector<Body> now = all;
    for (Body& body : all) {
      const Body self = body;
      for (const Body& other : now) {
        double d[3], r2 = kSoftening2;
        for (int axis = 0; axis < 3; ++axis) r2 += (d[axis] = other.x[axis] - self.x[axis]) * d[axis];
        for (int axis = 0; axis < 3; ++axis) body.v[axis] += kTimeStep * other.mass * d[axis] / (r2 * std::sqrt(r2));
      }
      for (int axis = 0; axis < 3; ++axis) body.x[axis] += kTimeStep * body.v[axis];
    }
  }
  double most = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const float x[] = {got[i].x, got[i].y, got[i].z};
    for (int axis = 0; axis < 3; ++axis) most = std::max(most, std::abs(all[i].x[axis] - x[axis]));
  }
  return most;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 2048;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 3;
  if (n < 1 || steps < 1) {
    std::fprintf(stderr, "Usage: devices [BODIES [STEPS]]\n");
    return 2;
  }
  int available = 0;
  CHECK(cudaGetDeviceCount(&available));
  const std::vector<float4> bodies = random_bodies(n);

  std::vector<int> counts;
  for (int count = 1; count < available; count *= 2) counts.push_back(count);
  counts.push_back(available);
  run(available, bodies, 1);  // starts every device, so that the runs that are measured do not
  std::printf("%d bodies, %d steps\ndevices   ms per step   interactions per second   sent per step\n", n, steps);
  bool is_right = true;
  std::vector<float4> on_one;
  for (const int count : counts) {
    const Run result = run(count, bodies, steps);
    std::printf("%7d  %12.4f  %24.3e  %10.1f KB\n", count, result.milliseconds,
                static_cast<double>(n) * n / result.milliseconds * 1e3,
                static_cast<double>(bytes_of(n)) * (count - 1) / 1e3);
    if (on_one.empty()) on_one = result.bodies;
    if (std::memcmp(result.bodies.data(), on_one.data(), bytes_of(n)) != 0) {
      std::printf("  not what one device gives\n");
      is_right = false;
    }
  }
  if (static_cast<double>(n) * n * steps <= 1e9) {  // a few seconds of the CPU
    const double most = difference_from_cpu(bodies, steps, on_one);
    if (!(most < 1e-4)) {
      std::printf("off by up to %g from what the CPU gives\n", most);
      is_right = false;
    }
  }
  return is_right ? 0 : 1;
}
