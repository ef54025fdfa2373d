#include "harness/vgpu/ptx/function_parser.h"

#include <algorithm>

#include "harness/vgpu/ptx/declarations.h"

namespace vgpu::ptx {
namespace {

constexpr std::uint32_t kMostRegisters = 1u << 20;  // of one family; hostile counts stop here
constexpr std::size_t kDeepestScope = 64;
constexpr int kDeepestOperand = 8;

bool is_special_register(std::string_view name) {
  constexpr std::string_view kNames[] = {"%tid",
                                         "%ntid",
                                         "%ctaid",
                                         "%nctaid",
                                         "%laneid",
                                         "%warpid",
                                         "%nwarpid",
                                         "%smid",
                                         "%nsmid",
                                         "%gridid",
                                         "%lanemask_eq",
                                         "%lanemask_le",
                                         "%lanemask_lt",
                                         "%lanemask_ge",
                                         "%lanemask_gt",
                                         "%clock",
                                         "%clock64",
                                         "%clock_hi",
                                         "%globaltimer",
                                         "%globaltimer_lo",
                                         "%globaltimer_hi",
                                         "%dynamic_smem_size",
                                         "%total_smem_size",
                                         "%is_explicit_cluster",
                                         "%clusterid",
                                         "%nclusterid",
                                         "%cluster_ctaid",
                                         "%cluster_nctaid",
                                         "%cluster_ctarank",
                                         "%cluster_nctarank",
                                         "%reserved_smem_offset_begin",
                                         "%reserved_smem_offset_1",
                                         "%current_graph_exec",
                                         "%aggr_smem_size"};
  if (std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames)) return true;
  return name.substr(0, 7) == "%envreg" && name.size() > 7;
}

}  // namespace

void FunctionParser::open_scope() {
  std::size_t depth = 0;
  for (std::size_t s = scope_; !scopes_.empty() && s != 0; s = scopes_[s].parent) ++depth;
  if (depth > kDeepestScope) tokens_.fail("braces are nested too deeply");
  const std::size_t parent = scope_;
  scopes_.emplace_back();
  scopes_.back().parent = parent;
  scope_ = scopes_.size() - 1;
}

void FunctionParser::close_scope() { scope_ = scopes_[scope_].parent; }

void FunctionParser::parse_body() {
  tokens_.expect('{', "before a function body");
  open_scope();
  int open = 1;
  while (open > 0) {
    if (tokens_.at_end()) tokens_.fail("the body of " + function_.name + " is not closed");
    if (tokens_.accept('{')) {
      open_scope();
      ++open;
    } else if (tokens_.accept('}')) {
      if (--open > 0) close_scope();
    } else {
      parse_statement();
    }
  }
  resolve_labels();
}

void FunctionParser::parse_statement() {
  const Token& token = tokens_.peek();
  if (token.kind == TokenKind::kDotted) {
    parse_directive();
  } else if (token.kind == TokenKind::kIdentifier) {
    const Token word = tokens_.take();
    if (tokens_.accept(':')) {
      if (tokens_.is_dotted("callprototype") || tokens_.is_dotted("branchtargets") ||
          tokens_.is_dotted("calltargets")) {
        const std::string_view kind = tokens_.take().text;
        if (kind == "callprototype") {
          const auto [declared, is_new] = function_.prototypes.try_emplace(std::string(word.text));
          if (!is_new) tokens_.fail("the prototype " + std::string(word.text) + " is declared twice");
          Prototype& prototype = declared->second;
          if (tokens_.is_punctuation('(')) parse_parameters(tokens_, prototype.results);
          tokens_.expect_identifier("the name in a .callprototype");
          if (tokens_.is_punctuation('(')) parse_parameters(tokens_, prototype.parameters);
          while (tokens_.peek().kind == TokenKind::kDotted) tokens_.take();  // .noreturn and the like
        } else {
          const auto [declared, is_new] = function_.branch_targets.try_emplace(std::string(word.text));
          if (!is_new) tokens_.fail("the list " + std::string(word.text) + " is declared twice");
          std::vector<std::string_view>& targets = declared->second;
          do targets.push_back(tokens_.expect_identifier("a target"));
          while (tokens_.accept(','));
        }
        tokens_.expect(';', "after a list of targets");
      } else {
        declare_label(word.text);
      }
    } else {
      parse_instruction(word.text);
    }
  } else if (token.kind == TokenKind::kPunctuation && token.text == "@") {
    parse_instruction({});
  } else if (!tokens_.accept(';')) {
    tokens_.fail("'" + std::string(token.text.substr(0, 40)) + "' does not begin a statement");
  }
}

void FunctionParser::parse_directive() {
  const std::string_view word = tokens_.take().text;
  if (word == "loc") {
    parse_location();
  } else if (word == "reg") {
    parse_registers();
  } else if (word == "pragma") {
    while (!tokens_.accept(';')) {
      if (tokens_.at_end()) tokens_.fail("a .pragma is not closed");
      tokens_.take();
    }
  } else if (word == "global" || word == "const") {
    tokens_.fail("a ." + std::string(word) + " variable inside a function is not supported");
  } else if (declared_space(word) != Space::kGeneric) {
    for (Variable& variable : parse_variables(tokens_, declared_space(word), false)) {
      const auto index = static_cast<std::uint32_t>(function_.variables.size());
      if (!scopes_[scope_].variables.emplace(variable.name, index).second)
        tokens_.fail("the variable " + variable.name + " is declared twice");
      function_.variables.push_back(std::move(variable));
    }
  } else {
    tokens_.fail("the directive '." + std::string(word) + "' is not known inside a function");
  }
}

void FunctionParser::parse_location() {
  Location here;
  here.file = static_cast<std::uint32_t>(tokens_.expect_integer("a file number after .loc"));
  here.line = static_cast<std::uint32_t>(tokens_.expect_integer("a line number after .loc"));
  here.column = static_cast<std::uint32_t>(tokens_.expect_integer("a column number after .loc"));
  while (tokens_.accept(',')) {
    const std::string_view what = tokens_.expect_identifier("function_name or inlined_at");
    if (what == "function_name") {
      tokens_.expect_identifier("a label after function_name");
      if (tokens_.accept('+')) tokens_.expect_integer("an offset");
    } else if (what == "inlined_at") {
      const auto file = static_cast<std::uint32_t>(tokens_.expect_integer("a file number"));
      const auto line = static_cast<std::uint32_t>(tokens_.expect_integer("a line number"));
      const auto column = static_cast<std::uint32_t>(tokens_.expect_integer("a column number"));
      auto [caller, is_new] = locations_here_.try_emplace({file, line, column}, 0);
      if (is_new) {
        caller->second = static_cast<std::int32_t>(module_.locations.size());
        module_.locations.push_back({file, line, column, -1});
      }
      here.inlined_at = caller->second;
    } else {
      tokens_.fail("'" + std::string(what) + "' is not known after .loc");
    }
  }
  if (here.line == 0 && location_ >= 0) return;  // "no particular line": stay where we were
  location_ = static_cast<std::int32_t>(module_.locations.size());
  module_.locations.push_back(here);
  locations_here_[{here.file, here.line, here.column}] = location_;
}

void FunctionParser::parse_registers() {
  Type type = Type::kNone;
  while (tokens_.peek().kind == TokenKind::kDotted) {
    const std::string_view word = tokens_.take().text;
    if (type_named(word) == Type::kNone)
      tokens_.fail("registers of type '." + std::string(word) + "' are not supported");
    type = type_named(word);
  }
  if (type == Type::kNone) tokens_.fail("a .reg has no type");
  do {
    const std::string_view name = tokens_.expect_identifier("the name of a register");
    if (tokens_.accept('<')) {
      const std::uint64_t count = tokens_.expect_integer("how many registers");
      if (count > kMostRegisters) tokens_.fail("more than a million registers of one family");
      tokens_.expect('>', "after the number of registers");
      const Scope::Family family{type, static_cast<std::uint32_t>(count)};
      if (!scopes_[scope_].families.emplace(name, family).second)
        tokens_.fail("the registers " + std::string(name) + " are declared twice");
    } else {
      const auto index = static_cast<std::uint32_t>(function_.registers.size());
      if (!scopes_[scope_].registers.emplace(name, index).second)
        tokens_.fail("the register " + std::string(name) + " is declared twice");
      function_.registers.push_back({std::string(name), type});
    }
  } while (tokens_.accept(','));
  tokens_.expect(';', "after .reg");
}

bool FunctionParser::find_register(std::string_view name, std::uint32_t& index) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  for (std::size_t s = scope_;; s = scopes_[s].parent) {
    Scope& scope = scopes_[s];
    if (const auto found = scope.registers.find(name); found != scope.registers.end()) {
      index = found->second;
      return true;
    }
    if (digits < name.size() && name.size() - digits <= 7) {
      const auto family = scope.families.find(name.substr(0, digits));
      if (family != scope.families.end() &&
          static_cast<std::uint32_t>(std::stoul(std::string(name.substr(digits)))) < family->second.count) {
        index = static_cast<std::uint32_t>(function_.registers.size());
        function_.registers.push_back({std::string(name), family->second.type});
        scope.registers[std::string(name)] = index;
        return true;
      }
    }
    if (s == 0) return false;
  }
}

Operand FunctionParser::name_to_operand(std::string_view name) {
  Operand operand;
  operand.name = name;
  if (name == "_") return operand;
  if (find_register(name, operand.index)) {
    operand.kind = Operand::Kind::kRegister;
    if (tokens_.peek().kind == TokenKind::kDotted) operand.part = tokens_.take().text;
    return operand;
  }
  if (name[0] == '%' && is_special_register(name)) {
    operand.kind = Operand::Kind::kSpecial;
    if (tokens_.peek().kind == TokenKind::kDotted && tokens_.peek().text.data() == name.data() + name.size() + 1) {
      const std::string_view component = tokens_.take().text;  // "%tid" directly followed by ".x"
      operand.name = {name.data(), name.size() + 1 + component.size()};
    }
    return operand;
  }
  if (name == "WARP_SZ") {
    operand.kind = Operand::Kind::kImmediate;
    operand.bits = 32;
    return operand;
  }
  if (name[0] == '%') tokens_.fail("the register " + std::string(name) + " is not declared");
  operand.kind = Operand::Kind::kSymbol;
  operand.index = Operand::kNotLocal;
  for (std::size_t s = scope_;; s = scopes_[s].parent) {
    if (const auto found = scopes_[s].variables.find(name); found != scopes_[s].variables.end()) {
      operand.index = found->second;
      break;
    }
    if (s == 0) break;
  }
  return operand;
}

Operand FunctionParser::parse_primary() {
  Operand operand;
  const bool minus = tokens_.accept('-');
  const Token token = tokens_.peek();
  switch (token.kind) {
    case TokenKind::kInteger:
    case TokenKind::kFloat32:
    case TokenKind::kFloat64:
      tokens_.take();
      operand.kind = Operand::Kind::kImmediate;
      operand.bits = token.bits;
      if (token.kind == TokenKind::kFloat32) operand.immediate = Operand::Immediate::kFloat32;
      if (token.kind == TokenKind::kFloat64) operand.immediate = Operand::Immediate::kFloat64;
      if (minus && token.kind == TokenKind::kInteger) operand.bits = 0 - operand.bits;
      if (minus && token.kind == TokenKind::kFloat32) operand.bits ^= std::uint64_t{1} << 31;
      if (minus && token.kind == TokenKind::kFloat64) operand.bits ^= std::uint64_t{1} << 63;
      return operand;
    case TokenKind::kIdentifier:
      tokens_.take();
      operand = name_to_operand(token.text);
      if (minus && operand.kind != Operand::Kind::kRegister) tokens_.fail("only numbers and registers can be negative");
      operand.negated = minus;
      return operand;
    default:
      tokens_.fail("'" + std::string(token.text.substr(0, 40)) + "' is not an operand");
  }
}

Operand FunctionParser::parse_address() {
  Operand address;
  address.kind = Operand::Kind::kAddress;
  address.elements.push_back(parse_primary());
  while (tokens_.is_punctuation('+') || tokens_.is_punctuation('-')) {
    const bool minus = tokens_.take().text == "-";
    const bool negative = tokens_.accept('-') != minus;
    const auto value = tokens_.expect_integer("an offset");
    // Hostile numbers wrap around.
    address.offset =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(address.offset) + (negative ? 0 - value : value));
  }
  if (tokens_.accept(',')) address.elements.push_back(parse_operand());  // [texture, {x, y}]
  tokens_.expect(']', "after an address");
  return address;
}

Operand FunctionParser::parse_vector(char closing) {
  Operand vector;
  vector.kind = Operand::Kind::kVector;
  while (!tokens_.accept(closing)) {
    vector.elements.push_back(parse_operand());
    if (vector.elements.size() > 256) tokens_.fail("a list of operands is too long");
    if (!tokens_.accept(',') && !tokens_.is_punctuation(closing)) tokens_.fail("operands must be separated by commas");
  }
  return vector;
}

Operand FunctionParser::parse_operand() {
  if (++nesting_ > kDeepestOperand) tokens_.fail("operands are nested too deeply");
  Operand operand;
  if (tokens_.accept('[')) {
    operand = parse_address();
  } else if (tokens_.accept('{')) {
    operand = parse_vector('}');
  } else if (tokens_.accept('(')) {
    operand = parse_vector(')');
  } else {
    const bool negated = tokens_.accept('!');
    operand = parse_primary();
    operand.negated |= negated;
    if (operand.kind == Operand::Kind::kSymbol && (tokens_.is_punctuation('+') || tokens_.is_punctuation('-'))) {
      const bool minus = tokens_.take().text == "-";
      const auto value = tokens_.expect_integer("an offset");
      operand.offset = static_cast<std::int64_t>(minus ? 0 - value : value);
    }
  }
  if (tokens_.accept('|')) {  // p|q or {a, b}|p: two destinations
    Operand pair;
    pair.kind = Operand::Kind::kVector;
    pair.elements.push_back(std::move(operand));
    pair.elements.push_back(parse_primary());
    operand = std::move(pair);
  }
  --nesting_;
  return operand;
}

void FunctionParser::parse_instruction(std::string_view first_word) {
  Instruction instruction;
  instruction.line = tokens_.line();
  instruction.location = location_;
  if (first_word.empty() && tokens_.accept('@')) {
    instruction.guarded = true;
    instruction.guard_negated = tokens_.accept('!');
    const std::string_view name = tokens_.expect_identifier("a predicate after '@'");
    if (!find_register(name, instruction.guard))
      tokens_.fail("the predicate " + std::string(name) + " is not declared");
    instruction.line = tokens_.line();
    first_word = tokens_.expect_identifier("an opcode");
  }
  instruction.opcode = first_word;
  while (tokens_.peek().kind == TokenKind::kDotted) instruction.modifiers.push_back(tokens_.take().text);
  while (!tokens_.accept(';')) {
    if (tokens_.at_end()) tokens_.fail("an instruction is not closed by ';'");
    instruction.operands.push_back(parse_operand());
    if (!tokens_.accept(',') && !tokens_.is_punctuation(';')) tokens_.fail("operands must be separated by commas");
  }
  function_.body.push_back(std::move(instruction));
  instruction_scopes_.push_back(scope_);
}

void FunctionParser::declare_label(std::string_view name) {
  const auto position = static_cast<std::uint32_t>(function_.body.size());
  if (!scopes_[scope_].labels.emplace(std::string(name), position).second)
    tokens_.fail("the label " + std::string(name) + " is declared twice");
  if (scope_ == 0) function_.labels.emplace(std::string(name), position);
}

void FunctionParser::resolve_labels() {
  for (std::size_t i = 0; i < function_.body.size(); ++i) {
    Instruction& instruction = function_.body[i];
    if (instruction.opcode != "bra" || instruction.operands.empty()) continue;
    Operand& target = instruction.operands[0];
    bool found = false;
    for (std::size_t s = instruction_scopes_[i]; !found; s = scopes_[s].parent) {
      if (const auto label = scopes_[s].labels.find(target.name); label != scopes_[s].labels.end()) {
        target.kind = Operand::Kind::kLabel;
        target.index = label->second;
        found = true;
      }
      if (s == 0) break;
    }
    if (!found) throw Diagnostic{instruction.line, "the label " + std::string(target.name) + " is not declared"};
  }
}

}  // namespace vgpu::ptx
