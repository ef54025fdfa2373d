// The one translation unit that holds the bodies of stb_image and stb_image_write: PNG and JPEG in, PNG out.
// Nothing else is compiled in: a decoder that is not there cannot be reached by a hostile file. (stb_image's own PNM
// reader gives uninitialised pixels for a file that is cut short, up to version 2.27 at least; pnm.cpp replaces it.)
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS (1 << 20)
#include <stb_image.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb_image_write.h>
