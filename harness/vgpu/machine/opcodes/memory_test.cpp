// Loads and stores: every space, type, vector and register width, for every pattern of addresses, watched and
// unwatched.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/edge_values.h"
#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

constexpr std::uint32_t kLanesInAWarp = 32;
constexpr std::uint32_t kArea = 1024;  // bytes that accesses fall into

/// Byte offsets of the 32 lanes: what the machine treats differently.
struct Pattern {
  const char* name;
  std::uint32_t (*element)(std::uint32_t lane);  ///< in units of the access
  bool distinct;                                 ///< no two lanes share an address
};
constexpr Pattern kPatterns[] = {
    {"contiguous", [](std::uint32_t lane) { return lane; }, true},
    {"shifted by one", [](std::uint32_t lane) { return lane + 1; }, true},
    {"reversed", [](std::uint32_t lane) { return 31 - lane; }, true},
    {"one address", [](std::uint32_t) { return 5u; }, false},
    {"two rows of 16", [](std::uint32_t lane) { return lane % 16 + (lane < 16 ? 0 : 40); }, true},
    {"contiguous and one address", [](std::uint32_t lane) { return lane < 16 ? lane : 3; }, false},
    {"scattered", [](std::uint32_t lane) { return lane * 7 % 32; }, true},
};

struct Access {
  std::string space;  ///< "global", "shared", "local", "const", or "" for generic
  std::string via;    ///< the space that generic addresses point to; otherwise the same as `space`
  std::string type;
  std::uint32_t bytes = 0;  ///< of one element
  std::uint32_t count = 1;  ///< elements of the vector
  std::uint32_t register_bytes = 0;
  bool narrow_address = false;  ///< a 32-bit address register, for shared memory

  std::string vector() const { return count == 1 ? "" : ".v" + std::to_string(count); }
  bool is_signed() const { return type[0] == 's'; }
};

struct TypeRow {
  const char* name;
  std::uint32_t bytes;
};
constexpr TypeRow kTypes[] = {{"b8", 1},  {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2}, {"s16", 2}, {"b32", 4},
                              {"u32", 4}, {"s32", 4}, {"f32", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8}};

struct SpaceRow {
  const char* space;
  const char* via;
};

/// Every legal combination: vectors have at most 16 bytes, floats live in registers of their own size.
std::vector<Access> every_access(const std::vector<SpaceRow>& spaces) {
  std::vector<Access> all;
  for (const SpaceRow& space : spaces)
    for (const TypeRow& type : kTypes)
      for (const std::uint32_t count : {1u, 2u, 4u})
        for (const std::uint32_t register_bytes : {2u, 4u, 8u})
          for (const bool narrow : {false, true}) {
            if (type.bytes * count > 16 || register_bytes < type.bytes) continue;
            if (type.name[0] == 'f' && register_bytes != type.bytes) continue;
            if (narrow && std::string(space.space) != "shared" && std::string(space.space) != "const") continue;
            all.push_back({space.space, space.via, type.name, type.bytes, count, register_bytes, narrow});
          }
  return all;
}

std::string registers(const Access& access) {
  const char* prefix = access.register_bytes == 2 ? "%h" : access.register_bytes == 4 ? "%r" : "%rd";
  std::string list;
  for (std::uint32_t n = 0; n < access.count; ++n)
    list += (n == 0 ? "" : ", ") + std::string(prefix) + std::to_string(20 + n);
  return access.count == 1 ? list : "{" + list + "}";
}

std::string each_register(const Access& access, const std::string& instruction, const std::string& address) {
  std::string code;
  for (std::uint32_t n = 0; n < access.count; ++n) {
    const std::string reg = (access.register_bytes == 2   ? "%h"
                             : access.register_bytes == 4 ? "%r"
                                                          : "%rd") +
                            std::to_string(20 + n);
    const std::string at = "[" + address + "+" + std::to_string(8 * n) + "]";
    const std::string bits = ".b" + std::to_string(8 * access.register_bytes);
    code += instruction == "st" ? "st.global" + bits + " " + at + ", " + reg + ";\n"
                                : "ld.global" + bits + " " + reg + ", " + at + ";\n";
  }
  return code;
}

/// Copies the area between global memory (at %rd1) and `via`, whose begin is left in %rd10 as an address in that
/// space's own terms.
std::string area_of(const Access& access, bool into) {
  if (access.via == "global") return "mov.u64 %rd10, %rd1;\n";
  if (access.via == "const") return "mov.u64 %rd10, area;\n";
  const std::string load = into ? "ld.global.b32 %r5, [%rd12];\nst." + access.via + ".b32 [%rd13], %r5;\n"
                                : "ld." + access.via + ".b32 %r5, [%rd13];\nst.global.b32 [%rd12], %r5;\n";
  // Local memory is the lane's own, so every lane copies everything; shared memory is copied once.
  const std::string guard =
      access.via == "shared" ? "setp.ne.u32 %p9, %r0, 0;\n@%p9 bra COPIED" + std::string(into ? "1" : "2") + ";\n" : "";
  const std::string n = into ? "1" : "2";
  const std::string together = access.via == "local" && !into ? "" : "bar.warp.sync 0xFFFFFFFF;\n";
  return "mov.u64 %rd10, area;\n" + guard + "mov.u64 %rd12, %rd1;\nmov.u64 %rd13, %rd10;\nmov.u32 %r6, 0;\nCOPY" + n +
         ":\n" + load +
         "add.u64 %rd12, %rd12, 4;\nadd.u64 %rd13, %rd13, 4;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p8, %r6, " +
         std::to_string(kArea / 4) + ";\n@%p8 bra COPY" + n + ";\nCOPIED" + n + ":\n" + together;
}

/// Before anything else: the area, the offsets, the lanes that take part and the registers' cells of this block
/// (buffers 1, 2, 3 and 0), and the cells of this lane in %rd16.
const char* const kFindPlaces =
    "mov.u32 %r3, %ctaid.x;\nmul.wide.u32 %rd17, %r3, 1024;\nadd.u64 %rd0, %rd0, %rd17;\nadd.u64 %rd1, %rd1, %rd17;\n"
    "mul.wide.u32 %rd17, %r3, 128;\nadd.u64 %rd2, %rd2, %rd17;\nmul.wide.u32 %rd17, %r3, 4;\nadd.u64 %rd3, %rd3, "
    "%rd17;\n"
    "shl.b32 %r10, %r0, 5;\ncvt.u64.u32 %rd16, %r10;\nadd.u64 %rd16, %rd16, %rd0;\n";

/// The instruction under test on [area + the lane's offset].
std::string access_area(const Access& access, const std::string& instruction) {
  const std::string name =
      instruction + (access.space.empty() ? "" : "." + access.space) + access.vector() + "." + access.type + " ";
  std::string code =
      "mul.wide.u32 %rd14, %r0, 4;\nadd.u64 %rd14, %rd14, %rd2;\nld.global.u32 %r7, [%rd14];\ncvt.u64.u32 %rd15, "
      "%r7;\n";
  if (access.space.empty() && access.via != "global")
    code += "cvta." + access.via + ".u64 %rd11, %rd10;\n";
  else
    code += "mov.u64 %rd11, %rd10;\n";
  // An offset in the instruction as well, taken off the register before.
  code +=
      "add.u64 %rd11, %rd11, %rd15;\nsub.u64 %rd11, %rd11, 48;\ncvt.u32.u64 %r8, %rd11;\n"
      "ld.global.u32 %r9, [%rd3];\nshr.u32 %r9, %r9, %r0;\nand.b32 %r9, %r9, 1;\nsetp.ne.u32 %p1, %r9, 0;\n";
  const std::string address = access.narrow_address ? "[%r8+48]" : "[%rd11+48]";
  if (instruction == "ld") return code + "@%p1 " + name + registers(access) + ", " + address + ";\n";
  return code + "@%p1 " + name + address + ", " + registers(access) + ";\n";
}

std::string variable(const Access& access, const std::vector<std::uint8_t>& contents) {
  if (access.via == "shared") return ".shared .align 16 .b8 area[" + std::to_string(kArea) + "];\n";
  if (access.via == "local") return ".local .align 16 .b8 area[" + std::to_string(kArea) + "];\n";
  if (access.via != "const") return "";
  std::string text = ".const .align 16 .b8 area[" + std::to_string(kArea) + "] = {";
  for (std::size_t i = 0; i < contents.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(contents[i]);
  return text + "};\n";
}

/// The register that holds one element after it was loaded.
std::uint64_t loaded(const Access& access, const std::vector<std::uint8_t>& area, std::uint32_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, area.data() + offset, access.bytes);
  if (access.is_signed() && access.bytes < 8 && (value >> (8 * access.bytes - 1) & 1) != 0)
    value |= ~std::uint64_t{0} << 8 * access.bytes;
  return access.register_bytes == 8 ? value : value & ((std::uint64_t{1} << 8 * access.register_bytes) - 1);
}

std::vector<std::uint8_t> random_bytes(std::size_t count) {
  Numbers numbers(7);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(numbers.next());
  return bytes;
}

constexpr std::uint32_t kMasks[] = {~0u, 0xA5C30F71u, 0x80000000u, 0u};

/// One block of the launch: a pattern of addresses and the lanes that take part.
struct Case {
  const Pattern* pattern;
  std::uint32_t lanes;
  std::vector<std::uint32_t> offsets;
};

/// Every pattern that fits into the area, with every mask.
std::vector<Case> every_case(const Access& access, bool distinct_only) {
  std::vector<Case> cases;
  const std::uint32_t size = access.bytes * access.count;
  for (const Pattern& pattern : kPatterns) {
    std::vector<std::uint32_t> offsets;
    for (std::uint32_t lane = 0; lane < kLanesInAWarp; ++lane) offsets.push_back(pattern.element(lane) * size);
    if (*std::max_element(offsets.begin(), offsets.end()) + size > kArea || (distinct_only && !pattern.distinct))
      continue;
    for (const std::uint32_t lanes : kMasks) cases.push_back({&pattern, lanes, offsets});
  }
  return cases;
}

/// Runs the cases, one a block, with `cells` as every lane's four registers. Returns the buffers.
std::vector<Bytes> run_cases(Program& program, const std::vector<Case>& cases, const std::vector<std::uint64_t>& cells,
                             const std::vector<std::uint8_t>& area) {
  std::vector<std::uint64_t> all_cells;
  std::vector<std::uint8_t> areas;
  std::vector<std::uint32_t> offsets, masks;
  for (const Case& c : cases) {
    all_cells.insert(all_cells.end(), cells.begin(), cells.end());
    areas.insert(areas.end(), area.begin(), area.end());
    offsets.insert(offsets.end(), c.offsets.begin(), c.offsets.end());
    masks.push_back(c.lanes);
  }
  program.shape.grid.x = static_cast<std::uint32_t>(cases.size());
  return run_cleanly(program, {bytes_of(all_cells), bytes_of(areas), bytes_of(offsets), bytes_of(masks)});
}

std::string spelled(const std::string& instruction, const Access& access, const Case& c) {
  return instruction + "." + access.space + access.vector() + "." + access.type + " through " + access.via +
         ", registers of " + std::to_string(access.register_bytes) + " bytes, " + c.pattern->name + ", lanes " +
         std::to_string(c.lanes);
}

void check_loads(const Access& access) {
  const std::vector<std::uint8_t> area = random_bytes(kArea);
  const bool local = access.via == "local";
  Program program;
  program.ptx = kernel_with(4,
                            (local ? variable(access, area) : "") + kFindPlaces + area_of(access, true) +
                                each_register(access, "ld", "%rd16") + access_area(access, "ld") +
                                each_register(access, "st", "%rd16"),
                            local ? "" : variable(access, area));
  const std::vector<std::uint64_t> before(4 * kLanesInAWarp, 0x1122334455667788);
  const std::uint64_t whole = access.register_bytes == 8 ? ~0ull : (1ull << 8 * access.register_bytes) - 1;
  const std::vector<Case> cases = every_case(access, false);
  for (const Watch watch : {Watch::kNobody, Watch::kEverything}) {
    program.watch = watch;
    const auto got = values_of<std::uint64_t>(run_cases(program, cases, before, area).at(0));
    for (std::size_t c = 0; c < cases.size(); ++c)
      for (std::uint32_t lane = 0; lane < kLanesInAWarp; ++lane)
        for (std::uint32_t n = 0; n < access.count; ++n) {
          std::uint64_t expected = before[0];
          if ((cases[c].lanes >> lane & 1) != 0)
            expected = (before[0] & ~whole) | loaded(access, area, cases[c].offsets[lane] + n * access.bytes);
          ASSERT_EQ(got[(c * kLanesInAWarp + lane) * 4 + n], expected)
              << spelled("ld", access, cases[c]) << ", lane " << lane << " element " << n;
        }
  }
}

/// What one lane stores in its local memory no other sees; this one copies its own back.
constexpr std::uint32_t kLocalLane = 20;

void check_stores(const Access& access) {
  const std::vector<std::uint8_t> area = random_bytes(kArea);
  const bool local = access.via == "local";
  const std::string only_one = "setp.ne.u32 %p7, %r0, " + std::to_string(kLocalLane) + ";\n@%p7 exit;\n";
  Program program;
  program.ptx = kernel_with(4,
                            (local ? variable(access, area) : "") + kFindPlaces + area_of(access, true) +
                                each_register(access, "ld", "%rd16") + access_area(access, "st") +
                                "bar.warp.sync 0xFFFFFFFF;\n" + (local ? only_one : "") + area_of(access, false),
                            local ? "" : variable(access, area));
  Numbers numbers(11);
  std::vector<std::uint64_t> values(4 * kLanesInAWarp);
  for (std::uint64_t& value : values) value = numbers.next();
  const std::vector<Case> cases = every_case(access, true);  // where lanes share an address, which one wins is open
  for (const Watch watch : {Watch::kNobody, Watch::kEverything}) {
    program.watch = watch;
    const auto got = values_of<std::uint8_t>(run_cases(program, cases, values, area).at(1));
    for (std::size_t c = 0; c < cases.size(); ++c) {
      std::vector<std::uint8_t> expected = area;
      for (std::uint32_t lane = 0; lane < kLanesInAWarp; ++lane) {
        if ((cases[c].lanes >> lane & 1) == 0 || (local && lane != kLocalLane)) continue;
        for (std::uint32_t n = 0; n < access.count; ++n)
          std::memcpy(expected.data() + cases[c].offsets[lane] + n * access.bytes, &values[4 * lane + n], access.bytes);
      }
      const std::vector<std::uint8_t> left(got.begin() + c * kArea, got.begin() + (c + 1) * kArea);
      ASSERT_EQ(left, expected) << spelled("st", access, cases[c]);
    }
  }
}

TEST(Loads, ReadGlobalMemory) {
  for (const Access& access : every_access({{"global", "global"}, {"", "global"}})) check_loads(access);
}
TEST(Loads, ReadSharedMemory) {
  for (const Access& access : every_access({{"shared", "shared"}, {"", "shared"}})) check_loads(access);
}
TEST(Loads, ReadLocalMemory) {
  for (const Access& access : every_access({{"local", "local"}, {"", "local"}})) check_loads(access);
}
TEST(Loads, ReadConstantMemory) {
  for (const Access& access : every_access({{"const", "const"}, {"", "const"}})) check_loads(access);
}
TEST(Stores, WriteGlobalMemory) {
  for (const Access& access : every_access({{"global", "global"}, {"", "global"}})) check_stores(access);
}
TEST(Stores, WriteSharedMemory) {
  for (const Access& access : every_access({{"shared", "shared"}, {"", "shared"}})) check_stores(access);
}
TEST(Stores, WriteLocalMemory) {
  for (const Access& access : every_access({{"local", "local"}, {"", "local"}})) check_stores(access);
}

// --- names as addresses ---

TEST(Addresses, NamesAndOffsetsStandForPlaces) {
  Program program;
  program.ptx = kernel_with(
      1,
      ".local .align 8 .b32 mine[4];\n"
      "st.shared.u32 [tile+8], 11;\nst.local.u32 [mine+4], 22;\nst.global.u32 [counter], 33;\n"
      "ld.shared.u32 %r10, [tile+8];\nld.local.u32 %r11, [mine+4];\nld.global.u32 %r12, [counter];\n"
      "ld.const.u32 %r13, [table+12];\nmov.u64 %rd1, table;\nld.const.u32 %r14, [%rd1+-0+4];\n"
      "mov.u64 %rd2, tile+8;\nld.shared.u32 %r15, [%rd2];\nld.global.u32 %r16, [values+8];\n"
      "st.global.v4.u32 [%rd0], {%r10, %r11, %r12, %r13};\nst.global.v2.u32 [%rd0+16], {%r14, %r15};\n"
      "st.global.u32 [%rd0+24], %r16;\n",
      ".shared .align 4 .b32 tile[8];\n.global .align 4 .u32 counter;\n"
      ".const .align 4 .u32 table[4] = {100, 101, 102, 103};\n.global .align 4 .u32 values[3] = {7, 8, 9};");
  program.shape.block.x = 1;
  EXPECT_EQ(results_of<std::uint32_t>(program, 7), (std::vector<std::uint32_t>{11, 22, 33, 103, 101, 11, 9}));
}

// clang's addresses of constants have 32 bits; generic ones made from them have 64.
TEST(Addresses, OfConstantsMayHaveThirtyTwoBits) {
  Program program;
  program.ptx = kernel_with(
      1,
      "mov.u32 %r8, table;\nld.const.u32 %r10, [%r8+4];\nadd.u32 %r9, %r8, 16;\nld.const.v2.u32 {%r11, %r12}, "
      "[%r9+-8];\nmov.u32 %r8, other;\nld.const.u32 %r13, [%r8];\ncvt.u64.u32 %rd1, %r9;\ncvta.const.u64 %rd1, "
      "%rd1;\nld.u32 %r14, [%rd1+-16];\nmov.u64 %rd2, other;\ncvta.const.u64 %rd2, %rd2;\nld.u32 %r15, [%rd2];\n"
      "cvta.to.const.u64 %rd2, %rd2;\ncvt.u32.u64 %r8, %rd2;\nld.const.u32 %r16, [%r8];\n"
      "st.global.v4.u32 [%rd0], {%r10, %r11, %r12, %r13};\nst.global.v2.u32 [%rd0+16], {%r14, %r15};\n"
      "st.global.u32 [%rd0+24], %r16;\n",
      ".const .align 8 .u32 table[4] = {100, 101, 102, 103};\n.const .align 4 .u32 other = 7;");
  program.shape.block.x = 1;
  EXPECT_EQ(results_of<std::uint32_t>(program, 7), (std::vector<std::uint32_t>{101, 102, 103, 7, 100, 7, 7}));
}

TEST(Addresses, InitialisersHoldAddressesOfOtherVariables) {
  Program program;
  program.ptx =
      kernel_with(1,
                  "ld.global.u64 %rd1, [pointers];\nld.global.u32 %r10, [%rd1];\nld.global.u64 %rd2, [pointers+8];\n"
                  "ld.u32 %r11, [%rd2];\nst.global.v2.u32 [%rd0], {%r10, %r11};\n",
                  ".global .align 4 .u32 values[3] = {7, 8, 9};\n"
                  ".global .align 8 .u64 pointers[2] = {values+4, generic(values)+8};");
  program.shape.block.x = 1;
  EXPECT_EQ(results_of<std::uint32_t>(program, 2), (std::vector<std::uint32_t>{8, 9}));
}

TEST(Addresses, ParametersAreReadInParts) {
  Program program;
  program.ptx = kernel_with(
      2,
      "ld.param.u8 %r10, [p1+1];\nld.param.s16 %r11, [p1+6];\nld.param.v2.u32 {%r12, %r13}, [p1];\n"
      "mov.b64 %rd5, p1;\nld.param.u32 %r14, [%rd5+4];\ncvta.param.u64 %rd6, %rd5;\nld.u16 %r15, [%rd6+2];\n"
      "st.global.v4.u32 [%rd0], {%r10, %r11, %r12, %r13};\nst.global.v2.u32 [%rd0+16], {%r14, %r15};\n");
  program.shape.block.x = 1;
  program.numbers = {0xF00DCAFE89ABCDEF};
  EXPECT_EQ(results_of<std::uint32_t>(program, 6),
            (std::vector<std::uint32_t>{0xCD, 0xFFFFF00D, 0x89ABCDEF, 0xF00DCAFE, 0xF00DCAFE, 0x89AB}));
}

// --- generic addresses of several spaces in one instruction ---

TEST(GenericAddresses, LanesMayBeInDifferentSpaces) {
  // Lane n uses global, shared or local memory as n mod 3 says: each stores its number, then loads it back.
  const std::string body =
      ".local .align 8 .b64 mine[2];\n"
      "cvt.u64.u32 %rd20, %r0;\nshl.b64 %rd21, %rd20, 3;\nadd.u64 %rd2, %rd1, %rd21;\n"  // global: second
                                                                                         // buffer
      "mov.u64 %rd3, tile;\ncvta.shared.u64 %rd3, %rd3;\nadd.u64 %rd3, %rd3, %rd21;\nmov.u64 %rd4, "
      "mine;\ncvta.local.u64 %rd4, %rd4;\n"
      "rem.u32 %r3, %r0, 3;\nsetp.eq.u32 %p1, %r3, 0;\nsetp.eq.u32 %p2, %r3, 1;\nselp.b64 %rd5, %rd3, %rd4, "
      "%p2;\n"
      "selp.b64 %rd5, %rd2, %rd5, %p1;\nadd.u64 %rd6, %rd20, 1000;\nst.u64 [%rd5], %rd6;\nld.u64 %rd5, "
      "[%rd5];\n"  // into its own address
      "add.u64 %rd7, %rd0, %rd21;\nst.global.u64 [%rd7], %rd5;\n";
  Program program;
  program.ptx = kernel_with(2, body, ".shared .align 8 .b64 tile[32];");
  for (const Watch watch : {Watch::kNobody, Watch::kEverything}) {
    program.watch = watch;
    const std::vector<Bytes> after = run_cleanly(program, {Bytes(256), Bytes(256)});
    const auto back = values_of<std::uint64_t>(after.at(0)), global = values_of<std::uint64_t>(after.at(1));
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(back[lane], 1000 + lane);
      EXPECT_EQ(global[lane], lane % 3 == 0 ? 1000 + lane : 0);
    }
  }
}

TEST(Loads, MayOverwriteTheirOwnAddress) {
  std::vector<std::uint64_t> values(32);
  for (std::size_t i = 0; i < 32; ++i) values[i] = 7 * i;
  Program program;
  program.ptx = kernel_with(2,
                            "mul.wide.u32 %rd3, %r0, 8;\nadd.u64 %rd4, %rd1, %rd3;\nld.global.u64 %rd4, [%rd4];\n"
                            "add.u64 %rd5, %rd0, %rd3;\nst.global.u64 [%rd5], %rd4;\n");
  EXPECT_EQ(results_of<std::uint64_t>(program, 32, {bytes_of(values)}), values);
}

// --- modifiers that say how fast, not what ---

TEST(CacheHints, ChangeNoValue) {
  const char* const kLoads[] = {"ld.global.nc.u32",
                                "ld.global.ca.u32",
                                "ld.global.cg.u32",
                                "ld.global.cs.u32",
                                "ld.global.lu.u32",
                                "ld.global.cv.u32",
                                "ld.volatile.global.u32",
                                "ld.relaxed.gpu.global.u32",
                                "ld.relaxed.cta.global.u32",
                                "ld.acquire.sys.global.u32",
                                "ld.weak.global.u32",
                                "ld.global.nc.L1::no_allocate.u32",
                                "ld.global.L1::evict_last.u32",
                                "ld.global.L2::128B.u32",
                                "ldu.global.u32",
                                "ld.volatile.u32",
                                "ld.mmio.relaxed.sys.global.u32",
                                "ld.acquire.cluster.global.u32"};
  const char* const kStores[] = {
      "st.global.wb.u32",          "st.global.cg.u32",       "st.global.cs.u32",
      "st.global.wt.u32",          "st.volatile.global.u32", "st.relaxed.gpu.global.u32",
      "st.release.sys.global.u32", "st.weak.global.u32",     "st.global.L1::no_allocate.u32",
      "st.release.cta.global.u32", "st.volatile.u32",        "st.mmio.relaxed.sys.global.u32"};
  std::vector<std::uint32_t> values(32);
  for (std::uint32_t i = 0; i < 32; ++i) values[i] = i * i + 1;
  const auto copy_with = [&](const std::string& load, const std::string& store) {
    Program program;
    program.ptx = kernel_with(2, "mul.wide.u32 %rd3, %r0, 4;\nadd.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd0, %rd3;\n" +
                                     load + " %r10, [%rd4];\n" + store + " [%rd5], %r10;\n");
    EXPECT_EQ(results_of<std::uint32_t>(program, 32, {bytes_of(values)}), values) << load << ", " << store;
  };
  for (const char* load : kLoads) copy_with(load, "st.global.u32");
  for (const char* store : kStores) copy_with("ld.global.u32", store);
}

TEST(CacheHints, PrefetchesTouchNothing) {
  Program program;
  program.ptx = kernel_with(1,
                            "prefetch.global.L1 [%rd0];\nprefetch.global.L2 [%rd0];\nprefetchu.L1 [%rd0];\n"
                            "prefetch.global.L2::evict_last [%rd0];\nprefetch.L1 [%rd0];\n"
                            "applypriority.global.L2::evict_normal [%rd0], 128;\nst.global.u32 [%rd0], 5;\n");
  EXPECT_EQ(results_of<std::uint32_t>(program, 32).at(0), 5u);
  program.ptx = kernel_with(1, "discard.global.L2 [%rd0], 128;\nst.global.u32 [%rd0], 6;\n");
  EXPECT_EQ(results_of<std::uint32_t>(program, 32).at(0), 6u);
  program.ptx = kernel_with(
      1,
      "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd5, 0.5;\n"
      "createpolicy.fractional.L2::evict_first.b64 %rd5;\ncreatepolicy.range.global.L2::evict_first.b64 %rd5, [%rd0], "
      "16, 32;\ncreatepolicy.cvt.L2.b64 %rd5, %rd0;\nmov.u32 %r5, 6;\nst.global.L2::cache_hint.u32 [%rd0], %r5, "
      "%rd5;\nld.global.L2::cache_hint.u32 %r6, [%rd0], %rd5;\natom.global.add.L2::cache_hint.u32 %r7, [%rd0], %r6, "
      "%rd5;\nred.global.add.L2::cache_hint.u32 [%rd0], %r7, %rd5;\natom.global.cas.L2::cache_hint.b32 %r7, [%rd0], "
      "18, 19, %rd5;\n");
  program.shape.block.x = 1;
  EXPECT_EQ(results_of<std::uint32_t>(program, 32).at(0), 19u);
}

// --- what the watched handlers tell ---

TEST(Watching, SeesEveryAccessOnce) {
  // 2 warps: a load, a store, an atomic and a generic load each, the last one under a guard that holds in no lane of
  // warp 1.
  Program program;
  program.ptx =
      kernel_with(1,
                  "ld.global.u32 %r10, [%rd0];\nst.global.u32 [%rd0+4], %r10;\nred.global.add.u32 [%rd0+8], 1;\n"
                  "setp.lt.u32 %p1, %r0, 32;\n@%p1 ld.u32 %r11, [%rd0];\n");
  program.shape.block.x = 64;
  program.watch = Watch::kEverything;
  const Result watched = run(program, {Bytes(64)});
  EXPECT_EQ(watched.refusal, "");
  EXPECT_EQ(watched.accesses_seen, 7u);
}

/// Lets the lanes of a mask pass.
class LetSomePass : public Observer {
 public:
  explicit LetSomePass(Mask lanes) : lanes_(lanes) {}
  Mask access(const MemoryAccess& access) override { return access.lanes & lanes_; }

 private:
  Mask lanes_;
};

TEST(Watching, LanesHeldBackReadZerosAndWriteNothing) {
  constexpr Mask kPass = 0x0F0F3355;
  const std::vector<std::uint32_t> ones(32, 1);
  for (const std::string space : {"global", "shared", "local", ""}) {
    LetSomePass observer(kPass);
    Program program;
    program.options.observer = &observer;
    const std::string dot = space.empty() ? "" : "." + space;
    const std::string base = space == "shared"  ? "mov.u64 %rd5, tile;\n"
                             : space == "local" ? "mov.u64 %rd5, mine;\n"
                                                : "mov.u64 %rd5, %rd1;\n";
    program.ptx = kernel_with(2,
                              ".local .align 4 .b32 mine[32];\nmul.wide.u32 %rd4, %r0, 4;\n" + base +
                                  "add.u64 %rd5, %rd5, %rd4;\nadd.u64 %rd6, %rd0, %rd4;\nmov.u32 %r10, 77;\nst" + dot +
                                  ".u32 [%rd5], 9;\nld" + dot + ".u32 %r10, [%rd5];\nst.global.u32 [%rd6], %r10;\n",
                              ".shared .align 4 .b32 tile[32];");
    const Result done = run(program, {bytes_of(std::vector<std::uint32_t>(32, 5)), bytes_of(ones)});
    ASSERT_EQ(done.refusal, "");
    const auto out = values_of<std::uint32_t>(done.buffers.at(0));
    for (std::uint32_t lane = 0; lane < 32; ++lane)  // what is held back never arrives in `out`, which keeps its fives
      EXPECT_EQ(out[lane], (kPass >> lane & 1) != 0 ? 9u : 5u) << space << " lane " << lane;
    if (space == "global") {
      const auto area = values_of<std::uint32_t>(done.buffers.at(1));
      for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(area[lane], (kPass >> lane & 1) != 0 ? 9u : 1u);
    }
  }
}

/// Lets everything pass but the accesses to one address range, so that what held-back lanes read can be stored
/// elsewhere.
class HoldBackRange : public Observer {
 public:
  HoldBackRange(std::uint64_t begin, Mask lanes) : begin_(begin), lanes_(lanes) {}
  Mask access(const MemoryAccess& access) override {
    return access.address(__builtin_ctz(access.lanes)) - begin_ < 4096 ? access.lanes & ~lanes_ : access.lanes;
  }

 private:
  std::uint64_t begin_;
  Mask lanes_;
};

TEST(Watching, LanesHeldBackGetZerosFromLoadsAndAtomics) {
  constexpr Mask kHeld = 0x81002244;
  for (const std::string instruction : {"ld.global.u32 %r10, [%rd5];", "atom.global.add.u32 %r10, [%rd5], 1;",
                                        "ld.u32 %r10, [%rd5];", "ld.global.v2.u32 {%r10, %r11}, [%rd5];"}) {
    Program program;
    program.ptx = kernel_with(2,
                              "mul.wide.u32 %rd4, %r0, 8;\nadd.u64 %rd5, %rd1, %rd4;\nadd.u64 %rd6, %rd0, %rd4;\n"
                              "mov.u32 %r10, 77;\n" +
                                  instruction + "\nst.global.u32 [%rd6], %r10;\n");
    // The second buffer's address is the kernel's to tell: a first run finds it.
    Program asks = program;
    asks.ptx = kernel_with(2, "st.global.u64 [%rd0], %rd1;\n");
    const std::uint64_t second = results_of<std::uint64_t>(asks, 32, {Bytes(256)}).at(0);
    HoldBackRange observer(second, kHeld);
    program.options.observer = &observer;
    const Result done = run(program, {Bytes(256), bytes_of(std::vector<std::uint64_t>(32, 5))});
    ASSERT_EQ(done.refusal, "");
    const auto out = values_of<std::uint64_t>(done.buffers.at(0));
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(out[lane], (kHeld >> lane & 1) != 0 ? 0u : 5u) << instruction << " lane " << lane;
  }
}

// --- faults ---

struct Stray {
  const char* what;
  const char* body;
  FaultKind kind;
};

TEST(StrayAccesses, StopTheKernelAsTheHardwareDoes) {
  const Stray kStrays[] = {
      {"null", "mov.u64 %rd5, 0;\nld.global.u32 %r5, [%rd5];\n", FaultKind::kIllegalAddress},
      {"null through a generic address", "mov.u64 %rd5, 0;\nst.u32 [%rd5], 1;\n", FaultKind::kIllegalAddress},
      {"far beyond", "add.u64 %rd5, %rd0, 0x100000000000;\nst.global.u32 [%rd5], 1;\n", FaultKind::kIllegalAddress},
      {"at the end of all addresses", "mov.u64 %rd5, -4;\nld.global.u32 %r5, [%rd5];\n", FaultKind::kIllegalAddress},
      {"misaligned", "ld.global.u32 %r5, [%rd0+2];\n", FaultKind::kMisalignedAddress},
      {"misaligned vector", "ld.global.v2.u32 {%r5, %r6}, [%rd0+4];\n", FaultKind::kMisalignedAddress},
      {"misaligned in shared memory", "mov.u32 %r5, tile;\nst.shared.u64 [%r5+4], %rd0;\n",
       FaultKind::kMisalignedAddress},
      {"beyond shared memory", "mov.u32 %r5, tile;\nst.shared.u32 [%r5+100000], 1;\n", FaultKind::kIllegalAddress},
      {"before shared memory", "mov.u32 %r5, 0;\nld.shared.u32 %r6, [%r5];\n", FaultKind::kIllegalAddress},
      {"beyond local memory", "mov.u64 %rd5, mine;\nst.local.u32 [%rd5+65536], 1;\n", FaultKind::kIllegalAddress},
      {"local memory, far", "mov.u64 %rd5, -4;\nst.local.u32 [%rd5], 1;\n", FaultKind::kIllegalAddress},
      {"misaligned in local memory", "mov.u64 %rd5, mine;\nld.local.u32 %r5, [%rd5+1];\n",
       FaultKind::kMisalignedAddress},
      {"beyond the parameters", "mov.b64 %rd5, p0;\nld.param.u32 %r5, [%rd5+4096];\n", FaultKind::kIllegalAddress},
      {"before the parameters", "ld.param.u32 %r5, [p0-4];\n", FaultKind::kIllegalAddress},
      {"an atomic on nothing", "mov.u64 %rd5, 64;\natom.global.add.u32 %r5, [%rd5], 1;\n", FaultKind::kIllegalAddress},
      {"shared, through a global address",
       "mov.u64 %rd5, tile;\ncvta.shared.u64 %rd5, %rd5;\nld.global.u32 %r5, [%rd5];\n", FaultKind::kIllegalAddress},
  };
  for (const Stray& stray : kStrays) {
    for (const Watch watch : {Watch::kNobody, Watch::kEverything}) {
      for (const char* guard : {"", "setp.ne.u32 %p1, %r0, 13;\n@%p1 bra DONE;\n"}) {
        Program program;
        program.ptx = kernel_with(1, std::string(".local .align 8 .b32 mine[4];\n") + guard + stray.body + "DONE:\n",
                                  ".shared .align 8 .b32 tile[8];");
        program.watch = watch;
        const Result done = run(program, {Bytes(64)});
        ASSERT_EQ(done.refusal, "") << stray.what;
        const Fault& fault = done.outcome.fault;
        EXPECT_EQ(fault.kind, stray.kind) << stray.what << ": " << fault.sentence;
        EXPECT_FALSE(fault.sentence.empty());
        EXPECT_EQ(fault.thread.x, *guard != '\0' ? 13u : 0u) << stray.what;
        EXPECT_NE(fault.ptx_line, 0u);
      }
    }
  }
}

TEST(StrayAccesses, GuardedLanesDoNotStray) {
  Program program;
  program.ptx = kernel_with(1,
                            "setp.eq.u32 %p1, %r0, 3;\nselp.b64 %rd5, %rd0, 0, %p1;\n@%p1 st.global.u32 [%rd5], 4;\n"
                            "@%p1 ld.global.u32 %r5, [%rd5];\n@%p1 red.add.u32 [%rd5], %r5;\n");
  for (const Watch watch : {Watch::kNobody, Watch::kEverything}) {
    program.watch = watch;
    EXPECT_EQ(results_of<std::uint32_t>(program, 1).at(0), 8u);
  }
}

TEST(Accesses, WhatIsNotThereIsRefused) {
  for (const char* instruction :
       {"ld.global.v4.u64 {%rd1, %rd2}, [%rd0];", "ld.global.u64 %r5, [%rd0];", "st.const.u32 [table], 1;",
        "ld.global.f16x2.foo %r5, [%rd0];", "ld.shared::remote.u32 %r5, [%r6];", "ld.global.u32 %r5, [%r6];",
        "st.global.u32 [%rd0], %h1;", "ld.global.u32 %p1, [%rd0];", "ld.global.u32 %r5, [nowhere];"}) {
    Program program;
    program.ptx = kernel_with(1, instruction, ".const .u32 table[4];");
    EXPECT_NE(run(program, {Bytes(64)}).refusal, "") << instruction;
  }
}

}  // namespace
}  // namespace vgpu::test
