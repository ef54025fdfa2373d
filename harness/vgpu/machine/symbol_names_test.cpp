// Names in findings are those of the source.
#include "harness/vgpu/machine/symbol_names.h"

#include <gtest/gtest.h>

namespace vgpu {
namespace {

TEST(SymbolNames, FunctionsAreReadable) {
  EXPECT_EQ(readable_function_name("_Z4blurPKhPhii"), "blur(const unsigned char*, unsigned char*, int, int)");
  EXPECT_EQ(readable_function_name("_Z1fPKiRKfPPKcS4_"), "f(const int*, const float&, const char**, const char*)");
  EXPECT_EQ(readable_function_name("_ZNK1A1fEv"), "A::f() const");
  EXPECT_EQ(readable_function_name("_ZN3lab4scanIfLi4EEEvPT_"), "void lab::scan<float, 4>(float*)");
  for (const char* plain : {"main", "saxpy", "", "_Znonsense", "a", "f", "i", "x", "PKf"})  // the last ones are types
    EXPECT_EQ(readable_function_name(plain), plain);
}

TEST(SymbolNames, VariablesAreBare) {
  EXPECT_EQ(readable_variable_name("_ZZ6matmulPKfS0_PfiE4tile"), "tile");
  EXPECT_EQ(readable_variable_name("_ZN3net7weightsE"), "weights");
  EXPECT_EQ(readable_variable_name("_ZZ4scanIfLi4EEvPT_E4sums"), "sums");
  EXPECT_EQ(readable_variable_name("_ZN12_GLOBAL__N_15tableE"), "table");
  for (const char* plain : {"counter", "b", "d", "tile"}) EXPECT_EQ(readable_variable_name(plain), plain);
}

// As nvcc 13.0 names what is static or in an anonymous namespace, with -rdc=true.
TEST(SymbolNames, WhatOnlyOneFileKnowsHasTheNameOfItsSource) {
  EXPECT_EQ(readable_variable_name("__nv_static_25__8d33a6fb_4_a_cu_84db3c43_hidden"), "hidden");
  EXPECT_EQ(readable_variable_name("__nv_static_18__273a6e70_4_c_cu_m__ZZ1fvE5table"), "table");
  EXPECT_EQ(readable_function_name("__nv_static_18__273a6e70_4_c_cu_m__Z1kPi"), "k(int*)");
  EXPECT_EQ(readable_function_name("_ZN34_INTERNAL_8d33a6fb_4_a_cu_84db3c438local_fnEi"), "local_fn(int)");
  for (const char* cut : {"__nv_static_", "__nv_static_9", "__nv_static_99_a_b", "__nv_static_x", "__nv_static_4_abc"})
    EXPECT_EQ(readable_function_name(cut), cut);
}

TEST(SymbolNames, PiecesOfArraysAreNumbered) {
  EXPECT_EQ(readable_variable_name("_ZZ4sortPiE7borders_$_1"), "borders");
  EXPECT_EQ(piece_number("_ZZ4sortPiE7borders_$_1"), 1);
  for (const char* whole : {"_ZZ4sortPiE7borders", "_$_", "b_$_", "b_$_1c", "b_1"}) {
    EXPECT_EQ(readable_variable_name(whole), whole[1] == 'Z' ? "borders" : whole);
    EXPECT_EQ(piece_number(whole), 0) << whole;
  }
}

}  // namespace
}  // namespace vgpu
