// Every opcode of the machine's table is executed by some test of this folder. Run by CTest behind all of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/testing/executed_opcodes.h"

namespace vgpu::test {
namespace {

std::set<std::string> executed_by_tests(const std::string& folder) {
  std::set<std::string> opcodes;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) opcodes.insert(line);
  }
  return opcodes;
}

TEST(Opcodes, AreAllExecutedByTests) {
  const char* const folder = std::getenv(kOpcodesFolderVariable);
  ASSERT_NE(folder, nullptr) << "ctest -R vgpu_opcodes_completeness_test runs this test and all that it looks at; "
                             << kOpcodesFolderVariable << " names the folder where they left what they executed";
  const std::set<std::string> executed = executed_by_tests(folder);
  for (const std::string_view opcode : all_opcodes())
    EXPECT_EQ(executed.count(std::string(opcode)), 1u) << "no test executes " << opcode;
}

}  // namespace
}  // namespace vgpu::test
