// How tensor cores add: chosen and random dot products through mma.sync, result bits as hexadecimal numbers. A digest
// stands for a batch of random ones; with the argument `all`, every result is printed.
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.cuh"

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// --- the instructions: 32-bit words of a lane for A, B, C and D ---

/// Accumulators of 4 words, A of 4 and B of 2.
#define MMA_4_4_2(Name, instruction)                                                                           \
  struct Name {                                                                                                \
    static constexpr int kA = 4, kB = 2, kC = 4;                                                               \
    static __device__ void run(const U32* a, const U32* b, const U32* c, U32* d) {                             \
      asm(instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"                   \
          : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                                     \
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), \
            "r"(c[3]));                                                                                        \
    }                                                                                                          \
  };
/// Accumulators of 4 words, A of 2 and B of 1.
#define MMA_4_2_1(Name, instruction)                                                      \
  struct Name {                                                                           \
    static constexpr int kA = 2, kB = 1, kC = 4;                                          \
    static __device__ void run(const U32* a, const U32* b, const U32* c, U32* d) {        \
      asm(instruction " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"             \
          : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                \
          : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])); \
    }                                                                                     \
  };
/// Accumulators of 2 words, A of 4 and B of 2.
#define MMA_2_4_2(Name, instruction)                                                                 \
  struct Name {                                                                                      \
    static constexpr int kA = 4, kB = 2, kC = 2;                                                     \
    static __device__ void run(const U32* a, const U32* b, const U32* c, U32* d) {                   \
      asm(instruction " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"                             \
          : "=r"(d[0]), "=r"(d[1])                                                                   \
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1])); \
    }                                                                                                \
  };

MMA_4_4_2(Half16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
MMA_4_2_1(Half8, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32")
MMA_2_4_2(HalfToHalf16, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16")
MMA_4_4_2(Brain16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_4_2_1(Brain8, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32")
MMA_4_4_2(Tensor8, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
MMA_4_2_1(Tensor4, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32")
MMA_4_4_2(E4M3, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32")
MMA_4_4_2(E5M2, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32")
MMA_4_4_2(E4M3E5M2, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32")
MMA_4_4_2(Signed, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32")
MMA_4_4_2(Saturating, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32")
MMA_4_4_2(Unsigned, "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32")
MMA_4_4_2(Mixed, "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32")

struct Double4 {
  static constexpr int kA = 2, kB = 2, kC = 4;
  static __device__ void run(const U32* a, const U32* b, const U32* c, U32* d) {
    double to[2], from[2], x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    memcpy(from, c, sizeof from);
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
        : "=d"(to[0]), "=d"(to[1])
        : "d"(x), "d"(y), "d"(from[0]), "d"(from[1]));
    memcpy(d, to, sizeof to);
  }
};
struct Double16 {
  static constexpr int kA = 16, kB = 8, kC = 8;
  static __device__ void run(const U32* a, const U32* b, const U32* c, U32* d) {
    double to[4], from[4], x[8], y[4];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    memcpy(from, c, sizeof from);
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
        "{%12, %13, %14, %15}, {%16, %17, %18, %19};"
        : "=d"(to[0]), "=d"(to[1]), "=d"(to[2]), "=d"(to[3])
        : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]), "d"(y[0]), "d"(y[1]),
          "d"(y[2]), "d"(y[3]), "d"(from[0]), "d"(from[1]), "d"(from[2]), "d"(from[3]));
    memcpy(d, to, sizeof to);
  }
};

/// One warp a product.
template <class Mma>
__global__ void multiply(const U32* a, const U32* b, const U32* c, U32* d) {
  const int at = blockIdx.x * 32 + threadIdx.x;
  U32 from_a[Mma::kA], from_b[Mma::kB], from_c[Mma::kC], to[Mma::kC];
  for (int i = 0; i < Mma::kA; ++i) from_a[i] = a[at * Mma::kA + i];
  for (int i = 0; i < Mma::kB; ++i) from_b[i] = b[at * Mma::kB + i];
  for (int i = 0; i < Mma::kC; ++i) from_c[i] = c[at * Mma::kC + i];
  Mma::run(from_a, from_b, from_c, to);
  for (int i = 0; i < Mma::kC; ++i) d[at * Mma::kC + i] = to[i];
}

// --- matrices as the lanes of a warp hold them ---

/// Bits of an element, exponent and explicit fraction; the bits of integers are all fraction.
struct Format {
  int bits, exponent, fraction;
  int bias() const { return (1 << (exponent - 1)) - 1; }
};
constexpr Format kHalf{16, 5, 10}, kBrain{16, 8, 7}, kTensor{32, 8, 23}, kE4M3{8, 4, 3}, kE5M2{8, 5, 2}, kInt8{8, 0, 8},
    kInt32{32, 0, 32}, kSingle{32, 8, 23}, kDouble{64, 11, 52};

struct Shape {
  int m, k;  // n is 8
};

/// Products of matrices, elements as bits. A and B are what PTX calls row and col.
struct Products {
  Shape shape;
  Format a_format, b_format, c_format;
  int count = 0;
  std::vector<U64> a, b, c, d;

  void resize(int products) {
    count = products;
    a.assign(count * shape.m * shape.k, 0);
    b.assign(count * 8 * shape.k, 0);
    c.assign(count * shape.m * 8, 0);
    d = c;
  }
  U64& a_at(int p, int row, int k) { return a[(p * shape.m + row) * shape.k + k]; }
  U64& b_at(int p, int k, int column) { return b[(p * 8 + column) * shape.k + k]; }
  U64& c_at(int p, int row, int column) { return c[(p * shape.m + row) * 8 + column]; }
};

void put(std::vector<U32>& words, int bits, size_t element, U64 value) {
  memcpy(reinterpret_cast<char*>(words.data()) + element * (bits / 8), &value, bits / 8);
}
U64 get(const std::vector<U32>& words, int bits, size_t element) {
  U64 value = 0;
  memcpy(&value, reinterpret_cast<const char*>(words.data()) + element * (bits / 8), bits / 8);
  return value;
}

/// The layouts of the PTX ISA's "Matrix Fragments for mma", which follow one rule: a lane's register holds neighbours
/// along k; groups of four lanes share a row of A and a column of B.
template <class Mma>
void compute(Products& all) {
  const int m = all.shape.m, halves = m / 8;
  std::vector<U32> a(all.count * 32 * Mma::kA), b(all.count * 32 * Mma::kB), c(all.count * 32 * Mma::kC), d(c.size());
  const auto each_input = [&](const Format& format, int words, int rows_of_8, const auto& visit) {
    const int together = format.bits >= 32 ? 1 : 32 / format.bits, elements = words * 32 / format.bits;
    for (int p = 0; p < all.count; ++p)
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < elements; ++i) {
          const int reg = i / together;
          visit(p, lane / 4 + 8 * (reg % rows_of_8),
                lane % 4 * together + i % together + reg / rows_of_8 * 4 * together,
                static_cast<size_t>(p * 32 + lane) * elements + i);
        }
  };
  each_input(all.a_format, Mma::kA, halves,
             [&](int p, int row, int k, size_t at) { put(a, all.a_format.bits, at, all.a_at(p, row, k)); });
  each_input(all.b_format, Mma::kB, 1,
             [&](int p, int column, int k, size_t at) { put(b, all.b_format.bits, at, all.b_at(p, k, column)); });
  const auto each_sum = [&](const auto& visit) {
    const int elements = Mma::kC * 32 / all.c_format.bits;
    for (int p = 0; p < all.count; ++p)
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < elements; ++i)
          visit((p * m + lane / 4 + 8 * (i / 2)) * 8 + lane % 4 * 2 + i % 2,
                static_cast<size_t>(p * 32 + lane) * elements + i);
  };
  each_sum([&](int element, size_t at) { put(c, all.c_format.bits, at, all.c[element]); });
  U32* device[4];
  const std::vector<U32>* from[] = {&a, &b, &c, &d};
  for (int i = 0; i < 4; ++i) {
    CHECK(cudaMalloc(&device[i], from[i]->size() * sizeof(U32)));
    CHECK(cudaMemcpy(device[i], from[i]->data(), from[i]->size() * sizeof(U32), cudaMemcpyHostToDevice));
  }
  multiply<Mma><<<all.count, 32>>>(device[0], device[1], device[2], device[3]);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(d.data(), device[3], d.size() * sizeof(U32), cudaMemcpyDeviceToHost));
  for (U32* const each : device) CHECK(cudaFree(each));
  each_sum([&](int element, size_t at) { all.d[element] = get(d, all.c_format.bits, at); });
}

// --- random operands ---

struct Generator {
  U64 state;
  U64 next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 2685821657736338717ull;
  }
  int below(int n) { return static_cast<int>(next() >> 33) % n; }
};

/// A number with an exponent of `around` give or take `spread`, kept to what the format has.
U64 random_number(Generator& random, const Format& format, int around, int spread) {
  const U64 bits = random.next() >> (64 - format.bits);
  if (format.exponent == 0) return bits;
  const int top = (1 << format.exponent) - 2;
  int exponent = format.bias() + around + (spread == 0 ? 0 : random.below(2 * spread + 1) - spread);
  exponent = exponent < 0 ? 0 : exponent > top ? top : exponent;
  const U64 one = 1;
  return (bits & ~(((one << format.exponent) - 1) << format.fraction)) | U64(exponent) << format.fraction;
}

struct Class {
  const char* name;
  int around, spread, around_c, spread_c;
  bool raw;     // any bits at all
  bool sparse;  // a few of the products are not zero
};
constexpr Class kClasses[] = {
    {"even", 0, 0, 2, 1, false, false},     {"near", 0, 3, 3, 4, false, false},
    {"wide", 0, 12, 0, 24, false, false},   {"few", 0, 8, 4, 12, false, true},
    {"small", -9, 6, -20, 8, false, false}, {"tiny", -70, 6, -130, 12, false, true},
    {"large", 13, 3, 15, 1, false, true},   {"huge", 62, 3, 124, 4, false, true},
    {"any", 0, 0, 0, 0, true, true},
};

bool print_all = false;

void print(const char* name, const char* what, const std::vector<U64>& results, int bits) {
  std::printf("%s %s %zu %016llx\n", name, what, results.size(), digest(results.data(), results.size() * sizeof(U64)));
  if (!print_all) return;
  for (size_t i = 0; i < results.size(); ++i)
    std::printf("%0*llx%c", bits / 4, static_cast<unsigned long long>(results[i]),
                i % 16 == 15 || i + 1 == results.size() ? '\n' : ' ');
}

template <class Mma>
void random_products(const char* name, Products all) {
  constexpr int kProducts = 16;
  for (const Class& kind : kClasses) {
    Generator random{0x9E3779B97F4A7C15ull + (&kind - kClasses)};
    all.resize(kProducts);
    const auto fill = [&](std::vector<U64>& to, const Format& format, int around, int spread, bool sparse) {
      for (U64& each : to) {
        each = kind.raw ? random.next() >> (64 - format.bits) : random_number(random, format, around, spread);
        if (sparse && random.below(4) != 0) each = 0;
      }
    };
    fill(all.a, all.a_format, kind.around, kind.spread, kind.sparse);
    fill(all.b, all.b_format, kind.around, kind.spread, false);
    fill(all.c, all.c_format, kind.around_c, kind.spread_c, false);
    compute<Mma>(all);
    print(name, kind.name, all.d, all.c_format.bits);
  }
}

// --- chosen ones ---

/// sign, exponent and fraction as a number of the format; an exponent below the format's gives a subnormal number.
U64 number(const Format& format, int sign, int exponent, U64 fraction = 0) {
  const U64 s = U64(sign) << (format.bits - 1);
  const int biased = exponent + format.bias();
  if (biased >= 1) return s | U64(biased) << format.fraction | fraction;
  return 1 - biased > format.fraction ? s : s | ((U64(1) << format.fraction) | fraction) >> (1 - biased);
}

/// One dot product: products a*b at places along k, and c.
struct Term {
  int k;
  U64 a, b;
};
struct Case {
  std::vector<Term> terms;
  U64 c;
};

template <class Mma>
void chosen_products(const char* name, Products all) {
  const Format a = all.a_format, b = all.b_format, c = all.c_format;
  std::vector<Case> cases;
  const int k = all.shape.k;
  // sign * 2^exponent, its exponent split between A and B
  const auto power = [&](int at, int sign, int exponent) {
    const int half = exponent / 2;
    return Term{at, number(a, sign, half), number(b, 0, exponent - half)};
  };
  const int lowest = 2 * (1 - a.bias()) < -34 ? -34 : 2 * (1 - a.bias());
  // What is left of 2^-j beside 1: in C, and as another product; alone, and twice; above and below.
  for (int sign = 0; sign < 2; ++sign)
    for (int j = 8; j <= -lowest; ++j) {
      cases.push_back({{power(0, sign, -j)}, number(c, 0, 0)});
      cases.push_back({{power(0, 0, 0)}, number(c, sign, -j)});
      cases.push_back({{power(0, 0, 0), power(1, sign, -j)}, 0});
      cases.push_back({{power(0, 0, 0), power(k - 1, sign, -j)}, 0});
      cases.push_back({{power(0, 0, 1), power(1, 1, 0), power(2, sign, -j)}, 0});
      cases.push_back({{power(0, sign, -j), power(1, sign, -j)}, number(c, 0, 0)});
    }
  // Where along k numbers are added to each other: 2^11 twice, of different signs, and a small one at every place.
  for (int first = 0; first < k; ++first)
    for (int second = 0; second < k; ++second) {
      if (first == second) continue;
      const int high = a.exponent == 4 ? 7 : 11;
      cases.push_back({{power(first, 0, high), power(second, 0, high > 7 ? -14 : -8)}, number(c, 1, high)});
    }
  // Carries: as many of 2^0 - 2^-f as there are places, and C.
  for (int n = 1; n <= k; ++n) {
    Case each{{}, number(c, 0, 0, (U64(1) << c.fraction) - 1)};
    for (int i = 0; i < n; ++i)
      each.terms.push_back(
          {i, number(a, 0, 0, (U64(1) << a.fraction) - 1), number(b, 0, 0, (U64(1) << b.fraction) - 1)});
    cases.push_back(each);
    each.c |= U64(1) << (c.bits - 1);
    cases.push_back(each);
  }
  // Zeros, infinities, NaNs, subnormal numbers, overflow.
  const auto infinity = [](const Format& f, int sign) { return number(f, sign, f.bias() + 1); };
  const U64 specials_c[] = {0,
                            number(c, 1, -c.bias()),
                            infinity(c, 0),
                            infinity(c, 1),
                            infinity(c, 0) | 1,
                            infinity(c, 1) | U64(1) << (c.fraction - 1),
                            1,
                            number(c, 1, 1 - c.bias()) | 3,
                            number(c, 0, c.bias(), (U64(1) << c.fraction) - 1),
                            number(c, 1, c.bias(), (U64(1) << c.fraction) - 1)};
  const U64 all_a = (U64(1) << (a.bits - 1)) - 1, all_b = (U64(1) << (b.bits - 1)) - 1;
  const U64 specials_a[] = {0,
                            U64(1) << (a.bits - 1),
                            infinity(a, 0),
                            infinity(a, 1),
                            all_a,
                            1,
                            3,
                            number(a, 0, 0),
                            number(a, 0, a.bias(), (U64(1) << a.fraction) - 2),
                            number(a, 1, a.bias())};
  const U64 specials_b[] = {0,
                            infinity(b, 0),
                            all_b,
                            1,
                            number(b, 0, 0),
                            number(b, 1, 1 - b.bias()),
                            number(b, 0, b.bias(), (U64(1) << b.fraction) - 2)};
  for (const U64 x : specials_a)
    for (const U64 y : specials_b)
      for (const U64 z : specials_c) cases.push_back({{{0, x, y}}, z});
  for (const U64 x : specials_a)
    for (const U64 y : specials_a) cases.push_back({{{0, x, number(b, 0, 0)}, {1, y, number(b, 1, 0)}}, 0});
  // Rounding of the result: 1 + u * (n / 8), u the last bit of C's format; numbers just past the largest.
  for (int n = 0; n < 32; ++n)
    for (int sign = 0; sign < 2; ++sign) {
      Case each{{}, number(c, sign, 0, n / 8)};
      for (int bit = 0; bit < 3; ++bit)
        if ((n >> bit & 1) != 0 && c.fraction + 3 - bit <= -lowest && bit + 1 < k)
          each.terms.push_back(power(bit + 1, sign, -c.fraction - 3 + bit));
      cases.push_back(each);
      if (c.bits == 16) {
        Case top{{}, number(c, sign, 15, 1023)};
        for (int bit = 0; bit < 5; ++bit)
          if ((n >> bit & 1) != 0) top.terms.push_back(power(bit + 1, sign, bit + 1));
        cases.push_back(top);
      }
    }
  all.resize(static_cast<int>(cases.size() + 7) / 8);
  for (size_t i = 0; i < cases.size(); ++i) {
    const int p = static_cast<int>(i / 8), n = static_cast<int>(i % 8);  // in row n and column n
    for (const Term& term : cases[i].terms) {
      all.a_at(p, n, term.k) = term.a;
      all.b_at(p, term.k, n) = term.b;
    }
    all.c_at(p, n, n) = cases[i].c;
  }
  compute<Mma>(all);
  std::vector<U64> results;
  for (size_t i = 0; i < cases.size(); ++i) results.push_back(all.d[(i / 8 * all.shape.m + i % 8) * 8 + i % 8]);
  print(name, "chosen", results, c.bits);
}

template <class Mma>
void probe(const char* name, Shape shape, const Format& a, const Format& b, const Format& c) {
  Products all{shape, a, b, c};
  if (a.exponent != 0) chosen_products<Mma>(name, all);
  random_products<Mma>(name, all);
}

int main(int count, char** arguments) {
  print_all = count > 1 && std::strcmp(arguments[1], "all") == 0;
  probe<Half16>("f16", {16, 16}, kHalf, kHalf, kSingle);
  probe<Half8>("f16-k8", {16, 8}, kHalf, kHalf, kSingle);
  probe<HalfToHalf16>("f16-f16", {16, 16}, kHalf, kHalf, kHalf);
  probe<Brain16>("bf16", {16, 16}, kBrain, kBrain, kSingle);
  probe<Brain8>("bf16-k8", {16, 8}, kBrain, kBrain, kSingle);
  probe<Tensor8>("tf32", {16, 8}, kTensor, kTensor, kSingle);
  probe<Tensor4>("tf32-k4", {16, 4}, kTensor, kTensor, kSingle);
  probe<E4M3>("e4m3", {16, 32}, kE4M3, kE4M3, kSingle);
  probe<E5M2>("e5m2", {16, 32}, kE5M2, kE5M2, kSingle);
  probe<E4M3E5M2>("e4m3-e5m2", {16, 32}, kE4M3, kE5M2, kSingle);
  probe<Signed>("s8", {16, 32}, kInt8, kInt8, kInt32);
  probe<Saturating>("s8-satfinite", {16, 32}, kInt8, kInt8, kInt32);
  probe<Unsigned>("u8", {16, 32}, kInt8, kInt8, kInt32);
  probe<Mixed>("u8-s8", {16, 32}, kInt8, kInt8, kInt32);
  probe<Double4>("f64", {8, 4}, kDouble, kDouble, kDouble);
  probe<Double16>("f64-k16", {16, 16}, kDouble, kDouble, kDouble);
}
