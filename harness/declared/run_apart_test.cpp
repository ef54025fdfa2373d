// What work that runs apart can do, and cannot.
#include "harness/declared/run_apart.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace lanewise {
namespace {

TEST(RunApart, ResultsInFencedBytesArrive) {
  FencedBytes bytes(100);
  EXPECT_EQ(run_apart([&] {
              std::puts("not to be seen");
              for (int i = 0; i < 100; ++i) bytes.begin()[i] = std::byte(i);
            }),
            "");
  EXPECT_EQ(bytes.begin()[99], std::byte{99});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.begin()) % 16, 0U);
}

TEST(RunApart, EndsOfAllKindsAreTold) {
  EXPECT_EQ(run_apart([] { std::raise(SIGSEGV); }), "crashed (Segmentation fault)");
  EXPECT_EQ(run_apart([] { throw 1; }), "threw an exception");
  EXPECT_EQ(run_apart([] { throw std::invalid_argument("low is above high"); }),
            "threw an exception: low is above high");
  EXPECT_EQ(run_apart([] { _exit(0); }), "ended the program");
  EXPECT_EQ(run_apart(
                [] {
                  for (;;) pause();
                },
                std::chrono::milliseconds(100)),
            "did not return in 0.1 seconds");
}

TEST(RunApart, BytesBehindTheLastCannotBeTouched) {
  for (const std::size_t size : {0, 16, 4096, 10000}) {
    FencedBytes bytes(size);
    const std::size_t end = (size + 15) / 16 * 16;
    EXPECT_EQ(run_apart([&] { *const_cast<volatile std::byte*>(bytes.begin() + end) = std::byte{1}; }),
              "crashed (Segmentation fault)")
        << size;
  }
}

TEST(RunApart, MemoryOfTheProgramStaysAsItIs) {
  std::vector<int> values = {1};
  EXPECT_EQ(run_apart([&] { values[0] = 2; }), "");
  EXPECT_EQ(values[0], 1);
}

}  // namespace
}  // namespace lanewise
