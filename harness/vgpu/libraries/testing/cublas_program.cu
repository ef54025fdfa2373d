// What a program sees of cuBLAS: each function against a plain loop on the host, and what becomes of wrong arguments.
// Prints one line for each; the same on a GPU with NVIDIA's library, but for the parts marked "here".
#include <cublas_v2.h>

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
  cudaStreamDestroy(stream);
}

void wrong() {
  OnDevice<float> small(std::vector<float>(16, 1));
  const float one = 1;
  float result;
  say("a leading dimension below the rows",
      cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, small.data, 3, small.data, 4, &one, small.data, 4));
  say("no handle", cublasSscal(nullptr, 4, &one, small.data, 1));
  say("past the end, here", cublasSasum(handle, 17, small.data, 1, &result));
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
    cudaFree(data);
  } else {
    matrices();
    vectors();
    streams();
    if (std::strcmp(what, "gpu") != 0) wrong();
  }
  cublasDestroy(handle);
}
