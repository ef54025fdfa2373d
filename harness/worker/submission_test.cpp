// A function nobody wrote is told from one that does something.
#include "harness/worker/submission.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(EmptyFunction, BareReturnIsEmpty) {
  const unsigned char code[] = {0xC3};
  EXPECT_TRUE(is_empty_function(code));
}

TEST(EmptyFunction, BranchTargetMarkDoesNotCount) {
  const unsigned char code[] = {0xF3, 0x0F, 0x1E, 0xFA, 0xC3};
  EXPECT_TRUE(is_empty_function(code));
}

TEST(EmptyFunction, AnyOtherInstructionIsWork) {
  const unsigned char moves[] = {0x31, 0xC0, 0xC3};               // xor eax, eax; ret
  const unsigned char marked[] = {0xF3, 0x0F, 0x1E, 0xFA, 0x55};  // endbr64; push rbp
  const unsigned char half_mark[] = {0xF3, 0x0F, 0x10, 0x07};     // movss xmm0, [rdi]
  EXPECT_FALSE(is_empty_function(moves));
  EXPECT_FALSE(is_empty_function(marked));
  EXPECT_FALSE(is_empty_function(half_mark));
}

TEST(LoadSubmission, FileThatIsNotThereIsSaid) {
  const Submission submission = load_submission("/nonexistent/submission.so", "scan");
  EXPECT_EQ(submission.entry, nullptr);
  EXPECT_NE(submission.failure.find("/nonexistent/submission.so"), std::string::npos);
}

}  // namespace
}  // namespace lanewise
