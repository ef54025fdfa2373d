// Opens the library that it is told to; or is linked with one.
#include <dlfcn.h>

#include <cstdio>
#ifdef LINKED
#include <cusolverDn.h>
#endif

int main(int argc, char** argv) {
  std::printf("begin\n");
  std::fflush(stdout);
  if (argc > 1) std::printf("%s\n", dlopen(argv[1], RTLD_NOW) != nullptr ? "opened" : "not opened");
#ifdef LINKED
  cusolverDnHandle_t handle;
  std::printf("status %d\n", cusolverDnCreate(&handle));
#endif
  std::printf("end\n");
  return cudaFree(nullptr) == cudaSuccess ? 0 : 1;
}
