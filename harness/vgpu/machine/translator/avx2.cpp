// AVX2 with FMA: predicates are vectors among the others, in whose words all bits are equal.
#include "harness/vgpu/machine/translator/passage_emitter.h"

namespace vgpu {
namespace {

using asmjit::imm;
using Id = x86::Inst::Id;

class Avx2Emitter final : public PassageEmitter {
 public:
  Avx2Emitter(x86::Assembler& assembler, const Passage& passage) : PassageEmitter(assembler, passage, kVectors) {}

 private:
  static constexpr HostVectors kVectors = {32, 15, Id::kIdVpand, Id::kIdVpor, Id::kIdVpxor};
  static constexpr x86::Ymm kTemporary = x86::ymm15;
  static constexpr int kEvenWords = 0x88, kOddWords = 0xDD, kMiddleSwapped = 0xD8;

  void make_canonical(const x86::Vec& vector) override;
  void extract_upper(const x86::Vec& to, const x86::Vec& from) override { a.vextracti128(to, from, imm(1)); }
  void load_predicate(const x86::Vec& to, std::uint32_t slot) override;
  void store_predicate(std::uint32_t slot, const x86::Vec& from) override;
  void compare(const Step& step) override;
  void combine_predicates(const Step& step) override;
  void blend(const x86::Vec& to, const x86::Vec& otherwise, const x86::Vec& chosen, std::uint32_t predicate,
             bool is_flipped, int bytes, int part) override;
  void take_lanes(const x86::Gp& to, std::uint32_t predicate) override;
  void jump_unless_zero(const x86::Vec& bits, const asmjit::Label& to) override;
  void narrow(const x86::Vec& to, const x86::Vec& low, const x86::Vec& high) override;
  void multiply64(const x86::Vec& to, const x86::Vec& first, const x86::Vec& second) override;
  void shift_right_s64(const x86::Vec& to, const x86::Vec& value, const x86::Vec& count) override;
  void float_from_u32(const x86::Vec& to, const x86::Vec& from) override;
  void load_pairs(const std::array<x86::Vec, 2>& to, const x86::Mem& from) override;
  void load_fours(const std::array<x86::Vec, 4>& to, const x86::Mem& from) override;

  void compare_integers(const Step& step, int part, const x86::Vec& to);
  x86::Mem lanes_of_slice(std::uint32_t slot) const {
    return x86::byte_ptr(kFrame, static_cast<std::int32_t>(slot) + slice_);
  }
};

void Avx2Emitter::make_canonical(const x86::Vec& vector) {
  a.vcmpps(kTemporary, vector, vector, imm(float_predicate(Comparison::kAnyNan)));
  a.vblendvps(vector, vector, words(0x7FFFFFFF), kTemporary);
}

void Avx2Emitter::load_predicate(const x86::Vec& to, std::uint32_t slot) {
  std::array<std::uint32_t, 8> bits;
  for (std::uint32_t lane = 0; lane < 8; ++lane) bits[lane] = 1u << (8 * static_cast<std::uint32_t>(slice_) + lane);
  const x86::Mem own_bits = constant(bits.data());
  a.vpbroadcastd(to, x86::ptr(kFrame, static_cast<std::int32_t>(slot)));
  a.vpand(to, to, own_bits);
  a.vpcmpeqd(to, to, own_bits);
}

void Avx2Emitter::store_predicate(std::uint32_t slot, const x86::Vec& from) {
  a.vmovmskps(x86::eax, from);
  a.mov(lanes_of_slice(slot), x86::al);
}

void Avx2Emitter::take_lanes(const x86::Gp& to, std::uint32_t predicate) {
  Value* const value = find(predicate);
  if (value == nullptr) return static_cast<void>(a.movzx(to, lanes_of_slice(predicate)));
  a.vmovmskps(to, vector(value->vectors[0]));
  value->is_dirty = false;
}

void Avx2Emitter::blend(const x86::Vec& to, const x86::Vec& otherwise, const x86::Vec& chosen, std::uint32_t predicate,
                        bool is_flipped, int bytes, int part) {
  x86::Vec which = in_register(predicate, 0);
  if (bytes == 8) {
    a.emit(Id::kIdVpmovsxdq, kTemporary, half_of(which, part));
    which = kTemporary;
  }
  a.vblendvps(to, is_flipped ? chosen : otherwise, is_flipped ? otherwise : chosen, which);
}

void Avx2Emitter::jump_unless_zero(const x86::Vec& bits, const asmjit::Label& to) {
  a.vptest(bits, bits);
  a.jnz(to);
}

void Avx2Emitter::narrow(const x86::Vec& to, const x86::Vec& low, const x86::Vec& high) {
  a.vshufps(to, low, high, imm(kEvenWords));
  a.vpermq(to, to, imm(kMiddleSwapped));
}

void Avx2Emitter::multiply64(const x86::Vec& to, const x86::Vec& first, const x86::Vec& second) {
  const x86::Vec crosswise = vector(new_vector());
  a.vpsrlq(crosswise, first, imm(32));
  a.vpmuludq(crosswise, crosswise, second);
  a.vpsrlq(to, second, imm(32));
  a.vpmuludq(to, to, first);
  a.vpaddq(crosswise, crosswise, to);
  a.vpsllq(crosswise, crosswise, imm(32));
  a.vpmuludq(to, first, second);
  a.vpaddq(to, to, crosswise);
}

/// Of a negative number, the complement is shifted.
void Avx2Emitter::shift_right_s64(const x86::Vec& to, const x86::Vec& value, const x86::Vec& count) {
  const x86::Vec complement = vector(new_vector());
  a.vpxor(kTemporary, kTemporary, kTemporary);
  a.vpcmpgtq(kTemporary, kTemporary, value);
  a.vpxor(complement, value, kTemporary);
  a.vpsrlvq(to, complement, count);
  a.vpxor(to, to, kTemporary);
}

/// In halves, which are exact; the sum is rounded once.
void Avx2Emitter::float_from_u32(const x86::Vec& to, const x86::Vec& from) {
  constexpr std::uint32_t kTwoToThe16 = 0x47800000;
  a.vpsrld(kTemporary, from, imm(16));
  a.vcvtdq2ps(kTemporary, kTemporary);
  a.vpand(to, from, words(0xFFFF));
  a.vcvtdq2ps(to, to);
  a.vfmadd231ps(to, kTemporary, words(kTwoToThe16));
}

void Avx2Emitter::load_pairs(const std::array<x86::Vec, 2>& to, const x86::Mem& from) {
  a.vmovups(to[0], from);
  a.vmovups(to[1], from.cloneAdjusted(kVectors.bytes));
  a.vshufps(kTemporary, to[0], to[1], imm(kOddWords));
  narrow(to[0], to[0], to[1]);
  a.vpermq(to[1], kTemporary, imm(kMiddleSwapped));
}

/// Instructions work on the halves of registers by themselves: so lanes 0 to 3 stand beside lanes 4 to 7.
void Avx2Emitter::load_fours(const std::array<x86::Vec, 4>& to, const x86::Mem& from) {
  for (std::int64_t n = 0; n < 4; ++n) {
    const x86::Vec& both = to[static_cast<std::size_t>(n)];
    a.vmovups(both.half(), from.cloneAdjusted(16 * n));
    a.vinsertf128(both, both, from.cloneAdjusted(16 * (n + 4)), imm(1));
  }
  a.vunpcklps(kTemporary, to[0], to[1]);
  a.vunpckhps(to[1], to[0], to[1]);
  a.vunpcklps(to[0], to[2], to[3]);
  a.vunpckhps(to[3], to[2], to[3]);
  a.vunpcklpd(to[2], to[1], to[3]);
  a.vunpckhpd(to[3], to[1], to[3]);
  a.vunpckhpd(to[1], kTemporary, to[0]);
  a.vunpcklpd(to[0], kTemporary, to[0]);
}

void Avx2Emitter::compare(const Step& step) {
  const Insn& insn = *step.insn;
  const int to = new_vector();
  if (step.operation == Operation::kCompareF32) {
    const x86::Vec first = in_register(insn.a, 4);
    a.emit(Id::kIdVcmpps, vector(to), first, in_place(insn.b, 4), imm(float_predicate(step.comparison)));
  } else {
    compare_integers(step, 0, vector(to));
    if (widths_of(step.operation).a == 8) {
      const x86::Vec high = vector(new_vector());
      compare_integers(step, 1, high);
      narrow(vector(to), vector(to), high);
    }
  }
  define(insn.dst, 0, {to, 0}, false);
}

/// From "equal" and "greater", for signed numbers.
void Avx2Emitter::compare_integers(const Step& step, int part, const x86::Vec& to) {
  using C = Comparison;
  const C comparison = step.comparison;
  const int bytes = widths_of(step.operation).a;
  x86::Vec first = in_register(step.insn->a, bytes, part), second = in_register(step.insn->b, bytes, part);
  const bool is_equality = comparison == C::kEqual || comparison == C::kNotEqual;
  const bool is_unsigned = step.operation == Operation::kCompareU32 || step.operation == Operation::kCompareU64;
  if (is_unsigned && !is_equality) {
    const x86::Mem signs = bytes == 8 ? wide_words(std::uint64_t{1} << 63) : words(0x80000000);
    a.vpxor(to, first, signs);
    a.vpxor(kTemporary, second, signs);
    first = to;
    second = kTemporary;
  }
  if (is_equality)
    a.emit(bytes == 8 ? Id::kIdVpcmpeqq : Id::kIdVpcmpeqd, to, first, second);
  else if (comparison == C::kGreater || comparison == C::kLessEqual)
    a.emit(bytes == 8 ? Id::kIdVpcmpgtq : Id::kIdVpcmpgtd, to, first, second);
  else
    a.emit(bytes == 8 ? Id::kIdVpcmpgtq : Id::kIdVpcmpgtd, to, second, first);
  const bool is_opposite = comparison == C::kNotEqual || comparison == C::kLessEqual || comparison == C::kGreaterEqual;
  if (is_opposite) a.vpxor(to, to, words(~0u));
}

void Avx2Emitter::combine_predicates(const Step& step) {
  const Insn& insn = *step.insn;
  const int to = new_vector();
  const x86::Vec first = in_register(insn.a, 0);
  if (step.operation == Operation::kMovePredicate) {
    a.vmovaps(vector(to), first);
  } else if (step.operation == Operation::kNotPredicate) {
    a.vpxor(vector(to), first, words(~0u));
  } else {
    const Id id = step.operation == Operation::kAndPredicate  ? host_.bitwise_and
                  : step.operation == Operation::kOrPredicate ? host_.bitwise_or
                                                              : host_.bitwise_xor;
    a.emit(id, vector(to), first, in_register(insn.b, 0));
  }
  define(insn.dst, 0, {to, 0}, false);
}

}  // namespace

std::unique_ptr<PassageEmitter> avx2_emitter(x86::Assembler& assembler, const Passage& passage) {
  return std::make_unique<Avx2Emitter>(assembler, passage);
}

}  // namespace vgpu
