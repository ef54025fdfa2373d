// What a program calls memory that it allocates.
#pragma once

#include <string>
#include <vector>

namespace lanewise {

/// The variable that this text of a call stores its allocation in: "d_a" of "CHECK(cudaMalloc((void**)&d_a, bytes));"
/// Empty if there is none, or more than one call.
std::string allocated_variable(const std::string& call);

/// That of the call which ends in line `number`, counted from 1; it may begin some lines before.
std::string allocated_variable(const std::vector<std::string>& lines, int number);

/// Replaces the runtime's name of an allocation, "allocation#3", in a text; not that of "allocation#31".
void rename_allocation(std::string& text, const std::string& name, const std::string& by);

}  // namespace lanewise
