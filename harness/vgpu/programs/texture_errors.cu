// What the runtime answers when it is asked for textures, surfaces and arrays that cannot be.
#include "check.cuh"

#define SHOW(call) std::printf("%-68s %s\n", #call, cudaGetErrorName(call))

__global__ void store(cudaSurfaceObject_t surface, int x) { surf1Dwrite(1.0f, surface, x); }

int main() {
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>(), ints = cudaCreateChannelDesc<int>(),
                              bytes = cudaCreateChannelDesc<uchar4>();
  const cudaChannelFormatDesc three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
  cudaArray_t array, other;
  SHOW(cudaMallocArray(&other, &floats, 0, 0));
  SHOW(cudaMallocArray(&other, &three, 4, 4));
  SHOW(cudaMallocArray(&other, &floats, 1 << 20, 4));
  SHOW(cudaMalloc3DArray(&other, &floats, make_cudaExtent(4, 0, 4)));
  SHOW(cudaMalloc3DArray(&other, &floats, make_cudaExtent(4, 5, 6), cudaArrayCubemap));
  SHOW(cudaFreeArray(nullptr));
  SHOW(cudaMallocArray(&array, &floats, 8, 4));
  float host[8 * 4] = {};
  SHOW(cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy2DToArray(array, 4, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy2DToArray(array, 0, 1, host, 32, 32, 4, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy2DFromArray(host, 32, array, 0, 0, 32, 4, cudaMemcpyHostToDevice));

  cudaTextureObject_t texture;
  cudaTextureDesc description{};
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  SHOW(cudaCreateTextureObject(&texture, &resource, nullptr, nullptr));
  SHOW(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  cudaResourceViewDesc view;
  SHOW(cudaGetTextureObjectResourceViewDesc(&view, texture));
  SHOW(cudaDestroyTextureObject(texture));
  cudaSurfaceObject_t surface;
  SHOW(cudaCreateSurfaceObject(&surface, &resource));

  char* memory;
  CHECK(cudaMalloc(&memory, 4096));
  resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = three;
  resource.res.linear.sizeInBytes = 4092;
  SHOW(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  resource.res.linear.desc = floats;
  resource.res.linear.devPtr = memory + 4;
  SHOW(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = bytes;
  resource.res.pitch2D.width = 16;
  resource.res.pitch2D.height = 16;
  resource.res.pitch2D.pitchInBytes = 65;
  SHOW(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  resource.res.pitch2D.pitchInBytes = 64;
  description.filterMode = cudaFilterModeLinear;
  SHOW(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  description.readMode = cudaReadModeNormalizedFloat;
  SHOW(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  SHOW(cudaDestroyTextureObject(texture));
  resource.res.pitch2D.desc = ints;
  description.filterMode = cudaFilterModePoint;
  SHOW(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  CHECK(cudaFree(memory));
  SHOW(cudaFreeArray(array));

  cudaMipmappedArray_t mipmapped, none = nullptr;
  SHOW(cudaMallocMipmappedArray(&mipmapped, &floats, make_cudaExtent(1 << 20, 4, 0), 1));
  SHOW(cudaMallocMipmappedArray(&mipmapped, &floats, make_cudaExtent(8, 4, 0), 0));
  SHOW(cudaFreeMipmappedArray(mipmapped));
  SHOW(cudaMallocMipmappedArray(&mipmapped, &floats, make_cudaExtent(8, 4, 0), 100));
  SHOW(cudaGetMipmappedArrayLevel(&array, mipmapped, 3));
  SHOW(cudaGetMipmappedArrayLevel(&array, mipmapped, 9));
  SHOW(cudaGetMipmappedArrayLevel(&array, none, 0));
  SHOW(cudaFreeMipmappedArray(none));
  description = {};
  resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmapped;
  SHOW(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  SHOW(cudaDestroyTextureObject(texture));
  SHOW(cudaFreeMipmappedArray(mipmapped));

  CHECK(cudaMallocArray(&array, &floats, 8, 0, cudaArraySurfaceLoadStore));
  resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  store<<<1, 1>>>(surface, 28);
  SHOW(cudaDeviceSynchronize());
  store<<<1, 1>>>(surface, 32);
  SHOW(cudaDeviceSynchronize());
  return 0;
}
