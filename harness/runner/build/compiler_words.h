// Compiler messages for students: their own file's name, and no notes on other people's headers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lanewise {

/// "my.cuh" of "vecadd.cu:1:10: fatal error: my.cuh: No such file or directory", or clang's "fatal error: 'my.cuh' file
/// not found"; empty if that is not what is wrong.
std::string missing_header(const std::string& words);

/// Names the file as the student does and what lies in `folders` without them, leaves out notes on headers that are
/// elsewhere, and explains what surprises. `source` was compiled as `compiled_as`.
std::string words_for_student(std::string words, const std::vector<std::filesystem::path>& folders,
                              const std::string& compiled_as, const std::filesystem::path& source);

/// What a compiler says first of a variable that is used before it has a value, in a source compiled as `compiled_as`:
/// "line 9: variable 'sum' is uninitialized when used here"; empty if it says nothing of the kind.
std::string variable_without_value(const std::string& words, const std::string& compiled_as);

}  // namespace lanewise
