// Why a data file could not be had or used: one sentence, as a value.
#pragma once

#include <string>

namespace lanewise {

/// What went wrong, with which file, and where to look; ready to be shown.
struct DataError {
  std::string sentence;
};

}  // namespace lanewise
