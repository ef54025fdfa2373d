#include "harness/vgpu/machine/translator/emitter.h"

#include <asmjit/x86.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "harness/vgpu/machine/translator/code_memory.h"
#include "harness/vgpu/machine/warp.h"

// Lanes of an instruction do not depend on each other, so a stretch is executed for 16 lanes, a vector register of the
// host, and then for the other 16: twice as many of the warp's registers fit the host's.

namespace vgpu {
namespace {

namespace x86 = asmjit::x86;
using asmjit::Label;
using asmjit::Operand;
using Id = x86::Inst::Id;
using asmjit::imm;

constexpr int kSlices = 2, kSliceLanes = 16;
constexpr std::uint32_t kVectorBytes = 64;
constexpr int kVectors = 31;   ///< of the host, for values; the last one holds the canonical NaN
constexpr int kMaskTemporary = 1, kFirstMask = 2, kMasks = 8;
constexpr std::size_t kFarthestUse = 64;  ///< steps in which a value is looked for to be used again

const x86::Gp kWarp = x86::rdi, kInsn = x86::rsi, kFrame = x86::rdx;
const x86::Gp kRows[kMostRowBases] = {x86::r8, x86::r9, x86::r10, x86::r11};

x86::Zmm zmm(int n) { return x86::zmm(static_cast<std::uint32_t>(n)); }
x86::Ymm ymm(int n) { return x86::ymm(static_cast<std::uint32_t>(n)); }
x86::KReg mask(int n) { return x86::k(static_cast<std::uint32_t>(n)); }

template <class Member>
std::int32_t offset_of(Member Warp::*member) {
  alignas(Warp) static const std::byte kPlace[sizeof(Warp)] = {};
  const auto& warp = reinterpret_cast<const Warp&>(kPlace);
  return static_cast<std::int32_t>(reinterpret_cast<const std::byte*>(&(warp.*member)) - kPlace);
}

/// Single precision: every NaN that is made is canonical.
bool makes_nan(Operation operation) { return operation >= Operation::kAddF32 && operation <= Operation::kNegateF32; }

/// Whether it makes no difference which NaN an operand is.
bool takes_any_nan(Operation operation) {
  return operation == Operation::kMove32 || operation == Operation::kCompareF32 || makes_nan(operation);
}

/// Operations that are one instruction of the host, on registers of one width.
Id simple_instruction(Operation operation) {
  using O = Operation;
  static const std::map<O, Id> kInstructions = {
      {O::kAdd32, Id::kIdVpaddd},          {O::kSubtract32, Id::kIdVpsubd},     {O::kMultiply32, Id::kIdVpmulld},
      {O::kMinimumS32, Id::kIdVpminsd},    {O::kMinimumU32, Id::kIdVpminud},    {O::kMaximumS32, Id::kIdVpmaxsd},
      {O::kMaximumU32, Id::kIdVpmaxud},    {O::kAnd32, Id::kIdVpandd},          {O::kOr32, Id::kIdVpord},
      {O::kXor32, Id::kIdVpxord},          {O::kShiftLeft32, Id::kIdVpsllvd},   {O::kShiftRightU32, Id::kIdVpsrlvd},
      {O::kShiftRightS32, Id::kIdVpsravd}, {O::kAdd64, Id::kIdVpaddq},          {O::kSubtract64, Id::kIdVpsubq},
      {O::kMultiply64, Id::kIdVpmullq},    {O::kAnd64, Id::kIdVpandq},          {O::kOr64, Id::kIdVporq},
      {O::kXor64, Id::kIdVpxorq},          {O::kAddF32, Id::kIdVaddps},         {O::kSubtractF32, Id::kIdVsubps},
      {O::kMultiplyF32, Id::kIdVmulps},    {O::kDivideF32, Id::kIdVdivps},      {O::kAddF64, Id::kIdVaddpd},
      {O::kSubtractF64, Id::kIdVsubpd},    {O::kMultiplyF64, Id::kIdVmulpd},
  };
  const auto found = kInstructions.find(operation);
  return found == kInstructions.end() ? Id::kIdNone : found->second;
}

/// The comparison in an instruction's immediate.
int integer_predicate(Comparison comparison) {
  constexpr int kPredicates[] = {0, 4, 1, 2, 6, 5};
  return kPredicates[static_cast<int>(comparison)];
}
int float_predicate(Comparison comparison) {
  constexpr int kPredicates[] = {0x00, 0x0C, 0x11, 0x12, 0x1E, 0x1D, 0x08, 0x04, 0x19, 0x1A, 0x16, 0x15, 0x07, 0x03};
  return kPredicates[static_cast<int>(comparison)];
}

class Emitter {
 public:
  Emitter(x86::Assembler& assembler, const Stretch& stretch) : a(assembler), stretch_(stretch), pool_(a.newLabel()) {}

  void emit(Handler plain, const TranslatorCalls& calls);

 private:
  /// A frame slot's lanes of this slice, in vector registers: one, or two for 64 bits a lane.
  struct Value {
    std::uint32_t slot;
    bool is_wide;
    bool is_dirty;  ///< the frame has not got it yet
    bool any_nan;   ///< its NaNs are not the canonical one yet
    std::array<int, 2> vectors;
    std::size_t used_at;
  };

  // --- values ---
  x86::Mem place(std::uint32_t slot, bool is_wide, int part) const;
  Value* find(std::uint32_t slot);
  int new_vector();
  void free(const Value& value);
  void make_canonical(const x86::Zmm& vector);
  void make_canonical(Value& value);
  void write_back(Value& value);
  Value& cached(std::uint32_t slot, bool is_wide);
  bool is_used_again(std::uint32_t slot) const;
  /// In a register.
  x86::Zmm in_register(std::uint32_t slot, bool is_wide, int part);
  /// Wherever it is: an instruction's last operand.
  Operand in_place(std::uint32_t slot, bool is_wide, int part);
  /// Eight lanes of 32 bits, likewise.
  Operand half_in_place(std::uint32_t slot, int part);
  void define(std::uint32_t slot, bool is_wide, std::array<int, 2> vectors, bool any_nan);

  // --- predicates ---
  x86::KReg predicate(std::uint32_t slot);
  x86::KReg new_predicate(std::uint32_t slot);
  x86::KReg as_wanted(std::uint32_t slot, bool is_flipped);
  x86::KReg of_part(x86::KReg whole, int part);
  bool is_written_predicate(std::uint32_t slot) const {
    return std::find(written_.begin(), written_.end(), slot) != written_.end();
  }

  // --- steps ---
  void check_bases(const Label& miss);
  void check_ranges(const Label& slow);
  void load_first_address(const x86::Gp& to, const RowBase& base);
  void emit_slice();
  void emit_step(const Step& step);
  void compute(const Step& step, std::array<int, 2>& to);
  void compute_part(const Step& step, int part, int to);
  void compare(const Step& step);
  void combine_predicates(const Step& step);
  void keep_others(const Step& step, const std::array<int, 2>& to, bool is_wide, bool& any_nan);
  void put_predicates();
  void embed_pool();
  x86::Mem constant(std::int32_t at) const { return x86::ptr(pool_, at); }

  x86::Assembler& a;
  const Stretch& stretch_;
  Label pool_;
  int slice_ = 0;
  std::size_t at_ = 0;  ///< the step
  std::size_t now_ = 0;
  std::vector<Value> values_;
  std::array<bool, 32> taken_{};
  std::vector<int> temporaries_;
  std::map<std::uint32_t, int> masks_;   ///< slot -> mask register
  std::vector<std::uint32_t> written_;  ///< predicates, of the whole stretch
  bool has_float_ = false;
};

// The pool: what is added to lane numbers' multiples of 4 and of 8, and single words.
constexpr std::int32_t kSteps32 = 0, kSteps64 = 64, kMoreSteps64 = 128, kNan = 192, kSign = 196, kNoSign = 200;

x86::Mem Emitter::place(std::uint32_t slot, bool is_wide, int part) const {
  const std::uint32_t vectors = is_wide ? 2 : 1;
  return x86::ptr(kFrame, static_cast<std::int32_t>(slot + kVectorBytes * (vectors * static_cast<std::uint32_t>(slice_) +
                                                                            static_cast<std::uint32_t>(part))));
}

Emitter::Value* Emitter::find(std::uint32_t slot) {
  for (Value& value : values_)
    if (value.slot == slot) return &value;
  return nullptr;
}

/// Until the end of the step, unless it is defined as a value before.
int Emitter::new_vector() {
  for (;;) {
    for (int n = 0; n < kVectors; ++n)
      if (!taken_[static_cast<std::size_t>(n)]) {
        taken_[static_cast<std::size_t>(n)] = true;
        temporaries_.push_back(n);
        return n;
      }
    const auto oldest = std::min_element(values_.begin(), values_.end(),
                                         [](const Value& x, const Value& y) { return x.used_at < y.used_at; });
    write_back(*oldest);
    free(*oldest);
    values_.erase(oldest);
  }
}

void Emitter::free(const Value& value) {
  for (int part = 0; part < (value.is_wide ? 2 : 1); ++part)
    taken_[static_cast<std::size_t>(value.vectors[static_cast<std::size_t>(part)])] = false;
}

void Emitter::make_canonical(const x86::Zmm& vector) {
  a.vcmpps(mask(kMaskTemporary), vector, vector, imm(3));
  a.k(mask(kMaskTemporary)).vmovaps(vector, zmm(kVectors));
}

void Emitter::make_canonical(Value& value) {
  if (value.any_nan) make_canonical(zmm(value.vectors[0]));
  value.any_nan = false;
}

void Emitter::write_back(Value& value) {
  if (!value.is_dirty) return;
  make_canonical(value);
  for (int part = 0; part < (value.is_wide ? 2 : 1); ++part)
    a.vmovaps(place(value.slot, value.is_wide, part), zmm(value.vectors[static_cast<std::size_t>(part)]));
  value.is_dirty = false;
}

Emitter::Value& Emitter::cached(std::uint32_t slot, bool is_wide) {
  if (Value* const known = find(slot)) {
    known->used_at = now_;
    return *known;
  }
  Value value{slot, is_wide, false, false, {0, 0}, now_};
  for (int part = 0; part < (is_wide ? 2 : 1); ++part) {
    const int vector = new_vector();
    temporaries_.pop_back();
    a.vmovaps(zmm(vector), place(slot, is_wide, part));
    value.vectors[static_cast<std::size_t>(part)] = vector;
  }
  values_.push_back(value);
  return values_.back();
}

bool Emitter::is_used_again(std::uint32_t slot) const {
  const std::size_t end = std::min(stretch_.steps.size(), at_ + 1 + kFarthestUse);
  for (std::size_t n = at_ + 1; n < end; ++n) {
    const Step& step = stretch_.steps[n];
    const OperandWidths widths = widths_of(step.operation);
    if ((widths.a > 0 && step.insn->a == slot) || (widths.b > 0 && step.insn->b == slot) ||
        (widths.c > 0 && step.insn->c == slot))
      return true;
    if (widths.dst > 0 && step.insn->dst == slot) return false;
  }
  return false;
}

x86::Zmm Emitter::in_register(std::uint32_t slot, bool is_wide, int part) {
  Value& value = cached(slot, is_wide);
  if (!takes_any_nan(stretch_.steps[at_].operation)) make_canonical(value);
  return zmm(value.vectors[static_cast<std::size_t>(part)]);
}

Operand Emitter::in_place(std::uint32_t slot, bool is_wide, int part) {
  if (find(slot) == nullptr && !is_used_again(slot)) return place(slot, is_wide, part);
  return in_register(slot, is_wide, part);
}

Operand Emitter::half_in_place(std::uint32_t slot, int part) {
  if (find(slot) == nullptr) {
    x86::Mem memory = place(slot, false, 0);
    memory.addOffset(32 * part);
    return memory;
  }
  const x86::Zmm whole = in_register(slot, false, 0);
  if (part == 0) return whole.ymm();
  const int upper = new_vector();
  a.vextracti64x4(ymm(upper), whole, imm(1));
  return ymm(upper);
}

void Emitter::define(std::uint32_t slot, bool is_wide, std::array<int, 2> vectors, bool any_nan) {
  for (std::size_t n = 0; n < values_.size(); ++n)
    if (values_[n].slot == slot) {
      free(values_[n]);
      values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(n));
      break;
    }
  for (int part = 0; part < (is_wide ? 2 : 1); ++part) {
    const int vector = vectors[static_cast<std::size_t>(part)];
    temporaries_.erase(std::find(temporaries_.begin(), temporaries_.end(), vector));
    taken_[static_cast<std::size_t>(vector)] = true;
  }
  values_.push_back({slot, is_wide, true, any_nan, vectors, now_});
}

x86::KReg Emitter::predicate(std::uint32_t slot) {
  if (const auto known = masks_.find(slot); known != masks_.end()) return mask(known->second);
  const x86::KReg found = new_predicate(slot);
  a.kmovw(found, x86::ptr(kFrame, static_cast<std::int32_t>(slot) + 2 * slice_));
  return found;
}

/// A mask register for the slot, which holds something else yet.
x86::KReg Emitter::new_predicate(std::uint32_t slot) {
  if (const auto known = masks_.find(slot); known != masks_.end()) return mask(known->second);
  for (int n = kFirstMask; n < kMasks; ++n) {
    const bool is_free = std::none_of(masks_.begin(), masks_.end(), [=](const auto& m) { return m.second == n; });
    if (is_free) {
      masks_[slot] = n;
      return mask(n);
    }
  }
  // One that was only read gives way; the frame has it. At most one other is in use at the same time.
  const std::uint32_t in_use = stretch_.steps[at_].insn->a;
  for (auto known = masks_.begin();; ++known) {
    if (is_written_predicate(known->first) || known->first == in_use) continue;
    const int n = known->second;
    masks_.erase(known);
    masks_[slot] = n;
    return mask(n);
  }
}

x86::KReg Emitter::as_wanted(std::uint32_t slot, bool is_flipped) {
  const x86::KReg found = predicate(slot);
  if (!is_flipped) return found;
  a.knotw(mask(kMaskTemporary), found);
  return mask(kMaskTemporary);
}

/// The lanes of one of two vectors.
x86::KReg Emitter::of_part(x86::KReg whole, int part) {
  if (part == 0) return whole;
  a.kshiftrw(mask(kMaskTemporary), whole, imm(8));
  return mask(kMaskTemporary);
}

/// Goes to `slow` unless all loads are aligned and inside of their memory.
void Emitter::check_ranges(const Label& slow) {
  for (const RowBase& base : stretch_.bases) {
    const std::int32_t low = base.is_global ? offset_of(&Warp::global_low) : offset_of(&Warp::shared_low);
    const std::int32_t span = base.is_global ? offset_of(&Warp::global_span) : offset_of(&Warp::shared_span);
    for (slice_ = 0; slice_ < kSlices; ++slice_) {
      const std::int64_t row = (base.contiguous >> slice_ & 1) != 0 ? kSliceLanes * base.bytes : base.bytes;
      load_first_address(x86::rax, base);
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

/// What the first lane of the slice has in a base.
void Emitter::load_first_address(const x86::Gp& to, const RowBase& base) {
  const x86::Mem from = place(base.slot, base.is_global, 0);
  if (base.is_global)
    a.mov(to, from);
  else
    a.mov(to.r32(), from);
}

/// Goes to `miss` unless the bases hold what the code is made for.
void Emitter::check_bases(const Label& miss) {
  for (const RowBase& base : stretch_.bases)
    for (slice_ = 0; slice_ < kSlices; ++slice_) {
      const bool is_row = (base.contiguous >> slice_ & 1) != 0;
      const x86::Mem first = place(base.slot, base.is_global, 0);
      for (int part = 0; part < (base.is_global ? 2 : 1); ++part) {
        const x86::Mem here = place(base.slot, base.is_global, part);
        a.vmovdqa64(zmm(0), here);
        if (base.is_global) {
          x86::Mem one = first;
          one.setBroadcast(x86::Mem::Broadcast::k1To8);
          a.vpsubq(zmm(0), zmm(0), one);
        } else {
          x86::Mem one = first;
          one.setBroadcast(x86::Mem::Broadcast::k1To16);
          a.vpsubd(zmm(0), zmm(0), one);
        }
        if (is_row && base.is_global) {
          a.vmovdqu64(zmm(1), constant(part == 0 ? kSteps64 : kMoreSteps64));
          if (base.bytes == 4) a.vpsrlq(zmm(1), zmm(1), imm(1));
          a.vpxorq(zmm(0), zmm(0), zmm(1));
        } else if (is_row) {
          a.vmovdqu32(zmm(1), constant(kSteps32));
          if (base.bytes == 8) a.vpslld(zmm(1), zmm(1), imm(1));
          a.vpxord(zmm(0), zmm(0), zmm(1));
        }
        a.vptestmd(mask(kMaskTemporary), zmm(0), zmm(0));
        a.kortestw(mask(kMaskTemporary), mask(kMaskTemporary));
        a.jnz(miss);
      }
    }
}

void Emitter::emit(Handler plain, const TranslatorCalls& calls) {
  const Label slow = a.newLabel(), miss = a.newLabel();
  for (const Step& step : stretch_.steps) {
    has_float_ = has_float_ || makes_nan(step.operation);
    if (widths_of(step.operation).dst == 0 && !is_written_predicate(step.insn->dst)) written_.push_back(step.insn->dst);
  }
  a.cmp(x86::dword_ptr(kWarp, offset_of(&Warp::active)), imm(-1));
  a.jne(slow);
  const auto address = [](auto of) { return imm(reinterpret_cast<std::uint64_t>(of)); };
  if (!stretch_.bases.empty()) {
    a.mov(kFrame, x86::ptr(kWarp, offset_of(&Warp::registers)));
    check_bases(miss);
    check_ranges(slow);
    if (stretch_.is_watched) {
      a.vzeroupper();
      a.push(kWarp);
      a.mov(kInsn, address(&stretch_));
      a.mov(x86::rax, address(calls.note_reads));
      a.call(x86::rax);
      a.pop(kWarp);
      a.test(x86::al, x86::al);
      a.jz(slow);
    }
    for (const RowBase& base : stretch_.bases)
      for (const std::uint32_t place : base.forgotten)
        a.mov(x86::dword_ptr(kWarp, offset_of(&Warp::base_tags) + static_cast<std::int32_t>(4 * place)), imm(0));
    a.mov(x86::rax, address(&stretch_.hits));
    a.inc(x86::qword_ptr(x86::rax));
  }
  a.mov(kFrame, x86::ptr(kWarp, offset_of(&Warp::registers)));
  if (has_float_) a.vbroadcastss(zmm(kVectors), constant(kNan));
  for (slice_ = 0; slice_ < kSlices; ++slice_) emit_slice();
  a.vzeroupper();
  a.mov(kInsn, address(stretch_.behind()));
#if defined(__OPTIMIZE__) && !defined(LANEWISE_SANITIZED)
  a.jmp(x86::ptr(kInsn, static_cast<std::int32_t>(offsetof(Insn, run))));
#else
  a.mov(x86::rax, kInsn);
  a.ret();
#endif
  a.bind(miss);
  a.vzeroupper();
  a.mov(kInsn, address(stretch_.first()));
  a.mov(x86::rax, address(calls.missed));
  a.jmp(x86::rax);
  a.bind(slow);
  if (!stretch_.bases.empty()) a.vzeroupper();
  a.mov(kInsn, address(stretch_.first()));
  a.mov(x86::rax, address(plain));
  a.jmp(x86::rax);
  embed_pool();
}

void Emitter::emit_slice() {
  values_.clear();
  masks_.clear();
  taken_.fill(false);
  for (std::size_t b = 0; b < stretch_.bases.size(); ++b) {
    const RowBase& base = stretch_.bases[b];
    load_first_address(kRows[b], base);
    a.add(kRows[b], x86::ptr(kWarp, base.is_global ? offset_of(&Warp::global_delta) : offset_of(&Warp::shared)));
  }
  for (at_ = 0; at_ < stretch_.steps.size(); ++at_) {
    ++now_;
    emit_step(stretch_.steps[at_]);
    for (const int vector : temporaries_) taken_[static_cast<std::size_t>(vector)] = false;
    temporaries_.clear();
  }
  for (Value& value : values_) write_back(value);
  put_predicates();
}

void Emitter::emit_step(const Step& step) {
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
      return combine_predicates(step);
    default:
      break;
  }
  const bool is_wide = widths_of(step.operation).dst == 8;
  std::array<int, 2> to{new_vector(), 0};
  if (is_wide) to[1] = new_vector();
  compute(step, to);
  bool any_nan = makes_nan(step.operation);
  if (step.operation == Operation::kMove32)
    if (const Value* const from = find(step.insn->a)) any_nan = from->any_nan;
  keep_others(step, to, is_wide, any_nan);
  define(step.insn->dst, is_wide, to, any_nan);
}

/// Lanes in which the guard does not hold keep what they have. From here on, lanes that arithmetic has made stand beside
/// others: each is to be what it is in the frame.
void Emitter::keep_others(const Step& step, const std::array<int, 2>& to, bool is_wide, bool& any_nan) {
  if (!instruction_of(*stretch_.code, *step.insn).guarded) return;
  if (any_nan) make_canonical(zmm(to[0]));
  any_nan = false;
  for (int part = 0; part < (is_wide ? 2 : 1); ++part) {
    Value& before = cached(step.insn->dst, is_wide);
    make_canonical(before);
    const x86::Zmm result = zmm(to[static_cast<std::size_t>(part)]);
    const x86::Zmm old = zmm(before.vectors[static_cast<std::size_t>(part)]);
    const x86::KReg guard = of_part(as_wanted(step.insn->guard, step.insn->guard_flip != 0), part);
    if (is_wide)
      a.k(guard).vpblendmq(result, old, result);
    else
      a.k(guard).vpblendmd(result, old, result);
  }
}

void Emitter::compute(const Step& step, std::array<int, 2>& to) {
  const Insn& insn = *step.insn;
  const bool is_wide = widths_of(step.operation).dst == 8;
  switch (step.operation) {
    case Operation::kNarrow64: {
      const int upper = new_vector();
      a.vpmovqd(ymm(to[0]), in_register(insn.a, true, 0));
      a.vpmovqd(ymm(upper), in_register(insn.a, true, 1));
      a.vinserti64x4(zmm(to[0]), zmm(to[0]), ymm(upper), imm(1));
      return;
    }
    case Operation::kParameter32:
    case Operation::kParameter64: {
      a.mov(x86::rax, x86::ptr(kWarp, offset_of(&Warp::parameters)));
      const x86::Mem from = x86::ptr(x86::rax, static_cast<std::int32_t>(insn.offset));
      if (is_wide) {
        a.vpbroadcastq(zmm(to[0]), from);
        a.vmovdqa64(zmm(to[1]), zmm(to[0]));
      } else {
        a.vpbroadcastd(zmm(to[0]), from);
      }
      return;
    }
    case Operation::kLoad32:
    case Operation::kLoad64: {
      const bool is_row = (stretch_.bases[step.base].contiguous >> slice_ & 1) != 0;
      x86::Mem from = x86::ptr(kRows[step.base], static_cast<std::int32_t>(insn.offset));
      if (is_row) {
        a.vmovups(zmm(to[0]), from);
        from.addOffset(kVectorBytes);
        if (is_wide) a.vmovups(zmm(to[1]), from);
      } else if (is_wide) {
        a.vbroadcastsd(zmm(to[0]), from);
        a.vmovdqa64(zmm(to[1]), zmm(to[0]));
      } else {
        a.vbroadcastss(zmm(to[0]), from);
      }
      return;
    }
    default:
      for (int part = 0; part < (is_wide ? 2 : 1); ++part) compute_part(step, part, to[static_cast<std::size_t>(part)]);
  }
}

void Emitter::compute_part(const Step& step, int part, int to) {
  using O = Operation;
  const Insn& insn = *step.insn;
  const x86::Zmm d = zmm(to);
  const bool is_wide = widths_of(step.operation).dst == 8;
  if (const Id simple = simple_instruction(step.operation); simple != Id::kIdNone) {
    const x86::Zmm first = in_register(insn.a, is_wide, part);
    a.emit(simple, d, first, in_place(insn.b, is_wide, part));
    return;
  }
  switch (step.operation) {
    case O::kMove32:
    case O::kMove64:
      a.emit(Id::kIdVmovaps, d, in_place(insn.a, is_wide, part));
      return;
    case O::kMultiplyAdd32: {
      const x86::Zmm first = in_register(insn.a, false, 0);
      a.emit(Id::kIdVpmulld, d, first, in_place(insn.b, false, 0));
      a.emit(Id::kIdVpaddd, d, d, in_place(insn.c, false, 0));
      return;
    }
    case O::kFusedMultiplyAddF32:
    case O::kFusedMultiplyAddF64: {
      const x86::Zmm first = in_register(insn.a, is_wide, part);
      a.emit(Id::kIdVmovaps, d, in_place(insn.c, is_wide, part));
      a.emit(is_wide ? Id::kIdVfmadd231pd : Id::kIdVfmadd231ps, d, first, in_place(insn.b, is_wide, part));
      return;
    }
    case O::kAbsolute32:
      a.emit(Id::kIdVpabsd, d, in_place(insn.a, false, 0));
      return;
    case O::kNegate32:
      a.vpxord(d, d, d);
      a.emit(Id::kIdVpsubd, d, d, in_place(insn.a, false, 0));
      return;
    case O::kNot32:
    case O::kNot64: {
      const x86::Zmm first = in_register(insn.a, is_wide, part);
      a.vpternlogd(d, first, first, imm(0x55));
      return;
    }
    case O::kShiftLeft64:
    case O::kShiftRightU64:
    case O::kShiftRightS64: {
      const x86::Zmm first = in_register(insn.a, true, part);
      a.emit(Id::kIdVpmovzxdq, d, half_in_place(insn.b, part));
      a.emit(step.operation == O::kShiftLeft64     ? Id::kIdVpsllvq
             : step.operation == O::kShiftRightU64 ? Id::kIdVpsrlvq
                                                   : Id::kIdVpsravq,
             d, first, d);
      return;
    }
    case O::kWidenS32:
      a.emit(Id::kIdVpmovsxdq, d, half_in_place(insn.a, part));
      return;
    case O::kWidenU32:
      a.emit(Id::kIdVpmovzxdq, d, half_in_place(insn.a, part));
      return;
    case O::kMultiplyWideS32:
    case O::kMultiplyWideU32:
    case O::kMultiplyAddWideS32:
    case O::kMultiplyAddWideU32: {
      const bool is_signed = step.operation == O::kMultiplyWideS32 || step.operation == O::kMultiplyAddWideS32;
      const int second = new_vector();
      const Id widen = is_signed ? Id::kIdVpmovsxdq : Id::kIdVpmovzxdq;
      a.emit(widen, d, half_in_place(insn.a, part));
      a.emit(widen, zmm(second), half_in_place(insn.b, part));
      a.emit(is_signed ? Id::kIdVpmuldq : Id::kIdVpmuludq, d, d, zmm(second));
      if (step.operation == O::kMultiplyAddWideS32 || step.operation == O::kMultiplyAddWideU32)
        a.emit(Id::kIdVpaddq, d, d, in_place(insn.c, true, part));
      return;
    }
    case O::kSquareRootF32:
      a.emit(Id::kIdVsqrtps, d, in_place(insn.a, false, 0));
      return;
    case O::kAbsoluteF32:
    case O::kNegateF32: {
      const bool negates = step.operation == O::kNegateF32;
      a.vbroadcastss(d, constant(negates ? kSign : kNoSign));
      a.emit(negates ? Id::kIdVpxord : Id::kIdVpandd, d, d, in_place(insn.a, false, 0));
      return;
    }
    case O::kFloatFromS32:
      a.emit(Id::kIdVcvtdq2ps, d, in_place(insn.a, false, 0));
      return;
    case O::kFloatFromU32:
      a.emit(Id::kIdVcvtudq2ps, d, in_place(insn.a, false, 0));
      return;
    case O::kSelect32:
    case O::kSelect64: {
      const x86::Zmm otherwise = in_register(insn.b, is_wide, part);
      const Operand chosen = in_place(insn.a, is_wide, part);
      const x86::KReg which = of_part(as_wanted(insn.c, insn.offset != 0), part);
      a.k(which).emit(is_wide ? Id::kIdVpblendmq : Id::kIdVpblendmd, d, otherwise, chosen);
      return;
    }
    default:
      return;
  }
}

void Emitter::compare(const Step& step) {
  const Insn& insn = *step.insn;
  const bool is_wide = widths_of(step.operation).a == 8;
  if (!is_wide) {
    const x86::Zmm first = in_register(insn.a, false, 0);
    const Operand second = in_place(insn.b, false, 0);
    const x86::KReg to = new_predicate(insn.dst);
    if (step.operation == Operation::kCompareF32)
      a.emit(Id::kIdVcmpps, to, first, second, imm(float_predicate(step.comparison)));
    else
      a.emit(step.operation == Operation::kCompareS32 ? Id::kIdVpcmpd : Id::kIdVpcmpud, to, first, second,
             imm(integer_predicate(step.comparison)));
    return;
  }
  const Id id = step.operation == Operation::kCompareS64 ? Id::kIdVpcmpq : Id::kIdVpcmpuq;
  const x86::KReg to = new_predicate(insn.dst);
  for (const int part : {1, 0}) {
    const x86::Zmm first = in_register(insn.a, true, part);
    a.emit(id, part == 1 ? to : mask(kMaskTemporary), first, in_place(insn.b, true, part),
           imm(integer_predicate(step.comparison)));
  }
  a.kunpckbw(to, to, mask(kMaskTemporary));
}

void Emitter::combine_predicates(const Step& step) {
  const Insn& insn = *step.insn;
  const x86::KReg first = predicate(insn.a);
  a.kmovw(mask(kMaskTemporary), first);
  if (step.operation == Operation::kNotPredicate) {
    a.knotw(new_predicate(insn.dst), mask(kMaskTemporary));
    return;
  }
  const x86::KReg second = predicate(insn.b);
  const Id id = step.operation == Operation::kAndPredicate  ? Id::kIdKandw
                : step.operation == Operation::kOrPredicate ? Id::kIdKorw
                                                            : Id::kIdKxorw;
  a.emit(id, mask(kMaskTemporary), mask(kMaskTemporary), second);
  a.kmovw(new_predicate(insn.dst), mask(kMaskTemporary));
}

/// Into the frame when both slices are known, since the other one may still read what is there.
void Emitter::put_predicates() {
  for (std::size_t n = 0; n < written_.size(); ++n) {
    const x86::Mem aside = x86::dword_ptr(x86::rsp, -8 - 4 * static_cast<std::int32_t>(n));  // below the stack
    a.kmovw(x86::eax, mask(masks_.at(written_[n])));
    if (slice_ == 0) {
      a.mov(aside, x86::eax);
      continue;
    }
    a.shl(x86::eax, imm(kSliceLanes));
    a.or_(x86::eax, aside);
    a.mov(x86::dword_ptr(kFrame, static_cast<std::int32_t>(written_[n])), x86::eax);
  }
}

void Emitter::embed_pool() {
  a.align(asmjit::AlignMode::kData, 64);
  a.bind(pool_);
  std::uint32_t narrow[kSliceLanes];
  std::uint64_t wide[kSliceLanes];
  for (std::uint32_t lane = 0; lane < kSliceLanes; ++lane) {
    narrow[lane] = 4 * lane;
    wide[lane] = 8 * std::uint64_t{lane};
  }
  a.embed(narrow, sizeof narrow);
  a.embed(wide, sizeof wide);
  const std::uint32_t words[] = {0x7FFFFFFF, 0x80000000, 0x7FFFFFFF};
  a.embed(words, sizeof words);
}

/// Where something cannot be assembled, nothing is.
class NotesErrors : public asmjit::ErrorHandler {
 public:
  bool seen = false;

 private:
  void handleError(asmjit::Error, const char*, asmjit::BaseEmitter*) override { seen = true; }
};

}  // namespace

bool can_translate() { return opcode_isa() == "v4"; }

Handler translate(const Stretch& stretch, Handler plain, const TranslatorCalls& calls) {
  CodeMemory* const memory = CodeMemory::get();
  if (memory == nullptr) return nullptr;
  asmjit::CodeHolder code;
  NotesErrors errors;
  if (code.init(asmjit::Environment::host()) != asmjit::kErrorOk) return nullptr;
  code.setErrorHandler(&errors);
  x86::Assembler assembler(&code);
  Emitter(assembler, stretch).emit(plain, calls);
  if (errors.seen || code.flatten() != asmjit::kErrorOk || code.resolveUnresolvedLinks() != asmjit::kErrorOk)
    return nullptr;
  const void* const made = memory->add(code.codeSize(), [&](std::byte* to, const std::byte* runs_at) {
    return code.relocateToBase(reinterpret_cast<std::uint64_t>(runs_at)) == asmjit::kErrorOk &&
           code.copyFlattenedData(to, code.codeSize()) == asmjit::kErrorOk;
  });
  return reinterpret_cast<Handler>(reinterpret_cast<std::uintptr_t>(made));
}

}  // namespace vgpu
