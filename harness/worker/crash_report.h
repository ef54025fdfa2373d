// Last words: tells the runner which signal ends this process and what the faulting address belonged to.
#pragma once

#include <cstdint>
#include <string>

#include "harness/worker/case_memory.h"

namespace lanewise {

/// Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT from here on, on a stack of their own: sends one Crashed message
/// through `socket` and then lets the signal end the process. Returns a sentence, empty on success.
std::string report_crashes(int socket);

/// What instructions of the submission are counted from.
void watch_submission(std::uintptr_t base);

/// The case whose arrays a faulting address is looked up in; null between cases. It must outlive the next call.
void watch_case(const CaseMemory* memory);

}  // namespace lanewise
