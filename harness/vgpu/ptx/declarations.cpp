#include "harness/vgpu/ptx/declarations.h"

#include <algorithm>
#include <cstring>

namespace vgpu::ptx {
namespace {

struct Shape {
  Type type = Type::kNone;
  std::uint32_t align = 0;
  std::uint32_t vector = 1;
  bool managed = false;
};

/// `.align 4 .v4 .f32` and attributes, in any order, up to the name.
Shape parse_shape(TokenStream& tokens) {
  Shape shape;
  bool points = false;  // what follows is about what a pointer parameter points to: hints to the optimiser
  while (tokens.peek().kind == TokenKind::kDotted) {
    const std::string_view word = tokens.take().text;
    if (word == "align") {
      const std::uint64_t align = tokens.expect_integer("an alignment after .align");
      if (align == 0 || align > 4096 || (align & (align - 1)) != 0)
        tokens.fail("an alignment must be a power of two up to 4096");
      if (!points) shape.align = static_cast<std::uint32_t>(align);
    } else if (word == "v2" || word == "v4") {
      shape.vector = word == "v2" ? 2 : 4;
    } else if (word == "attribute") {
      tokens.expect('(', "after .attribute");
      while (!tokens.accept(')')) {
        if (tokens.at_end()) tokens.fail("an .attribute list is not closed");
        if (tokens.is_dotted("managed")) shape.managed = true;
        tokens.take();
      }
    } else if (word == "ptr") {
      points = true;
    } else if (word == "global" || word == "shared" || word == "local" || word == "const" || word == "space") {
      continue;
    } else if (type_named(word) != Type::kNone) {
      shape.type = type_named(word);
    } else if (word == "texref" || word == "samplerref" || word == "surfref") {
      tokens.fail("texture and surface references were removed from CUDA 12; use texture objects");
    } else {
      tokens.fail("'." + std::string(word) + "' is not a type, alignment or attribute");
    }
  }
  if (shape.type == Type::kNone) tokens.fail("a declaration has no type");
  if (shape.align == 0) shape.align = size_of(shape.type) * shape.vector;
  return shape;
}

/// `[4][16]`, `[]` or nothing: the number of elements, 0 for `[]`.
std::uint64_t parse_extents(TokenStream& tokens) {
  std::uint64_t count = 1;
  while (tokens.accept('[')) {
    if (tokens.accept(']')) {
      count = 0;
      continue;
    }
    const std::uint64_t extent = tokens.expect_integer("an array extent");
    if (extent != 0 && count > kLargestVariable / extent) tokens.fail("an array is larger than 4 GiB");
    count *= extent;
    tokens.expect(']', "after an array extent");
  }
  return count;
}

void store(std::vector<std::uint8_t>& bytes, std::uint64_t offset, std::uint64_t value, std::uint32_t size) {
  if (bytes.size() < offset + size) bytes.resize(offset + size);
  std::memcpy(bytes.data() + offset, &value, std::min<std::size_t>(size, sizeof value));  // zeros follow in a .b128
}

/// The bits of a floating-point literal as a value of `type`; literals of either width may initialise either type.
std::uint64_t float_bits(const Token& token, bool minus, Type type) {
  double value;
  if (token.kind == TokenKind::kFloat32) {
    const auto narrow_bits = static_cast<std::uint32_t>(token.bits);
    float narrow;
    std::memcpy(&narrow, &narrow_bits, sizeof narrow);
    if (type == Type::kF32) return minus ? narrow_bits ^ 0x80000000u : narrow_bits;  // a NaN keeps its payload
    value = narrow;
  } else {
    std::memcpy(&value, &token.bits, sizeof value);
  }
  if (minus) value = -value;
  std::uint64_t bits = 0;
  if (type == Type::kF32) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(&bits, &narrow, sizeof narrow);
  } else {
    std::memcpy(&bits, &value, sizeof value);
  }
  return bits;
}

/// One scalar of an initialiser at `offset`: a number, or an address `sym`, `sym+8`, `generic(sym)`.
void parse_initial_value(TokenStream& tokens, Variable& variable, std::uint64_t offset, std::uint32_t size) {
  const bool is_float = variable.type == Type::kF32 || variable.type == Type::kF64;
  const bool minus = tokens.accept('-');
  const Token token = tokens.take();
  switch (token.kind) {
    case TokenKind::kInteger:
      if (tokens.is_punctuation('(')) tokens.fail("masked addresses in initialisers are not supported");
      if (is_float)
        tokens.fail("an integer cannot initialise " + variable.name + ", which holds floating-point numbers");
      store(variable.initial, offset, minus ? 0 - token.bits : token.bits, size);
      return;
    case TokenKind::kFloat32:
    case TokenKind::kFloat64:
      if (!is_float) tokens.fail("a floating-point number cannot initialise " + variable.name);
      store(variable.initial, offset, float_bits(token, minus, variable.type), size);
      return;
    case TokenKind::kIdentifier: {
      if (minus) tokens.fail("only numbers can be negative");
      if (size != sizeof(std::uint64_t))
        tokens.fail("an address in the initialiser of " + variable.name + " needs 64 bits");
      Relocation relocation{offset, token.text, 0, size, token.line};
      if (token.text == "generic" && tokens.accept('(')) {
        relocation.symbol = tokens.expect_identifier("a symbol inside generic()");
        if (tokens.accept('+')) relocation.addend = static_cast<std::int64_t>(tokens.expect_integer("an offset"));
        tokens.expect(')', "after generic(");
      }
      if (tokens.accept('+')) relocation.addend = static_cast<std::int64_t>(tokens.expect_integer("an offset"));
      store(variable.initial, offset, 0, size);
      variable.relocations.push_back(relocation);
      return;
    }
    default:
      tokens.fail("an initialiser holds '" + std::string(token.text.substr(0, 40)) + "'");
  }
}

/// `= 5` or `= {1, 2, {3}}`: nesting only groups, so the values are stored one after the other.
void parse_initialiser(TokenStream& tokens, Variable& variable, std::uint32_t size) {
  std::uint64_t offset = 0;
  int depth = 0;
  do {
    while (tokens.accept('{')) ++depth;
    if (offset + size > variable.bytes)
      tokens.fail("the initialiser of " + variable.name + " is longer than the variable");
    if (!tokens.is_punctuation('}')) parse_initial_value(tokens, variable, offset, size);
    offset += size;
    while (depth > 0 && tokens.accept('}')) --depth;
  } while (depth > 0 && tokens.accept(','));
  if (depth > 0) tokens.fail("the initialiser of " + variable.name + " is not closed");
}

}  // namespace

Space declared_space(std::string_view directive) {
  if (directive == "global") return Space::kGlobal;
  if (directive == "shared") return Space::kShared;
  if (directive == "local") return Space::kLocal;
  if (directive == "const") return Space::kConst;
  if (directive == "param") return Space::kParam;
  return Space::kGeneric;
}

std::vector<Variable> parse_variables(TokenStream& tokens, Space space, bool is_extern) {
  std::vector<Variable> variables;
  const Shape shape = parse_shape(tokens);
  const std::uint32_t element = size_of(shape.type) * shape.vector;
  do {
    Variable variable;
    variable.space = space;
    variable.type = shape.type;
    variable.align = shape.align;
    variable.is_extern = is_extern;
    variable.is_managed = shape.managed;
    variable.name = tokens.expect_identifier("the name of a variable");
    variable.bytes = parse_extents(tokens) * element;
    if (variable.bytes > kLargestVariable) tokens.fail(variable.name + " is larger than 4 GiB");
    if (tokens.accept('=')) {
      if (space != Space::kGlobal && space != Space::kConst)
        tokens.fail("only .global and .const variables can be initialised, and " + variable.name + " is neither");
      if (variable.bytes == 0) tokens.fail("the array " + variable.name + " is initialised but has no extent");
      parse_initialiser(tokens, variable, size_of(shape.type));
    }
    variables.push_back(std::move(variable));
  } while (tokens.accept(','));
  tokens.expect(';', "after a declaration");
  return variables;
}

std::uint32_t parse_parameters(TokenStream& tokens, std::vector<Parameter>& parameters) {
  std::uint64_t end = 0;
  tokens.expect('(', "before parameters");
  while (!tokens.accept(')')) {
    if (!tokens.accept_dotted("param") && !tokens.accept_dotted("reg"))
      tokens.fail("a parameter must begin with .param");
    const Shape shape = parse_shape(tokens);
    Parameter parameter;
    parameter.name = tokens.expect_identifier("the name of a parameter");
    const std::uint64_t bytes = parse_extents(tokens) * size_of(shape.type) * shape.vector;
    end = (end + shape.align - 1) / shape.align * shape.align;
    if (bytes > 65536 || end + bytes > 65536) tokens.fail("the parameters take more than 64 KiB");
    parameter.offset = static_cast<std::uint32_t>(end);
    parameter.bytes = static_cast<std::uint32_t>(bytes);
    parameter.align = shape.align;
    end += bytes;
    parameters.push_back(std::move(parameter));
    if (!tokens.accept(',') && !tokens.is_punctuation(')')) tokens.fail("parameters must be separated by commas");
  }
  return static_cast<std::uint32_t>(end);
}

}  // namespace vgpu::ptx
