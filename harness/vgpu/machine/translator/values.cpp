#include "harness/vgpu/machine/translator/values.h"

#include <algorithm>

namespace vgpu {

using asmjit::Operand;

namespace {

constexpr std::size_t kFarthestUse = 64;  ///< steps in which a value is looked for to be used again

/// Whether it makes no difference which NaN an operand is.
bool takes_any_nan(Operation operation) {
  return operation == Operation::kMove32 || operation == Operation::kCompareF32 || makes_nan(operation);
}

}  // namespace

bool makes_nan(Operation operation) { return operation >= Operation::kAddF32 && operation <= Operation::kNegateF32; }

x86::Vec Values::vector(int n) const {
  const auto number = static_cast<std::uint32_t>(n);
  if (host_.bytes == 64) return x86::zmm(number);
  return x86::ymm(number);
}

x86::Mem Values::lane_place(std::uint32_t slot, int bytes, int lane) const {
  return x86::ptr(kFrame, static_cast<std::int32_t>(slot) + bytes * lane);
}

x86::Mem Values::place(std::uint32_t slot, int bytes, int part) const {
  x86::Mem memory = lane_place(slot, bytes, slice_ * lanes());
  memory.addOffset(static_cast<std::int64_t>(host_.bytes) * part);
  return memory;
}

Values::Value* Values::find(std::uint32_t slot) {
  for (Value& value : values_)
    if (value.slot == slot) return &value;
  return nullptr;
}

int Values::new_vector() {
  for (;;) {
    const auto unused = std::find(taken_.begin(), taken_.end(), false);
    if (unused != taken_.end()) {
      *unused = true;
      temporaries_.push_back(static_cast<int>(unused - taken_.begin()));
      return temporaries_.back();
    }
    const auto oldest = std::min_element(values_.begin(), values_.end(),
                                         [](const Value& x, const Value& y) { return x.used_at < y.used_at; });
    write_back(*oldest);
    free(*oldest);
    values_.erase(oldest);
  }
}

void Values::release(std::size_t but) {
  for (; temporaries_.size() > but; temporaries_.pop_back())
    taken_[static_cast<std::size_t>(temporaries_.back())] = false;
}

void Values::free(const Value& value) {
  for (int part = 0; part < parts_of(value.bytes); ++part)
    taken_[static_cast<std::size_t>(value.vectors[static_cast<std::size_t>(part)])] = false;
}

void Values::make_canonical(Value& value) {
  if (value.any_nan) make_canonical(vector(value.vectors[0]));
  value.any_nan = false;
}

void Values::write_back(Value& value) {
  if (!value.is_dirty) return;
  make_canonical(value);
  if (value.bytes == 0) {
    store_predicate(value.slot, vector(value.vectors[0]));
  } else {
    for (int part = 0; part < parts_of(value.bytes); ++part)
      a.vmovaps(place(value.slot, value.bytes, part), vector(value.vectors[static_cast<std::size_t>(part)]));
  }
  value.is_dirty = false;
}

void Values::write_back_all() {
  for (Value& value : values_) write_back(value);
}

void Values::forget_all() {
  values_.clear();
  temporaries_.clear();
  std::fill(taken_.begin(), taken_.end(), false);
}

Values::Value& Values::cached(std::uint32_t slot, int bytes) {
  if (Value* const known = find(slot)) {
    known->used_at = now_;
    return *known;
  }
  Value value{slot, bytes, false, false, {0, 0}, now_};
  for (int part = 0; part < parts_of(bytes); ++part) {
    const int to = new_vector();
    temporaries_.pop_back();
    if (bytes == 0)
      load_predicate(vector(to), slot);
    else
      a.vmovaps(vector(to), place(slot, bytes, part));
    value.vectors[static_cast<std::size_t>(part)] = to;
  }
  values_.push_back(value);
  return values_.back();
}

bool Values::is_used_again(std::uint32_t slot) const {
  const std::size_t end = std::min(passage_.steps.size(), at_ + 1 + kFarthestUse);
  for (std::size_t n = at_ + 1; n < end; ++n) {
    const Step& step = passage_.steps[n];
    const OperandWidths widths = widths_of(step.operation);
    if ((widths.a > 0 && step.insn->a == slot) || (widths.b > 0 && step.insn->b == slot) ||
        (widths.c > 0 && step.insn->c == slot))
      return true;
    if (widths.dst > 0 && destinations_of(step).include(slot)) return false;
  }
  return false;
}

x86::Vec Values::in_register(std::uint32_t slot, int bytes, int part) {
  Value& value = cached(slot, bytes);
  if (!takes_any_nan(passage_.steps[at_].operation)) make_canonical(value);
  return vector(value.vectors[static_cast<std::size_t>(part)]);
}

Operand Values::in_place(std::uint32_t slot, int bytes, int part) {
  if (find(slot) == nullptr && !is_used_again(slot)) return place(slot, bytes, part);
  return in_register(slot, bytes, part);
}

Operand Values::half_in_place(std::uint32_t slot, int part) {
  if (find(slot) != nullptr) return half_of(in_register(slot, 4), part);
  x86::Mem memory = place(slot, 4, 0);
  memory.addOffset(static_cast<std::int64_t>(host_.bytes / 2) * part);
  return memory;
}

Operand Values::half_of(const x86::Vec& whole, int part) {
  if (part == 0) return whole.half();
  const x86::Vec upper = vector(new_vector()).half();
  extract_upper(upper, whole);
  return upper;
}

void Values::define(std::uint32_t slot, int bytes, std::array<int, 2> vectors, bool any_nan) {
  const auto before = std::find_if(values_.begin(), values_.end(), [=](const Value& v) { return v.slot == slot; });
  if (before != values_.end()) {
    free(*before);
    values_.erase(before);
  }
  for (int part = 0; part < parts_of(bytes); ++part) {
    const int one = vectors[static_cast<std::size_t>(part)];
    temporaries_.erase(std::find(temporaries_.begin(), temporaries_.end(), one));
  }
  values_.push_back({slot, bytes, true, any_nan, vectors, now_});
}

}  // namespace vgpu
