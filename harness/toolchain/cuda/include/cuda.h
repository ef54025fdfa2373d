// The version that clang looks up in a toolkit's folder; the driver's interface itself is not offered.
#pragma once

#define CUDA_VERSION 12030

typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
