#include "harness/vgpu/machine/translator/emitter.h"

#include <asmjit/x86.h>

#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/translator/code_memory.h"
#include "harness/vgpu/machine/translator/passage_emitter.h"

namespace vgpu {
namespace {

/// Where something cannot be assembled, nothing is.
class NotesErrors : public asmjit::ErrorHandler {
 public:
  bool seen = false;

 private:
  void handleError(asmjit::Error, const char*, asmjit::BaseEmitter*) override { seen = true; }
};

}  // namespace

bool can_translate() { return opcode_isa() == "v3" || opcode_isa() == "v4"; }

Handler translate(const Passage& passage, Handler plain, const TranslatorCalls& calls) {
  CodeMemory* const memory = CodeMemory::get();
  if (memory == nullptr) return nullptr;
  asmjit::CodeHolder code;
  NotesErrors errors;
  if (code.init(asmjit::Environment::host()) != asmjit::kErrorOk) return nullptr;
  code.setErrorHandler(&errors);
  x86::Assembler assembler(&code);
  (opcode_isa() == "v4" ? avx512_emitter : avx2_emitter)(assembler, passage)->emit(plain, calls);
  if (errors.seen || code.flatten() != asmjit::kErrorOk || code.resolveUnresolvedLinks() != asmjit::kErrorOk)
    return nullptr;
  const void* const made = memory->add(code.codeSize(), [&](std::byte* to, const std::byte* runs_at) {
    return code.relocateToBase(reinterpret_cast<std::uint64_t>(runs_at)) == asmjit::kErrorOk &&
           code.copyFlattenedData(to, code.codeSize()) == asmjit::kErrorOk;
  });
  return reinterpret_cast<Handler>(reinterpret_cast<std::uintptr_t>(made));
}

}  // namespace vgpu
