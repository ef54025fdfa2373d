// The labs that there are, however they were written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/runner/find.h"
#include "harness/runner/installation.h"

namespace lanewise {

/// Whether oracles are compiled that may be needed.
enum class Oracles : std::uint8_t {
  kBuilt,  ///< before known_labs returns
  kBegun,  ///< beside what the caller does, who asks a lab for its trouble before its oracle is needed
  kLater   ///< when they are asked
};

/// Those of the installation's folder of labs: compiled in, or declared by a lab.toml with an oracle; in alphabetical
/// order; other folders are left alone. They live as long as the program. The failure names a lab that makes no sense,
/// unless the user named others: `names` of labs and tasks.
Expected<std::vector<LabSelection>> known_labs(const Installation& installation,
                                               const std::vector<std::string>& names = {},
                                               Oracles oracles = Oracles::kBuilt);

}  // namespace lanewise
