// Surfaces, and copies to and from CUDA arrays. Two of the calls are deprecated, which is no reason not to have them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "images.cuh"

__global__ void move_surfaces(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  surf2Dwrite(surf2Dread<short2>(from, x * sizeof(short2), y), to, (7 - x) * sizeof(short2), 3 - y);
}
__global__ void fill_surfaces(cudaSurfaceObject_t row, cudaSurfaceObject_t space, cudaSurfaceObject_t rows,
                              cudaSurfaceObject_t planes) {
  const int i = threadIdx.x, x = i % 4, y = i / 4 % 2, z = i / 8;
  if (i < 4) surf1Dwrite(static_cast<unsigned char>(200 + i), row, i);
  surf3Dwrite(make_float4(i, i + 1, i + 2, i + 3), space, x * 16, y, z);
  if (y == 0) surf1DLayeredwrite(10ll * i, rows, x * 8, z);
  surf2DLayeredwrite(static_cast<unsigned short>(i * 3), planes, x * 2, y, z);
}
__global__ void read_surfaces(cudaSurfaceObject_t row, cudaSurfaceObject_t space, cudaSurfaceObject_t rows,
                              cudaSurfaceObject_t planes, float* to) {
  const int i = threadIdx.x, x = i % 4, y = i / 4 % 2, z = i / 8;
  to[i] = surf1Dread<unsigned char>(row, x);
  to[i + 24] = surf3Dread<float4>(space, x * 16, y, z).z;
  to[i + 48] = surf1DLayeredread<long long>(rows, x * 8, z);
  to[i + 72] = surf2DLayeredread<unsigned short>(planes, x * 2, y, z);
}
__global__ void over_the_edge(cudaSurfaceObject_t plane, float* to) {
  const int x = threadIdx.x % 8 - 2, y = threadIdx.x / 8 - 2;
  to[threadIdx.x] = surf2Dread<float>(plane, x * 4, y, cudaBoundaryModeZero);
  to[threadIdx.x + 64] = surf2Dread<float>(plane, x * 4, y, cudaBoundaryModeClamp);
}
__global__ void write_over_the_edge(cudaSurfaceObject_t plane) {
  const int x = threadIdx.x % 8 - 2, y = threadIdx.x / 8 - 2;
  surf2Dwrite(static_cast<float>(threadIdx.x), plane, x * 4, y, cudaBoundaryModeZero);
}
__global__ void fetch(cudaTextureObject_t texture, float* to) {
  to[threadIdx.x] = tex2D<short2>(texture, threadIdx.x % 8 + 0.5f, threadIdx.x / 8 + 0.5f).x;
}

void surfaces() {
  Values<short2> pairs(8 * 4);
  for (int i = 0; i < 32; ++i) pairs[i] = make_short2(i * 11, -i);
  const cudaArray_t from = array_of(pairs, make_cudaExtent(8, 4, 0), cudaArraySurfaceLoadStore);
  cudaArray_t to;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<short2>();
  CHECK(cudaMallocArray(&to, &format, 8, 4, cudaArraySurfaceLoadStore));
  const cudaSurfaceObject_t source = surface_of(from), target = surface_of(to);
  move_surfaces<<<1, 32>>>(source, target);
  // What a launch has written by a surface the next one reads by a texture.
  const cudaTextureObject_t texture = texture_of(resource_of(to), {});
  const DeviceValues<float> d_fetched(32);
  fetch<<<1, 32>>>(texture, d_fetched.data);
  Values<float> expected(32);
  for (int i = 0; i < 32; ++i) expected[i] = pairs[31 - i].x;
  show("2-D surfaces", d_fetched.get(), expected);
  short2 back[4][8];
  CHECK(cudaMemcpy2DFromArray(back, sizeof back[0], to, 0, 0, sizeof back[0], 4, cudaMemcpyDeviceToHost));
  std::printf("copied back: %d %d ... %d %d\n", back[0][0].x, back[0][0].y, back[3][7].x, back[3][7].y);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroySurfaceObject(source));
  CHECK(cudaDestroySurfaceObject(target));

  const auto make = [](cudaChannelFormatDesc of, cudaExtent extent, unsigned flags) {
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &of, extent, flags | cudaArraySurfaceLoadStore));
    return array;
  };
  const cudaArray_t arrays[] = {
      make(cudaCreateChannelDesc<unsigned char>(), make_cudaExtent(4, 0, 0), 0),
      make(cudaCreateChannelDesc<float4>(), make_cudaExtent(4, 2, 3), 0),
      make(cudaCreateChannelDesc<int2>(), make_cudaExtent(4, 0, 3), cudaArrayLayered),
      make(cudaCreateChannelDesc<unsigned short>(), make_cudaExtent(4, 2, 3), cudaArrayLayered)};
  cudaSurfaceObject_t made[4];
  for (int i = 0; i < 4; ++i) made[i] = surface_of(arrays[i]);
  const DeviceValues<float> d_to(128);
  fill_surfaces<<<1, 24>>>(made[0], made[1], made[2], made[3]);
  read_surfaces<<<1, 24>>>(made[0], made[1], made[2], made[3], d_to.data);
  expected.assign(96, 0);
  for (int i = 0; i < 24; ++i) {
    expected[i] = static_cast<float>(200 + i % 4);
    expected[i + 24] = static_cast<float>(i + 2);
    expected[i + 48] = static_cast<float>(10 * (i / 8 * 8 + i % 4));
    expected[i + 72] = static_cast<float>(i * 3);
  }
  Values<float> got = d_to.get();
  got.resize(96);
  show("1-D, 3-D and layered surfaces", got, expected);
  for (const cudaSurfaceObject_t one : made) CHECK(cudaDestroySurfaceObject(one));
  for (const cudaArray_t one : arrays) CHECK(cudaFreeArray(one));

  Values<float> values(16);
  for (int i = 0; i < 16; ++i) values[i] = static_cast<float>(i + 1);
  const cudaArray_t edge = array_of(values, make_cudaExtent(4, 4, 0), cudaArraySurfaceLoadStore);
  const cudaSurfaceObject_t plane = surface_of(edge);
  over_the_edge<<<1, 64>>>(plane, d_to.data);
  expected.assign(128, 0);
  for (int i = 0; i < 64; ++i) {
    const int column = i % 8 - 2, row = i / 8 - 2;
    if (column >= 0 && column < 4 && row >= 0 && row < 4) expected[i] = values[row * 4 + column];
    expected[i + 64] = values[std::min(std::max(row, 0), 3) * 4 + std::min(std::max(column, 0), 3)];
  }
  show("beyond the edge of a surface", d_to.get(), expected);
  write_over_the_edge<<<1, 64>>>(plane);
  got.resize(16);
  expected.resize(16);
  CHECK(cudaMemcpyFromArray(got.data(), edge, 0, 0, 16 * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 16; ++i) expected[i] = static_cast<float>((i / 4 + 2) * 8 + i % 4 + 2);
  show("writes beyond the edge", got, expected);
  CHECK(cudaDestroySurfaceObject(plane));
  for (const cudaArray_t one : {from, to, edge}) CHECK(cudaFreeArray(one));
}

void copies_and_questions() {
  Values<int> values(6 * 4);
  for (int i = 0; i < 24; ++i) values[i] = i;
  const cudaArray_t from = array_of(values, make_cudaExtent(6, 4, 0)), to = array_of(values, make_cudaExtent(6, 4, 0));
  // Three elements of two rows, from (2, 1) to (0, 2); two more by bytes that run on into the next row.
  CHECK(cudaMemcpy2DArrayToArray(to, 0, 2, from, 2 * sizeof(int), 1, 3 * sizeof(int), 2));
  const int two[] = {-1, -2};
  CHECK(cudaMemcpyToArray(to, 5 * sizeof(int), 0, two, sizeof two, cudaMemcpyHostToDevice));
  const int patch[2][2] = {{-3, -4}, {-5, -6}};
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpy2DToArrayAsync(to, 4 * sizeof(int), 2, patch, sizeof patch[0], sizeof patch[0], 2,
                                 cudaMemcpyHostToDevice, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  cudaPitchedPtr pitched;
  CHECK(cudaMalloc3D(&pitched, make_cudaExtent(6 * sizeof(int), 4, 1)));
  cudaMemcpy3DParms copy{};
  copy.srcArray = to;
  copy.dstPtr = pitched;
  copy.extent = make_cudaExtent(6, 4, 1);
  copy.kind = cudaMemcpyDeviceToDevice;
  CHECK(cudaMemcpy3D(&copy));
  int back[4][6];
  CHECK(cudaMemcpy2D(back, sizeof back[0], pitched.ptr, pitched.pitch, sizeof back[0], 4, cudaMemcpyDeviceToHost));
  for (const auto& row : back) {
    std::printf("copied:");
    for (const int value : row) std::printf(" %d", value);
    std::printf("\n");
  }
  CHECK(cudaFree(pitched.ptr));

  cudaChannelFormatDesc format;
  cudaExtent extent;
  unsigned flags;
  CHECK(cudaArrayGetInfo(&format, &extent, &flags, from));
  std::printf("array: %d %d %d %d bits, kind %d, %zu x %zu x %zu, flags %u\n", format.x, format.y, format.z, format.w,
              format.f, extent.width, extent.height, extent.depth, flags);
  CHECK(cudaGetChannelDesc(&format, from));
  const cudaTextureObject_t texture =
      texture_of(resource_of(from), {cudaAddressModeBorder, cudaFilterModePoint, true, false, 2});
  cudaResourceDesc resource;
  cudaTextureDesc description;
  CHECK(cudaGetTextureObjectResourceDesc(&resource, texture));
  CHECK(cudaGetTextureObjectTextureDesc(&description, texture));
  std::printf("texture: %s array, mode %d, filter %d, normalized %d\n",
              resource.resType == cudaResourceTypeArray && resource.res.array.array == from ? "this" : "another",
              description.addressMode[1], description.filterMode, description.normalizedCoords);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(from));
  CHECK(cudaFreeArray(to));
}

int main() {
  surfaces();
  copies_and_questions();
  return 0;
}
