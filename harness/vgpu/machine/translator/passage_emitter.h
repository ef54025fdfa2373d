// The code of a passage, as far as it is the same on every host.
#pragma once

#include <memory>

#include "harness/vgpu/machine/translator/emitter.h"
#include "harness/vgpu/machine/translator/values.h"

namespace vgpu {

class PassageEmitter : protected Values {
 public:
  ~PassageEmitter() override = default;
  void emit(Handler plain, const TranslatorCalls& calls);

 protected:
  PassageEmitter(x86::Assembler& assembler, const Passage& passage, const HostVectors& host)
      : Values(assembler, passage, host), pool_(assembler.newLabel()) {}

  // --- what hosts do in their own way ---
  virtual void begin() {}
  virtual void begin_slice() {}
  virtual void compare(const Step& step) = 0;
  virtual void combine_predicates(const Step& step) = 0;
  /// Where the predicate holds (or does not, flipped) `chosen`, else `otherwise`.
  virtual void blend(const x86::Vec& to, const x86::Vec& otherwise, const x86::Vec& chosen, std::uint32_t predicate,
                     bool is_flipped, int bytes, int part) = 0;
  /// The lanes of the slice in which the predicate holds, for what is written to the frame next.
  virtual void take_lanes(const x86::Gp& to, std::uint32_t predicate) = 0;
  virtual void jump_unless_zero(const x86::Vec& bits, const asmjit::Label& to) = 0;
  /// The lower words of two vectors of 64-bit lanes. `to` may be either of them.
  virtual void narrow(const x86::Vec& to, const x86::Vec& low, const x86::Vec& high) = 0;
  virtual void multiply64(const x86::Vec& to, const x86::Vec& first, const x86::Vec& second) = 0;
  virtual void shift_right_s64(const x86::Vec& to, const x86::Vec& value, const x86::Vec& count) = 0;
  virtual void float_from_u32(const x86::Vec& to, const x86::Vec& from) = 0;
  /// Of vectors of two or four words that follow each other: word n of each goes to to[n].
  virtual void load_pairs(const std::array<x86::Vec, 2>& to, const x86::Mem& from) = 0;
  virtual void load_fours(const std::array<x86::Vec, 4>& to, const x86::Mem& from) = 0;

  /// Vectors of constants.
  x86::Mem words(std::uint32_t first, std::uint32_t step = 0);
  x86::Mem wide_words(std::uint64_t first, std::uint64_t step = 0);
  x86::Mem constant(const void* data);
  bool is_written_predicate(std::uint32_t slot) const;

 private:
  void check_bases(const asmjit::Label& miss);
  void check_ranges(const asmjit::Label& slow);
  void load_address(const x86::Gp& to, const RowBase& base, int lane);
  void emit_slice();
  void emit_step(const Step& step);
  bool reads_row(const Step& load) const;
  void load_vectors(const Step& step);
  void compute(const Step& step, const std::array<int, 2>& to);
  void compute_part(const Step& step, int part, const x86::Vec& to);
  void multiply_high(const x86::Vec& to, const x86::Vec& first, const x86::Vec& second, bool is_signed);
  void shift_funnel(const x86::Vec& to, const x86::Vec& low, const x86::Vec& high, const x86::Vec& count, bool is_left);
  void count_ones(const x86::Vec& to, const x86::Vec& from);
  void keep_others(const Step& step, const std::array<int, 2>& to, int bytes, bool& any_nan);
  void put_predicates();

  asmjit::Label pool_;
  asmjit::Zone zone_{1024};
  asmjit::ConstPool constants_{&zone_};
  std::vector<std::uint32_t> written_;  ///< predicates, of the whole passage
};

/// The comparison in an instruction's immediate.
int float_predicate(Comparison comparison);

// --- the hosts ---
std::unique_ptr<PassageEmitter> avx2_emitter(x86::Assembler& assembler, const Passage& passage);
std::unique_ptr<PassageEmitter> avx512_emitter(x86::Assembler& assembler, const Passage& passage);

}  // namespace vgpu
