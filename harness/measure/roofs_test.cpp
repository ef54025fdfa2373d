// The kernels whose rates are the roofs compute what they should, and say so in lines that can be read.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>

namespace {

struct Outcome {
  std::string output;
  int exit_code = -1;
};

Outcome run(const std::string& arguments) {
  const std::string command = "LD_PRELOAD=" VGPU_RUNTIME " " ROOFS_PROGRAM " " + arguments + " 2>&1";
  Outcome outcome;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    outcome.output.append(buffer.data(), got);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

TEST(Roofs, EveryRoofIsALineWithItsUnit) {
  const Outcome outcome = run("--mebibytes 1 --samples 1 --multiplications 16");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;  // and what the kernels computed was right
  std::istringstream stream(outcome.output);
  const std::pair<const char*, const char*> roofs[] = {
      {"read", "GB/s"}, {"copy", "GB/s"}, {"triad", "GB/s"}, {"ffma", "TFLOP/s"}};
  for (const auto& [roof, unit_of_roof] : roofs) {
    std::string name;
    double rate = 0;
    std::string unit;
    stream >> name >> rate >> unit;
    EXPECT_EQ(name, roof);
    EXPECT_EQ(unit, unit_of_roof);
    EXPECT_GT(rate, 0) << name;
  }
}

TEST(Roofs, OptionsThatAreNoneAreRefused) {
  EXPECT_EQ(run("--gigabytes 1").exit_code, 2);
  EXPECT_EQ(run("--samples none").exit_code, 2);
  EXPECT_EQ(run("--samples").exit_code, 2);
  EXPECT_EQ(run("--multiplications 3000000").exit_code, 2);
}

}  // namespace
