// Calls a lab's function once, in this very process and without any judgement, so that profilers can follow. The step
// to be called and its lab's entry.cpp are linked in. Usage: call_task TASK [host] ARGUMENT...
//   in:NAME:BYTES   an input, filled with bytes that look random (as floats: numbers between 1 and 2)
//   out:NAME:BYTES  an output
//   NAME=NUMBER     a scalar
// Arrays lie in device memory, with "host" in that of the host.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "harness/worker/entry.h"

namespace {

bool succeeded(cudaError_t error, const char* call) {
  if (error != cudaSuccess) std::fprintf(stderr, "call_task: %s: %s\n", call, cudaGetErrorString(error));
  return error == cudaSuccess;
}

std::vector<unsigned> contents(std::uint64_t bytes) {
  std::vector<unsigned> words(bytes / sizeof(unsigned) + 1);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = 0x3F800000u | (static_cast<unsigned>(i) * 2654435761u) >> 9;
  return words;
}

/// Takes "NAME:BYTES" apart; the name stays where it is.
bool add_array(char* text, bool is_output, bool in_host_memory, std::vector<LanewiseArray>& arrays) {
  char* const colon = std::strchr(text, ':');
  if (colon == nullptr) return false;
  *colon = '\0';
  const std::uint64_t bytes = std::strtoull(colon + 1, nullptr, 10);
  LanewiseArray array{text, nullptr, bytes, 0, static_cast<std::uint8_t>(is_output)};
  const std::vector<unsigned> words = contents(bytes);
  if (in_host_memory) {
    array.data = std::malloc(bytes);
    if (array.data == nullptr) return false;
    std::memcpy(array.data, words.data(), bytes);
  } else if (!succeeded(cudaMalloc(&array.data, bytes), "cudaMalloc") ||
             !succeeded(cudaMemcpy(array.data, words.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy")) {
    return false;
  }
  arrays.push_back(array);
  return true;
}

bool add_scalar(char* text, std::vector<LanewiseScalar>& scalars) {
  char* const sign = std::strchr(text, '=');
  if (sign == nullptr) return false;
  *sign = '\0';
  scalars.push_back({text, std::strtoll(sign + 1, nullptr, 10), std::strtod(sign + 1, nullptr)});
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("Usage: call_task TASK [host] in:NAME:BYTES ... out:NAME:BYTES ... NAME=NUMBER ...\n", stderr);
    return 2;
  }
  const std::string symbol = std::string("lanewise_task_") + argv[1];
  const auto* const entry = static_cast<const LanewiseTaskEntry*>(dlsym(RTLD_DEFAULT, symbol.c_str()));
  if (entry == nullptr || entry->contract == nullptr) {
    std::fprintf(stderr, "call_task: there is no task %s in this program\n", argv[1]);
    return 3;
  }
  bool in_host_memory = false;
  std::vector<LanewiseArray> arrays;
  std::vector<LanewiseScalar> scalars;
  for (int i = 2; i < argc; ++i) {
    bool is_understood = true;
    if (std::strcmp(argv[i], "host") == 0)
      in_host_memory = true;
    else if (std::strncmp(argv[i], "in:", 3) == 0)
      is_understood = add_array(argv[i] + 3, false, in_host_memory, arrays);
    else if (std::strncmp(argv[i], "out:", 4) == 0)
      is_understood = add_array(argv[i] + 4, true, in_host_memory, arrays);
    else
      is_understood = add_scalar(argv[i], scalars);
    if (!is_understood) {
      std::fprintf(stderr, "call_task: %s cannot be provided\n", argv[i]);
      return 2;
    }
  }
  const LanewiseCall call{arrays.data(), static_cast<std::uint32_t>(arrays.size()), scalars.data(),
                          static_cast<std::uint32_t>(scalars.size())};
  entry->invoke(&call);
  return succeeded(cudaDeviceSynchronize(), "the kernel") ? 0 : 1;
}
