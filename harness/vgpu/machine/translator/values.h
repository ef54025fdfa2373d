// What the host's vector registers hold of a warp's registers, while code for a passage is made.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/vgpu/machine/translator/passage.h"

namespace vgpu {

namespace x86 = asmjit::x86;

/// The vector registers of an instruction set, and what it calls the bitwise instructions on them.
struct HostVectors {
  std::uint32_t bytes;  ///< 32 or 64
  int count;            ///< of those that are free for values, from the first on
  x86::Inst::Id bitwise_and, bitwise_or, bitwise_xor;
};

/// Lanes of an instruction do not depend on each other, so a passage is executed for as many lanes as a vector has
/// words (a slice), and then for the next ones: the more of the warp's registers fit the host's.
class Values {
 protected:
  Values(x86::Assembler& assembler, const Passage& passage, const HostVectors& host)
      : a(assembler), passage_(passage), host_(host), taken_(static_cast<std::size_t>(host.count), false) {}
  virtual ~Values() = default;

  /// A frame slot's lanes of this slice, in vector registers: one, or two for 64 bits a lane. Where the host has no
  /// other place for predicates (0 bytes), all bits of a word say whether it holds in that lane.
  struct Value {
    std::uint32_t slot;
    int bytes;      ///< of a lane
    bool is_dirty;  ///< the frame has not got it yet
    bool any_nan;   ///< its NaNs are not the canonical one yet
    std::array<int, 2> vectors;
    std::size_t used_at;
  };
  static int parts_of(int bytes) { return bytes == 8 ? 2 : 1; }

  // --- what hosts do in their own way ---
  virtual void make_canonical(const x86::Vec& vector) = 0;
  virtual void extract_upper(const x86::Vec& to, const x86::Vec& from) = 0;
  virtual void load_predicate(const x86::Vec& to, std::uint32_t slot) = 0;
  virtual void store_predicate(std::uint32_t slot, const x86::Vec& from) = 0;

  // --- places ---
  int lanes() const { return static_cast<int>(host_.bytes / 4); }
  int slices() const { return kLanes / lanes(); }
  x86::Vec vector(int n) const;
  x86::Mem lane_place(std::uint32_t slot, int bytes, int lane) const;
  x86::Mem place(std::uint32_t slot, int bytes, int part) const;

  // --- values ---
  void begin_step() { ++now_; }
  /// Until release() to what temporaries() was before, unless it is defined as a value.
  int new_vector();
  std::size_t temporaries() const { return temporaries_.size(); }
  void release(std::size_t but);
  Value* find(std::uint32_t slot);
  /// In registers, as it is; until the end of the step, whatever else that step needs.
  Value& cached(std::uint32_t slot, int bytes);
  void make_canonical(Value& value);
  /// In a register; NaNs canonical unless the step does not care.
  x86::Vec in_register(std::uint32_t slot, int bytes, int part = 0);
  /// Wherever it is: an instruction's last operand.
  asmjit::Operand in_place(std::uint32_t slot, int bytes, int part = 0);
  /// Half of a vector of words, likewise.
  asmjit::Operand half_in_place(std::uint32_t slot, int part);
  asmjit::Operand half_of(const x86::Vec& whole, int part);
  void define(std::uint32_t slot, int bytes, std::array<int, 2> vectors, bool any_nan);
  void write_back_all();
  void forget_all();

  x86::Assembler& a;
  const Passage& passage_;
  const HostVectors host_;
  int slice_ = 0;
  std::size_t at_ = 0;  ///< the step

 private:
  void free(const Value& value);
  void write_back(Value& value);
  bool is_used_again(std::uint32_t slot) const;

  std::size_t now_ = 0;
  std::vector<Value> values_;
  std::vector<bool> taken_;
  std::vector<int> temporaries_;
};

/// Single precision: every NaN that is made is canonical.
bool makes_nan(Operation operation);

// Registers with a purpose. rax and rcx are free.
inline const x86::Gp kWarp = x86::rdi, kInsn = x86::rsi, kFrame = x86::rdx;
inline const x86::Gp kRows[kMostRowBases] = {x86::r8, x86::r9, x86::r10, x86::r11};

}  // namespace vgpu
