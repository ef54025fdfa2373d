// Each operator: what it changes, and what it must leave alone.
#include "harness/vgpu/sweep/mutator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace vgpu::sweep {
namespace {

using Texts = std::vector<std::string>;

std::vector<Mutation> all_of(const std::string& source) {
  return mutations_of(source, DeviceCode(read_source(source).tokens));
}

std::string kernel_with(const std::string& body) { return "__global__ void kernel(int* a, int n) {" + body + "}"; }

/// The kernel's bodies after each mutation by `op`.
Texts bodies(Operator op, const std::string& body) {
  const std::string source = kernel_with(body);
  const std::size_t before = kernel_with("").size() - 1;
  Texts result;
  for (const Mutation& m : all_of(source)) {
    if (m.op != op) continue;
    const std::string text = mutated(source, m);
    result.push_back(text.substr(before, text.size() - before - 1));
  }
  return result;
}

TEST(Mutator, DropsEachBarrier) {
  EXPECT_EQ(bodies(Operator::kDropBarrier, "__syncthreads(); f(); __syncwarp(m);"),
            (Texts{"(void)0; f(); __syncwarp(m);", "__syncthreads(); f(); (void)0;"}));
  EXPECT_EQ(bodies(Operator::kDropBarrier, "__threadfence(); __threadfence_block();").size(), 2u);
  EXPECT_EQ(bodies(Operator::kDropBarrier, "grid.sync();"), Texts{"(void)0;"});
  EXPECT_EQ(bodies(Operator::kDropBarrier, "cg::sync(tile);"), Texts{"(void)0;"});
  EXPECT_EQ(bodies(Operator::kDropBarrier, "int all = __syncthreads_and(n);"), Texts{});  // its value is used
}

TEST(Mutator, ShiftsEachBound) {
  EXPECT_EQ(bodies(Operator::kShiftBound, "if (i < n && j >= 0) x = i > j ? 1 : i <= 2;"),
            (Texts{"if (i <= n && j >= 0) x = i > j ? 1 : i <= 2;", "if (i < n && j > 0) x = i > j ? 1 : i <= 2;",
                   "if (i < n && j >= 0) x = i >= j ? 1 : i <= 2;", "if (i < n && j >= 0) x = i > j ? 1 : i < 2;"}));
  EXPECT_EQ(bodies(Operator::kShiftBound, "for (int i = 0; i < n; ++i) g();"),
            Texts{"for (int i = 0; i <= n; ++i) g();"});
  EXPECT_EQ(bodies(Operator::kShiftBound, "while (a[i] < b[static_cast<int>(j)]) ++i;"),
            Texts{"while (a[i] <= b[static_cast<int>(j)]) ++i;"});
}

TEST(Mutator, TellsComparisonsFromTemplatesAndShifts) {
  for (const char* body :
       {"x = static_cast<int>(y);", "x = y << 2 >> z;", "y <<= 1; y >>= 2;", "auto t = tiled_partition<32>(block);",
        "std::array<int, 4> v{};", "f<A<int>>(x);", "x = p->y;", "f<kWidth * 2, T*>();", "pair<int, int> p = q;",
        "x = numeric_limits<float>::max();", "kernel<<<1, 2>>>(x);", "static_assert(kTile <= 32, \"\");"})
    EXPECT_EQ(bodies(Operator::kShiftBound, body), Texts{}) << body;
  EXPECT_EQ(bodies(Operator::kShiftBound, "x = a < b + (c > d);").size(), 2u);
  EXPECT_EQ(bodies(Operator::kShiftBound, "if (x < y >> 3) f();").size(), 1u);
  EXPECT_EQ(bodies(Operator::kShiftBound, "if (f<int>(x) < y) g();"), Texts{"if (f<int>(x) <= y) g();"});
}

TEST(Mutator, WidensEachIndexBothWays) {
  EXPECT_EQ(bodies(Operator::kWidenIndex, "x = a[i * 2];"), (Texts{"x = a[(i * 2) + 1];", "x = a[(i * 2) - 1];"}));
  EXPECT_EQ(bodies(Operator::kWidenIndex, "a[b[i]] = f(p)[2];").size(), 6u);
  EXPECT_EQ(bodies(Operator::kWidenIndex, "return a[i];").size(), 2u);
  EXPECT_EQ(bodies(Operator::kWidenIndex, "x = y * p[3];").size(), 2u);
  EXPECT_EQ(bodies(Operator::kWidenIndex, "const int x = a[i], y = a[j];").size(), 4u);
  EXPECT_EQ(bodies(Operator::kWidenIndex, "for (int i = a[0]; i < n; ++i) if (i) a[i] = 1;").size(), 4u);
  EXPECT_EQ(bodies(Operator::kWidenIndex, "int v[2] = {a[0], a[1]};").size(), 4u);
}

TEST(Mutator, LeavesExtentsAndLambdasAlone) {
  for (const char* body :
       {"__shared__ int tile[32][32 + 1];", "int v[4];", "extern __shared__ float all[];", "float x[3], y[kSize];",
        "auto f = [&] { return 1; };", "f([=](int x) { return x; });", "auto [x, y] = pair;", "const Item* items[2];",
        "__shared__ cub::Storage<int, 4> s[2];", "volatile __shared__ unsigned flags[3];", "[[maybe_unused]] int x;"})
    EXPECT_EQ(bodies(Operator::kWidenIndex, body), Texts{}) << body;
}

TEST(Mutator, SwapsNeighbouringIndices) {
  EXPECT_EQ(bodies(Operator::kSwapIndices, "x = t[y + 1][x];"), Texts{"x = t[x][y + 1];"});
  EXPECT_EQ(bodies(Operator::kSwapIndices, "x = t[i][i];"), Texts{});
  EXPECT_EQ(bodies(Operator::kSwapIndices, "x = t[a][b][c];"), (Texts{"x = t[b][a][c];", "x = t[a][c][b];"}));
}

TEST(Mutator, SwapsAxesOfTwoDimensionalBlocks) {
  EXPECT_EQ(bodies(Operator::kSwapIndices, "x = threadIdx.x; y = threadIdx.y;"),
            (Texts{"x = threadIdx.y; y = threadIdx.y;", "x = threadIdx.x; y = threadIdx.x;"}));
  EXPECT_EQ(bodies(Operator::kSwapIndices, "x = threadIdx.x + blockIdx.x;"), Texts{});
}

TEST(Mutator, DropsInitialisationsOfSharedMemory) {
  EXPECT_EQ(bodies(Operator::kDropInitialisation, "__shared__ int s[9], u; s[t] = 0; u = -1; __syncthreads();"),
            (Texts{"__shared__ int s[9], u; (void)0; u = -1; __syncthreads();",
                   "__shared__ int s[9], u; s[t] = 0; (void)0; __syncthreads();"}));
  EXPECT_EQ(bodies(Operator::kDropInitialisation, "__shared__ bool b; if (t == 0) b = false; __syncthreads();"),
            Texts{"__shared__ bool b; if (t == 0) (void)0; __syncthreads();"});
  EXPECT_EQ(bodies(Operator::kDropInitialisation,
                   "__shared__ int s[9][9]; for (i = t; i < 9; ++i) s[i][t] = 0.0f; __syncwarp();"),
            Texts{"__shared__ int s[9][9]; for (i = t; i < 9; ++i) (void)0; __syncwarp();"});
  for (const char* body : {"__shared__ int s[9]; s[t] = x; __syncthreads();", "__shared__ int s[9]; s[t] = 0;",
                           "a[t] = 0; __syncthreads();", "__shared__ int s; x = s; if (s == 0) f(); __syncthreads();"})
    EXPECT_EQ(bodies(Operator::kDropInitialisation, body), Texts{}) << body;
}

TEST(Mutator, MakesAtomicsPlain) {
  EXPECT_EQ(bodies(Operator::kPlainAtomic, "x = atomicAdd(&a[f(1, 2)], 3);"),
            Texts{"x = ([&] { auto* const sweep_at = (&a[f(1, 2)]); const auto sweep_old = *sweep_at; "
                  "*sweep_at = sweep_old + (3); return sweep_old; }());"});
  const auto has = [](const std::string& body, const std::string& what) {
    const Texts texts = bodies(Operator::kPlainAtomic, body);
    return texts.size() == 1 && texts[0].find(what) != std::string::npos;
  };
  EXPECT_TRUE(has("atomicCAS(p, -1, v);", "sweep_old == (-1) ? (v) : sweep_old"));
  EXPECT_TRUE(has("atomicMax_block(p, v);", "sweep_old > (v) ? sweep_old : (v)"));
  EXPECT_TRUE(has("atomicExch(p, static_cast<pair<int, int>>(v));", "*sweep_at = (static_cast<pair<int, int>>(v))"));
  EXPECT_EQ(bodies(Operator::kPlainAtomic, "atomicOwn(p, v); atomic_ref<int> r(x);"), Texts{});
}

TEST(Mutator, DropsGuards) {
  EXPECT_EQ(bodies(Operator::kDropGuard, "if (i < n) a[i] = 1;"), Texts{"if (true) a[i] = 1;"});
  EXPECT_EQ(bodies(Operator::kDropGuard, "if (i >= n) return;"), Texts{"if (false) return;"});
  EXPECT_EQ(bodies(Operator::kDropGuard, "for (;;) { if (f(i)) { break; } }"),
            Texts{"for (;;) { if (false) { break; } }"});
  EXPECT_EQ(bodies(Operator::kDropGuard, "if constexpr (kLarge) f();"), Texts{});
}

TEST(Mutator, ShrinksMasks) {
  EXPECT_EQ(bodies(Operator::kShrinkMask, "v += __shfl_down_sync(kAll, v, d);"),
            Texts{"v += __shfl_down_sync((kAll) & 0x0000ffffu, v, d);"});
  EXPECT_EQ(bodies(Operator::kShrinkMask, "__syncwarp(m); __syncwarp();"),
            Texts{"__syncwarp((m) & 0x0000ffffu); __syncwarp();"});
}

TEST(Mutator, TouchesDeviceFunctionsOnly) {
  const std::string source =
      "__device__ unsigned tickets[4] = {0};\n"
      "int host(int* a) { return a[0] < a[1]; }\n"
      "__device__ __forceinline__ int helper(int* a) { return a[2]; }\n"
      "template <int N> __global__ void __launch_bounds__(N * 2) kernel(int* a) { a[3] = 1; }\n"
      "__device__ int declared(int* a);\n"
      "int main() { int a[3]; return a[0] < 1; }\n";
  std::vector<std::string> functions;
  for (const Mutation& m : all_of(source)) functions.push_back(m.function);
  EXPECT_EQ(functions, (Texts{"helper", "helper", "kernel", "kernel"}));
}

TEST(Mutator, TouchesNeitherCommentsNorStrings) {
  const std::string body =
      "\n// if (i < n) a[i] = 0; __syncthreads();\n/* a[1] */\n#define AT(a, i) a[i]\n"
      "printf(\"a[%d] < %d\", i, '<'); assert(R\"(a[i] > 0)\");\n";
  EXPECT_TRUE(all_of(kernel_with(body)).empty());
}

TEST(Mutator, CountsMutationsOfALineAndKeepsItsNumber) {
  const std::string source = kernel_with("\n a[i] = a[j];\n if (i <\n n) f(\na[i +\n1]);\n");
  std::vector<std::string> places;
  for (const Mutation& m : all_of(source)) {
    std::string place = std::to_string(m.line).append(" ").append(name_of(m.op));
    places.push_back(place.append(" ").append(std::to_string(m.number)));
    const std::string text = mutated(source, m);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(source.begin(), source.end(), '\n'));
  }
  EXPECT_EQ(places, (Texts{"2 widen-index 1", "2 widen-index 2", "2 widen-index 3", "2 widen-index 4",
                           "3 shift-bound 1", "3 drop-guard 1", "5 widen-index 1", "5 widen-index 2"}));
}

}  // namespace
}  // namespace vgpu::sweep
