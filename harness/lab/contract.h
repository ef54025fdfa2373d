// The functions that a lab's contract declares, and the entry that follows from them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/lab/array.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// One parameter: `const float* d_x` is an input, `float* d_y` an output, `std::size_t n` a scalar.
struct ContractParameter {
  enum class Role : std::uint8_t { kInput, kOutput, kScalar };

  std::string name;  ///< as data is called: "x" of d_x, h_x and x_h
  std::string type;  ///< of an element, without const: "float"
  DType dtype = DType::kFloat32;
  Role role = Role::kScalar;
};

struct ContractFunction {
  std::string name;
  std::vector<ContractParameter> parameters;  ///< in order
};

/// What `contract`, the text of `file`, declares as `void name(...)`. The failure says what is missing or not of a kind
/// that data can be passed as, which is numbers and pointers to numbers; it begins with the file and the line, unless
/// the name is nowhere.
Expected<ContractFunction> read_contract(std::string_view contract, const std::filesystem::path& file,
                                         const std::string& name);

/// Whether `name` can be that of a function or a variable.
bool is_identifier(const std::string& name);

/// C++ that calls `function` with the arrays and scalars of `call` (harness/worker/entry.h), without a semicolon.
std::string call_source(const ContractFunction& function);

/// A lab's entry, which calls each of `functions` for the tasks of that name.
std::string entry_source(const std::string& contract_file, const std::vector<ContractFunction>& functions);

}  // namespace lanewise
