// What every compilation by clang begins with (-include), as nvcc's begin with cuda_runtime.h: CUDA C++ without one
// file of NVIDIA's. Most of the device side is clang's own; __clang_cuda_runtime_wrapper.h, in whose place this stands,
// would ask for NVIDIA's headers.
#pragma once
#pragma clang system_header

#if !defined(__CUDA__) || !defined(__clang__)
#error "lanewise_cuda.h is for clang's CUDA mode (-x cuda); other compilers include cuda_runtime_api.h"
#endif

#include <__clang_cuda_math_forward_declares.h>

// libstdc++ asks for it, and then leaves out __float128, which device code is without.
#define __CUDACC__ 1

// C++17's special functions (std::beta, std::legendre) would take a quarter of the time that an empty program takes.
#include <bits/c++config.h>
#ifndef LANEWISE_SPECIAL_FUNCTIONS
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define _GLIBCXX_USE_STD_SPEC_FUNCS 0
#endif

#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cuda.h"
#include "cuda_runtime_api.h"
#include "host_defines.h"
#include "lanewise/managed.h"
#include "vector_functions.h"

// Instructions of what follows count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

// Bodies of kernels are checked when compiling for the host as well, where clang's headers would hide the newer
// functions.
#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif

#include <__clang_cuda_builtin_vars.h>

#include <__clang_cuda_libdevice_declares.h>

#include "lanewise/parts.h"
#include "lanewise/single_instructions.h"

// For a toolkit as old as this the header calls functions by name; for newer ones it writes instructions that only the
// first generations of GPUs had.
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9000
#include <__clang_cuda_device_functions.h>
#pragma pop_macro("CUDA_VERSION")
#include <__clang_cuda_math.h>

#include "lanewise/device_functions.h"
#include "lanewise/system_functions.h"

#include <__clang_cuda_cmath.h>
#include "lanewise/clang_intrinsics.h"

#include <__clang_cuda_complex_builtins.h>

#include "lanewise/atomics.h"
#include "lanewise/cached_access.h"
#include "lanewise/math_overloads.h"

#pragma pop_macro("__CUDA_ARCH__")

#include "lanewise/runtime_templates.h"
#include "lanewise/surfaces.h"
#include "lanewise/textures.h"

#pragma clang attribute pop
