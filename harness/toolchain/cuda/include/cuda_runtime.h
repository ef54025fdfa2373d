// The CUDA runtime; in device compilations everything has come with lanewise_cuda.h before.
#pragma once

#if defined(__CUDA__)
#include "lanewise_cuda.h"
#else
#include "cuda_runtime_api.h"
#include "vector_functions.h"
#endif
