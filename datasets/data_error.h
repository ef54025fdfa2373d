// Why a data file could not be obtained or used: one sentence, as a value.
#pragma once

#include <string>

namespace lanewise {

/// What went wrong, with which file, and where to look; ready for display.
struct DataError {
  std::string sentence;
};

}  // namespace lanewise
