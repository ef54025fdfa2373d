#include "harness/vgpu/ptx/module.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vgpu::ptx {
namespace {

struct TypeRow {
  Type type;
  const char* name;
  std::uint32_t bytes;
};

constexpr std::array<TypeRow, 21> kTypes{{
    {Type::kNone, "", 0},       {Type::kPred, "pred", 1}, {Type::kB8, "b8", 1},         {Type::kB16, "b16", 2},
    {Type::kB32, "b32", 4},     {Type::kB64, "b64", 8},   {Type::kB128, "b128", 16},    {Type::kU8, "u8", 1},
    {Type::kU16, "u16", 2},     {Type::kU32, "u32", 4},   {Type::kU64, "u64", 8},       {Type::kS8, "s8", 1},
    {Type::kS16, "s16", 2},     {Type::kS32, "s32", 4},   {Type::kS64, "s64", 8},       {Type::kF16, "f16", 2},
    {Type::kF16x2, "f16x2", 4}, {Type::kBF16, "bf16", 2}, {Type::kBF16x2, "bf16x2", 4}, {Type::kF32, "f32", 4},
    {Type::kF64, "f64", 8},
}};

bool is_toolkit_file(const std::string& file) {
  return file.find("/include/cccl/") != std::string::npos ||
         file.find("/include/cooperative_groups") != std::string::npos ||
         file.find("/include/crt/") != std::string::npos || file.find("/include/cuda") != std::string::npos ||
         file.find("/include/sm_") != std::string::npos || file.find("/include/device_") != std::string::npos;
}

}  // namespace

std::uint32_t size_of(Type type) { return kTypes[static_cast<std::size_t>(type)].bytes; }

const char* name_of(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }

Type type_named(std::string_view modifier) {
  for (const TypeRow& row : kTypes)
    if (modifier == row.name && row.type != Type::kNone) return row.type;
  return Type::kNone;
}

bool has_modifier(const Instruction& instruction, std::string_view name) {
  return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), name) != instruction.modifiers.end();
}

const Function* find_function(const Module& module, std::string_view name) {
  const Function* declared = nullptr;
  for (const Function& function : module.functions) {
    if (function.name != name) continue;
    if (function.has_body) return &function;
    declared = &function;
  }
  return declared;
}

SourcePlace place_of(const Module& module, std::int32_t location) {
  SourcePlace place;
  while (location >= 0 && static_cast<std::size_t>(location) < module.locations.size()) {
    const Location& here = module.locations[static_cast<std::size_t>(location)];
    const auto file = module.files.find(here.file);
    if (file != module.files.end() && here.line != 0) {
      place = {file->second, here.line};
      if (!is_toolkit_file(file->second)) break;
    }
    location = here.inlined_at;
  }
  return place;
}

}  // namespace vgpu::ptx
