// Which of the opcode tables this processor can run.
#include <cstdio>
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

struct Chosen {
  std::string_view isa;
  RowsByName rows;
  RowsByName arithmetic;  ///< of these
};

#ifdef __x86_64__
[[maybe_unused]] bool processor_has_v2() {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
}

[[maybe_unused]] bool processor_has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("fma");
}

[[maybe_unused]] bool processor_has_v4() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && processor_has_v3();
}
#else
[[maybe_unused]] bool processor_has_v8() { return true; }
#endif

/// No error of the CUDA runtime says this, and nothing else could be executed either.
[[noreturn]] void none_can_run(const char* bound) {
  if (bound != nullptr)
    std::fprintf(stderr,
                 "lanewise vgpu: LANEWISE_VGPU_ISA=%s allows no instruction set that the virtual GPU was compiled for; "
                 "unset it, or configure Lanewise with -DLANEWISE_PORTABLE=ON\n",
                 bound);
  else
    std::fputs(
        "lanewise vgpu: the virtual GPU was compiled for a newer processor than this one; compile Lanewise on this "
        "machine, or anywhere with -DLANEWISE_PORTABLE=ON\n",
        stderr);
  std::fflush(stdout);  // what the program itself had to say
  std::_Exit(3);
}

/// The newest of the instruction sets built that the processor has. LANEWISE_VGPU_ISA in the environment (v2, v3 or v4;
/// v8 on Arm) sets an upper bound: tests run every one of them, and a suspected mistake in one can be held against
/// another.
Chosen choose() {
  const char* bound = std::getenv("LANEWISE_VGPU_ISA");
  if (bound != nullptr && *bound == '\0') bound = nullptr;
  Chosen chosen;
#define VGPU_ADD_TABLE(family, isa) add(chosen.rows, family##_rows_##isa);
#define VGPU_ADD_ARITHMETIC(family, isa) add(chosen.arithmetic, family##_rows_##isa);
#define VGPU_CHOOSE_IF_POSSIBLE(level)                                                      \
  if ((bound == nullptr || #level <= std::string_view(bound)) && processor_has_##level()) { \
    VGPU_LANE_FAMILIES(VGPU_ADD_TABLE, level)                                               \
    VGPU_ARITHMETIC_FAMILIES(VGPU_ADD_ARITHMETIC, level)                                    \
    chosen.isa = #level;                                                                    \
    return chosen;                                                                          \
  }
  VGPU_COMMON_FAMILIES(VGPU_ADD_TABLE)
#ifdef VGPU_HAS_V8
  VGPU_CHOOSE_IF_POSSIBLE(v8)
#endif
#ifdef VGPU_HAS_V4
  VGPU_CHOOSE_IF_POSSIBLE(v4)
#endif
#ifdef VGPU_HAS_V3
  VGPU_CHOOSE_IF_POSSIBLE(v3)
#endif
#ifdef VGPU_HAS_V2
  VGPU_CHOOSE_IF_POSSIBLE(v2)
#endif
#undef VGPU_CHOOSE_IF_POSSIBLE
#undef VGPU_ADD_ARITHMETIC
#undef VGPU_ADD_TABLE
  none_can_run(bound);
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

bool is_arithmetic(std::string_view opcode) { return chosen().arithmetic.count(opcode) != 0; }

std::vector<std::string_view> all_opcodes() {
  std::vector<std::string_view> names;
  for (const auto& [name, row] : chosen().rows) names.push_back(name);
  return names;
}

std::string_view opcode_isa() { return chosen().isa; }

}  // namespace vgpu
