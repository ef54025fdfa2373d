// Lines of a submission's host code: where it called the runtime, what it called its own memory, where it crashed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/lab/verdict.h"

namespace lanewise {

/// Lines of the submission's source by offset in the object it was compiled to; those without one are left out.
using HostLines = std::map<std::uint64_t, int>;

/// The source and the object that a verdict is about.
struct HostSource {
  std::string name;    ///< the source's, as in places
  std::string text;    ///< its content
  std::string object;  ///< name of the file it was compiled to, as in CodeSite::object
};

/// What has to be looked up for locate_host_code(); empty if nothing.
std::set<std::uint64_t> host_offsets(const TaskVerdict& verdict, const HostSource& source);

/// Gives calls and crashes in host code their lines, and names allocations of the submission's own as it does: "d_a"
/// where `cudaMalloc(&d_a, bytes)` made it. What has no line keeps its name.
void locate_host_code(TaskVerdict& verdict, const HostSource& source, const HostLines& lines);

}  // namespace lanewise
