// Fetches from texture objects: CUDA C++ Programming Guide, "Texture Functions"; PTX ISA, "tex" and "tld4".
#pragma once

namespace lanewise {

/// What an instruction delivers four of: float, int or unsigned int.
template <class T>
struct FetchOf {
  using Number = typename Texel<T>::Number;
  static constexpr bool kIsFloat = static_cast<Number>(0.5) != 0;
  static constexpr bool kIsSigned = static_cast<Number>(-1) < static_cast<Number>(0);
};

/// As many of the four as a T has.
template <class T, class Four>
__device__ __forceinline__ T texel_of(const Four& four) {
  using Number = typename Texel<T>::Number;
  const Number numbers[4] = {static_cast<Number>(four.x), static_cast<Number>(four.y), static_cast<Number>(four.z),
                             static_cast<Number>(four.w)};
  T texel;
  memcpy(&texel, numbers, sizeof texel);
  return texel;
}

}  // namespace lanewise

#define LANEWISE_FETCH(instruction, type, letter, Four, coordinates, ...)                       \
  Four four;                                                                                    \
  asm volatile(instruction "." type coordinates                                                 \
               : "=" letter(four.x), "=" letter(four.y), "=" letter(four.z), "=" letter(four.w) \
               : "l"(texture), __VA_ARGS__);                                                    \
  return lanewise::texel_of<T>(four)

// `coordinates` are the rest of the instruction, from the type of the coordinates on; operand 4 is the texture.
#define LANEWISE_TEXTURE(name, parameters, instruction, coordinates, ...)        \
  template <class T>                                                             \
  __device__ __forceinline__ T name parameters {                                 \
    if constexpr (lanewise::FetchOf<T>::kIsFloat) {                              \
      LANEWISE_FETCH(instruction, "f32", "f", float4, coordinates, __VA_ARGS__); \
    } else if constexpr (lanewise::FetchOf<T>::kIsSigned) {                      \
      LANEWISE_FETCH(instruction, "s32", "r", int4, coordinates, __VA_ARGS__);   \
    } else {                                                                     \
      LANEWISE_FETCH(instruction, "u32", "r", uint4, coordinates, __VA_ARGS__);  \
    }                                                                            \
  }
#define LANEWISE_TO " {%0, %1, %2, %3}, [%4, "
LANEWISE_TEXTURE(tex1Dfetch, (cudaTextureObject_t texture, int x), "tex.1d.v4", ".s32" LANEWISE_TO "{%5}];", "r"(x))
LANEWISE_TEXTURE(tex1D, (cudaTextureObject_t texture, float x), "tex.1d.v4", ".f32" LANEWISE_TO "{%5}];", "f"(x))
LANEWISE_TEXTURE(tex2D, (cudaTextureObject_t texture, float x, float y), "tex.2d.v4", ".f32" LANEWISE_TO "{%5, %6}];",
                 "f"(x), "f"(y))
LANEWISE_TEXTURE(tex3D, (cudaTextureObject_t texture, float x, float y, float z), "tex.3d.v4",
                 ".f32" LANEWISE_TO "{%5, %6, %7, %7}];", "f"(x), "f"(y), "f"(z))
LANEWISE_TEXTURE(tex1DLayered, (cudaTextureObject_t texture, float x, int layer), "tex.a1d.v4",
                 ".f32" LANEWISE_TO "{%5, %6}];", "r"(layer), "f"(x))
LANEWISE_TEXTURE(tex2DLayered, (cudaTextureObject_t texture, float x, float y, int layer), "tex.a2d.v4",
                 ".f32" LANEWISE_TO "{%5, %6, %7, %7}];", "r"(layer), "f"(x), "f"(y))
LANEWISE_TEXTURE(texCubemap, (cudaTextureObject_t texture, float x, float y, float z), "tex.cube.v4",
                 ".f32" LANEWISE_TO "{%5, %6, %7, %7}];", "f"(x), "f"(y), "f"(z))
LANEWISE_TEXTURE(texCubemapLayered, (cudaTextureObject_t texture, float x, float y, float z, int layer), "tex.acube.v4",
                 ".f32" LANEWISE_TO "{%5, %6, %7, %8}];", "r"(layer), "f"(x), "f"(y), "f"(z))
LANEWISE_TEXTURE(tex1DLod, (cudaTextureObject_t texture, float x, float level), "tex.level.1d.v4",
                 ".f32" LANEWISE_TO "{%5}], %6;", "f"(x), "f"(level))
LANEWISE_TEXTURE(tex2DLod, (cudaTextureObject_t texture, float x, float y, float level), "tex.level.2d.v4",
                 ".f32" LANEWISE_TO "{%5, %6}], %7;", "f"(x), "f"(y), "f"(level))
LANEWISE_TEXTURE(tex3DLod, (cudaTextureObject_t texture, float x, float y, float z, float level), "tex.level.3d.v4",
                 ".f32" LANEWISE_TO "{%5, %6, %7, %7}], %8;", "f"(x), "f"(y), "f"(z), "f"(level))
LANEWISE_TEXTURE(tex1DGrad, (cudaTextureObject_t texture, float x, float dx, float dy), "tex.grad.1d.v4",
                 ".f32" LANEWISE_TO "{%5}], {%6}, {%7};", "f"(x), "f"(dx), "f"(dy))
LANEWISE_TEXTURE(tex2DGrad, (cudaTextureObject_t texture, float x, float y, float2 dx, float2 dy), "tex.grad.2d.v4",
                 ".f32" LANEWISE_TO "{%5, %6}], {%7, %8}, {%9, %10};", "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x),
                 "f"(dy.y))
LANEWISE_TEXTURE(tex3DGrad, (cudaTextureObject_t texture, float x, float y, float z, float4 dx, float4 dy),
                 "tex.grad.3d.v4", ".f32" LANEWISE_TO "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};",
                 "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
LANEWISE_TEXTURE(tex1DLayeredLod, (cudaTextureObject_t texture, float x, int layer, float level), "tex.level.a1d.v4",
                 ".f32" LANEWISE_TO "{%5, %6}], %7;", "r"(layer), "f"(x), "f"(level))
LANEWISE_TEXTURE(tex2DLayeredLod, (cudaTextureObject_t texture, float x, float y, int layer, float level),
                 "tex.level.a2d.v4", ".f32" LANEWISE_TO "{%5, %6, %7, %7}], %8;", "r"(layer), "f"(x), "f"(y),
                 "f"(level))
LANEWISE_TEXTURE(texCubemapLod, (cudaTextureObject_t texture, float x, float y, float z, float level),
                 "tex.level.cube.v4", ".f32" LANEWISE_TO "{%5, %6, %7, %7}], %8;", "f"(x), "f"(y), "f"(z), "f"(level))
LANEWISE_TEXTURE(texCubemapLayeredLod, (cudaTextureObject_t texture, float x, float y, float z, int layer, float level),
                 "tex.level.acube.v4", ".f32" LANEWISE_TO "{%5, %6, %7, %8}], %9;", "r"(layer), "f"(x), "f"(y), "f"(z),
                 "f"(level))
LANEWISE_TEXTURE(tex1DLayeredGrad, (cudaTextureObject_t texture, float x, int layer, float dx, float dy),
                 "tex.grad.a1d.v4", ".f32" LANEWISE_TO "{%5, %6}], {%7}, {%8};", "r"(layer), "f"(x), "f"(dx), "f"(dy))
LANEWISE_TEXTURE(tex2DLayeredGrad, (cudaTextureObject_t texture, float x, float y, int layer, float2 dx, float2 dy),
                 "tex.grad.a2d.v4", ".f32" LANEWISE_TO "{%5, %6, %7, %7}], {%8, %9}, {%10, %11};", "r"(layer), "f"(x),
                 "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
LANEWISE_TEXTURE(texCubemapGrad, (cudaTextureObject_t texture, float x, float y, float z, float4 dx, float4 dy),
                 "tex.grad.cube.v4", ".f32" LANEWISE_TO "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};",
                 "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
#define LANEWISE_GATHER(component)                                                           \
  LANEWISE_TEXTURE(tex2Dgather_##component, (cudaTextureObject_t texture, float x, float y), \
                   "tld4." #component ".2d.v4", ".f32" LANEWISE_TO "{%5, %6}];", "f"(x), "f"(y))
LANEWISE_GATHER(r)
LANEWISE_GATHER(g)
LANEWISE_GATHER(b)
LANEWISE_GATHER(a)
#undef LANEWISE_GATHER
#undef LANEWISE_TO
#undef LANEWISE_TEXTURE
#undef LANEWISE_FETCH

/// One component of the four texels that a linear filter would mix.
template <class T>
__device__ __forceinline__ T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0) {
  if (component == 1) return tex2Dgather_g<T>(texture, x, y);
  if (component == 2) return tex2Dgather_b<T>(texture, x, y);
  if (component == 3) return tex2Dgather_a<T>(texture, x, y);
  return tex2Dgather_r<T>(texture, x, y);
}
