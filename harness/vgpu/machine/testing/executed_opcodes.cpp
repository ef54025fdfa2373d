#include "harness/vgpu/machine/testing/executed_opcodes.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

namespace vgpu::test {
namespace {

/// Lives as long as the test program; writes its findings when the last test has ended.
class Recorder : public ::testing::Environment {
 public:
  void TearDown() override {
    const char* const name = std::getenv(kOpcodesFileVariable);
    if (name == nullptr) return;
    std::ofstream file(name);
    for (const std::string& opcode : opcodes) file << opcode << '\n';
    EXPECT_TRUE(file.good()) << "the opcodes that were executed could not be written to " << name;
  }

  std::set<std::string, std::less<>> opcodes;
};

Recorder& recorder() {
  // GoogleTest owns environments and deletes them at the end.
  static auto* const kRecorder = static_cast<Recorder*>(::testing::AddGlobalTestEnvironment(new Recorder));
  return *kRecorder;
}

// Registered before the first test runs, as GoogleTest asks.
[[maybe_unused]] const Recorder& registered = recorder();

}  // namespace

void record_opcodes(const ptx::Module& module) {
  for (const ptx::Function& function : module.functions)
    for (const ptx::Instruction& instruction : function.body) recorder().opcodes.emplace(instruction.opcode);
}

}  // namespace vgpu::test
