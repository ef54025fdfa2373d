// Build-time tool: writes error_table.cpp by asking the CUDA Toolkit's runtime, which answers without a GPU. Our
// runtime then says the same words, and none of them stand in this source tree.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

std::string quoted(const char* text) {
  std::string result = "\"";
  for (; *text != '\0'; ++text) {
    if (*text == '"' || *text == '\\') result += '\\';
    result += *text;
  }
  return result + "\"";
}

}  // namespace

int main() {
  const std::string unknown = cudaGetErrorName(static_cast<cudaError_t>(-12345));
  std::puts(
      "#include \"harness/vgpu/cudart/error_table.h\"\n\nnamespace vgpu::cudart {\n\nconst ErrorRow kErrors[] = {");
  unsigned long count = 0;
  for (int code = 0; code <= 10000; ++code) {
    const auto error = static_cast<cudaError_t>(code);
    if (cudaGetErrorName(error) == unknown) continue;
    std::printf("    {%d, %s, %s},\n", code, quoted(cudaGetErrorName(error)).c_str(),
                quoted(cudaGetErrorString(error)).c_str());
    ++count;
  }
  std::printf("};\nconst unsigned long kErrorCount = %lu;\n\n}  // namespace vgpu::cudart\n", count);
  return count == 0;
}
