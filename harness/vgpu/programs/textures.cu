// Textures: every kind of resource, addressing, filtering and format, with values whose results are exact. Each line
// compares what the device gave with what the CUDA C++ Programming Guide's formulas give on the host.
#include "images.cuh"

// --- kernels: one fetch a thread ---

template <class T>
__device__ float first(T value) {
  return value.x;
}
__device__ float first(float value) { return value; }
__device__ float first(unsigned char value) { return value; }
__device__ float first(signed char value) { return value; }
__device__ float first(short value) { return value; }
__device__ float first(unsigned short value) { return value; }
__device__ float first(int value) { return value; }

template <class T>
__global__ void fetch_linear(cudaTextureObject_t texture, const int* at, float* to) {
  to[threadIdx.x] = first(tex1Dfetch<T>(texture, at[threadIdx.x]));
}
template <class T>
__global__ void fetch_1d(cudaTextureObject_t texture, const float* x, float* to) {
  to[threadIdx.x] = first(tex1D<T>(texture, x[threadIdx.x]));
}
template <class T>
__global__ void fetch_2d(cudaTextureObject_t texture, const float* x, const float* y, float* to) {
  to[threadIdx.x] = first(tex2D<T>(texture, x[threadIdx.x], y[threadIdx.x]));
}
__global__ void fetch_3d(cudaTextureObject_t texture, const float* x, const float* y, const float* z, float* to) {
  to[threadIdx.x] = tex3D<float>(texture, x[threadIdx.x], y[threadIdx.x], z[threadIdx.x]);
}
__global__ void fetch_layers(cudaTextureObject_t rows, cudaTextureObject_t planes, float* to) {
  const float x = threadIdx.x % 4 + 0.5f, y = threadIdx.x / 4 % 2 + 0.5f;
  const int layer = threadIdx.x / 8;
  to[threadIdx.x] = tex1DLayered<float>(rows, x, layer);
  to[threadIdx.x + 24] = tex2DLayered<float>(planes, x, y, layer);
}
__global__ void fetch_cube(cudaTextureObject_t cube, cudaTextureObject_t cubes, const float3* direction, float* to) {
  const float3 d = direction[threadIdx.x];
  to[threadIdx.x] = texCubemap<float>(cube, d.x, d.y, d.z);
  to[threadIdx.x + 24] = texCubemapLayered<float>(cubes, d.x, d.y, d.z, 1);
}
__global__ void gather(cudaTextureObject_t texture, float* to) {
  const float4 x = tex2Dgather<float4>(texture, 2, 1, 0), y = tex2Dgather<float4>(texture, 2, 1, 1);
  const float all[] = {x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w};
  for (int i = 0; i < 8; ++i) to[i] = all[i];
}
__global__ void levels(cudaTextureObject_t row, cudaTextureObject_t plane, cudaTextureObject_t space, float* to) {
  const float x = threadIdx.x + 0.5f;
  const float2 slope = make_float2(0, 0);
  float* const mine = to + threadIdx.x * 6;
  mine[0] = tex1DLod<float>(row, x, 0);
  mine[1] = tex2DLod<float>(plane, x, 1.5f, 0);
  mine[2] = tex3DLod<float>(space, x, 1.5f, 2.5f, 0);
  mine[3] = tex1DGrad<float>(row, x, 0, 0);
  mine[4] = tex2DGrad<float>(plane, x, 1.5f, slope, slope);
  mine[5] = tex3DGrad<float>(space, x, 1.5f, 2.5f, make_float4(0, 0, 0, 0), make_float4(0, 0, 0, 0));
}

// --- the program ---

constexpr int kThreads = 64;
constexpr cudaTextureAddressMode kModes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                             cudaAddressModeBorder};

/// From -1 to 2 extents, never between two elements: 8 bits hold the fractions.
Values<float> positions(float extent) {
  Values<float> all(kThreads);
  for (int i = 0; i < kThreads; ++i) all[i] = (6 * i - 127) * extent / 128;
  return all;
}

template <class T>
Values<float> fetched_1d(cudaTextureObject_t texture, const Values<float>& x) {
  const DeviceValues<float> d_x(x), d_to(kThreads);
  fetch_1d<T><<<1, kThreads>>>(texture, d_x.data, d_to.data);
  return d_to.get();
}
template <class T>
Values<float> fetched_2d(cudaTextureObject_t texture, const Values<float>& x, const Values<float>& y) {
  const DeviceValues<float> d_x(x), d_y(y), d_to(kThreads);
  fetch_2d<T><<<1, kThreads>>>(texture, d_x.data, d_y.data, d_to.data);
  return d_to.get();
}

template <class T>
void linear_memory(const char* what, const Values<T>& values, bool fractions, float unit) {
  const DeviceValues<T> d_values(values);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = d_values.data;
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = values.size() * sizeof(T);
  Sampling sampling;
  sampling.fractions = fractions;
  const cudaTextureObject_t texture = texture_of(resource, sampling);
  Values<int> at(kThreads);
  Values<float> expected(kThreads, 0);
  for (int i = 0; i < kThreads; ++i) {
    at[i] = i - 8;
    if (i >= 8 && i - 8 < static_cast<int>(values.size()))
      expected[i] = std::max(values[i - 8] / unit, fractions ? -1.0f : -1e9f);
  }
  const DeviceValues<int> d_at(at);
  const DeviceValues<float> d_to(kThreads);
  if (fractions)
    fetch_linear<float><<<1, kThreads>>>(texture, d_at.data, d_to.data);
  else
    fetch_linear<T><<<1, kThreads>>>(texture, d_at.data, d_to.data);
  show(what, d_to.get(), expected);
  CHECK(cudaDestroyTextureObject(texture));
}

void one_dimension() {
  Values<float> values(8);
  for (int i = 0; i < 8; ++i) values[i] = static_cast<float>(i * i - 5);
  const cudaArray_t array = array_of(values, make_cudaExtent(8, 0, 0));
  for (const bool normalized : {false, true}) {
    for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
      for (const auto mode : kModes) {
        const Sampling sampling{mode, filter, normalized, false, 64};
        const cudaTextureObject_t texture = texture_of(resource_of(array), sampling);
        const Values<float> x = positions(normalized ? 1 : 8);
        Sampling meant = sampling;  // whole periods have no meaning for coordinates that count elements
        if (!normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
          meant.mode = cudaAddressModeClamp;
        Values<float> expected(kThreads);
        for (int i = 0; i < kThreads; ++i)
          expected[i] = along(normalized ? 8 * x[i] : x[i], 8, meant, [&](int at) { return values[at]; });
        // A border in y, where the row's edge is, takes half of every blended value.
        if (mode == cudaAddressModeBorder && filter == cudaFilterModeLinear)
          for (float& value : expected) value = (value + meant.border) / 2;
        char what[64];
        std::snprintf(what, sizeof what, "1-D, %s, %s, mode %d", normalized ? "normalized" : "elements",
                      filter == cudaFilterModePoint ? "point" : "linear", mode);
        show(what, fetched_1d<float>(texture, x), expected);
        CHECK(cudaDestroyTextureObject(texture));
      }
    }
  }
  CHECK(cudaFreeArray(array));
}

void half_precision() {
  // 0, 1, -2, 0.5, 65504, the least subnormal, infinity, -0.25
  const Values<std::uint16_t> bits{0, 0x3C00, 0xC000, 0x3800, 0x7BFF, 1, 0x7C00, 0xB400};
  const cudaArray_t array =
      array_of(bits, make_cudaExtent(8, 0, 0), 0, cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat));
  const cudaTextureObject_t texture = texture_of(resource_of(array), {});
  Values<float> x(kThreads), expected(kThreads);
  const float values[] = {0, 1, -2, 0.5f, 65504, std::ldexp(1.0f, -24), INFINITY, -0.25f};
  for (int i = 0; i < kThreads; ++i) x[i] = i % 8 + 0.5f, expected[i] = values[i % 8];
  show("half precision", fetched_1d<float>(texture, x), expected);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
}

void pitched() {
  constexpr int kWidth = 5, kHeight = 4;
  uchar4 host[kHeight][kWidth];
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) host[y][x] = make_uchar4((x + y) % 2 * 255, x, y, 9);
  uchar4* data;
  size_t pitch;
  CHECK(cudaMallocPitch(&data, &pitch, sizeof host[0], kHeight));
  CHECK(cudaMemcpy2D(data, pitch, host, sizeof host[0], sizeof host[0], kHeight, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = data;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
  resource.res.pitch2D.width = kWidth;
  resource.res.pitch2D.height = kHeight;
  resource.res.pitch2D.pitchInBytes = pitch;
  const Values<float> x = positions(kWidth), y = positions(kHeight);
  Values<float> expected(kThreads);
  const auto reference = [&](const Sampling& how, float unit) {
    for (int i = 0; i < kThreads; ++i)
      expected[i] = along(y[i], kHeight, how, [&](int row) {
        return along(x[i], kWidth, how, [&](int column) { return host[row][column].x / unit; });
      });
  };
  Sampling sampling;
  cudaTextureObject_t texture = texture_of(resource, sampling);
  reference(sampling, 1);
  show("pitched memory, elements", fetched_2d<uchar4>(texture, x, y), expected);
  CHECK(cudaDestroyTextureObject(texture));
  sampling.fractions = true;
  texture = texture_of(resource, sampling);
  reference(sampling, 255);
  show("pitched memory, fractions", fetched_2d<float4>(texture, x, y), expected);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(data));
}

void two_dimensions() {
  Values<float> values(16 * 4);
  for (int i = 0; i < 64; ++i) values[i] = static_cast<float>(i * 7 % 32);
  const cudaArray_t array = array_of(values, make_cudaExtent(16, 4, 0));
  Values<float> x = positions(1), y(kThreads);
  for (int i = 0; i < kThreads; ++i) y[i] = x[(i * 5 + 1) % kThreads];
  for (const auto mode : kModes) {
    const Sampling sampling{mode, cudaFilterModeLinear, true, false, 0};
    const cudaTextureObject_t texture = texture_of(resource_of(array), sampling);
    Values<float> expected(kThreads);
    for (int i = 0; i < kThreads; ++i)
      expected[i] = along(4 * y[i], 4, sampling, [&](int row) {
        return along(16 * x[i], 16, sampling, [&](int column) { return values[row * 16 + column]; });
      });
    char what[64];
    std::snprintf(what, sizeof what, "2-D, normalized, linear, mode %d", mode);
    show(what, fetched_2d<float>(texture, x, y), expected);
    CHECK(cudaDestroyTextureObject(texture));
  }
  CHECK(cudaFreeArray(array));
}

void three_dimensions() {
  Values<float> values(4 * 2 * 3);
  for (int i = 0; i < 24; ++i) values[i] = static_cast<float>(i * 5 % 16);
  const cudaArray_t array = array_of(values, make_cudaExtent(4, 2, 3));
  Values<float> x(kThreads), y(kThreads), z(kThreads), expected(kThreads);
  for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
    const Sampling sampling{cudaAddressModeClamp, filter, false, false, 0};
    for (int i = 0; i < kThreads; ++i) {
      x[i] = i % 21 / 4.0f;
      y[i] = i % 11 / 4.0f;
      z[i] = i % 13 / 4.0f;
      expected[i] = along(z[i], 3, sampling, [&](int slice) {
        return along(y[i], 2, sampling, [&](int row) {
          return along(x[i], 4, sampling, [&](int column) { return values[(slice * 2 + row) * 4 + column]; });
        });
      });
    }
    const cudaTextureObject_t texture = texture_of(resource_of(array), sampling);
    const DeviceValues<float> d_x(x), d_y(y), d_z(z), d_to(kThreads);
    fetch_3d<<<1, kThreads>>>(texture, d_x.data, d_y.data, d_z.data, d_to.data);
    show(filter == cudaFilterModePoint ? "3-D, point" : "3-D, linear", d_to.get(), expected);
    CHECK(cudaDestroyTextureObject(texture));
  }
  CHECK(cudaFreeArray(array));
}

void layers_and_cubes() {
  Values<float> row_values(4 * 3), plane_values(4 * 2 * 3), cube_values(2 * 2 * 12), expected(48);
  for (int i = 0; i < 12; ++i) row_values[i] = static_cast<float>(i + 100);
  for (int i = 0; i < 24; ++i) plane_values[i] = static_cast<float>(i + 200);
  for (int i = 0; i < 48; ++i) cube_values[i] = static_cast<float>(i + 300);
  const cudaArray_t rows = array_of(row_values, make_cudaExtent(4, 0, 3), cudaArrayLayered);
  const cudaArray_t planes = array_of(plane_values, make_cudaExtent(4, 2, 3), cudaArrayLayered);
  cudaTextureObject_t first = texture_of(resource_of(rows), {}), second = texture_of(resource_of(planes), {});
  const DeviceValues<float> d_to(48);
  fetch_layers<<<1, 24>>>(first, second, d_to.data);
  for (int i = 0; i < 24; ++i) {
    expected[i] = row_values[i / 8 * 4 + i % 4];
    expected[i + 24] = plane_values[i];
  }
  show("layers", d_to.get(), expected);
  CHECK(cudaDestroyTextureObject(first));
  CHECK(cudaDestroyTextureObject(second));

  const cudaArray_t cube = array_of(cube_values, make_cudaExtent(2, 2, 6), cudaArrayCubemap);
  const cudaArray_t cubes = array_of(cube_values, make_cudaExtent(2, 2, 12), cudaArrayCubemap | cudaArrayLayered);
  const Sampling normalized{cudaAddressModeClamp, cudaFilterModePoint, true, false, 0};
  first = texture_of(resource_of(cube), normalized);
  second = texture_of(resource_of(cubes), normalized);
  // The middle of every element of every face: s and t as the guide's table has them.
  Values<float3> directions(24);
  for (int i = 0; i < 24; ++i) {
    const int face = i / 4;
    const float s = i % 2 - 0.5f, t = i / 2 % 2 - 0.5f;
    const float3 of_face[] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
    directions[i] = of_face[face];
    expected[i] = cube_values[i];
    expected[i + 24] = cube_values[i + 24];
  }
  const DeviceValues<float3> d_directions(directions);
  fetch_cube<<<1, 24>>>(first, second, d_directions.data, d_to.data);
  show("cubemaps", d_to.get(), expected);
  CHECK(cudaDestroyTextureObject(first));
  CHECK(cudaDestroyTextureObject(second));
  for (const cudaArray_t array : {rows, planes, cube, cubes}) CHECK(cudaFreeArray(array));
}

void gathers_and_levels() {
  Values<float2> pairs(4 * 4);
  for (int i = 0; i < 16; ++i) pairs[i] = make_float2(i, -i);
  const cudaArray_t array = array_of(pairs, make_cudaExtent(4, 4, 0), cudaArrayTextureGather);
  const cudaTextureObject_t texture = texture_of(resource_of(array), {});
  const DeviceValues<float> d_to(24);
  gather<<<1, 1>>>(texture, d_to.data);
  Values<float> got = d_to.get();
  got.resize(8);
  show("gather", got, {5, 6, 2, 1, -5, -6, -2, -1});
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));

  Values<float> values(4 * 4 * 4), expected;
  for (int i = 0; i < 64; ++i) values[i] = static_cast<float>(i);
  const cudaArray_t row = array_of(values, make_cudaExtent(4, 0, 0)),
                    plane = array_of(values, make_cudaExtent(4, 4, 0)),
                    space = array_of(values, make_cudaExtent(4, 4, 4));
  const cudaTextureObject_t textures[] = {texture_of(resource_of(row), {}), texture_of(resource_of(plane), {}),
                                          texture_of(resource_of(space), {})};
  levels<<<1, 4>>>(textures[0], textures[1], textures[2], d_to.data);
  for (int x = 0; x < 4; ++x)
    for (int twice = 0; twice < 2; ++twice)
      for (const int at : {x, x + 4, x + 4 + 32}) expected.push_back(static_cast<float>(at));
  show("one level", d_to.get(), expected);
  for (const cudaTextureObject_t one : textures) CHECK(cudaDestroyTextureObject(one));
  for (const cudaArray_t one : {row, plane, space}) CHECK(cudaFreeArray(one));
}

int main() {
  Values<float> floats(40);
  Values<signed char> bytes(40);
  Values<unsigned short> words(40);
  for (int i = 0; i < 40; ++i) {
    floats[i] = 1.5f * i - 7;
    bytes[i] = static_cast<signed char>(i % 3 == 0 ? -127 : i % 3 == 1 ? 0 : 127);
    words[i] = static_cast<unsigned short>(i * 1638);
  }
  linear_memory("linear memory, floats", floats, false, 1);
  linear_memory("linear memory, signed bytes", bytes, false, 1);
  linear_memory("linear memory, fractions of signed bytes", bytes, true, 127);
  linear_memory("linear memory, 16 bits", words, false, 1);
  one_dimension();
  half_precision();
  pitched();
  two_dimensions();
  three_dimensions();
  layers_and_cubes();
  gathers_and_levels();
  return 0;
}
