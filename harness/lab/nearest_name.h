// For names that were misspelt: the known one that was probably meant.
#pragma once

#include <string>
#include <vector>

namespace lanewise {

/// The name among `known` that is a few letters from `name`, or begins with it; capitals count as small letters. Empty
/// if none is near.
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

/// "there is no lab 'scna'; did you mean 'scan'?", or, if nothing is near, "there is no lab 'x'; " and `otherwise`.
std::string unknown_name(const std::string& kind, const std::string& name, const std::vector<std::string>& known,
                         const std::string& otherwise);

}  // namespace lanewise
