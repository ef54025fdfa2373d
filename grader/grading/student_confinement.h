// How students' code is confined when it is compiled and run.
#pragma once

#include "harness/lab/failure.h"
#include "harness/runner/confinement.h"
#include "harness/runner/installation.h"
#include "harness/runner/session/backend.h"

namespace lanewise {

/// A sandbox, which exposes the machine's GPU if `choice` may use it; nothing with `no_sandbox`. The failure says what
/// is missing, and what --no-sandbox would mean.
Expected<Confinement> student_confinement(const Installation& installation, BackendChoice choice, bool no_sandbox);

}  // namespace lanewise
