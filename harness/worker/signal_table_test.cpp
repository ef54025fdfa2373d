// Handlers that came later are gone, and those from before are back.
#include "harness/worker/signal_table.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

volatile std::sig_atomic_t handled_by = 0;
void first(int /*signal*/) { handled_by = 1; }
void second(int /*signal*/) { handled_by = 2; }

TEST(SignalTable, HandlerOfBeforeIsBack) {
  std::signal(SIGUSR1, first);
  SignalTable table;
  table.remember();
  std::signal(SIGUSR1, second);
  table.restore();
  std::raise(SIGUSR1);
  EXPECT_EQ(handled_by, 1);
  std::signal(SIGUSR1, SIG_DFL);
}

TEST(SignalTable, HandlerThatWasNotThereIsGone) {
  SignalTable table;
  table.remember();
  std::signal(SIGTRAP, second);
  table.restore();
  EXPECT_EQ(std::signal(SIGTRAP, SIG_DFL), SIG_DFL);
}

}  // namespace
}  // namespace lanewise
