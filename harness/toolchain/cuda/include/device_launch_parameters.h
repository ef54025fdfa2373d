// threadIdx and its kin, which clang itself defines.
#pragma once

#include "cuda_runtime.h"
