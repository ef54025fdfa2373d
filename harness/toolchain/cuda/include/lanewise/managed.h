// __managed__ variables, which clang 19 knows for AMD's devices only. To clang they are __device__ variables, of which
// host code has a shadow. Here the shadow is the variable itself: all shadows lie in one section of the program, the
// virtual GPU is told where it begins and ends, and kernels use the variables there. Each begins a page, so that an
// index that leaves one rarely finds another.
#pragma once

#if !defined(__CUDA_ARCH__)
asm(".pushsection lanewise_managed, \"aw\", @nobits\n.popsection");  // zeros take no room in files

extern "C" {
// From the linker; null in a program without such variables.
extern char __start_lanewise_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_lanewise_managed[] __attribute__((weak, visibility("hidden")));

__attribute__((weak)) void __cudaRegisterManagedSection(const void* begin, const void* end);
}

namespace lanewise {
/// Before any of the program's variables is registered.
__attribute__((constructor(101))) static void register_managed_section() {
  if (__start_lanewise_managed != __stop_lanewise_managed && __cudaRegisterManagedSection != nullptr)
    __cudaRegisterManagedSection(__start_lanewise_managed, __stop_lanewise_managed);
}
}  // namespace lanewise
#endif
