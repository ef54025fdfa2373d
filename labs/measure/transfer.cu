// How long a copy between host and device takes, from pageable memory and from pinned: a fixed cost and a rate.
//
//   nvcc -std=c++17 -arch=sm_90 -lineinfo -cudart shared -o transfer labs/measure/transfer.cu
//   ./transfer 256                 on a GPU: up to 256 MiB
//   lanewise run -- ./transfer     on the virtual GPU
#include "measure.cuh"

namespace {

// A straight line t = fixed + bytes / rate through the points, by least squares of the *relative* errors: otherwise the
// largest copies alone would decide.
struct Line {
  double fixed = 0;     // milliseconds
  double per_byte = 0;  // likewise
};

Line fit(const std::vector<std::pair<double, double>>& points) {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [bytes, time] : points) {
    const double weight = 1 / (time * time);
    w += weight;
    x += weight * bytes;
    y += weight * time;
    xx += weight * bytes * bytes;
    xy += weight * bytes * time;
  }
  const double per_byte = (w * xy - x * y) / (w * xx - x * x);
  return {(y - per_byte * x) / w, per_byte};
}

std::string size_text(std::size_t bytes) {
  return bytes >> 20 != 0 ? std::to_string(bytes >> 20) + " MiB" : std::to_string(bytes >> 10) + " KiB";
}

void measure(const Arguments& arguments, const char* name, char* host, const DeviceArray<char>& device,
             cudaMemcpyKind kind) {
  Chart chart(arguments.csv, std::string("rate, ") + name, "GB/s");
  std::vector<std::pair<double, double>> points;
  for (std::size_t bytes = 1024; bytes <= device.bytes(); bytes *= 4) {
    const bool is_to_device = kind == cudaMemcpyHostToDevice;
    const double time = milliseconds([&] {
      CHECK(cudaMemcpy(is_to_device ? device.get() : host, is_to_device ? host : device.get(), bytes, kind));
    });
    points.emplace_back(static_cast<double>(bytes), time);
    chart.add(size_text(bytes), static_cast<double>(bytes) / time / 1e6);
  }
  chart.print();
  const Line line = fit(points);
  if (!arguments.csv)
    std::printf("  %.1f microseconds, and 1 GB in %.1f ms (%.1f GB/s)\n", 1000 * line.fixed, 1e9 * line.per_byte,
                1e-6 / line.per_byte);
}

}  // namespace

int main(int argument_count, char** argument_list) {
  const Arguments arguments = arguments_of(argument_count, argument_list, "MiB of the largest copy", 16, 4096);
  const std::size_t bytes = static_cast<std::size_t>(arguments.size) << 20;
  const DeviceArray<char> device(bytes);
  std::vector<char> pageable(bytes);
  char* pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, bytes));
  std::memset(pinned, 0, bytes);
  measure(arguments, "pageable, to the device", pageable.data(), device, cudaMemcpyHostToDevice);
  measure(arguments, "pinned, to the device", pinned, device, cudaMemcpyHostToDevice);
  measure(arguments, "pageable, to the host", pageable.data(), device, cudaMemcpyDeviceToHost);
  measure(arguments, "pinned, to the host", pinned, device, cudaMemcpyDeviceToHost);
  CHECK(cudaFreeHost(pinned));
}
