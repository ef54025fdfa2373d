// The body of one PTX function: registers and names by scope, labels, instructions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/vgpu/ptx/module.h"
#include "harness/vgpu/ptx/token_stream.h"

namespace vgpu::ptx {

class FunctionParser {
 public:
  FunctionParser(TokenStream& tokens, Module& module, Function& function)
      : tokens_(tokens), module_(module), function_(function) {}

  /// From the opening brace to the closing one.
  void parse_body();

  /// `.loc file line column, function_name L, inlined_at file line column`, after the word loc.
  void parse_location();

 private:
  /// Names declared between two braces. `%r<35>` declares a family: prefix and count.
  struct Scope {
    struct Family {
      Type type;
      std::uint32_t count;
    };
    std::size_t parent;
    std::map<std::string, std::uint32_t, std::less<>> registers;
    std::map<std::string, Family, std::less<>> families;
    std::map<std::string, std::uint32_t, std::less<>> variables;
    std::map<std::string, std::uint32_t, std::less<>> labels;
  };

  void open_scope();
  void close_scope();
  void parse_statement();
  void parse_directive();
  void parse_registers();
  void parse_instruction(std::string_view first_word);
  void declare_label(std::string_view name);
  void resolve_labels();

  Operand parse_operand();
  Operand parse_primary();
  Operand parse_address();
  Operand parse_vector(char closing);
  Operand name_to_operand(std::string_view name);
  bool find_register(std::string_view name, std::uint32_t& index);

  TokenStream& tokens_;
  Module& module_;
  Function& function_;
  std::vector<Scope> scopes_;
  std::size_t scope_ = 0;
  std::vector<std::size_t> instruction_scopes_;  ///< of each instruction, for labels that are declared later
  std::int32_t location_ = -1;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::int32_t> locations_here_;
  int nesting_ = 0;  ///< of operands
};

}  // namespace vgpu::ptx
