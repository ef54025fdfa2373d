// threadIdx, blockIdx, blockDim and gridDim: clang itself defines them.
#pragma once

#include "cuda_runtime.h"
