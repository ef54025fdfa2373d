#include "harness/vgpu/machine/translator/passage_emitter.h"

#include <algorithm>
#include <map>

#include "harness/vgpu/machine/warp.h"

namespace vgpu {

using asmjit::imm;
using asmjit::Label;
using Id = x86::Inst::Id;

namespace {

constexpr int kHalf = kLanes / 2;  ///< of a warp: what rows are made of

template <class Member>
std::int32_t offset_of(Member Warp::*member) {
  alignas(Warp) static const std::byte kPlace[sizeof(Warp)] = {};
  const auto& warp = reinterpret_cast<const Warp&>(kPlace);
  return static_cast<std::int32_t>(reinterpret_cast<const std::byte*>(&(warp.*member)) - kPlace);
}

/// Operations that are one instruction of the host, on registers of one width.
Id simple_instruction(Operation operation, const HostVectors& host) {
  using O = Operation;
  static const std::map<O, Id> kInstructions = {
      {O::kAdd32, Id::kIdVpaddd},          {O::kSubtract32, Id::kIdVpsubd},   {O::kMultiply32, Id::kIdVpmulld},
      {O::kMinimumS32, Id::kIdVpminsd},    {O::kMinimumU32, Id::kIdVpminud},  {O::kMaximumS32, Id::kIdVpmaxsd},
      {O::kMaximumU32, Id::kIdVpmaxud},    {O::kShiftLeft32, Id::kIdVpsllvd}, {O::kShiftRightU32, Id::kIdVpsrlvd},
      {O::kShiftRightS32, Id::kIdVpsravd}, {O::kAdd64, Id::kIdVpaddq},        {O::kSubtract64, Id::kIdVpsubq},
      {O::kAddF32, Id::kIdVaddps},         {O::kSubtractF32, Id::kIdVsubps},  {O::kMultiplyF32, Id::kIdVmulps},
      {O::kDivideF32, Id::kIdVdivps},      {O::kSubtractF64, Id::kIdVsubpd},
  };
  switch (operation) {
    case O::kAnd32:
    case O::kAnd64:
      return host.bitwise_and;
    case O::kOr32:
    case O::kOr64:
      return host.bitwise_or;
    case O::kXor32:
    case O::kXor64:
      return host.bitwise_xor;
    default:
      break;
  }
  const auto found = kInstructions.find(operation);
  return found == kInstructions.end() ? Id::kIdNone : found->second;
}

}  // namespace

int float_predicate(Comparison comparison) {
  constexpr int kPredicates[] = {0x00, 0x0C, 0x11, 0x12, 0x1E, 0x1D, 0x08, 0x04, 0x19, 0x1A, 0x16, 0x15, 0x07, 0x03};
  return kPredicates[static_cast<int>(comparison)];
}

x86::Mem PassageEmitter::constant(const void* data) {
  std::size_t offset = 0;
  if (constants_.add(data, host_.bytes, offset) != asmjit::kErrorOk) a.reportError(asmjit::kErrorOutOfMemory);
  return x86::ptr(pool_, static_cast<std::int32_t>(offset));
}

x86::Mem PassageEmitter::words(std::uint32_t first, std::uint32_t step) {
  std::array<std::uint32_t, 16> all;
  for (std::uint32_t n = 0; n < all.size(); ++n) all[n] = first + n * step;
  return constant(all.data());
}

x86::Mem PassageEmitter::wide_words(std::uint64_t first, std::uint64_t step) {
  std::array<std::uint64_t, 8> all;
  for (std::uint64_t n = 0; n < all.size(); ++n) all[n] = first + n * step;
  return constant(all.data());
}

bool PassageEmitter::is_written_predicate(std::uint32_t slot) const {
  return std::find(written_.begin(), written_.end(), slot) != written_.end();
}

/// What a lane has in a base.
void PassageEmitter::load_address(const x86::Gp& to, const RowBase& base, int lane) {
  if (base.is_global)
    a.mov(to, lane_place(base.slot, 8, lane));
  else
    a.mov(to.r32(), lane_place(base.slot, 4, lane));
}

/// Goes to `miss` unless the bases hold what the code is made for.
void PassageEmitter::check_bases(const Label& miss) {
  const x86::Vec first = vector(0), expected = vector(1), wrong = vector(2);  // no value is in registers yet
  a.emit(host_.bitwise_xor, wrong, wrong, wrong);
  for (const RowBase& base : passage_.bases)
    for (int half = 0; half < 2; ++half) {
      const int bytes = base.is_global ? 8 : 4;
      const bool is_row = (base.contiguous >> half & 1) != 0;
      a.emit(base.is_global ? Id::kIdVpbroadcastq : Id::kIdVpbroadcastd, first,
             lane_place(base.slot, bytes, half * kHalf));
      const int in_vector = static_cast<int>(host_.bytes) / bytes;
      for (int lane = 0; lane < kHalf; lane += in_vector) {
        const std::uint32_t behind = static_cast<std::uint32_t>(lane) * base.bytes;
        if (is_row && base.is_global)
          a.vpaddq(expected, first, wide_words(behind, base.bytes));
        else if (is_row)
          a.vpaddd(expected, first, words(behind, base.bytes));
        a.emit(host_.bitwise_xor, expected, is_row ? expected : first,
               lane_place(base.slot, bytes, half * kHalf + lane));
        a.emit(host_.bitwise_or, wrong, wrong, expected);
      }
    }
  jump_unless_zero(wrong, miss);
}

/// Goes to `slow` unless all loads are aligned and inside of their memory.
void PassageEmitter::check_ranges(const Label& slow) {
  for (const RowBase& base : passage_.bases) {
    const std::int32_t low = base.is_global ? offset_of(&Warp::global_low) : offset_of(&Warp::shared_low);
    const std::int32_t span = base.is_global ? offset_of(&Warp::global_span) : offset_of(&Warp::shared_span);
    for (int half = 0; half < 2; ++half) {
      const std::int64_t row = (base.contiguous >> half & 1) != 0 ? kHalf * base.bytes : base.bytes;
      load_address(x86::rax, base, half * kHalf);
      a.test(x86::al, imm(base.bytes - 1));
      a.jnz(slow);
      a.add(x86::rax, imm(base.lowest));
      a.sub(x86::rax, x86::ptr(kWarp, low));
      a.mov(x86::rcx, x86::ptr(kWarp, span));
      a.sub(x86::rcx, imm(base.highest - base.lowest + row));
      a.jb(slow);
      a.cmp(x86::rax, x86::rcx);
      a.ja(slow);
    }
  }
}

void PassageEmitter::emit(Handler plain, const TranslatorCalls& calls) {
  const Label slow = a.newLabel(), miss = a.newLabel();
  for (const Step& step : passage_.steps)
    if (widths_of(step.operation).dst == 0 && !is_written_predicate(step.insn->dst)) written_.push_back(step.insn->dst);
  a.cmp(x86::dword_ptr(kWarp, offset_of(&Warp::active)), imm(-1));
  a.jne(slow);
  const auto address = [](auto of) { return imm(reinterpret_cast<std::uint64_t>(of)); };
  a.mov(kFrame, x86::ptr(kWarp, offset_of(&Warp::registers)));
  if (!passage_.bases.empty()) {
    check_bases(miss);
    check_ranges(slow);
    if (passage_.is_watched) {
      a.vzeroupper();
      a.push(kWarp);
      a.mov(kInsn, address(&passage_));
      a.mov(x86::rax, address(calls.note_reads));
      a.call(x86::rax);
      a.pop(kWarp);
      a.test(x86::al, x86::al);
      a.jz(slow);
      a.mov(kFrame, x86::ptr(kWarp, offset_of(&Warp::registers)));
    }
    for (const RowBase& base : passage_.bases)
      for (const std::uint32_t place : base.forgotten)
        a.mov(x86::dword_ptr(kWarp, offset_of(&Warp::base_tags) + static_cast<std::int32_t>(4 * place)), imm(0));
    a.mov(x86::rax, address(&passage_.hits));
    a.inc(x86::qword_ptr(x86::rax));
  }
  begin();
  for (slice_ = 0; slice_ < slices(); ++slice_) emit_slice();
  a.vzeroupper();
  a.mov(kInsn, address(passage_.behind()));
#if defined(__OPTIMIZE__) && !defined(LANEWISE_SANITIZED)
  a.jmp(x86::ptr(kInsn, static_cast<std::int32_t>(offsetof(Insn, run))));
#else
  a.mov(x86::rax, kInsn);
  a.ret();
#endif
  a.bind(miss);
  a.vzeroupper();
  a.mov(kInsn, address(passage_.first()));
  a.mov(x86::rax, address(calls.missed));
  a.jmp(x86::rax);
  a.bind(slow);
  if (!passage_.bases.empty()) a.vzeroupper();
  a.mov(kInsn, address(passage_.first()));
  a.mov(x86::rax, address(plain));
  a.jmp(x86::rax);
  a.embedConstPool(pool_, constants_);
}

void PassageEmitter::emit_slice() {
  forget_all();
  begin_slice();
  for (std::size_t b = 0; b < passage_.bases.size(); ++b) {
    const RowBase& base = passage_.bases[b];
    load_address(kRows[b], base, slice_ * lanes());
    a.add(kRows[b], x86::ptr(kWarp, base.is_global ? offset_of(&Warp::global_delta) : offset_of(&Warp::shared)));
  }
  for (at_ = 0; at_ < passage_.steps.size(); ++at_) {
    begin_step();
    emit_step(passage_.steps[at_]);
    release(0);
  }
  put_predicates();
  write_back_all();
}

void PassageEmitter::emit_step(const Step& step) {
  switch (step.operation) {
    case Operation::kCompareS32:
    case Operation::kCompareU32:
    case Operation::kCompareF32:
    case Operation::kCompareS64:
    case Operation::kCompareU64:
      return compare(step);
    case Operation::kAndPredicate:
    case Operation::kOrPredicate:
    case Operation::kXorPredicate:
    case Operation::kNotPredicate:
    case Operation::kMovePredicate:
      return combine_predicates(step);
    case Operation::kLoad32x2:
    case Operation::kLoad32x4:
      return load_vectors(step);
    default:
      break;
  }
  const int bytes = widths_of(step.operation).dst;
  std::array<int, 2> to{new_vector(), 0};
  if (bytes == 8) to[1] = new_vector();
  compute(step, to);
  bool any_nan = makes_nan(step.operation);
  if (step.operation == Operation::kMove32)
    if (const Value* const from = find(step.insn->a)) any_nan = from->any_nan;
  keep_others(step, to, bytes, any_nan);
  define(step.insn->dst, bytes, to, any_nan);
}

/// Whether the lanes of the slice read a row; else they read one place.
bool PassageEmitter::reads_row(const Step& load) const {
  return (passage_.bases[load.base].contiguous >> (slice_ * lanes() / kHalf) & 1) != 0;
}

void PassageEmitter::load_vectors(const Step& step) {
  const Destinations slots = destinations_of(step);
  std::array<int, 4> to{};
  std::array<x86::Vec, 4> words;
  for (std::uint32_t n = 0; n < slots.count; ++n) words[n] = vector(to[n] = new_vector());
  x86::Mem from = x86::ptr(kRows[step.base], static_cast<std::int32_t>(step.insn->offset));
  if (!reads_row(step)) {
    for (std::uint32_t n = 0; n < slots.count; ++n, from.addOffset(4)) a.emit(Id::kIdVbroadcastss, words[n], from);
  } else if (slots.count == 2) {
    load_pairs({words[0], words[1]}, from);
  } else {
    load_fours(words, from);
  }
  for (std::uint32_t n = 0; n < slots.count; ++n) define(slots.slots[n], 4, {to[n], 0}, false);
}

/// Lanes in which the guard does not hold keep what they have. From here on, lanes that arithmetic has made stand
/// beside others: each is to be what it is in the frame.
void PassageEmitter::keep_others(const Step& step, const std::array<int, 2>& to, int bytes, bool& any_nan) {
  if (!instruction_of(*passage_.code, *step.insn).guarded) return;
  if (any_nan) make_canonical(vector(to[0]));
  any_nan = false;
  make_canonical(cached(step.insn->dst, bytes));
  const Value before = cached(step.insn->dst, bytes);  // a copy: blending may move it
  for (int part = 0; part < parts_of(bytes); ++part) {
    const x86::Vec result = vector(to[static_cast<std::size_t>(part)]);
    blend(result, vector(before.vectors[static_cast<std::size_t>(part)]), result, step.insn->guard,
          step.insn->guard_flip != 0, bytes, part);
  }
}

void PassageEmitter::compute(const Step& step, const std::array<int, 2>& to) {
  const Insn& insn = *step.insn;
  const bool is_wide = widths_of(step.operation).dst == 8;
  const x86::Vec low = vector(to[0]), high = vector(to[1]);
  switch (step.operation) {
    case Operation::kNarrow64: {
      const x86::Vec first = in_register(insn.a, 8, 0);
      return narrow(low, first, in_register(insn.a, 8, 1));
    }
    case Operation::kParameter32:
    case Operation::kParameter64: {
      a.mov(x86::rax, x86::ptr(kWarp, offset_of(&Warp::parameters)));
      const x86::Mem from = x86::ptr(x86::rax, static_cast<std::int32_t>(insn.offset));
      a.emit(is_wide ? Id::kIdVpbroadcastq : Id::kIdVpbroadcastd, low, from);
      if (is_wide) a.vmovaps(high, low);
      return;
    }
    case Operation::kLoad32:
    case Operation::kLoad64: {
      const bool is_row = reads_row(step);
      x86::Mem from = x86::ptr(kRows[step.base], static_cast<std::int32_t>(insn.offset));
      if (is_row) {
        a.vmovups(low, from);
        from.addOffset(host_.bytes);
        if (is_wide) a.vmovups(high, from);
      } else {
        a.emit(is_wide ? Id::kIdVbroadcastsd : Id::kIdVbroadcastss, low, from);
        if (is_wide) a.vmovaps(high, low);
      }
      return;
    }
    default:
      for (int part = 0; part < (is_wide ? 2 : 1); ++part) {
        const std::size_t before = temporaries();
        compute_part(step, part, part == 0 ? low : high);
        release(before);
      }
  }
}

void PassageEmitter::compute_part(const Step& step, int part, const x86::Vec& to) {
  using O = Operation;
  const Insn& insn = *step.insn;
  const int bytes = widths_of(step.operation).dst;
  if (const Id simple = simple_instruction(step.operation, host_); simple != Id::kIdNone) {
    const x86::Vec first = in_register(insn.a, bytes, part);
    a.emit(simple, to, first, in_place(insn.b, bytes, part));
    return;
  }
  switch (step.operation) {
    case O::kMove32:
    case O::kMove64:
      a.emit(Id::kIdVmovaps, to, in_place(insn.a, bytes, part));
      return;
    case O::kMultiply64: {
      const x86::Vec first = in_register(insn.a, 8, part);
      return multiply64(to, first, in_register(insn.b, 8, part));
    }
    case O::kMultiplyAdd32: {
      const x86::Vec first = in_register(insn.a, 4);
      a.emit(Id::kIdVpmulld, to, first, in_place(insn.b, 4));
      a.emit(Id::kIdVpaddd, to, to, in_place(insn.c, 4));
      return;
    }
    case O::kFusedMultiplyAddF32: {
      const x86::Vec first = in_register(insn.a, 4);
      a.emit(Id::kIdVmovaps, to, in_place(insn.c, 4));
      a.emit(Id::kIdVfmadd231ps, to, first, in_place(insn.b, 4));
      return;
    }
    case O::kAbsolute32:
      a.emit(Id::kIdVpabsd, to, in_place(insn.a, 4));
      return;
    case O::kNegate32:
      a.emit(host_.bitwise_xor, to, to, to);
      a.emit(Id::kIdVpsubd, to, to, in_place(insn.a, 4));
      return;
    case O::kMultiplyHighS32:
    case O::kMultiplyHighU32: {
      const x86::Vec first = in_register(insn.a, 4);
      return multiply_high(to, first, in_register(insn.b, 4), step.operation == O::kMultiplyHighS32);
    }
    case O::kFunnelLeft32:
    case O::kFunnelRight32: {
      const x86::Vec low = in_register(insn.a, 4), high = in_register(insn.b, 4), count = in_register(insn.c, 4);
      return shift_funnel(to, low, high, count, step.operation == O::kFunnelLeft32);
    }
    case O::kCountOnes32:
      return count_ones(to, in_register(insn.a, 4));
    case O::kNot32:
    case O::kNot64:
      a.emit(host_.bitwise_xor, to, in_register(insn.a, bytes, part), words(~0u));
      return;
    case O::kShiftLeft64:
    case O::kShiftRightU64:
    case O::kShiftRightS64: {
      const x86::Vec first = in_register(insn.a, 8, part);
      a.emit(Id::kIdVpmovzxdq, to, half_in_place(insn.b, part));
      if (step.operation == O::kShiftRightS64) return shift_right_s64(to, first, to);
      a.emit(step.operation == O::kShiftLeft64 ? Id::kIdVpsllvq : Id::kIdVpsrlvq, to, first, to);
      return;
    }
    case O::kWidenS32:
      a.emit(Id::kIdVpmovsxdq, to, half_in_place(insn.a, part));
      return;
    case O::kWidenU32:
      a.emit(Id::kIdVpmovzxdq, to, half_in_place(insn.a, part));
      return;
    case O::kMultiplyWideS32:
    case O::kMultiplyWideU32:
    case O::kMultiplyAddWideS32:
    case O::kMultiplyAddWideU32: {
      const bool is_signed = step.operation == O::kMultiplyWideS32 || step.operation == O::kMultiplyAddWideS32;
      const x86::Vec second = vector(new_vector());
      const Id widen = is_signed ? Id::kIdVpmovsxdq : Id::kIdVpmovzxdq;
      a.emit(widen, to, half_in_place(insn.a, part));
      a.emit(widen, second, half_in_place(insn.b, part));
      a.emit(is_signed ? Id::kIdVpmuldq : Id::kIdVpmuludq, to, to, second);
      if (step.operation == O::kMultiplyAddWideS32 || step.operation == O::kMultiplyAddWideU32)
        a.emit(Id::kIdVpaddq, to, to, in_place(insn.c, 8, part));
      return;
    }
    case O::kSquareRootF32:
      a.emit(Id::kIdVsqrtps, to, in_place(insn.a, 4));
      return;
    case O::kAbsoluteF32:
      a.emit(host_.bitwise_and, to, in_register(insn.a, 4), words(0x7FFFFFFF));
      return;
    case O::kNegateF32:
      a.emit(host_.bitwise_xor, to, in_register(insn.a, 4), words(0x80000000));
      return;
    case O::kFloatFromS32:
      a.emit(Id::kIdVcvtdq2ps, to, in_place(insn.a, 4));
      return;
    case O::kFloatFromU32:
      return float_from_u32(to, in_register(insn.a, 4));
    case O::kSelect32:
    case O::kSelect64: {
      const x86::Vec chosen = in_register(insn.a, bytes, part);
      const x86::Vec otherwise = in_register(insn.b, bytes, part);
      return blend(to, otherwise, chosen, insn.c, insn.offset != 0, bytes, part);
    }
    default:
      return;
  }
}

/// Even words are multiplied together, and odd words.
void PassageEmitter::multiply_high(const x86::Vec& to, const x86::Vec& first, const x86::Vec& second, bool is_signed) {
  const Id multiply = is_signed ? Id::kIdVpmuldq : Id::kIdVpmuludq;
  const x86::Vec odd = vector(new_vector());
  a.vpsrlq(to, first, imm(32));
  a.vpsrlq(odd, second, imm(32));
  a.emit(multiply, odd, to, odd);
  a.emit(host_.bitwise_and, odd, odd, wide_words(~std::uint64_t{0} << 32));
  a.emit(multiply, to, first, second);
  a.vpsrlq(to, to, imm(32));
  a.emit(host_.bitwise_or, to, to, odd);
}

/// Counts of 32 or more shift everything out.
void PassageEmitter::shift_funnel(const x86::Vec& to, const x86::Vec& low, const x86::Vec& high, const x86::Vec& count,
                                  bool is_left) {
  const x86::Vec opposite = vector(new_vector());
  a.emit(host_.bitwise_and, to, count, words(31));
  a.vmovaps(opposite, words(32));
  a.vpsubd(opposite, opposite, to);
  a.vpsllvd(is_left ? to : opposite, high, is_left ? to : opposite);
  a.vpsrlvd(is_left ? opposite : to, low, is_left ? opposite : to);
  a.emit(host_.bitwise_or, to, to, opposite);
}

/// Of halves of bytes, by a table; then of bytes, and of halves of words, together.
void PassageEmitter::count_ones(const x86::Vec& to, const x86::Vec& from) {
  const x86::Vec upper = vector(new_vector()), table = vector(new_vector());
  std::array<std::uint8_t, 64> ones;
  for (unsigned n = 0; n < ones.size(); ++n) ones[n] = static_cast<std::uint8_t>(__builtin_popcount(n % 16));
  a.vmovaps(table, constant(ones.data()));
  a.vpsrlw(upper, from, imm(4));
  a.emit(host_.bitwise_and, upper, upper, words(0x0F0F0F0F));
  a.emit(host_.bitwise_and, to, from, words(0x0F0F0F0F));
  a.vpshufb(upper, table, upper);
  a.vpshufb(to, table, to);
  a.vpaddb(to, to, upper);
  a.vpmaddubsw(to, to, words(0x01010101));
  a.vpmaddwd(to, to, words(0x00010001));
}

/// Into the frame when all slices are known, by one store: who reads it next, a branch mostly, need not wait for
/// several.
void PassageEmitter::put_predicates() {
  for (std::size_t n = 0; n < written_.size(); ++n) {
    const x86::Mem aside = x86::dword_ptr(x86::rsp, -8 - 4 * static_cast<std::int32_t>(n));  // below the stack
    take_lanes(x86::eax, written_[n]);
    if (slice_ == 0) {
      a.mov(aside, x86::eax);
      continue;
    }
    a.shl(x86::eax, imm(lanes() * slice_));
    if (slice_ < slices() - 1) {
      a.or_(aside, x86::eax);
      continue;
    }
    a.or_(x86::eax, aside);
    a.mov(x86::dword_ptr(kFrame, static_cast<std::int32_t>(written_[n])), x86::eax);
  }
}

}  // namespace vgpu
