// Machine code for passages.
#pragma once

#include "harness/vgpu/machine/translator/passage.h"

namespace vgpu {

/// What translated code calls.
struct TranslatorCalls {
  /// In a watched kernel, before a passage with loads, which are fine otherwise: whether they need not be shown to
  /// observers now. Then they are noted, if that is wanted.
  bool (*note_reads)(Warp&, const Passage&);
  Handler missed;  ///< instead of the first instruction: the addresses are not those the code is made for
};

// Not every program is linked with them.

/// Whether this processor runs the code made here.
__attribute__((weak)) bool can_translate();

/// Code that does what the passage's instructions do, for a warp with all its lanes active, and goes on behind it; with
/// other lanes it goes on with `plain`, the first instruction's own handler. Null if there is no room.
__attribute__((weak)) Handler translate(const Passage& passage, Handler plain, const TranslatorCalls& calls);

}  // namespace vgpu
