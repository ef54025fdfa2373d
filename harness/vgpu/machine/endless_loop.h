// Loops that never end, told from loops that take long: what decides how such a loop goes on does not change any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/vgpu/machine/code.h"

namespace vgpu {

class Launch;
struct Frame;

/// Of all that a loop changes itself, what decides which way it takes through its code.
struct LoopControl {
  bool is_known = false;           ///< false: memory, other threads or the time have a say, or functions are called
  std::vector<OperandSlot> slots;  ///< else: what holds it when the loop comes to where it was asked for
  const Insn* loop = nullptr;      ///< stands for the loop, wherever in it was asked; null: in none
};

/// What else a loop may depend on.
enum class Memory : std::uint8_t {
  kMayChange,
  /// Nobody writes to it as long as the loop goes round. Known are then only loops that do not write themselves, but
  /// for atomics, which may leave everything as it is.
  kStandsStill,
};

/// Of the outermost loop that comes back to `at`. Only of watched code anything is known: see Code::operands.
LoopControl control_of_loop(const Code& code, const Insn& at, Memory memory);

/// Watches the loops of a warp, now and then: where lanes were once, and what decided then how they go on.
class LoopWatch {
 public:
  /// A block begins, when the warp has executed so many instructions. The first look is over by the end of a turn of
  /// `turn` more; each later one comes after twice as long as the one before.
  void begin(std::uint64_t executed, std::uint64_t turn);
  /// From when on it is to see each round, as instructions executed.
  std::uint64_t next_look() const { return next_; }
  /// At `at`, where `lanes` begin a round of their loop: whether they have been there before with all that decides as
  /// it is now. If so, they go the same way for ever.
  bool sees_no_end(Launch& launch, const Frame& frame, const Insn& at, Mask lanes, std::uint64_t executed);
  /// A frame is gone: its place may be the next one's.
  void forget() { at_ = nullptr; }

 private:
  void note(const Frame& frame, const Insn& at, Mask lanes, const LoopControl& control);
  bool is_as_noted(const Frame& frame, const Insn& at, Mask lanes) const;

  std::uint64_t next_ = 0, wait_ = 0;
  const Insn* at_ = nullptr;  ///< null: nothing is noted
  const Frame* frame_ = nullptr;
  Mask lanes_ = 0;
  const LoopControl* control_ = nullptr;
  std::vector<std::byte> values_;
};

}  // namespace vgpu
