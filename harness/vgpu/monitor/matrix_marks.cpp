#include "harness/vgpu/monitor/matrix_marks.h"

#include <cstring>
#include <string_view>
#include <vector>

#include "harness/vgpu/machine/matrix_fragments.h"

namespace vgpu {
namespace {

const MatrixOperation& operation_of(const Insn& insn) { return *static_cast<const MatrixOperation*>(insn.extra); }

bool moves_rows(const ptx::Instruction& instruction) { return instruction.opcode != "wmma"; }

OperandSlot register_at(std::uint32_t slot, const Fragment& fragment) {
  return {slot, fragment.register_bits / 8, false};
}

constexpr std::uint32_t kRegisterBytes = 4;  // of ldmatrix, stmatrix and movmatrix

/// The halves of a register that hold marks, and their origins, where its halves are elements.
std::array<std::uint32_t, kLanes> marked_halves(const FrameMarks& marks, const OperandSlot& slot) {
  std::array<std::uint32_t, kLanes> halves{};
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t bytes = marks.marked_bytes(slot, lane);
    halves[static_cast<std::size_t>(lane)] = ((bytes & 3) != 0 ? 0xFFFF : 0) | ((bytes & 12) != 0 ? 0xFFFF0000 : 0);
  }
  return halves;
}

std::array<std::uint32_t, kLanes> origins_of_halves(const FrameMarks& marks, const OperandSlot& slot) {
  std::array<std::uint32_t, kLanes> origins{};
  for (int lane = 0; lane < kLanes; ++lane)
    origins[static_cast<std::size_t>(lane)] = marks.origin(slot, lane) * 0x10001u;
  return origins;
}

void set_halves(FrameMarks& marks, const OperandSlot& slot, const std::uint32_t* halves, const std::uint32_t* origins) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool low = (halves[lane] & 0xFFFF) != 0, high = halves[lane] >> 16 != 0;
    marks.set_marked_bytes(slot, lane, (low ? 3u : 0u) | (high ? 12u : 0u));
    if (low || high) marks.set_origin(slot, lane, static_cast<OriginId>(low ? origins[lane] : origins[lane] >> 16));
  }
}

/// One mark for several elements.
struct Mark {
  bool is_set = false;
  OriginId origin = 0;

  void add(const Mark& other) {
    if (!is_set) *this = other;
  }
};

/// Calls visit(place, mark) for each element of a fragment that holds one.
template <class Visit>
void each_marked(const FrameMarks& marks, const Fragment& f, const std::vector<std::uint32_t>& slots,
                 const Visit& visit) {
  for (std::uint32_t r = 0; r < slots.size(); ++r) {
    const OperandSlot slot = register_at(slots[r], f);
    for_each_lane(marks.marked(slot, kAllLanes), [&](int lane) {
      const std::uint32_t bytes = marks.marked_bytes(slot, lane);
      for (std::uint32_t i = 0; i < f.per_register(); ++i) {
        const std::uint32_t first = i * f.bits / 8, last = (i * f.bits + f.bits - 1) / 8;
        if ((bytes >> first & ((2u << (last - first)) - 1)) == 0) continue;
        visit(f.place(r, static_cast<std::uint32_t>(lane), i), Mark{true, marks.origin(slot, lane)});
      }
    });
  }
}

}  // namespace

bool is_matrix_instruction(const ptx::Instruction& instruction) {
  constexpr std::string_view kOpcodes[] = {"mma", "wmma", "ldmatrix", "stmatrix", "movmatrix"};
  for (const std::string_view opcode : kOpcodes)
    if (opcode == instruction.opcode) return true;
  return false;
}

Mask lanes_with_address(const ptx::Instruction& instruction, const Insn& insn, Mask lanes) {
  if (instruction.opcode != "ldmatrix" && instruction.opcode != "stmatrix") return lanes;
  constexpr std::uint32_t kRowsOfMatrix = 8;
  return lanes & first_lanes(static_cast<std::uint32_t>(operation_of(insn).d_slots.size()) * kRowsOfMatrix);
}

std::uint32_t matrix_element_bytes(const ptx::Instruction& instruction, const Insn& insn) {
  return moves_rows(instruction) ? 2 : operation_of(insn).d.bits / 8;
}

std::vector<OperandSlot> registers_of_matrix(const Insn& insn) {
  std::vector<OperandSlot> all;
  for (const std::uint32_t slot : operation_of(insn).d_slots) all.push_back(register_at(slot, operation_of(insn).d));
  return all;
}

void mark_loaded_matrix(FrameMarks& marks, const MemoryAccess& access, const ptx::Instruction& instruction,
                        const MatrixBytes& missing) {
  const MatrixOperation& operation = operation_of(*access.insn);
  if (moves_rows(instruction)) {
    MatrixRows rows{}, origins{};
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      for (std::size_t i = 0; i < rows[lane].size(); ++i) {
        rows[lane][i] = (missing.bytes[lane] >> (2 * i) & 3) != 0 ? 0xFFFF : 0;
        origins[lane][i] = missing.origins[lane];
      }
    for (std::uint32_t n = 0; n < operation.d_slots.size(); ++n) {
      std::uint32_t halves[kLanes], from[kLanes];
      spread_rows(rows, n, operation.is_transposed, halves);
      spread_rows(origins, n, operation.is_transposed, from);
      set_halves(marks, {operation.d_slots[n], kRegisterBytes, true}, halves, from);
    }
    return;
  }
  const Fragment& f = operation.d;
  const std::uint32_t register_bytes = f.register_bits / 8, first = access.part * f.bits / 8;
  const std::uint32_t distinct = f.distinct != 0 ? f.distinct : f.registers;
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t bytes = std::uint64_t{missing.bytes[static_cast<std::size_t>(lane)]} << first % register_bytes;
    for (std::uint32_t r = 0; bytes >> (r * register_bytes) != 0; ++r) {
      const auto here = static_cast<std::uint32_t>(bytes >> (r * register_bytes) & ((1u << register_bytes) - 1));
      if (here == 0) continue;
      for (std::uint32_t copy = first / register_bytes + r; copy < f.registers; copy += distinct) {
        const OperandSlot slot = register_at(operation.d_slots[copy], f);
        marks.set_marked_bytes(slot, lane, marks.marked_bytes(slot, lane) | here);
        marks.set_origin(slot, lane, missing.origins[static_cast<std::size_t>(lane)]);
      }
    }
  }
}

MatrixBytes marks_of_stored_matrix(const FrameMarks& marks, const MemoryAccess& access,
                                   const ptx::Instruction& instruction) {
  const MatrixOperation& operation = operation_of(*access.insn);
  MatrixBytes stored;
  if (moves_rows(instruction)) {
    MatrixRows rows{}, origins{};
    for (std::uint32_t n = 0; n < operation.d_slots.size(); ++n) {
      const OperandSlot slot{operation.d_slots[n], kRegisterBytes, false};
      collect_rows(marked_halves(marks, slot).data(), n, operation.is_transposed, rows);
      collect_rows(origins_of_halves(marks, slot).data(), n, operation.is_transposed, origins);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      for (std::size_t i = 0; i < rows[lane].size(); ++i) {
        if (rows[lane][i] == 0) continue;
        stored.bytes[lane] |= 3u << (2 * i);
        stored.origins[lane] = origins[lane][i];
      }
    return stored;
  }
  const Fragment& f = operation.d;
  const std::uint32_t register_bytes = f.register_bits / 8;
  for (int lane = 0; lane < kLanes; ++lane)
    for (std::uint32_t n = 0; n < access.bytes; ++n) {
      const std::uint32_t at = access.part * f.bits / 8 + n;
      const OperandSlot slot = register_at(operation.d_slots[at / register_bytes], f);
      if ((marks.marked_bytes(slot, lane) >> at % register_bytes & 1) == 0) continue;
      stored.bytes[static_cast<std::size_t>(lane)] |= 1u << n;
      stored.origins[static_cast<std::size_t>(lane)] = marks.origin(slot, lane);
    }
  return stored;
}

void multiply_marks(FrameMarks& marks, const Insn& insn) {
  const MatrixOperation& operation = operation_of(insn);
  const Fragment& d = operation.d;
  std::vector<Mark> rows(d.rows), columns(d.columns), sums(std::size_t{d.rows} * d.columns);
  each_marked(marks, operation.a, operation.a_slots,
              [&](std::uint32_t place, const Mark& mark) { rows[place / operation.a.columns].add(mark); });
  each_marked(marks, operation.b, operation.b_slots,
              [&](std::uint32_t place, const Mark& mark) { columns[place / operation.b.columns].add(mark); });
  each_marked(marks, operation.c, operation.c_slots,
              [&](std::uint32_t place, const Mark& mark) { sums[place].add(mark); });
  for (std::uint32_t r = 0; r < operation.d_slots.size(); ++r) {
    const OperandSlot slot = register_at(operation.d_slots[r], d);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      std::uint32_t bytes = 0;
      Mark all;
      for (std::uint32_t i = 0; i < d.per_register(); ++i) {
        const std::uint32_t place = d.place(r, lane, i);
        Mark mark = sums[place];
        mark.add(rows[place / d.columns]);
        mark.add(columns[place % d.columns]);
        if (!mark.is_set) continue;
        bytes |= ((1u << d.bits / 8) - 1) << i * d.bits / 8;
        all.add(mark);
      }
      marks.set_marked_bytes(slot, static_cast<int>(lane), bytes);
      if (bytes != 0) marks.set_origin(slot, static_cast<int>(lane), all.origin);
    }
  }
}

void transpose_marks(FrameMarks& marks, const Insn& insn) {
  const OperandSlot from{insn.a, kRegisterBytes, false};
  std::uint32_t halves[kLanes], origins[kLanes];
  transpose_rows(marked_halves(marks, from).data(), halves);
  transpose_rows(origins_of_halves(marks, from).data(), origins);
  set_halves(marks, {insn.dst, kRegisterBytes, true}, halves, origins);
}

}  // namespace vgpu
