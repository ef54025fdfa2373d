// Loops that never end, told from loops that take long: what decides how such a loop goes on does not change any more.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/vgpu/machine/code.h"

namespace vgpu {

struct Frame;

/// What a loop's way through its code depends on, of all that it changes itself.
struct LoopControl {
  bool is_known = false;           ///< false: memory, other threads or the time have a say, or functions are called
  std::vector<OperandSlot> slots;  ///< else: what holds it when the loop comes to where it was asked for
};

/// Of the outermost loop that comes back to `begin`, the first instruction of a basic block. Only of watched code
/// anything is known: see Code::operands.
LoopControl control_of_loop(const Code& code, const Insn& begin);

/// Where lanes were once in a loop, and what decided then how they go on.
class LoopWatch {
 public:
  bool is_on() const { return at_ != nullptr; }
  void stop() { at_ = nullptr; }
  /// `control` is that of the loop at `at`, which `lanes` have come to.
  void start(const Frame& frame, const Insn& at, Mask lanes, const LoopControl& control);
  /// Whether they are there again, with all of it as it was: if so, they go the same way for ever.
  bool sees_again(const Frame& frame, const Insn& at, Mask lanes) const;

 private:
  const Frame* frame_ = nullptr;
  const Insn* at_ = nullptr;
  Mask lanes_ = 0;
  const LoopControl* control_ = nullptr;
  std::vector<std::byte> values_;
};

}  // namespace vgpu
