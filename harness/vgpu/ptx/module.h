// A PTX module as data: what the parser understood, before anything is executed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vgpu::ptx {

/// Fundamental types; for `.reg` declarations and instruction modifiers alike.
enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBF16,
  kBF16x2,
  kF32,
  kF64,
};

/// Bytes of one value; 0 for kNone, 1 for kPred.
std::uint32_t size_of(Type type);

/// The type a modifier such as "u32" names, or kNone.
Type type_named(std::string_view modifier);

/// As written in PTX, without the dot.
const char* name_of(Type type);

enum class Space : std::uint8_t { kGeneric, kReg, kGlobal, kShared, kLocal, kConst, kParam };

/// Which other modules of a program know a name.
enum class Linkage : std::uint8_t {
  kLocal,    ///< none
  kVisible,  ///< all: it is defined once
  kWeak,     ///< all: of several definitions, one counts
  kCommon,   ///< all: of several definitions, the largest counts
};

/// One `.loc`. Inlined code forms a chain: inlined_at is the index of the location it was inlined into, or -1.
struct Location {
  std::uint32_t file = 0;  ///< key into Module::files
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::int32_t inlined_at = -1;
};

/// A register of a function. Names may repeat (inner scopes); the index in Function::registers is what counts.
struct Register {
  std::string name;
  Type type = Type::kNone;
};

struct Operand {
  enum class Kind : std::uint8_t {
    kRegister,   ///< `index` into Function::registers
    kSpecial,    ///< `name`: "%tid.x"
    kImmediate,  ///< `bits`, `immediate`
    kSymbol,     ///< `name` of a variable, parameter or function, plus `offset`; `index` as kNotLocal says
    kLabel,      ///< `index` of the instruction the label stands before
    kAddress,    ///< [base + offset]: elements[0] is the base, a register, symbol or immediate; elements[1], where
                 ///< there is one, are coordinates: [texture, {x, y}]
    kVector,     ///< {a, b, c, d} or p|q or {a, b}|p or a call's (list): `elements`
    kSink,       ///< _
  };
  enum class Immediate : std::uint8_t { kInteger, kFloat32, kFloat64 };

  /// For kSymbol, `index` is a position in Function::variables, or this for names from outside the function body.
  static constexpr std::uint32_t kNotLocal = ~0u;

  Kind kind = Kind::kSink;
  Immediate immediate = Immediate::kInteger;
  bool negated = false;  ///< !p or -r
  std::uint32_t index = 0;
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  std::string_view name;
  std::string_view part;  ///< of a register, in a video instruction: "b0" to "b3", "h0", "h1"
  std::vector<Operand> elements;
};

struct Instruction {
  std::string_view opcode;                  ///< "ld"
  std::vector<std::string_view> modifiers;  ///< "global", "nc", "u32"
  std::vector<Operand> operands;
  bool guarded = false;
  bool guard_negated = false;
  std::uint32_t guard = 0;     ///< register index of the guard predicate
  std::uint32_t line = 0;      ///< of the PTX text
  std::int32_t location = -1;  ///< index into Module::locations, or -1
};

/// An address inside an initialiser: `symbol + addend` is stored at `offset`.
struct Relocation {
  std::uint64_t offset = 0;
  std::string_view symbol;
  std::int64_t addend = 0;
  std::uint32_t bytes = 8;
  std::uint32_t line = 0;  ///< of the PTX text
};

bool has_modifier(const Instruction& instruction, std::string_view name);

struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  Linkage linkage = Linkage::kLocal;
  Type type = Type::kB8;
  std::uint32_t align = 1;
  std::uint64_t bytes = 0;
  bool is_extern = false;  ///< defined elsewhere; for `.shared` with 0 bytes: the dynamic shared memory
  bool is_managed = false;
  std::vector<std::uint8_t> initial;  ///< shorter than `bytes` means zeros follow
  std::vector<Relocation> relocations;
};

struct Parameter {
  std::string name;
  std::uint32_t offset = 0;  ///< in the parameter block, aligned as the ABI does
  std::uint32_t bytes = 0;
  std::uint32_t align = 1;
};

/// A `.callprototype`: what an indirect call passes and gets back.
struct Prototype {
  std::vector<Parameter> results;
  std::vector<Parameter> parameters;
};

struct Function {
  std::string name;
  bool is_kernel = false;
  bool has_body = false;
  Linkage linkage = Linkage::kLocal;
  std::uint32_t line = 0;
  std::vector<Parameter> results;  ///< of a `.func`; they lie in the callee's frame
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;  ///< size of the whole parameter block
  std::vector<Register> registers;
  std::vector<Variable> variables;  ///< .shared, .local and .param declared in the body
  std::vector<Instruction> body;
  std::map<std::string, Prototype, std::less<>> prototypes;
  std::map<std::string, std::vector<std::string_view>, std::less<>>
      branch_targets;                                        ///< `.branchtargets` lists, for brx.idx
  std::map<std::string, std::uint32_t, std::less<>> labels;  ///< outermost scope, for branch target lists
  std::uint32_t max_threads[3] = {0, 0, 0};                  ///< .maxntid; 0: not given
  std::uint32_t required_threads[3] = {0, 0, 0};             ///< .reqntid
  std::uint32_t min_blocks = 0;                              ///< .minnctapersm
  std::uint32_t max_registers = 0;                           ///< .maxnreg; 0: not given
  std::uint32_t required_cluster[3] = {0, 0, 0};             ///< .reqnctapercluster, in blocks; 0: not given
  std::uint32_t max_cluster = 0;                             ///< .maxclusterrank, in blocks; 0: not given
  bool needs_cluster = false;                                ///< .explicitcluster: no launch without one
};

struct Module {
  /// Every string_view here points into it, or into `renamed`. Of linked modules, it is all their texts.
  std::shared_ptr<const std::string> text;
  std::shared_ptr<const std::deque<std::string>> renamed;  ///< names that linking has made
  std::uint32_t version_major = 0, version_minor = 0;
  std::uint32_t target = 0;  ///< 90 for sm_90
  std::map<std::uint32_t, std::string> files;
  std::vector<Location> locations;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

/// The function called `name`, preferring one with a body; null if there is none.
const Function* find_function(const Module& module, std::string_view name);

/// A readable place in the CUDA source.
struct SourcePlace {
  std::string file;  ///< as the compiler recorded it; empty if unknown
  std::uint32_t line = 0;
};

/// Where in the CUDA source `location` is. Code inlined from the toolkit's own headers is shown at the line of the
/// program that uses it: the innermost place whose file is not below one of the toolkit's include folders.
SourcePlace place_of(const Module& module, std::int32_t location);

}  // namespace vgpu::ptx
