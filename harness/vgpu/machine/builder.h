// Decoding one PTX instruction: what the rows of the opcode tables are written with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/system_calls.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// Something the virtual GPU does not execute, by name. Thrown while decoding; the launch is then refused.
struct Refusal {
  std::string what;  ///< "ld.global.b128", "the modifier .foo of mul"
  std::uint32_t ptx_line = 0;
  std::string file;  ///< CUDA source, empty if unknown
  std::uint32_t line = 0;
};

/// What a frame slot holds: the size of one lane, or a lane mask.
enum class SlotSize : std::uint8_t { kMask, k16, k32, k64, k128 };

/// Bytes of a slot: 4 for a mask, else 32 lanes.
std::uint32_t bytes_of(SlotSize size);

/// The slot that values of `type` live in when they are in a register (8-bit values use 16-bit registers and wider).
SlotSize slot_for(ptx::Type type);

/// A place in an Insn or an operand list that will receive a frame offset once slots are assigned.
struct SlotReference {
  enum class Of : std::uint8_t { kRegister, kConstant, kSpecial };
  Of of;
  bool is_definition = false;
  std::uint32_t which = 0;  ///< register index, constant index or special index
  std::uint32_t insn = 0;
  std::uint32_t* list_entry = nullptr;  ///< set for entries of operand lists
  std::uint32_t insn_byte = 0;          ///< else: which field of the Insn, as its byte offset
};

class FunctionDecoder;  // owns what a builder fills in

/// Hands a row's build function the instruction piece by piece and collects what it emits. Every modifier has to be
/// taken by the row, every operand used; what is left over refuses the instruction, so that nothing is skipped
/// silently.
class Builder {
 public:
  Builder(FunctionDecoder& decoder, const ptx::Instruction& instruction);

  // --- modifiers ---
  /// True, once, if the instruction carries this modifier.
  bool take(std::string_view modifier);
  /// The first of `modifiers` that is carried (taken), as an index, or -1.
  int take_one_of(std::initializer_list<std::string_view> modifiers);
  /// The next type modifier in order; refuses if there is none.
  ptx::Type take_type();
  /// Like take_type, kNone if there is none left.
  ptx::Type take_type_if_any();
  /// The state space modifier, kGeneric if there is none.
  ptx::Space take_space();

  // --- operands ---
  std::size_t operand_count() const { return instruction_.operands.size(); }
  const ptx::Operand& operand(std::size_t n) const;
  bool is_register(const ptx::Operand& operand) const { return operand.kind == ptx::Operand::Kind::kRegister; }
  ptx::Type register_type(const ptx::Operand& operand) const;
  /// Which part of a register an operand is; empty for all of it.
  std::string_view take_part(const ptx::Operand& operand);
  bool is_predicate(const ptx::Operand& operand) const;
  /// The coordinates in an operand [texture, {x, y}], or [texture, x]; no address of another instruction has any.
  std::vector<const ptx::Operand*> take_coordinates(const ptx::Operand& address);

  /// `where` becomes the slot that holds the operand's value for reading; its slot must be of `size`. Immediates become
  /// constants of that size: integers as they are, float literals converted to f32 or f64 by size.
  void read(std::uint32_t& where, const ptx::Operand& operand, SlotSize size);
  /// Like read, for an operand whose register may be wider than the value: gives the slot size found.
  SlotSize read_any(std::uint32_t& where, const ptx::Operand& operand, SlotSize size_of_immediate);
  /// `where` becomes the slot to write; `_` gets a slot nobody reads.
  void write(std::uint32_t& where, const ptx::Operand& operand, SlotSize size);
  SlotSize write_any(std::uint32_t& where, const ptx::Operand& operand, SlotSize size_of_sink);
  /// A predicate operand, `!p` included: *flip becomes all ones when negated.
  void read_predicate(std::uint32_t& where, Mask& flip, const ptx::Operand& operand);
  /// A register of the builder's own, to carry a value from one emitted instruction to the next.
  std::uint32_t scratch(SlotSize size);
  void read_scratch(std::uint32_t& where, std::uint32_t scratch);
  void write_scratch(std::uint32_t& where, std::uint32_t scratch);
  /// A constant of the builder's own.
  void constant(std::uint32_t& where, std::uint64_t bits, SlotSize size);

  /// Storage for `count` operand slots that lives as long as the code; pass its entries to read and write.
  std::vector<std::uint32_t>& operand_list(std::size_t count);

  /// Storage of any kind that is to live as long as the code.
  void keep(std::shared_ptr<void> storage);

  /// Storage for a call's arguments that lives as long as the code.
  CallSite& call_site();

  // --- the outcome ---
  Insn insn;  ///< what emit() appends

  /// Appends `insn` with this handler and resets `insn` for another one.
  void emit(Handler handler);

  // --- names ---
  struct Symbol {
    enum class Kind : std::uint8_t { kAddress, kShared, kLocal, kKernelParameter, kFunction } kind;
    std::uint64_t value =
        0;  ///< device address, offset in shared, in the lane's local memory or in the parameter block
    const ptx::Function* function = nullptr;
  };
  /// What a symbol operand stands for; refuses unknown names.
  Symbol symbol(const ptx::Operand& operand);

  /// Where the module's first .const variable lies. Of an address in constant memory the lower 32 bits are enough.
  std::uint64_t constants() const;

  /// Bytes of the kernel's parameter block.
  std::uint32_t parameter_bytes() const;
  bool is_in_kernel() const;

  /// The system function that a call names, if it is not defined by the module itself.
  SystemFunction system_function(const ptx::Operand& operand) const;

  bool monitored() const;
  FunctionDecoder& decoder() { return decoder_; }
  const ptx::Instruction& instruction() const { return instruction_; }

  [[noreturn]] void refuse(const std::string& what) const;
  /// The instruction as written, without operands: "ld.global.v2.u32".
  std::string spelled() const;
  /// Refuses if modifiers were left over.
  void finish() const;

 private:
  void reference(std::uint32_t& where, SlotReference reference);
  std::uint64_t immediate_bits(const ptx::Operand& operand, SlotSize size) const;

  FunctionDecoder& decoder_;
  const ptx::Instruction& instruction_;
  std::vector<bool> taken_;
  bool coordinates_taken_ = false;
  std::size_t parts_taken_ = 0;
  std::vector<std::pair<SlotReference, std::uint32_t*>> pending_;  ///< references into `insn`, until it is emitted
};

/// One opcode family of the instruction set.
struct OpcodeRow {
  std::string_view opcode;
  void (*build)(Builder&);
};

/// The rows compiled for the best instruction set this processor has.
const OpcodeRow* find_opcode(std::string_view opcode);

/// Whether its family computes values from registers, and does nothing else.
bool is_arithmetic(std::string_view opcode);

/// The names of all of them, for documentation and tests.
std::vector<std::string_view> all_opcodes();

/// The instruction set the rows were compiled for: "v2", "v3" or "v4" of x86-64, "v8" of Arm.
std::string_view opcode_isa();

}  // namespace vgpu
