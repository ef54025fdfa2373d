// Which of the opcode tables this processor can run.
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

using RowsByName = std::map<std::string_view, const OpcodeRow*>;

void add(RowsByName& rows, const OpcodeTable& table) {
  for (std::size_t i = 0; i < table.count; ++i) rows[table.rows[i].opcode] = &table.rows[i];
}

/// The newest of the instruction sets built that the processor has. LANEWISE_VGPU_ISA in the environment (v2, v3 or v4)
/// sets an upper bound: tests run every one of them, and a suspected mistake in one can be held against another.
struct Chosen {
  std::string_view isa;
  RowsByName rows;
};

Chosen choose() {
  const char* const bound = std::getenv("LANEWISE_VGPU_ISA");
  [[maybe_unused]] const auto allowed = [&](std::string_view isa) {
    return bound == nullptr || *bound == '\0' || isa <= bound;
  };
  Chosen chosen;
#define VGPU_ADD_TABLE(family, isa) add(chosen.rows, family##_rows_##isa);
  VGPU_COMMON_FAMILIES(VGPU_ADD_TABLE)
#ifdef VGPU_HAS_V4
  if (allowed("v4") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("fma")) {
    VGPU_LANE_FAMILIES(VGPU_ADD_TABLE, v4)
    chosen.isa = "v4";
    return chosen;
  }
#endif
#ifdef VGPU_HAS_V3
  if (allowed("v3") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) {
    VGPU_LANE_FAMILIES(VGPU_ADD_TABLE, v3)
    chosen.isa = "v3";
    return chosen;
  }
#endif
  VGPU_LANE_FAMILIES(VGPU_ADD_TABLE, v2)
#undef VGPU_ADD_TABLE
  chosen.isa = "v2";
  return chosen;
}

const Chosen& chosen() {
  static const Chosen kChosen = choose();
  return kChosen;
}

}  // namespace

const OpcodeRow* find_opcode(std::string_view opcode) {
  const RowsByName& rows = chosen().rows;
  const auto found = rows.find(opcode);
  return found == rows.end() ? nullptr : found->second;
}

std::vector<std::string_view> all_opcodes() {
  std::vector<std::string_view> names;
  for (const auto& [name, row] : chosen().rows) names.push_back(name);
  return names;
}

std::string_view opcode_isa() { return chosen().isa; }

}  // namespace vgpu
