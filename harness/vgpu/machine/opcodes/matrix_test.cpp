// Products of matrices held by a warp: every type and shape of mma against sums of small integers, wmma from memory to
// memory, what moves matrices, how sums are cut off on each architecture, and what is refused.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

/// "{%r10, %r11}"
std::string registers(const char* prefix, int first, int count) {
  std::string list = "{";
  for (int n = 0; n < count; ++n) list += (n == 0 ? "" : ", ") + std::string(prefix) + std::to_string(first + n);
  return list + "}";
}

/// A small integer as an element of that type.
U64 encoded(const std::string& type, int value) {
  const auto as_float = static_cast<float>(value);
  U32 bits;
  std::memcpy(&bits, &as_float, sizeof bits);
  const auto as_double = static_cast<double>(value);
  U64 wide;
  std::memcpy(&wide, &as_double, sizeof wide);
  if (type == "f64") return wide;
  if (type == "f32" || type == "tf32") return bits;
  if (type == "bf16") return bits >> 16;
  const U64 sign = value < 0 ? 1 : 0;
  const int exponent = static_cast<int>(bits >> 23 & 0xFF) - 127;
  const auto narrow = [&](int exponent_bits, int fraction_bits) -> U64 {  // exact for all that the tests use
    if (value == 0) return 0;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    return sign << (exponent_bits + fraction_bits) | static_cast<U64>(exponent + bias) << fraction_bits |
           (bits & 0x7FFFFF) >> (23 - fraction_bits);
  };
  if (type == "f16") return narrow(5, 10);
  if (type == "e4m3") return narrow(4, 3);
  if (type == "e5m2") return narrow(5, 2);
  const bool is_four = type == "s4" || type == "u4";
  return static_cast<U64>(value) & (is_four ? 0xF : type == "s8" || type == "u8" ? 0xFF : 0xFFFFFFFF);
}

int bits_of(const std::string& type) {
  if (type == "f64") return 64;
  if (type == "f16" || type == "bf16") return 16;
  if (type == "s4" || type == "u4") return 4;
  return type == "f32" || type == "tf32" || type == "s32" ? 32 : 8;
}

/// Small enough for each type, and not the same anywhere near.
int small(const std::string& type, U32 n) {
  const int value = static_cast<int>((n * 7 + n / 5) % 5);
  return type[0] == 'u' ? value : value - 2;
}

struct Product {
  const char* name;  ///< from the shape on, as mma has it
  U32 m, n, k;
  const char *d, *a;
};

constexpr Product kProducts[] = {
    {"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, "f32", "f16"},
    {"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, "f32", "f16"},
    {"m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, "f16", "f16"},
    {"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, "f16", "f16"},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, "f32", "bf16"},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, "f32", "bf16"},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, "f32", "tf32"},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, "f32", "tf32"},
    {"m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 8, 32, "f32", "e4m3"},
    {"m16n8k32.row.col.f32.e5m2.e5m2.f32", 16, 8, 32, "f32", "e5m2"},
    {"m8n8k16.row.col.s32.s8.s8.s32", 8, 8, 16, "s32", "s8"},
    {"m16n8k16.row.col.s32.u8.u8.s32", 16, 8, 16, "s32", "u8"},
    {"m16n8k32.row.col.satfinite.s32.s8.s8.s32", 16, 8, 32, "s32", "s8"},
    {"m8n8k32.row.col.s32.s4.s4.s32", 8, 8, 32, "s32", "s4"},
    {"m16n8k32.row.col.s32.u4.u4.s32", 16, 8, 32, "s32", "u4"},
    {"m16n8k64.row.col.s32.s4.s4.s32", 16, 8, 64, "s32", "s4"},
    {"m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, "f64", "f64"},
    {"m16n8k4.row.col.f64.f64.f64.f64", 16, 8, 4, "f64", "f64"},
    {"m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, "f64", "f64"},
    {"m16n8k16.row.col.f64.f64.f64.f64", 16, 8, 16, "f64", "f64"},
};

/// The words of all lanes, lane after lane, for an operand whose elements are element(line, k): PTX ISA, "Matrix
/// Fragments for mma". Lane 4 * g + t has elements t * e and on, e a register, of line g; then of line g + 8, if there
/// is one; then further along k.
template <class F>
std::vector<U32> fragment(U32 lines, U32 k, int bits, const F& element) {
  const U32 together = bits >= 32 ? 1 : 32 / static_cast<U32>(bits), along = 4 * together;
  std::vector<U32> words;
  for (U32 lane = 0; lane < 32; ++lane)
    for (U32 block = 0; block < k; block += along)
      for (U32 line = lane / 4; line < lines; line += 8) {
        U64 all = 0;
        for (U32 i = 0; i < together; ++i)
          all |= element(line, block + lane % 4 * together + i) << (static_cast<U32>(bits) * i % 64);
        words.push_back(static_cast<U32>(all));
        if (bits == 64) words.push_back(static_cast<U32>(all >> 32));
      }
  return words;
}

/// Likewise for the sums: two neighbours of a row, then those 8 rows below.
template <class F>
std::vector<U32> sums(U32 m, int bits, const F& element) {
  std::vector<U32> words;
  for (U32 lane = 0; lane < 32; ++lane)
    for (U32 row = lane / 4; row < m; row += 8) {
      const U64 first = element(row, lane % 4 * 2), second = element(row, lane % 4 * 2 + 1);
      if (bits == 16) {
        words.push_back(static_cast<U32>(first | second << 16));
        continue;
      }
      for (const U64 each : {first, second}) {
        words.push_back(static_cast<U32>(each));
        if (bits == 64) words.push_back(static_cast<U32>(each >> 32));
      }
    }
  return words;
}

/// Executes an instruction on words of a lane for A, B and C and gives those of D. `is_wide`: registers of 64 bits.
Result run_product(const std::string& instruction, const std::vector<std::vector<U32>>& operands, std::size_t d_words,
                   bool is_wide, U32 device = 90, const std::string& before = {}, U32 threads = 32) {
  const char* const prefix = is_wide ? "%rd" : "%r";
  const int bytes = is_wide ? 8 : 4;
  std::string body = "mul.wide.u32 %rd5, %r0, 1;\n", list;
  int next = 10;
  const auto count_of = [&](std::size_t words) { return static_cast<int>(words * 4) / bytes; };
  const int d_count = count_of(d_words);
  const std::string d = registers(prefix, next, d_count);
  next += d_count;
  for (std::size_t n = 0; n < operands.size(); ++n) {
    const int count = count_of(operands[n].size() / 32);
    body += "mad.lo.u64 %rd6, %rd5, " + std::to_string(count * bytes) + ", %rd" + std::to_string(n + 1) + ";\n";
    for (int i = 0; i < count; ++i)
      body += std::string(is_wide ? "ld.global.b64 " : "ld.global.b32 ") + prefix + std::to_string(next + i) +
              ", [%rd6+" + std::to_string(i * bytes) + "];\n";
    list += ", " + registers(prefix, next, count);
    next += count;
  }
  body += before + instruction + " " + d + list + ";\n";
  body += "mad.lo.u64 %rd6, %rd5, " + std::to_string(d_count * bytes) + ", %rd0;\n";
  for (int i = 0; i < d_count; ++i)
    body += std::string(is_wide ? "st.global.b64" : "st.global.b32") + " [%rd6+" + std::to_string(i * bytes) + "], " +
            prefix + std::to_string(10 + i) + ";\n";
  Program program;
  program.ptx = kernel_with(static_cast<int>(operands.size()) + 1, body);
  program.shape.block.x = threads;
  program.options.compute_capability = device;
  std::vector<Bytes> buffers = {Bytes(d_words * 32 * 4)};
  for (const std::vector<U32>& each : operands) buffers.push_back(bytes_of(each));
  return run(program, buffers);
}

std::vector<U32> words_of(const Bytes& bytes) {
  std::vector<U32> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

TEST(Mma, GivesTheSumsOfAllTypesAndShapes) {
  for (const Product& p : kProducts) {
    const std::string a_type = p.a, d_type = p.d;
    const auto a = [&](U32 row, U32 k) { return small(a_type, row * p.k + k); };
    const auto b = [&](U32 column, U32 k) { return small(a_type, 3 + column * (p.k + 1) + k); };
    const auto c = [&](U32 row, U32 column) { return small("s32", 1 + row * 9 + column); };
    const auto d = [&](U32 row, U32 column) {
      int sum = c(row, column);
      for (U32 k = 0; k < p.k; ++k) sum += a(row, k) * b(column, k);
      return encoded(d_type, sum);
    };
    const int bits = bits_of(a_type), d_bits = bits_of(d_type);
    const std::vector<U32> expected = sums(p.m, d_bits, d);
    const std::vector<std::vector<U32>> operands = {
        fragment(p.m, p.k, bits, [&](U32 row, U32 k) { return encoded(a_type, a(row, k)); }),
        fragment(8, p.k, bits, [&](U32 column, U32 k) { return encoded(a_type, b(column, k)); }),
        sums(p.m, d_bits, [&](U32 row, U32 column) { return encoded(d_type, c(row, column)); })};
    const Result result =
        run_product(std::string("mma.sync.aligned.") + p.name, operands, expected.size() / 32, d_bits == 64);
    ASSERT_EQ(result.refusal, "") << p.name;
    EXPECT_EQ(result.outcome.fault.sentence, "") << p.name;
    EXPECT_EQ(words_of(result.buffers[0]), expected) << p.name;
  }
}

TEST(Mma, CountsSingleBits) {
  for (const bool is_and : {false, true}) {
    const auto word = [](U32 n) { return (n + 1) * 2654435761u; };
    const auto a = [&](U32 row, U32 k) { return U64{word(row * 8 + k)}; };
    const auto b = [&](U32 column, U32 k) { return U64{word(100 + column * 8 + k)}; };
    const auto d = [&](U32 row, U32 column) {
      U64 sum = 7;
      for (U32 k = 0; k < 8; ++k) {
        const U64 both = is_and ? a(row, k) & b(column, k) : a(row, k) ^ b(column, k);
        sum += static_cast<U64>(__builtin_popcountll(both));
      }
      return sum;
    };
    const std::string name =
        std::string("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.") + (is_and ? "and" : "xor") + ".popc";
    const Result result = run_product(
        name, {fragment(16, 8, 32, a), fragment(8, 8, 32, b), sums(16, 32, [](U32, U32) { return U64{7}; })}, 4, false);
    ASSERT_EQ(result.refusal, "");
    EXPECT_EQ(words_of(result.buffers[0]), sums(16, 32, d)) << name;
  }
}

TEST(Mma, WrapsOrStopsAtTheEndsOfIntegers) {
  const auto largest = [](U32, U32) { return U64{127}; };
  const auto c = [](U32, U32) { return U64{0x7FFFFFFF}; };
  for (const bool saturates : {false, true}) {
    const Result result = run_product(
        std::string("mma.sync.aligned.m16n8k32.row.col") + (saturates ? ".satfinite" : "") + ".s32.s8.s8.s32",
        {fragment(16, 32, 8, largest), fragment(8, 32, 8, largest), sums(16, 32, c)}, 4, false);
    ASSERT_EQ(result.refusal, "");
    EXPECT_EQ(words_of(result.buffers[0])[0], saturates ? 0x7FFFFFFFu : 0x7FFFFFFFu + 127 * 127 * 32);
  }
}

/// 1, as a product, and beside it as many products of 2^-e, in the first columns along k.
U32 sum_beside_one(U32 device, int e, U32 count) {
  const auto a = [&](U32, U32 k) { return k <= count ? U64{0x3C00} : 0; };
  const auto b = [&](U32, U32 k) -> U64 {
    return k == 0 ? 0x3C00 : k > count ? 0 : e <= 14 ? (15 - e) << 10 : 1u << (24 - e);
  };
  const Result result =
      run_product("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                  {fragment(16, 16, 16, a), fragment(8, 16, 16, b), sums(16, 32, [](U32, U32) { return U64{0}; })}, 4,
                  false, device);
  EXPECT_EQ(result.refusal, "");
  return words_of(result.buffers[0])[0];
}

TEST(Mma, KeepsAsManyBitsBesideTheLargestAsTheArchitecture) {
  constexpr U32 kOne = 0x3F800000;
  EXPECT_EQ(sum_beside_one(90, 24, 2), kOne + 1);
  EXPECT_EQ(sum_beside_one(80, 24, 2), kOne + 1);
  EXPECT_EQ(sum_beside_one(70, 24, 2), kOne);
  EXPECT_EQ(sum_beside_one(90, 24, 1), kOne) << "what is kept is cut off in the end";
}

TEST(Mma, AddsSoManyProductsInAStepAsTheArchitecture) {
  constexpr U32 kOne = 0x3F800000;
  EXPECT_EQ(sum_beside_one(90, 24, 8), kOne + 4);
  EXPECT_EQ(sum_beside_one(80, 24, 8), kOne + 3) << "the first step keeps 3 of 3.5 units, the second none of a half";
}

TEST(Mma, GivesOneNanAndNoNegativeZero) {
  const auto infinity = [](U32, U32) { return U64{0x7C00}; };
  const auto zero = [](U32, U32) { return U64{0x8000}; };
  const auto negative_zero = [](U32, U32) { return U64{0x80000000}; };
  const auto one = [](U32, U32) { return U64{0x3C00}; };
  const auto product = [&](const auto& a, const auto& b) {
    return words_of(run_product("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                                {fragment(16, 16, 16, a), fragment(8, 16, 16, b), sums(16, 32, negative_zero)}, 4,
                                false)
                        .buffers[0])[0];
  };
  EXPECT_EQ(product(infinity, zero), 0x7FFFFFFFu);
  EXPECT_EQ(product(infinity, one), 0x7F800000u);
  EXPECT_EQ(product(zero, one), 0u);
}

TEST(Mma, IsExecutedOnceWhenLanesComeOneAfterTheOther) {
  const auto one = [](U32, U32) { return U64{0x3C00}; };
  const Result result =
      run_product("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                  {fragment(16, 16, 16, one), fragment(8, 16, 16, one), sums(16, 32, [](U32, U32) { return U64{0}; })},
                  4, false, 90, "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra LATE;\nadd.u32 %r9, %r0, 1;\nLATE:\n");
  EXPECT_EQ(result.outcome.fault.sentence, "");
  for (const U32 word : words_of(result.buffers[0])) EXPECT_EQ(word, 0x41800000u);
}

TEST(Mma, WithoutAllLanesOfAWarpStopsAndSaysWhoIsMissing) {
  const auto one = [](U32, U32) { return U64{0x3C00}; };
  const std::vector<std::vector<U32>> operands = {fragment(16, 16, 16, one), fragment(8, 16, 16, one),
                                                  sums(16, 32, [](U32, U32) { return U64{0}; })};
  const auto fault = [&](const std::string& before, U32 threads) {
    return run_product("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", operands, 4, false, 90, before, threads)
        .outcome.fault.sentence;
  };
  EXPECT_EQ(fault("", 16),
            "mma is executed by all 32 threads of a warp together, but thread 16 of the warp does not exist: the "
            "block's size "
            "is no multiple of 32");
  EXPECT_EQ(fault("setp.eq.u32 %p1, %r0, 3;\n@%p1 exit;\n", 32),
            "mma is executed by all 32 threads of a warp together, but thread 3 of the warp has ended");
}

TEST(Mma, IsRefusedByNameWhereThereIsNoSuchProduct) {
  const auto refusal = [](const std::string& instruction) {
    Program program;
    program.ptx = kernel_with(1, instruction +
                                     " {%r10, %r11, %r12, %r13}, {%r14, %r15, %r16, %r17}, {%r18, %r19}, {%r10, "
                                     "%r11, %r12, %r13};");
    return run(program, {Bytes(4)}).refusal;
  };
  EXPECT_EQ(refusal("mma.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
            "mma.aligned.m16n8k16.row.col.f32.f16.f16.f32 without .sync");
  EXPECT_EQ(refusal("mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32"),
            "mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32 of other layouts than .row.col");
  EXPECT_EQ(refusal("mma.sync.aligned.m16n8k12.row.col.f32.f16.f16.f32"),
            "mma.sync.aligned.m16n8k12.row.col.f32.f16.f16.f32");
  EXPECT_EQ(refusal("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"),
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 with 4 registers where 2 belong");
  EXPECT_EQ(refusal("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"),
            "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 (products of sparse matrices)");
  EXPECT_EQ(refusal("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"),
            "the instruction wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 (asynchronous products of a warp group; "
            "mma.sync and nvcuda::wmma are there)");
}

// --- wmma, from memory to memory ---

struct Fragments {
  U32 m, n, k;
  const char *a, *d;
  int a_registers, b_registers, d_registers;
};

TEST(Wmma, MultipliesMatricesInEveryLayout) {
  constexpr Fragments kAll[] = {
      {16, 16, 16, "f16", "f32", 8, 8, 8},  {32, 8, 16, "f16", "f32", 8, 8, 8},  {8, 32, 16, "f16", "f16", 8, 8, 4},
      {16, 16, 16, "bf16", "f32", 4, 4, 8}, {32, 8, 16, "bf16", "f32", 8, 2, 8}, {8, 32, 16, "bf16", "f32", 2, 8, 8},
      {16, 16, 8, "tf32", "f32", 4, 4, 8},  {16, 16, 16, "s8", "s32", 2, 2, 8},  {32, 8, 16, "u8", "s32", 4, 1, 8},
      {8, 32, 16, "s8", "s32", 1, 4, 8},    {8, 8, 4, "f64", "f64", 1, 1, 2},
  };
  for (const Fragments& f : kAll)
    for (int layouts = 0; layouts < 8; ++layouts) {
      const bool a_row = (layouts & 1) == 0, b_row = (layouts & 2) == 0, d_row = (layouts & 4) == 0;
      const std::string a_type = f.a, d_type = f.d;
      const auto a = [&](U32 row, U32 k) { return small(a_type, row * f.k + k); };
      const auto b = [&](U32 k, U32 column) { return small(a_type, 3 + column * (f.k + 1) + k); };
      const auto c = [&](U32 row, U32 column) { return small("s32", 1 + row * 9 + column); };
      const auto d = [&](U32 row, U32 column) {
        int sum = c(row, column);
        for (U32 k = 0; k < f.k; ++k) sum += a(row, k) * b(k, column);
        return sum;
      };
      // Lines are 8 elements apart beyond their end.
      const auto matrix = [](const std::string& type, bool is_row, U32 rows, U32 columns, const auto& element) {
        const U32 stride = (is_row ? columns : rows) + 8, lines = is_row ? rows : columns;
        const auto bytes = static_cast<std::size_t>(bits_of(type)) / 8;
        Bytes all(lines * stride * bytes);
        for (U32 row = 0; row < rows; ++row)
          for (U32 column = 0; column < columns; ++column) {
            const U64 bits = encoded(type, element(row, column));
            std::memcpy(all.data() + (is_row ? row * stride + column : column * stride + row) * bytes, &bits, bytes);
          }
        return all;
      };
      const auto layout = [](bool is_row) { return std::string(is_row ? "row" : "col"); };
      const std::string shape = "m" + std::to_string(f.m) + "n" + std::to_string(f.n) + "k" + std::to_string(f.k);
      const char* const prefix = a_type == "f64" ? "%rd" : "%r";
      const std::string a_list = registers(prefix, 10, f.a_registers), b_list = registers(prefix, 20, f.b_registers),
                        d_list = registers(prefix, 30, f.d_registers);
      const auto stride = [](U32 elements) { return std::to_string(elements + 8); };
      const std::string types =
          a_type == "f16" ? d_type + "." + d_type : d_type + "." + a_type + "." + a_type + "." + d_type;
      Program program;
      program.ptx = kernel_with(
          4, "wmma.load.a.sync.aligned." + layout(a_row) + "." + shape + ".global." + a_type + " " + a_list +
                 ", [%rd1], " + stride(a_row ? f.k : f.m) + ";\nwmma.load.b.sync.aligned." + layout(b_row) + "." +
                 shape + "." + a_type + " " + b_list + ", [%rd2], " + stride(b_row ? f.n : f.k) +
                 ";\nwmma.load.c.sync.aligned." + layout(d_row) + "." + shape + ".global." + d_type + " " + d_list +
                 ", [%rd3], " + stride(d_row ? f.n : f.m) + ";\nwmma.mma.sync.aligned." + layout(a_row) + "." +
                 layout(b_row) + "." + shape + "." + types + " " + d_list + ", " + a_list + ", " + b_list + ", " +
                 d_list + ";\nwmma.store.d.sync.aligned." + layout(d_row) + "." + shape + ".global." + d_type +
                 " [%rd0], " + d_list + ", " + stride(d_row ? f.n : f.m) + ";\n");
      const Bytes expected = matrix(d_type, d_row, f.m, f.n, d);
      const std::vector<Bytes> buffers = {Bytes(expected.size()), matrix(a_type, a_row, f.m, f.k, a),
                                          matrix(a_type, b_row, f.k, f.n, b), matrix(d_type, d_row, f.m, f.n, c)};
      const Result result = run(program, buffers);
      ASSERT_EQ(result.refusal, "") << shape << " " << types;
      EXPECT_EQ(result.outcome.fault.sentence, "");
      EXPECT_EQ(result.buffers[0], expected) << shape << " " << types << " layouts " << layouts;
    }
}

// --- what moves matrices ---

constexpr const char* kTile = ".shared .align 16 .b8 tile[512];\n";

/// Shared memory holds the numbers 0 to 255, as halves; %r5 is the address of row (lane % 16), column 8 * (lane / 16)
/// of 16 by 16. Gives what the lanes have in %r10 to %r13 behind `code`, register after register.
std::vector<U32> moved(const std::string& code) {
  std::string body =
      "mov.u32 %r6, tile;\nshl.b32 %r7, %r0, 4;\nadd.u32 %r7, %r7, %r6;\nshl.b32 %r8, %r0, 3;\nmul.lo.u32 %r8, %r8, "
      "65537;\nadd.u32 "
      "%r8, %r8, 65536;\n";
  for (int word = 0; word < 4; ++word)
    body += "st.shared.b32 [%r7+" + std::to_string(4 * word) + "], %r8;\nadd.u32 %r8, %r8, 131074;\n";
  body +=
      "bar.warp.sync -1;\nand.b32 %r5, %r0, 15;\nshl.b32 %r5, %r5, 5;\nshr.u32 %r4, %r0, 4;\nshl.b32 %r4, %r4, "
      "4;\nadd.u32 %r5, "
      "%r5, %r4;\nadd.u32 %r5, %r5, %r6;\nmov.b32 %r10, 0;\nmov.b32 %r11, 0;\nmov.b32 %r12, 0;\nmov.b32 %r13, 0;\n" +
      code + "\nmul.wide.u32 %rd6, %r0, 4;\nadd.u64 %rd6, %rd6, %rd0;\n";
  for (int n = 0; n < 4; ++n)
    body += "st.global.b32 [%rd6+" + std::to_string(128 * n) + "], %r" + std::to_string(10 + n) + ";\n";
  Program program;
  program.ptx = kernel_with(1, body, kTile);
  return results_of<U32>(program, 128);
}

/// The numbers of 8 by 8 halves at (row, column), as lanes have them.
U32 pair_at(U32 row, U32 column, U32 lane, bool is_transposed) {
  const auto number = [&](U32 r, U32 c) { return (row + r) * 16 + column + c; };
  const U32 line = lane / 4, first = lane % 4 * 2;
  return is_transposed ? number(first, line) | number(first + 1, line) << 16
                       : number(line, first) | number(line, first + 1) << 16;
}

TEST(Ldmatrix, GivesEachLaneItsPartOfEachMatrix) {
  for (const bool is_transposed : {false, true})
    for (const int count : {1, 2, 4}) {
      const std::vector<U32> words =
          moved("ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) + (is_transposed ? ".trans" : "") +
                ".shared.b16 " + registers("%r", 10, count) + ", [%r5];");
      for (U32 n = 0; n < 4; ++n)
        for (U32 lane = 0; lane < 32; ++lane)
          EXPECT_EQ(words[n * 32 + lane],
                    n < static_cast<U32>(count) ? pair_at(n % 2 * 8, n / 2 * 8, lane, is_transposed) : 0)
              << count << " matrices, register " << n << ", lane " << lane;
    }
}

TEST(Ldmatrix, TakesGenericAddresses) {
  const std::vector<U32> words = moved(
      "cvt.u64.u32 %rd7, %r5;\ncvta.shared.u64 %rd7, %rd7;\nldmatrix.sync.aligned.m8n8.x1.b16 {%r10}, [%rd7+16];");
  for (U32 lane = 0; lane < 32; ++lane) EXPECT_EQ(words[lane], pair_at(0, 8, lane, false));
}

TEST(Stmatrix, IsTheReverse) {
  for (const char* const transposed : {"", ".trans"}) {
    const std::string modifiers = ".sync.aligned.m8n8.x4" + std::string(transposed) + ".shared.b16 ";
    // Out, cleared, and back in.
    const std::vector<U32> words = moved("ldmatrix" + modifiers +
                                         "{%r10, %r11, %r12, %r13}, [%r5];\nst.shared.v4.b32 [%r7], {%r0, %r0, %r0, "
                                         "%r0};\nbar.warp.sync -1;\nstmatrix" +
                                         modifiers +
                                         "[%r5], {%r10, %r11, %r12, %r13};\nbar.warp.sync -1;\n"
                                         "ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r7];");
    for (U32 n = 0; n < 4; ++n)
      for (U32 lane = 0; lane < 32; ++lane) {
        const U32 first = lane * 8 + n * 2;
        EXPECT_EQ(words[n * 32 + lane], first | (first + 1) << 16) << "word " << n << " of lane " << lane;
      }
  }
}

TEST(Movmatrix, Transposes) {
  const std::vector<U32> words = moved(
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r11}, [%r5];\nmovmatrix.sync.aligned.m8n8.trans.b16 %r10, %r11;");
  for (U32 lane = 0; lane < 32; ++lane) EXPECT_EQ(words[lane], pair_at(0, 0, lane, true));
}

}  // namespace
}  // namespace vgpu::test
