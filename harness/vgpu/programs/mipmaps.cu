// Mipmapped arrays, conversion from sRGB and seamless cubemaps, compared with formulas on the host. Values, weights and
// levels of detail are exact in the 8 bits that a GPU keeps of fractions, and no level lies half-way between two.
// Products of three weights are not: an H200 is off by as much as 1/32 where neighbours are 31 apart.
#include "images.cuh"

constexpr int kThreads = 64;
constexpr unsigned kLevels = 4;

/// A mipmapped array and what its levels hold.
struct Pyramid {
  cudaExtent extent;
  bool layered;
  cudaMipmappedArray_t array;
  Values<float> levels[kLevels];

  Pyramid(cudaExtent of, unsigned flags) : extent(of), layered(flags != 0) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocMipmappedArray(&array, &format, extent, kLevels, flags | cudaArraySurfaceLoadStore));
    for (unsigned n = 0; n < kLevels; ++n) {
      const cudaExtent here = extent_of(n);
      levels[n].resize(here.width * std::max<size_t>(here.height, 1) * std::max<size_t>(here.depth, 1));
      for (size_t i = 0; i < levels[n].size(); ++i) levels[n][i] = static_cast<float>((i * 7 + n * 5) % 32);
      fill(level(n), levels[n], here);
    }
  }
  Pyramid(const Pyramid&) = delete;
  ~Pyramid() { CHECK(cudaFreeMipmappedArray(array)); }

  cudaExtent extent_of(unsigned n) const {
    const auto smaller = [&](size_t size) { return size == 0 ? 0 : std::max<size_t>(size >> n, 1); };
    return make_cudaExtent(smaller(extent.width), smaller(extent.height),
                           layered ? extent.depth : smaller(extent.depth));
  }
  cudaArray_t level(unsigned n) const {
    cudaArray_t made;
    CHECK(cudaGetMipmappedArrayLevel(&made, array, n));
    return made;
  }
  cudaTextureObject_t texture(const Sampling& how) const {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = array;
    return texture_of(resource, how);
  }

  float at_level(int n, float4 at, const Sampling& how) const {
    const cudaExtent here = extent_of(n);
    const size_t rows = std::max<size_t>(here.height, 1);
    const auto axis = [&](float x, size_t count, auto element) {
      return count == 0 ? element(0) : along(x * count, static_cast<int>(count), how, element);
    };
    const auto slice = [&](int z) {
      return axis(at.y, here.height, [&](int y) {
        return axis(at.x, here.width, [&](int x) { return levels[n][(z * rows + y) * here.width + x]; });
      });
    };
    return layered ? slice(1) : axis(at.z, here.depth, slice);
  }
  float expected(float4 at, const Sampling& how) const {
    const float limited = std::min(std::max(at.w + how.bias, how.least), how.greatest);
    const float detail = std::min(std::max(limited, 0.0f), kLevels - 1.0f);
    if (how.between_levels == cudaFilterModePoint) return at_level(static_cast<int>(std::lround(detail)), at, how);
    const int low = static_cast<int>(detail);
    const float part = detail - low;
    return part == 0 ? at_level(low, at, how) : (1 - part) * at_level(low, at, how) + part * at_level(low + 1, at, how);
  }
};

// --- fetches at (x, y, z) and level w; of layers the second one ---

#define FETCHES(Name, LEVEL, SLOPE, PLAIN)                                                      \
  struct Name {                                                                                 \
    static __device__ float level(cudaTextureObject_t t, float4 at) { return LEVEL; }           \
    static __device__ float slope(cudaTextureObject_t t, float4 at, float by) { return SLOPE; } \
    static __device__ float plain(cudaTextureObject_t t, float4 at) { return PLAIN; }           \
  }
FETCHES(Line, tex1DLod<float>(t, at.x, at.w), tex1DGrad<float>(t, at.x, by, 0), tex1D<float>(t, at.x));
FETCHES(Plane, tex2DLod<float>(t, at.x, at.y, at.w),
        tex2DGrad<float>(t, at.x, at.y, make_float2(0, 0), make_float2(by, 0)), tex2D<float>(t, at.x, at.y));
FETCHES(Space, tex3DLod<float>(t, at.x, at.y, at.z, at.w),
        tex3DGrad<float>(t, at.x, at.y, at.z, make_float4(-by, 0, 0, 0), make_float4(0, 0, 0, 0)),
        tex3D<float>(t, at.x, at.y, at.z));
FETCHES(Lines, tex1DLayeredLod<float>(t, at.x, 1, at.w), tex1DLayeredGrad<float>(t, at.x, 1, by, 0),
        tex1DLayered<float>(t, at.x, 1));
FETCHES(Planes, tex2DLayeredLod<float>(t, at.x, at.y, 1, at.w),
        tex2DLayeredGrad<float>(t, at.x, at.y, 1, make_float2(by, 0), make_float2(0, 0)),
        tex2DLayered<float>(t, at.x, at.y, 1));

template <class Fetch>
__global__ void fetch(cudaTextureObject_t texture, const float4* places, int width, float* to) {
  const float4 at = places[threadIdx.x];
  to[threadIdx.x] = Fetch::level(texture, at);
  to[threadIdx.x + kThreads] = Fetch::slope(texture, at, exp2f(rintf(at.w)) / width);
  to[threadIdx.x + 2 * kThreads] = Fetch::plain(texture, at);
}

/// `all`: with gradients, whose levels are whole ones up to rounding, and plain fetches, which no bias is to reach.
template <class Fetch>
void levels(const char* what, const Pyramid& pyramid, const Sampling& how, bool all) {
  Values<float4> places(kThreads);
  Values<float> expected[3];
  for (int i = 0; i < kThreads; ++i) {
    places[i] = make_float4((i * 5 % 64) / 64.0f, (i * 9 % 32) / 32.0f, (i * 11 % 32) / 32.0f,
                            i % 7 - 1 + (i % 2 == 0 ? 0.25f : -0.25f));
    float4 at = places[i];
    expected[0].push_back(pyramid.expected(at, how));
    at.w = std::nearbyint(at.w);
    expected[1].push_back(pyramid.expected(at, how));
    at.w = 0;
    expected[2].push_back(pyramid.expected(at, how));
  }
  const cudaTextureObject_t texture = pyramid.texture(how);
  const DeviceValues<float4> d_places(places);
  const DeviceValues<float> d_to(3 * kThreads);
  fetch<Fetch><<<1, kThreads>>>(texture, d_places.data, static_cast<int>(pyramid.extent.width), d_to.data);
  const Values<float> got = d_to.get();
  const char* const names[] = {"levels", "gradients", "no level"};
  const float tolerance = how.filter == cudaFilterModeLinear ? 1.0f / 32 : 0;
  for (int n = 0; n < (all ? 3 : 1); ++n) {
    char line[64];
    std::snprintf(line, sizeof line, "%s, %s", what, names[n]);
    show(line, {got.begin() + n * kThreads, got.begin() + (n + 1) * kThreads}, expected[n], tolerance);
  }
  CHECK(cudaDestroyTextureObject(texture));
}

__global__ void store(cudaSurfaceObject_t surface) {
  surf2Dwrite(static_cast<float>(threadIdx.x + 100 * threadIdx.y), surface, threadIdx.x * sizeof(float), threadIdx.y);
}

void surface_of_a_level() {
  Pyramid plane(make_cudaExtent(16, 8, 0), 0);
  for (unsigned n = 0; n < kLevels; ++n) {
    cudaExtent extent;
    CHECK(cudaArrayGetInfo(nullptr, &extent, nullptr, plane.level(n)));
    std::printf("level %u has %zu x %zu elements\n", n, extent.width, extent.height);
  }
  const cudaSurfaceObject_t surface = surface_of(plane.level(1));
  store<<<1, dim3(8, 4)>>>(surface);
  Values<float> back(32);
  CHECK(cudaMemcpy2DFromArray(back.data(), 32, plane.level(1), 0, 0, 32, 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) plane.levels[1][i] = static_cast<float>(i % 8 + 100 * (i / 8));
  show("a level written through a surface", back, plane.levels[1]);
  Sampling how{cudaAddressModeClamp, cudaFilterModePoint, true};
  how.greatest = 9;
  levels<Plane>("2-D with a level written through a surface", plane, how, false);
  CHECK(cudaDestroySurfaceObject(surface));
}

__global__ void decode(cudaTextureObject_t texture, float4* to) {
  to[threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, 0.5f);
}

/// Graphics hardware may be off by half a step of the encoded byte.
void srgb() {
  Values<uchar4> bytes(256);
  for (int i = 0; i < 256; ++i) bytes[i] = make_uchar4(i, 255 - i, i, i);
  const cudaArray_t array = array_of(bytes, make_cudaExtent(256, 1, 0));
  Sampling how;
  how.fractions = how.srgb = true;
  const cudaTextureObject_t texture = texture_of(resource_of(array), how);
  const DeviceValues<float4> d_to(256);
  decode<<<1, 256>>>(texture, d_to.data);
  const auto linear = [](int byte) {
    const float c = byte / 255.0f;
    return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
  };
  int wrong = 0;
  const Values<float4> got = d_to.get();
  for (int i = 0; i < 256; ++i) {
    const float errors[] = {got[i].x - linear(i), got[i].y - linear(255 - i), got[i].z - linear(i)};
    for (const float error : errors) wrong += !(std::fabs(error) <= 0.005f);
    wrong += !(std::fabs(got[i].w - i / 255.0f) <= 1e-6f);
  }
  std::printf("sRGB: %d of 1024 channels are wrong\n", wrong);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
}

__global__ void fetch_cube(cudaTextureObject_t texture, const float4* at, float* to) {
  const float4 d = at[threadIdx.x];
  to[threadIdx.x] = texCubemapLod<float>(texture, d.x, d.y, d.z, d.w);
}

/// Faces of one value each: half-way between two of them is their mean.
void seams() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t cube;
  CHECK(cudaMallocMipmappedArray(&cube, &format, make_cudaExtent(4, 4, 6), 2, cudaArrayCubemap));
  const auto value = [](int level, int face) { return static_cast<float>(100 * level + (1 << face)); };
  for (int level = 0; level < 2; ++level) {
    const int side = 4 >> level;
    Values<float> values;
    for (int i = 0; i < 6 * side * side; ++i) values.push_back(value(level, i / (side * side)));
    cudaArray_t array;
    CHECK(cudaGetMipmappedArrayLevel(&array, cube, level));
    fill(array, values, make_cudaExtent(side, side, 6));
  }
  Values<float4> at;
  Values<float> expected;
  for (int level = 0; level < 2; ++level)
    for (int first = 0; first < 6; ++first)
      for (int second = first / 2 * 2 + 2; second < 6; ++second) {
        float d[3] = {};
        d[first / 2] = first % 2 == 0 ? 1.0f : -1.0f;
        d[second / 2] = second % 2 == 0 ? 1.0f : -1.0f;
        at.push_back(make_float4(d[0], d[1], d[2], static_cast<float>(level)));
        expected.push_back((value(level, first) + value(level, second)) / 2);
      }
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = cube;
  Sampling how{cudaAddressModeWrap, cudaFilterModeLinear, true};
  how.greatest = 1;
  how.seamless = true;
  const cudaTextureObject_t texture = texture_of(resource, how);
  const DeviceValues<float4> d_at(at);
  const DeviceValues<float> d_to(at.size());
  fetch_cube<<<1, static_cast<unsigned>(at.size())>>>(texture, d_at.data, d_to.data);
  show("seams of a cubemap with levels", d_to.get(), expected);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeMipmappedArray(cube));
}

int main() {
  const Pyramid row(make_cudaExtent(16, 0, 0), 0), plane(make_cudaExtent(16, 8, 0), 0),
      space(make_cudaExtent(8, 8, 8), 0), rows(make_cudaExtent(16, 0, 3), cudaArrayLayered),
      planes(make_cudaExtent(16, 8, 3), cudaArrayLayered);
  Sampling how{cudaAddressModeClamp, cudaFilterModePoint, true};
  how.greatest = 9;
  levels<Line>("1-D", row, how, true);
  levels<Plane>("2-D", plane, how, true);
  levels<Space>("3-D", space, how, true);
  levels<Lines>("layered 1-D", rows, how, true);
  levels<Planes>("layered 2-D", planes, how, true);
  how.filter = cudaFilterModeLinear;
  levels<Space>("3-D, linear", space, how, true);
  how.mode = cudaAddressModeWrap;
  how.between_levels = cudaFilterModeLinear;
  levels<Line>("1-D, linear between levels", row, how, false);
  levels<Plane>("2-D, linear between levels", plane, how, false);
  levels<Planes>("layered 2-D, linear between levels", planes, how, false);
  how.bias = 0.5f;
  levels<Plane>("2-D, biased", plane, how, false);
  how.bias = -1;
  how.least = 0.75f;
  how.greatest = 1.5f;
  levels<Plane>("2-D, biased and limited", plane, how, false);
  levels<Plane>("2-D, level 0 only", plane, {cudaAddressModeClamp, cudaFilterModePoint, true}, true);
  levels<Plane>("2-D, taken as normalized", plane, {cudaAddressModeClamp, cudaFilterModePoint, false}, true);
  surface_of_a_level();
  srgb();
  seams();
  return 0;
}
