// What a program sees of cuFFT: each kind of transform against the sum by definition on the host, in every layout, and
// what becomes of wrong arguments. Prints one line for each; the same on a GPU with NVIDIA's library, but for the parts
// marked "here".
#include <cufft.h>
#include <cufftXt.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

/// A copy in device memory, brought back on request.
template <class T>
struct OnDevice {
  explicit OnDevice(const std::vector<T>& values) : count(values.size()) {
    cudaMalloc(&data, count * sizeof(T));
    cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~OnDevice() { cudaFree(data); }
  std::vector<T> back() const {
    std::vector<T> values(count);
    cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }
  /// As cuFFT's functions take it.
  template <class U>
  U* as() const {
    return reinterpret_cast<U*>(data);
  }
  T* data = nullptr;
  size_t count;
};

double number(size_t i) { return static_cast<double>(i * 7919 % 1009) / 504.5 - 1; }
std::vector<Z> numbers(size_t count) {
  std::vector<Z> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = {number(2 * i), number(2 * i + 1)};
  return values;
}
std::vector<Z> reals(size_t count) {
  std::vector<Z> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = number(i);
  return values;
}

/// By definition, along one dimension after the other.
std::vector<Z> transformed(std::vector<Z> x, const std::vector<size_t>& lengths, int sign) {
  size_t stride = 1;
  for (size_t d = lengths.size(); d-- > 0; stride *= lengths[d]) {
    const size_t n = lengths[d];
    std::vector<Z> sums(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t k = i / stride % n, first = i - k * stride;
      for (size_t j = 0; j < n; ++j)
        sums[i] += x[first + j * stride] * std::polar(1.0, sign * 2 * M_PI * (j * k % n) / n);
    }
    x = sums;
  }
  return x;
}
std::vector<Z> scaled(std::vector<Z> x, double factor) {
  for (Z& value : x) value *= factor;
  return x;
}

template <class T>
std::vector<T> to(const std::vector<Z>& x) {
  std::vector<T> values;
  for (const Z& value : x)
    if constexpr (std::is_floating_point_v<T>)
      values.push_back(static_cast<T>(value.real()));
    else
      values.push_back(T(value));
  return values;
}
/// The first half of each line, which has the rest in it if the line's elements were real.
std::vector<Z> half(const std::vector<Z>& x, size_t line) {
  std::vector<Z> kept;
  for (size_t i = 0; i < x.size(); ++i)
    if (i % line <= line / 2) kept.push_back(x[i]);
  return kept;
}

template <class T>
void compare(const char* what, const std::vector<T>& got, const std::vector<Z>& wanted) {
  const double allowed = sizeof(T) == sizeof(float) || std::is_same_v<T, C> ? 1e-6 : 1e-15;
  double error = 0, size = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    error += std::norm(Z(got[i]) - wanted[i]);
    size += std::norm(wanted[i]);
  }
  if (got.size() == wanted.size() && std::sqrt(error) <= allowed * std::sqrt(size))
    std::printf("%s: right\n", what);
  else
    std::printf("%s: wrong, relative error %g\n", what, std::sqrt(error / size));
}

void say(const char* what, cufftResult status) { std::printf("%s: %d\n", what, status); }

void lines() {
  for (int n : {1, 2, 8, 60, 121, 127, 131, 1024}) {
    const auto x = numbers(n);
    OnDevice<C> from(to<C>(x)), result(to<C>(x));
    cufftHandle plan;
    cufftPlan1d(&plan, n, CUFFT_C2C, 1);
    cufftExecC2C(plan, from.as<cufftComplex>(), result.as<cufftComplex>(), CUFFT_FORWARD);
    compare("1-D", result.back(), transformed(x, {size_t(n)}, -1));
    cufftExecC2C(plan, result.as<cufftComplex>(), result.as<cufftComplex>(), CUFFT_INVERSE);
    compare("and back in place", result.back(), scaled(x, n));
    compare("what was read", from.back(), to<Z>(numbers(n)));
    cufftDestroy(plan);
  }
  // Real lines of either parity; in place, a line of reals is as long as that of its sums.
  for (int n : {7, 12}) {
    constexpr int kBatch = 3;
    const size_t kept = n / 2 + 1;
    const auto x = reals(n * kBatch);
    std::vector<Z> sums, padded(2 * kept * kBatch);
    for (int b = 0; b < kBatch; ++b) {
      const auto line = half(transformed({x.begin() + b * n, x.begin() + (b + 1) * n}, {size_t(n)}, -1), n);
      sums.insert(sums.end(), line.begin(), line.end());
      for (int i = 0; i < n; ++i) padded[2 * kept * b + i] = x[n * b + i];
    }
    cufftHandle forward, inverse;
    cufftPlan1d(&forward, n, CUFFT_R2C, kBatch);
    cufftPlan1d(&inverse, n, CUFFT_C2R, kBatch);
    OnDevice<float> from(to<float>(x)), back(to<float>(x)), both(to<float>(padded));
    OnDevice<C> result(to<C>(sums));
    cufftExecR2C(forward, from.data, result.as<cufftComplex>());
    compare("real to complex", result.back(), sums);
    cufftExecC2R(inverse, result.as<cufftComplex>(), back.data);
    compare("complex to real", back.back(), scaled(x, n));
    cufftExecR2C(forward, both.data, both.as<cufftComplex>());
    const auto in_place = both.back();
    std::vector<C> found(in_place.size() / 2);
    std::memcpy(found.data(), in_place.data(), in_place.size() * sizeof(float));
    compare("real to complex in place", found, sums);
    cufftExecC2R(inverse, both.as<cufftComplex>(), both.data);
    auto again = both.back();
    std::vector<float> kept_reals;
    for (size_t i = 0; i < again.size(); ++i)
      if (i % (2 * kept) < size_t(n)) kept_reals.push_back(again[i]);
    compare("and back in place", kept_reals, scaled(x, n));
    cufftDestroy(forward);
    cufftDestroy(inverse);
  }
}

void more_dimensions() {
  {
    const auto x = numbers(6 * 10);
    OnDevice<Z> data(x);
    cufftHandle plan;
    cufftPlan2d(&plan, 6, 10, CUFFT_Z2Z);
    cufftExecZ2Z(plan, data.as<cufftDoubleComplex>(), data.as<cufftDoubleComplex>(), CUFFT_FORWARD);
    compare("2-D", data.back(), transformed(x, {6, 10}, -1));
    cufftDestroy(plan);
  }
  {
    const auto x = numbers(4 * 3 * 5);
    OnDevice<C> data(to<C>(x));
    cufftHandle plan;
    cufftPlan3d(&plan, 4, 3, 5, CUFFT_C2C);
    cufftExecC2C(plan, data.as<cufftComplex>(), data.as<cufftComplex>(), CUFFT_INVERSE);
    compare("3-D, inverse", data.back(), transformed(x, {4, 3, 5}, 1));
    cufftDestroy(plan);
  }
  // A batch of real arrays.
  {
    int lengths[] = {4, 3, 6};
    constexpr size_t kEach = 4 * 3 * 6;
    const auto x = reals(2 * kEach);
    std::vector<Z> sums;
    for (size_t b = 0; b < 2; ++b) {
      const std::vector<Z> one(x.begin() + b * kEach, x.begin() + (b + 1) * kEach);
      for (const Z& sum : half(transformed(one, {4, 3, 6}, -1), 6)) sums.push_back(sum);
    }
    OnDevice<double> from(to<double>(x)), back(to<double>(x));
    OnDevice<Z> result(sums);
    cufftHandle forward, inverse;
    size_t size;
    cufftPlanMany(&forward, 3, lengths, nullptr, 1, 0, nullptr, 1, 0, CUFFT_D2Z, 2);
    cufftCreate(&inverse);
    cufftMakePlanMany(inverse, 3, lengths, nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2D, 2, &size);
    cufftExecD2Z(forward, from.data, result.as<cufftDoubleComplex>());
    compare("3-D of reals", result.back(), sums);
    cufftExecZ2D(inverse, result.as<cufftDoubleComplex>(), back.data);
    compare("and back", back.back(), scaled(x, kEach));
    cufftDestroy(forward);
    cufftDestroy(inverse);
  }
}

void layouts() {
  // Columns of a matrix: neighbours of a line lie a row apart.
  {
    constexpr int kLength = 12, kBatch = 5;
    const auto x = numbers(kLength * kBatch);
    auto wanted = x;
    for (int b = 0; b < kBatch; ++b) {
      std::vector<Z> line;
      for (int i = 0; i < kLength; ++i) line.push_back(x[i * kBatch + b]);
      line = transformed(line, {kLength}, -1);
      for (int i = 0; i < kLength; ++i) wanted[i * kBatch + b] = line[i];
    }
    OnDevice<C> data(to<C>(x));
    int n = kLength;
    cufftHandle plan;
    cufftPlanMany(&plan, 1, &n, &n, kBatch, 1, &n, kBatch, 1, CUFFT_C2C, kBatch);
    cufftExecC2C(plan, data.as<cufftComplex>(), data.as<cufftComplex>(), CUFFT_FORWARD);
    compare("columns", data.back(), wanted);
    cufftDestroy(plan);
  }
  // A part of every other element of larger arrays, into another part: what lies between stays.
  {
    long long lengths[] = {3, 4, 5}, from_embed[] = {3, 5, 7}, to_embed[] = {3, 4, 6};
    constexpr size_t kFrom = 2 * 3 * 5 * 7 + 9, kTo = 3 * 3 * 4 * 6 + 4;
    const auto x = numbers(2 * kFrom);
    std::vector<Z> wanted(2 * kTo, Z(1, 2));
    for (size_t b = 0; b < 2; ++b) {
      std::vector<Z> one;
      for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 4; ++j)
          for (size_t k = 0; k < 5; ++k) one.push_back(x[b * kFrom + ((i * 5 + j) * 7 + k) * 2]);
      one = transformed(one, {3, 4, 5}, 1);
      size_t at = 0;
      for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 4; ++j)
          for (size_t k = 0; k < 5; ++k) wanted[b * kTo + ((i * 4 + j) * 6 + k) * 3] = one[at++];
    }
    OnDevice<Z> from(x), result(std::vector<Z>(2 * kTo, Z(1, 2)));
    cufftHandle plan;
    size_t size;
    cufftCreate(&plan);
    cufftMakePlanMany64(plan, 3, lengths, from_embed, 2, kFrom, to_embed, 3, kTo, CUFFT_Z2Z, 2, &size);
    cufftExecZ2Z(plan, from.as<cufftDoubleComplex>(), result.as<cufftDoubleComplex>(), CUFFT_INVERSE);
    compare("parts of larger arrays", result.back(), wanted);
    cufftDestroy(plan);
  }
  // Windows that overlap.
  {
    constexpr int kLength = 8, kStep = 3, kBatch = 4, kKept = kLength / 2 + 1;
    const auto x = reals(kLength + kStep * (kBatch - 1));
    std::vector<Z> wanted;
    for (int b = 0; b < kBatch; ++b) {
      const std::vector<Z> window(x.begin() + b * kStep, x.begin() + b * kStep + kLength);
      for (const Z& sum : half(transformed(window, {kLength}, -1), kLength)) wanted.push_back(sum);
    }
    OnDevice<float> from(to<float>(x));
    OnDevice<C> result(to<C>(wanted));
    int n = kLength, kept = kKept;
    cufftHandle plan;
    cufftPlanMany(&plan, 1, &n, &n, 1, kStep, &kept, 1, kKept, CUFFT_R2C, kBatch);
    cufftExecR2C(plan, from.data, result.as<cufftComplex>());
    compare("windows that overlap", result.back(), wanted);
    cufftDestroy(plan);
  }
}

__global__ void fill(cufftComplex* data, float value) { data[threadIdx.x] = {value, 0}; }

void streams() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  OnDevice<C> data(std::vector<C>(8, 0));
  cufftHandle plan;
  size_t size = 1;
  cufftCreate(&plan);
  say("no work area by itself", cufftSetAutoAllocation(plan, 0));
  say("a stream before the plan is made", cufftSetStream(plan, stream));
  say("made", cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &size));
  void* area = nullptr;
  cudaMalloc(&area, size);
  say("a work area", cufftSetWorkArea(plan, area));
  fill<<<1, 8, 0, stream>>>(data.as<cufftComplex>(), 5);
  cufftExecC2C(plan, data.as<cufftComplex>(), data.as<cufftComplex>(), CUFFT_FORWARD);
  fill<<<1, 4, 0, stream>>>(data.as<cufftComplex>() + 4, 7);
  cudaStreamSynchronize(stream);
  compare("between two kernels of its stream", data.back(), {40, 0, 0, 0, 7, 7, 7, 7});
  cufftDestroy(plan);
  cudaFree(area);
  cudaStreamDestroy(stream);
}

void wrong() {
  OnDevice<C> small(std::vector<C>(16, 1));
  auto* const data = small.as<cufftComplex>();
  cufftHandle plan = 0, other = 0;
  size_t size;
  int n = 8;
  say("no place for the plan", cufftPlan1d(nullptr, 8, CUFFT_C2C, 1));
  say("no elements", cufftPlan1d(&plan, 0, CUFFT_C2C, 1));
  say("no type", cufftMakePlan1d(12345, 8, static_cast<cufftType>(1), 1, &size));
  say("four dimensions", cufftPlanMany(&plan, 4, &n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1));
  say("no plan", cufftExecC2C(12345, data, data, CUFFT_FORWARD));
  say("a plan of 8", cufftPlan1d(&plan, 8, CUFFT_C2C, 2));
  say("made twice", cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &size));
  say("no direction", cufftExecC2C(plan, data, data, 0));
  say("no data", cufftExecC2C(plan, nullptr, data, CUFFT_FORWARD));
  cufftCreate(&other);
  say("not made", cufftExecC2C(other, data, data, CUFFT_FORWARD));
  say("past the end, here", cufftExecC2C(plan, data, data + 1, CUFFT_FORWARD));
  std::vector<cufftComplex> host(16);
  say("of the host, here", cufftExecC2C(plan, host.data(), data, CUFFT_FORWARD));
  cudaGetLastError();
  compare("what is left", small.back(), std::vector<Z>(16, 1));
  say("destroyed", cufftDestroy(plan));
  say("destroyed twice", cufftDestroy(plan));
  say("destroyed though it never was", cufftDestroy(CUFFT_PLAN_NULL));
  cufftDestroy(other);
}

/// Of a line of 8 reals in place, the two behind it may be anything; of a line of 16, half is missing.
void over_unwritten_memory() {
  float* data;
  cudaMalloc(&data, 18 * sizeof(float));
  cudaMemset(data, 0, 8 * sizeof(float));
  for (int n : {8, 16}) {
    cufftHandle plan;
    cufftPlan1d(&plan, n, CUFFT_R2C, 1);
    cufftExecR2C(plan, data, reinterpret_cast<cufftComplex*>(data));
    cufftDestroy(plan);
  }
  cudaDeviceSynchronize();
  cudaFree(data);
}

/// Arrays with gaps after every line and every plane: so many planes, so many pieces of memory.
void in_pieces(int planes) {
  int lengths[] = {planes, 2, 2}, embed[] = {planes, 3, 3};
  const auto x = numbers(9 * planes);
  std::vector<Z> dense, wanted = x;
  const auto place = [](int i) { return i / 4 * 9 + i / 2 % 2 * 3 + i % 2; };
  for (int i = 0; i < 4 * planes; ++i) dense.push_back(x[place(i)]);
  dense = transformed(dense, {size_t(planes), 2, 2}, -1);
  for (int i = 0; i < 4 * planes; ++i) wanted[place(i)] = dense[i];
  OnDevice<Z> data(x);
  cufftHandle plan;
  cufftPlanMany(&plan, 3, lengths, embed, 1, 0, embed, 1, 0, CUFFT_Z2Z, 1);
  cufftExecZ2Z(plan, data.as<cufftDoubleComplex>(), data.as<cufftDoubleComplex>(), CUFFT_FORWARD);
  compare("in pieces", data.back(), wanted);
  cufftDestroy(plan);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "refused") == 0) {
    cufftHandle plan;
    cufftPlan1d(&plan, 8, CUFFT_C2C, 1);
    std::printf("begin\n");
    cufftXtExec(plan, nullptr, nullptr, CUFFT_FORWARD);
    std::printf("end\n");
  } else if (std::strcmp(what, "unwritten") == 0) {
    over_unwritten_memory();
  } else if (std::strcmp(what, "pieces") == 0) {
    in_pieces(512);
    in_pieces(513);
  } else {
    lines();
    more_dimensions();
    layouts();
    streams();
    if (std::strcmp(what, "gpu") != 0) wrong();
  }
}
