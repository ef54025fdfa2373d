// Reads the findings that the virtual GPU reports through a worker, trusting none of the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/lab/verdict.h"

namespace lanewise {

/// The findings in a JSON array, or in the "findings" of a report document. Entries that are not findings are left out,
/// long texts are cut, and at most a hundred are kept. Text that is not JSON gives none.
std::vector<Finding> parse_findings(std::string_view json, const std::string& case_name);

/// Replaces the findings of a case that need more space than there is.
Finding findings_that_do_not_fit(const std::string& case_name);

/// Replaces the name the source was compiled as with the name it was submitted under.
void rename_source(std::vector<Finding>& findings, const std::string& compiled_as, const std::string& own_name);

/// Adds `more` to `all`; a finding of the same tool, kind, place and array is counted rather than repeated.
void merge_findings(std::vector<Finding>& all, const std::vector<Finding>& more);

/// Adds those of `more` that are of a kind and place where `all` has nothing, whatever the array.
void add_other_places(std::vector<Finding>& all, const std::vector<Finding>& more);

}  // namespace lanewise
