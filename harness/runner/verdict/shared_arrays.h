// Elements of shared arrays as the source writes them: PTX knows a tile only as a number of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/lab/verdict.h"

namespace lanewise {

/// A `__shared__` array as it is declared.
struct SharedArray {
  std::string type;                   ///< "float"
  std::vector<std::int64_t> extents;  ///< of each dimension: {16, 17}
};

/// The declaration of `name` in the source that is the last one up to `line`; no extents if there is none, or if they
/// take more than constants of this file to work out.
SharedArray find_shared_array(const std::string& source, const std::string& name, int line);

/// Says "a_tile[14][0]" for "a_tile[238]" in findings about a shared array of several dimensions.
void name_shared_elements(std::vector<Finding>& findings, const std::string& source);

}  // namespace lanewise
