// The version that clang looks up in a toolkit's folder; of the driver's interface, only what Lanewise itself calls.
#pragma once

#define CUDA_VERSION 12030

typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;

#ifndef __CUDA__
#include "lanewise/driver_api.h"
#endif
