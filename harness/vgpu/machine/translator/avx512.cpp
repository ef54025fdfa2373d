// AVX-512 with VL, BW and DQ: predicates are in mask registers.
#include <algorithm>
#include <map>

#include "harness/vgpu/machine/translator/passage_emitter.h"

namespace vgpu {
namespace {

using asmjit::imm;
using asmjit::Operand;
using Id = x86::Inst::Id;

x86::KReg mask(int n) { return x86::k(static_cast<std::uint32_t>(n)); }

/// The comparison in an instruction's immediate.
int integer_predicate(Comparison comparison) {
  constexpr int kPredicates[] = {0, 4, 1, 2, 6, 5};
  return kPredicates[static_cast<int>(comparison)];
}

class Avx512Emitter final : public PassageEmitter {
 public:
  Avx512Emitter(x86::Assembler& assembler, const Passage& passage) : PassageEmitter(assembler, passage, kVectors) {}

 private:
  static constexpr HostVectors kVectors = {64, 31, Id::kIdVpandd, Id::kIdVpord, Id::kIdVpxord};
  static constexpr x86::Zmm kNan = x86::zmm31;  ///< the canonical one
  static constexpr x86::KReg kTemporary = x86::k1;
  static constexpr int kFirstMask = 2, kMasks = 8;

  void begin() override;
  void begin_slice() override { masks_.clear(); }
  void make_canonical(const x86::Vec& vector) override;
  void extract_upper(const x86::Vec& to, const x86::Vec& from) override { a.vextracti64x4(to, from, imm(1)); }
  void load_predicate(const x86::Vec&, std::uint32_t) override {}  // no predicate is in a vector
  void store_predicate(std::uint32_t, const x86::Vec&) override {}
  void compare(const Step& step) override;
  void combine_predicates(const Step& step) override;
  void blend(const x86::Vec& to, const x86::Vec& otherwise, const x86::Vec& chosen, std::uint32_t predicate,
             bool is_flipped, int bytes, int part) override;
  void take_lanes(const x86::Gp& to, std::uint32_t predicate) override { a.kmovw(to, mask(masks_.at(predicate))); }
  void jump_unless_zero(const x86::Vec& bits, const asmjit::Label& to) override;
  void narrow(const x86::Vec& to, const x86::Vec& low, const x86::Vec& high) override;
  void multiply64(const x86::Vec& to, const x86::Vec& first, const x86::Vec& second) override {
    a.vpmullq(to, first, second);
  }
  void shift_right_s64(const x86::Vec& to, const x86::Vec& value, const x86::Vec& count) override {
    a.vpsravq(to, value, count);
  }
  void float_from_u32(const x86::Vec& to, const x86::Vec& from) override { a.vcvtudq2ps(to, from); }
  void load_pairs(const std::array<x86::Vec, 2>& to, const x86::Mem& from) override;
  void load_fours(const std::array<x86::Vec, 4>& to, const x86::Mem& from) override;

  x86::KReg known(std::uint32_t slot);
  x86::KReg new_mask(std::uint32_t slot);

  std::map<std::uint32_t, int> masks_;  ///< slot -> mask register
};

void Avx512Emitter::begin() {
  const bool has_float = std::any_of(passage_.steps.begin(), passage_.steps.end(),
                                     [](const Step& step) { return makes_nan(step.operation); });
  if (has_float) a.vmovaps(kNan, words(0x7FFFFFFF));
}

void Avx512Emitter::make_canonical(const x86::Vec& vector) {
  a.vcmpps(kTemporary, vector, vector, imm(float_predicate(Comparison::kAnyNan)));
  a.k(kTemporary).vmovaps(vector, kNan);
}

x86::KReg Avx512Emitter::known(std::uint32_t slot) {
  if (const auto found = masks_.find(slot); found != masks_.end()) return mask(found->second);
  const x86::KReg to = new_mask(slot);
  a.kmovw(to, x86::ptr(kFrame, static_cast<std::int32_t>(slot) + 2 * slice_));
  return to;
}

/// A mask register for the slot, which holds something else yet.
x86::KReg Avx512Emitter::new_mask(std::uint32_t slot) {
  if (const auto found = masks_.find(slot); found != masks_.end()) return mask(found->second);
  for (int n = kFirstMask; n < kMasks; ++n) {
    const bool is_free = std::none_of(masks_.begin(), masks_.end(), [=](const auto& m) { return m.second == n; });
    if (is_free) return mask(masks_[slot] = n);
  }
  // One that was only read gives way; the frame has it. At most one other is in use at the same time.
  const std::uint32_t in_use = passage_.steps[at_].insn->a;
  for (auto one = masks_.begin();; ++one) {
    if (is_written_predicate(one->first) || one->first == in_use) continue;
    const int n = one->second;
    masks_.erase(one);
    return mask(masks_[slot] = n);
  }
}

void Avx512Emitter::blend(const x86::Vec& to, const x86::Vec& otherwise, const x86::Vec& chosen,
                          std::uint32_t predicate, bool is_flipped, int bytes, int part) {
  x86::KReg which = known(predicate);
  if (part == 1) {
    a.kshiftrw(kTemporary, which, imm(8));
    which = kTemporary;
  }
  a.k(which).emit(bytes == 8 ? Id::kIdVpblendmq : Id::kIdVpblendmd, to, is_flipped ? chosen : otherwise,
                  is_flipped ? otherwise : chosen);
}

void Avx512Emitter::jump_unless_zero(const x86::Vec& bits, const asmjit::Label& to) {
  a.vptestmd(kTemporary, bits, bits);
  a.kortestw(kTemporary, kTemporary);
  a.jnz(to);
}

void Avx512Emitter::narrow(const x86::Vec& to, const x86::Vec& low, const x86::Vec& high) {
  const x86::Vec upper = vector(new_vector());
  a.vpmovqd(upper.half(), high);
  a.vpmovqd(to.half(), low);
  a.vinserti64x4(to, to, upper.half(), imm(1));
}

void Avx512Emitter::load_pairs(const std::array<x86::Vec, 2>& to, const x86::Mem& from) {
  const x86::Vec first = vector(new_vector());
  a.vmovups(first, from);
  for (std::uint32_t n = 0; n < to.size(); ++n) {
    a.vmovaps(to[n], words(n, 2));
    a.vpermi2d(to[n], first, from.cloneAdjusted(kVectors.bytes));
  }
}

/// Lanes 0 to 7 and 8 to 15 each by themselves: an instruction chooses from two registers, which hold 32 words.
void Avx512Emitter::load_fours(const std::array<x86::Vec, 4>& to, const x86::Mem& from) {
  const x86::Vec first = vector(new_vector()), third = vector(new_vector()), upper = vector(new_vector());
  a.vmovups(first, from);
  a.vmovups(third, from.cloneAdjusted(2 * kVectors.bytes));
  for (std::uint32_t n = 0; n < to.size(); ++n) {
    const x86::Mem places = words(n, 4);
    a.vmovaps(to[n], places);
    a.vpermi2d(to[n], first, from.cloneAdjusted(kVectors.bytes));
    a.vmovaps(upper, places);
    a.vpermi2d(upper, third, from.cloneAdjusted(3 * kVectors.bytes));
    a.vinserti64x4(to[n], to[n], upper.half(), imm(1));
  }
}

void Avx512Emitter::compare(const Step& step) {
  const Insn& insn = *step.insn;
  if (widths_of(step.operation).a == 4) {
    const x86::Vec first = in_register(insn.a, 4);
    const Operand second = in_place(insn.b, 4);
    const x86::KReg to = new_mask(insn.dst);
    if (step.operation == Operation::kCompareF32)
      a.emit(Id::kIdVcmpps, to, first, second, imm(float_predicate(step.comparison)));
    else
      a.emit(step.operation == Operation::kCompareS32 ? Id::kIdVpcmpd : Id::kIdVpcmpud, to, first, second,
             imm(integer_predicate(step.comparison)));
    return;
  }
  const Id id = step.operation == Operation::kCompareS64 ? Id::kIdVpcmpq : Id::kIdVpcmpuq;
  const x86::KReg to = new_mask(insn.dst);
  for (const int part : {1, 0}) {
    const x86::Vec first = in_register(insn.a, 8, part);
    a.emit(id, part == 1 ? to : kTemporary, first, in_place(insn.b, 8, part), imm(integer_predicate(step.comparison)));
  }
  a.kunpckbw(to, to, kTemporary);
}

void Avx512Emitter::combine_predicates(const Step& step) {
  const Insn& insn = *step.insn;
  a.kmovw(kTemporary, known(insn.a));
  if (step.operation == Operation::kMovePredicate) return static_cast<void>(a.kmovw(new_mask(insn.dst), kTemporary));
  if (step.operation == Operation::kNotPredicate) return static_cast<void>(a.knotw(new_mask(insn.dst), kTemporary));
  const x86::KReg second = known(insn.b);
  const Id id = step.operation == Operation::kAndPredicate  ? Id::kIdKandw
                : step.operation == Operation::kOrPredicate ? Id::kIdKorw
                                                            : Id::kIdKxorw;
  a.emit(id, kTemporary, kTemporary, second);
  a.kmovw(new_mask(insn.dst), kTemporary);
}

}  // namespace

std::unique_ptr<PassageEmitter> avx512_emitter(x86::Assembler& assembler, const Passage& passage) {
  return std::make_unique<Avx512Emitter>(assembler, passage);
}

}  // namespace vgpu
