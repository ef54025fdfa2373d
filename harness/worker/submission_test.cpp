// A function nobody wrote is told from one that does something.
#include "harness/worker/submission.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

#if defined(__x86_64__)
constexpr unsigned char kReturns[] = {0xC3};
constexpr unsigned char kMarkedReturns[] = {0xF3, 0x0F, 0x1E, 0xFA, 0xC3};  // endbr64; ret
constexpr unsigned char kMoves[] = {0x31, 0xC0, 0xC3};                      // xor eax, eax; ret
constexpr unsigned char kMarked[] = {0xF3, 0x0F, 0x1E, 0xFA, 0x55};         // endbr64; push rbp
constexpr unsigned char kHalfMark[] = {0xF3, 0x0F, 0x10, 0x07};             // movss xmm0, [rdi]
#elif defined(__aarch64__)
constexpr unsigned char kReturns[] = {0xC0, 0x03, 0x5F, 0xD6};
constexpr unsigned char kMarkedReturns[] = {0x5F, 0x24, 0x03, 0xD5, 0xC0, 0x03, 0x5F, 0xD6};  // bti c; ret
constexpr unsigned char kMoves[] = {0x00, 0x00, 0x80, 0x52, 0xC0, 0x03, 0x5F, 0xD6};          // mov w0, #0; ret
constexpr unsigned char kMarked[] = {0x5F, 0x24, 0x03, 0xD5, 0x00, 0x00, 0x80, 0x52};         // bti c; mov w0, #0
constexpr unsigned char kHalfMark[] = {0x1F, 0x20, 0x03, 0xD5};                               // nop
#endif

TEST(EmptyFunction, BareReturnIsEmpty) { EXPECT_TRUE(is_empty_function(kReturns)); }

TEST(EmptyFunction, BranchTargetMarkDoesNotCount) { EXPECT_TRUE(is_empty_function(kMarkedReturns)); }

TEST(EmptyFunction, AnyOtherInstructionIsWork) {
  EXPECT_FALSE(is_empty_function(kMoves));
  EXPECT_FALSE(is_empty_function(kMarked));
  EXPECT_FALSE(is_empty_function(kHalfMark));
}

TEST(LoadSubmission, FileThatIsNotThereIsSaid) {
  const Submission submission = load_submission("/nonexistent/submission.so", "scan");
  EXPECT_EQ(submission.entry, nullptr);
  EXPECT_NE(submission.failure.find("/nonexistent/submission.so"), std::string::npos);
}

}  // namespace
}  // namespace lanewise
