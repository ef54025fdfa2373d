// The one translation unit that holds the bodies of stb_image and stb_image_write: PNG and JPEG in, PNG out.
// Nothing else is compiled in: a decoder that is not there cannot be reached by a hostile file. (stb_image's own PNM
// reader gives uninitialised pixels for a file that is cut short, up to version 2.27 at least; pnm.cpp replaces it.)
#include "datasets/stb_memory.h"

#include <cstdlib>
#include <limits>

namespace {

// stb_image's hooks have no argument that could carry it.
thread_local std::size_t most_bytes_now = std::numeric_limits<std::size_t>::max();

void* allocate(std::size_t bytes) { return bytes > most_bytes_now ? nullptr : std::malloc(bytes); }
void* reallocate(void* old, std::size_t bytes) { return bytes > most_bytes_now ? nullptr : std::realloc(old, bytes); }

}  // namespace

namespace lanewise {

StbMemoryLimit::StbMemoryLimit(std::size_t most_bytes) { most_bytes_now = most_bytes; }
StbMemoryLimit::~StbMemoryLimit() { most_bytes_now = std::numeric_limits<std::size_t>::max(); }

}  // namespace lanewise

#define STBI_MALLOC(bytes) allocate(bytes)
#define STBI_REALLOC(old, bytes) reallocate(old, bytes)
#define STBI_FREE(pointer) std::free(pointer)
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS (1 << 20)
#include <stb_image.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb_image_write.h>
