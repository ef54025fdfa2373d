// More of C++ on the device: recursion, function pointers, virtual functions, structs by value, local arrays, malloc
// and new, switch tables, 64-bit and double arithmetic, bit intrinsics.
#include <vector>

#include "check.cuh"

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Rectangle : Shape {
  float a, b;
  __device__ Rectangle(float x, float y) : a(x), b(y) {}
  __device__ float area() const override { return a * b; }
};

__device__ __noinline__ long long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

using Operation = float (*)(float, float);
__device__ __noinline__ float add(float a, float b) { return a + b; }
__device__ __noinline__ float multiply(float a, float b) { return a * b; }
__device__ __noinline__ float power(float a, float b) { return b <= 0 ? 1.0f : a * power(a, b - 1); }
__device__ Operation operations[3] = {add, multiply, power};

struct Matrix2 {
  double a, b, c, d;
};
__device__ __noinline__ Matrix2 product(Matrix2 x, Matrix2 y) {
  return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

__global__ void objects(float* out) {
  Shape* shape = threadIdx.x % 2 == 0 ? static_cast<Shape*>(new Square(threadIdx.x)) : new Rectangle(threadIdx.x, 2.0f);
  out[threadIdx.x] = shape->area();
  delete shape;
}

__global__ void recursion(long long* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 13); }

__global__ void pointers(float* out) {
  const int i = threadIdx.x;
  out[i] = operations[i % 3](1.0f + i / 8.0f, static_cast<float>(i % 5));
}

__global__ void structs(double* out) {
  Matrix2 step{1, 1, 1, 0}, total{1, 0, 0, 1};
  for (int i = 0; i < static_cast<int>(threadIdx.x); ++i) total = product(total, step);
  out[threadIdx.x] = total.b;
}

__global__ void local_arrays(int* out, int rounds) {
  int digits[10] = {};
  unsigned value = threadIdx.x * 2654435761u + 12345;
  for (int i = 0; i < rounds; ++i) {
    ++digits[value % 10];
    value = value / 10 * 7 + i;
  }
  int best = 0;
  for (int d = 1; d < 10; ++d)
    if (digits[d] > digits[best]) best = d;
  out[threadIdx.x] = best * 100 + digits[best];
}

__global__ void integers(unsigned long long* out, long long seed) {
  const int i = threadIdx.x;
  const unsigned x = static_cast<unsigned>(seed) * (i + 1) ^ 0x9E3779B9u;
  unsigned long long mix = __umulhi(x, 0x85EBCA6Bu);
  mix = mix * 31 + __popc(x);
  mix = mix * 31 + __clz(x);
  mix = mix * 31 + __ffs(x);
  mix = mix * 31 + __brev(x);
  mix = mix * 31 + __byte_perm(x, ~x, 0x5140 + i);
  mix = mix * 31 + __funnelshift_l(x, ~x, i);
  mix = mix * 31 + static_cast<unsigned>(__dp4a(static_cast<int>(x), static_cast<int>(x >> 3), i));
  mix = mix * 31 + __sad(static_cast<int>(x), i, 7u);
  mix = mix * 31 + static_cast<unsigned long long>(static_cast<long long>(seed * (i - 16)) / (i + 3));
  mix = mix * 31 + static_cast<unsigned long long>(static_cast<long long>(seed * (i - 16)) % (i + 3));
  mix = mix * 31 + x / (i + 1) + x % (i + 1);
  mix = mix * 31 + __umul64hi(mix, 0xC2B2AE3D27D4EB4Full);
  mix = mix * 31 + static_cast<unsigned>(__mulhi(static_cast<int>(x), -12345));
  mix = mix * 31 + __popcll(mix) + __clzll(mix);
  out[i] = mix;
}

__global__ void floats(float* out, double* wide, float seed) {
  const int i = threadIdx.x;
  const float x = seed * (i + 1) - 7.25f;
  float* o = out + i * 12;
  o[0] = x * x + 3.0f;
  o[1] = __fmul_rn(x, x) + 3.0f;
  o[2] = 1.0f / x;
  o[3] = sqrtf(fabsf(x));
  o[4] = __fadd_rz(x, 1e-7f);
  o[5] = __fmul_ru(x, 1.1f);
  o[6] = __fdiv_rd(x, 3.0f);
  o[7] = fminf(x, -x) + fmaxf(x, 0.5f);
  o[8] = floorf(x) + ceilf(x * 0.5f) + truncf(x * 1.5f) + rintf(x * 2.5f);
  o[9] = fmodf(x, 1.25f);
  o[10] = ldexpf(x, i % 8 - 4) + copysignf(1.0f, -x);
  o[11] = static_cast<float>(static_cast<int>(x * 100)) + static_cast<float>(static_cast<unsigned char>(i * 9));
  double* w = wide + i * 6;
  const double y = x;
  w[0] = y / 3.0 + sqrt(fabs(y));
  w[1] = fma(y, y, -1.0);
  w[2] = static_cast<double>(static_cast<long long>(y * 1e6)) + static_cast<float>(y);
  w[3] = __dadd_ru(y, 1e-17) - __ddiv_rz(y, 7.0);
  w[4] = fmod(y, 0.3);
  w[5] = floor(y) + round(y * 3) + rint(y * 5);
}

int main() {
  void* memory;
  CHECK(cudaMalloc(&memory, 1 << 16));
  std::vector<char> bytes(1 << 16);
  const auto show = [&](const char* name, size_t count) {
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(bytes.data(), memory, count, cudaMemcpyDeviceToHost));
    std::printf("%-13s digest %016llx", name, digest(bytes.data(), count));
  };
  objects<<<1, 50>>>(static_cast<float*>(memory));
  show("objects", 50 * sizeof(float));
  std::printf("  %.1f %.1f\n", reinterpret_cast<float*>(bytes.data())[7], reinterpret_cast<float*>(bytes.data())[8]);
  recursion<<<1, 40>>>(static_cast<long long*>(memory));
  show("recursion", 40 * sizeof(long long));
  std::printf("  %lld %lld\n", reinterpret_cast<long long*>(bytes.data())[12],
              reinterpret_cast<long long*>(bytes.data())[39]);
  pointers<<<1, 64>>>(static_cast<float*>(memory));
  show("pointers", 64 * sizeof(float));
  std::printf("  %.4f %.4f\n", reinterpret_cast<float*>(bytes.data())[5], reinterpret_cast<float*>(bytes.data())[63]);
  structs<<<1, 70>>>(static_cast<double*>(memory));
  show("structs", 70 * sizeof(double));
  std::printf("  %.0f\n", reinterpret_cast<double*>(bytes.data())[69]);
  local_arrays<<<1, 100>>>(static_cast<int*>(memory), 20);
  show("local arrays", 100 * sizeof(int));
  std::printf("  %d\n", reinterpret_cast<int*>(bytes.data())[99]);
  integers<<<1, 32>>>(static_cast<unsigned long long*>(memory), 0x123456789ABCll);
  show("integers", 32 * sizeof(unsigned long long));
  std::printf("\n");
  floats<<<1, 32>>>(static_cast<float*>(memory), static_cast<double*>(memory) + 4096, 0.731f);
  show("floats", 32 * 12 * sizeof(float));
  std::printf("  %.6f\n", reinterpret_cast<float*>(bytes.data())[100]);
  CHECK(cudaMemcpy(bytes.data(), static_cast<double*>(memory) + 4096, 32 * 6 * sizeof(double), cudaMemcpyDeviceToHost));
  std::printf("%-13s digest %016llx\n", "doubles", digest(bytes.data(), 32 * 6 * sizeof(double)));
  CHECK(cudaFree(memory));
  return 0;
}
