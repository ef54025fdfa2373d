// Tensor maps, which describe boxes of a tensor to kernels. An H200 takes and refuses what is taken and refused here,
// but for interleaved layouts.
#include <cstring>

#include "harness/vgpu/libraries/driver_calls.h"
#include "harness/vgpu/machine/tensor_map.h"

using vgpu::TensorMap;
using namespace vgpu::libraries;

namespace {

/// Bytes of an element; 0 for types that the device does not have.
std::uint8_t bytes_of_type(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
      return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:  // copies flush nothing
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
      return 4;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return 8;
    default:
      return 0;
  }
}

bool is_floating(CUtensorMapDataType type) {
  return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

CUresult encode(CUtensorMap* to, const TensorMap& map) {
  if (!map.is_sound()) return CUDA_ERROR_INVALID_VALUE;
  std::memset(to, 0, sizeof *to);
  std::memcpy(to, &map, sizeof map);
  return CUDA_SUCCESS;
}

CUresult encode_tiled(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank, const void* address,
                      const cuuint64_t* lengths, const cuuint64_t* strides, const cuuint32_t* box,
                      const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                      CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  if (to == nullptr || rank == 0 || rank > TensorMap::kMostDimensions || lengths == nullptr || box == nullptr ||
      steps == nullptr || strides == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return refuse("cuTensorMapEncodeTiled with an interleaved layout");
  if (swizzle < CU_TENSOR_MAP_SWIZZLE_NONE || swizzle > CU_TENSOR_MAP_SWIZZLE_128B ||
      promotion < CU_TENSOR_MAP_L2_PROMOTION_NONE || promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
      fill < CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE || fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA ||
      (fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE && !is_floating(type)))
    return CUDA_ERROR_INVALID_VALUE;
  TensorMap map;
  map.mark = TensorMap::kMark;
  map.address = address_of(address);
  map.dimensions = static_cast<std::uint8_t>(rank);
  for (cuuint32_t d = 0; d < rank; ++d) {
    if (box[d] > TensorMap::kLargestBox || steps[d] > TensorMap::kLargestStep) return CUDA_ERROR_INVALID_VALUE;
    map.length[d] = lengths[d];
    map.box[d] = static_cast<std::uint16_t>(box[d]);
    map.step[d] = static_cast<std::uint8_t>(steps[d]);
    if (d > 0) map.stride[d - 1] = strides[d - 1];
  }
  map.element_bytes = bytes_of_type(type);
  map.swizzle = static_cast<std::uint8_t>(swizzle);
  map.fills_with_nan = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ? 0 : 1;
  const bool is_tf32 = type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 || type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
  map.rounds_to_tf32 = is_tf32 ? 1 : 0;
  return encode(to, map);
}

CUresult replace_address(CUtensorMap* in, const void* address) {
  if (in == nullptr) return CUDA_ERROR_INVALID_VALUE;
  TensorMap map;
  std::memcpy(static_cast<void*>(&map), in, sizeof map);
  map.address = address_of(address);
  return encode(in, map);
}

}  // namespace

VGPU_DRIVER_API CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                                void* address, const cuuint64_t* lengths, const cuuint64_t* strides,
                                                const cuuint32_t* box, const cuuint32_t* steps,
                                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  VGPU_INITIALISED(
      encode_tiled(map, type, rank, address, lengths, strides, box, steps, interleave, swizzle, promotion, fill));
}

VGPU_DRIVER_API CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  VGPU_INITIALISED(replace_address(map, address));
}
