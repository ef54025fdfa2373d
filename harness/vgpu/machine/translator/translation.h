// Code whose hot parts are translated into the host's instructions while it runs.
//
// The interpreter's handlers stay: they execute what is rarely executed, lanes that have parted, and what the
// translator does not know, and they are what translated code is held against.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/translator/passage.h"

namespace vgpu {

/// Of one function. LANEWISE_VGPU_TRANSLATE in the environment says when something is translated: "never", "always"
/// (at once, be it one instruction), or else when it has been executed often enough.
class Translation {
 public:
  static constexpr const char* kVariable = "LANEWISE_VGPU_TRANSLATE";
  static constexpr std::string_view kNever = "never", kAlways = "always";

  /// Whether this program is linked with a translator for this processor.
  static bool is_possible();
  /// Prepares `code`, which is complete, and keeps the translation there; nothing where this host cannot translate.
  static void prepare(Code& code, bool is_watched);

  Translation(Code& code, bool is_watched, bool at_once);

  /// The interpreter's handler, whatever stands in the instruction now.
  Handler plain(const Insn* insn) const { return plain_[insn->index]; }

  /// The passage that begins there and is translated; null if there is none.
  const Passage* passage_at(std::uint32_t index) const {
    const auto leader = leaders_.find(index);
    return leader == leaders_.end() ? nullptr : leader->second.passage.get();
  }

 private:
  struct Leader {
    std::uint32_t executions = 0;
    bool with_loads = true;
    std::uint32_t end = 0;             ///< as in PassageOptions
    std::unique_ptr<Passage> passage;  ///< once it is translated
  };

  static const Insn* warm_up(Warp& warp, const Insn* insn);
  static const Insn* missed(Warp& warp, const Insn* insn);
  PassageOptions options_of(const Leader& leader) const;
  void lead_from(std::uint32_t begin, std::uint32_t end, bool with_loads);
  void stop_leading(std::uint32_t index);
  void translate_at(const Warp& warp, const Insn* insn);

  Code& code_;
  bool is_watched_, at_once_;
  std::vector<Handler> plain_;
  std::vector<bool> begins_;
  std::map<std::uint32_t, Leader> leaders_;         ///< by index of the first instruction
  std::vector<std::unique_ptr<Passage>> given_up_;  ///< reads noted earlier are still described there
};

}  // namespace vgpu
