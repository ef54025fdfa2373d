// Opens the sandbox, or says what it means to do without.
#include "grader/grading/student_confinement.h"

#include "grader/sandbox/sandbox.h"

namespace lanewise {

Expected<Confinement> student_confinement(const Installation& installation, BackendChoice choice, bool no_sandbox) {
  if (no_sandbox) return Confinement();
  SandboxOptions options;
  options.shows_gpu = choice != BackendChoice::kVgpu;
  auto sandbox = open_sandbox(installation, options);
  if (!sandbox)
    return Failure{sandbox.sentence() +
                   ". Students' code is not run without a sandbox unless --no-sandbox is given: it then runs as you, "
                   "and can do what you can"};
  return std::move(sandbox->confinement);
}

}  // namespace lanewise
