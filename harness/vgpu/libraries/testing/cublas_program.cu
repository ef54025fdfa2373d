// What a program sees of cuBLAS: each function against a plain loop on the host, and what becomes of wrong arguments.
// Prints one line for each; the same on a GPU with NVIDIA's library, but for the parts marked "here".
#include <cublas_v2.h>
#include <sys/resource.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

cublasHandle_t handle;

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
  T* data = nullptr;
  size_t count;
};

/// Small whole numbers: products and sums of them are exact.
template <class T>
std::vector<T> numbers(size_t count, int seed) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = T(static_cast<int>((i * 7 + seed * 5) % 13) - 6);
  return values;
}

template <class T>
void compare(const char* what, const std::vector<T>& got, const std::vector<T>& wanted, double allowed = 0) {
  size_t wrong = 0;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!(std::abs(got[i] - wanted[i]) <= allowed)) ++wrong;
  if (wrong == 0)
    std::printf("%s: right\n", what);
  else
    std::printf("%s: %zu of %zu elements are wrong\n", what, wrong, wanted.size());
}

void say(const char* what, cublasStatus_t status) { std::printf("%s: %s\n", what, cublasGetStatusName(status)); }

constexpr int m = 19, n = 13, k = 23, ld = 29;  // none divides another, and rows do not touch

float element(const std::vector<float>& a, cublasOperation_t op, int row, int column) {
  return op == CUBLAS_OP_N ? a[column * ld + row] : a[row * ld + column];
}

void matrices() {
  const auto a = numbers<float>(ld * ld, 1), b = numbers<float>(ld * ld, 2), c = numbers<float>(ld * ld, 3);
  const float alpha = 2, beta = -1;
  for (auto op_a : {CUBLAS_OP_N, CUBLAS_OP_T})
    for (auto op_b : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      OnDevice<float> da(a), db(b), dc(c);
      cublasSgemm(handle, op_a, op_b, m, n, k, &alpha, da.data, ld, db.data, ld, &beta, dc.data, ld);
      auto wanted = c;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          float sum = 0;
          for (int l = 0; l < k; ++l) sum += element(a, op_a, i, l) * element(b, op_b, l, j);
          wanted[j * ld + i] = alpha * sum + beta * c[j * ld + i];
        }
      compare("gemm, and nothing between the columns", dc.back(), wanted);
    }

  // A beta of zero overwrites what is not a number.
  {
    std::vector<double> nan(m * n, NAN), left(m * k, 1), right(k * n, 2);
    OnDevice<double> da(left), db(right), dc(nan);
    const double one = 1, zero = 0;
    cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, da.data, m, db.data, k, &zero, dc.data, m);
    compare("gemm over NaN", dc.back(), std::vector<double>(m * n, 2.0 * k));
  }
  // What is solved is what was multiplied.
  for (auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
    for (auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
      for (auto op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
        auto triangle = numbers<double>(ld * ld, 4);
        for (int i = 0; i < ld; ++i) triangle[i * ld + i] = 16;
        const auto x = numbers<double>(m * n, 5);
        OnDevice<double> da(triangle), dx(x), dy(x);
        const double one = 1;
        cublasDtrmm(handle, side, fill, op, CUBLAS_DIAG_NON_UNIT, m, n, &one, da.data, ld, dx.data, m, dy.data, m);
        cublasDtrsm(handle, side, fill, op, CUBLAS_DIAG_NON_UNIT, m, n, &one, da.data, ld, dy.data, m);
        compare("trmm and trsm", dy.back(), x, 1e-9);
      }
  // geam transposes.
  {
    OnDevice<float> da(a), dc(c);
    const float one = 1, zero = 0;
    cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, da.data, ld, &zero, nullptr, m, dc.data, m);
    std::vector<float> wanted(m * n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) wanted[j * m + i] = a[i * ld + j];
    auto got = dc.back();
    got.resize(wanted.size());
    compare("geam", got, wanted);
  }
  // A batch is one product after another.
  {
    OnDevice<float> da(a), db(b), dc(c), dd(c);
    const float one = 1, zero = 0;
    cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 4, 5, &one, da.data, 3, 15, db.data, 5, 20, &zero,
                              dc.data, 3, 12, 7);
    for (int i = 0; i < 7; ++i)
      cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 4, 5, &one, da.data + 15 * i, 3, db.data + 20 * i, 5, &zero,
                  dd.data + 12 * i, 3);
    compare("gemmStridedBatched", dc.back(), dd.back());
    std::vector<const float*> lefts, rights;
    std::vector<float*> results;
    OnDevice<float> de(c);
    for (int i = 0; i < 7; ++i) {
      lefts.push_back(da.data + 15 * i);
      rights.push_back(db.data + 20 * i);
      results.push_back(de.data + 12 * i);
    }
    OnDevice<const float*> dl(lefts), dr(rights);
    OnDevice<float*> dt(results);
    cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 4, 5, &one, dl.data, 3, dr.data, 5, &zero, dt.data, 3, 7);
    compare("gemmBatched", de.back(), dd.back());
  }
  // Half of a symmetric update, and a product with it that reads that half alone.
  {
    std::vector<double> zeros(n * n, 0), wanted(n * n, 0);
    const auto x = numbers<double>(n * k, 6);
    OnDevice<double> dx(x), dc(zeros);
    const double one = 1, zero = 0;
    cublasDsyrk(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, n, k, &one, dx.data, n, &zero, dc.data, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i <= j; ++i)
        for (int l = 0; l < k; ++l) wanted[j * n + i] += x[l * n + i] * x[l * n + j];
    compare("syrk", dc.back(), wanted);
    std::vector<double> unit(n * n, 0);
    for (int i = 0; i < n; ++i) unit[i * n + i] = 1;
    OnDevice<double> du(unit), dy(zeros);
    cublasDsymm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, n, n, &one, dc.data, n, du.data, n, &zero, dy.data,
                n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < j; ++i) wanted[i * n + j] = wanted[j * n + i];
    compare("symm", dy.back(), wanted);
  }
}

/// With a factor of zero, nothing of what it multiplies is looked at, and it may be missing.
void factors_of_zero() {
  const std::vector<double> nan(ld * ld, NAN);
  const auto c = numbers<double>(ld * ld, 7);
  OnDevice<double> da(nan), zeros({0, 0});
  const double zero = 0, minus = -1;
  const auto upper = CUBLAS_FILL_MODE_UPPER;
  const auto negated = [&](bool half) {
    auto wanted = c;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < (half ? j + 1 : n); ++i) wanted[j * ld + i] *= -1;
    return wanted;
  };
  {
    OnDevice<double> dc(c);
    cublasDsymm(handle, CUBLAS_SIDE_LEFT, upper, n, n, &zero, da.data, ld, da.data, ld, &minus, dc.data, ld);
    compare("symm by zero", dc.back(), negated(false));
    cublasDsymm(handle, CUBLAS_SIDE_LEFT, upper, n, n, &zero, nullptr, ld, nullptr, ld, &minus, dc.data, ld);
    compare("symm by zero without matrices", dc.back(), c);
  }
  {
    OnDevice<double> dc(c);
    cublasDsyrk(handle, upper, CUBLAS_OP_N, n, k, &zero, da.data, ld, &minus, dc.data, ld);
    compare("syrk by zero", dc.back(), negated(true));
    cublasDsyr2k(handle, upper, CUBLAS_OP_N, n, k, &zero, nullptr, ld, nullptr, ld, &minus, dc.data, ld);
    compare("syr2k by zero without matrices", dc.back(), c);
  }
  {
    OnDevice<double> dm(std::vector<double>(m * n, NAN));
    cublasDtrmm(handle, CUBLAS_SIDE_LEFT, upper, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, m, n, &zero, da.data, ld, da.data,
                ld, dm.data, m);
    compare("trmm by zero", dm.back(), std::vector<double>(m * n, 0));
  }
  {
    OnDevice<double> dm(std::vector<double>(m * n, NAN));
    cublasDtrsm(handle, CUBLAS_SIDE_RIGHT, upper, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, m, n, &zero, da.data, ld, dm.data,
                m);
    compare("trsm by zero", dm.back(), std::vector<double>(m * n, 0));
  }
  {
    OnDevice<double> dy(std::vector<double>(n, 3));
    cublasDsymv(handle, upper, n, &zero, nullptr, ld, nullptr, 1, &minus, dy.data, 1);
    compare("symv by zero without matrices", dy.back(), std::vector<double>(n, -3));
    OnDevice<double> dc(c);
    cublasDsyr(handle, upper, n, &zero, da.data, 1, dc.data, ld);
    cublasDger(handle, n, n, &zero, da.data, 1, da.data, 1, dc.data, ld);
    compare("syr and ger by zero", dc.back(), c);
  }
  // Where the factor lies in device memory, it is zero only when the work is done.
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  OnDevice<double> dc(c), one({1});
  cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, k, zeros.data, da.data, ld, da.data, ld, one.data, dc.data, ld);
  cublasDsymm(handle, CUBLAS_SIDE_RIGHT, upper, n, n, zeros.data, da.data, ld, da.data, ld, one.data, dc.data, ld);
  cublasDsyr2k(handle, upper, CUBLAS_OP_N, n, k, zeros.data, da.data, ld, da.data, ld, one.data, dc.data, ld);
  cublasDgemv(handle, CUBLAS_OP_N, n, n, zeros.data, da.data, ld, da.data, 1, one.data, dc.data, 1);
  cublasDsyr(handle, upper, n, zeros.data, da.data, 1, dc.data, ld);
  cublasDger(handle, n, n, zeros.data, da.data, 1, da.data, 1, dc.data, ld);
  compare("by a zero of the device", dc.back(), c);
  cublasDgeam(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, one.data, dc.data, ld, zeros.data, da.data, ld, dc.data, ld);
  compare("geam with a zero of the device", dc.back(), c);
  cublasDtrmm(handle, CUBLAS_SIDE_LEFT, upper, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, n, zeros.data, da.data, ld,
              da.data, ld, da.data, ld);
  size_t cleared = 0;
  for (double value : da.back()) cleared += value == 0;
  std::printf("trmm by a zero of the device: %zu zeros, and should be %d\n", cleared, n * n);
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
}

/// Results over memory that nobody wrote, as a beta of zero allows.
void over_unwritten_memory() {
  OnDevice<double> factors({1, 0}), ones(std::vector<double>(ld * ld, 1));
  double *product, *column, *symmetric;
  cudaMalloc(&product, n * n * sizeof(double));
  cudaMalloc(&column, n * sizeof(double));
  cudaMalloc(&symmetric, n * n * sizeof(double));
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  const double *one = factors.data, *zero = factors.data + 1;
  cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, k, one, ones.data, ld, ones.data, ld, zero, product, n);
  cublasDgemv(handle, CUBLAS_OP_N, n, n, one, ones.data, ld, ones.data, 1, zero, column, 1);
  cublasDsymv(handle, CUBLAS_FILL_MODE_LOWER, n, one, ones.data, ld, ones.data, 1, zero, column, 1);
  cublasDsyrk(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, n, k, one, ones.data, ld, zero, symmetric, n);
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
  double sum = 0;
  cublasDasum(handle, n * n, product, 1, &sum);
  std::printf("gemm: %g, and should be %d\n", sum, n * n * k);
  cublasDasum(handle, n, column, 1, &sum);
  std::printf("symv: %g, and should be %d\n", sum, n * n);
  // One half was written: a product may use it, but not the other.
  const double by = 1, over = 0;
  cublasDsymm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, n, n, &by, symmetric, n, ones.data, ld, &over, product,
              n);
  cublasDasum(handle, n * n, product, 1, &sum);
  std::printf("symm: %g, and should be %d\n", sum, n * n * n * k);
  std::fflush(stdout);
  cublasDtrmv(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, symmetric, n, column, 1);
  cudaDeviceSynchronize();
  cudaFree(product);
  cudaFree(column);
  cudaFree(symmetric);
}

void vectors() {
  const auto x = numbers<double>(40, 1), y = numbers<double>(40, 2);
  OnDevice<double> dx(x), dy(y);
  double result = 0, wanted = 0;
  cublasDdot(handle, 20, dx.data, 2, dy.data, -1, &result);
  for (int i = 0; i < 20; ++i) wanted += x[2 * i] * y[19 - i];
  std::printf("dot: %g, and should be %g\n", result, wanted);
  cublasDasum(handle, 40, dx.data, 1, &result);
  wanted = 0;
  for (double value : x) wanted += std::fabs(value);
  std::printf("asum: %g, and should be %g\n", result, wanted);
  int index = 0;
  cublasIdamax(handle, 40, dx.data, 1, &index);
  std::printf("amax: %d\n", index);  // the first of several, from 1
  cublasDnrm2(handle, 40, dx.data, 1, &result);
  wanted = 0;
  for (double value : x) wanted += value * value;
  std::printf("nrm2: %.10g, and should be %.10g\n", result, std::sqrt(wanted));

  // Scalars and results may be the device's.
  OnDevice<double> scalars({3, 0});
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  cublasDaxpy(handle, 40, scalars.data, dx.data, 1, dy.data, 1);
  cublasDdot(handle, 40, dx.data, 1, dy.data, 1, scalars.data + 1);
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
  auto sum = y;
  wanted = 0;
  for (int i = 0; i < 40; ++i) {
    sum[i] += 3 * x[i];
    wanted += x[i] * sum[i];
  }
  compare("axpy", dy.back(), sum);
  std::printf("dot on the device: %g, and should be %g\n", scalars.back()[1], wanted);

  const auto a = numbers<double>(m * n, 3);
  OnDevice<double> da(a), dz(std::vector<double>(m, 1));
  const double one = 1;
  cublasDgemv(handle, CUBLAS_OP_N, m, n, &one, da.data, m, dx.data, 1, &one, dz.data, 1);
  std::vector<double> z(m, 1);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) z[i] += a[j * m + i] * x[j];
  compare("gemv", dz.back(), z);
  cublasDger(handle, m, n, &one, dz.data, 1, dx.data, 1, da.data, m);
  auto outer = a;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) outer[j * m + i] += z[i] * x[j];
  compare("ger", da.back(), outer);

  using Complex = std::complex<float>;
  const std::vector<Complex> left{{1, 2}, {3, -1}}, right{{0, 1}, {2, 2}};
  OnDevice<Complex> dl(left), dr(right);
  cuComplex inner;
  cublasCdotc(handle, 2, reinterpret_cast<cuComplex*>(dl.data), 1, reinterpret_cast<cuComplex*>(dr.data), 1, &inner);
  std::printf("dotc: %g%+gi\n", inner.x, inner.y);  // (1-2i)(i) + (3+i)(2+2i)
}

/// An array of which there can be no copy on the host.
void without_memory() {
  constexpr int kCount = 1 << 26;
  float *data, result;
  cudaMalloc(&data, kCount * sizeof(float));
  unsigned long pages = 0;
  if (FILE* const sizes = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(sizes, "%lu", &pages) != 1) pages = 0;
    std::fclose(sizes);
  }
  const rlim_t most = pages * 4096 + kCount;
  const rlimit little{most, most};
  setrlimit(RLIMIT_AS, &little);
  say("an array that the host has no room for", cublasSasum(handle, kCount, data, 1, &result));
  cudaFree(data);
}

__global__ void set(float* data, float value) { data[threadIdx.x] = value; }

void streams() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cublasSetStream(handle, stream);
  OnDevice<float> data(std::vector<float>(32, 0));
  const float two = 2;
  set<<<1, 32, 0, stream>>>(data.data, 5);
  cublasSscal(handle, 32, &two, data.data, 1);
  set<<<1, 16, 0, stream>>>(data.data, 7);
  cudaStreamSynchronize(stream);
  std::vector<float> wanted(32, 10);
  for (int i = 0; i < 16; ++i) wanted[i] = 7;
  compare("between two kernels of its stream", data.back(), wanted);
  cublasSetStream(handle, nullptr);
  cublasHandle_t other;
  cublasCreate(&other);
  cublasSetStream(other, stream);
  cudaStreamDestroy(stream);
  say("a handle after its stream", cublasDestroy(other));
}

void wrong() {
  OnDevice<float> small(std::vector<float>(16, 1));
  const float one = 1;
  float result;
  say("less than nothing, backwards", cublasSaxpy(handle, -3, &one, small.data, -1, small.data, -1));
  say("less than nothing copied", cublasScopy(handle, -3, small.data, -1, small.data, -1));
  const cuComplex unit{1, 0};
  auto* const complex = reinterpret_cast<cuComplex*>(small.data);
  say("herk of a transposed matrix",
      cublasCherk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, 2, 2, &one, complex, 2, &one, complex + 4, 2));
  say("syrk of an adjoint matrix",
      cublasCsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, 2, 2, &unit, complex, 2, &unit, complex + 4, 2));
  say("a leading dimension below the rows",
      cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, small.data, 3, small.data, 4, &one, small.data, 4));
  say("no handle", cublasSscal(nullptr, 4, &one, small.data, 1));
  say("past the end, here", cublasSasum(handle, 17, small.data, 1, &result));
  constexpr int kMany = 400000, kMost = 0x7fffffff;
  say("more than there can be, here",
      cublasSgemv(handle, CUBLAS_OP_N, kMany, kMany, &one, small.data, kMany, small.data, 1, &one, small.data, 1));
  const double unity = 1;
  auto* const doubles = reinterpret_cast<double*>(small.data);
  say("more than there are addresses, here",
      cublasDgemv(handle, CUBLAS_OP_N, kMost, kMost, &unity, doubles, kMost, doubles, 1, &unity, doubles, 1));
  say("of the host, here", cublasSasum(handle, 1, &one, 1, &result));
  cudaGetLastError();
  compare("what is left", small.back(), std::vector<float>(16, 1));
}

}  // namespace

int main(int argc, char** argv) {
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  const char* const what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "refused") == 0) {
    std::printf("begin\n");
    int pivots, info;
    cublasSgetrfBatched(handle, 1, nullptr, 1, &pivots, &info, 1);
    std::printf("end\n");
  } else if (std::strcmp(what, "uninitialised") == 0) {
    float *data, result;
    cudaMalloc(&data, 64);
    cudaMemset(data, 0, 32);
    cublasSasum(handle, 16, data, 1, &result);
    cublasSasum(handle, 15, data, 1, &result);
    cudaFree(data);
  } else if (std::strcmp(what, "unwritten") == 0) {
    over_unwritten_memory();
  } else if (std::strcmp(what, "memory") == 0) {
    without_memory();
  } else {
    matrices();
    factors_of_zero();
    vectors();
    streams();
    if (std::strcmp(what, "gpu") != 0) wrong();
  }
  cublasDestroy(handle);
}
