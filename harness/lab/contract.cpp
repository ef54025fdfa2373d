// A contract is written for people and compilers; of its C++, this reads declarations of plain functions alone.
#include "harness/lab/contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <regex>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// As contracts spell them, without blanks before and behind, and std::.
const std::map<std::string, DType>& element_types() {
  static const std::map<std::string, DType> kTypes = {
      {"float", DType::kFloat32},
      {"double", DType::kFloat64},
      {"int", DType::kInt32},
      {"int32_t", DType::kInt32},
      {"unsigned", DType::kUint32},
      {"unsigned int", DType::kUint32},
      {"uint32_t", DType::kUint32},
      {"short", DType::kInt16},
      {"int16_t", DType::kInt16},
      {"unsigned short", DType::kUint16},
      {"uint16_t", DType::kUint16},
      {"signed char", DType::kInt8},
      {"int8_t", DType::kInt8},
      {"unsigned char", DType::kUint8},
      {"uint8_t", DType::kUint8},
      {"long", DType::kInt64},
      {"long long", DType::kInt64},
      {"int64_t", DType::kInt64},
      {"unsigned long", DType::kUint64},
      {"unsigned long long", DType::kUint64},
      {"uint64_t", DType::kUint64},
      {"size_t", DType::kUint64},
  };
  return kTypes;
}

// Comments become blanks, so that everything stays on its line.
std::string without_comments(std::string_view text) {
  static const std::regex kComment(R"(//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)");
  std::string result(text);
  for (std::sregex_iterator it(result.begin(), result.end(), kComment), end; it != end;) {
    const auto begin = result.begin() + it->position();
    const auto behind = begin + it->length();
    ++it;
    std::replace_if(
        begin, behind, [](char c) { return c != '\n'; }, ' ');
  }
  return result;
}

std::string trimmed(std::string text) {
  static const std::regex kBlanks(R"(\s+)");
  text = std::regex_replace(text, kBlanks, " ");
  if (!text.empty() && text.front() == ' ') text.erase(0, 1);
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// Which memory a pointer is for is not part of what the data is called.
std::string name_of_data(std::string name) {
  static const std::regex kPlace(R"(^(?:d|h)_(.+)$|^(.+)_(?:d|h)$)");
  std::smatch found;
  if (std::regex_match(name, found, kPlace)) return found[1].matched ? found[1] : found[2];
  return name;
}

std::optional<ContractParameter> read_parameter(const std::string& text) {
  static const std::regex kForm(
      R"(^(const )?(?:std::)?([a-z_0-9 ]+?) ?(const ?)?(\* ?)?(?:(?:__)?restrict(?:__)? )?([A-Za-z_]\w*)$)");
  std::smatch found;
  if (!std::regex_match(text, found, kForm)) return std::nullopt;
  ContractParameter parameter;
  parameter.type = found[2];
  const auto type = element_types().find(parameter.type);
  if (type == element_types().end()) return std::nullopt;
  parameter.dtype = type->second;
  const bool is_const = found[1].matched || found[3].matched;
  using Role = ContractParameter::Role;
  parameter.role = !found[4].matched ? Role::kScalar : is_const ? Role::kInput : Role::kOutput;
  parameter.name = parameter.role == Role::kScalar ? found[5].str() : name_of_data(found[5]);
  if (parameter.type.find("_t") != std::string::npos) parameter.type = "std::" + parameter.type;
  return parameter;
}

}  // namespace

Expected<ContractFunction> read_contract(std::string_view contract, const fs::path& file, const std::string& name) {
  if (!is_identifier(name)) return Failure{fmt::format("'{}' is not the name of a function", name)};
  const std::string text = without_comments(contract);
  const auto failure_at = [&](std::ptrdiff_t position, const std::string& sentence) {
    const auto line = 1 + std::count(text.begin(), text.begin() + position, '\n');
    return Failure{fmt::format("{}:{}: {}", file.string(), line, sentence)};
  };
  const std::regex declaration("\\bvoid\\s+" + name + "\\s*\\(([^)]*)\\)\\s*;");
  std::smatch found;
  if (!std::regex_search(text, found, declaration)) {
    const std::string sentence = fmt::format("the contract declares no function 'void {}(...)'", name);
    if (!std::regex_search(text, found, std::regex("\\b" + name + "\\s*\\("))) return Failure{sentence};
    return failure_at(found.position(), sentence + "; what is declared here is another kind");
  }
  ContractFunction function{name, {}};
  const std::string list = found[1];
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string written = trimmed(list.substr(begin, end - begin));
    const auto position = found.position(1) +
                          static_cast<std::ptrdiff_t>(std::min(list.find_first_not_of(" \t\r\n", begin), list.size()));
    const auto parameter = read_parameter(written);
    if (!parameter)
      return failure_at(
          position,
          fmt::format("the contract's {} takes '{}'; a parameter is a number (std::size_t n), an input (const "
                      "float* d_x) or an output (float* d_y)",
                      name, written));
    for (const ContractParameter& other : function.parameters)
      if (other.name == parameter->name)
        return failure_at(position,
                          fmt::format("the contract's {} has two parameters that are called {}", name, other.name));
    function.parameters.push_back(*parameter);
    begin = end + 1;
  }
  return function;
}

bool is_identifier(const std::string& name) {
  static const std::regex kIdentifier("[A-Za-z_]\\w*");
  return std::regex_match(name, kIdentifier);
}

std::string call_source(const ContractFunction& function) {
  using Role = ContractParameter::Role;
  std::vector<std::string> arguments;
  for (const ContractParameter& parameter : function.parameters) {
    const bool is_real = parameter.dtype == DType::kFloat32 || parameter.dtype == DType::kFloat64;
    const char* kind = is_real ? "real" : "integer";
    if (parameter.role != Role::kScalar) kind = parameter.role == Role::kInput ? "input" : "output";
    arguments.push_back(fmt::format("call.{}<{}>(\"{}\")", kind, parameter.type, parameter.name));
  }
  return fmt::format("{}({})", function.name, fmt::join(arguments, ", "));
}

std::string entry_source(const std::string& contract_file, const std::vector<ContractFunction>& functions) {
  std::string source = fmt::format("#include \"harness/worker/entry.h\"\n#include \"{}\"\n", contract_file);
  for (const ContractFunction& function : functions)
    source += fmt::format("LANEWISE_TASK({}) {{ {}; }}\n", function.name, call_source(function));
  return source;
}

}  // namespace lanewise
