#include "harness/runner/build/compiler_words.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(CompilerWordsTest, NotesOnTheToolkitsHeadersAreLeftOut) {
  EXPECT_EQ(
      words_for_student("vecadd.cu(14): error: no instance of overloaded function \"cudaMalloc\" matches\n"
                        "            argument types are: (float *, const std::size_t)\n"
                        "    cudaMalloc(d_a, bytes);\n"
                        "    ^\n"
                        "/usr/local/cuda/include/cuda_runtime_api.h(4581): note #3326-D: function \"cudaMalloc(void "
                        "**, size_t)\" does not match because argument #1 does not match parameter\n"
                        "  extern cudaError_t cudaMalloc(void **devPtr, size_t size);\n"
                        "                                ^\n"
                        "\n"
                        "1 error detected in the compilation of \"vecadd.cu\".\n",
                        {}, "vecadd.cu", "/home/ada/vecadd.cu"),
      "vecadd.cu(14): error: no instance of overloaded function \"cudaMalloc\" matches\n"
      "            argument types are: (float *, const std::size_t)\n"
      "    cudaMalloc(d_a, bytes);\n"
      "    ^\n"
      "\n"
      "1 error detected in the compilation of \"vecadd.cu\".\n"
      "\ncudaMalloc stores an address, so it needs that of your pointer: cudaMalloc(&d_a, ...).");
}

TEST(CompilerWordsTest, AVariableWithoutAValueIsFoundInWhatBothCompilersSay) {
  EXPECT_EQ(variable_without_value("scan.cu(9): warning #549-D: variable \"count\" is used before its value is set\n"
                                   "    if (x[threadIdx.x] > 0) ++count;\n                              ^\n",
                                   "scan.cu"),
            "line 9: variable \"count\" is used before its value is set");
  EXPECT_EQ(variable_without_value("scan.cu:4:36: warning: variable 'sum' is uninitialized when used here "
                                   "[-Wuninitialized]\nscan.cu:9:7: warning: variable 'best' is used uninitialized "
                                   "whenever 'if' condition is false [-Wsometimes-uninitialized]\n",
                                   "scan.cu"),
            "line 4: variable 'sum' is uninitialized when used here");
  EXPECT_EQ(variable_without_value("scan.cu:9:7: warning: variable 'best' is used uninitialized whenever 'if' "
                                   "condition is false [-Wsometimes-uninitialized]\n",
                                   "scan.cu"),
            "line 9: variable 'best' is used uninitialized whenever 'if' condition is false");
  for (const char* other : {"", "scan.cu(9): warning #177-D: variable \"i\" was declared but never referenced\n",
                            "/usr/include/x.h:4:1: warning: variable 'sum' is uninitialized [-Wuninitialized]\n",
                            "scan.cu:4:1: warning: unused variable 'sum' [-Wunused-variable]\n"})
    EXPECT_EQ(variable_without_value(other, "scan.cu"), "") << other;
}

TEST(CompilerWordsTest, ClangsAreLikewise) {
  EXPECT_EQ(words_for_student("submission.cu:14:3: error: no matching function for call to 'cudaMallocManaged'\n"
                              "   14 |   cudaMallocManaged( d_a, bytes);\n"
                              "      |   ^~~~~~~~~~\n"
                              "/opt/lanewise/cuda_runtime_api.h:48:13: note: candidate function not viable\n"
                              "   48 | cudaError_t cudaMalloc(void** pointer, size_t bytes);\n"
                              "      |             ^          ~~~~~~~~~~~~~~\n"
                              "1 error generated when compiling for sm_90.",
                              {}, "submission.cu", "my vecadd.cu"),
            "my vecadd.cu:14:3: error: no matching function for call to 'cudaMallocManaged'\n"
            "   14 |   cudaMallocManaged( d_a, bytes);\n"
            "      |   ^~~~~~~~~~\n"
            "1 error generated when compiling for sm_90."
            "\ncudaMallocManaged stores an address, so it needs that of your pointer: cudaMallocManaged(&d_a, ...).");
}

TEST(CompilerWordsTest, NotesOnTheStudentsOwnLinesStay) {
  const std::string words =
      "scan.cu:9:3: error: no matching function for call to 'add'\n"
      "scan.cu:2:6: note: candidate function not viable: requires 2 arguments\n"
      "    2 | void add(int a, int b);\n";
  EXPECT_EQ(words_for_student("/tmp/a/" + words, {"/tmp/a"}, "scan.cu", "scan.cu"), words);
}

TEST(CompilerWordsTest, EndlessLinesAreLeftAlone) {
  const std::string words = "x.cu(1): error: " + std::string(40000, 'a') + "\n";
  EXPECT_EQ(words_for_student(words, {}, "x.cu", "x.cu"), words);
}

}  // namespace
}  // namespace lanewise
