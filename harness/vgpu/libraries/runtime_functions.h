// Functions of the virtual GPU's runtime, for libraries that call it on behalf of a program.
#pragma once

namespace vgpu::libraries {

/// `lanewise run` loads two runtimes, and the program uses the one it is linked with. Ends the program if there is
/// none, or if it has no such function.
void* find_in_runtime(const char* name);

/// The same; null if there is none.
void* find_in_runtime_if_any(const char* name);

template <class Function>
Function* in_runtime(const char* name) {
  return reinterpret_cast<Function*>(find_in_runtime(name));
}

}  // namespace vgpu::libraries
