// What a call that is not there yet does: it says so, by name, and fails.
#include "harness/vgpu/cudart/entry.h"

int refuse_call(const char* name);

int refuse_call(const char* name) {
  return vgpu::cudart::call([&](vgpu::cudart::Runtime& runtime) {
    const std::string sentence = std::string(name) + " is not available on the virtual GPU";
    if (runtime.findings.is_new("not available", "", 0, sentence, 1)) vgpu::cudart::say(sentence);
    runtime.note("not available", sentence, "");
    return cudaErrorNotSupported;
  });
}
